/**
 * The connection between a host page and the widget's frame: a hand-shake that checks origins on both sides, then one
 * MessagePort.
 */
import { errorResponse } from "../gate/failure.js";

const FRAME_TIMEOUT = 15000;

/**
 * @typedef {{ready: boolean, phase: "starting" | "ready" | "unavailable", step?: number, steps?: number, text?: string,
 *   code?: string, reason?: string, action?: string}} State
 * @typedef {{json: string, buffers?: ArrayBuffer[], files?: File[]}} Envelope
 */

export class Connection {
  /** @param {URL} frame address of the widget's frame */
  constructor(frame) {
    this.frame = frame;
    /** @type {State} */
    this.state = { ready: false, phase: "starting", step: 1, steps: 4, text: "Opening the Roundtab frame" };
    /** @type {Set<(state: State) => void>} */
    this.watchers = new Set();
    /** @type {Set<(json: string) => void>} */
    this.listeners = new Set();
    /** @type {Map<number, {resolve: (envelope: Envelope) => void}>} */
    this.pending = new Map();
    this.calls = 0;
    /** @type {MessagePort | null} */
    this.port = null;
    /** @type {(state: State) => void} */
    this.settle = () => {};
    /** @type {Promise<State>} */
    this.settled = new Promise((resolve) => (this.settle = resolve));
  }

  /**
   * Serve the frame in `iframe`; called anew for each document that it loads.
   * @param {HTMLIFrameElement} iframe
   */
  attach(iframe) {
    if (self.origin === "null") {
      // The frame inherits the sandbox, so it could not even load its own scripts.
      const reason = "This page is sandboxed: it has no origin that could be registered.";
      return this.update({ ready: false, phase: "unavailable", code: "not_registered", reason, action: "Open it without the sandbox." });
    }
    iframe.src = this.frame.href;
    const late = setTimeout(
      () =>
        this.update({
          ready: false,
          phase: "unavailable",
          code: "frame_blocked",
          reason: "The Roundtab frame is blocked.",
          action: `Allow frames from ${this.frame.origin}.`,
        }),
      FRAME_TIMEOUT,
    );
    window.addEventListener("message", (event) => {
      if (event.source !== iframe.contentWindow || event.origin !== this.frame.origin) return;
      if (event.data?.roundtab !== "frame") return;
      clearTimeout(late);
      const channel = new MessageChannel();
      this.port = channel.port1;
      this.port.onmessage = (message) => this.receive(message.data);
      iframe.contentWindow?.postMessage({ roundtab: "host" }, this.frame.origin, [channel.port2]);
    });
  }

  /** @param {any} data */
  receive(data) {
    if (data.state) return this.update(data.state);
    if (data.event) return this.listeners.forEach((listener) => listener(data.event));
    const waiting = this.pending.get(data.call);
    this.pending.delete(data.call);
    waiting?.resolve({ json: data.json, buffers: data.buffers });
  }

  /** @param {State} state */
  update(state) {
    this.state = state;
    if (state.phase !== "starting") this.settle(state);
    this.watchers.forEach((watcher) => watcher(state));
  }

  /**
   * Send one request and wait for its response. Before the frame answers, it waits; where training is unavailable, it is
   * refused at once.
   * @param {Envelope} envelope
   * @returns {Promise<Envelope>}
   */
  async exchange(envelope) {
    const state = this.state.phase === "starting" ? await this.settled : this.state;
    if (state.phase === "unavailable") return refusal(envelope, state);
    const call = ++this.calls;
    return new Promise((resolve) => {
      this.pending.set(call, { resolve });
      const buffers = envelope.buffers ?? [];
      this.port?.postMessage({ call, json: envelope.json, buffers, files: envelope.files ?? [] }, buffers);
    });
  }
}

/**
 * @param {Envelope} envelope
 * @param {State} state
 * @returns {Envelope}
 */
function refusal(envelope, state) {
  const problem = state.reason ?? "The Training API is unavailable.";
  return errorResponse(envelope.json, state.code ?? "unavailable", problem, state.action ?? "Reload the page.");
}
