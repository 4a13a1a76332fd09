// The client: calls over one connection, which is made anew when the daemon comes back, and a connection for each
// watch, so that a slow reader of events never holds back a reply.

import { startDaemon } from "./daemon.js";
import { ClosedError } from "./errors.js";
import { limitOf, onlyKnown, text } from "./limits.js";
import { Simulation, simulationOf } from "./simulation.js";
import { socketPath } from "./socket-path.js";
import { Watch } from "./watch.js";
import { Wire } from "./wire.js";

const callMilliseconds = 10_000;
const reconnectMilliseconds = 30_000;
/** As long as a line of a paged list may be; the more fit in, the fewer round trips. */
const lineBytes = 1 << 20;

const connectOptions = ["path", "timeout", "signal", "reconnect", "maxLine", "name", "daemon"];

/**
 * Connects to a daemon: to the one at `path`, else the one that `seam` would find, else with `daemon` to one started
 * for this client alone.
 */
export async function connect(options = {}) {
  if (typeof options === "string") options = { path: options };
  onlyKnown(options, connectOptions, "connect");
  if (options.daemon && options.path !== undefined) throw new TypeError("path and daemon exclude each other");
  options.signal?.throwIfAborted();
  const daemon = options.daemon ? await startDaemon(options.daemon === true ? {} : options.daemon) : null;
  try {
    const client = new Client(daemon ? daemon.path : socketPath(options.path), options, daemon);
    await client.ping({ signal: options.signal });
    return client;
  } catch (error) {
    await daemon?.stop();
    throw error;
  }
}

function reconnectLimit(value) {
  if (value === undefined || value === true) return reconnectMilliseconds;
  if (value === false) return 0;
  // A stream may wait for its daemon as long as its program runs: it has a signal to end it.
  return value === Infinity ? value : limitOf(value, "reconnect");
}

export class Client {
  #settings;
  #wire = null;
  #connecting = null;
  #isClosed = false;
  #watches = new Set();

  /** Use connect(). */
  constructor(path, options, daemon) {
    const { maxLine = lineBytes, name = "seamd-client (Node)" } = options;
    if (!Number.isInteger(maxLine) || maxLine < 65_535 || maxLine > 16 << 20) {
      throw new RangeError(`maxLine is a number of bytes from 65535 to ${16 << 20}, not ${maxLine}`);
    }
    this.#settings = {
      path,
      maxLine,
      name: text(name, "name"),
      timeout: limitOf(options.timeout ?? callMilliseconds, "timeout"),
      reconnect: reconnectLimit(options.reconnect),
    };
    /** The daemon started for this client, or null. */
    this.daemon = daemon;
  }

  get path() {
    return this.#settings.path;
  }

  /** Of the run of the daemon that answered last: another one after a restart. */
  get daemonEpoch() {
    return this.#wire?.hello.daemonEpoch ?? null;
  }

  /** What seam.hello answered: version, capabilities, limits. */
  get hello() {
    return this.#wire?.hello ?? null;
  }

  /**
   * One request and its result. Not for sub.open: streams are watch()ed.
   * @param {{timeout?: number, signal?: AbortSignal}} [options]
   */
  async call(method, params = {}, options = undefined) {
    const { signal, timeout = this.#settings.timeout } = onlyKnown(options, ["timeout", "signal"], "call");
    limitOf(timeout, "timeout");
    if (method === "sub.open") throw new TypeError("streams are opened with watch(), which has a connection for each");
    if (this.#isClosed) throw new ClosedError(`The client is closed; ${method} was not sent.`);
    // No wait while there is a connection: calls made one after the other go out in that order.
    if (this.#wire?.isOpen) return this.#wire.call(method, params, { timeout, signal });
    const start = performance.now();
    const wire = await this.#connected(timeout, signal);
    if (this.#isClosed) throw new ClosedError(`The client is closed; ${method} was not sent.`);
    return wire.call(method, params, { timeout: Math.max(1, timeout - (performance.now() - start)), signal });
  }

  /** One attempt for all calls that wait for it; a call with a shorter limit or a signal makes its own. */
  #connected(timeout, signal) {
    signal?.throwIfAborted();
    if (signal || timeout < this.#settings.timeout) {
      return Wire.open({ ...this.#settings, timeout, signal }).then((wire) => this.#adopted(wire));
    }
    this.#connecting ??= Wire.open(this.#settings)
      .then((wire) => this.#adopted(wire))
      .finally(() => {
        this.#connecting = null;
      });
    return this.#connecting;
  }

  /** Of connections made at the same time the first one stays. */
  #adopted(wire) {
    if (this.#isClosed || this.#wire?.isOpen) wire.close();
    else this.#wire = wire;
    return this.#wire;
  }

  /** Answers when the requests before it are answered. */
  ping(options) {
    return this.call("seam.ping", {}, options);
  }

  /** The daemon's counters. */
  stats(options) {
    return this.call("seam.stats", {}, options);
  }

  /** An OpenRPC document: every method with its params. */
  discover(options) {
    return this.call("rpc.discover", {}, options);
  }

  /** Ends the daemon. */
  shutdown(options) {
    return this.call("seam.shutdown", {}, options);
  }

  /** All scenarios, and the plug-ins that could not be loaded. */
  async scenarios(options) {
    const all = { scenarios: [], failed: [] };
    for (let from = 0; from !== undefined;) {
      const page = await this.call("scenario.list", { from }, options);
      all.scenarios.push(...page.scenarios);
      if (from === 0) all.failed = page.failed;
      from = page.next;
    }
    return all;
  }

  /** What a scenario is made of. */
  describe(scenario, options) {
    return this.call("scenario.describe", { scenario }, options);
  }

  /** All simulations. */
  async list(options) {
    const all = [];
    for (let from = 0; from !== undefined;) {
      const page = await this.call("sim.list", { from }, options);
      all.push(...page.sims);
      from = page.next;
    }
    return all;
  }

  /**
   * Makes a simulation; `await using` or destroy() ends it.
   * @param options  id, params, policies, profile, seed, clock, lifetime, history, record; timeout, signal
   */
  async create(scenario, options) {
    const known = ["id", "params", "policies", "profile", "seed", "clock", "lifetime", "history", "record"];
    const { timeout, signal, ...more } = onlyKnown(options, [...known, "timeout", "signal"], "create");
    const made = await this.call("sim.create", { scenario, ...more }, { timeout, signal });
    return new Simulation(this, made.sim, { epoch: made.epoch, isOwned: true });
  }

  /** A simulation that somebody else has made; nothing is asked, and disposing of it ends nothing. */
  sim(id) {
    return new Simulation(this, text(id, "id"), { epoch: null, isOwned: false });
  }

  /**
   * Plays a scenario's script and judges its checks.
   * @param options  id, params, policies, profile, seed, clock, keep, steps; timeout, signal
   */
  async run(scenario, options) {
    const known = ["id", "params", "policies", "profile", "seed", "clock", "keep", "steps"];
    const { timeout, signal, ...more } = onlyKnown(options, [...known, "timeout", "signal"], "run");
    return this.call("sim.run", { scenario, ...more }, { timeout, signal });
  }

  /** Feeds a recording again and tells the first difference. */
  async replay(path, options) {
    const { timeout, signal, ...more } = onlyKnown(options, ["id", "keep", "timeout", "signal"], "replay");
    return this.call("rec.replay", { path, ...more }, { timeout, signal });
  }

  /**
   * The changes of one simulation, or of all when `sim` is left out, as an async iterable.
   * @param options  sim, match, mode, only, after, snapshot, reconnect, signal
   */
  watch(options) {
    const known = ["sim", "match", "mode", "only", "after", "snapshot", "reconnect", "signal"];
    const { reconnect, sim, ...more } = onlyKnown(options, known, "watch");
    if (this.#isClosed) throw new ClosedError("The client is closed; nothing can be watched.");
    const watch = new Watch({
      ...more,
      sim: sim === undefined ? undefined : simulationOf(sim),
      reconnect: reconnect === undefined ? this.#settings.reconnect : reconnectLimit(reconnect),
      settings: this.#settings,
      onEnd: () => this.#watches.delete(watch),
    });
    this.#watches.add(watch);
    return watch;
  }

  /** Ends the connection, every watch, and the daemon if it was started for this client. Harmless when done twice. */
  async close() {
    this.#isClosed = true;
    this.#wire?.close(new ClosedError("The client was closed while this was under way."));
    for (const watch of [...this.#watches]) watch.fail(new ClosedError("The client of this stream was closed."));
    await this.daemon?.stop();
  }
}
if (Symbol.asyncDispose) {
  Client.prototype[Symbol.asyncDispose] = function () {
    return this.close();
  };
}
