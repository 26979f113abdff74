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

/** @type {State} */
const OPENING = { ready: false, phase: "starting", step: 1, steps: 4, text: "Opening the Roundtab frame" };

/**
 * Call each of them; what one throws keeps no other from hearing.
 * @template T
 * @param {Set<(value: T) => void>} listeners
 * @param {T} value
 */
function tell(listeners, value) {
  for (const listener of listeners) {
    try {
      listener(value);
    } catch (error) {
      reportError(error);
    }
  }
}

export class Connection {
  /** @param {URL} frame address of the widget's frame */
  constructor(frame) {
    this.frame = frame;
    /** @type {State} */
    this.state = OPENING;
    /** @type {Set<(state: State) => void>} */
    this.watchers = new Set();
    /** @type {Set<(json: string) => void>} */
    this.listeners = new Set();
    /** @type {Map<number, {json: string, resolve: (envelope: Envelope) => void}>} */
    this.pending = new Map();
    this.calls = 0;
    /** @type {MessagePort | null} */
    this.port = null;
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
      if (this.port) this.restart(this.port);
      const channel = new MessageChannel();
      this.port = channel.port1;
      this.port.onmessage = (message) => this.receive(message.data);
      iframe.contentWindow?.postMessage({ roundtab: "host" }, this.frame.origin, [channel.port2]);
    });
  }

  /** The iframe loaded anew, as when its element was moved: what was under way there is lost. @param {MessagePort} old */
  restart(old) {
    old.close();
    this.update(OPENING);
    for (const { json, resolve } of this.pending.values()) {
      resolve(errorResponse(json, "unavailable", "The Roundtab frame was loaded anew.", "Try again."));
    }
    this.pending.clear();
  }

  /** @param {any} data */
  receive(data) {
    if (data.state) return this.update(data.state);
    if (data.event) return tell(this.listeners, data.event);
    const waiting = this.pending.get(data.call);
    this.pending.delete(data.call);
    waiting?.resolve({ json: data.json, buffers: data.buffers });
  }

  /** @param {State} state */
  update(state) {
    this.state = state;
    tell(this.watchers, state);
  }

  /** The state once it is known whether training may be used. @returns {Promise<State>} */
  settled() {
    return new Promise((resolve) => {
      const look = (/** @type {State} */ state) => {
        if (state.phase === "starting") return;
        this.watchers.delete(look);
        resolve(state);
      };
      this.watchers.add(look);
      look(this.state);
    });
  }

  /**
   * Send one request and wait for its response. Before the frame answers, it waits; where training is unavailable, it is
   * refused at once.
   * @param {Envelope} envelope
   * @returns {Promise<Envelope>}
   */
  async exchange(envelope) {
    const state = await this.settled();
    if (state.phase === "unavailable") return refusal(envelope, state);
    const call = ++this.calls;
    return new Promise((resolve) => {
      this.pending.set(call, { json: envelope.json, resolve });
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
