// One simulation: the changing methods by short names, and what can be asked about it.

import { ClosedError, SeamError, StreamEndedError, TimeoutError, UnknownSimError } from "./errors.js";
import { describe, fieldValues, limitOf, onlyKnown, text } from "./limits.js";

const turnOptions = ["ifSeq", "interim", "timeout", "signal"];
const askOptions = ["timeout", "signal"];
const watchOptions = ["match", "mode", "only", "after", "snapshot", "reconnect", "signal"];
const waitMilliseconds = 10_000;
/** How often a list that changes while its pages are read is begun again. */
const attempts = 5;

/** The id of what may be a Simulation or an id. */
export function simulationOf(value) {
  if (value instanceof Simulation) return value.id;
  return text(value, "sim");
}

export class Simulation {
  #client;
  #isOwned;

  /** Use client.create() or client.sim(). */
  constructor(client, id, { epoch, isOwned }) {
    this.#client = client;
    this.#isOwned = isOwned;
    this.id = id;
    /** Of this run of the simulation; null when this program has not made it. */
    this.epoch = epoch;
  }

  #turn(method, params, options, known = []) {
    const { timeout, signal, ...more } = onlyKnown(options, [...known, ...turnOptions], method);
    return this.#client.call(method, { sim: this.id, ...params, ...more }, { timeout, signal });
  }

  #ask(method, params, options, known = []) {
    const { timeout, signal, ...more } = onlyKnown(options, [...known, ...askOptions], method);
    return this.#client.call(method, { sim: this.id, ...params, ...more }, { timeout, signal });
  }

  /** Sends an event that the scenario declares. */
  async send(event, args = {}, options) {
    return this.#turn("sim.send", { event, args: fieldValues(args, "args") }, options, ["mount"]);
  }

  /** Writes the model; null clears a key. */
  async set(values, options) {
    return this.#turn("model.set", { values: fieldValues(values, "values") }, options);
  }

  /** Takes values of the model away. */
  async clear(keys, options) {
    return this.#turn("model.clear", { keys }, options);
  }

  /** Says what a live screen shows. */
  async show(screen, values, options) {
    return this.#turn("screen.set", { screen, values: fieldValues(values, "values") }, options);
  }

  /** Says which fields a live screen has, before it shows any. */
  async declare(screen, fields, options) {
    return this.#turn("screen.declare", { screen, fields }, options);
  }

  /** Says that a live screen shows these fields no longer. */
  async unshow(screen, keys, options) {
    return this.#turn("screen.clear", { screen, keys }, options);
  }

  /** Assigns the root view of an embedding. */
  async assign(bridge, options) {
    return this.#turn("bridge.assign", { bridge }, options, ["mount"]);
  }

  /** Makes one more update call of a wrapping. */
  async update(bridge, options) {
    return this.#turn("bridge.update", { bridge }, options, ["mount"]);
  }

  /** Places a bridge once more; the answer has `mount`. */
  async mount(bridge, options) {
    return this.#turn("bridge.mount", { bridge }, options);
  }

  /** Dismantles a mount of a bridge. */
  async unmount(bridge, options) {
    return this.#turn("bridge.unmount", { bridge }, options, ["mount"]);
  }

  /** Moves the virtual clock on. */
  async advance(ms, options) {
    return this.#turn("sim.advance", { ms }, options);
  }

  /** Judges fields, and says what only a check can tell. */
  async check(options) {
    return this.#ask("sim.check", {}, options, ["label", "screen", "fields"]);
  }

  /** Why a field has its verdict: which call should have carried the value, and which ran. */
  async explain(field, options) {
    return this.#ask("sim.explain", split(field), options);
  }

  /** The calls that ran, turn by turn. */
  async trace(options) {
    return this.#ask("sim.trace", {}, options, ["from", "to", "limit"]);
  }

  /** The simulation as it is now, with all its fields, which belong to one seq. */
  async get(options) {
    const { screen, at, ...more } = onlyKnown(options, ["screen", "at", ...askOptions], "get");
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const whole = await this.#ask("sim.get", { screen, at }, more);
      let { next } = whole;
      delete whole.next;
      while (next !== undefined) {
        const page = await this.#ask("sim.get", { screen, at, from: next }, more);
        if (page.seq !== whole.seq || page.epoch !== whole.epoch) break;
        whole.fields.push(...page.fields);
        next = page.next;
      }
      if (next === undefined) return whole;
    }
    throw new SeamError(
      `The simulation ${this.id} changes faster than its pages can be read; watch() gives a snapshot that joins up.`,
    );
  }

  /** All fields as they are now. */
  async fields(options) {
    return (await this.get(options)).fields;
  }

  /** A second simulation that goes on from here, or from a seq that is past. */
  async fork(options) {
    const made = await this.#ask("sim.fork", {}, options, ["id", "at"]);
    return new Simulation(this.#client, made.sim, { epoch: made.epoch, isOwned: true });
  }

  /** Writes every input and its result to a file, from now on. */
  async record(path, options) {
    return this.#ask("rec.start", { path }, options);
  }

  async stopRecording(options) {
    return this.#ask("rec.stop", {}, options);
  }

  /** Gives values of the environment of a scenario's SwiftUI side. */
  async setEnvironment(values, options) {
    return this.#turn("environment.set", { values: fieldValues(values, "values") }, options, ["host"]);
  }

  /** Says where the view controller of a bridge stands. */
  async setHost(bridge, options) {
    const known = ["mount", "window", "scene", "hidden"];
    return this.#turn("host.set", { bridge }, options, known);
  }

  /** The changes of this simulation, from a snapshot on. */
  watch(options) {
    return this.#client.watch({ ...onlyKnown(options, watchOptions, "watch"), sim: this.id });
  }

  /**
   * Resolves with the `state` or `change` in which the field has (one of) the verdict(s), at once if it has it already.
   * Subscribes first and then looks, so no change between the two is missed.
   */
  async waitFor(field, verdict, options) {
    const { timeout = waitMilliseconds, signal } = onlyKnown(options, askOptions, "waitFor");
    limitOf(timeout, "timeout");
    split(field);
    const wanted = [verdict].flat();
    for (const word of wanted) {
      if (verdicts.includes(word)) continue;
      const given = typeof word === "string" ? `"${word}"` : describe(word);
      throw new TypeError(`a verdict is one of ${verdicts.join(", ")}, not ${given}`);
    }
    signal?.throwIfAborted();
    let last = null;
    let isLate = false;
    const watch = this.watch({ match: [field], only: "verdicts", signal });
    const timer = setTimeout(() => {
      isLate = true;
      watch.close();
    }, timeout);
    try {
      for await (const event of watch) {
        if (event.kind === "end") throw new StreamEndedError(this.id, event.reason, `${field} was ${said(last)}`);
        if (event.kind !== "state" && event.kind !== "change") continue;
        if (event.name !== field) continue;
        last = event;
        if (wanted.includes(event.verdict)) return event;
      }
    } finally {
      clearTimeout(timer);
      watch.close();
    }
    if (!isLate) throw new ClosedError(`The stream was closed while ${field} was waited for.`);
    throw new TimeoutError(
      `${field} of ${this.id} is not ${wanted.join(" or ")} after ${timeout} ms; it is ${said(last)}.`,
      { method: "waitFor", timeout },
    );
  }

  /** Ends the simulation. */
  async destroy(options) {
    return this.#ask("sim.destroy", {}, options);
  }

  /** What `await using` does: ends it if this program has made it and it is still there. */
  async dispose() {
    if (!this.#isOwned) return;
    try {
      await this.destroy();
    } catch (error) {
      if (!(error instanceof UnknownSimError)) throw error;
    }
  }
}
if (Symbol.asyncDispose) {
  Simulation.prototype[Symbol.asyncDispose] = function () {
    return this.dispose();
  };
}

export const verdicts = Object.freeze(["matching", "stale", "missing", "leftover", "out-of-scope"]);

/** Names of screens have no dot, keys of fields may. */
function split(field) {
  const dot = text(field, "field").indexOf(".");
  if (dot <= 0 || dot === field.length - 1) {
    throw new TypeError(`field is written Screen.field, such as Toolbar.count, not "${field}"`);
  }
  return { screen: field.slice(0, dot), field: field.slice(dot + 1) };
}

function said(event) {
  if (!event) return "not there";
  return `${event.verdict} (model ${JSON.stringify(event.model)}, shown ${JSON.stringify(event.shown)})`;
}
