// Runs beside the tabs, once for all of them (a shared worker): a browser has six connections to a server, so that the
// seventh tab with a stream of its own would wait for ever, and every request behind it. Each tab begins with a stream
// of its own, for its snapshot, and goes over to the common one as soon as it has read as far.

import { EventReader } from "./reader.js";

/** About a frame: what came meanwhile is handed over at once. */
const flushMilliseconds = 12;
/** What a tab that does not read may leave lying here, in characters; then it begins anew. */
const mostUnread = 16 << 20;
/** A tab says what it has read when it is half as much. */
const leastUnread = 64 << 10;

const tabs = new Set();
/** What those read that have read their snapshot. */
let common = null;

/** A stream of the gate, and how far it has come. */
class Source {
  /** Between a snapshot and the next one. */
  isSteady = false;
  epoch = "";
  dseq = 0;

  constructor(address, half, reader) {
    this.reader = reader;
    const status = (word) => {
      this.isSteady = false;
      this.reader.status(word, this);
    };
    this.stream = new EventReader(address, half, {
      event: (name, data, id) => this.#take(name, data, id),
      broken: () => status("resuming"),
      refused: () => status("closed"),
    });
  }

  #take(name, data, id) {
    const before = this.dseq;
    const dash = id.lastIndexOf("-");
    this.epoch = id.slice(0, dash);
    this.dseq = Number(id.slice(dash + 1));
    if (name === "hello" || name === "gap") this.isSteady = false;
    if (name === "sync" || name === "resumed") this.isSteady = true;
    // Names and ids are words and digits, data is JSON.
    this.reader.take(`["${name}",${data},"${id}"]`, { name, hasNumber: this.dseq !== before }, this);
  }

  close() { this.stream.close(); }
}

/** Hands the common stream to every tab that reads it. */
const everybody = {
  take(text, event, source) {
    for (const tab of tabs) if (tab.source === source) tab.relay(text, event, source);
    for (const tab of tabs) tab.goOver();
  },
  status(state, source) {
    if (state === "closed" && common === source) common = null;
    for (const tab of tabs) if (tab.source === source) tab.status(state, source);
  },
};

class Tab {
  source = null;
  #port;
  #out = [];
  #unread = 0;
  #isBehind = false;
  #half = "";
  #timer = null;
  /** How much of the common stream it has read elsewhere; -1 is nothing. */
  #skips = -1;

  constructor(port) {
    this.#port = port;
    port.onmessage = ({ data }) => {
      if (data.join) {
        this.#half = data.half;
        this.#join(data.join);
      } else if (data.leave) this.#leave();
      else if (data.read) this.#hasRead(data.read);
    };
  }

  #join(address) {
    this.#leave();
    tabs.add(this);
    this.#skips = -1;
    this.#isBehind = false;
    this.source = new Source(address, this.#half, this);
  }

  #leave() {
    tabs.delete(this);
    const { source } = this;
    this.source = null;
    if (source && ![...tabs].some((tab) => tab.source === source)) {
      source.close();
      if (common === source) common = null;
    }
  }

  // MARK: What its own stream says

  take(text, event, source) {
    this.relay(text, event, source);
    this.goOver();
  }

  status(state, source) {
    this.#flush();
    this.#port.postMessage({ status: state });
    if (state !== "closed") return;
    source.close();
    this.#leave();
  }

  /** Its own stream becomes the common one where there is none, and is given up where that is not ahead of it. */
  goOver() {
    const { source } = this;
    if (!source?.isSteady || source === common) return;
    if (!common) {
      common = source;
      source.reader = everybody;
    } else if (common.isSteady && common.epoch === source.epoch && common.dseq <= source.dseq) {
      this.#skips = source.dseq;
      this.source = common;
      source.close();
    }
  }

  // MARK: What it gets

  relay(text, { name, hasNumber }, source) {
    if (name === "hello" || name === "gap") this.#skips = -1;
    if (source.dseq < this.#skips || (hasNumber && source.dseq === this.#skips)) return;
    if (this.#isBehind) return;
    this.#out.push(text);
    this.#timer ??= setTimeout(() => this.#flush(), flushMilliseconds);
  }

  #flush() {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#out.length === 0) return;
    const text = `[${this.#out.join(",")}]`;
    this.#out = [];
    this.#unread += text.length;
    this.#port.postMessage({ text });
    if (this.#unread > mostUnread) this.#isBehind = true;
  }

  #hasRead(characters) {
    this.#unread -= characters;
    if (this.#isBehind && this.#unread <= leastUnread) this.#join("/events");
  }
}

self.onconnect = ({ ports: [port] }) => new Tab(port);
