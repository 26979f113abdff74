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

/** @type {Promise<any> | null} */
let core = null;

/** PyScript, loaded on first use: by then the host page is known. */
function pyscript() {
  core ??= import(/* webpackIgnore: true */ RUNTIME);
  return core;
}

export class PyScriptWorker {
  /** @param {"engine" | "trainer"} kind names py/<kind>.py */
  constructor(kind) {
    this.kind = kind;
    /** @type {Worker | null} */
    this.worker = null;
    this.ended = false;
  }

  /**
   * Start it and hand it a port, together with `details`. Resolves with the other end once the script has run.
   * @param {object} details
   * @returns {Promise<MessagePort>}
   */
  async start(details) {
    const script = new URL(`../py/${this.kind}.py`, import.meta.url).href;
    const { PyWorker } = await pyscript();
    const worker = await PyWorker(script, { config: CONFIGS[this.kind], configURL: CONFIG_URL, version: INTERPRETER, async: true });
    if (this.ended) worker.terminate();
    this.worker = worker;
    const channel = new MessageChannel();
    worker.postMessage({ ...details, root: new URL("..", import.meta.url).href, port: channel.port2 }, [channel.port2]);
    return channel.port1;
  }

  /**
   * Call `died` when the worker is gone without `end`, whatever the reason: it holds the Web Lock `name` as long as it lives.
   * No timer is needed, so this works in hidden tabs.
   * @param {string} name
   * @param {(reason: string) => void} died
   */
  watch(name, died) {
    let told = false;
    const tell = (/** @type {string} */ reason) => {
      if (this.ended || told) return;
      told = true;
      died(reason);
    };
    this.worker?.addEventListener("error", (event) => {
      event.preventDefault();
      tell(event.message);
    });
    navigator.locks.request(name, () => tell("the worker ended"));
  }

  end() {
    this.ended = true;
    this.worker?.terminate();
  }
}
