// One connection: requests out, replies matched by id, event lines handed on in the order they came.

import { statSync } from "node:fs";
import { createConnection } from "node:net";
import { callError } from "./call-error.js";
import {
  ClosedError, ConnectError, ConnectionLostError, ProtocolError, TimeoutError, TooLargeError,
} from "./errors.js";
import { describe, isPlain, limiting } from "./limits.js";
import { LineSplitter } from "./lines.js";

/** Answers of a batch and of rpc.discover may have that many bytes, whatever hello has agreed on. */
const longestReply = 1 << 20;
/** The daemon's limit of nesting, less the members of the request itself. */
const depthMax = 62;
/** What a daemon takes as one line before hello has told its limits. */
const lineBytesUnlessTold = 1 << 20;

/** Sockets of daemons that this program has started for itself: nobody starts one there by hand. */
export const privatePaths = new Set();

/** Params as JSON; what JSON would change silently is refused. */
function encoded(value, path, depth) {
  switch (typeof value) {
    case "string":
    case "boolean":
      return;
    case "number":
      if (Number.isFinite(value)) return;
      break;
    case "object":
      if (value === null) return;
      if (depth >= depthMax) throw new RangeError(`${path} is nested more than ${depthMax} levels deep`);
      if (Array.isArray(value)) {
        for (let index = 0; index < value.length; index += 1) encoded(value[index], `${path}[${index}]`, depth + 1);
      } else {
        // JSON would carry nothing of a Map or a Set, and what toJSON makes up of others.
        if (!isPlain(value)) break;
        for (const key of Reflect.ownKeys(value)) {
          if (typeof key === "symbol") throw new TypeError(`${path} has a symbol for a key, which JSON cannot carry`);
          // A member that is undefined is one left out.
          if (value[key] !== undefined) encoded(value[key], `${path}.${key}`, depth + 1);
        }
      }
      return;
  }
  throw new TypeError(`${path} is ${describe(value)}, which JSON cannot carry`);
}

/** Half a surrogate pair is no character: JSON.stringify escapes it, and no strict reader takes it. */
const loneSurrogate = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

function requestText(id, method, params) {
  if (typeof method !== "string") throw new TypeError(`method is a text, not ${describe(method)}`);
  if (params === null || typeof params !== "object") {
    throw new TypeError(`params are an object or an array, not ${describe(params)}`);
  }
  encoded(params, "params", 0);
  const text = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`;
  if (text.includes("\\ud") && loneSurrogate.test(text)) {
    throw new TypeError("params hold half a surrogate pair, which is no character and cannot be sent");
  }
  return text;
}

/**
 * How long a new connection is listened to before hello is sent: 0 is what has come already. The later ones are made
 * when the one before was closed under the write, as a daemon does that refuses it and says why without being asked.
 */
const listenMilliseconds = [0, 100, 500];

export class Wire {
  #socket;
  #path;
  #splitter;
  #pending = new Map();
  #lastId = 0;
  #out = [];
  #isFlushing = false;
  #failure = null;
  #lineBytesMax = lineBytesUnlessTold;
  #staysReferenced;
  #done;
  /** Called with each event line and its params, and nothing in between may wait. */
  onEvent = null;
  /** What seam.hello answered. */
  hello = null;

  /**
   * Connects and says hello.
   * @param options  path, timeout, signal, maxLine, name; `keepsAlive`: the program does not end while it is open
   */
  static async open({ path, timeout, signal, maxLine, name, keepsAlive = false }) {
    signal?.throwIfAborted();
    const start = performance.now();
    const left = () => Math.max(1, timeout - (performance.now() - start));
    for (const [attempt, listen] of listenMilliseconds.entries()) {
      const socket = await connected(path, left(), signal);
      const wire = new Wire(socket, path, maxLine, keepsAlive);
      try {
        // What it has said is read before anything is written: Node reads no socket whose write has failed.
        await (listen === 0 ? new Promise(setImmediate) : wire.#endedWithin(Math.min(listen, left())));
        wire.hello = await wire.call("seam.hello", { client: name, protocol: 1, maxLine }, { timeout: left(), signal });
        if (typeof wire.hello?.daemonEpoch !== "string") {
          throw new ProtocolError(`What listens at ${path} answers seam.hello without a daemonEpoch; it is no seamd.`);
        }
        const told = wire.hello.limits?.lineBytes;
        if (Number.isSafeInteger(told)) wire.#lineBytesMax = told;
        return wire;
      } catch (error) {
        wire.close();
        const isRefused = error instanceof ConnectionLostError && error.cause?.code === "EPIPE";
        if (!isRefused || attempt + 1 === listenMilliseconds.length) throw error;
        // Nothing was carried out, so it can be asked again.
      }
    }
  }

  #endedWithin(milliseconds) {
    let timer;
    const over = new Promise((done) => {
      timer = setTimeout(done, milliseconds);
    });
    return Promise.race([this.ended, over]).finally(() => clearTimeout(timer));
  }

  constructor(socket, path, maxLine, keepsAlive) {
    this.#socket = socket;
    this.#path = path;
    this.#staysReferenced = keepsAlive;
    this.#splitter = new LineSplitter(Math.max(maxLine, longestReply));
    this.ended = new Promise((done) => {
      this.#done = done;
    });
    socket.on("data", (chunk) => this.#read(chunk));
    socket.on("error", (cause) => this.#fail(this.#lost(cause)));
    socket.on("close", () => this.#fail(this.#lost()));
  }

  get isOpen() {
    return this.#failure === null;
  }

  /** Rejects what is pending with ClosedError and lets go of the socket. */
  close(error = new ClosedError("The connection was closed by this program.")) {
    this.#fail(error);
  }

  /** No more event lines, and no replies either, until resume(). */
  pause() {
    this.#socket.pause();
  }

  resume() {
    this.#socket.resume();
  }

  /**
   * One request and its reply.
   * @param take  called with the result before any later line is looked at
   */
  call(method, params, limits) {
    return this.#ask(method, 1, (id) => requestText(id, method, params), limits);
  }

  /** Several requests in one line; their results in order, a CallError where one was refused. */
  async batch(requests, limits) {
    const most = this.hello.limits?.batch;
    if (requests.length > most) {
      throw new RangeError(`a batch has at most ${most} requests for this daemon, not ${requests.length}`);
    }
    const lineOf = (id) => `[${requests.map(([method, params], index) => requestText(id + index, method, params)).join()}]`;
    const methods = requests.map(([method]) => method);
    return this.#ask(`the batch of ${requests.length}`, requests.length, lineOf, { ...limits, methods });
  }

  #ask(method, count, lineOf, { timeout, signal, take, methods }) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#failure) throw this.#failure;
      const id = this.#lastId + 1;
      const line = `${lineOf(id)}\n`;
      const bytes = Buffer.byteLength(line) - 1;
      if (bytes > this.#lineBytesMax) {
        const data = { kind: "too-large", limit: this.#lineBytesMax };
        const message = `The request ${method} has ${bytes} bytes; the daemon takes ${this.#lineBytesMax} in a line.`;
        // Not sent: the answer to a line that is not read to its end has no id, and could be anybody's.
        throw new TooLargeError({ code: -32009, message, data }, method);
      }
      this.#lastId += count;
      const entry = { method, resolve, reject, take, methods, timer: null, signal, onAbort: null };
      entry.timer = limiting(timeout, () => {
        this.#settle(id);
        reject(new TimeoutError(`${method} was not answered within ${Math.round(timeout)} ms.`, { method, timeout }));
      });
      if (signal) {
        entry.onAbort = () => {
          this.#settle(id);
          reject(signal.reason);
        };
        signal.addEventListener("abort", entry.onAbort, { once: true });
      }
      if (this.#pending.size === 0) this.#socket.ref();
      this.#pending.set(id, entry);
      this.#send(line);
    });
  }

  /** Takes a call off the list; nothing of it is kept, so a late reply finds nobody. */
  #settle(id) {
    const entry = this.#pending.get(id);
    if (!entry) return undefined;
    this.#pending.delete(id);
    clearTimeout(entry.timer);
    entry.signal?.removeEventListener("abort", entry.onAbort);
    if (this.#pending.size === 0 && !this.#staysReferenced) this.#socket.unref();
    return entry;
  }

  /** What is asked within one turn of Node's loop goes out in one write. */
  #send(line) {
    this.#out.push(line);
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    process.nextTick(() => {
      this.#isFlushing = false;
      const out = this.#out;
      this.#out = [];
      if (this.#failure === null) this.#socket.write(out.length === 1 ? out[0] : out.join(""));
    });
  }

  #read(chunk) {
    try {
      for (const line of this.#splitter.push(chunk)) {
        if (this.#failure) return;
        if (line.length > 0) this.#take(line);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #take(line) {
    const message = this.#parsed(line);
    if (Array.isArray(message)) return this.#takeBatch(message, line);
    if (message.method === "seam.event") {
      if (message.params === null || typeof message.params !== "object") throw this.#nonsense(line);
      this.onEvent?.(line, message.params);
      return;
    }
    // A notification of a later version is nobody's business.
    if (message.method !== undefined) return;
    if (message.error !== undefined) return this.#takeError(message, line);
    if (message.result === undefined || !this.#wasAsked(message.id)) throw this.#nonsense(line);
    const entry = this.#settle(message.id);
    if (!entry) return;
    entry.take?.(message.result);
    entry.resolve(message.result);
  }

  /** The replies of a batch, in whatever order, are kept under the id of its first request. */
  #takeBatch(replies, line) {
    const byId = new Map(replies.map((reply) => [reply?.id, reply]));
    if (replies.length === 0 || ![...byId.keys()].every((id) => this.#wasAsked(id))) throw this.#nonsense(line);
    const first = [...byId.keys()].reduce((least, id) => Math.min(least, id));
    // A late answer is nobody's.
    if (!this.#pending.has(first)) return;
    const { methods = [] } = this.#pending.get(first);
    if (byId.size !== methods.length || byId.size !== replies.length) throw this.#nonsense(line);
    const results = methods.map((method, index) => {
      const { result, error } = byId.get(first + index) ?? {};
      if (error !== undefined) {
        if (!Number.isInteger(error?.code) || typeof error.message !== "string") throw this.#nonsense(line);
        return callError(error, method);
      }
      if (result === undefined) throw this.#nonsense(line);
      return result;
    });
    this.#settle(first).resolve(results);
  }

  #takeError(message, line) {
    const { code, message: text } = message.error ?? {};
    if (!Number.isInteger(code) || typeof text !== "string") throw this.#nonsense(line);
    if (message.id === null || message.id === undefined) {
      // About the connection, or about a request that cannot be told from the others: all of them end with it.
      throw callError(message.error);
    }
    if (!this.#wasAsked(message.id)) throw this.#nonsense(line);
    const entry = this.#settle(message.id);
    entry?.reject(callError(message.error, entry.method));
  }

  #wasAsked(id) {
    return Number.isInteger(id) && id > 0 && id <= this.#lastId;
  }

  #parsed(line) {
    try {
      const message = JSON.parse(line);
      if (message !== null && typeof message === "object") return message;
    } catch {
      // Told below, with the line itself.
    }
    throw this.#nonsense(line);
  }

  #nonsense(line) {
    const excerpt = line.length > 120 ? `${line.slice(0, 120)}…` : line;
    return new ProtocolError(`What listens at ${this.#path} is no seamd; it said: ${excerpt}`);
  }

  #lost(cause) {
    const half = this.#splitter.pendingBytes > 0 ? " in the middle of a line" : "";
    return new ConnectionLostError(
      `The daemon at ${this.#path} has closed the connection${half}, or is gone.`,
      { path: this.#path, cause },
    );
  }

  #fail(error) {
    if (this.#failure) return;
    this.#failure = error;
    this.#socket.destroy();
    for (const [id, { method, reject }] of [...this.#pending]) {
      this.#settle(id);
      reject(
        error instanceof ConnectionLostError
          ? new ConnectionLostError(
            `${error.message} Whether ${method} was carried out is not known.`,
            { path: this.#path, method, cause: error.cause },
          )
          : error,
      );
    }
    this.#done(error);
  }
}

/** A connected socket; fails with ConnectError, TimeoutError or the signal's reason. */
function connected(path, timeout, signal) {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path });
    const settle = (act, value) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      socket.removeAllListeners();
      act(value);
    };
    const give = (error) => {
      settle(reject, error);
      // A late error of a socket that nobody waits for must not end the program.
      socket.on("error", () => {});
      socket.destroy();
    };
    const timer = limiting(timeout, () => {
      give(new TimeoutError(`No connection to ${path} within ${timeout} ms.`, { method: "connect", timeout }));
    });
    const onAbort = () => give(signal.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.once("connect", () => settle(resolve, socket));
    socket.once("error", (cause) => {
      const isOwn = privatePaths.has(path) && ["ENOENT", "ECONNREFUSED"].includes(cause.code);
      give(new ConnectError(
        isOwn ? `The private daemon that listened at ${path} has ended.` : `Nothing can be reached at ${path}: ${reason(cause, path)}`,
        { path, code: cause.code, cause },
      ));
    });
  });
}

function reason({ code, message }, path) {
  switch (code) {
    case "ENOENT": return `there is no such socket; start one with: seamd --socket ${path}`;
    // What the system says of anything that is no socket, too.
    case "ECONNREFUSED": return otherThanSocket(path) ?? `no daemon listens there any more; start one with: seamd --socket ${path}`;
    case "EACCES": return "this user may not use it";
    case "ENOTSOCK": return "it is no socket";
    case "ENOTDIR": return "a part of the path is no folder";
    default: return message;
  }
}

/** What is there instead of a socket, or null. */
function otherThanSocket(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found || found.isSocket()) return null;
  return found.isDirectory() ? "it is a folder; give the path of the socket in it" : "it is no socket";
}
