// One field: both values in full, why it is as it is, and what became of it while this page was open.

import { call } from "./feed.js";
import { glyphs, verdicts } from "./store.js";
import { age, clock, make, named, namedPath, showValue } from "./text.js";

const historyLength = 200;

/** A verdict as sign and word. */
export function badge(verdict) {
  const element = make("span", "badge");
  element.dataset.verdict = verdicts[verdict] ?? "none";
  const glyph = make("span", "glyph", glyphs[verdict] ?? "·");
  glyph.setAttribute("aria-hidden", "true");
  element.append(glyph, make("span", "word", verdicts[verdict] ?? "new"));
  return element;
}

/** A call of the trace, in one line. */
export function callLine(record) {
  const line = make("li", "call");
  const place = [record.bridge && ` of ${record.bridge}`, record.mount && ` (mount ${record.mount})`].filter(Boolean).join("");
  line.append(make("span", "turn", `turn ${record.turn}`), " ", make("strong", "", record.call));
  line.append(named(place));
  const parts = [
    record.cause && `cause: ${record.cause}`, record.origin && `from: ${record.origin}`,
    record.wrote?.length && `wrote ${record.wrote.join(", ")}`, record.set?.length && `set ${record.set.join(", ")}`, record.text,
  ].filter(Boolean);
  if (parts.length) line.append(" · ", named(parts.join(" · "), "quiet"));
  return line;
}

export class Details {
  #index = -1;
  #generation = 0;
  #version = -1;
  #asked = null;
  #timer = null;

  constructor(store, panel, actions) {
    this.store = store;
    this.panel = panel;
    this.actions = actions;
    const part = (name) => panel.querySelector(`[data-part=${name}]`);
    this.parts = Object.fromEntries(["title", "scenario", "verdict", "model", "shown", "changed", "why", "carriers", "calls", "calls-title", "history", "findings", "whole"]
      .map((name) => [name, part(name)]));
    part("close").addEventListener("click", () => actions.close());
    part("picture").addEventListener("click", () => actions.picture(this.store.sim[this.#index]));
  }

  get index() { return this.#index; }

  show(index) {
    if (this.#index === index && !this.panel.hidden) return;
    this.#index = index;
    this.#version = -1;
    this.#stopAsking();
    const { parts, panel } = this;
    panel.hidden = index < 0;
    if (index < 0) return;
    for (const name of ["why", "carriers", "calls"]) parts[name].replaceChildren();
    this.update();
  }

  /** Shows the field as it is at the moment that the page looks at, if it has changed. */
  update() {
    const { parts, store } = this;
    const index = this.#index;
    if (index < 0 || this.panel.hidden) return;
    const { moment, end, time, isNow } = this.actions.when();
    const isThere = moment.alive[index] === 1;
    const at = isThere ? moment.changedAt[index] : 0;
    parts.changed.textContent = at ? `${clock(at)}, ${age(time - at)} ${end === null && isNow ? "ago" : "before"}` : isThere ? "no change seen so far" : "";
    const version = end === null ? store.version[index] : -2;
    if (this.#version === version && this.#moment === moment && this.#isThere === isThere) return;
    this.#version = version;
    this.#moment = moment;
    this.#isThere = isThere;
    const verdict = moment.verdict[index];
    parts.title.replaceChildren(namedPath(`${store.screen[index]}.${store.field[index]}`));
    const sim = store.sims.get(store.sim[index]);
    parts.scenario.replaceChildren(named(store.sim[index]), sim?.scenario ? ` · ${sim.scenario}` : "");
    parts.verdict.replaceChildren(isThere ? badge(verdict) : make("span", "quiet", end === null ? "is gone" : "was not there"));
    const [model, shown] = isThere ? [moment.model[index], moment.shown[index]] : [null, null];
    const [modelBytes, shownBytes] = isThere ? [moment.modelBytes.get(index), moment.shownBytes.get(index)] : [];
    const marks = isThere && verdict !== 0;
    showValue(parts.model, model, { against: marks ? shown : undefined, bytes: modelBytes, otherBytes: shownBytes });
    showValue(parts.shown, shown, { against: marks ? model : undefined, bytes: shownBytes, otherBytes: modelBytes });
    parts.whole.hidden = !modelBytes && !shownBytes;
    if (!parts.whole.hidden) {
      const params = JSON.stringify({ sim: store.sim[index], screen: store.screen[index], fields: [store.field[index]], whole: true });
      parts.whole.replaceChildren("The stream carries the first 4,096 bytes of a value. All of it: ",
        make("code", "", this.actions.command("seam", `call sim.check '${params.replaceAll("'", "'\\''")}'`)));
    }
    this.#history(index, end ?? store.events.end);
    this.#stopAsking();
    parts["calls-title"].textContent = end === null ? "Calls since the model changed" : "Calls from its last change up to then";
    if (!isThere || end !== null) {
      // The daemon explains what is now, and what may be done now is done to what is now.
      parts.why.textContent = isThere ? "As it was then is not asked for: the daemon explains what is now."
        : end === null ? "The field is gone: its simulation has ended, or the daemon began anew. This panel shows it again when it is back."
          : "The field was not there.";
      parts.carriers.replaceChildren();
      parts.calls.replaceChildren();
      if (isThere) this.#callsUntil(index, end);
      return;
    }
    this.#askSoon();
  }
  #moment = null;
  #isThere = false;

  /** Asks again what could not be asked. */
  again() {
    if (!this.#hasFailed || this.panel.hidden) return;
    this.#version = -1;
    this.update();
  }
  #hasFailed = false;

  #stopAsking() {
    this.#hasFailed = false;
    clearTimeout(this.#timer);
    this.#generation += 1;
    this.#asked?.abort();
  }

  /** The calls of a past moment, as far as the trace has them: turns are told by the events that are kept. */
  async #callsUntil(index, end) {
    const { store } = this;
    const { calls } = this.parts;
    const say = (text) => calls.replaceChildren(make("li", "quiet", text));
    const sim = store.sim[index];
    let [from, to] = [null, null];
    for (let number = store.events.end - 1; number >= store.events.oldest && from === null; number -= 1) {
      const event = store.events.at(number);
      if (event.sim !== sim) continue;
      // Turns of another simulation of this name are others.
      if (event.kind === "sim" && event.what !== "exists") break;
      if (number >= end || event.kind !== "verdict") continue;
      to ??= event.turn;
      if (event.index === index) from = event.turn;
    }
    if (from === null) return say("Which they were is not known any more.");
    const generation = this.#generation;
    this.#asked = new AbortController();
    let records;
    let isCut;
    try {
      ({ records, next: isCut } = await call("sim.trace", { sim, from, to, limit: 100 }, { signal: this.#asked.signal }));
    } catch (error) {
      if (error.name !== "AbortError" && generation === this.#generation) {
        this.#hasFailed = error.isPassing;
        say(error.message);
      }
      return;
    }
    if (generation !== this.#generation) return;
    calls.replaceChildren(...records.map(callLine));
    if (isCut) calls.append(make("li", "quiet", "Later ones are not listed here."));
    if (records.length === 0) say("None: there is no trace, or nothing ran.");
  }

  #history(index, end) {
    const events = this.store.historyOf(index, historyLength, end);
    const { history, findings } = this.parts;
    const changes = events.filter(({ kind }) => kind === "verdict");
    history.replaceChildren(...changes.map((event) => {
      const line = make("li");
      const button = make("button", "plain");
      button.type = "button";
      button.append(make("span", "turn", clock(event.at, { withMilliseconds: true })), " ", badge(event.to), " ");
      const values = make("span", "pair");
      for (const [name, value, against, bytes, otherBytes] of [
        ["model", event.model, event.shown, event.modelBytes, event.shownBytes],
        ["shown", event.shown, event.model, event.shownBytes, event.modelBytes],
      ]) {
        const bdi = make("bdi", "value");
        showValue(bdi, value, { against: event.to === 0 ? undefined : against, limit: 80, bytes, otherBytes });
        values.append(make("span", "quiet", `${name} `), bdi, " ");
      }
      button.append(values);
      button.addEventListener("click", () => this.actions.event(event));
      line.append(button);
      return line;
    }));
    if (changes.length === 0) history.append(make("li", "quiet", "Nothing that is still kept."));
    if (events.length === historyLength) history.append(make("li", "quiet", "Older ones are in Events."));
    const found = events.filter(({ kind }) => kind === "diagnostic");
    findings.parentElement.hidden = found.length === 0;
    findings.replaceChildren(...found.map((event) => {
      const line = make("li", event.severity === "error" ? "error" : "");
      line.append(make("strong", "", event.code), " ", named(event.text ?? ""));
      return line;
    }));
  }

  /** The daemon is asked again when the field has been still for a moment. */
  #askSoon() {
    const { why } = this.parts;
    if (!why.hasChildNodes()) why.textContent = "asking…";
    this.#timer = setTimeout(() => this.#explain(), 150);
  }

  async #explain() {
    const { parts, store } = this;
    const index = this.#index;
    const generation = this.#generation;
    this.#asked = new AbortController();
    let answer;
    try {
      answer = await call("sim.explain", { sim: store.sim[index], screen: store.screen[index], field: store.field[index] },
        { signal: this.#asked.signal });
    } catch (error) {
      if (error.name === "AbortError" || generation !== this.#generation) return;
      this.#hasFailed = error.isPassing;
      parts.why.textContent = error.message;
      parts.carriers.replaceChildren();
      parts.calls.replaceChildren();
      return;
    }
    if (generation !== this.#generation) return;
    parts.why.replaceChildren(named(answer.sentence));
    parts.carriers.replaceChildren(...answer.carriers.map((carrier) => {
      const line = make("li");
      line.append(make("strong", "", carrier.call), named(` of ${carrier.bridge}${carrier.mount ? ` (mount ${carrier.mount})` : ""}`));
      line.append(make("span", "quiet", carrier.lastTurn === null || carrier.lastTurn === undefined
        ? " · never ran" : ` · last in turn ${carrier.lastTurn}, ${carrier.since} since the model changed`));
      const method = { assign: "bridge.assign", update: "bridge.update" }[carrier.call];
      if (method && this.actions.mayControl()) {
        const button = make("button", "", carrier.call);
        button.type = "button";
        button.addEventListener("click", () => this.actions.control(method, {
          sim: store.sim[index], bridge: carrier.bridge, ...(carrier.mount && { mount: carrier.mount }),
        }));
        line.append(" ", button);
      }
      return line;
    }));
    parts.calls.replaceChildren(...answer.calls.map(callLine));
    if (answer.omitted) parts.calls.prepend(make("li", "quiet", `${answer.omitted.toLocaleString("en")} older ones are not listed here.`));
    if (answer.calls.length === 0) parts.calls.append(make("li", "quiet", "None: there is no trace, or nothing ran."));
  }
}
