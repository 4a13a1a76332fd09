// A stream of events that outlives its connection.
//
// Each watch has a connection of its own. It is paused while the program has enough events to work on: then the
// daemon, which never waits for a reader, merges or drops what this one cannot take and says so (`lag`), while replies
// to calls go on over theirs. With one connection for both, a loop that awaits a call would wait for a reply that
// stands behind the very events it has not taken yet.

import {
  ClosedError, ConnectError, ConnectionLostError, GoneError, ShuttingDownError, TimeoutError, UnknownSimError,
} from "./errors.js";
import { End, eventOf, Gap, Restarted } from "./events.js";
import { describe, text } from "./limits.js";
import { Wire } from "./wire.js";

/** Bytes of lines waiting for the program, beyond which nothing more is read, and below which it is again. */
const enoughBytes = 256 << 10;
const fewBytes = 64 << 10;

const firstPause = 20;
const longestPause = 1_000;

/** Why a connection is given up while it still stands: the history ran away from this reader. */
const tooSlow = Symbol("slow");

/** How far a stream has come: only forward, since lines of merged changes carry their own, lower numbers. */
class Place {
  epoch = null;
  seq = null;

  begin({ epoch, seq }) {
    this.epoch = epoch;
    this.seq = seq;
  }

  passed(event, seqMember) {
    const seq = event[seqMember];
    switch (event.kind) {
      case "sync":
      case "mark":
        if (seq !== undefined) this.seq = Math.max(seq, this.seq ?? 0);
        break;
      case "sim":
        // A line of a snapshot is no place to resume from before all of it is here.
        if (event.what === "exists") break;
      // fallthrough
      case "change":
      case "diagnostic":
        if (this.seq !== null && seq > this.seq) this.seq = seq;
        break;
    }
  }

  cursor(seqMember) {
    return this.seq === null ? null : { epoch: this.epoch, [seqMember]: this.seq };
  }
}

export class Watch {
  #options;
  #seqMember;
  #after;
  #wire = null;
  #daemonEpoch = null;
  #sub = null;
  #onOther = null;
  /** Where the stream was read to, and where the program has come to. */
  #received = new Place();
  #delivered = new Place();
  #items = [];
  #taken = 0;
  #bytes = 0;
  #isPaused = false;
  #waiting = [];
  #hasStates = false;
  #isFinished = false;
  /** Whether it has been said that another daemon runs, which has no such simulation yet. */
  #isRestartTold = false;
  #failure = null;
  /** Why the connection of now ended; settles once. */
  #ended = null;
  #endWith = null;
  #stop = new AbortController();
  #opened;

  /** Use client.watch(). */
  constructor(options) {
    const { sim, match, mode, only, after, snapshot, signal } = options;
    this.#options = options;
    this.#seqMember = sim === undefined ? "dseq" : "seq";
    if (after !== undefined && after !== null) this.#after = cursorOf(after, this.#seqMember);
    if (this.#after && snapshot !== undefined) throw new TypeError("after and snapshot exclude each other");
    if (snapshot !== undefined && typeof snapshot !== "boolean") {
      throw new TypeError(`snapshot is true or false, not ${describe(snapshot)}`);
    }
    if (match !== undefined) {
      for (const pattern of [match].flat()) text(pattern, "match");
      if ([match].flat().length === 0) throw new TypeError("match is empty; leave it out to watch everything");
    }
    this.sim = sim;
    this.request = { sim, match: match === undefined ? undefined : [match].flat(), mode, only };
    signal?.throwIfAborted();
    this.#onAbort = () => this.fail(signal.reason);
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#opened = new Promise((resolve, reject) => {
      this.#settleOpened = { resolve, reject };
    });
    // Whoever does not ask for it is told by the loop.
    this.#opened.catch(() => {});
    // What came before is still to be seen: the error stands at its place in the stream.
    this.#run().catch((error) => this.#finish(error));
  }

  #onAbort;
  #settleOpened;

  /** Resolves with `{epoch, seq, count}` when the daemon has opened the stream: later changes are in it. */
  get opened() {
    return this.#opened;
  }

  /** Where the program has come to: for `after`. Null before the snapshot is complete. */
  get cursor() {
    return this.#delivered.cursor(this.#seqMember);
  }

  /** Bytes of lines that wait for the program. */
  get waitingBytes() {
    return this.#bytes;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  async next() {
    const event = this.#pop();
    if (event) return { value: event, done: false };
    if (this.#failure) {
      const failure = this.#failure;
      // Told once; then the stream is over, as with every iterator.
      this.#failure = null;
      throw failure;
    }
    if (this.#isFinished) return { value: undefined, done: true };
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** What leaving the loop does. */
  async return(value) {
    this.close();
    return { value, done: true };
  }

  /** Ends the stream; the loop over it ends without an error, and what was still waiting is dropped. */
  close() {
    this.#drop();
    this.#finish(null);
  }

  /** Ends the stream with an error, for whoever waits for the next event or asks for it; at once, as an abort does. */
  fail(error) {
    if (this.#isFinished) return;
    this.#drop();
    this.#finish(error);
  }

  #drop() {
    this.#items = [];
    this.#taken = 0;
    this.#bytes = 0;
  }

  #finish(error) {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#failure = error;
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#stop.abort();
    this.#wire?.close();
    this.#settleOpened.reject(error ?? new ClosedError("The stream was closed before it was open."));
    this.#options.onEnd();
    while (this.#waiting.length > 0) {
      const { resolve, reject } = this.#waiting.shift();
      if (this.#failure) {
        reject(this.#failure);
        this.#failure = null;
      } else {
        resolve({ value: undefined, done: true });
      }
    }
  }

  // MARK: Events

  #push(item) {
    if (this.#isFinished) return;
    this.#items.push(item);
    this.#bytes += item.bytes;
    while (this.#waiting.length > 0) {
      const event = this.#pop();
      if (!event) break;
      this.#waiting.shift().resolve({ value: event, done: false });
    }
  }

  #pop() {
    while (this.#taken < this.#items.length) {
      const item = this.#items[this.#taken];
      this.#items[this.#taken] = undefined;
      this.#taken += 1;
      this.#bytes -= item.bytes;
      if (this.#taken === this.#items.length || this.#taken === 4_096) {
        this.#items.splice(0, this.#taken);
        this.#taken = 0;
      }
      if (this.#isPaused && this.#bytes < fewBytes) {
        this.#isPaused = false;
        this.#wire?.resume();
      }
      this.#note(item);
      if (item.event) return item.event;
    }
    return null;
  }

  #note({ event, begin }) {
    if (begin) this.#delivered.begin(begin);
    else this.#delivered.passed(event, this.#seqMember);
  }

  #receive(line, params) {
    if (params.sub !== this.#sub) {
      this.#onOther?.(params);
      return;
    }
    const event = eventOf(line, params);
    this.#received.passed(event, this.#seqMember);
    if (event.kind === "state") this.#hasStates = true;
    if (event.kind === "end") {
      this.#takeEnd(event);
      return;
    }
    this.#push({ event, bytes: line.length });
    // Only for lines of the stream: what the client says itself stands before a reply that has yet to be read.
    if (this.#bytes > enoughBytes && !this.#isPaused) {
      this.#isPaused = true;
      this.#wire.pause();
    }
  }

  #takeEnd(event) {
    const comesBack = this.#options.reconnect > 0;
    if (event.reason === "slow" && comesBack) {
      this.#endWith(tooSlow);
    } else if (event.reason !== "shutdown" || !comesBack) {
      this.#push({ event, bytes: 0 });
      this.#finish(null);
    }
    // A shutdown is followed by the end of the connection.
  }

  // MARK: The connection

  async #run() {
    await this.#connect(this.#options.settings.timeout);
    await this.#open(this.#after ?? null);
    while (!this.#isFinished) {
      const why = await this.#ended;
      if (this.#isFinished) return;
      const isSlow = why === tooSlow;
      if (!isSlow && (this.#options.reconnect === 0 || !isPassing(why))) throw why;
      await this.#comeBack(isSlow, why);
    }
  }

  async #connect(timeout) {
    const wire = await Wire.open({
      ...this.#options.settings, timeout, signal: this.#stop.signal, keepsAlive: true,
    });
    if (this.#isFinished) {
      wire.close();
      throw this.#stop.signal.reason;
    }
    this.#wire = wire;
    // Numbers of subscriptions start anew with the daemon: the old one may come again for another.
    this.#sub = null;
    this.#ended = new Promise((done) => {
      this.#endWith = done;
    });
    wire.ended.then(this.#endWith);
    wire.onEvent = (line, params) => this.#receive(line, params);
  }

  #call(method, params, take) {
    const { timeout } = this.#options.settings;
    return this.#wire.call(method, params, { timeout, signal: this.#stop.signal, take });
  }

  /** Opens behind `after`, or with a snapshot when that is nowhere or can no longer be had. */
  async #open(after) {
    this.#isPaused = false;
    try {
      await this.#subscribe(after);
    } catch (error) {
      if (!(error instanceof GoneError) || !after) throw error;
      const { epoch, oldest, latest } = error.data;
      const { sim } = this;
      this.#push({
        event: epoch === after.epoch
          ? new Gap({ sim, after, reason: "history", oldest, latest })
          : new Restarted({ sim, after, epoch }),
        bytes: 0,
      });
      await this.#subscribe(null);
    }
  }

  async #subscribe(after) {
    const start = !after && this.#options.snapshot === false && this.#received.epoch === null ? "now" : undefined;
    // Lines may follow in the same chunk: what they need is noted before they are looked at.
    const take = (result) => {
      this.#sub = result.sub;
      const seq = result[this.#seqMember];
      const begin = { epoch: result.epoch, seq: after ? after[this.#seqMember] : start ? seq : null };
      this.#received.begin(begin);
      this.#hasStates = false;
      this.#push({ begin, bytes: 0 });
      this.#settleOpened.resolve({ epoch: result.epoch, [this.#seqMember]: seq, count: result.count });
    };
    this.#sub = null;
    await this.#call("sub.open", { ...this.request, after: after ?? undefined, start }, take);
    this.#daemonEpoch = this.#wire.hello.daemonEpoch;
  }

  /** After the connection was lost, or given up since the history ran away: finds the way back within the limit. */
  async #comeBack(isSlow, lost) {
    this.#wire.close();
    let after = this.#received.cursor(this.#seqMember);
    if (isSlow || (!after && this.#hasStates)) {
      this.#push({ event: new Gap({ sim: this.sim, after, reason: isSlow ? "slow" : "snapshot" }), bytes: 0 });
      after = null;
    }
    const deadline = performance.now() + this.#options.reconnect;
    const left = () => deadline - performance.now();
    let pause = firstPause;
    let failure = isSlow ? new ConnectionLostError("The stream was given up, and no time was left to open it anew.") : lost;
    while (left() > 0) {
      try {
        await this.#connect(Math.min(this.#options.settings.timeout, Math.max(1, left())));
        if (!(await this.#isThere(left, after))) return;
        await this.#open(this.#isRestartTold ? null : after);
        this.#isRestartTold = false;
        return;
      } catch (error) {
        if (this.#isFinished) return;
        if (!isPassing(error) && !(error instanceof UnknownSimError)) throw error;
        failure = error;
        // A refused opening leaves a connection that is of no use.
        this.#wire.close();
      }
      await this.#rest(Math.min(pause, Math.max(0, left())));
      if (this.#isFinished) return;
      pause = Math.min(pause * 2, longestPause);
    }
    throw failure;
  }

  /**
   * Waits until the simulation is there. False when it never will be: the daemon is the same, and so it was
   * destroyed meanwhile.
   */
  async #isThere(left, after) {
    if (this.sim === undefined) return true;
    if (await this.#exists()) return true;
    if (this.#wire.hello.daemonEpoch === this.#daemonEpoch) {
      this.#push({ event: new End(null, { sim: this.sim, reason: "destroyed" }), bytes: 0 });
      this.#finish(null);
      return false;
    }
    if (!this.#isRestartTold) {
      // Said at once: whoever makes the simulation anew may come much later, or never.
      this.#isRestartTold = true;
      const begin = { epoch: null, seq: null };
      this.#received.begin(begin);
      this.#push({ event: new Restarted({ sim: this.sim, after, epoch: null }), begin, bytes: 0 });
    }
    // After a restart it is there again only when somebody makes it: the daemon's own stream tells.
    let own = null;
    const created = new Promise((done) => {
      this.#onOther = ({ sub, kind, sim, what }) => {
        if (sub === own && kind === "sim" && sim === this.sim && what === "created") done();
      };
    });
    try {
      const params = { match: [`${this.sim}/*`], start: "now" };
      const { sub } = await this.#call("sub.open", params, (result) => {
        own = result.sub;
      });
      // It may have been made between the two questions.
      if (!(await this.#exists())) {
        await Promise.race([created, this.#wire.ended, this.#rest(Math.max(0, left()))]);
        if (this.#isFinished) return false;
      }
      await this.#call("sub.close", { sub });
      return true;
    } finally {
      this.#onOther = null;
    }
  }

  async #exists() {
    try {
      await this.#call("sim.get", { sim: this.sim, limit: 1 });
      return true;
    } catch (error) {
      if (error instanceof UnknownSimError) return false;
      throw error;
    }
  }

  /** Over when the time is, or the stream. */
  #rest(milliseconds) {
    return new Promise((done) => {
      if (this.#isFinished) return done();
      const { signal } = this.#stop;
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        done();
      };
      const timer = milliseconds === Infinity ? undefined : setTimeout(end, milliseconds);
      signal.addEventListener("abort", end, { once: true });
    });
  }
}
if (Symbol.asyncDispose) {
  Watch.prototype[Symbol.asyncDispose] = async function () {
    this.close();
  };
}

/** Whether a later attempt may go well. */
function isPassing(error) {
  return [ConnectError, ConnectionLostError, TimeoutError, ShuttingDownError].some((type) => error instanceof type);
}

function cursorOf(value, seqMember) {
  const { epoch, [seqMember]: seq } = value;
  if (typeof epoch !== "string" || !Number.isSafeInteger(seq) || seq < 0) {
    throw new TypeError(`after is a cursor of such a stream, {epoch, ${seqMember}}, not ${JSON.stringify(value)}`);
  }
  return { epoch, [seqMember]: seq };
}
