// The connection to the gate: one stream of events, and requests beside it.

/** A request that was refused, with what the other side said. */
export class CallError extends Error {
  constructor(message, { kind, status } = {}) {
    super(message);
    this.kind = kind;
    this.status = status;
  }
}

let lastId = 0;

/** One request to the daemon. */
export async function call(method, params = {}, { signal } = {}) {
  let response;
  try {
    response = await fetch("/rpc", {
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

/** Takes the key out of the address, gives it to the gate, and keeps none. */
export async function openSession() {
  const found = /^#token=([0-9a-f]+)$/.exec(location.hash);
  if (found) {
    history.replaceState(null, "", `${location.pathname}#/fields`);
    const response = await fetch("/session", { method: "POST", body: JSON.stringify({ token: found[1] }) });
    if (!response.ok) return { isOpen: false, reason: await response.text() };
  }
  const response = await fetch("/info");
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
  lost: ["✕", "gate away"],
};

/** Hands what the gate says to a store. */
export class Feed {
  #source = null;
  #patience = 500;
  #timer = null;
  state = "connecting";
  /** What has to be known of the last interruption, when it is over. */
  note = "";

  /**
   * @param {import("./store.js").Store} store
   * @param {{onState: () => void, onHello: (data: object) => void, onLocked: (reason: string) => void}} listener
   */
  constructor(store, listener) {
    this.store = store;
    this.listener = listener;
  }

  open() {
    clearTimeout(this.#timer);
    const source = this.#source = new EventSource("/events");
    const on = (name, act) => source.addEventListener(name, (event) => act(JSON.parse(event.data), event.lastEventId));
    const { store } = this;
    source.addEventListener("open", () => {
      this.#patience = 500;
      // Nothing is said when a stream goes on where it was cut: what follows is what was missed.
      if (this.state === "resuming") this.#enter("live");
    });
    on("hello", (data) => {
      store.beginSnapshot(store.syncedAt === null ? "" : "connected anew");
      this.listener.onHello(data);
      this.#enter(data.connected ? "snapshot" : "away");
    });
    on("gap", ({ reason }) => {
      store.beginSnapshot(reason);
      this.note = `${reason === "restarted" ? "daemon restarted" : "gap"} at ${new Date().toLocaleTimeString()}`;
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
    on("daemon", ({ state }) => {
      if (state === "away") this.#enter("away");
      else if (state === "back") this.#enter(store.isInSnapshot ? "gap" : "live");
      else this.#enter("restarted");
    });
    source.addEventListener("error", () => {
      if (source !== this.#source) return;
      if (source.readyState === EventSource.CONNECTING) this.#enter("resuming");
      else this.#refused();
    });
  }

  /** A stream that was refused is not asked for again by the browser. */
  async #refused() {
    this.#source.close();
    this.#enter("lost");
    try {
      const response = await fetch("/info");
      if (response.status === 401) return this.listener.onLocked(await response.text());
    } catch {
      // Nobody there: asked again below.
    }
    this.#timer = setTimeout(() => this.open(), this.#patience * (1 + Math.random()));
    this.#patience = Math.min(this.#patience * 2, 10_000);
  }

  #enter(state) {
    if (this.state === state) return;
    this.state = state;
    this.listener.onState();
  }
}
