// What happened, newest first; and the table as it was after any of it.

import { badge, callLine } from "./details.js";
import { call } from "./feed.js";
import { VirtualList } from "./list.js";
import { cellPadding, parseQuery, searchMilliseconds } from "./table.js";
import { clock, hint, make, named, namedPath, Ruler, showValue, visible } from "./text.js";

const gapText = ({ missed }) => (missed
  ? `${missed.toLocaleString("en")} events were not told one by one: what they came to was read again.`
  : "What happened before is not connected with what follows.");

/** What a field was before an event: that there was none is no verdict. */
const was = (event) => (event.before.isAlive ? badge(event.before.verdict) : make("span", "quiet", "no field"));

export class Timeline {
  isDirty = true;
  isHidden = true;
  mask = new Set();
  query = "";
  selected = null;
  #rows = [];
  #end = -1;
  #arrangedAt = 0;
  #needsRows = true;
  #test = null;
  #frozenEnd = null;

  constructor(store, view, actions) {
    this.store = store;
    this.actions = actions;
    this.view = view;
    const scroller = view.querySelector(".scroller");
    this.scroller = scroller;
    this.list = new VirtualList(scroller, scroller.querySelector(".body"), this);
    const part = (name) => view.querySelector(`[data-part=${name}]`);
    this.slider = part("slider");
    this.said = part("said");
    this.change = part("change");
    this.back = part("back");
    this.asOf = part("as-of");
    this.slider.addEventListener("input", () => {
      // The oldest is on the left, as time runs; the list has the newest on top.
      const row = this.#rows.length - 1 - Number(this.slider.value);
      if (row >= 0) this.move(row);
    });
    this.back.addEventListener("click", () => this.actions.present());
    this.asOf.addEventListener("click", () => this.actions.lookAt(this.selected));
  }

  arrange() {
    this.#needsRows = true;
    this.#arrangedAt = 0;
    this.isDirty = true;
  }

  /** While the page is paused the list stands still too, where it was then. */
  freeze(isFrozen, end = this.store.events.end) {
    this.#frozenEnd = isFrozen ? end : null;
    this.arrange();
  }

  #passes(event, test) {
    if (this.mask.size && !(event.kind === "verdict" && this.mask.has(event.to))) return false;
    return !test || test(`${event.sim ?? ""}/${event.screen ?? ""}.${event.field ?? ""}\n${event.model ?? ""}\n${event.shown ?? ""}\n${
      event.code ?? ""}\n${event.text ?? ""}\n${event.kind === "sim" ? event.what : event.kind}`);
  }

  frame(now) {
    const { events } = this.store;
    if (this.isHidden) return;
    const end = this.#frozenEnd ?? events.end;
    if ((this.#end !== end || this.#needsRows) && (now - this.#arrangedAt > 250 || !this.#arrangedAt)) {
      if (this.#needsRows) {
        this.#test = parseQuery(this.query);
        this.#rows = [];
        this.#end = events.oldest;
      }
      const fresh = [];
      const began = performance.now();
      for (let number = end - 1; number >= Math.max(this.#end, events.oldest); number -= 1) {
        if (this.#passes(events.at(number), this.#test)) fresh.push(number);
        // What is older is left out: the newest are on top.
        if (performance.now() - began > searchMilliseconds) break;
      }
      // Who reads goes on reading where he is: what is new comes above.
      if (this.#rows.length && (this.list.isScrolled || this.list.isSelectedInSight)) this.list.shift(fresh.length);
      const kept = this.#rows.findLastIndex((number) => number >= events.oldest) + 1;
      this.#rows = fresh.concat(kept === this.#rows.length ? this.#rows : this.#rows.slice(0, kept));
      this.#end = end;
      this.#needsRows = false;
      this.#arrangedAt = now || 1;
      this.list.count = this.#rows.length;
      this.list.selected = this.selected === null ? -1 : this.#rows.indexOf(this.selected.number);
      this.scroller.setAttribute("aria-rowcount", String(this.#rows.length + 1));
      this.slider.max = String(Math.max(0, this.#rows.length - 1));
      this.#place();
      this.actions.arranged();
      this.isDirty = true;
    }
    if (!this.isDirty) return;
    this.isDirty = this.#end !== end;
    this.list.render();
  }

  /** The events that are shown, the newest first, for a file. */
  rows() { return this.#rows.map((number) => this.store.events.at(number)).filter(Boolean); }

  get shownCount() { return this.#rows.length; }
  get totalCount() { return (this.#frozenEnd ?? this.store.events.end) - this.store.events.oldest; }

  #place() {
    const row = this.list.selected;
    this.slider.value = String(row < 0 ? this.#rows.length - 1 : this.#rows.length - 1 - row);
    this.slider.disabled = this.#rows.length === 0;
    const dropped = this.store.events.oldest;
    const words = [`${this.#rows.length.toLocaleString("en")} ${this.#rows.length === 1 ? "event" : "events"}`];
    if (dropped) words.push(`${dropped.toLocaleString("en")} older ones dropped`);
    this.said.textContent = words.join(", ");
    this.slider.setAttribute("aria-valuetext", this.selected ? `${clock(this.selected.at)}, ${this.#summary(this.selected)}` : "the newest");
  }

  #summary(event) {
    switch (event.kind) {
      case "verdict": return `${event.sim}/${event.screen}.${event.field}`;
      case "diagnostic": return event.code;
      case "sim": return event.sim;
      case "gap": return event.reason;
      default: return "";
    }
  }

  makeRow() {
    const row = make("div");
    row.setAttribute("role", "row");
    row.cells = ["time", "what", "name", "values"].map((name) => {
      const cell = row.appendChild(make("div", `cell ${name}`));
      cell.setAttribute("role", "cell");
      return cell;
    });
    return row;
  }

  /** How much room there is for both values of a line. */
  measured({ cells: [, , , cell] }) {
    const pixels = cell.clientWidth - cellPadding;
    if (pixels === this.#room?.pixels || pixels <= 0) return;
    const probe = cell.appendChild(make("bdi", "value"));
    this.#room = { pixels, ruler: new Ruler(probe) };
    probe.remove();
    for (const row of this.list?.elements ?? []) row.seamEvent = null;
  }
  #room = null;

  /** Shares the room of a line among its two values: what one does not need, the other has. */
  #share(values) {
    if (!this.#room) return [undefined, undefined];
    const { ruler, pixels } = this.#room;
    // With what stands before each, and between.
    const room = pixels - ruler.width("model shown   ");
    const wanted = values.map((value) => ruler.width(value === null ? "none" : value.slice(0, 400)) + 8);
    const first = Math.min(wanted[0], Math.max(room / 2, room - wanted[1]));
    return [first, room - first].map((share) => ({ ruler, pixels: Math.max(1, share) }));
  }

  fill(row, place) {
    const event = this.store.events.at(this.#rows[place]);
    if (row.seamEvent === event) return;
    row.seamEvent = event;
    const [time, what, name, values] = row.cells;
    for (const cell of row.cells) cell.replaceChildren();
    name.title = values.title = "";
    delete row.dataset.verdict;
    if (!event) {
      what.textContent = "dropped";
      return;
    }
    time.textContent = clock(event.at, { withMilliseconds: true });
    if (event.kind === "verdict") {
      what.append(was(event), " → ", badge(event.to));
      name.append(named(this.#summary(event)));
      const rooms = this.#share([event.model, event.shown]);
      for (const [label, value, was, bytes, room, other] of [
        ["model", event.model, event.before.model, event.modelBytes, rooms[0], event.shown],
        ["shown", event.shown, event.before.shown, event.shownBytes, rooms[1], event.model],
      ]) {
        const bdi = make("bdi", "value");
        showValue(bdi, value, { against: value === was ? undefined : was, around: other, limit: 80, bytes, room });
        bdi.title = hint(value, bytes);
        values.append(make("span", "quiet", `${label} `), bdi, "  ");
      }
      name.title = visible(this.#summary(event));
    } else {
      what.textContent = { sim: `simulation ${event.what}`, gap: "gap", resumed: "resumed" }[event.kind] ?? event.code;
      name.append(named(this.#summary(event)));
      const text = event.text ?? event.scenario ?? (event.kind === "gap" ? gapText(event) : "");
      values.append(named(text));
      values.title = visible(text);
    }
  }

  open() {}

  move(place) {
    if (this.#rows.length === 0) return;
    const row = Math.max(0, Math.min(place, this.#rows.length - 1));
    this.list.selected = row;
    this.list.reveal(row);
    this.isDirty = true;
    this.select(this.store.events.at(this.#rows[row]));
  }

  step(by) { this.move(this.list.selected < 0 ? 0 : this.list.selected + by); }

  /** Shows exactly what an event has changed. */
  select(event, { isTold = true } = {}) {
    this.selected = event ?? null;
    this.list.selected = event ? this.#rows.indexOf(event.number) : -1;
    this.#place();
    this.isDirty = true;
    this.change.hidden = !event;
    this.asOf.disabled = !event || event.number + 1 < Math.max(this.store.barrier, this.store.events.oldest);
    if (!event) return;
    const title = make("h2");
    title.append(namedPath(this.#summary(event) || "resumed"), event.kind === "sim" ? ` ${event.what}` : "");
    const said = make("p", "quiet", [
      clock(event.at, { withMilliseconds: true }), event.turn !== undefined && `turn ${event.turn}`,
      event.seq !== undefined && `seq ${event.seq}`,
    ].filter(Boolean).join(" · "));
    const parts = [title, said];
    if (event.kind === "verdict") {
      const table = make("dl", "changes");
      const add = (name, ...content) => {
        const line = make("dd");
        line.append(...content);
        table.append(make("dt", "", name), line);
      };
      const value = (text, against) => {
        const bdi = make("bdi", "value");
        showValue(bdi, text, { against, limit: 4096 });
        return bdi;
      };
      const { before } = event;
      add("verdict", was(event), " → ", badge(event.to));
      for (const [name, old, is] of [["model", before.model, event.model], ["shown", before.shown, event.shown]]) {
        if (old === is) add(name, value(is), make("span", "quiet", " as before"));
        else add(name, value(old, is), " → ", value(is, old));
      }
      parts.push(table, this.#sameTurn(event), this.#calls(event));
    } else {
      parts.push(named(event.text ?? (event.kind === "gap" ? gapText(event) : event.scenario ?? "")));
    }
    if (this.asOf.disabled) parts.push(make("p", "quiet", "The table before a snapshot is not known."));
    this.change.replaceChildren(...parts);
    if (isTold) this.actions.selectedEvent(event);
  }

  /** Asks again what could not be asked. */
  again() {
    if (this.#hasFailed && !this.isHidden && this.selected) this.select(this.selected, { isTold: false });
  }
  #hasFailed = false;

  /** What else the same turn has changed. */
  #sameTurn(event) {
    const { events } = this.store;
    const others = [];
    const isOf = (other) => other?.kind === "verdict" && other.sim === event.sim && other.turn === event.turn;
    for (let number = event.number - 1; events.at(number) && event.number - number < 5_000; number -= 1) {
      if (isOf(events.at(number))) others.unshift(events.at(number));
    }
    for (let number = event.number + 1; events.at(number) && number - event.number < 5_000; number += 1) {
      if (isOf(events.at(number))) others.push(events.at(number));
    }
    const section = make("section");
    if (others.length === 0 || event.turn === undefined) return section;
    section.append(make("h3", "", `The same turn changed ${others.length} more`));
    const list = section.appendChild(make("ul", "lines"));
    for (const other of others.slice(0, 50)) {
      const line = list.appendChild(make("li"));
      line.append(named(`${other.screen}.${other.field}`), " ", was(other), " → ", badge(other.to));
    }
    if (others.length > 50) list.append(make("li", "quiet", `${(others.length - 50).toLocaleString("en")} more are not listed here.`));
    return section;
  }

  #calls(event) {
    const section = make("section");
    if (event.turn === undefined) return section;
    const list = make("ul", "lines");
    this.#hasFailed = false;
    call("sim.trace", { sim: event.sim, from: event.turn, to: event.turn, limit: 100 }).then(({ records, omitted }) => {
      if (records.length === 0) return;
      section.append(make("h3", "", `Calls of turn ${event.turn}`), list);
      list.append(...records.map(callLine));
      if (omitted) list.append(make("li", "quiet", `${omitted.toLocaleString("en")} more are not listed here.`));
    }, (error) => {
      if (event === this.selected) this.#hasFailed = error.isPassing;
      if (error.kind !== "not-traced") section.append(make("p", "quiet", visible(error.message)));
    });
    return section;
  }
}
