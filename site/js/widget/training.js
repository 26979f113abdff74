/** `roundtab.training`: the Training API for the host page's JavaScript. */

/** @typedef {import("./connection.js").Connection} Connection */

/** A refused request: `code` for programs, `problem`, `action` and `problems[]` for people. */
export class TrainingError extends Error {
  /** @param {{code: string, problem: string, action: string, problems: object[]}} data */
  constructor(data) {
    super(`${data.problem} ${data.action}`);
    this.name = "TrainingError";
    this.code = data.code;
    this.problem = data.problem;
    this.action = data.action;
    this.problems = data.problems;
  }
}

/**
 * Replace each `{"$buffer": n}` by the buffer.
 * @param {any} value
 * @param {ArrayBuffer[]} buffers
 * @returns {any}
 */
function filled(value, buffers) {
  if (value === null || typeof value !== "object") return value;
  if (typeof value.$buffer === "number") return buffers[value.$buffer];
  if (Array.isArray(value)) return value.map((each) => filled(each, buffers));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, buffers)]));
}

/** The path of a chosen file below the folder that was picked, or its name. @param {File} file */
function pathOf(file) {
  const inFolder = file.webkitRelativePath.split("/").slice(1).join("/");
  return inFolder || file.name;
}

/** @param {Connection} connection */
export function trainingApi(connection) {
  let ids = 0;
  return Object.freeze({
    /** What is known of the connection now: phase, and step or reason and action. */
    get state() {
      return connection.state;
    },

    /**
     * Call a method. Files are named by `webkitRelativePath` below the picked folder, or by their name.
     * @param {string} method
     * @param {Record<string, any>} [params]
     * @param {{files?: File[], buffers?: ArrayBuffer[]}} [extra]
     */
    async request(method, params = {}, { files = [], buffers = [] } = {}) {
      const named = files.map((file, index) => ({ path: pathOf(file), content: { $file: index } }));
      const sent = files.length ? { ...params, files: named } : params;
      const json = JSON.stringify({ jsonrpc: "2.0", id: ++ids, method, params: sent });
      const answer = await connection.exchange({ json, files, buffers });
      const response = JSON.parse(answer.json);
      if (response.error) throw new TrainingError(response.error.data);
      return filled(response.result, answer.buffers ?? []);
    },

    /** The wire as it is: JSON-RPC text with buffers and files beside it, for clients that bring their own codec. */
    exchange: (/** @type {import("./connection.js").Envelope} */ envelope) => connection.exchange(envelope),

    /**
     * Hear every event: `{name, epoch, seq, data}`. A new epoch or a gap in `seq` means: read again.
     * @param {(event: {name: string, epoch: number, seq: number, data: any}) => void} listener
     * @returns {() => void} ends it
     */
    subscribe(listener) {
      const parse = (/** @type {string} */ json) => listener(JSON.parse(json).params);
      connection.listeners.add(parse);
      return () => connection.listeners.delete(parse);
    },

    /**
     * Hear every change of `state`, and the present one at once.
     * @param {(state: import("./connection.js").State) => void} watcher
     * @returns {() => void} ends it
     */
    watch(watcher) {
      connection.watchers.add(watcher);
      watcher(connection.state);
      return () => connection.watchers.delete(watcher);
    },
  });
}
