// A simulation as a picture: the model on one side, the screens on the other, the bridges where values cross between them.

import { controls } from "./controls.js";
import { call } from "./feed.js";
import { describe } from "./gallery.js";
import { compareAddress } from "./link.js";
import { glyphs, verdicts, worstFirst, wrong } from "./store.js";
import { make, named, visible } from "./text.js";

const drawing = "http://www.w3.org/2000/svg";
const line = 30;
/** Where the columns stand, how wide they are, and how many characters fit. */
const layouts = {
  wide: { columnsAt: { model: 16, bridge: 380, screen: 700 }, widths: { model: 230, bridge: 180, screen: 284 }, full: 1000,
    fits: { key: 16, value: 12, bridge: 22, screen: 26, field: 16, shown: 16 }, bridgeHeight: 62 },
  narrow: { columnsAt: { model: 2, bridge: 206, screen: 424 }, widths: { model: 156, bridge: 124, screen: 214 }, full: 640,
    fits: { key: 10, value: 7, bridge: 12, screen: 14, field: 11, shown: 9 }, bridgeHeight: 70 },
};
const narrowest = 640;
/** So many fields are drawn, what is wrong first. */
const mostDrawn = 200;
/** So many are asked about at once: their answer has to go into one reply. */
const mostAsked = 24;
/** What a line says behind which nothing has come, by what is to be seen of it. */
const gapWords = { stale: "not written", missing: "not shown", leftover: "not cleared" };

/**
 * What the daemon says of fields that do not match: its findings, and for each a sentence.
 * @returns {Promise<{findings: object[], sentences: Map<string, string>}>} by `Screen.field`
 */
async function explained(sim, paths) {
  const [findings, sentences] = [[], new Map()];
  const ask = async (some) => {
    try {
      const { fields, diagnostics } = await call("sim.check", { sim, fields: some, why: true });
      findings.push(...diagnostics);
      for (const { screen, field, why } of fields) if (why) sentences.set(`${screen}.${field}`, why);
    } catch (error) {
      // A field that has gone meanwhile is not drawn the next time.
      if (error.kind === "unknown-field") return;
      if (error.kind !== "too-large") throw error;
      // Long values: fewer at a time, and of one alone that is too long even so there is no sentence.
      if (some.length === 1) return;
      const half = some.length >> 1;
      await ask(some.slice(0, half));
      await ask(some.slice(half));
    }
  };
  for (let at = 0; at < paths.length; at += mostAsked) await ask(paths.slice(at, at + mostAsked));
  return { findings, sentences };
}

function element(name, attributes = {}, text = undefined) {
  const made = document.createElementNS(drawing, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
/** A value in a drawing, which has no boxes for what cannot be seen: such a text stands between quotes. */
const drawn = (value, most) => (value === null ? "none" : short(/^\s|\s$|^$|^none$/.test(value) ? `“${visible(value)}”` : visible(value), most));

export class Picture {
  isHidden = true;
  #sim = "";
  #state = "";
  #generation = 0;
  #timer = null;
  #controlsOf = "";
  #askCost = 0;
  #hasFailed = false;

  constructor(store, view, actions) {
    this.store = store;
    this.actions = actions;
    const part = (name) => view.querySelector(`[data-part=${name}]`);
    this.choice = part("sims");
    this.stage = part("stage");
    this.said = part("said");
    this.compare = part("compare");
    this.title = part("title");
    this.controls = part("controls");
    this.choice.addEventListener("change", () => { location.hash = `#/picture/${encodeURIComponent(this.choice.value)}`; });
  }

  open(sim) {
    this.#sim = sim;
    this.#state = "";
    this.frame();
  }

  /** Asks again what could not be asked. */
  again() {
    if (this.#hasFailed) this.#state = "";
  }

  /** Asks and draws again when a field of the simulation has changed. */
  frame() {
    if (this.isHidden) return;
    const { store } = this;
    const names = [...store.sims.keys()];
    if (!this.#sim && names.length) this.#sim = names[0];
    const drawn = worstFirst(store, this.#sim, mostDrawn);
    const state = `${this.#sim}|${this.stage.clientWidth < narrowest}|${names.length}|${store.shape}|${drawn.words}|${drawn.chosen.map((index) => `${index}:${store.version[index]}`).join()}`;
    if (state === this.#state) return;
    this.#state = state;
    if ([...this.choice.options].map(({ value }) => value).join("\n") !== names.join("\n")) {
      this.choice.replaceChildren(...names.map((name) => new Option(visible(name), name)));
    }
    this.choice.value = this.#sim;
    this.compare.href = compareAddress(this.#sim);
    this.compare.hidden = names.length < 2;
    clearTimeout(this.#timer);
    // What takes long is asked seldom.
    this.#timer = setTimeout(() => this.#ask(drawn), Math.max(80, this.#askCost * 4));
  }

  async #ask(drawn) {
    this.#hasFailed = false;
    const generation = (this.#generation += 1);
    const sim = this.#sim;
    const simulation = this.store.sims.get(sim);
    if (!simulation) {
      this.title.replaceChildren();
      this.stage.replaceChildren();
      this.controls.replaceChildren();
      this.#controlsOf = "";
      this.said.textContent = sim ? `There is no simulation ${visible(sim)} any more.` : "There is no simulation. Start one, and it is drawn here.";
      return;
    }
    const began = performance.now();
    try {
      const now = await call("sim.get", { sim, limit: 1 });
      const { store } = this;
      const wrongs = drawn.chosen.filter((index) => wrong.includes(store.now.verdict[index]));
      const [description, answer, trace] = await Promise.all([
        describe(now.scenario), explained(sim, wrongs.map((index) => `${store.screen[index]}.${store.field[index]}`)),
        call("sim.trace", { sim, from: Math.max(1, now.turn - 40), limit: 1000 }).catch((error) => {
          if (error.kind === "not-traced" || error.kind === "out-of-range") return { records: [] };
          throw error;
        }),
      ]);
      this.#askCost = performance.now() - began;
      if (generation !== this.#generation) return;
      this.#draw(sim, description, answer, trace.records, drawn);
      if (this.actions.mayControl() && this.#controlsOf !== sim) {
        this.controls.replaceChildren(controls(sim, description, this.actions.control));
        this.#controlsOf = sim;
      }
    } catch (error) {
      if (generation !== this.#generation) return;
      this.#hasFailed = error.isPassing;
      this.said.textContent = visible(error.message);
    }
  }

  #draw(sim, description, { findings, sentences }, records, { chosen: indices, isCut, words: leftOut }) {
    const { store } = this;
    const { now } = store;
    // Where not all are drawn, what is declared is no reason to draw one.
    const screens = new Map((isCut ? [] : description.screens).map(({ id, side, fields }) => [id, { side, fields: fields.map(({ key }) => key) }]));
    for (const index of indices) {
      const screen = store.screen[index];
      if (!screens.has(screen)) screens.set(screen, { side: "", fields: [] });
      const { fields } = screens.get(screen);
      if (!fields.includes(store.field[index])) fields.push(store.field[index]);
    }
    const bridges = description.bridges;
    const carriedKeys = [...new Set([...screens.values()].flatMap(({ fields }) => fields))];
    const inputs = new Set(bridges.flatMap((bridge) => bridge.inputs).filter((input) => !isCut || carriedKeys.includes(input)));
    const keys = [...new Set([...inputs, ...carriedKeys])];
    const indexOf = (screen, field) => store.find(sim, screen, field);

    // Where everything stands.
    const isNarrow = this.stage.clientWidth < narrowest;
    const layout = isNarrow ? layouts.narrow : layouts.wide;
    const { columnsAt, widths, fits } = layout;
    const top = 56;
    const keyAt = new Map(keys.map((key, place) => [key, top + place * line + line / 2]));
    const fieldAt = new Map();
    let y = top;
    const boxes = [];
    for (const [screen, { side, fields }] of screens) {
      const height = (fields.length + 1) * line + 8;
      boxes.push({ screen, side, y, height });
      fields.forEach((field, place) => fieldAt.set(`${screen}.${field}`, y + (place + 1) * line + line / 2));
      y += height + 14;
    }
    const full = Math.max(y, top + keys.length * line + 20, top + bridges.length * 96) + 8;
    const { bridgeHeight } = layout;
    const bridgeAt = new Map(bridges.map(({ id }, place) => [id, top + (place + 0.5) * ((full - top) / bridges.length)]));

    // What the calls say: the last one that carried something, and those that did not come.
    const carried = records.findLast(({ bridge, wrote }) => bridge && wrote?.length);
    const carries = new Set(carried?.wrote ?? []);
    const faults = new Map();
    for (const finding of findings) {
      if (finding.field && finding.bridge) faults.set(`${finding.bridge}|${finding.screen}.${finding.field}`, finding);
    }

    const svg = element("svg", { viewBox: `0 0 ${layout.full} ${full}`, role: "img", class: isNarrow ? "seam narrow" : "seam" });
    const told = [];
    svg.append(element("title", {}, `${description.title}: the model, the bridges and the screens of ${sim}`));
    const edges = svg.appendChild(element("g", { class: "edges" }));
    const nodes = svg.appendChild(element("g", { class: "nodes" }));
    for (const [x, title] of [[columnsAt.model, "Model"], [columnsAt.bridge, "Bridges"], [columnsAt.screen, "Screens"]]) {
      if (title === "Bridges" && bridges.length === 0) continue;
      nodes.append(element("text", { x, y: 30, class: "heading" }, title));
    }

    const curve = (x1, y1, x2, y2) => `M${x1} ${y1}C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`;
    for (const [key, at] of keyAt) {
      nodes.append(
        element("rect", { x: columnsAt.model, y: at - 13, width: widths.model, height: 26, rx: 4, class: "key" }),
        element("text", { x: columnsAt.model + 10, y: at + 5 }, short(visible(key), fits.key)),
      );
      // What the model says is known from the fields that show it.
      const of = indices.find((index) => store.field[index] === key && now.alive[index]);
      if (of !== undefined) nodes.append(element("text", { x: columnsAt.model + widths.model - 8, y: at + 5, class: "small end" },
        drawn(now.model[of], fits.value)));
    }
    /** What did not come: the line ends before the screen, and begins again behind a gap. */
    const gap = ([x1, y1, x2, y2], verdict, word) => {
      const middle = x1 + (x2 - x1) * (isNarrow ? 0.5 : 0.58);
      const half = isNarrow ? 24 : 40;
      edges.append(
        element("path", { d: `M${x1} ${y1}C${x1 + half / 2} ${y1} ${middle - half * 1.5} ${y2} ${middle - half} ${y2}`, class: "edge broken", "data-verdict": verdict }),
        element("path", { d: `M${middle + half} ${y2}L${x2} ${y2}`, class: "edge broken", "data-verdict": verdict }),
        element("text", { x: middle, y: y2 + 4, class: "gap-word" }, isNarrow ? "gap" : word),
      );
    };
    for (const bridge of bridges) {
      const at = bridgeAt.get(bridge.id);
      const isLast = carried?.bridge === bridge.id;
      for (const input of bridge.inputs) {
        if (!keyAt.has(input)) continue;
        edges.append(element("path", {
          d: curve(columnsAt.model + widths.model, keyAt.get(input), columnsAt.bridge, at), class: isLast && [...carries].some((path) => path.endsWith(`.${input}`)) ? "edge last" : "edge",
        }));
      }
      const group = nodes.appendChild(element("g", { class: isLast ? "bridge last" : "bridge" }));
      const words = { embed: "assign", wrap: "update" }[bridge.kind] ?? "call";
      group.append(
        element("rect", { x: columnsAt.bridge, y: at - bridgeHeight / 2, width: widths.bridge, height: bridgeHeight, rx: 8 }),
        element("text", { x: columnsAt.bridge + 12, y: at - 10, class: "name" }, short(visible(bridge.id), fits.bridge)),
        element("text", { x: columnsAt.bridge + 12, y: at + 7, class: "small" }, isNarrow ? `by ${words}` : `${bridge.kind}, carries by ${words}`),
        element("text", { x: columnsAt.bridge + 12, y: at + 22, class: "small" }, isLast ? (isNarrow ? `last: turn ${carried.turn}` : `last: ${carried.call} in turn ${carried.turn}`) : bridge.observed ? "observed" : ""),
      );
      const screen = screens.get(bridge.screen);
      for (const field of screen?.fields ?? []) {
        const path = `${bridge.screen}.${field}`;
        const index = indexOf(bridge.screen, field);
        const fault = faults.get(`${bridge.id}|${path}`);
        const verdict = index < 0 ? 4 : now.verdict[index];
        const [x1, y1, x2, y2] = [columnsAt.bridge + widths.bridge, at, columnsAt.screen, fieldAt.get(path)];
        const isCarried = isLast && carries.has(path);
        if (fault?.code === "update-never-arrived") {
          gap([x1, y1, x2, y2], verdicts[verdict], `no ${words}`);
          told.push(fault.text);
        } else if (!fault && sentences.has(path)) {
          gap([x1, y1, x2, y2], verdicts[verdict], gapWords[verdicts[verdict]] ?? "gap");
          told.push(sentences.get(path));
        } else {
          edges.append(element("path", {
            d: curve(x1, y1, x2, y2), class: `edge${isCarried ? " last" : ""}${fault ? " empty" : ""}`, "data-verdict": verdicts[verdict],
          }));
          if (fault) {
            edges.append(element("text", { x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 6, class: "gap-word" }, `${words} wrote nothing`));
            told.push(fault.text);
          }
        }
      }
    }
    // With no bridge the program itself carries: key to field.
    if (bridges.length === 0) {
      for (const [path, at] of fieldAt) {
        const dot = path.lastIndexOf(".");
        const key = keys.find((candidate) => path.endsWith(`.${candidate}`)) ?? path.slice(dot + 1);
        const index = indices.find((candidate) => `${store.screen[candidate]}.${store.field[candidate]}` === path) ?? -1;
        if (!keyAt.has(key)) continue;
        const verdict = verdicts[index < 0 ? 4 : now.verdict[index]];
        const ends = [columnsAt.model + widths.model, keyAt.get(key), columnsAt.screen, at];
        if (sentences.has(path)) {
          gap(ends, verdict, gapWords[verdict] ?? "gap");
          told.push(sentences.get(path));
        } else edges.append(element("path", { d: curve(...ends), class: "edge", "data-verdict": verdict }));
      }
    }
    for (const { screen, side, y: at, height } of boxes) {
      nodes.append(
        element("rect", { x: columnsAt.screen, y: at, width: widths.screen, height, rx: 8, class: "screen" }),
        element("text", { x: columnsAt.screen + 12, y: at + 21, class: "name" }, short(visible(screen), fits.screen)),
        element("text", { x: columnsAt.screen + widths.screen - 10, y: at + 21, class: "small end" }, isNarrow ? "" : side ?? ""),
      );
      for (const field of screens.get(screen).fields) {
        const fieldY = fieldAt.get(`${screen}.${field}`);
        const index = indexOf(screen, field);
        const verdict = index < 0 ? -1 : now.verdict[index];
        const row = nodes.appendChild(element("g", { class: "field", "data-verdict": verdicts[verdict] ?? "none" }));
        const value = index < 0 ? null : now.shown[index];
        row.append(
          element("text", { x: columnsAt.screen + 12, y: fieldY + 5, class: "glyph" }, glyphs[verdict] ?? "·"),
          element("text", { x: columnsAt.screen + 30, y: fieldY + 5 }, short(visible(field), fits.field)),
          element("text", { x: columnsAt.screen + widths.screen - 10, y: fieldY + 5, class: "small end" },
            index < 0 ? "" : drawn(value, fits.shown)),
        );
        row.append(element("title", {}, `${screen}.${field}: ${verdicts[verdict] ?? "no field yet"}`));
      }
    }
    this.title.replaceChildren(named(description.title));
    this.stage.replaceChildren(svg);
    const list = make("ul", "lines");
    for (const text of told) list.appendChild(make("li")).append(named(text));
    if (carried) list.appendChild(make("li")).append(named(`The last call that carried a value: ${carried.call} of ${carried.bridge} in turn ${carried.turn} wrote ${carried.wrote.join(", ")}.`));
    // A field that no bridge's line leads to is wrong all the same.
    for (const [path, sentence] of sentences) {
      if (!told.includes(sentence) && !findings.some(({ screen, field }) => `${screen}.${field}` === path)) list.appendChild(make("li")).append(named(sentence));
    }
    if (leftOut) {
      const line = list.appendChild(make("li", "left-out", `${leftOut} not drawn: `));
      line.append(Object.assign(make("a", "", "all of them in the table"), { href: `#/fields?q=${encodeURIComponent(`${sim}/`)}` }));
    }
    const isRight = store.fieldsOf(sim).every((index) => !now.alive[index] || !wrong.includes(now.verdict[index]));
    if (isRight) {
      list.appendChild(make("li", "", indices.length === 0 ? "It has no field yet: there was nothing to carry."
        : bridges.length === 0 ? "It has no bridge: its program writes both sides, and they match."
          : "Every call that should have carried a value has done so."));
    }
    this.said.replaceChildren(list);
  }
}
