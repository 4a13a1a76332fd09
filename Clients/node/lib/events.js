// Event lines as objects. Members keep the protocol's names; `name` is "Screen.field", as in patterns and waitFor.
//
// `seq`, `dseq` and `turn` are numbers: a double holds every integer up to 2^53, which at a million changes a second
// is reached after 285 years. A greater one is refused with a ProtocolError, never rounded.

import { ProtocolError } from "./errors.js";

/** Bytes of memory are counted by lines waiting, so an event keeps its line instead of a copy of its members. */
export class SeamEvent {
  #line;

  constructor(line, kind) {
    this.#line = line;
    this.kind = kind;
  }

  /** The line as it came, without its LF; null for what the client found out itself (`gap`, `restarted`). */
  get line() {
    return this.#line;
  }
}

class FieldEvent extends SeamEvent {
  constructor(line, params, kind) {
    super(line, kind);
    this.sim = params.sim;
    this.seq = params.seq;
    if (params.dseq !== undefined) this.dseq = params.dseq;
    this.screen = params.screen;
    this.field = params.field;
    this.model = params.model;
    this.shown = params.shown;
    // Only there when the value is cut: its full size.
    if (params.modelBytes !== undefined) this.modelBytes = params.modelBytes;
    if (params.shownBytes !== undefined) this.shownBytes = params.shownBytes;
  }

  get name() {
    return `${this.screen}.${this.field}`;
  }
}

/** One field changed: `from` one verdict `to` another, or fell further behind when they are the same. */
export class Change extends FieldEvent {
  constructor(line, params) {
    super(line, params, "change");
    this.turn = params.turn;
    this.ms = params.ms;
    this.from = params.from;
    this.to = params.to;
  }

  /** The verdict that holds now, by the name that a `state` has for it. */
  get verdict() {
    return this.to;
  }
}

/** A field as it was when the stream began, or began anew. */
export class State extends FieldEvent {
  constructor(line, params) {
    super(line, params, "state");
    this.verdict = params.verdict;
  }
}

class PlaceEvent extends SeamEvent {
  constructor(line, params, kind) {
    super(line, kind);
    if (params.sim !== undefined) this.sim = params.sim;
    if (params.seq !== undefined) this.seq = params.seq;
    if (params.dseq !== undefined) this.dseq = params.dseq;
  }
}

/** The snapshot is complete; what follows is later. */
export class Sync extends PlaceEvent {
  constructor(line, params) {
    super(line, params, "sync");
  }
}

/** Everything up to here was sent. */
export class Mark extends PlaceEvent {
  constructor(line, params) {
    super(line, params, "mark");
  }
}

/** A finding that end states cannot show. */
export class Diagnostic extends PlaceEvent {
  constructor(line, params) {
    super(line, params, "diagnostic");
    this.turn = params.turn;
    this.ms = params.ms;
    this.code = params.code;
    this.severity = params.severity;
    if (params.screen !== undefined) this.screen = params.screen;
    if (params.field !== undefined) this.field = params.field;
    if (params.bridge !== undefined) this.bridge = params.bridge;
    if (params.mount !== undefined) this.mount = params.mount;
    this.text = params.text;
  }
}

/** This reader was too slow: between `fromSeq` and `toSeq`, lines were merged (`collapsed`) or are `lost`. */
export class Lag extends SeamEvent {
  constructor(line, params) {
    super(line, "lag");
    if (params.sim !== undefined) this.sim = params.sim;
    this.fromSeq = params.fromSeq ?? params.fromDseq;
    this.toSeq = params.toSeq ?? params.toDseq;
    if (params.collapsed !== undefined) this.collapsed = params.collapsed;
    if (params.lost !== undefined) this.lost = params.lost;
  }
}

/** The last event of a stream: `closed`, `destroyed`, `failed`, `slow` or `shutdown`. */
export class End extends PlaceEvent {
  constructor(line, params) {
    super(line, params, "end");
    this.reason = params.reason;
    if (params.resume !== undefined) this.resume = params.resume;
  }
}

/** A simulation `exists` (in the snapshot), was `created`, `destroyed` or has `failed`; in a watch over the whole daemon. */
export class SimEvent extends PlaceEvent {
  constructor(line, params) {
    super(line, params, "sim");
    this.what = params.what;
    this.scenario = params.scenario;
    this.epoch = params.epoch;
    if (params.status !== undefined) this.status = params.status;
  }
}

/** What happened between `after` and the snapshot that follows is not known: the daemon's history is shorter. */
export class Gap extends SeamEvent {
  constructor({ sim, after, reason, oldest, latest }) {
    super(null, "gap");
    if (sim !== undefined) this.sim = sim;
    this.after = after;
    /** `history` no longer reaches back, this reader was `slow`, or the `snapshot` broke off half way. */
    this.reason = reason;
    if (oldest !== undefined) this.oldest = oldest;
    if (latest !== undefined) this.latest = latest;
  }
}

/** Another run of the daemon, or of the simulation: nothing joins up; a snapshot of the new one follows. */
export class Restarted extends SeamEvent {
  constructor({ sim, after, epoch }) {
    super(null, "restarted");
    if (sim !== undefined) this.sim = sim;
    this.after = after;
    /** Null where another daemon has no such simulation yet; the stream's cursor has it once the snapshot is complete. */
    this.epoch = epoch;
  }
}

/** A kind of a later protocol version. */
export class Unknown extends SeamEvent {
  constructor(line, params) {
    super(line, "unknown");
    this.wireKind = params.kind;
    this.params = params;
  }
}

const classes = new Map([
  ["verdict", Change],
  ["state", State],
  ["sync", Sync],
  ["mark", Mark],
  ["diagnostic", Diagnostic],
  ["lag", Lag],
  ["end", End],
  ["sim", SimEvent],
]);

/** The object for an event line that has been parsed. */
export function eventOf(line, params) {
  for (const place of [params.seq, params.dseq]) {
    if (place !== undefined && !Number.isSafeInteger(place)) {
      throw new ProtocolError(`An event line has a seq that no JavaScript number holds: ${line.slice(0, 200)}`);
    }
  }
  return new (classes.get(params.kind) ?? Unknown)(line, params);
}
