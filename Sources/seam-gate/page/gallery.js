// The scenarios that this daemon has: read what each is about, start it, and do what it allows.

import { controls, form } from "./controls.js";
import { badge } from "./details.js";
import { call } from "./feed.js";
import { compareAddress } from "./link.js";
import { worstFirst } from "./store.js";
import { make, named, showValue, visible } from "./text.js";

/** So many fields of a simulation are listed below its scenario. */
const mostListed = 100;
const descriptions = new Map();

/** What a scenario says of itself; it does not change while the daemon runs. */
export function describe(scenario) {
  if (!descriptions.has(scenario)) {
    const asked = call("scenario.describe", { scenario });
    asked.catch(() => descriptions.delete(scenario));
    descriptions.set(scenario, asked);
  }
  return descriptions.get(scenario);
}

/** Another daemon may have other scenarios. */
export const forget = () => descriptions.clear();

export class Gallery {
  isHidden = true;
  #chosen = "";
  #list = null;
  #sim = null;
  #shape = -1;
  #version = "";

  constructor(store, view, actions) {
    this.store = store;
    this.actions = actions;
    const part = (name) => view.querySelector(`[data-part=${name}]`);
    this.names = part("names");
    this.about = part("about");
    this.filter = part("filter");
    this.filter.addEventListener("input", () => this.#showNames());
  }

  /** Another daemon may have other scenarios. */
  forget() {
    forget();
    this.#list = null;
    if (!this.isHidden) this.open(this.#chosen);
  }

  /** Asks again what could not be asked. */
  again() {
    if (this.#hasFailed && !this.isHidden) this.open(this.#chosen);
  }
  #hasFailed = false;

  async open(scenario) {
    this.#chosen = scenario;
    this.#hasFailed = false;
    if (!this.#list) {
      this.names.replaceChildren(make("li", "quiet", "asking…"));
      try {
        const scenarios = [];
        for (let from = 0; from !== undefined;) {
          const page = await call("scenario.list", { from });
          scenarios.push(...page.scenarios);
          from = page.next;
        }
        this.#list = scenarios;
      } catch (error) {
        this.#hasFailed = error.isPassing;
        this.names.replaceChildren(make("li", "error", visible(error.message)));
        return;
      }
    }
    this.#showNames();
    await this.#showAbout(scenario);
  }

  #showNames() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = (this.#list ?? []).filter(({ id, title, summary }) => {
      const text = `${id} ${title} ${summary}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    this.names.replaceChildren(...found.map(({ id, title }) => {
      const line = make("li");
      const link = line.appendChild(make("a"));
      link.href = `#/scenarios/${encodeURIComponent(id)}`;
      if (id === this.#chosen) link.setAttribute("aria-current", "page");
      link.append(named(title, "title"), named(id, "quiet"));
      return line;
    }));
    if (found.length === 0) this.names.append(make("li", "quiet", "No scenario has these words."));
    this.names.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  async #showAbout(scenario) {
    const { about } = this;
    if (!scenario) {
      about.replaceChildren(make("p", "quiet", "Choose a scenario to read what it shows."));
      return;
    }
    let found;
    try {
      found = await describe(scenario);
    } catch (error) {
      this.#hasFailed = error.isPassing;
      about.replaceChildren(make("p", "error", visible(error.message)));
      return;
    }
    if (scenario !== this.#chosen) return;
    const title = make("h2");
    title.append(named(found.title));
    const summary = make("p", "summary");
    summary.append(named(found.summary));
    const facts = make("p", "quiet");
    facts.append(named(found.id), found.plugin ? ` · plug-in ${found.plugin.name}` : " · built in");
    // Where nobody has written a summary it is the title.
    const parts = found.summary === found.title ? [title, facts] : [title, facts, summary];

    const bridges = make("ul", "lines");
    for (const { id, title: name, kind, screen, inputs, observed } of found.bridges) {
      const line = bridges.appendChild(make("li"));
      line.append(make("strong", "", id), " ", named(name), make("span", "quiet", ` · ${kind}${observed ? ", observed" : ""} → ${screen}: ${inputs.join(", ")}`));
    }
    if (found.bridges.length) parts.push(make("h3", "", "Bridges"), bridges);
    const script = make("ol", "lines script");
    for (const step of found.script) script.appendChild(make("li")).append(named(stepText(step)));
    if (found.script.length) parts.push(make("h3", "", "Script"), script);

    const running = make("div", "running");
    if (this.actions.mayControl()) {
      const others = found.script.length ? [["Play the script", (params) => this.#start(found, params, { plays: true })]] : [];
      parts.push(make("h3", "", "Start"), form("", found.params, "Start", (params) => this.#start(found, params), others));
      const beside = this.#beside(found.id);
      if (found.script.length && beside.length) {
        const entry = { id: "other", title: "The other", kind: "text", initial: beside[0], choices: beside };
        parts.push(make("h3", "", "Beside another, such as a fault beside its repair"),
          form("", [entry], "Play both and compare", ({ other = beside[0] }) => this.#playBoth(found, other)));
      }
    } else {
      const note = make("p", "notice");
      note.append("This page may only look. To start scenarios from here: ", make("code", "", "seam dashboard --allow-control"));
      parts.push(note);
      if (found.params.length) {
        const list = make("ul", "lines");
        for (const { id, title: name, initial } of found.params) {
          list.appendChild(make("li")).append(make("strong", "", id), " ", named(`${name}: ${initial ?? "none"}`));
        }
        parts.push(make("h3", "", "Parameters"), list);
      }
    }
    about.replaceChildren(...parts, running);
    this.running = running;
    this.#shape = -1;
    // One that runs already can be gone on with.
    const sims = [...this.store.sims.values()].filter((sim) => sim.scenario === found.id).map(({ name }) => name);
    this.#sim = sims.includes(this.#sim) ? this.#sim : sims.at(-1) ?? null;
    this.#description = found;
    this.#showRunning();
  }
  #description = null;

  /** Scenarios that are told apart from this one by the end of their names, the nearest first. */
  #beside(id) {
    const common = (other) => {
      let length = 0;
      while (length < id.length && other[length] === id[length]) length += 1;
      return length;
    };
    const least = id.indexOf(".") + 1;
    return this.#list.map((scenario) => scenario.id).filter((other) => other !== id && least > 0 && common(other) >= least)
      .sort((x, y) => common(y) - common(x));
  }

  async #playBoth(found, other) {
    const sims = [];
    for (const scenario of [found.id, other]) {
      const answer = await this.actions.control("sim.run", { scenario, keep: true });
      if (!answer) return;
      sims.push(answer.sim);
    }
    location.hash = compareAddress(...sims);
  }

  async #start(found, params, { plays = false } = {}) {
    const answer = await this.actions.control(plays ? "sim.run" : "sim.create",
      { scenario: found.id, ...(plays && { keep: true }), ...(Object.keys(params).length && { params }) });
    if (!answer) return;
    this.#sim = answer.sim;
    this.#shape = -1;
    this.#showRunning();
    // What was started is what is looked at now.
    this.running.scrollIntoView({ block: "start" });
  }

  #showRunning() {
    const { running, store } = this;
    running.replaceChildren();
    if (!this.#sim) return;
    const title = make("h3", "", "Simulation ");
    title.append(named(this.#sim));
    const links = make("p", "links");
    for (const [word, address] of [["in the table", `#/fields?q=${encodeURIComponent(`${this.#sim}/`)}`], ["as a picture", `#/picture/${encodeURIComponent(this.#sim)}`],
      ["beside another", compareAddress(this.#sim)]]) {
      const link = make("a", "", word);
      link.href = address;
      links.append(link, " ");
    }
    this.fields = make("ul", "lines fields");
    running.append(title, links, this.fields);
    this.#version = "";
    if (this.actions.mayControl()) running.append(controls(this.#sim, this.#description, this.actions.control));
    this.#shape = store.shape;
    this.frame();
  }

  /** Shows the fields of the simulation that is looked at, when they have changed. */
  frame() {
    if (this.isHidden || !this.#sim || !this.fields) return;
    const { store } = this;
    if (!store.sims.has(this.#sim) && this.#shape !== store.shape && !store.isInSnapshot) {
      // What was asked for is there before the stream says so.
      if (this.#wasThere) {
        this.#sim = null;
        this.#wasThere = false;
        this.running.replaceChildren(make("p", "quiet", "The simulation has ended."));
        return;
      }
    }
    if (store.sims.has(this.#sim)) this.#wasThere = true;
    const { chosen: indices, words } = worstFirst(store, this.#sim, mostListed);
    const version = indices.map((index) => `${index}:${store.version[index]}`).join();
    if (version === this.#version) return;
    this.#version = version;
    this.fields.replaceChildren(...indices.map((index) => fieldLine(store, index)));
    if (words) this.fields.append(make("li", "quiet", `${words} not listed.`));
  }
  #wasThere = false;
}

/** A field with its verdict and both values. */
export function fieldLine(store, index) {
  const { now } = store;
  const line = make("li");
  const verdict = now.verdict[index];
  line.append(badge(verdict), " ", named(`${store.screen[index]}.${store.field[index]}`), " ");
  for (const [name, value, against] of [["model", now.model[index], now.shown[index]], ["shown", now.shown[index], now.model[index]]]) {
    const bdi = make("bdi", "value");
    showValue(bdi, value, { against: verdict === 0 ? undefined : against, limit: 80 });
    line.append(make("span", "quiet", ` ${name} `), bdi);
  }
  return line;
}

/** A step of a script, as one would say it. */
export function stepText({ step, ...rest }) {
  const words = Object.entries(rest).map(([name, value]) =>
    `${name} ${value !== null && typeof value === "object" ? Object.entries(value).map(([key, text]) => `${key}=${text}`).join(" ") || "–" : value}`);
  return [step.replaceAll("_", " "), ...words].join(" · ");
}
