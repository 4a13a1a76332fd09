// The connection to the gate: one stream of events, and requests beside it.

import { EventReader } from "./reader.js";
import { clock } from "./text.js";

/** A request that was refused, with what the other side said. */
export class CallError extends Error {
  constructor(message, { kind, status } = {}) {
    super(message);
    this.kind = kind;
    this.status = status;
  }

  /** Whether it is about the way to the daemon, and not about what was asked. */
  get isPassing() { return this.kind === "away" || this.status === 503 || this.status === 504; }
}

/** How many events from before it was opened a page asks for. */
const historyLength = 20_000;
/** So many characters are read before the worker is told. */
const acknowledged = 32 << 10;
let lastId = 0;

const wanted = {
  name: "seam-wanted",
  take() {
    try {
      const hash = sessionStorage.getItem(this.name);
      sessionStorage.removeItem(this.name);
      return hash ?? "#/fields";
    } catch {
      return "#/fields";
    }
  },
  set(hash) {
    if (!hash.startsWith("#/")) return;
    try {
      sessionStorage.setItem(this.name, hash);
    } catch {
      // A browser that stores nothing begins with the table.
    }
  },
};

/** Keeps an address that was asked for without a key: with the key it is come back to, in the same tab. */
export const wantLater = (hash) => wanted.set(hash);

/**
 * The page's half of the key. The other one is a cookie, which browsers send to every port of this machine; what a page
 * stores is for its own port alone, and nothing sends it anywhere by itself.
 */
const half = {
  name: "seam-page",
  value: "",
  get() {
    try {
      return localStorage.getItem(this.name) ?? this.value;
    } catch {
      // A browser may be told to store nothing: then a tab lives as long as it is not loaded anew.
      return this.value;
    }
  },
  set(value) {
    this.value = value;
    try {
      localStorage.setItem(this.name, value);
    } catch {
      // As above.
    }
  },
};

const ask = (path, { headers = {}, ...options } = {}) => fetch(path, { ...options, headers: { ...headers, "Seam-Page": half.get() } });

/** One request to the daemon. */
export async function call(method, params = {}, { signal } = {}) {
  let response;
  try {
    response = await ask("/rpc", {
      method: "POST", headers: { "Content-Type": "application/json" }, signal,
      body: JSON.stringify({ jsonrpc: "2.0", id: (lastId += 1), method, params }),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new CallError("The gate does not answer.", { kind: "away" });
  }
  const text = await response.text();
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new CallError(text || `The gate answered ${response.status}.`, { status: response.status });
  }
  if (answer.error) throw new CallError(answer.error.message, { kind: answer.error.data?.kind, status: response.status });
  return answer.result;
}

/** Takes the key out of the address, gives it to the gate for the two halves of another one, and keeps none of it. */
export async function openSession() {
  const found = /^#token=([0-9a-f]+)$/.exec(location.hash);
  if (found) {
    history.replaceState(null, "", location.pathname);
    const response = await fetch("/session", { method: "POST", body: JSON.stringify({ token: found[1] }) });
    if (!response.ok) return { isOpen: false, reason: await response.text() };
    half.set((await response.json()).page);
    history.replaceState(null, "", `${location.pathname}${wanted.take()}`);
  }
  const response = await ask("/info");
  if (!response.ok) return { isOpen: false, reason: await response.text() };
  return { isOpen: true, info: await response.json() };
}

/** Connection states, each with its sign and its word. */
export const states = {
  connecting: ["…", "connecting"],
  snapshot: ["…", "reading"],
  live: ["●", "live"],
  resuming: ["↻", "resuming"],
  gap: ["⇢", "gap: reading again"],
  restarted: ["⟲", "daemon restarted: reading again"],
  away: ["✕", "daemon away"],
  silent: ["✕", "the daemon is silent"],
  lost: ["✕", "gate away"],
};

/** States in which what is shown is of an earlier time; a connection that is resumed at once is none of them. */
const broken = new Set(["away", "silent", "lost"]);
/** So long a connection may take to be resumed before the gate is called away. */
const lostMilliseconds = 3_000;

/** Hands what the gate says to a store. */
export class Feed {
  #port = null;
  #read = 0;
  #acts;
  #patience = 500;
  #timer = null;
  #epoch = "";
  #lostAt = 0;
  #lostTimer = null;
  state = "connecting";
  /** When the state began, by this page's clock. */
  entered = Date.now();
  /** What is shown is as of then; 0 is now. */
  asOf = 0;
  /** What has to be known of the last interruption, when it is over. */
  note = "";

  /**
   * @param {import("./store.js").Store} store
   * @param {string} run tells a run of the gate from another
   * @param {{onState: () => void, onHello: (data: object) => void, onLocked: (reason: string) => void}} listener
   */
  constructor(store, run, listener) {
    this.store = store;
    this.run = run;
    this.listener = listener;
    this.#acts = this.#listen();
  }

  /** The state that a stream of the browser itself goes through; the worker uses the same words. */
  #status(state) {
    if (state !== "resuming") this.#refused();
    else if (this.state !== "lost") this.#enter("resuming");
  }

  open() {
    clearTimeout(this.#timer);
    const { store } = this;
    // What was before is told once: later it would come behind what this page has seen since.
    const address = store.syncedAt === null ? `/events?history=${historyLength}` : "/events";
    if (typeof SharedWorker === "undefined") return this.#openAlone(address);
    if (!this.#port) {
      // Another run of the gate may have another worker.
      this.#port = new SharedWorker("/stream.js", { name: `seam ${this.run}`, type: "module" }).port;
      this.#port.onmessage = ({ data }) => {
        if (data.status) return this.#status(data.status);
        for (const [name, content, id] of JSON.parse(data.text)) this.#take(name, content, id);
        this.#read += data.text.length;
        if (this.#read < acknowledged) return;
        this.#port.postMessage({ read: this.#read });
        this.#read = 0;
      };
      addEventListener("pagehide", () => this.#port.postMessage({ leave: true }));
      addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
    }
    this.#port.postMessage({ join: address, half: half.get() });
  }

  #openAlone(address) {
    new EventReader(address, half.get(), {
      event: (name, data, id) => this.#take(name, JSON.parse(data), id),
      broken: () => this.#status("resuming"),
      refused: () => this.#status("closed"),
    });
  }

  #take(name, data, id) {
    // Events of the past have no id, lest a stream be resumed there; it is made of the same parts.
    this.#acts[name]?.(data, this.store.isInPast && data.dseq ? `${this.#epoch}-${data.dseq}` : id);
  }

  #listen() {
    const { store } = this;
    const acts = {};
    const on = (name, act) => { acts[name] = act; };
    on("resumed", ({ missed }) => {
      const seconds = Math.max(1, Math.round((Date.now() - this.#lostAt) / 1000));
      this.#resumed(`after ${seconds} s without the gate, ${missed.toLocaleString("en")} ${missed === 1 ? "event" : "events"} came late`);
      this.#enter("live");
    });
    on("past", () => store.beginPast());
    on("present", () => store.endPast());
    on("hello", (data) => {
      this.#patience = 500;
      this.#epoch = data.daemonEpoch;
      store.beginSnapshot(store.syncedAt === null ? "" : "connected anew");
      this.listener.onHello(data);
      this.#enter(data.connected ? "snapshot" : "away");
    });
    on("gap", ({ reason, missed }) => {
      store.beginSnapshot(reason, missed);
      const what = reason === "restarted" ? "daemon restarted"
        : missed ? `gap of ${missed.toLocaleString("en")} events` : "gap";
      this.note = `${what} at ${clock(Date.now())}`;
      this.#enter(reason === "restarted" ? "restarted" : "gap");
    });
    on("state", (data) => store.state(data));
    on("verdict", (data, id) => store.verdict(data, id));
    on("diagnostic", (data, id) => store.diagnostic(data, id));
    on("sim", (data, id) => store.simulation(data, id));
    on("sync", () => {
      store.sync();
      this.#enter("live");
    });
    on("lag", (data) => store.diagnostic({
      code: "lag", severity: "warning",
      text: `the gate was too slow: ${data.collapsed ?? data.lost} lines were ${data.lost ? "lost" : "merged"}`,
    }));
    on("daemon", ({ state, resumed }) => {
      // In the past it is no news.
      if (store.isInPast) return;
      if (state === "away" || state === "silent") this.#enter(state);
      else if (state === "restarted") this.#enter("restarted");
      else if (!resumed) this.#enter("gap");
      else {
        this.#resumed(this.state === "silent" ? "the daemon answers again" : "the connection to the daemon stands again");
        this.#enter("live");
      }
    });
    return acts;
  }

  /** A stream that was refused is not asked for again by the browser. */
  async #refused() {
    this.#enter("lost");
    try {
      const response = await ask("/info");
      if (response.status === 401) return this.listener.onLocked(await response.text());
    } catch {
      // Nobody there: asked again below.
    }
    this.#timer = setTimeout(() => this.open(), this.#patience * (1 + Math.random()));
    this.#patience = Math.min(this.#patience * 2, 10_000);
  }

  /** The stream goes on where it was cut. */
  #resumed(text) {
    this.note = `resumed at ${clock(Date.now())}, nothing lost`;
    this.store.resumed(`Nothing is lost: ${text}.`);
  }

  #enter(state) {
    if (this.state === state) return;
    const isCut = state === "resuming" || state === "lost";
    const wasCut = this.state === "resuming" || this.state === "lost";
    clearTimeout(this.#lostTimer);
    if (isCut && !wasCut) this.#lostAt = Date.now();
    if (state === "resuming") this.#lostTimer = setTimeout(() => this.#enter("lost"), lostMilliseconds);
    this.state = state;
    this.entered = isCut ? this.#lostAt : Date.now();
    if (state === "live") this.asOf = 0;
    else if (isCut || broken.has(state)) this.asOf ||= this.entered;
    this.listener.onState();
  }

  get isBroken() { return broken.has(this.state); }
}
