// The table of all fields: which ones, in which order, and what each shows.

import { VirtualList } from "./list.js";
import { pattern } from "./pattern.js";
import { bandLength, glyphs, verdicts } from "./store.js";
import { age, clock, hint, make, Ruler, showValue, visible } from "./text.js";

export const columns = [
  { id: "sim", title: "Simulation" },
  { id: "screen", title: "Screen" },
  { id: "field", title: "Field" },
  { id: "verdict", title: "Verdict" },
  { id: "model", title: "Model" },
  { id: "shown", title: "Shown" },
  { id: "age", title: "Age" },
  { id: "band", title: "Last 32", isSortable: false },
];

/** Which verdict comes first when that is what is sorted by: the worst. */
const weight = [3, 0, 1, 2, 4];
const cellLimit = 200;
/** A search that takes longer is given up: the page is there for other things too. */
export const searchMilliseconds = 2_000;
const slot = 4;

export class FieldTable {
  isDirty = true;
  /** The search was given up before it had seen every field. */
  isCutShort = false;
  #order = new Int32Array(0);
  #place = null;
  #matches = new Uint8Array(0);
  #ranks = null;
  #ranksShape = -1;
  #query = null;
  #queryText = "";
  #matchedMoment = null;
  #arrangedAt = 0;
  #arrangeCost = 0;
  #needsOrder = true;
  #colours = [];
  #rooms = [];
  #second = 0;
  /** The moment that is shown: null is the present. */
  lens = null;
  mask = new Set();
  query = "";
  sort = { column: "path", isDescending: false };
  selected = -1;

  constructor(store, scroller, actions) {
    this.store = store;
    this.actions = actions;
    this.body = scroller.querySelector(".body");
    this.scroller = scroller;
    this.list = new VirtualList(scroller, this.body, this);
    // Made when somebody points at a cell: for each row that passes by it would be a third of the work.
    this.body.addEventListener("pointerover", ({ target }) => this.#title(target));
    this.readColours();
    const again = () => this.readColours();
    for (const what of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
      matchMedia(what).addEventListener("change", again);
    }
  }

  get moment() { return this.lens ?? this.store.now; }
  get shownCount() { return this.#order.length; }
  get totalCount() { return this.moment.counts.reduce((sum, count) => sum + count, 0); }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    this.#colours = verdicts.map((name) => style.getPropertyValue(`--${name}`).trim());
    this.redraw();
  }

  redraw() {
    for (const element of this.body.children) element.seamVersion = element.seamGeneration = -1;
    this.isDirty = true;
  }

  /** How wide each column is now, and what its text is measured with. */
  measured({ cells, names, values }) {
    const ruler = { name: new Ruler(names[0].element), value: new Ruler(values[0]) };
    const rooms = cells.map((cell, place) => ({ pixels: cell.clientWidth - cellPadding, ruler: place < 3 ? ruler.name : ruler.value }));
    if (rooms.every(({ pixels }, place) => pixels === this.#rooms[place]?.pixels)) return;
    this.#rooms = rooms;
    this.redraw();
  }

  // MARK: Which rows

  /** Something about which rows are shown, or how, was chosen: not to be waited for. */
  arrange() {
    this.#needsOrder = true;
    this.#arrangedAt = 0;
    this.isDirty = true;
  }

  /** A field has changed. */
  touched(index) {
    this.isDirty = true;
    if (this.lens) return;
    if (this.#query && index < this.#matches.length) this.#matches[index] = this.#test(index) ? 1 : 0;
    if (this.mask.size || this.#query || !["path", "sim", "screen", "field"].includes(this.sort.column)) this.#needsOrder = true;
  }

  #test(index) {
    const { model, shown } = this.moment;
    const text = `${this.store.path(index)}\n${model[index] ?? ""}\n${shown[index] ?? ""}`;
    return this.#query(text);
  }

  #rank() {
    if (this.#ranksShape === this.store.shape && this.#ranks?.path.length >= this.moment.count) return;
    const { store } = this;
    const count = store.now.count;
    const rankOf = (names) => {
      const distinct = [...new Set(names)].map((name) => [natural(name), name])
        .sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : 1)).map(([, name]) => name);
      const ranks = new Map(distinct.map((name, rank) => [name, rank]));
      return Int32Array.from(names, (name) => ranks.get(name));
    };
    const [sim, screen, field] = [rankOf(store.sim), rankOf(store.screen), rankOf(store.field)];
    const order = Uint32Array.from({ length: count }, (_, index) => index);
    order.sort((a, b) => sim[a] - sim[b] || screen[a] - screen[b] || field[a] - field[b] || a - b);
    const path = new Int32Array(count);
    order.forEach((index, rank) => { path[index] = rank; });
    this.#ranks = { sim, screen, field, path };
    this.#ranksShape = store.shape;
  }

  /** Chooses and orders the rows again, if it is due: what takes long is done seldom. */
  #arrangeIfDue(now) {
    if (!this.#needsOrder && this.#ranksShape === this.store.shape) return;
    if (this.lens && !this.#needsOrder) return;
    if (now - this.#arrangedAt < Math.max(250, this.#arrangeCost * 10) && this.#arrangedAt) return;
    const began = performance.now();
    const { moment, sort, store } = this;
    this.#rank();
    if (this.#queryText !== this.query || this.#matchedMoment !== this.lens || this.#matches.length < moment.count) {
      this.#query = parseQuery(this.query);
      this.#queryText = this.query;
      this.#matchedMoment = this.lens;
      this.#matches = new Uint8Array(moment.alive.length);
      this.isCutShort = false;
      for (let index = 0; this.#query && index < moment.count; index += 1) {
        this.#matches[index] = this.#test(index) ? 1 : 0;
        if (performance.now() - began > searchMilliseconds) {
          this.isCutShort = true;
          break;
        }
      }
    }
    const shows = verdicts.map((_, verdict) => this.mask.size === 0 || this.mask.has(verdict));
    const ranks = this.#ranks;
    const keys = new Float64Array(moment.count);
    let count = 0;
    const size = Math.max(1, store.now.count);
    const primary = this.#primary(moment, sort.column, ranks);
    for (let index = 0; index < moment.count; index += 1) {
      if (!moment.alive[index] || !shows[moment.verdict[index]] || (this.#query && !this.#matches[index])) continue;
      const first = primary ? primary(index) : 0;
      // Numbers sort fast where functions do not: what is sorted by, then the path as the tie.
      keys[count] = (sort.isDescending ? -first : first) * size + ranks.path[index];
      count += 1;
    }
    const chosen = keys.subarray(0, count).sort();
    const byRank = new Int32Array(size);
    for (let index = 0; index < ranks.path.length; index += 1) byRank[ranks.path[index]] = index;
    const order = new Int32Array(count);
    const isReversed = !primary && sort.isDescending;
    for (let row = 0; row < count; row += 1) {
      const key = chosen[isReversed ? count - 1 - row : row];
      order[row] = byRank[((key % size) + size) % size];
    }
    this.#order = order;
    this.#place = null;
    this.#needsOrder = false;
    this.isDirty = true;
    this.#arrangedAt = now;
    this.#arrangeCost = performance.now() - began;
    this.list.count = count;
    this.list.selected = this.rowOf(this.selected);
    this.scroller.setAttribute("aria-rowcount", String(count + 1));
    this.actions.arranged();
  }

  #primary(moment, column, ranks) {
    switch (column) {
      case "sim": case "screen": case "field": return (index) => ranks[column][index];
      case "verdict": return (index) => weight[moment.verdict[index]];
      // The newest first when descending is off: that is what one looks for.
      case "age": return (index) => -moment.changeNumber[index];
      case "model": case "shown": {
        const values = moment[column];
        const order = Uint32Array.from({ length: moment.count }, (_, index) => index)
          .sort((a, b) => compareValues(values[a], values[b]));
        const rank = new Int32Array(moment.count);
        let last = 0;
        order.forEach((index, place) => {
          if (place > 0 && compareValues(values[order[place - 1]], values[index]) !== 0) last = place;
          rank[index] = last;
        });
        return (index) => rank[index];
      }
      default: return null;
    }
  }

  rowOf(index) {
    if (index < 0) return -1;
    if (!this.#place) {
      this.#place = new Map();
      this.#order.forEach((field, row) => this.#place.set(field, row));
    }
    return this.#place.get(index) ?? -1;
  }

  indexAt(row) { return this.#order[row] ?? -1; }

  /** The fields that pass the filter, in order. */
  rows() { return this.#order; }

  // MARK: Rows

  makeRow() {
    const row = make("div");
    row.setAttribute("role", "row");
    row.cells = columns.map(({ id }) => {
      const cell = make("div", `cell ${id}`);
      cell.setAttribute("role", "cell");
      row.append(cell);
      return cell;
    });
    const [sim, screen, field, verdict, model, shown, , band] = row.cells;
    row.names = [sim, screen, field].map((cell) => nameIn(cell));
    row.glyph = verdict.appendChild(make("span", "glyph"));
    row.glyph.setAttribute("aria-hidden", "true");
    row.word = verdict.appendChild(make("span", "word"));
    row.values = [model, shown].map((cell) => cell.appendChild(make("bdi", "value")));
    row.canvas = band.appendChild(document.createElement("canvas"));
    row.canvas.setAttribute("aria-hidden", "true");
    row.told = band.appendChild(make("span", "only-told"));
    row.seamVersion = -1;
    row.seamIndex = -1;
    return row;
  }

  fill(row, place) {
    const index = this.#order[place];
    const { moment, store } = this;
    const version = this.lens ? -2 : store.version[index];
    const stamp = this.#second;
    if (row.seamIndex === index && row.seamVersion === version && row.seamLens === this.lens) {
      if (row.seamSecond !== stamp) this.#fillAge(row, index, stamp);
      return;
    }
    if (row.seamIndex !== index || row.seamGeneration !== store.generation) {
      row.names[0].show(store.sim[index], this.#rooms[0]);
      row.names[1].show(store.screen[index], this.#rooms[1]);
      row.names[2].show(store.field[index], this.#rooms[2]);
      row.seamGeneration = store.generation;
    }
    row.seamIndex = index;
    row.seamVersion = version;
    row.seamLens = this.lens;
    const verdict = moment.verdict[index];
    if (row.seamVerdict !== verdict) {
      row.seamVerdict = verdict;
      row.dataset.verdict = verdicts[verdict];
      row.glyph.textContent = glyphs[verdict];
      row.word.textContent = verdicts[verdict];
    }
    const [model, shown] = [moment.model[index], moment.shown[index]];
    const marks = verdict !== 0;
    const [modelBytes, shownBytes] = [moment.modelBytes.get(index), moment.shownBytes.get(index)];
    showValue(row.values[0], model, { against: marks ? shown : undefined, limit: cellLimit, room: this.#room(4), bytes: modelBytes, otherBytes: shownBytes });
    showValue(row.values[1], shown, { against: marks ? model : undefined, limit: cellLimit, room: this.#room(5), bytes: shownBytes, otherBytes: modelBytes });
    this.#fillAge(row, index, stamp);
    const band = moment.bandOf(index);
    const key = String.fromCharCode(...band);
    // Drawing is what takes longest, and fields side by side often have the same past.
    if (row.seamBand !== key || row.seamColours !== this.#colours) {
      row.seamBand = key;
      row.seamColours = this.#colours;
      drawBand(row.canvas, band, this.#colours);
      const told = `${Math.max(0, band.length - 1)} changes seen`;
      if (row.told.textContent !== told) row.told.textContent = told;
    }
  }

  /** Of a table that is not laid out nothing is known. */
  #room(place) { return this.#rooms[place]?.pixels > 0 ? this.#rooms[place] : undefined; }

  #fillAge(row, index, second) {
    row.seamSecond = second;
    const at = this.moment.changedAt[index];
    const now = this.actions.time();
    const cell = row.cells[6];
    const text = at ? age(now - at) : `> ${age(now - (this.store.syncedAt ?? now))}`;
    if (cell.textContent !== text) cell.textContent = text;
    cell.classList.toggle("quiet", !at);
  }

  #title(target) {
    const cell = target.closest?.(".cell");
    const index = cell?.parentElement.seamIndex ?? -1;
    if (index < 0) return;
    const place = cell.parentElement.cells.indexOf(cell);
    const at = this.moment.changedAt[index];
    const { moment } = this;
    if (place < 3) cell.title = visible(this.store.path(index));
    else if (place === 4) cell.title = hint(moment.model[index], moment.modelBytes.get(index));
    else if (place === 5) cell.title = hint(moment.shown[index], moment.shownBytes.get(index));
    else if (place === 6) cell.title = at ? `changed at ${clock(at)}` : "no change seen so far";
  }

  /** Draws what has changed; called once for each frame. */
  frame(now) {
    const second = Math.floor(this.actions.time() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.isDirty = true;
    }
    if (this.isHidden) return;
    this.#arrangeIfDue(now);
    if (!this.isDirty) return;
    this.isDirty = this.#needsOrder;
    this.list.render();
  }

  // MARK: Going about

  open(row) { this.actions.open(this.indexAt(row)); }

  move(row) {
    const to = Math.max(0, Math.min(row, this.list.count - 1));
    if (this.list.count === 0) return;
    this.selected = this.indexAt(to);
    this.list.selected = to;
    this.list.reveal(to);
    this.isDirty = true;
    this.actions.selected(this.selected);
  }

  step(by) { this.move(this.list.selected < 0 ? (by > 0 ? 0 : this.list.count - 1) : this.list.selected + by); }

  select(index, { isCentred = true } = {}) {
    this.selected = index;
    this.list.selected = this.rowOf(index);
    this.list.reveal(this.list.selected, { isCentred });
    this.isDirty = true;
  }
}

/** Of both sides of a cell, as the style has it. */
export const cellPadding = 16;
const tailLength = 6;
const cutInTheMiddle = /^[\x21-\x7e]{17,}$/;

/** A name in a cell: where there is no room for all of it, its end is kept, which is what often tells it from others. */
function nameIn(cell) {
  const element = cell.appendChild(make("bdi", "name"));
  const [head, rest, tail] = ["name-head", "rest", "name-tail"].map((name) => element.appendChild(make("span", name)));
  const set = (part, text) => { if (part.textContent !== text) part.textContent = text; };
  return {
    element,
    show(text, { pixels, ruler } = {}) {
      const shown = visible(text);
      if (!(pixels > 0) || !cutInTheMiddle.test(shown) || ruler.width(shown) <= pixels) {
        set(head, shown);
        set(rest, "");
        set(tail, "");
        return;
      }
      const end = shown.slice(-tailLength);
      const at = ruler.reach(shown, 0, pixels - ruler.width(end) - ruler.ellipsis - 1);
      set(head, shown.slice(0, at));
      set(rest, shown.slice(at, -tailLength));
      set(tail, end);
    },
  };
}

/** Sorts as people do: s2 before s10, B beside b. A collator does the same, ten times slower. */
export const natural = (name) => name.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0"));

/** None first, then numbers by size, then texts. */
function compareValues(a, b) {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  const [x, y] = [Number(a), Number(b)];
  const [isX, isY] = [a.trim() !== "" && !Number.isNaN(x), b.trim() !== "" && !Number.isNaN(y)];
  if (isX && isY) return x - y;
  if (isX !== isY) return isX ? -1 : 1;
  return a < b ? -1 : 1;
}

const between = /^\/(.+)\/(i?)$/;

/** What is wrong with a search, as a sentence; empty when nothing is. */
export function queryTrouble(text) {
  const found = between.exec(text.trim());
  if (!found) return "";
  try {
    pattern(found[1], { ignoresCase: found[2] === "i" });
    return "";
  } catch (error) {
    return error.message;
  }
}

/** Words that all have to be there, or a regular expression between slashes. null passes everything. */
export function parseQuery(text) {
  const found = between.exec(text.trim());
  if (found) {
    try {
      return pattern(found[1], { ignoresCase: found[2] === "i" });
    } catch {
      // `queryTrouble` says why.
      return () => false;
    }
  }
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  return (candidate) => {
    const lower = candidate.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}

/** Each verdict has a shape of its own, since a colour is not seen by everybody. */
const shapes = [[0.62, 0.38], [0, 1], [0, 0.3], [0.35, 0.3], [0.88, 0.12]];

export function drawBand(canvas, band, colours) {
  const ratio = devicePixelRatio || 1;
  const [width, height] = [bandLength * slot, 16];
  if (canvas.width !== width * ratio) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const first = bandLength - band.length;
  band.forEach((verdict, k) => {
    const [top, tall] = shapes[verdict];
    context.fillStyle = colours[verdict];
    context.fillRect((first + k) * slot, top * height, slot - 1, tall * height);
  });
}
