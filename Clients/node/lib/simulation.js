// One simulation: the changing methods by short names, and what can be asked about it.

import { ClosedError, ConflictError, SeamError, StreamEndedError, TimeoutError, UnknownSimError } from "./errors.js";
import { describe, fieldValue, fieldValues, isPlain, limiting, limitOf, onlyKnown, text, texts } from "./limits.js";
import { callOptions, methods, optionsOf } from "./methods.js";

const watchOptions = ["match", "mode", "only", "after", "snapshot", "reconnect", "signal"];
const waitMilliseconds = 10_000;
/** How long a daemon that is asked whether it still answers may take. */
const answerMilliseconds = 1_000;
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
  #destroyed = null;

  /** Use client.create() or client.simulation(). */
  constructor(client, id, { epoch, isOwned }) {
    this.#client = client;
    this.#isOwned = isOwned;
    this.id = id;
    /**
     * Of the simulation that this program made, else null. Another that has taken its id since, such as after a restart,
     * has another: `(await sim.info()).epoch`.
     */
    this.epoch = epoch;
  }

  #ask(name, method, params, options) {
    const { timeout, signal, ...more } = onlyKnown(options, optionsOf(method), name);
    if (more.interim !== undefined) onlyKnown(more.interim, ["label", "fields", "after"], "interim");
    if (more.fields !== undefined) texts(more.fields, "fields");
    return this.#client.call(method, { sim: this.id, ...params, ...more }, { timeout, signal });
  }

  /** Sends an event that the scenario declares. */
  async send(event, args = {}, options) {
    return this.#ask("send", "sim.send", { event, args: fieldValues(args, "args", { mayBeEmpty: true }) }, options);
  }

  /** Writes the model; null clears a key. */
  async set(values, options) {
    return this.#ask("set", "model.set", { values: fieldValues(values, "values") }, options);
  }

  /** Takes values of the model away. */
  async clear(keys, options) {
    return this.#ask("clear", "model.clear", { keys: texts(keys, "keys") }, options);
  }

  /** Says what a live screen shows. */
  async show(screen, values, options) {
    return this.#ask("show", "screen.set", { screen, values: fieldValues(values, "values") }, options);
  }

  /** Says which fields a live screen has, before it shows any. */
  async declare(screen, fields, options) {
    return this.#ask("declare", "screen.declare", { screen, fields: texts(fields, "fields") }, options);
  }

  /** Says that a live screen shows these fields no longer; without keys, that it shows nothing. */
  async hide(screen, keys, options) {
    if (keys !== undefined) {
      return this.#ask("hide", "screen.clear", { screen, keys: texts(keys, "keys") }, options);
    }
    const { timeout, signal, ifSeq } = onlyKnown(options, optionsOf("screen.clear"), "hide");
    for (let attempt = 1; ; attempt += 1) {
      const { seq, fields } = await this.info({ screen, timeout, signal });
      // On condition that nothing has come to the screen since it was looked at.
      const params = { screen, keys: fields.map(({ field }) => field) };
      try {
        return await this.#ask("hide", "screen.clear", params, { ...options, ifSeq: ifSeq ?? seq });
      } catch (error) {
        if (!(error instanceof ConflictError) || ifSeq !== undefined || attempt === attempts) throw error;
      }
    }
  }

  /** Assigns the root view of an embedding; with `built` the one that build() has made. */
  async assign(bridge, options) {
    return this.#ask("assign", "bridge.assign", { bridge }, options);
  }

  /** Makes a root view of what the model has now, for a later assign. */
  async build(bridge, options) {
    return this.#ask("build", "bridge.build", { bridge }, options);
  }

  /** Makes one more update call of a wrapping. */
  async update(bridge, options) {
    return this.#ask("update", "bridge.update", { bridge }, options);
  }

  /** Places a bridge once more; the answer has `mount`. */
  async mount(bridge, options) {
    return this.#ask("mount", "bridge.mount", { bridge }, options);
  }

  /** Dismantles a mount of a bridge. */
  async unmount(bridge, options) {
    return this.#ask("unmount", "bridge.unmount", { bridge }, options);
  }

  /** Gives a mount an identity; another one than before makes it anew. */
  async identify(bridge, identity, options) {
    return this.#ask("identify", "bridge.identify", { bridge, identity: text(identity, "identity") }, options);
  }

  /** Hands a mount to another owner. */
  async rebind(bridge, owner, options) {
    return this.#ask("rebind", "bridge.rebind", { bridge, owner: text(owner, "owner") }, options);
  }

  /** Says which items a list has, in their order: ids, or `{id, value}`. */
  async items(bridge, items, options) {
    return this.#ask("items", "bridge.items", { bridge, items: itemsOf(items) }, options);
  }

  /** Takes down what is presented. */
  async dismiss(bridge, options) {
    return this.#ask("dismiss", "bridge.dismiss", { bridge }, options);
  }

  /** All mounts, or those of one bridge. */
  async mounts(options) {
    const all = [];
    for (let from; ;) {
      const { bridge, ...more } = onlyKnown(options, optionsOf("bridge.list"), "mounts");
      const page = await this.#client.call("bridge.list", { sim: this.id, bridge, from }, more);
      all.push(...page.mounts);
      if (page.next === undefined) return all;
      from = page.next;
    }
  }

  /** Moves the virtual clock on. */
  async advance(ms, options) {
    return this.#ask("advance", "sim.advance", { ms }, options);
  }

  /** Judges fields, and says what only a check can tell; with `at` or `atTurn` as it was then. */
  async check(options) {
    return this.#ask("check", "sim.check", {}, options);
  }

  /** Why a field has its verdict: which call should have carried the value, and which ran. */
  async explain(field, options) {
    return this.#ask("explain", "sim.explain", split(field), options);
  }

  /** The calls that ran, turn by turn: all that are kept, or `limit` of them. */
  async trace(options) {
    const { timeout, signal, from, to, limit, skip } = onlyKnown(options, optionsOf("sim.trace"), "trace");
    const ask = (params) => this.#client.call("sim.trace", { sim: this.id, to, ...params }, { timeout, signal });
    const whole = await ask({ from, limit, skip });
    for (let page = whole; ;) {
      const { records } = whole;
      const left = limit === undefined ? undefined : limit - records.length;
      let place;
      if (page.omitted > 0 && page.records.length > 0) {
        // A turn that is too long for a page: go on behind what has come of it.
        const { turn } = records.at(-1);
        const skipped = turn === (from ?? whole.from) ? skip ?? 0 : 0;
        place = { from: turn, skip: skipped + records.filter((record) => record.turn === turn).length };
      } else if (page.next !== undefined) {
        place = { from: page.next };
      }
      if (place === undefined || (left !== undefined && left <= 0)) {
        for (const name of ["next", "omitted"]) {
          if (page[name] === undefined) delete whole[name];
          else whole[name] = page[name];
        }
        return whole;
      }
      page = await ask({ ...place, limit: left });
      records.push(...page.records);
    }
  }

  /** The simulation as it is now, or was `at` a seq or `atTurn`, with all its fields, which belong to one seq. */
  async info(options) {
    const { screen, at, atTurn, whole: isWhole, ...more } = onlyKnown(options, optionsOf("sim.get"), "info");
    const ask = (from) => this.#client.call("sim.get", { sim: this.id, screen, at, atTurn, from, whole: isWhole }, more);
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const whole = await ask();
      let { next } = whole;
      delete whole.next;
      while (next !== undefined) {
        const page = await ask(next);
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

  /** All fields as they are now, or were `at` a seq or `atTurn`. */
  async fields(options) {
    onlyKnown(options, optionsOf("sim.get"), "fields");
    return (await this.info(options)).fields;
  }

  /** A second simulation that goes on from here, or from a seq that is past. */
  async fork(options) {
    const made = await this.#ask("fork", "sim.fork", {}, options);
    return new Simulation(this.#client, made.sim, { epoch: made.epoch, isOwned: true });
  }

  /** Writes every input and its result to a new file, which the daemon makes, from now on. */
  async record(path, options) {
    return this.#ask("record", "rec.start", { path: text(path, "path") }, options);
  }

  /** Ends the recording; all of it is on the disk then. */
  async stopRecording(options) {
    return this.#ask("stopRecording", "rec.stop", {}, options);
  }

  /** Gives values of the environment: of the whole simulation, or of one bridge or mount. */
  async setEnvironment(values, options) {
    return this.#ask("setEnvironment", "environment.set", { values: fieldValues(values, "values") }, options);
  }

  /** Says where the host of a bridge stands: at least one of window, scene, hidden, size, parked. */
  async setHost(bridge, options) {
    const said = methods["host.set"].options.filter((name) => !["mount", "ifSeq", "interim"].includes(name));
    if (!said.some((name) => onlyKnown(options, optionsOf("host.set"), "setHost")[name] !== undefined)) {
      throw new TypeError(`setHost says nothing of the host; give at least one of ${said.join(", ")}`);
    }
    return this.#ask("setHost", "host.set", { bridge }, options);
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
    const { timeout = waitMilliseconds, signal } = onlyKnown(options, callOptions, "waitFor");
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
    let isComplete = false;
    let isAway = false;
    const watch = this.watch({ match: [field], only: "verdicts", signal });
    const timer = limiting(timeout, () => {
      isLate = true;
      watch.close();
    });
    try {
      for await (const event of watch) {
        if (event.kind === "end") throw new StreamEndedError(this.id, event.reason, `${field} was ${said(last)}`);
        if (event.kind === "restarted") {
          last = null;
          isAway = event.epoch === null;
        }
        if (event.kind === "sync") {
          isComplete = true;
          isAway = false;
        }
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
    const trouble = isAway
      ? `the daemon was started anew, and there is no simulation ${this.id} in it`
      : isComplete ? await this.#trouble(signal) : "the daemon did not answer";
    const goal = wanted.join(" or ");
    const state = trouble === null && last === null ? await this.#without(field, signal) : `it is ${said(last)}`;
    throw new TimeoutError(
      trouble === null
        ? `${field} of ${this.id} is not ${goal} after ${timeout} ms; ${state}.`
        : `Whether ${field} of ${this.id} is ${goal} is not known after ${timeout} ms: ${trouble}.`,
      { method: "waitFor", timeout },
    );
  }

  /** What there is instead of a field that there is not. */
  async #without(field, signal) {
    try {
      const names = (await this.fields({ timeout: answerMilliseconds, signal })).map((one) => `${one.screen}.${one.field}`);
      const near = nearest(field, names);
      return `there is no such field${near.length > 0 ? `, the nearest are ${near.join(", ")}` : ""}`;
    } catch (error) {
      if (error instanceof SeamError) return "there is no such field";
      throw error;
    }
  }

  /** What speaks against the last that a stream has said still being so, or null. */
  async #trouble(signal) {
    try {
      await this.#client.ping({ timeout: answerMilliseconds, signal });
      return null;
    } catch (error) {
      if (error instanceof TimeoutError) return "the daemon does not answer any more";
      if (error instanceof SeamError) return "the daemon is not there any more";
      throw error;
    }
  }

  /** Ends the simulation. Harmless when this object has done so before: it is not asked again. */
  async destroy(options) {
    const asked = onlyKnown(options, callOptions, "destroy");
    this.#destroyed ??= this.#ask("destroy", "sim.destroy", {}, asked).catch((error) => {
      this.#destroyed = null;
      throw error;
    });
    return this.#destroyed;
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

function itemsOf(items) {
  if (!Array.isArray(items)) throw new TypeError(`items is an array of ids or {id, value}, not ${describe(items)}`);
  return Array.from(items, (item, index) => {
    const what = `items[${index}]`;
    if (typeof item === "string") return item;
    if (!isPlain(item)) throw new TypeError(`${what} is an id or {id, value}, not ${describe(item)}`);
    const { id, value } = onlyKnown(item, ["id", "value"], what);
    text(id, `${what}.id`);
    return value === undefined ? { id } : { id, value: fieldValue(value, `${what}.value`) };
  });
}

/** The names that are most like one, at most three: those that share the most pairs of letters with it. */
function nearest(name, names) {
  const pairs = (text) => new Set(Array.from(text.toLowerCase(), (_, index) => text.toLowerCase().slice(index, index + 2)));
  const wanted = pairs(name);
  const likeness = (other) => {
    const found = pairs(other);
    const shared = [...found].filter((pair) => wanted.has(pair)).length;
    return (2 * shared) / (found.size + wanted.size);
  };
  return names.map((other) => [likeness(other), other]).filter(([most]) => most >= 0.4)
    .sort(([one], [other]) => other - one).slice(0, 3).map(([, other]) => other);
}

function said(event) {
  if (!event) return "not there";
  return `${event.verdict} (model ${JSON.stringify(event.model)}, shown ${JSON.stringify(event.shown)})`;
}
