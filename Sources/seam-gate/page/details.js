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
    this.parts = Object.fromEntries(["title", "scenario", "verdict", "model", "shown", "changed", "why", "carriers", "calls", "history", "findings"]
      .map((name) => [name, part(name)]));
    part("close").addEventListener("click", () => actions.close());
    part("picture").addEventListener("click", () => actions.picture(this.store.sim[this.#index]));
  }

  get index() { return this.#index; }

  show(index) {
    if (this.#index === index && !this.panel.hidden) return;
    this.#index = index;
    this.#version = -1;
    this.#asked?.abort();
    const { parts, panel } = this;
    panel.hidden = index < 0;
    if (index < 0) return;
    for (const name of ["why", "carriers", "calls"]) parts[name].replaceChildren();
    this.update();
  }

  /** Shows the field as it is now, if it has changed. */
  update(moment = this.store.now) {
    const { parts, store } = this;
    const index = this.#index;
    if (index < 0 || this.panel.hidden) return;
    const at = moment.changedAt[index];
    parts.changed.textContent = at ? `${clock(at)}, ${age(Date.now() - at)} ago` : "no change seen so far";
    const version = moment === store.now ? store.version[index] : -2;
    if (this.#version === version && this.#moment === moment) return;
    this.#version = version;
    this.#moment = moment;
    const verdict = moment.verdict[index];
    parts.title.replaceChildren(namedPath(`${store.screen[index]}.${store.field[index]}`));
    const sim = store.sims.get(store.sim[index]);
    parts.scenario.replaceChildren(named(store.sim[index]), sim?.scenario ? ` · ${sim.scenario}` : "");
    parts.verdict.replaceChildren(moment.alive[index] ? badge(verdict) : make("span", "quiet", "gone"));
    // A field that came later is none of a moment before.
    const [model, shown] = [moment.model[index] ?? null, moment.shown[index] ?? null];
    const marks = verdict !== 0;
    showValue(parts.model, model, { against: marks ? shown : undefined, bytes: moment.modelBytes.get(index) });
    showValue(parts.shown, shown, { against: marks ? model : undefined, bytes: moment.shownBytes.get(index) });
    this.#history(index);
    this.#askSoon();
  }
  #moment = null;

  #history(index) {
    const events = this.store.historyOf(index, historyLength);
    const { history, findings } = this.parts;
    const changes = events.filter(({ kind }) => kind === "verdict");
    history.replaceChildren(...changes.map((event) => {
      const line = make("li");
      const button = make("button", "plain");
      button.type = "button";
      button.append(make("span", "turn", clock(event.at, { withMilliseconds: true })), " ", badge(event.to), " ");
      const values = make("span", "pair");
      for (const [name, value, against] of [["model", event.model, event.shown], ["shown", event.shown, event.model]]) {
        const bdi = make("bdi", "value");
        showValue(bdi, value, { against: event.to === 0 ? undefined : against, limit: 80 });
        values.append(make("span", "quiet", `${name} `), bdi, " ");
      }
      button.append(values);
      button.addEventListener("click", () => this.actions.event(event));
      line.append(button);
      return line;
    }));
    if (changes.length === 0) history.append(make("li", "quiet", "Nothing that is still kept."));
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
    clearTimeout(this.#timer);
    const { why } = this.parts;
    if (!why.hasChildNodes()) why.textContent = "asking…";
    this.#timer = setTimeout(() => this.#explain(), 150);
  }

  async #explain() {
    const { parts, store } = this;
    const index = this.#index;
    const generation = (this.#generation += 1);
    this.#asked?.abort();
    this.#asked = new AbortController();
    let answer;
    try {
      answer = await call("sim.explain", { sim: store.sim[index], screen: store.screen[index], field: store.field[index] },
        { signal: this.#asked.signal });
    } catch (error) {
      if (error.name === "AbortError" || generation !== this.#generation) return;
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
    if (answer.calls.length === 0) parts.calls.append(make("li", "quiet", "None: there is no trace, or nothing ran."));
  }
}
