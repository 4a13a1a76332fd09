import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as seam from "../index.js";
import { connect } from "../index.js";
import { Lines, folder, program, relay, seamd } from "./support.js";

let client;
before(async () => {
  client = await connect({ private: { program } });
});
after(() => client.close());

/** Takes events up to the first for which `isLast` holds, and includes it. */
async function through(stream, isLast) {
  const events = [];
  for (;;) {
    const { value, done } = await stream.next();
    if (done) return events;
    events.push(value);
    if (isLast(value)) return events;
  }
}

const brief = (event) => [event.kind, event.name, event.verdict, event.shown].filter((part) => part ?? false).join(" ");

test("a stream is a snapshot, a sync, and every change after it, then an end", async () => {
  const sim = await client.create("live");
  await sim.declare("S", ["a"]);
  const stream = sim.watch();
  assert.deepEqual(await stream.opened, { epoch: sim.epoch, seq: 0, count: 1 });
  assert.equal(stream.cursor, null);
  await sim.set({ a: "é" });
  await sim.show("S", { a: "x" });
  await sim.destroy();
  const events = [];
  const cursors = [];
  for await (const event of stream) {
    events.push(event);
    cursors.push(stream.cursor?.seq ?? null);
  }
  assert.deepEqual(events.map(brief), [
    "state S.a out-of-scope", "sync", "change S.a missing", "change S.a stale x", "end",
  ]);
  assert.deepEqual(cursors, [null, 0, 1, 2, 2]);
  assert(events[0] instanceof seam.State && events[1] instanceof seam.Sync && events[2] instanceof seam.Change);
  assert(events.at(-1) instanceof seam.End);
  assert.equal(events.at(-1).reason, "destroyed");
  const { kind, seq, screen, field, from, to, model } = events[3];
  assert.deepEqual(
    { kind, seq, screen, field, from, to, model },
    { kind: "change", seq: 2, screen: "S", field: "a", from: "missing", to: "stale", model: "é" },
  );
  assert.equal(JSON.parse(events[3].line).params.kind, "verdict", "the line is there as it came");
  assert.deepEqual(await stream.next(), { value: undefined, done: true });
});

test("match, only, mode and snapshot: false reach the daemon", async () => {
  const sim = await client.create("live");
  await sim.declare("S", ["a", "b"]);
  const stream = sim.watch({ match: "S.b", only: "verdicts", mode: "all", snapshot: false });
  const opened = await stream.opened;
  assert.equal(opened.count, 0);
  assert.deepEqual(stream.cursor, null, "nothing was taken from it yet");
  await sim.set({ a: 1, b: 1 });
  await sim.set({ b: 2 });
  await sim.show("S", { b: 2 });
  const [sync, ...changes] = await through(stream, (event) => event.to === "matching");
  assert.equal(sync.kind, "sync");
  assert.deepEqual(changes.map(brief), ["change S.b missing", "change S.b matching 2"]);
  assert.deepEqual(stream.cursor, { epoch: sim.epoch, seq: 4 });
  await stream.return();
  await sim.destroy();
});

test("a diagnostic of a lesson, and the daemon's own stream", async () => {
  const everything = client.watch({ match: "dw/*" });
  await everything.opened;
  const sim = await client.create("live", { id: "dw" });
  await sim.declare("S", ["a"]);
  await sim.set({ a: 1 });
  const other = await client.create("live", { id: "not-dw" });
  await other.declare("S", ["a"]);
  await other.set({ a: 1 });
  await other.destroy();
  await sim.destroy();
  const events = await through(everything, (event) => event.what === "destroyed" && event.sim === "dw");
  assert.deepEqual(events.map((event) => `${event.sim ?? ""} ${event.what ?? event.kind}`), [
    // Simulations come and go for every reader; the pattern is about their fields.
    " sync", "dw created", "dw change", "not-dw created", "not-dw destroyed", "dw destroyed",
  ]);
  assert(events[1] instanceof seam.SimEvent && events[1].dseq > 0);
  const cursor = everything.cursor;
  assert.equal(cursor.epoch, client.daemonEpoch);
  everything.close();

  const loop = await client.create("coordinator.draft-loop");
  const stream = loop.watch({ snapshot: false, only: "verdicts" });
  await stream.opened;
  await loop.send("type", { text: "Dear" });
  const found = (await through(stream, (event) => event.kind === "diagnostic")).at(-1);
  assert(found instanceof seam.Diagnostic);
  assert.deepEqual([found.code, found.severity, found.sim], ["feedback-loop", "error", loop.id]);
  assert.match(found.text, /did not settle/);
  stream.close();
  await loop.destroy();
});

test("waitFor: at once, later, in vain, and when the simulation goes", async () => {
  const sim = await client.create("live");
  await sim.declare("S", ["a", "a.b"]);
  await sim.set({ a: 1 });
  assert.equal((await sim.waitFor("S.a", "missing")).kind, "state");
  const later = sim.waitFor("S.a", ["matching", "stale"]);
  await sim.show("S", { a: 2 });
  const seen = await later;
  assert.deepEqual([seen.verdict, seen.model, seen.shown], ["stale", "1", "2"]);
  await assert.rejects(sim.waitFor("S.a", "matching", { timeout: 1_000 }), (error) => {
    assert(error instanceof seam.TimeoutError);
    assert.match(error.message, /S\.a of \S+ is not matching after 1000 ms; it is stale \(model "1", shown "2"\)/);
    return true;
  });
  await assert.rejects(sim.waitFor("S.never", "matching", { timeout: 30 }), /there is no such field/);
  const why = new Error("enough");
  const controller = new AbortController();
  const aborted = assert.rejects(sim.waitFor("S.a", "matching", { signal: controller.signal }), why);
  controller.abort(why);
  await aborted;
  const { subscriptions } = await client.stats();
  const gone = assert.rejects(sim.waitFor("S.a.b", "matching"), (error) => {
    assert(error instanceof seam.StreamEndedError && error.reason === "destroyed");
    return true;
  });
  while ((await client.stats()).subscriptions <= subscriptions);
  await sim.destroy();
  await gone;
  await assert.rejects(sim.waitFor("S.a", "stale"), seam.UnknownSimError);
});

test("abort before, during and after; break; close; a second loop", async () => {
  const sim = await client.create("live");
  await sim.declare("S", ["a"]);
  const why = new Error("enough");
  assert.throws(() => sim.watch({ signal: AbortSignal.abort(why) }), why);

  const during = new AbortController();
  const stream = sim.watch({ signal: during.signal });
  await through(stream, (event) => event.kind === "sync");
  const next = assert.rejects(stream.next(), why);
  during.abort(why);
  await next;
  assert.equal((await stream.next()).done, true, "an error is told once");

  const unopened = new AbortController();
  const early = sim.watch({ signal: unopened.signal });
  unopened.abort(why);
  await assert.rejects(early.opened, why);
  await assert.rejects(early.next(), why);

  const afterwards = new AbortController();
  const done = sim.watch({ signal: afterwards.signal });
  for await (const event of done) if (event.kind === "sync") break;
  afterwards.abort(why);
  assert.equal((await done.next()).done, true);

  const closed = sim.watch();
  await closed.opened;
  closed.close();
  for await (const event of closed) assert.fail(`${event.kind} after close`);
  await sim.destroy();
});

test("what the daemon refuses is told by opened and by the loop", async () => {
  const rows = [
    [{ sim: "nobody" }, seam.UnknownSimError],
    [{ mode: "some" }, seam.OutOfRangeError],
    [{ only: 7 }, seam.WrongTypeError],
    [{ match: "x".repeat(70_000) }, seam.CallError],
  ];
  for (const [options, type] of rows) {
    const stream = client.watch(options);
    await assert.rejects(stream.opened, type);
    await assert.rejects(stream.next(), type);
    assert.equal((await stream.next()).done, true);
  }
  const sim = await client.create("live");
  await assert.rejects(sim.watch({ after: { epoch: sim.epoch, seq: 99 } }).opened, seam.SeqInFutureError);
  await sim.destroy();
  const own = await connect(client.path);
  const left = own.watch();
  await left.opened;
  const rest = assert.rejects(through(left, () => false), seam.ClosedError);
  await own.close();
  await rest;
});

test("after: continues behind a place; another epoch is restarted, a history too short is a gap", async (t) => {
  const path = join(folder(t), "s");
  await seamd(t, path, "--ring-entries", "64");
  const own = await connect(path);
  const sim = await own.create("live", { id: "s" });
  await sim.declare("S", ["a"]);
  await sim.set({ a: 1 });
  await sim.show("S", { a: 1 });
  const resumed = sim.watch({ after: { epoch: sim.epoch, seq: 1 } });
  const events = await through(resumed, (event) => event.kind === "change");
  assert.deepEqual(events.map(({ kind }) => kind).filter((kind) => kind !== "sync"), ["change"]);
  assert.equal(events.at(-1).seq, 2);
  resumed.close();

  const other = sim.watch({ after: { epoch: "0123456789abcdef", seq: 1 } });
  const [restarted, state, sync] = await through(other, (event) => event.kind === "sync");
  assert(restarted instanceof seam.Restarted && restarted.line === null);
  assert.deepEqual([restarted.epoch, restarted.after.seq], [sim.epoch, 1]);
  assert.deepEqual([state.verdict, sync.seq], ["matching", 2]);
  other.close();

  for (let value = 0; value < 100; value += 1) await sim.set({ a: value });
  const late = sim.watch({ after: { epoch: sim.epoch, seq: 1 } });
  const [gap, now] = await through(late, (event) => event.kind === "sync");
  assert(gap instanceof seam.Gap);
  assert.deepEqual([gap.reason, gap.after.seq], ["history", 1]);
  assert(gap.oldest > 1);
  assert.equal(now.model, "99");
  late.close();
  await own.close();
});

// MARK: Lost connections

for (const [name, options] of [["one simulation", (sim) => ({ sim })], ["the daemon", () => ({})]]) {
  test(`a connection that breaks again and again loses nothing and doubles nothing: ${name}`, async (t) => {
    const path = join(folder(t), "s");
    await seamd(t, path);
    const line = await relay(t, path);
    // From half a line to many; the snapshot alone is longer than the smallest.
    let round = 0;
    line.budget = () => 700 + ((round += 1) * 397) % 9_000;
    const writer = await connect(path);
    const sim = await writer.create("live", { id: "s" });
    await sim.declare("S", ["größe"]);
    const reader = new seam.Client(line.path, {}, null);
    const stream = reader.watch({ ...options(sim), mode: "all" });
    await stream.opened;
    const count = 1_500;
    const writes = (async () => {
      for (let value = 1; value <= count; value += 1) await sim.set({ größe: `ü${value}` });
    })();
    const seen = [];
    let gaps = 0;
    for await (const event of stream) {
      if (event.kind === "gap") gaps += 1;
      if (event.kind !== "change") continue;
      seen.push(event.seq);
      if (event.seq === count) break;
    }
    await writes;
    assert.equal(gaps, 0);
    assert.deepEqual(seen, Array.from({ length: count }, (_, index) => index + 1).slice(-seen.length));
    assert(seen.length > count - 50, `${seen.length} of ${count}`);
    assert(line.connections > 20, `${line.connections} connections`);
    await Promise.all([reader.close(), writer.close()]);
  });
}

test("kill -9 under a watch: restarted, a snapshot, and on it goes", async (t) => {
  const path = join(folder(t), "s");
  const first = await seamd(t, path);
  const own = await connect(path);
  const sim = await own.create("live", { id: "app" });
  await sim.declare("S", ["a"]);
  await sim.set({ a: 1 });
  const stream = own.watch({ sim: "app" });
  await through(stream, (event) => event.kind === "sync");
  await sim.show("S", { a: 1 });
  assert.equal((await through(stream, (event) => event.kind === "change")).at(-1).to, "matching");
  const before = stream.cursor;

  assert.equal(await first.end("SIGKILL"), "SIGKILL");
  await seamd(t, path);
  // The daemon is back without it; the program that reports makes it again, and the stream finds it by itself.
  const again = await own.create("live", { id: "app" });
  await again.declare("S", ["a"]);
  await again.set({ a: 5 });
  const events = await through(stream, (event) => event.kind === "sync");
  assert.equal(events[0].kind, "restarted");
  assert.deepEqual(events[0].after, before);
  // It may have been said before the simulation was there.
  assert([null, again.epoch].includes(events[0].epoch));
  assert.equal(events.filter(({ kind }) => kind === "restarted").length, 1);
  await again.show("S", { a: 5 });
  const change = events.concat(await through(stream, (event) => event.verdict === "matching")).at(-1);
  assert.deepEqual([change.model, change.shown], ["5", "5"]);
  assert.equal(stream.cursor.epoch, again.epoch);
  await own.close();
});

test("a daemon that comes back without the simulation: told at once, and once", async (t) => {
  const path = join(folder(t), "s");
  const first = await seamd(t, path);
  const own = await connect(path);
  const sim = await own.create("live", { id: "app" });
  await sim.show("S", { a: 1 });
  const stream = own.watch({ sim: "app", reconnect: Infinity });
  const impatient = own.watch({ sim: "app", reconnect: 500 });
  for (const one of [stream, impatient]) await through(one, (event) => event.kind === "sync");
  const before = stream.cursor;
  const waiting = own.simulation("app").waitFor("S.a", "stale", { timeout: 3_000 });
  // Looked at below, when it has had its time.
  waiting.catch(() => {});
  while ((await own.stats()).subscriptions < 3);
  await first.end("SIGKILL");
  await seamd(t, path);
  const { value } = await stream.next();
  assert.deepEqual([value.kind, value.epoch, value.after], ["restarted", null, before]);
  assert.equal(stream.cursor, null);
  assert.equal((await impatient.next()).value.kind, "restarted");
  await assert.rejects(impatient.next(), seam.UnknownSimError);
  await assert.rejects(waiting, /the daemon was started anew, and there is no simulation app in it/);
  const again = await own.create("live", { id: "app" });
  await again.show("S", { a: 2 });
  const events = await through(stream, (event) => event.kind === "sync");
  assert(events.every(({ kind }) => ["state", "change", "sync"].includes(kind)), events.map(brief).join(", "));
  assert.equal(stream.cursor.epoch, again.epoch);
  await own.close();
});

test("waitFor: a misspelt field is told with those that there are", async () => {
  const sim = await client.create("live");
  await sim.show("Toolbar", { openCount: 1, title: "x" });
  const problem = /Toolbar\.opencuont of .* there is no such field, the nearest are Toolbar\.openCount/;
  await assert.rejects(sim.waitFor("Toolbar.opencuont", "matching", { timeout: 100 }), problem);
  await sim.destroy();
});

test("an orderly restart is lived through as well; the daemon's stream too", async (t) => {
  const path = join(folder(t), "s");
  const first = await seamd(t, path);
  const own = await connect(path);
  await own.create("live", { id: "app" });
  const everything = own.watch();
  await through(everything, (event) => event.kind === "sync");
  assert.equal(await first.end("SIGTERM"), 0);
  await seamd(t, path);
  const events = await through(everything, (event) => event.kind === "sync");
  assert(events.some((event) => event.kind === "restarted"), events.map(brief).join(", "));
  await own.create("live", { id: "app2" });
  assert.equal((await through(everything, (event) => event.kind === "sim")).at(-1).sim, "app2");
  await own.close();
});

test("destroyed while the connection was away: the stream ends and says so", async (t) => {
  const path = join(folder(t), "s");
  await seamd(t, path);
  const line = await relay(t, path);
  const own = await connect(path);
  const sim = await own.create("live", { id: "s" });
  const reader = await connect(line.path);
  const stream = reader.watch({ sim });
  await through(stream, (event) => event.kind === "sync");
  // Cut before anything of the destruction can pass.
  line.budget = () => Infinity;
  line.cut();
  await sim.destroy();
  const [end] = await through(stream, () => false);
  assert.deepEqual([end.kind, end.reason], ["end", "destroyed"]);
  await Promise.all([own.close(), reader.close()]);
});

test("a daemon that does not come back: the stream ends with an error, within its limit", async (t) => {
  const path = join(folder(t), "s");
  const daemon = await seamd(t, path);
  const own = await connect(path);
  await own.create("live", { id: "s" });
  const patient = own.watch({ sim: "s", reconnect: 500 });
  const plain = own.watch({ sim: "s", reconnect: false });
  for (const stream of [patient, plain]) await through(stream, (event) => event.kind === "sync");
  await daemon.end("SIGKILL");
  await assert.rejects(plain.next(), seam.ConnectionLostError);
  await assert.rejects(patient.next(), seam.ConnectError);
  assert.equal((await patient.next()).done, true);
  await own.close();

  const again = await seamd(t, path);
  const other = await connect(path);
  await other.create("live", { id: "s" });
  const told = other.watch({ sim: "s", reconnect: false });
  await through(told, (event) => event.kind === "sync");
  await again.end("SIGTERM");
  assert.equal((await through(told, () => false)).at(-1).reason, "shutdown");
  await other.close();
});

// MARK: Slow readers

test("a reader that stops reading is told what it missed, and its memory stays small", async (t) => {
  const sim = await client.create("live", { id: "slow" });
  const fields = Array.from({ length: 8 }, (_, index) => `f${index}`);
  await sim.declare("S", fields);
  const reader = spawn(
    process.execPath,
    ["--max-old-space-size=64", fileURLToPath(new URL("slow-reader.js", import.meta.url)), client.path, "slow", "done"],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  t.after(() => reader.kill("SIGKILL"));
  const lines = new Lines(reader.stdout);
  assert.equal(await lines.next(), "synced");
  // Some 70 MB of lines, which nobody reads.
  const text = "x".repeat(3_000);
  for (let round = 0; round < 30; round += 1) {
    await Promise.all(Array.from({ length: 100 }, (_, index) =>
      sim.set(Object.fromEntries(fields.map((field) => [field, `${round}-${index}-${text}`])))));
  }
  await sim.set(Object.fromEntries(fields.map((field) => [field, "done"])));
  reader.stdin.write("go\n");
  const report = JSON.parse(await lines.next());
  t.diagnostic(JSON.stringify({ ...report, last: undefined }));
  assert.deepEqual(report.last, Object.fromEntries(fields.map((field) => [`S.${field}`, "done"])));
  assert(report.collapsed > 10_000, JSON.stringify(report));
  assert(report.waitingBytes <= (256 + 64 + 4) << 10, JSON.stringify(report));
  assert(report.grownBytes < 32 << 20, JSON.stringify(report));
  await sim.destroy();
});

test("a connection lost while the loop is far behind: first what was read, then a gap", async (t) => {
  const path = join(folder(t), "s");
  await seamd(t, path, "--ring-entries", "256");
  const line = await relay(t, path);
  const writer = await connect(path);
  const sim = await writer.create("live", { id: "s" });
  await sim.declare("S", ["a"]);
  const reader = await connect({ path: line.path, reconnect: 20_000 });
  const stream = reader.watch({ sim: "s", mode: "all" });
  await through(stream, (event) => event.kind === "sync");
  const write = (from, count) => Promise.all(Array.from({ length: count }, (_, index) => sim.set({ a: `${from + index}${"x".repeat(3_000)}` })));
  // More than the queue holds, less than the ring; then more than the ring while the connection is away.
  for (let from = 0; stream.waitingBytes < 256 << 10; from += 20) await write(from, 20);
  line.isDown = true;
  line.cut();
  await write(1_000, 400);
  await sim.set({ a: "last" });
  line.isDown = false;
  const events = await through(stream, (event) => event.model === "last");
  const gap = events.findIndex(({ kind }) => kind === "gap");
  assert.equal(events[gap].reason, "history");
  assert(events.slice(0, gap).every(({ kind }) => kind === "change"));
  assert.deepEqual(events.slice(0, gap).map(({ seq }) => seq), Array.from({ length: gap }, (_, index) => index + 1));
  assert(gap > 70);
  assert.equal(events.at(-1).kind, "state");
  await Promise.all([reader.close(), writer.close()]);
});

test("a loop may await calls of its own client, however much is waiting", async () => {
  const sim = await client.create("live");
  await sim.declare("S", ["a"]);
  const stream = sim.watch({ mode: "all" });
  await through(stream, (event) => event.kind === "sync");
  const text = "y".repeat(4_000);
  await Promise.all(Array.from({ length: 500 }, (_, index) => sim.set({ a: `${index}${text}` })));
  let count = 0;
  for await (const event of stream) {
    assert.equal(event.kind, "change");
    assert.equal(event.seq, count + 1);
    if (count % 50 === 0) await sim.check();
    if ((count += 1) === 500) break;
  }
  await sim.destroy();
});

test("mode all: a reader that the ring overtakes gets lag, a gap and a new snapshot", async (t) => {
  const path = join(folder(t), "s");
  await seamd(t, path, "--ring-bytes", "65536");
  const own = await connect(path);
  const sim = await own.create("live", { id: "s" });
  await sim.declare("S", ["a"]);
  const text = "z".repeat(4_000);
  for (const reconnect of [true, false]) {
    const stream = own.watch({ sim, mode: "all", reconnect });
    await through(stream, (event) => event.kind === "sync");
    for (let round = 0; round < 30; round += 1) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => sim.set({ a: `${round}-${index}${text}` })));
    }
    await sim.set({ a: `end${reconnect}` });
    const events = await through(stream, (event) => event.model === `end${reconnect}`);
    const kinds = events.map(({ kind }) => kind).filter((kind) => kind !== "change" && kind !== "mark");
    if (reconnect) {
      // As often as it was overtaken; the last snapshot is the one that holds, and may be where the end is seen.
      assert.match(kinds.join(" "), /^(lag gap (state (sync )?)?)*lag gap state( sync)?$/);
      assert(events.find(({ kind }) => kind === "lag").lost > 0);
      assert.equal(events.find(({ kind }) => kind === "gap").reason, "slow");
      stream.close();
    } else {
      assert.deepEqual(kinds, ["lag", "end"]);
      assert.equal(events.at(-1).reason, "slow");
      assert.equal(events.at(-1).resume.epoch, sim.epoch);
    }
  }
  await own.close();
});
