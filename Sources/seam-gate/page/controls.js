// Forms out of what a scenario says of itself.

import { make, named } from "./text.js";

let lastId = 0;

/** One entry for a parameter or an argument. `read()` gives its value, undefined for "as it comes". */
function entry({ id, title, kind, initial, minimum, maximum, choices }) {
  const box = make("div", "entry");
  const label = box.appendChild(make("label"));
  label.htmlFor = `entry-${(lastId += 1)}`;
  label.append(named(title || id));
  let input;
  if (choices?.length) {
    input = make("select");
    if (initial === null) input.append(new Option("–", ""));
    for (const choice of choices) input.append(new Option(choice, choice, choice === initial, choice === initial));
  } else if (kind === "boolean") {
    input = make("select");
    for (const choice of initial === null ? ["", "true", "false"] : ["true", "false"]) {
      input.append(new Option(choice || "–", choice, choice === initial, choice === initial));
    }
  } else {
    input = make("input");
    input.type = kind === "integer" || kind === "real" || kind === "number" ? "number" : "text";
    if (input.type === "number") {
      input.step = kind === "integer" ? "1" : "any";
      if (minimum !== null && minimum !== undefined) input.min = minimum;
      if (maximum !== null && maximum !== undefined) input.max = maximum;
    }
    input.value = initial ?? "";
    input.autocomplete = "off";
    input.spellcheck = false;
  }
  input.id = label.htmlFor;
  input.dataset.entry = id;
  box.append(input);
  return {
    box,
    read: () => (input.value === "" && initial === null ? undefined : input.value === (initial ?? "") ? undefined : input.value),
  };
}

/** A form with a button for what is done with what was entered; there may be others that do something else with it. */
export function form(title, entries, word, act, others = []) {
  const element = make("form", "control");
  const made = entries.map(entry);
  element.append(...made.map(({ box }) => box));
  const acts = new Map();
  for (const [name, does] of [[word, act], ...others]) {
    const button = element.appendChild(make("button", "", name));
    button.type = "submit";
    acts.set(button, does);
    if (title) button.setAttribute("aria-label", `${name}: ${title}`);
  }
  if (title) element.title = title;
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    const values = {};
    made.forEach(({ read }, index) => {
      const value = read();
      if (value !== undefined) values[entries[index].id] = value;
    });
    (acts.get(event.submitter) ?? act)(values);
  });
  return element;
}

/**
 * Everything that may be done to a simulation: its events, its bridges, its model, its clock.
 * @param {(method: string, params: object) => void} act
 */
export function controls(sim, description, act) {
  const box = make("div", "controls");
  const section = (title, elements) => {
    if (elements.length === 0) return;
    const part = box.appendChild(make("section"));
    part.append(make("h3", "", title), ...elements);
  };
  section("Bridges", description.bridges.flatMap(({ id, title, kind }) => {
    const words = { embed: ["assign"], wrap: ["update"] }[kind] ?? [];
    return words.map((word) => form(title, [], `${word} ${id}`, () => act(`bridge.${word}`, { sim, bridge: id })));
  }));
  section("Events", description.events.map(({ id, title, args }) =>
    form(title, args, id, (values) => act("sim.send", { sim, event: id, ...(Object.keys(values).length && { args: values }) }))));
  const keys = [...new Set([...description.screens.flatMap(({ fields }) => fields.map(({ key }) => key)), ...description.bridges.flatMap(({ inputs }) => inputs)])];
  const key = { id: "key", title: "Key", kind: "text", initial: keys[0] ?? "", choices: keys.length ? keys : null };
  section("Model", [form("Write a value of the model", [key, { id: "value", title: "Value", kind: "text", initial: "" }], "set",
    ({ key: chosen = key.initial, value = "" }) => act("model.set", { sim, values: { [chosen]: value } }))]);
  section("Clock", [form("Move the virtual clock on", [{ id: "ms", title: "Milliseconds", kind: "integer", initial: "100", minimum: 0 }], "advance",
    ({ ms = "100" }) => act("sim.advance", { sim, ms: Number(ms) }))]);
  section("Simulation", [form("End it", [], "destroy", () => act("sim.destroy", { sim }))]);
  return box;
}
