// Two simulations side by side: what each of their fields is, and the first call that only one of them has made.

import { badge, callLine } from "./details.js";
import { call } from "./feed.js";
import { VirtualList } from "./list.js";
import { verdicts } from "./store.js";
import { cellPadding, natural, parseQuery } from "./table.js";
import { hint, make, named, namedPath, Ruler, showValue, visible } from "./text.js";

const cellLimit = 200;
/** How many calls of each are compared; the command line has no such bound. */
const mostCalls = 5_000;
/** Beyond it, a table of all pairs would be waited for. */
const largestTable = 9_000_000;

const sides = ["a", "b"];
const columns = [["differs", ""], ["name", "Field"],
  ...["A", "B"].flatMap((side) => [[`verdict ${side.toLowerCase()}`, `${side}: verdict`], ["model", `${side}: model`], ["shown", `${side}: shown`]])];

/** What a call did, wherever it stood in time: turns are counted differently once a step is missing. */
const deed = ({ turn, ms, round, ...rest }) => JSON.stringify(rest);

/**
 * Where two lists of calls part.
 * @returns {{common: number, a: object | null, b: object | null} | null} null if they are the same
 */
export function parting(ours, theirs) {
  const [a, b] = [ours.map(deed), theirs.map(deed)];
  let common = 0;
  while (common < a.length && common < b.length && a[common] === b[common]) common += 1;
  if (common === a.length && common === b.length) return null;
  const [hasA, hasB] = lead(a.slice(common), b.slice(common));
  return { common, a: hasA ? ours[common] : null, b: hasB ? theirs[common] : null };
}

/** Which of two lists that begin differently has something the other lacks: by the longest sequence that both have. */
function lead(a, b) {
  if (a.length === 0 || b.length === 0) return [a.length > 0, b.length > 0];
  if (a.length * b.length > largestTable) return [true, true];
  const numbers = new Map();
  const numbered = (deeds) => deeds.map((text) => numbers.get(text) ?? (numbers.set(text, numbers.size), numbers.size - 1));
  const [x, y] = [numbered(a), numbered(b)];
  let below = new Int32Array(y.length + 1);
  let withoutA = 0;
  for (let i = x.length - 1; i >= 0; i -= 1) {
    withoutA = below[0];
    const row = new Int32Array(y.length + 1);
    for (let j = y.length - 1; j >= 0; j -= 1) row[j] = x[i] === y[j] ? below[j + 1] + 1 : Math.max(below[j], row[j + 1]);
    below = row;
  }
  // Nothing is lost by leaving it out: then it has no partner.
  return [withoutA >= below[1], below[1] >= withoutA];
}

export class Compare {
  isDirty = true;
  isHidden = true;
  query = "";
  onlyDifferences = false;
  sims = { a: "", b: "" };
  #pairs = [];
  #shown = [];
  #counts = { same: 0, differs: 0, a: 0, b: 0 };
  #needsPairs = true;
  #arrangedAt = 0;
  #shape = -1;
  #moment = null;
  /** The `Screen.field` that is looked at. */
  selected = "";
  #asked = null;
  #timer = null;
  #names = "";
  #aligned = [];
  #alignedAs = "";
  #cost = 0;
  #askCost = 0;

  constructor(store, view, actions) {
    this.store = store;
    this.actions = actions;
    this.view = view;
    const part = (name) => view.querySelector(`[data-part=${name}]`);
    this.scroller = view.querySelector(".scroller");
    const head = part("head");
    for (const [name, title] of columns) {
      const cell = head.appendChild(make("div", `cell ${name}`, title));
      cell.setAttribute("role", "columnheader");
      if (!title) cell.append(make("span", "only-told", "Difference"));
    }
    this.list = new VirtualList(this.scroller, this.scroller.querySelector(".body"), this);
    this.choices = { a: part("a"), b: part("b") };
    this.links = { a: part("picture-a"), b: part("picture-b") };
    for (const side of sides) {
      this.choices[side].addEventListener("change", () => actions.choose({ ...this.sims, [side]: this.choices[side].value }));
    }
    part("swap").addEventListener("click", () => actions.choose({ a: this.sims.b, b: this.sims.a }));
    this.said = part("said");
    this.empty = part("empty");
    this.field = part("field");
    this.calls = part("calls");
  }

  /** Names that are not given are chosen: the first simulation, and the one that has most in common with it. */
  look({ a, b, field }) {
    if (a !== this.sims.a || b !== this.sims.b) {
      this.calls.replaceChildren();
      this.field.replaceChildren();
    }
    this.sims = { a, b };
    this.selected = field;
    if (!field) this.field.replaceChildren();
    this.arrange();
  }

  arrange() {
    this.#needsPairs = true;
    this.#arrangedAt = 0;
    this.isDirty = true;
  }

  touched(index) {
    const sim = this.store.sim[index];
    if (sim === this.sims.a || sim === this.sims.b) this.#needsPairs = true;
  }

  get shownCount() { return this.#shown.length; }
  get totalCount() { return this.#pairs.length; }

  // MARK: Which rows

  #fields(sim, moment) {
    const found = new Map();
    for (const index of this.store.fieldsOf(sim)) {
      if (moment.alive[index]) found.set(`${this.store.screen[index]}.${this.store.field[index]}`, index);
    }
    return found;
  }

  #choose() {
    const { store } = this;
    const names = [...store.sims.keys()];
    if (!this.sims.a && names.length) this.sims.a = names.find((name) => name !== this.sims.b) ?? "";
    if (!this.sims.b && this.sims.a) {
      const ours = new Set(this.#fields(this.sims.a, store.now).keys());
      let most = -1;
      for (const name of names) {
        if (name === this.sims.a) continue;
        let common = 0;
        for (const path of this.#fields(name, store.now).keys()) common += ours.has(path) ? 1 : 0;
        if (common > most) [most, this.sims.b] = [common, name];
      }
    }
    const listed = `${names.join("\n")}\n\n${this.sims.a}\n${this.sims.b}`;
    if (listed !== this.#names) {
      this.#names = listed;
      for (const side of sides) {
        // One that is gone, or is yet to come, is still what was asked for.
        const all = names.includes(this.sims[side]) ? names : [...names, this.sims[side]];
        this.choices[side].replaceChildren(...all.map((name) => new Option(visible(name) || "none", name)));
        this.choices[side].value = this.sims[side];
        this.links[side].hidden = !names.includes(this.sims[side]);
        this.links[side].href = `#/picture/${encodeURIComponent(this.sims[side])}`;
      }
      this.actions.chosen(this.sims);
    }
  }

  #arrangeIfDue(now) {
    const moment = this.actions.moment();
    if (!this.#needsPairs && this.#shape === this.store.shape && this.#moment === moment) return;
    // What takes long is done seldom.
    if (this.#arrangedAt && now - this.#arrangedAt < Math.max(250, this.#cost * 10)) return;
    const began = performance.now();
    this.#choose();
    const counts = { same: 0, differs: 0, a: 0, b: 0 };
    const why = this.#whyNot();
    this.#pairs = why ? [] : this.#align(moment).map(({ path, a, b }) => {
      const state = a < 0 ? "b" : b < 0 ? "a"
        : moment.verdict[a] === moment.verdict[b] && moment.model[a] === moment.model[b] && moment.shown[a] === moment.shown[b]
          && moment.modelBytes.get(a) === moment.modelBytes.get(b) && moment.shownBytes.get(a) === moment.shownBytes.get(b)
          ? "same" : "differs";
      counts[state] += 1;
      return { path, a, b, state };
    });
    const test = parseQuery(this.query);
    this.#shown = this.#pairs.filter(({ path, a, b, state }) => (!this.onlyDifferences || state !== "same")
      && (!test || test([path, ...[a, b].flatMap((index) => (index < 0 ? [] : [moment.model[index] ?? "", moment.shown[index] ?? ""]))].join("\n"))));
    this.#counts = counts;
    this.#moment = moment;
    this.#shape = this.store.shape;
    this.#needsPairs = false;
    this.#arrangedAt = now;
    this.list.count = this.#shown.length;
    this.list.selected = this.#shown.findIndex(({ path }) => path === this.selected);
    this.scroller.setAttribute("aria-rowcount", String(this.#shown.length + 1));
    this.#say();
    this.actions.arranged();
    this.isDirty = true;
    this.#cost = performance.now() - began;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#ask();
    }, Math.max(120, this.#askCost * 4));
  }

  /** The fields of both by their names, in order. They are sorted again only when fields come or go. */
  #align(moment) {
    const { a, b } = this.sims;
    const key = [this.store.shape, this.store.generation, a, b].join("\n");
    if (key === this.#alignedAs && moment === this.#moment) return this.#aligned;
    const [ours, theirs] = sides.map((side) => this.#fields(this.sims[side], moment));
    this.#alignedAs = key;
    this.#aligned = [...new Set([...ours.keys(), ...theirs.keys()])].map((path) => ({ path, order: natural(path), a: ours.get(path) ?? -1, b: theirs.get(path) ?? -1 }))
      .sort((x, y) => (x.order < y.order ? -1 : x.order > y.order ? 1 : x.path < y.path ? -1 : 1));
    return this.#aligned;
  }

  /** Why nothing is compared; empty when something is. */
  #whyNot() {
    const { a, b } = this.sims;
    const missing = sides.filter((side) => this.sims[side] && !this.store.sims.has(this.sims[side]));
    if (missing.length && this.store.syncedAt !== null) return `There is no simulation ${missing.map((side) => visible(this.sims[side])).join(", and none ")}.`;
    if (!a || !b) {
      return `It takes two simulations: start a fault and its repair from Scenarios, or in a terminal: ${
        this.actions.command("seam", "create lessons.hosting-assigned --id other")}`;
    }
    return a === b ? "Both are the same simulation: choose another for one of them." : "";
  }

  #say() {
    const { same, differs, a: onlyA, b: onlyB } = this.#counts;
    const parts = [`${differs} ${differs === 1 ? "differs" : "differ"}`, onlyA && `${onlyA} only in A`, onlyB && `${onlyB} only in B`, `${same} the same`].filter(Boolean);
    this.said.textContent = this.#pairs.length === 0 ? "" : parts.join(", ");
    const words = this.#whyNot() || (this.#pairs.length === 0 ? "Neither has a field."
      : this.#shown.length === 0 ? (this.query ? "No field passes the filter." : "No field differs.") : "");
    this.empty.hidden = words === "";
    this.empty.textContent = words;
  }

  // MARK: Rows

  makeRow() {
    const row = make("div");
    row.setAttribute("role", "row");
    row.cells = columns.map(([name]) => {
      const cell = row.appendChild(make("div", `cell ${name}`));
      cell.setAttribute("role", "cell");
      return cell;
    });
    return row;
  }

  measured({ cells }) {
    const pixels = cells.map((cell) => cell.clientWidth - cellPadding);
    if (pixels[3] <= 0 || pixels.join() === this.#rooms.map((room) => room.pixels).join()) return;
    const probe = cells[3].appendChild(make("bdi", "value"));
    const ruler = new Ruler(probe);
    probe.remove();
    this.#rooms = pixels.map((room) => ({ pixels: room, ruler }));
    for (const row of this.list?.elements ?? []) row.seamPair = null;
  }
  #rooms = [];

  fill(row, place) {
    const pair = this.#shown[place];
    const moment = this.#moment;
    if (row.seamPair === pair) return;
    row.seamPair = pair;
    row.dataset.state = pair.state;
    const [differs, name, ...rest] = row.cells;
    const [sign, word] = { same: ["=", "the same"], differs: ["Δ", "differs"], a: ["A", "only in A"], b: ["B", "only in B"] }[pair.state];
    const mark = make("span", "", sign);
    mark.setAttribute("aria-hidden", "true");
    differs.replaceChildren(mark, make("span", "only-told", word));
    differs.title = word;
    name.replaceChildren(named(pair.path));
    name.title = visible(pair.path);
    for (const [at, side, other] of [[0, pair.a, pair.b], [3, pair.b, pair.a]]) {
      const [verdict, model, shown] = rest.slice(at, at + 3);
      verdict.classList.toggle("differs", side >= 0 && other >= 0 && moment.verdict[side] !== moment.verdict[other]);
      if (side < 0) {
        verdict.replaceChildren(make("span", "quiet", "no such field"));
        for (const cell of [model, shown]) {
          cell.replaceChildren();
          cell.title = "";
        }
        continue;
      }
      verdict.replaceChildren(badge(moment.verdict[side]));
      for (const [cell, values, bytes] of [[model, moment.model, moment.modelBytes], [shown, moment.shown, moment.shownBytes]]) {
        const bdi = make("bdi", "value");
        const against = other < 0 ? undefined : values[other];
        showValue(bdi, values[side], { against, limit: cellLimit, room: this.#rooms[row.cells.indexOf(cell)], bytes: bytes.get(side), otherBytes: bytes.get(other) });
        // Where there is none on one side, all of the other is what differs.
        bdi.classList.toggle("other", against !== undefined && (against === null) !== (values[side] === null));
        cell.title = hint(values[side], bytes.get(side));
        cell.replaceChildren(bdi);
      }
    }
  }

  frame(now) {
    if (this.isHidden) return;
    this.#arrangeIfDue(now);
    if (!this.isDirty) return;
    this.isDirty = false;
    this.list.render();
  }

  // MARK: Going about

  open() {}

  move(place) {
    if (this.#shown.length === 0) return;
    const row = Math.max(0, Math.min(place, this.#shown.length - 1));
    this.list.selected = row;
    this.list.reveal(row);
    this.isDirty = true;
    this.selected = this.#shown[row].path;
    this.actions.selected(this.selected);
    this.#ask();
  }

  step(by) { this.move(this.list.selected < 0 ? (by > 0 ? 0 : Infinity) : this.list.selected + by); }

  /** What is compared, for a file. */
  rows() {
    const moment = this.#moment;
    const of = (index) => (index < 0 ? null : {
      verdict: verdicts[moment.verdict[index]], model: moment.model[index], shown: moment.shown[index],
      ...(moment.modelBytes.has(index) && { modelBytes: moment.modelBytes.get(index) }),
      ...(moment.shownBytes.has(index) && { shownBytes: moment.shownBytes.get(index) }),
    });
    return this.#shown.map(({ path, a, b, state }) => ({ field: path, difference: state, a: of(a), b: of(b) }));
  }

  // MARK: Why

  /** Asks the daemon about both; what was asked before is not waited for. */
  async #ask() {
    this.#asked?.abort();
    const { signal } = this.#asked = new AbortController();
    if (this.isHidden) return;
    const began = performance.now();
    try {
      this.#hasFailed = false;
      await Promise.all([this.#showField(signal), this.#showCalls(signal)]);
      this.#askCost = performance.now() - began;
    } catch (error) {
      if (error.name !== "AbortError") this.actions.notify(error.message, { isError: true });
    }
  }

  /** Asks again what could not be asked. */
  again() {
    if (this.#hasFailed && !this.isHidden) this.#ask();
  }
  #hasFailed = false;

  async #showField(signal) {
    const pair = this.#pairs.find(({ path }) => path === this.selected);
    if (!pair) {
      if (!this.selected) this.field.replaceChildren();
      return;
    }
    const { store } = this;
    const moment = this.#moment;
    const title = make("h2");
    title.append(namedPath(pair.path));
    const parts = [title];
    const sentences = sides.map((side) => {
      const [index, other] = side === "a" ? [pair.a, pair.b] : [pair.b, pair.a];
      const heading = make("h3", "", `${side.toUpperCase()} `);
      heading.append(named(this.sims[side]));
      if (index < 0) {
        parts.push(heading, make("p", "quiet", "There is no such field."));
        return null;
      }
      const values = make("dl");
      for (const [name, column, bytes] of [["Model", moment.model, moment.modelBytes], ["Shown", moment.shown, moment.shownBytes]]) {
        const bdi = make("bdi", "value long");
        showValue(bdi, column[index], { against: other < 0 ? undefined : column[other], bytes: bytes.get(index), otherBytes: bytes.get(other) });
        const value = make("dd");
        value.append(bdi);
        values.append(make("dt", "", name), value);
      }
      const verdict = make("p");
      verdict.append(badge(moment.verdict[index]));
      const why = make("p", "why");
      parts.push(heading, verdict, values, why);
      return { index, why };
    });
    // The panel stays as it is while it is asked for, or it would flicker. The past is not explained.
    const answers = moment !== store.now ? [] : await Promise.all(sentences.map((found) => found && call("sim.explain",
      { sim: store.sim[found.index], screen: store.screen[found.index], field: store.field[found.index] }, { signal })
      .then(({ sentence }) => sentence, (error) => {
        if (error.name === "AbortError") throw error;
        this.#hasFailed ||= error.isPassing;
        return error.message;
      })));
    signal.throwIfAborted();
    answers.forEach((sentence, place) => sentences[place]?.why.replaceChildren(named(sentence)));
    this.field.replaceChildren(...parts);
  }

  /** All calls of a simulation that are kept, up to a bound. */
  async #trace(sim, signal) {
    const records = [];
    let dropped = 0;
    for (let from; records.length < mostCalls;) {
      const page = await call("sim.trace", { sim, limit: 1_000, ...(from !== undefined && { from }) }, { signal });
      records.push(...page.records);
      dropped = page.dropped;
      if (page.next === undefined) return { records, dropped, isAll: true };
      from = page.next;
    }
    return { records, dropped, isAll: false };
  }

  async #showCalls(signal) {
    const { a, b } = this.sims;
    const { sims } = this.store;
    if (!sims.has(a) || !sims.has(b) || a === b) return this.calls.replaceChildren();
    const parts = [make("h2", "", "Where their calls part")];
    try {
      const [ours, theirs] = await Promise.all([a, b].map((sim) => this.#trace(sim, signal)));
      const found = parting(ours.records, theirs.records);
      const isWhole = ours.isAll && theirs.isAll;
      const many = (count) => `${count.toLocaleString("en")} ${count === 1 ? "call" : "calls"}`;
      if (!found) {
        parts.push(make("p", "", `Nowhere${isWhole ? "" : " yet"}: ${ours.records.length === 1 ? "the one call" : `all ${many(ours.records.length)}`} of both ${
          ours.records.length === 1 ? "is" : "are"} the same${isWhole ? "" : ", as far as they are compared"}.`));
      } else {
        const who = found.a && found.b ? "Then each makes another:" : `Then only ${found.a ? "A" : "B"} makes this one:`;
        parts.push(make("p", "", found.common === 0 ? `From the start. ${who}` : `${many(found.common)} that both make. ${who}`));
        const list = make("ul", "lines parting");
        for (const side of sides) {
          if (!found[side]) continue;
          const line = callLine(found[side]);
          const sign = make("span", "side", side.toUpperCase());
          line.prepend(sign, " ");
          list.append(line);
        }
        parts.push(list);
      }
      const lost = [["A", ours], ["B", theirs]].filter(([, { dropped }]) => dropped > 0)
        .map(([side, { dropped }]) => `The first ${many(dropped)} of ${side} are no longer kept.`);
      if (lost.length) parts.push(make("p", "quiet", lost.join(" ")));
    } catch (error) {
      if (error.name === "AbortError") throw error;
      this.#hasFailed ||= error.isPassing;
      parts.push(make("p", "quiet", visible(error.message)));
    }
    signal.throwIfAborted();
    this.calls.replaceChildren(...parts);
  }
}
