/**
 * Frames of one scope talk over a BroadcastChannel: those that follow send their hosts' requests to the one that leads, which
 * sends back responses, and tells all of them states and events.
 */
import { errorResponse } from "./failure.js";

const CHANNEL = "roundtab-relay";

/**
 * @typedef {import("./hosts.js").Request} Request
 * @typedef {import("./hosts.js").Response} Response
 * @typedef {import("./hosts.js").Host["caller"]} Caller
 * @typedef {import("../widget/connection.js").State} State
 */

export class Relay {
  /** @param {import("./hosts.js").Hosts} hosts */
  constructor(hosts) {
    this.hosts = hosts;
    this.me = crypto.randomUUID();
    this.channel = new BroadcastChannel(CHANNEL);
    this.channel.onmessage = ({ data }) => this.receive(data);
    this.calls = 0;
    /** @type {Map<number, {request: Request, resolve: (response: Response) => void}>} */
    this.pending = new Map();
    /** Answers requests of followers, in the frame that leads. @type {((request: Request, caller: Caller) => Promise<Response>) | null} */
    this.answer = null;
    /** @type {State | null} */
    this.state = null;
    this.leader = "";
    this.closed = false;
  }

  /** Serve this frame's hosts through the leader, and ask who that is. */
  follow() {
    this.serve();
    this.channel.postMessage({ kind: "who", from: this.me });
  }

  serve() {
    this.hosts.serve = (request, caller) =>
      new Promise((resolve) => {
        const call = ++this.calls;
        this.pending.set(call, { request, resolve });
        this.channel.postMessage({ kind: "call", from: this.me, call, request, caller });
      });
  }

  /** This frame's engine gave up: say why until another frame leads. @param {State} why */
  followAfter(why) {
    this.answer = null;
    this.state = null;
    this.leader = "";
    this.hosts.serve = async ({ json }) => errorResponse(json, why.code ?? "", why.reason ?? "", why.action ?? "");
    this.hosts.tellAll(why);
  }

  /**
   * Answer followers from now on. What this frame itself had sent to the leader before is lost with it.
   * @param {(request: Request, caller: Caller) => Promise<Response>} answer
   */
  lead(answer) {
    this.answer = answer;
    this.drop();
  }

  /** @param {State} state */
  announceState(state) {
    this.state = state;
    this.channel.postMessage({ kind: "state", from: this.me, state });
  }

  /** @param {string} event */
  announceEvent(event) {
    this.channel.postMessage({ kind: "event", from: this.me, event });
  }

  close() {
    this.drop();
    this.closed = true;
    this.channel.close();
  }

  /** @param {any} data */
  async receive(data) {
    if (this.answer) {
      if (data.kind === "who" && this.state) this.announceState(this.state);
      if (data.kind !== "call") return;
      const response = await this.answer(data.request, data.caller);
      if (!this.closed) this.channel.postMessage({ kind: "response", to: data.from, call: data.call, response });
      return;
    }
    if (data.kind === "state") {
      if (this.leader && data.from !== this.leader) this.drop();
      if (data.from !== this.leader) this.serve();
      this.leader = data.from;
      this.hosts.tellAll(data.state);
    } else if (data.kind === "event") {
      this.hosts.announce(data.event);
    } else if (data.kind === "response" && data.to === this.me) {
      this.pending.get(data.call)?.resolve(data.response);
      this.pending.delete(data.call);
    }
  }

  /** Answer what waits for a leader that is gone. */
  drop() {
    for (const { request, resolve } of this.pending.values()) {
      resolve(errorResponse(request.json, "leader_changed", "The tab that led has gone; another one leads now.", "Try again."));
    }
    this.pending.clear();
  }
}
