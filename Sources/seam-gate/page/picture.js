// A simulation as a picture: the model on one side, the screens on the other, the bridges where values cross between them.

import { controls } from "./controls.js";
import { call } from "./feed.js";
import { describe } from "./gallery.js";
import { compareAddress } from "./link.js";
import { glyphs, verdicts } from "./store.js";
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

  /** Asks and draws again when a field of the simulation has changed. */
  frame() {
    if (this.isHidden) return;
    const { store } = this;
    const names = [...store.sims.keys()];
    if (!this.#sim && names.length) this.#sim = names[0];
    const fields = [];
    for (const index of store.fieldsOf(this.#sim)) {
      if (store.now.alive[index]) fields.push(index);
      if (fields.length === 200) break;
    }
    const state = `${this.#sim}|${this.stage.clientWidth < narrowest}|${names.length}|${store.shape}|${fields.map((index) => store.version[index]).join()}`;
    if (state === this.#state) return;
    this.#state = state;
    if ([...this.choice.options].map(({ value }) => value).join("\n") !== names.join("\n")) {
      this.choice.replaceChildren(...names.map((name) => new Option(visible(name), name)));
    }
    this.choice.value = this.#sim;
    this.compare.href = compareAddress(this.#sim);
    this.compare.hidden = names.length < 2;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(fields), 80);
  }

  async #ask(fields) {
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
    try {
      const now = await call("sim.get", { sim, limit: 1 });
      const [description, check, trace] = await Promise.all([
        describe(now.scenario), call("sim.check", { sim, why: true }),
        call("sim.trace", { sim, from: Math.max(1, now.turn - 40), limit: 1000 }).catch((error) => {
          if (error.kind === "not-traced" || error.kind === "out-of-range") return { records: [] };
          throw error;
        }),
      ]);
      if (generation !== this.#generation) return;
      this.#draw(sim, description, check, trace.records, fields);
      if (this.actions.mayControl() && this.#controlsOf !== sim) {
        this.controls.replaceChildren(controls(sim, description, this.actions.control));
        this.#controlsOf = sim;
      }
    } catch (error) {
      if (generation === this.#generation) this.said.textContent = visible(error.message);
    }
  }

  #draw(sim, description, check, records, indices) {
    const { store } = this;
    const { now } = store;
    const screens = new Map(description.screens.map(({ id, side, fields }) => [id, { side, fields: fields.map(({ key }) => key) }]));
    for (const index of indices) {
      const screen = store.screen[index];
      if (!screens.has(screen)) screens.set(screen, { side: "", fields: [] });
      const { fields } = screens.get(screen);
      if (!fields.includes(store.field[index])) fields.push(store.field[index]);
    }
    const bridges = description.bridges;
    const keys = [...new Set([...bridges.flatMap(({ inputs }) => inputs), ...[...screens.values()].flatMap(({ fields }) => fields)])];
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
    for (const finding of check.diagnostics) {
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
    for (const bridge of bridges) {
      const at = bridgeAt.get(bridge.id);
      const isLast = carried?.bridge === bridge.id;
      for (const input of bridge.inputs) {
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
          // The call that did not come: the line ends before the screen, and begins again behind a gap.
          const middle = x1 + (x2 - x1) * (isNarrow ? 0.5 : 0.58);
          const half = isNarrow ? 24 : 40;
          edges.append(
            element("path", { d: `M${x1} ${y1}C${x1 + half / 2} ${y1} ${middle - half * 1.5} ${y2} ${middle - half} ${y2}`, class: "edge broken", "data-verdict": verdicts[verdict] }),
            element("path", { d: `M${middle + half} ${y2}L${x2} ${y2}`, class: "edge broken", "data-verdict": verdicts[verdict] }),
            element("text", { x: middle, y: y2 + 4, class: "gap-word" }, isNarrow ? "gap" : `no ${words}`),
          );
          told.push(fault.text);
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
        if (keyAt.has(key)) edges.append(element("path", {
          d: curve(columnsAt.model + widths.model, keyAt.get(key), columnsAt.screen, at), class: "edge", "data-verdict": verdicts[index < 0 ? 4 : now.verdict[index]],
        }));
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
    if (told.length === 0 && check.counts.stale + check.counts.missing + check.counts.leftover === 0) {
      list.appendChild(make("li", "", indices.length === 0 ? "It has no field yet: there was nothing to carry."
        : "Every call that should have carried a value has done so."));
    }
    this.said.replaceChildren(list);
  }
}
