// Uses every part of the API, for the type checker alone; nothing here is run. Lines marked @ts-expect-error are
// mistakes that the types have to find.

import * as seam from "../../index.js";
import {
  connect, startDaemon, socketPath, verdicts, errorClasses,
  type Client, type Cursor, type DaemonCursor, type Field, type Simulation, type Turn, type Verdict, type WatchEvent,
} from "../../index.js";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
function same<A, B>(_: Same<A, B>): void {}

declare const signal: seam.Signal;

export async function connections(): Promise<void> {
  const path: string = socketPath(undefined, { SEAM_SOCKET: "/a" }, 1_000);
  const first: Client = await connect();
  await connect(path);
  const client = await connect({ path, timeout: 5, signal, reconnect: 1_000, maxLine: 65_535, name: "me" });
  await connect({ private: { program: "seamd", plugins: [], pluginDirs: [], arguments: ["--ring-entries", "64"], timeout: 1 } });
  const daemon = await startDaemon();
  const { code, signal: by } = await daemon.stop();
  same<typeof code, number | null>(true);
  same<typeof by, string | null>(true);
  const text: string = daemon.messages + daemon.path + String(daemon.pid);
  await daemon.ended;
  await daemon[Symbol.asyncDispose]();
  client.hello?.limits["lineBytes"];
  client.daemonEpoch?.length;
  client.daemon?.stop();
  await first.close();
  await first[Symbol.asyncDispose]();
  void text;
  // @ts-expect-error no such option
  await connect({ socket: "x" });
  // @ts-expect-error made by connect() alone
  new seam.Client("x");
}

export async function calls(client: Client): Promise<void> {
  const { daemonEpoch } = await client.ping({ timeout: 1, signal });
  same<typeof daemonEpoch, string>(true);
  const known = await client.call<{ daemonEpoch: string }>("seam.ping", {}, { timeout: 5 });
  known.daemonEpoch.length;
  await client.call("sim.create", ["live", "s"]);
  await client.stats();
  await client.discover();
  await client.shutdown();
  const { scenarios, failed } = await client.scenarios();
  scenarios[0]?.plugin?.length;
  failed[0]?.reason.length;
  await client.describe("live");
  const [info] = await client.simulations();
  info?.status === "failed";
  const run = await client.run("lessons.own-state", { steps: true, keep: true, params: { openCount: 3 } });
  run.checks[0]?.fields[0]?.expected;
  run.steps?.[0]?.changes[0]?.to;
  (await client.run("x", { why: true, trace: true })).trace?.length;
  const [first] = await client.batch([["seam.ping"], ["sim.get", { sim: "x" }], ["sim.get", ["x"]]]);
  void first;
  same<ReturnType<typeof client.offers>, Promise<boolean>>(true);
  (await client.policies()).profiles[0]?.policies["updates"]?.length;
  const replay = await client.replay("file", { id: "x", keep: false });
  replay.difference?.line;
  // @ts-expect-error a method is a text
  await client.call(7);
  // @ts-expect-error milliseconds are a number
  await client.ping({ timeout: "1" });
}

export async function simulations(client: Client): Promise<void> {
  const sim: Simulation = await client.create("live", {
    id: "x", params: { a: 1 }, policies: { updates: "manual", "round-limit": 5 }, profile: "lesson", seed: 1,
    clock: "virtual", lifetime: "connection", trace: false, history: 1_000, record: "file", timeout: 5, signal,
  });
  const turn: Turn = await sim.set({ a: 1, b: "x", c: null, d: true, e: 5n }, { ifSeq: 3 });
  turn.interim?.counts.stale;
  await sim.set({ a: 1 }, { interim: { label: "half way", fields: ["S.a"] } });
  await sim.send("event", { a: 1 }, { mount: 1 });
  await sim.clear(["a"]);
  await sim.show("S", { a: 1 });
  await sim.declare("S", ["a"]);
  await sim.hide("S", ["a"]);
  await sim.hide("S", undefined, { ifSeq: 3 });
  await sim.assign("host", { mount: 1 });
  await sim.update("list");
  const { mount } = await sim.mount("list");
  await sim.unmount("list", { mount });
  await sim.advance(250);
  const check = await sim.check({ label: "x", screen: "S", fields: ["a"] });
  check.diagnostics[0]?.severity;
  const why = await sim.explain("S.a");
  why.carriers[0]?.lastTurn?.toFixed();
  why.modelChanged?.by.length;
  why.shownWritten?.bridge?.length;
  const trace = await sim.trace({ from: 1, to: 5, limit: 10 });
  trace.records[0]?.wrote?.length;
  const fields: Field[] = await sim.fields({ screen: "S", at: 5 });
  const verdict: Verdict | undefined = fields[0]?.verdict;
  verdicts.includes(verdict ?? "stale");
  (await sim.info()).ms.toFixed();
  const other: Simulation = await sim.fork({ id: "y", at: 3 });
  (await other.record("file")).turn.toFixed();
  (await other.stopRecording()).bytes.toFixed();
  await other.setEnvironment({ locale: "de" }, { bridge: "host", mount: 1 });
  await other.setHost("host", { hidden: true, window: false, scene: "inactive", size: true, parked: false, mount: 1 });
  await other.identify("list", "x", { mount: 1 });
  await other.rebind("list", "x");
  await other.items("list", ["a", { id: "b", value: 1n }]);
  await other.dismiss("sheet");
  await other.build("host");
  await other.assign("host", { built: true });
  await other.update("list", { cause: "layout" });
  (await other.mounts({ bridge: "host" }))[0]?.identity?.length;
  (await other.check({ why: true, at: 3 })).fields[0]?.why?.length;
  await other.set(new Map([["a", 1]]), { interim: { label: "x", after: "layout" } });
  trace.next?.toFixed();
  trace.dropped.toFixed();
  const seen = await sim.waitFor("S.a", ["matching", "stale"], { timeout: 5, signal });
  same<typeof seen.kind, "state" | "change">(true);
  await sim.waitFor("S.a", "matching");
  (await sim.destroy()).seq.toFixed();
  await sim.dispose();
  await sim[Symbol.asyncDispose]();
  client.simulation("x").epoch?.length;
  // @ts-expect-error no such verdict
  await sim.waitFor("S.a", "stail");
  // @ts-expect-error a value is no list
  await sim.set({ a: [1] });
  // @ts-expect-error a Set has no values by key
  await sim.set(new Set(["a"]));
  // @ts-expect-error no interim read while the clock is moved on
  await sim.advance(5, { interim: { label: "x" } });
  // @ts-expect-error something has to be said of the host
  await sim.setHost("host");
  // @ts-expect-error undefined is no value; null is none
  await sim.set({ a: undefined });
}

export async function streams(client: Client, sim: Simulation): Promise<void> {
  const stream = client.watch({
    sim, match: ["S.*"], mode: "all", only: "verdicts", after: { epoch: "e", seq: 1 }, reconnect: Infinity, signal,
  });
  (await stream.opened).count.toFixed();
  const cursor: Cursor | DaemonCursor | null = stream.cursor;
  stream.waitingBytes.toFixed();
  for await (const event of stream) {
    same<typeof event, WatchEvent>(true);
    switch (event.kind) {
      case "change": same<typeof event.from, Verdict>(true); event.turn.toFixed(); event.verdict; event.name.length; break;
      case "state": same<typeof event.model, string | null>(true); event.shownBytes?.toFixed(); break;
      case "sync":
      case "mark": event.seq?.toFixed(); event.dseq?.toFixed(); break;
      case "diagnostic": event.code.length; event.text.length; break;
      case "lag": event.fromSeq.toFixed(); event.collapsed?.toFixed(); event.lost?.toFixed(); break;
      case "gap": same<typeof event.reason, "history" | "slow" | "snapshot">(true); event.after?.epoch.length; break;
      case "restarted": same<typeof event.epoch, string | null>(true); event.after?.epoch.length; break;
      case "end": same<typeof event.reason, seam.EndReason>(true); event.line?.length; break;
      case "sim": event.what === "created"; event.scenario.length; break;
      case "unknown": event.wireKind.length; event.params["x"]; break;
      default: {
        const nothing: never = event;
        void nothing;
      }
    }
  }
  await sim.watch({ snapshot: false }).next();
  await stream.return();
  stream.close();
  stream.fail(new Error("x"));
  await stream[Symbol.asyncDispose]();
  void cursor;
  // @ts-expect-error no such mode
  client.watch({ mode: "some" });
}

export function errors(error: unknown): string {
  if (error instanceof seam.WhichMountError) return error.known.join();
  if (error instanceof seam.ParamsError) return error.data.path ?? error.kind;
  if (error instanceof seam.CallError) return `${error.code} ${error.method ?? ""}`;
  if (error instanceof seam.ConnectError) return error.code ?? error.path ?? "";
  if (error instanceof seam.ConnectionLostError) return error.method ?? "";
  if (error instanceof seam.TimeoutError) return String(error.timeout);
  if (error instanceof seam.StreamEndedError) return error.reason;
  const classes: (typeof seam.CallError)[] = Object.values(errorClasses);
  return String(classes.length) + [seam.ClosedError, seam.ProtocolError, seam.LineTooLongError, seam.DaemonError].length;
}
