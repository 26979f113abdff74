/**
 * One engine leads in a scope (browser profile, top-level site, widget origin): the frame that holds the Web Lock boots the
 * engine, every other frame relays to it.
 */
import { EngineHost } from "./engine_host.js";
import { Relay } from "./relay.js";

const LOCK = "roundtab-engine";

export class Leadership {
  /** @param {import("./hosts.js").Hosts} hosts */
  constructor(hosts) {
    this.hosts = hosts;
    /** @type {AbortController | null} aborts the request for the lock; null while ended */
    this.asking = null;
    /** @type {() => void} */
    this.release = () => {};
    /** @type {EngineHost | null} */
    this.engine = null;
    /** @type {Relay | null} */
    this.relay = null;
  }

  /** Lead, or relay to who leads. */
  begin() {
    if (this.asking) return;
    this.asking = new AbortController();
    this.relay = new Relay(this.hosts);
    const { signal } = this.asking;
    navigator.locks.request(LOCK, { signal }, () => this.lead(signal)).catch((error) => {
      if (error.name !== "AbortError") throw error;
    });
    this.relay.follow();
  }

  /** Give up the lock and end the workers. */
  end() {
    this.asking?.abort();
    this.asking = null;
    this.engine?.end();
    this.engine = null;
    this.relay?.close();
    this.relay = null;
    this.release();
  }

  /**
   * Runs while this frame holds the lock.
   * @param {AbortSignal} signal
   * @returns {Promise<void>}
   */
  lead(signal) {
    const relay = this.relay;
    if (signal.aborted || !relay) return Promise.resolve();
    const engine = new EngineHost({
      state: (state) => {
        this.hosts.tellAll(state);
        relay.announceState(state);
      },
      event: (event) => {
        this.hosts.announce(event);
        relay.announceEvent(event);
      },
      givenUp: (why) => {
        this.engine = null;
        relay.followAfter(why);
        this.release();
      },
    });
    this.engine = engine;
    relay.lead((request, caller) => engine.call(request, caller));
    this.hosts.serve = (request, caller) => engine.call(request, caller);
    engine.start();
    return new Promise((resolve) => (this.release = resolve));
  }
}
