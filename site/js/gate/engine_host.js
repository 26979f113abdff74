/** Runs the engine in a worker, and the trainers that it asks for; starts a new engine when the present one dies. */
import { unavailable } from "./admission.js";
import { errorResponse } from "./failure.js";
import { PyScriptWorker } from "./worker.js";

/**
 * @typedef {import("./hosts.js").Request} Request
 * @typedef {import("./hosts.js").Response} Response
 * @typedef {import("./hosts.js").Host["caller"]} Caller
 * @typedef {import("../widget/connection.js").State} State
 */

const STEPS = 4;
const MAX_DEATHS = 3;
/** Engines that die this soon after they were ready (ms), or were never ready, count towards giving up. */
const EARLY = 30000;

/**
 * What went wrong, in one line: a Python error ends with it, behind its traceback.
 * @param {any} error
 */
function reasonOf(error) {
  return String(error?.message ?? error).trim().split("\n").at(-1)?.slice(0, 300) ?? "";
}

/** @param {Request} request @param {State} why @returns {Response} */
function refused({ json }, { code = "unavailable", reason = "", action = "" }) {
  return errorResponse(json, code, reason, action);
}

export class EngineHost {
  /** @param {{state: (state: State) => void, event: (event: string) => void, givenUp: (why: State) => void}} tell */
  constructor(tell) {
    this.tell = tell;
    this.calls = 0;
    this.deaths = 0;
    /** @type {Map<number, {request: Request, resolve: (response: Response) => void}>} */
    this.pending = new Map();
    /** @type {Map<string, PyScriptWorker>} */
    this.trainers = new Map();
    /** @type {PyScriptWorker | null} */
    this.worker = null;
    /** @type {MessagePort | null} */
    this.port = null;
    /** Why no engine runs or will run here. @type {State | null} */
    this.refusal = null;
    /** When the present engine was ready, null until then. @type {number | null} */
    this.readySince = null;
  }

  /** Boot the engine; where that fails, say so. */
  async start() {
    this.readySince = null;
    this.step(2, "Loading Python");
    const worker = new PyScriptWorker("engine", (reason) => this.restart(reason));
    this.worker = worker;
    const memory = /** @type {any} */ (navigator).deviceMemory ?? 8;
    try {
      const port = await worker.start({ cores: navigator.hardwareConcurrency ?? 1, memory });
      if (worker.ended) return;
      port.onmessage = ({ data }) => {
        if (!worker.ended) this.receive(data);
      };
      this.port = port;
      this.step(3, "Starting the engine");
    } catch (error) {
      if (worker.ended) return;
      const action = "Reload the page; if it happens again, try another browser.";
      this.giveUp(unavailable("engine_failed", `The engine did not start: ${reasonOf(error)}.`, action));
    }
  }

  /** @param {any} data a message of the engine */
  receive(data) {
    if (data.kind === "result") {
      this.pending.get(data.call)?.resolve({ json: data.json, buffers: data.buffers });
      this.pending.delete(data.call);
    } else if (data.kind === "event") {
      this.tell.event(data.json);
    } else if (data.kind === "opening") {
      this.step(4, "Reading the jobs");
    } else if (data.kind === "ready") {
      this.readySince = performance.now();
      this.tell.state({ ready: true, phase: "ready" });
      for (const [call, { request, caller }] of this.queued ?? []) this.post(call, request, caller);
      this.queued = null;
    } else if (data.kind === "failed") {
      this.giveUp(unavailable(data.code, data.problem, data.action));
    } else if (data.kind === "replaced") {
      this.restart("The stored data was cleared, or another engine took it over.");
    } else if (data.kind === "spawn") {
      this.spawn(data.name);
    } else if (data.kind === "end") {
      this.trainers.get(data.name)?.end();
      this.trainers.delete(data.name);
    }
  }

  /**
   * @param {Request} request
   * @param {Caller} caller
   * @returns {Promise<Response>}
   */
  call(request, caller) {
    if (this.refusal) return Promise.resolve(refused(request, this.refusal));
    const call = ++this.calls;
    return new Promise((resolve) => {
      this.pending.set(call, { request, resolve });
      if (this.queued === null) this.post(call, request, caller);
      else this.queued.set(call, { request, caller });
    });
  }

  /** Requests that wait until the engine is ready; null once it is. @type {Map<number, {request: Request, caller: Caller}> | null} */
  queued = new Map();

  /** @param {number} call @param {Request} request @param {Caller} caller */
  post(call, request, caller) {
    this.port?.postMessage({ kind: "call", call, caller, ...request }, request.buffers);
  }

  /** @param {string} name */
  async spawn(name) {
    const trainer = new PyScriptWorker("trainer", () => this.port?.postMessage({ kind: "trainer_ended", name }));
    this.trainers.set(name, trainer);
    try {
      const port = await trainer.start({ name });
      if (trainer.ended) return; // names come again after a restart: this one was for the engine before
      this.port?.postMessage({ kind: "trainer", name, port }, [port]);
    } catch (error) {
      if (!trainer.ended) this.port?.postMessage({ kind: "trainer_failed", name, problem: reasonOf(error) });
    }
  }

  /**
   * The engine died: end its trainers, answer its calls, start another one, which goes on at the last committed rounds.
   * @param {string} reason
   */
  restart(reason) {
    this.close(unavailable("unavailable", "The engine ended while the call was under way.", "Try again."));
    const early = this.readySince === null || performance.now() - this.readySince < EARLY;
    this.deaths = early ? this.deaths + 1 : 0;
    if (this.deaths >= MAX_DEATHS) {
      const action = "Reload the page. Jobs are kept up to their last committed round.";
      return this.giveUp(unavailable("engine_failed", `The engine stops again and again: ${reason}`, action));
    }
    this.start();
  }

  /** No engine can run here; another tab may try. @param {State} why */
  giveUp(why) {
    this.refusal = why;
    this.close(why);
    this.tell.givenUp(why);
  }

  /** End the workers, and answer the calls that they will not answer. @param {State} why */
  close(why) {
    this.worker?.end();
    this.trainers.forEach((trainer) => trainer.end());
    this.trainers.clear();
    for (const { request, resolve } of this.pending.values()) {
      resolve(refused(request, why));
    }
    this.pending.clear();
    this.queued = new Map();
  }

  /** End the engine for good. */
  end() {
    this.refusal = unavailable("unavailable", "The engine of this page has ended.", "Try again.");
    this.close(this.refusal);
    this.tell = { state: () => {}, event: () => {}, givenUp: () => {} };
  }

  /** @param {number} step @param {string} text */
  step(step, text) {
    this.tell.state({ ready: false, phase: "starting", step, steps: STEPS, text });
  }
}
