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
  // Where the system has put a view, and who it is there for: what a script does with these words, a hand may.
  for (const { id } of description.bridges) {
    const mount = { id: "mount", title: "Mount, if there are several", kind: "integer", initial: null, minimum: 1 };
    const on = (method, more = {}) => ({ mount: number, ...rest }) =>
      act(method, { sim, bridge: id, ...more, ...rest, ...(number !== undefined && { mount: Number(number) }) });
    const places = [["park", { parked: true }], ["take back", { parked: false }], ["hide", { hidden: true }], ["show", { hidden: false }],
      ["out of the window", { window: false }], ["into the window", { window: true }], ["scene inactive", { scene: "inactive" }], ["scene active", { scene: "active" }]]
      .map(([word, where]) => [word, on("host.set", where)]);
    const name = (key, title) => [{ id: key, title, kind: "text", initial: "" }, mount];
    const forms = [
      form(`Put ${id} elsewhere`, [mount], ...places[0], places.slice(1)),
      form(`Mounts of ${id}`, [mount], "mount once more", () => act("bridge.mount", { sim, bridge: id }), [
        ["unmount", on("bridge.unmount")], ["dismiss, as its user does", on("bridge.dismiss")]]),
      form(`Make it another view`, name("identity", `Identity of ${id}`), "identify", ({ identity = "", ...rest }) => on("bridge.identify", { identity })(rest)),
      form(`Give its control to another item`, name("owner", `Owner of ${id}`), "rebind", ({ owner = "", ...rest }) => on("bridge.rebind", { owner })(rest)),
    ];
    // Most lessons need none of it.
    const folded = make("details", "folded");
    folded.append(make("summary", "", `Where ${id} is, and what it is mounted as`), ...forms);
    section(`Host of ${id}`, [folded]);
  }
  section("End", [destroying(sim, () => act("sim.destroy", { sim }))]);
  return box;
}

/** What cannot be taken back is asked for twice, and looks like nothing else. */
function destroying(sim, act) {
  const element = make("div", "control");
  const first = element.appendChild(make("button", "danger", "destroy"));
  first.type = "button";
  first.setAttribute("aria-label", `destroy ${sim}`);
  const question = element.appendChild(make("span", "question"));
  question.hidden = true;
  question.append("End ", named(sim), " for good? ");
  const [yes, no] = [["danger", "yes, destroy it"], ["", "keep it"]].map(([name, word]) => {
    const button = question.appendChild(make("button", name, word));
    button.type = "button";
    question.append(" ");
    return button;
  });
  const asks = (isAsking) => {
    first.hidden = isAsking;
    question.hidden = !isAsking;
  };
  first.addEventListener("click", () => {
    asks(true);
    // Whoever presses twice has not read the question.
    no.focus();
  });
  no.addEventListener("click", () => {
    asks(false);
    first.focus();
  });
  yes.addEventListener("click", () => {
    asks(false);
    act();
  });
  return element;
}
