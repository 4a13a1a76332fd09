// Types of seamd-client. They need neither @types/node nor the DOM library, and TypeScript 4.8 or later.

declare global {
  interface SymbolConstructor {
    /** Here since older libraries do not declare it; at run time it is Node's (18.18 and later). */
    readonly asyncDispose: unique symbol;
  }
}

/** What of an AbortSignal is used: Node's and the browser's both are one. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: any;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: (this: any, event: any) => any, options?: any): void;
  removeEventListener(type: "abort", listener: (this: any, event: any) => any, options?: any): void;
}

export type Verdict = "matching" | "stale" | "missing" | "leftover" | "out-of-scope";
export const verdicts: readonly Verdict[];

/** null is none, which is not the empty text. */
export type FieldValue = string | number | boolean | bigint | null;
/** An object literal or a Map; instances of other classes are a TypeError, since JSON would lose what they hold. */
export type FieldValues = Readonly<Record<string, FieldValue>> | ReadonlyMap<string, FieldValue>;

export interface CallOptions {
  /** Milliseconds, at most 2147483647, or Infinity; 10,000 unless connect() was told otherwise. */
  timeout?: number;
  signal?: Signal;
}

/** A moment of the past, by one of the two; without either it is now. */
export interface MomentOptions {
  /** The end of the turn that told this seq. */
  at?: number;
  /** The end of this turn, also of one that changed nothing. */
  atTurn?: number;
}

// MARK: What the daemon answers

export interface Field {
  screen: string;
  field: string;
  verdict: Verdict;
  model: string | null;
  shown: string | null;
  /** The full size of a value that was cut. */
  modelBytes?: number;
  shownBytes?: number;
  /** The sentence of explain(), where `why` asked for it and the field does not match. */
  why?: string;
}

export interface Finding {
  code: string;
  severity: string;
  screen?: string;
  field?: string;
  bridge?: string;
  mount?: number;
  text: string;
}

export interface Counts {
  matching: number;
  stale: number;
  missing: number;
  leftover: number;
}

export interface Check {
  label: string;
  fields: Field[];
  counts: Counts;
  diagnostics: Finding[];
}

/** What one changing request has done: counts of changes and diagnostics. */
export interface Turn {
  seq: number;
  turn: number;
  changes: number;
  diagnostics: number;
  /** `omitted`: fields and findings that the reply had no room for. */
  interim?: Check & { omitted?: number };
}

export interface MountedTurn extends Turn {
  mount: number;
}

export interface SimulationInfo {
  sim: string;
  scenario: string;
  epoch: string;
  seq: number;
  turn: number;
  status: "running" | "failed";
}

export interface SimulationState extends SimulationInfo {
  ms: number;
  /** What there is now: mounts, controls, coordinators, … Not of `live`. */
  counts?: Record<string, number>;
  fields: Field[];
}

export interface ScenarioInfo {
  id: string;
  title: string;
  summary: string;
  plugin: string | null;
}

export interface ScenarioList {
  scenarios: ScenarioInfo[];
  failed: { file: string; reason: string }[];
}

export interface RunCheck {
  label: string;
  fields: (Field & { expected?: Verdict })[];
  counts: Counts;
  met?: boolean;
  diagnostics: Finding[];
}

export interface RunStep {
  step: Record<string, unknown>;
  calls: Record<string, unknown>[];
  changes: { screen: string; field: string; from: Verdict; to: Verdict; model: string | null; shown: string | null }[];
  diagnostics: Finding[];
}

export interface Run {
  checks: RunCheck[];
  diagnostics: Finding[];
  steps?: RunStep[];
  /** With `trace`: the calls, of which the oldest `dropped` are no longer there. */
  trace?: CallRecord[];
  dropped?: number;
  sim?: string;
}

/** One call across the seam. */
export interface CallRecord {
  turn: number;
  ms: number;
  round: number;
  call: string;
  bridge?: string;
  mount?: number;
  control?: number;
  coordinator?: number;
  cause?: string;
  origin?: string;
  wrote?: string[];
  /** Written into a control that was off the screen. */
  held?: string[];
  set?: string[];
  /** Mounts whose root view the call assigned. */
  assigned?: number[];
  /** The call that asked for this one, in an earlier round or turn. */
  source?: CallSource;
  /** Names that a long record left out. */
  omitted?: number;
  text?: string;
}

/** A call by its turn, and by an event's id or the call's own word. */
export interface CallSource {
  turn: number;
  by: string;
  bridge?: string;
  mount?: number;
}

export interface Trace {
  sim: string;
  from: number;
  to: number;
  /** The oldest turn that is kept, and how many records older than that are not. */
  oldest: number;
  dropped: number;
  records: CallRecord[];
  /** When `limit` was reached: `from` of what follows. */
  next?: number;
  /** When `limit` cut a turn: what is left of it, for `skip`. */
  omitted?: number;
}

/** A placement of a bridge. */
export interface Mount {
  mount: number;
  bridge: string;
  parent: number | null;
  owner: string | null;
  item: string | null;
  itemBytes?: number;
  identity: string | null;
  window: boolean;
  scene: "active" | "inactive";
  hidden: boolean;
  size: boolean;
  parked: boolean;
  made: boolean;
  attached: boolean;
  withheld: string | null;
  failure: string | null;
  failureBytes?: number;
}

export interface Policy {
  name: string;
  scope: "bridge" | "simulation";
  kind: "words" | "integer" | "names";
  words?: string[];
  minimum?: number;
  maximum?: number;
  default: string;
  meaning: string;
}

export interface PolicyList {
  policies: Policy[];
  profiles: { name: string; policies: Record<string, string> }[];
}

export interface Explanation {
  sim: string;
  screen: string;
  field: string;
  verdict: Verdict;
  model: string | null;
  shown: string | null;
  /** The full size of a value that was cut. */
  modelBytes?: number;
  shownBytes?: number;
  sentence: string;
  /** `source`: the call that asked for it, when that was earlier. */
  modelChanged: { turn: number; ms: number; by: string; source?: CallSource } | null;
  shownWritten: {
    turn: number;
    ms: number;
    by: string;
    bridge?: string;
    mount?: number;
    source?: CallSource;
  } | null;
  carriers: { bridge: string; call: string; mount?: number; lastTurn: number | null; since: number }[];
  calls: CallRecord[];
}

export interface Replay {
  sim?: string;
  turns: number;
  lines: number;
  same: boolean;
  torn?: boolean;
  unfinished?: boolean;
  difference?: { line: number; turn: number; expected: string | null; got: string | null; text?: string };
}

export interface Hello {
  protocol: { major: number; minor: number };
  server: string;
  version: string;
  daemonEpoch: string;
  pid: number;
  capabilities: string[];
  limits: Record<string, number>;
}

// MARK: Events

/** A place in the stream of one simulation. */
export interface Cursor {
  epoch: string;
  seq: number;
}

/** A place in the stream of the whole daemon. */
export interface DaemonCursor {
  epoch: string;
  dseq: number;
}

export class SeamEvent {
  /** The line as it came, without its LF; null for `gap`, `restarted`, and an `end` that the client found out itself. */
  get line(): string | null;
  readonly kind: string;
}

declare class FieldEvent extends SeamEvent {
  readonly sim: string;
  readonly seq: number;
  readonly dseq?: number;
  readonly screen: string;
  readonly field: string;
  readonly model: string | null;
  readonly shown: string | null;
  /** The full size of a value that was cut at 4,096 bytes; with `whole` none is. */
  readonly modelBytes?: number;
  readonly shownBytes?: number;
  /** `Screen.field`. */
  get name(): string;
}

export class Change extends FieldEvent {
  readonly kind: "change";
  readonly turn: number;
  readonly ms: number;
  readonly from: Verdict;
  readonly to: Verdict;
  /** The same as `to`. */
  get verdict(): Verdict;
}

export class State extends FieldEvent {
  readonly kind: "state";
  readonly verdict: Verdict;
}

declare class PlaceEvent extends SeamEvent {
  readonly sim?: string;
  readonly seq?: number;
  readonly dseq?: number;
}

export class Sync extends PlaceEvent {
  readonly kind: "sync";
}

export class Mark extends PlaceEvent {
  readonly kind: "mark";
}

export class Diagnostic extends PlaceEvent {
  readonly kind: "diagnostic";
  readonly turn: number;
  readonly ms: number;
  readonly code: string;
  readonly severity: string;
  readonly screen?: string;
  readonly field?: string;
  readonly bridge?: string;
  readonly mount?: number;
  readonly text: string;
}

export class Lag extends SeamEvent {
  readonly kind: "lag";
  readonly sim?: string;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly collapsed?: number;
  readonly lost?: number;
}

export type EndReason = "closed" | "destroyed" | "failed" | "slow" | "shutdown";

export class End extends PlaceEvent {
  readonly kind: "end";
  readonly reason: EndReason;
  readonly resume?: Cursor | DaemonCursor;
}

export class SimEvent extends PlaceEvent {
  readonly kind: "sim";
  readonly sim: string;
  readonly what: "exists" | "created" | "destroyed" | "failed";
  readonly scenario: string;
  readonly epoch: string;
  /** Of one that exists. */
  readonly status?: "running" | "failed";
}

export class Gap extends SeamEvent {
  readonly kind: "gap";
  get line(): null;
  readonly sim?: string;
  readonly after: Cursor | DaemonCursor | null;
  readonly reason: "history" | "slow" | "snapshot";
  readonly oldest?: number;
  readonly latest?: number;
}

export class Restarted extends SeamEvent {
  readonly kind: "restarted";
  get line(): null;
  readonly sim?: string;
  readonly after: Cursor | DaemonCursor | null;
  /** Null where another daemon has no such simulation yet; the stream's cursor has it once the snapshot is complete. */
  readonly epoch: string | null;
}

export class Unknown extends SeamEvent {
  readonly kind: "unknown";
  readonly wireKind: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export type WatchEvent =
  | Change | State | Sync | Mark | Diagnostic | Lag | End | SimEvent | Gap | Restarted | Unknown;

export interface WatchOptions {
  /** Globs over `Screen.field`, or `sim/Screen.field` when everything is watched; only `*` is special. */
  match?: string | string[];
  /** `latest` merges what a slow reader cannot take, `all` never does. */
  mode?: "latest" | "all";
  /** Leaves out changes whose verdict stays. */
  only?: "verdicts";
  /** Behind this place instead of a snapshot. */
  after?: Cursor | DaemonCursor | null;
  /** false: only what comes from now on. */
  snapshot?: boolean;
  /** How many milliseconds the daemon, or the simulation in it, may be away; Infinity is allowed. */
  reconnect?: boolean | number;
  signal?: Signal;
}

export class Watch implements AsyncIterableIterator<WatchEvent> {
  private constructor();
  readonly sim: string | undefined;
  get opened(): Promise<{ epoch: string; seq?: number; dseq?: number; count: number }>;
  get cursor(): Cursor | DaemonCursor | null;
  get waitingBytes(): number;
  next(): Promise<IteratorResult<WatchEvent, undefined>>;
  return(value?: any): Promise<IteratorResult<WatchEvent, any>>;
  close(): void;
  fail(error: unknown): void;
  [Symbol.asyncIterator](): this;
  [Symbol.asyncDispose](): Promise<void>;
}

// MARK: Client and simulation

export interface DaemonOptions {
  /** A path, or a name that is looked for in PATH; else $SEAMD, else seamd. */
  program?: string;
  plugins?: string[];
  pluginDirs?: string[];
  /** More options of seamd. */
  arguments?: string[];
  /** Milliseconds that the start may take; 30,000, or with connect() what that may take. */
  timeout?: number;
}

export class PrivateDaemon {
  private constructor();
  readonly path: string;
  readonly pid: number;
  get messages(): string;
  /** Asking for it keeps the program running until the daemon has ended. */
  get ended(): Promise<{ code: number | null; signal: string | null }>;
  stop(): Promise<{ code: number | null; signal: string | null }>;
  [Symbol.asyncDispose](): Promise<void>;
}

export function startDaemon(options?: DaemonOptions): Promise<PrivateDaemon>;

/** The path by the rules of `seam`: what is given, $SEAM_SOCKET, $XDG_RUNTIME_DIR, /run/user. */
export function socketPath(option?: string, environment?: Record<string, string | undefined>, uid?: number): string;

export interface ConnectOptions extends CallOptions {
  path?: string;
  /** Starts a daemon for this client alone, which ends with it. `timeout` holds for its start too. */
  private?: boolean | DaemonOptions;
  /** How long watches wait for a daemon that is away: true is 30,000 ms, false not at all. */
  reconnect?: boolean | number;
  /** The longest line that is taken, 65,535 bytes to 16 MiB; 1 MiB. */
  maxLine?: number;
  /** What the client calls itself in seam.stats. */
  name?: string;
}

export function connect(options?: string | ConnectOptions): Promise<Client>;

export interface ScenarioOptions {
  id?: string;
  params?: FieldValues;
  policies?: FieldValues;
  profile?: string;
  seed?: number;
  clock?: "virtual" | "real";
}

export interface CreateOptions extends ScenarioOptions, CallOptions {
  /** `connection`: it ends with this client's connection. */
  lifetime?: "daemon" | "connection";
  /** false: no trace() and no explain(). */
  trace?: boolean;
  /**
   * Bytes of its inputs that are kept from its creation on; 4 MiB unless the daemon says otherwise. While all of them
   * fit, `at` and fork() work; when they no longer do, both are a GoneError. 0 keeps none.
   */
  history?: number;
  /** An absolute path of a file that must not be there yet: it is recorded from its first turn on, as by record(). */
  record?: string;
}

export class Client {
  private constructor();
  readonly daemon: PrivateDaemon | null;
  get path(): string;
  get daemonEpoch(): string | null;
  get hello(): Hello | null;
  call<Result = any>(
    method: string, params?: Readonly<Record<string, unknown>> | readonly unknown[], options?: CallOptions,
  ): Promise<Result>;
  /** In one line; a CallError stands where one was refused. At most as many as `hello.limits.batch`. */
  batch(
    requests: readonly (readonly [
      method: string, params?: Readonly<Record<string, unknown>> | readonly unknown[],
    ])[],
    options?: CallOptions,
  ): Promise<any[]>;
  /** Whether the daemon has a method ("sim.fork") or a capability ("recordings"). */
  offers(name: string, options?: CallOptions): Promise<boolean>;
  ping(options?: CallOptions): Promise<{ daemonEpoch: string }>;
  stats(options?: CallOptions): Promise<Record<string, any>>;
  discover(options?: CallOptions): Promise<Record<string, any>>;
  shutdown(options?: CallOptions): Promise<Record<string, never>>;
  scenarios(options?: CallOptions): Promise<ScenarioList>;
  describe(scenario: string, options?: CallOptions): Promise<Record<string, any>>;
  policies(options?: CallOptions): Promise<PolicyList>;
  simulations(options?: CallOptions): Promise<SimulationInfo[]>;
  create(scenario: string, options?: CreateOptions): Promise<Simulation>;
  simulation(id: string): Simulation;
  /** Plays a scenario's script. `why`: a sentence for each field that does not match; `trace`: every call. */
  run(
    scenario: string,
    options?: ScenarioOptions & CallOptions & { keep?: boolean; steps?: boolean; why?: boolean; trace?: boolean },
  ): Promise<Run>;
  /**
   * Plays a recording to a new simulation and compares, byte for byte, what comes of it; `keep` leaves that simulation,
   * whose id is then `sim`.
   */
  replay(path: string, options?: CallOptions & { id?: string; keep?: boolean }): Promise<Replay>;
  watch(options?: WatchOptions & { sim?: string | Simulation }): Watch;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface SeqOptions extends CallOptions {
  /** Only if the simulation's seq is this; else ConflictError. */
  ifSeq?: number;
}

export interface TurnOptions extends SeqOptions {
  /** A check in the middle of the turn's work, answered as `interim`. */
  interim?: { label: string; fields?: string[]; after?: "event" | "layout" | "frame" };
}

export interface MountOptions extends TurnOptions {
  /** Needed when the bridge has several. */
  mount?: number;
}

export interface HostState {
  window?: boolean;
  scene?: "active" | "inactive";
  hidden?: boolean;
  size?: boolean;
  parked?: boolean;
}

export class Simulation {
  private constructor();
  readonly id: string;
  /**
   * Of the simulation that this program made, else null. Another that has taken its id since, such as after a restart, has
   * another: `(await sim.info()).epoch`.
   */
  readonly epoch: string | null;
  send(event: string, args?: FieldValues, options?: MountOptions): Promise<Turn>;
  set(values: FieldValues, options?: TurnOptions): Promise<Turn>;
  clear(keys: readonly string[], options?: TurnOptions): Promise<Turn>;
  show(screen: string, values: FieldValues, options?: TurnOptions): Promise<Turn>;
  declare(screen: string, fields: readonly string[], options?: TurnOptions): Promise<Turn>;
  /** Without keys the screen shows nothing any more. */
  hide(screen: string, keys?: readonly string[], options?: TurnOptions): Promise<Turn>;
  /** `built`: the root view that build() has made, not one of what the model has now. */
  assign(bridge: string, options?: MountOptions & { built?: boolean }): Promise<Turn>;
  build(bridge: string, options?: MountOptions): Promise<Turn>;
  update(
    bridge: string, options?: MountOptions & { cause?: "repeat" | "layout" | "focus" | "unrelated" | "container" },
  ): Promise<Turn>;
  mount(bridge: string, options?: TurnOptions): Promise<MountedTurn>;
  unmount(bridge: string, options?: MountOptions): Promise<Turn>;
  identify(bridge: string, identity: string, options?: MountOptions): Promise<Turn>;
  rebind(bridge: string, owner: string, options?: MountOptions): Promise<Turn>;
  items(
    bridge: string, items: readonly (string | { readonly id: string; readonly value?: FieldValue })[],
    options?: TurnOptions,
  ): Promise<Turn>;
  dismiss(bridge: string, options?: MountOptions): Promise<Turn>;
  mounts(options?: CallOptions & { bridge?: string }): Promise<Mount[]>;
  advance(ms: number, options?: SeqOptions): Promise<Turn>;
  /** `why`: a sentence for each field that does not match. `at`, `atTurn`: as it was then. `whole`: values to their end. */
  check(
    options?: CallOptions & MomentOptions & {
      label?: string; screen?: string; fields?: string[]; why?: boolean; whole?: boolean;
    },
  ): Promise<Check>;
  explain(field: string, options?: CallOptions): Promise<Explanation>;
  /** All records that are kept, or the first `limit` from turn `from` on, less `skip` of that turn. */
  trace(options?: CallOptions & { from?: number; to?: number; limit?: number; skip?: number }): Promise<Trace>;
  /**
   * As it is now, or was at that moment: the daemon makes it anew from the inputs that it keeps (`history`
   * of create()), and the simulation itself goes on undisturbed. GoneError when they are no longer all there.
   */
  info(options?: CallOptions & MomentOptions & { screen?: string; whole?: boolean }): Promise<SimulationState>;
  fields(options?: CallOptions & MomentOptions & { screen?: string; whole?: boolean }): Promise<Field[]>;
  /**
   * A second simulation, with an id and an epoch of its own, that has gone the same way up to now, or to that moment. From
   * there on the two know nothing of each other.
   */
  fork(options?: CallOptions & MomentOptions & { id?: string }): Promise<Simulation>;
  /**
   * Records it to a new file, from its creation on and until stopRecording() or its end: the inputs, and what came of
   * them from here on. `path` is absolute, and the daemon's user writes it.
   */
  record(path: string, options?: CallOptions): Promise<{ sim: string; path: string; turn: number }>;
  /** Answers when all of it is on the disk. */
  stopRecording(options?: CallOptions): Promise<{ sim: string; path: string; lines: number; bytes: number }>;
  /** Of the whole simulation, of one `bridge`, or of one `mount` of it. */
  setEnvironment(values: FieldValues, options?: MountOptions & { bridge?: string }): Promise<Turn>;
  /** At least one of window, scene, hidden, size, parked. */
  setHost(bridge: string, options: MountOptions & HostState): Promise<Turn>;
  watch(options?: WatchOptions): Watch;
  waitFor(field: string, verdict: Verdict | readonly Verdict[], options?: CallOptions): Promise<State | Change>;
  /** Harmless when this object has done so before. */
  destroy(options?: CallOptions): Promise<{ sim: string; seq: number }>;
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

// MARK: Errors

export class SeamError extends Error {}

export class ConnectError extends SeamError {
  readonly path?: string;
  /** Of the system: ENOENT, ECONNREFUSED, … */
  readonly code?: string;
}

export class ConnectionLostError extends SeamError {
  readonly path?: string;
  /** The call that was under way; whether it was carried out is not known. */
  readonly method?: string;
}

export class ClosedError extends SeamError {}
export class ProtocolError extends SeamError {}
export class LineTooLongError extends ProtocolError {}

export class TimeoutError extends SeamError {
  readonly method?: string;
  readonly timeout?: number;
}

export class StreamEndedError extends SeamError {
  readonly sim: string;
  readonly reason: EndReason;
}

export class DaemonError extends SeamError {}

export interface ErrorData {
  kind?: string;
  path?: string;
  expected?: string;
  known?: string[];
  [name: string]: unknown;
}

export class CallError extends SeamError {
  readonly code: number;
  readonly kind: string;
  readonly data: ErrorData;
  readonly method?: string;
  get known(): string[];
}

export class UnreadableLineError extends CallError {}
export class RequestError extends CallError {}
export class MethodError extends CallError {}
export class ParamsError extends CallError {}

export class ParseError extends UnreadableLineError {}
export class TooDeepError extends UnreadableLineError {}
export class NumberRangeError extends UnreadableLineError {}
export class InvalidRequestError extends RequestError {}
export class DuplicateKeyError extends RequestError {}
export class IdTypeError extends RequestError {}
export class UnknownMethodError extends MethodError {}
export class MissingParamError extends ParamsError {}
export class UnknownParamError extends ParamsError {}
export class WrongTypeError extends ParamsError {}
export class ValueNotTextError extends ParamsError {}
export class OutOfRangeError extends ParamsError {}
export class BadNameError extends ParamsError {}
export class UnknownBridgeError extends ParamsError {}
export class UnknownScreenError extends ParamsError {}
export class UnknownFieldError extends ParamsError {}
export class UnknownEventError extends ParamsError {}
export class UnknownKeyError extends ParamsError {}
export class UnknownArgError extends ParamsError {}
export class UnknownPolicyError extends ParamsError {}
export class UnknownProfileError extends ParamsError {}
export class WhichMountError extends ParamsError {}
export class NotLiveError extends ParamsError {}
export class NotTracedError extends ParamsError {}
export class ConflictingParamsError extends ParamsError {}
export class BadPathError extends ParamsError {}
export class BadRecordingError extends ParamsError {}
export class InternalError extends CallError {}
export class UnknownSimError extends CallError {}
export class UnknownScenarioError extends CallError {}
export class UnknownSubError extends CallError {}
export class PluginFailedError extends CallError {}
export class LimitError extends CallError {}
export class TooLargeError extends CallError {}
export class GoneError extends CallError {}
export class SeqInFutureError extends CallError {}
export class DeniedError extends CallError {}
export class ShuttingDownError extends CallError {}
export class ConflictError extends CallError {}
export class SimExistsError extends CallError {}
export class RecordedError extends CallError {}
export class NotRecordedError extends CallError {}
export class FileFailedError extends CallError {}
export class NotRepeatableError extends CallError {}

/** `data.kind` to class. */
export const errorClasses: Readonly<{
  "parse": typeof ParseError;
  "too-deep": typeof TooDeepError;
  "number-range": typeof NumberRangeError;
  "invalid-request": typeof InvalidRequestError;
  "duplicate-key": typeof DuplicateKeyError;
  "id-type": typeof IdTypeError;
  "unknown-method": typeof UnknownMethodError;
  "missing-param": typeof MissingParamError;
  "unknown-param": typeof UnknownParamError;
  "wrong-type": typeof WrongTypeError;
  "value-not-text": typeof ValueNotTextError;
  "out-of-range": typeof OutOfRangeError;
  "bad-name": typeof BadNameError;
  "unknown-bridge": typeof UnknownBridgeError;
  "unknown-screen": typeof UnknownScreenError;
  "unknown-field": typeof UnknownFieldError;
  "unknown-event": typeof UnknownEventError;
  "unknown-key": typeof UnknownKeyError;
  "unknown-arg": typeof UnknownArgError;
  "unknown-policy": typeof UnknownPolicyError;
  "unknown-profile": typeof UnknownProfileError;
  "which-mount": typeof WhichMountError;
  "not-live": typeof NotLiveError;
  "not-traced": typeof NotTracedError;
  "conflicting-params": typeof ConflictingParamsError;
  "bad-path": typeof BadPathError;
  "bad-recording": typeof BadRecordingError;
  "internal": typeof InternalError;
  "unknown-sim": typeof UnknownSimError;
  "unknown-scenario": typeof UnknownScenarioError;
  "unknown-sub": typeof UnknownSubError;
  "plugin-failed": typeof PluginFailedError;
  "limit": typeof LimitError;
  "too-large": typeof TooLargeError;
  "gone": typeof GoneError;
  "seq-in-future": typeof SeqInFutureError;
  "denied": typeof DeniedError;
  "shutting-down": typeof ShuttingDownError;
  "conflict": typeof ConflictError;
  "sim-exists": typeof SimExistsError;
  "recorded": typeof RecordedError;
  "not-recorded": typeof NotRecordedError;
  "file-failed": typeof FileFailedError;
  "not-repeatable": typeof NotRepeatableError;
}>;
