// What the page knows: every field as it is now, in columns, and a bounded list of what changed.

export const verdicts = ["matching", "stale", "missing", "leftover", "out-of-scope"];
export const glyphs = ["✓", "≠", "○", "+", "–"];
/** What somebody has to look at: out-of-scope is no fault. */
export const wrong = [1, 2, 3];
const verdictNumber = new Map(verdicts.map((name, index) => [name, index]));

/** How many verdicts back a field's band goes. */
export const bandLength = 32;
const unknown = 255;
/** Numbers of changes that are told from before the page was opened begin here. */
const firstOfPast = 2 ** 24;

/** All fields at one moment. The present is one; a frozen view and a look into the past are copies. */
class Moment {
  constructor(capacity) {
    this.count = 0;
    this.alive = new Uint8Array(capacity);
    this.verdict = new Uint8Array(capacity);
    this.changedAt = new Float64Array(capacity);
    this.changeNumber = new Float64Array(capacity);
    this.bandEnd = new Uint32Array(capacity);
    this.band = new Uint8Array(capacity * bandLength).fill(unknown);
    this.model = [];
    this.shown = [];
    this.modelBytes = new Map();
    this.shownBytes = new Map();
    this.counts = new Float64Array(verdicts.length);
  }

  copy(capacity = this.alive.length) {
    const copy = Object.create(Moment.prototype);
    copy.count = this.count;
    for (const name of ["alive", "verdict", "changedAt", "changeNumber", "bandEnd", "band"]) {
      const length = name === "band" ? capacity * bandLength : capacity;
      copy[name] = new this[name].constructor(length);
      if (name === "band") copy[name].fill(unknown, this.band.length);
      copy[name].set(this[name]);
    }
    copy.model = this.model.slice();
    copy.shown = this.shown.slice();
    copy.modelBytes = new Map(this.modelBytes);
    copy.shownBytes = new Map(this.shownBytes);
    copy.counts = this.counts.slice();
    return copy;
  }

  /** The last verdicts of a field, oldest first. */
  bandOf(index) {
    const end = this.bandEnd[index];
    const count = Math.min(end, bandLength);
    const out = new Uint8Array(count);
    for (let k = 0; k < count; k += 1) out[k] = this.band[index * bandLength + ((end - count + k) % bandLength)];
    return out;
  }

  setAlive(index, isAlive) {
    if ((this.alive[index] === 1) === isAlive) return;
    this.alive[index] = isAlive ? 1 : 0;
    this.counts[this.verdict[index]] += isAlive ? 1 : -1;
  }

  setValues(index, verdict, model, shown, modelBytes, shownBytes) {
    if (this.alive[index]) {
      this.counts[this.verdict[index]] -= 1;
      this.counts[verdict] += 1;
    }
    this.verdict[index] = verdict;
    this.model[index] = model;
    this.shown[index] = shown;
    if (modelBytes || this.modelBytes.has(index)) setOrDelete(this.modelBytes, index, modelBytes);
    if (shownBytes || this.shownBytes.has(index)) setOrDelete(this.shownBytes, index, shownBytes);
  }

  pushBand(index, verdict) {
    const place = index * bandLength + (this.bandEnd[index] % bandLength);
    const old = this.band[place];
    this.band[place] = verdict;
    this.bandEnd[index] += 1;
    return old;
  }

  /** Takes over a band that somebody else has kept. */
  setBand(index, digits) {
    this.band.fill(unknown, index * bandLength, (index + 1) * bandLength);
    for (let k = 0; k < digits.length; k += 1) this.band[index * bandLength + k] = digits.charCodeAt(k) - 48;
    this.bandEnd[index] = digits.length;
  }

  /** Takes an event back. */
  undo(event) {
    if (event.kind === "sim") {
      for (const index of event.rows) this.setAlive(index, event.what === "destroyed");
      return;
    }
    if (event.kind !== "verdict" || event.index < 0) return;
    const { index, before } = event;
    this.setValues(index, before.verdict, before.model, before.shown, before.modelBytes, before.shownBytes);
    this.setAlive(index, before.isAlive);
    this.changedAt[index] = before.changedAt;
    this.changeNumber[index] = before.changeNumber;
    this.bandEnd[index] = Math.max(0, this.bandEnd[index] - 1);
    this.band[index * bandLength + (this.bandEnd[index] % bandLength)] = before.band;
  }
}

/**
 * The fields of a simulation where there is no room for all: what is wrong comes first then, and the rest is counted.
 * @returns {{chosen: number[], isCut: boolean, words: string}} `words` says how many of which verdict are left out
 */
export function worstFirst(store, sim, most) {
  const { alive, verdict } = store.now;
  const all = store.fieldsOf(sim).filter((index) => alive[index]);
  if (all.length <= most) return { chosen: all, isCut: false, words: "" };
  const isWrong = (index) => wrong.includes(verdict[index]);
  const sorted = [...all.filter(isWrong), ...all.filter((index) => !isWrong(index))];
  const counts = verdicts.map(() => 0);
  for (const index of sorted.slice(most)) counts[verdict[index]] += 1;
  const words = counts.map((count, number) => count > 0 && `${count.toLocaleString("en")} ${verdicts[number]}`).filter(Boolean);
  return { chosen: sorted.slice(0, most), isCut: true, words: words.join(", ") };
}

function setOrDelete(map, key, value) {
  if (value) map.set(key, value);
  else map.delete(key);
}

/** A list that forgets its oldest entries: by count, and by how many characters their values have. */
export class EventList {
  #items = [];
  #first = 0;
  #characters = 0;

  constructor({ most = 50_000, mostCharacters = 16 << 20 } = {}) {
    this.most = most;
    this.mostCharacters = mostCharacters;
    /** Number of the first one that is kept; the numbers go on whatever is dropped. */
    this.oldest = 0;
  }

  get length() { return this.#items.length - this.#first; }
  get end() { return this.oldest + this.length; }

  static size({ model, shown, text, before }) {
    return (model?.length ?? 0) + (shown?.length ?? 0) + (text?.length ?? 0)
      + (before?.model?.length ?? 0) + (before?.shown?.length ?? 0);
  }

  push(event) {
    event.number = this.end;
    this.#items.push(event);
    this.#characters += EventList.size(event);
    while (this.length > this.most || (this.#characters > this.mostCharacters && this.length > 1)) {
      this.#characters -= EventList.size(this.#items[this.#first]);
      this.#items[this.#first] = undefined;
      this.#first += 1;
      this.oldest += 1;
    }
    if (this.#first > 10_000 && this.#first > this.#items.length / 2) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
  }

  /** @returns the event with this number, undefined if it is no longer kept, or not yet there */
  at(number) {
    return number < this.oldest ? undefined : this.#items[this.#first + number - this.oldest];
  }
}

export class Store {
  #index = new Map();
  #ofSim = new Map();
  #seen = null;
  #capacity = 1024;
  #changeNumber = 0;
  #past = null;

  constructor() {
    this.now = new Moment(this.#capacity);
    this.sim = [];
    this.screen = [];
    this.field = [];
    this.version = new Uint32Array(this.#capacity);
    this.sims = new Map();
    this.events = new EventList();
    /** The past before this event is cut off by a snapshot. */
    this.barrier = 0;
    this.changes = 0;
    this.syncedAt = null;
    /** Grows when fields come or go, and when their numbers change. */
    this.shape = 0;
    /** Grows when the numbers of fields have changed. */
    this.generation = 0;
    /** Told of each verdict, with the field's number. */
    this.onChange = () => {};
  }

  static key(sim, screen, field) { return `${sim.length}:${screen.length}:${sim}${screen}${field}`; }

  find(sim, screen, field) {
    const index = this.known(sim, screen, field);
    return index >= 0 && this.now.alive[index] ? index : -1;
  }

  /** The same, also of a field that is gone. */
  known(sim, screen, field) { return this.#index.get(Store.key(sim, screen, field)) ?? -1; }

  /** Every field that a simulation of this name has had, the gone ones too. */
  fieldsOf(sim) { return this.#ofSim.get(sim) ?? []; }

  path(index) { return `${this.sim[index]}/${this.screen[index]}.${this.field[index]}`; }

  #row(sim, screen, field) {
    const key = Store.key(sim, screen, field);
    let index = this.#index.get(key);
    if (index !== undefined) return index;
    index = this.now.count;
    if (index === this.#capacity) {
      this.#capacity *= 2;
      this.now = this.now.copy(this.#capacity);
      const version = new Uint32Array(this.#capacity);
      version.set(this.version);
      this.version = version;
    }
    this.now.count += 1;
    this.#index.set(key, index);
    if (!this.#ofSim.has(sim)) this.#ofSim.set(sim, []);
    this.#ofSim.get(sim).push(index);
    this.sim[index] = sim;
    this.screen[index] = screen;
    this.field[index] = field;
    this.now.model[index] = null;
    this.now.shown[index] = null;
    return index;
  }

  #simulation(name, scenario, epoch) {
    let simulation = this.sims.get(name);
    if (!simulation) this.sims.set(name, simulation = { name, scenario: null, epoch: null, hasFailed: false });
    if (scenario) simulation.scenario = scenario;
    if (epoch) simulation.epoch = epoch;
    return simulation;
  }

  // MARK: What the gate says

  /** A snapshot begins: what it does not name is gone. */
  beginSnapshot(reason, missed) {
    this.#seen = { rows: new Set(), sims: new Set() };
    this.#past = null;
    if (reason) this.events.push({ kind: "gap", at: Date.now(), reason, missed });
  }

  /** The connection went and came, and nothing is lost. */
  resumed(text) { this.events.push({ kind: "resumed", at: Date.now(), text }); }

  /** What follows was before the snapshot. */
  beginPast() {
    this.#seen = null;
    this.#past = { rows: new Set(), created: new Set(), barrier: 0 };
    // Changes from before these are numbered below, when the snapshot has told of them.
    this.#changeNumber = firstOfPast;
  }

  /** The past is told, the snapshot comes. */
  endPast() {
    this.#past = Object.assign(this.#past ?? { barrier: this.events.end }, { isOver: true });
    this.#seen = { rows: new Set(), sims: new Set() };
  }

  get isInPast() { return this.#past !== null && !this.#past.isOver; }

  get isInSnapshot() { return this.#seen !== null; }

  state({ sim, scenario, screen, field, verdict, model, shown, modelBytes, shownBytes, changed, band }) {
    const number = verdictNumber.get(verdict);
    if (number === undefined) return;
    const index = this.#row(sim, screen, field);
    this.#simulation(sim, scenario);
    if (this.#seen) {
      this.#seen.rows.add(index);
      this.#seen.sims.add(sim);
    }
    const { now } = this;
    if (!now.alive[index]) this.shape += 1;
    const isNew = now.bandEnd[index] === 0;
    const differs = isNew || now.verdict[index] !== number || now.model[index] !== model || now.shown[index] !== shown;
    now.setAlive(index, true);
    const isFirst = this.syncedAt === null;
    // What was before this page: the gate's word for it, unless the events that were told go back as far.
    if (isFirst && now.bandEnd[index] < bandLength) now.setBand(index, band ?? String(number));
    if (isFirst && changed && now.changedAt[index] === 0) now.changedAt[index] = changed;
    if (!differs) return;
    now.setValues(index, number, model, shown, modelBytes, shownBytes);
    if (!isFirst) {
      now.pushBand(index, number);
      // It changed in a gap, and is news now.
      now.changedAt[index] = changed ?? Date.now();
      now.changeNumber[index] = (this.#changeNumber += 1);
      // Outside of a snapshot it stands for changes that were passed over: what was before can't be had by taking it back.
      if (!this.#seen) this.barrier = this.events.end;
    }
    this.version[index] += 1;
    this.onChange(index);
  }

  sync() {
    if (this.#seen) {
      for (let index = 0; index < this.now.count; index += 1) {
        if (this.now.alive[index] && !this.#seen.rows.has(index)) {
          this.now.setAlive(index, false);
          this.shape += 1;
        }
      }
      for (const name of this.sims.keys()) if (!this.#seen.sims.has(name)) this.sims.delete(name);
      this.barrier = this.#past?.barrier ?? this.events.end;
      this.#seen = null;
      this.#past = null;
    }
    if (this.syncedAt === null) this.#numberChanges();
    this.syncedAt = Date.now();
  }

  /** Changes that only the snapshot told of, in their order, below all that were told one by one. */
  #numberChanges() {
    const { now } = this;
    const rows = [];
    for (let index = 0; index < now.count; index += 1) {
      if (now.changedAt[index] > 0 && now.changeNumber[index] === 0) rows.push(index);
    }
    rows.sort((a, b) => now.changedAt[a] - now.changedAt[b]);
    rows.forEach((index, place) => { now.changeNumber[index] = place + 1; });
    this.#changeNumber = Math.max(this.#changeNumber, rows.length);
  }

  /** A field as it was before the first event that is told of it. */
  #before(index, { sim, from, model, shown, modelBytes, shownBytes, was }) {
    const past = this.#past;
    past.rows.add(index);
    this.#simulation(sim);
    if (was === null) return;
    const { now } = this;
    const of = (name, value, bytes) => (was && Object.hasOwn(was, name) ? [was[name], was[`${name}Bytes`]] : [value, bytes]);
    const [[oldModel, oldModelBytes], [oldShown, oldShownBytes]] = [of("model", model, modelBytes), of("shown", shown, shownBytes)];
    now.setValues(index, verdictNumber.get(from) ?? 4, oldModel, oldShown, oldModelBytes, oldShownBytes);
    now.setAlive(index, true);
  }

  verdict(data, id) {
    const { sim, screen, field, to, model, shown, modelBytes, shownBytes } = data;
    const number = verdictNumber.get(to);
    if (number === undefined) return;
    const index = this.#row(sim, screen, field);
    this.#simulation(sim);
    if (this.#seen) {
      this.#seen.rows.add(index);
      this.#seen.sims.add(sim);
    }
    const { now } = this;
    if (this.isInPast && !this.#past.rows.has(index)) this.#before(index, data);
    const before = {
      verdict: now.verdict[index], model: now.model[index], shown: now.shown[index], isAlive: now.alive[index] === 1,
      modelBytes: now.modelBytes.get(index), shownBytes: now.shownBytes.get(index),
      changedAt: now.changedAt[index], changeNumber: now.changeNumber[index], band: unknown,
    };
    if (!before.isAlive) this.shape += 1;
    now.setAlive(index, true);
    now.setValues(index, number, model, shown, modelBytes, shownBytes);
    before.band = now.pushBand(index, number);
    now.changedAt[index] = data.at ?? Date.now();
    now.changeNumber[index] = (this.#changeNumber += 1);
    this.version[index] += 1;
    this.changes += 1;
    this.events.push({
      kind: "verdict", id, index, sim, screen, field, before, model, shown, modelBytes, shownBytes, to: number,
      from: verdictNumber.get(data.from) ?? unknown, at: data.at ?? Date.now(), turn: data.turn, seq: data.seq, ms: data.ms,
    });
    this.onChange(index);
  }

  diagnostic(data, id) {
    this.events.push({ ...data, kind: "diagnostic", id, at: data.at ?? Date.now() });
  }

  simulation(data, id) {
    const { sim, what } = data;
    const rows = [];
    if (what === "destroyed") {
      // Of a simulation that was there before all that is told, fields may have gone of which nothing is known.
      if (this.isInPast && !this.#past.created.has(sim)) this.#past.barrier = this.events.end + 1;
      this.sims.delete(sim);
      for (const index of this.fieldsOf(sim)) {
        if (this.now.alive[index]) {
          this.now.setAlive(index, false);
          rows.push(index);
        }
      }
      this.shape += 1;
    } else {
      const simulation = this.#simulation(sim, data.scenario, data.epoch);
      if (what === "failed" || data.status === "failed") simulation.hasFailed = true;
      this.#seen?.sims.add(sim);
      if (what === "created" && this.isInPast) this.#past.created.add(sim);
      this.shape += 1;
    }
    // A snapshot names what is there; nothing has happened to it.
    if (!this.#seen) this.events.push({ kind: "sim", id, sim, what, scenario: data.scenario, rows, at: data.at ?? Date.now() });
  }

  // MARK: The past

  /** Fields as they were after an event; null if that is cut off. */
  momentAfter(number) {
    if (number + 1 < Math.max(this.barrier, this.events.oldest)) return null;
    const moment = this.now.copy();
    for (let at = this.events.end - 1; at > number; at -= 1) moment.undo(this.events.at(at));
    return moment;
  }

  /** The event with this id, if it is kept. */
  findEvent(id) {
    for (let at = this.events.end - 1; at >= this.events.oldest; at -= 1) {
      if (this.events.at(at).id === id) return this.events.at(at);
    }
    return null;
  }

  /** The daemon's own number of the newest event that has one. */
  newestId() {
    for (let at = this.events.end - 1; at >= this.events.oldest; at -= 1) if (this.events.at(at).id) return this.events.at(at).id;
    return "";
  }

  /** What of the list is about one field, newest first, before the event with this number. */
  historyOf(index, most = 200, end = this.events.end) {
    const found = [];
    const [sim, screen, field] = [this.sim[index], this.screen[index], this.field[index]];
    for (let at = Math.min(end, this.events.end) - 1; at >= this.events.oldest && found.length < most; at -= 1) {
      const event = this.events.at(at);
      if (event.field === field && event.screen === screen && event.sim === sim) found.push(event);
    }
    return found;
  }

  /** Gives the room of fields that are gone to others, when they are many. Nothing may hold a copy of a moment. */
  compact() {
    const { now } = this;
    let live = 0;
    for (let index = 0; index < now.count; index += 1) live += now.alive[index];
    if (now.count - live < live + 10_000) return;
    const to = new Int32Array(now.count).fill(-1);
    const names = ["sim", "screen", "field"].map((name) => [name, []]);
    const next = new Moment(this.#capacity);
    const version = new Uint32Array(this.#capacity);
    this.#index.clear();
    this.#ofSim.clear();
    for (let index = 0; index < now.count; index += 1) {
      if (!now.alive[index]) continue;
      const place = next.count;
      next.count += 1;
      to[index] = place;
      for (const [name, column] of names) column[place] = this[name][index];
      for (const name of ["alive", "verdict", "changedAt", "changeNumber", "bandEnd", "model", "shown"]) {
        next[name][place] = now[name][index];
      }
      next.band.set(now.band.subarray(index * bandLength, (index + 1) * bandLength), place * bandLength);
      if (now.modelBytes.has(index)) next.modelBytes.set(place, now.modelBytes.get(index));
      if (now.shownBytes.has(index)) next.shownBytes.set(place, now.shownBytes.get(index));
      version[place] = this.version[index] + 1;
      const sim = this.sim[index];
      this.#index.set(Store.key(sim, this.screen[index], this.field[index]), place);
      if (!this.#ofSim.has(sim)) this.#ofSim.set(sim, []);
      this.#ofSim.get(sim).push(place);
    }
    next.counts.set(now.counts);
    for (const [name, column] of names) this[name] = column;
    this.now = next;
    this.version = version;
    for (let at = this.events.oldest; at < this.events.end; at += 1) {
      const event = this.events.at(at);
      if (event.kind === "verdict") event.index = event.index < 0 ? -1 : to[event.index];
      if (event.kind === "sim") event.rows = event.rows.map((row) => to[row]).filter((row) => row >= 0);
    }
    // A field that is gone for good can't come back in the past.
    this.barrier = this.events.end;
    this.shape += 1;
    this.generation += 1;
  }
}
