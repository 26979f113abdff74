/** PyScript workers: started from a script of the site, connected by one MessagePort, watched until they end. */

const RUNTIME = new URL("../runtime/pyscript/core.js", import.meta.url).href;
/** Said to each worker: left out, PyScript would ask a CDN for Pyodide. */
const INTERPRETER = new URL("../runtime/pyodide/pyodide.mjs", import.meta.url).href;

/** Paths in the configurations are relative to this address; PyScript wants it to end in .txt and never fetches it. */
const CONFIG_URL = new URL("../py/config.txt", import.meta.url).href;
const COMMON = {
  files: { "../roundtab.zip": "./*" },
  packages: ["numpy", "pyodide-http"],
  // Pyodide loads them itself while it starts; PyScript would load micropip first, and keep what it found for later visits.
  packages_cache: "passthrough",
  sync_main_only: true,
};
const CONFIGS = {
  engine: { ...COMMON, js_modules: { worker: { "../assets/js/idb.js": "idb" } } },
  trainer: COMMON,
};

/** Python is up by then and the script has run, so this is long (ms). */
const SCRIPT_TIMEOUT = 10000;
/** For Python itself (ms): on a first visit with a slow line it takes its time, but not for ever. */
const PYTHON_TIMEOUT = 180000;

/** @type {Promise<any> | null} */
let core = null;

/** PyScript, loaded on first use: by then the host page is known. */
function pyscript() {
  core ??= import(/* webpackIgnore: true */ RUNTIME);
  return core;
}

/**
 * PyScript would wait for ever for a script that the server does not give.
 * @param {string} script
 */
async function reachable(script) {
  const response = await fetch(script).catch(() => null);
  if (!response) throw new Error("the server of this page does not answer");
  if (!response.ok) throw new Error(`the server of this page answered ${response.status}`);
}

/**
 * @template T
 * @param {number} milliseconds
 * @param {Promise<T>} work
 * @param {string} problem
 * @returns {Promise<T>}
 */
function within(milliseconds, work, problem) {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error(problem)), milliseconds));
  return Promise.race([work, /** @type {Promise<never>} */ (late)]);
}

export class PyScriptWorker {
  /**
   * @param {"engine" | "trainer"} kind names py/<kind>.py
   * @param {(reason: string) => void} died called once, when it is gone without `end`, whatever the reason
   */
  constructor(kind, died) {
    this.kind = kind;
    this.died = died;
    /** @type {Worker | null} */
    this.worker = null;
    this.ended = false;
  }

  /**
   * Start it and hand it a port, together with `details`. Resolves with the other end once the worker says that it lives.
   * @param {object} details
   * @returns {Promise<MessagePort>}
   */
  async start(details) {
    const script = new URL(`../py/${this.kind}.py`, import.meta.url).href;
    await reachable(script);
    const { PyWorker } = await pyscript();
    const starting = PyWorker(script, { config: CONFIGS[this.kind], configURL: CONFIG_URL, version: INTERPRETER, async: true });
    const worker = await within(PYTHON_TIMEOUT, starting, "Python was not loaded within 3 minutes");
    if (this.ended) worker.terminate();
    this.worker = worker;
    const lock = `roundtab-worker-${crypto.randomUUID()}`;
    const alive = this.watch(worker, lock);
    const channel = new MessageChannel();
    worker.postMessage({ ...details, lock, root: new URL("..", import.meta.url).href, port: channel.port2 }, [channel.port2]);
    await alive;
    return channel.port1;
  }

  /**
   * Notice the end of the worker: it holds the Web Lock `name` as long as it lives, and says when it does. No timer is needed,
   * so this works in hidden tabs. Python that crashed lives on deaf, but is heard of as an error. Resolves when the lock is
   * held; a script that fails only writes to the console, so one that does not get there is given up.
   * @param {Worker} worker
   * @param {string} name
   * @returns {Promise<void>}
   */
  watch(worker, name) {
    const tell = (/** @type {string} */ reason) => {
      if (this.ended) return;
      this.end();
      this.died(reason);
    };
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      tell(event.message);
    });
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error("its Python script failed; the browser's console says why")), SCRIPT_TIMEOUT);
      worker.addEventListener("message", ({ data }) => {
        if (data !== "holding") return;
        clearTimeout(late);
        navigator.locks.request(name, () => tell("the worker ended"));
        resolve();
      });
    });
  }

  end() {
    this.ended = true;
    this.worker?.terminate();
  }
}
