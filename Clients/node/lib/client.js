// The client: calls over one connection, which is made anew when the daemon comes back, and a connection for each
// watch, so that a slow reader of events never holds back a reply.

import { startDaemon } from "./daemon.js";
import { ClosedError } from "./errors.js";
import { describe, fieldValues, isPlain, limitOf, onlyKnown, text } from "./limits.js";
import { callOptions, optionsOf } from "./methods.js";
import { Simulation, simulationOf } from "./simulation.js";
import { socketPath } from "./socket-path.js";
import { Watch } from "./watch.js";
import { Wire } from "./wire.js";

const callMilliseconds = 10_000;
const reconnectMilliseconds = 30_000;
/** As long as a line of a paged list may be; the more fit in, the fewer round trips. */
const lineBytes = 1 << 20;

const connectOptions = ["path", "timeout", "signal", "reconnect", "maxLine", "name", "private"];

/**
 * Connects to a daemon: to the one at `path`, else the one that `seam` would find, else with `private` to one started
 * for this client alone.
 */
export async function connect(options = {}) {
  if (typeof options === "string") options = { path: options };
  onlyKnown(options, connectOptions, "connect");
  const { private: own = false, timeout = callMilliseconds } = options;
  if (typeof own !== "boolean" && !isPlain(own)) {
    throw new TypeError(`private is true, false or an object such as {program: "/usr/bin/seamd"}, not ${describe(own)}`);
  }
  if (own && options.path !== undefined) throw new TypeError("path and private exclude each other");
  options.signal?.throwIfAborted();
  limitOf(timeout, "timeout");
  const start = performance.now();
  // One limit for all of it; who starts a daemon that takes longer says so.
  const daemon = own ? await startDaemon({ timeout, ...(own === true ? {} : own) }) : null;
  try {
    const client = new Client(daemon ? daemon.path : socketPath(options.path), options, daemon);
    const left = own.timeout === undefined ? Math.max(1, timeout - (performance.now() - start)) : timeout;
    await client.ping({ signal: options.signal, timeout: left });
    return client;
  } catch (error) {
    await daemon?.stop();
    throw error;
  }
}

function reconnectLimit(value) {
  if (value === undefined || value === true) return reconnectMilliseconds;
  if (value === false) return 0;
  return limitOf(value, "reconnect");
}

/** Params and policies as they are sent; what JSON would lose of them is refused. */
function creation(options, method, name) {
  const { timeout, signal, ...params } = onlyKnown(options, optionsOf(method), name);
  for (const member of ["params", "policies"]) {
    if (params[member] !== undefined) params[member] = fieldValues(params[member], member, { mayBeEmpty: true });
  }
  return [params, { timeout, signal }];
}

/** One request of a batch: `[method]` or `[method, params]`. */
function requestOf(request, index) {
  if (!Array.isArray(request) || request.length < 1 || request.length > 2) {
    throw new TypeError(`requests[${index}] is [method, params], not ${describe(request)}`);
  }
  const [method, params = {}] = request;
  mayBeCalled(method);
  return [method, params];
}

function mayBeCalled(method) {
  if (method === "sub.open") throw new TypeError("streams are opened with watch(), which has a connection for each");
}

export class Client {
  #settings;
  #offered = new WeakMap();
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
    mayBeCalled(method);
    return this.#perform(method, options, "call", (wire, limits) => wire.call(method, params, limits));
  }

  /**
   * Several requests in one line, which nobody else's come between. Their results in order; a CallError stands where
   * one was refused.
   * @param requests  of `[method, params]`, as many as hello.limits.batch says
   */
  async batch(requests, options = undefined) {
    if (!Array.isArray(requests)) {
      throw new TypeError(`the requests of a batch are an array of [method, params], not ${describe(requests)}`);
    }
    const all = Array.from(requests, requestOf);
    return this.#perform("the batch", options, "batch", (wire, limits) => (
      all.length === 0 ? [] : wire.batch(all, limits)
    ));
  }

  async #perform(what, options, name, act) {
    const { signal, timeout = this.#settings.timeout } = onlyKnown(options, callOptions, name);
    limitOf(timeout, "timeout");
    if (this.#isClosed) throw new ClosedError(`The client is closed; ${what} was not sent.`);
    // No wait while there is a connection: calls made one after the other go out in that order.
    if (this.#wire?.isOpen) return act(this.#wire, { timeout, signal });
    const start = performance.now();
    const wire = await this.#connected(timeout, signal);
    if (this.#isClosed) throw new ClosedError(`The client is closed; ${what} was not sent.`);
    return act(wire, { timeout: Math.max(1, timeout - (performance.now() - start)), signal });
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

  /** Whether the daemon has a method, such as sim.fork, or a capability of its hello, such as recordings. */
  async offers(name, options) {
    text(name, "name");
    // Another daemon may have come in its place: what was learnt holds for the connection.
    if (!this.#wire?.isOpen) await this.ping(options);
    const wire = this.#wire;
    if (wire.hello.capabilities?.includes(name)) return true;
    let methods = this.#offered.get(wire);
    if (!methods) {
      methods = new Set((await this.discover(options)).methods.map((method) => method.name));
      this.#offered.set(wire, methods);
    }
    return methods.has(name);
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
  async simulations(options) {
    const all = [];
    for (let from = 0; from !== undefined;) {
      const page = await this.call("sim.list", { from }, options);
      all.push(...page.sims);
      from = page.next;
    }
    return all;
  }

  /** Every policy with its words, and every profile. */
  policies(options) {
    return this.call("policy.list", {}, options);
  }

  /**
   * Makes a simulation; `await using` or destroy() ends it.
   * @param options  id, params, policies, profile, seed, clock, lifetime, trace, history, record; timeout, signal
   */
  async create(scenario, options) {
    const [params, limits] = creation(options, "sim.create", "create");
    const made = await this.call("sim.create", { scenario, ...params }, limits);
    return new Simulation(this, made.sim, { epoch: made.epoch, isOwned: true });
  }

  /** A simulation that somebody else has made; nothing is asked, and disposing of it ends nothing. */
  simulation(id) {
    return new Simulation(this, text(id, "id"), { epoch: null, isOwned: false });
  }

  /**
   * Plays a scenario's script and judges its checks.
   * @param options  id, params, policies, profile, seed, clock, keep, steps, why, trace; timeout, signal
   */
  async run(scenario, options) {
    const [params, limits] = creation(options, "sim.run", "run");
    return this.call("sim.run", { scenario, ...params }, limits);
  }

  /** Feeds a recording again and tells the first difference. */
  async replay(path, options) {
    const { timeout, signal, ...more } = onlyKnown(options, optionsOf("rec.replay"), "replay");
    return this.call("rec.replay", { path: text(path, "path"), ...more }, { timeout, signal });
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
