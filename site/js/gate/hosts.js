/** The host pages connected to this frame (one, unless a page reloads the frame), and what they are told. */
import { errorResponse } from "./failure.js";

/**
 * @typedef {import("../widget/connection.js").State} State
 * @typedef {{port: MessagePort, caller: {site: import("./admission.js").Site, client: string}}} Host
 * @typedef {{json: string, buffers: ArrayBuffer[], files: File[]}} Request
 * @typedef {{json: string, buffers?: ArrayBuffer[]}} Response
 */

/**
 * What a host page may send: text, ArrayBuffers and Files. On anything else the engine would fail.
 * @param {any} data
 */
function isRequest({ json, buffers = [], files = [] }) {
  const all = (/** @type {any} */ list, /** @type {any} */ type) =>
    Array.isArray(list) && list.every((each) => each instanceof type);
  return typeof json === "string" && all(buffers, ArrayBuffer) && all(files, File);
}

export class Hosts {
  /** @param {(state: Partial<State>) => void} draw shows a state to the person */
  constructor(draw) {
    this.draw = draw;
    /** @type {Host[]} */
    this.all = [];
    /** @type {State | null} */
    this.state = null;
    /** Answers a request; set by who serves. @type {((request: Request, caller: Host["caller"]) => Promise<Response>) | null} */
    this.serve = null;
  }

  /**
   * @param {MessagePort} port
   * @param {import("./admission.js").Site} site
   * @returns {Host}
   */
  add(port, site) {
    const host = { port, caller: { site, client: crypto.randomUUID() } };
    port.onmessage = async ({ data }) => {
      if (!this.serve || !host.caller.site.grants.includes("training")) return;
      const { call, json, buffers = [], files = [] } = data;
      const answer = isRequest(data)
        ? await this.serve({ json, buffers, files }, host.caller)
        : errorResponse("", "invalid_request", "That is no request.", "Send a text, and ArrayBuffers and Files beside it.");
      port.postMessage({ call, json: answer.json, buffers: answer.buffers ?? [] }, answer.buffers ?? []);
    };
    this.all.push(host);
    if (this.state && site.grants.includes("training")) this.tell(host, this.state);
    return host;
  }

  /** @param {Host} host @param {State} state */
  tell(host, state) {
    host.port.postMessage({ state });
    this.draw(state);
  }

  /** Tell every admitted host. @param {State} state */
  tellAll(state) {
    this.state = state;
    for (const host of this.all) if (host.caller.site.grants.includes("training")) this.tell(host, state);
  }

  /** Pass an event on to every admitted host. @param {string} event */
  announce(event) {
    for (const host of this.all) if (host.caller.site.grants.includes("training")) host.port.postMessage({ event });
  }
}
