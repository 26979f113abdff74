/**
 * Tables of rows in IndexedDB, one transaction a function. It knows no word of Roundtab: Python cannot hold an IndexedDB
 * transaction open across an `await`, so what belongs together has to happen in here.
 *
 * A writer calls `lead` once. Every `commit` compares the epoch inside its own transaction, so a writer that was replaced
 * meanwhile writes nothing.
 */

const EPOCH = "epoch";
const META = "meta";
const OPEN_TIMEOUT = 5000;

/** @typedef {string | ArrayBuffer} Value */

/**
 * The error as a plain DOMException. Chromium's QuotaExceededError is a class of its own without a stack, which Pyodide takes
 * for no error: Python would wait for ever for a promise that is rejected with it.
 * @param {DOMException | null} error
 */
function known(error) {
  return new DOMException(error?.message ?? "the transaction was aborted", error?.name ?? "AbortError");
}

/**
 * What `promise` brings, unless the connection is closed before: when the browser clears all data, it may leave what goes on
 * in there without an answer.
 * @template T
 * @param {IDBDatabase} handle
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
async function unlessClosed(handle, promise) {
  let closed = () => {};
  const end = new Promise((_, reject) => {
    closed = () => reject(new DOMException("the database was closed", "AbortError"));
  });
  handle.addEventListener("close", closed);
  try {
    return /** @type {T} */ (await Promise.race([promise, end]));
  } finally {
    handle.removeEventListener("close", closed);
  }
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function result(request) {
  /** @type {Promise<T>} */
  const promise = new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(known(request.error));
  });
  return request.transaction ? unlessClosed(request.transaction.db, promise) : promise;
}

/**
 * Resolves when the transaction is complete: only then its writes are stored. (When the quota is used up, the requests
 * succeed first and the transaction aborts afterwards.)
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>}
 */
function finished(transaction) {
  /** @type {Promise<void>} */
  const promise = new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(known(transaction.error));
  });
  return unlessClosed(transaction.db, promise);
}

/**
 * The key range of all keys that start with `prefix` and come after `after`.
 * @param {string} prefix
 * @param {string} after
 */
function range(prefix, after) {
  return after > prefix ? IDBKeyRange.bound(after, `${prefix}\uffff`, true) : IDBKeyRange.bound(prefix, `${prefix}\uffff`);
}

class Database {
  /**
   * The version is the number of tables: one that is added to the list is added to the databases that are there already, and
   * their rows stay. (The first version was 1 and had nine.)
   * @param {string} name
   * @param {string[]} tables
   */
  constructor(name, tables) {
    this.name = name;
    this.tables = tables;
    this.epoch = 0;
    /** @type {IDBDatabase | null} */
    this.handle = null;
  }

  /** @returns {Promise<IDBDatabase>} */
  async connect() {
    if (this.handle) return this.handle;
    const request = indexedDB.open(this.name, this.tables.length);
    request.onupgradeneeded = () => {
      const there = request.result.objectStoreNames;
      for (const table of [META, ...this.tables]) if (!there.contains(table)) request.result.createObjectStore(table);
    };
    const late = new Promise((_, reject) =>
      setTimeout(() => reject(new DOMException("the database did not open", "TimeoutError")), OPEN_TIMEOUT),
    );
    const handle = /** @type {IDBDatabase} */ (await Promise.race([result(request), late]));
    const forget = () => {
      handle.close();
      this.handle = null;
    };
    handle.onclose = forget;
    handle.onversionchange = forget;
    this.handle = handle;
    return handle;
  }

  /**
   * Become the writer: raises the epoch and returns it.
   * @returns {Promise<number>}
   */
  async lead() {
    const transaction = (await this.connect()).transaction(META, "readwrite", { durability: "strict" });
    const meta = transaction.objectStore(META);
    const last = meta.get(EPOCH);
    let epoch = 0;
    last.onsuccess = () => {
      epoch = (last.result ?? 0) + 1;
      meta.put(epoch, EPOCH);
    };
    await finished(transaction);
    this.epoch = epoch;
    return epoch;
  }

  /** @param {string} table @param {string} key @returns {Promise<Value | undefined>} */
  async get(table, key) {
    return result((await this.connect()).transaction(table).objectStore(table).get(key));
  }

  /** @param {string} table @param {string} prefix @returns {Promise<string[]>} */
  async keys(table, prefix) {
    const store = (await this.connect()).transaction(table).objectStore(table);
    return /** @type {string[]} */ (await result(store.getAllKeys(range(prefix, ""))));
  }

  /**
   * Rows as [keys, values], in key order; with `newest` the last `limit` of them.
   * @param {string} table @param {string} prefix @param {string} after @param {number} limit 0 is no limit
   * @param {boolean} newest
   * @returns {Promise<[string[], Value[]]>}
   */
  async scan(table, prefix, after, limit, newest) {
    const store = (await this.connect()).transaction(table).objectStore(table);
    const keys = range(prefix, after);
    if (newest && limit) {
      /** @type {[string[], Value[]]} */
      const found = [[], []];
      const walk = new Promise((resolve, reject) => {
        const cursor = store.openCursor(keys, "prev");
        cursor.onerror = () => reject(known(cursor.error));
        cursor.onsuccess = () => {
          if (!cursor.result || found[0].length === limit) return resolve(undefined);
          found[0].unshift(/** @type {string} */ (cursor.result.key));
          found[1].unshift(cursor.result.value);
          cursor.result.continue();
        };
      });
      await unlessClosed(store.transaction.db, walk);
      return found;
    }
    const count = limit || undefined;
    const [names, values] = await Promise.all([result(store.getAllKeys(keys, count)), result(store.getAll(keys, count))]);
    return [/** @type {string[]} */ (names), values];
  }

  /**
   * One strict transaction. Rejects with `StaleLeader` when another writer led since; nothing is written after any rejection.
   * @param {{table: string, prefix: string}[]} clears
   * @param {{table: string, key: string}[]} deletes
   * @param {{table: string, key: string, value: Value}[]} puts
   * @returns {Promise<void>}
   */
  async commit(clears, deletes, puts) {
    const tables = new Set([META, ...[...clears, ...deletes, ...puts].map((each) => each.table)]);
    const transaction = (await this.connect()).transaction([...tables], "readwrite", { durability: "strict" });
    const done = finished(transaction);
    const check = transaction.objectStore(META).get(EPOCH);
    let stale = false;
    check.onsuccess = () => {
      if (check.result !== this.epoch) {
        stale = true;
        return transaction.abort();
      }
      for (const each of clears) transaction.objectStore(each.table).delete(range(each.prefix, ""));
      for (const each of deletes) transaction.objectStore(each.table).delete(each.key);
      for (const each of puts) transaction.objectStore(each.table).put(each.value, each.key);
    };
    try {
      await done;
    } catch (error) {
      throw stale ? new DOMException("another writer leads now", "StaleLeader") : error;
    }
  }
}

/**
 * @param {string} name
 * @param {string[]} tables
 * @returns {Database}
 */
export function database(name, tables) {
  return new Database(name, tables);
}
