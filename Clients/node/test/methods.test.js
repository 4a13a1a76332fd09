// What the client sends is what the daemon takes, by the daemon's own list: an option that only one of them knows
// fails here.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { CallError, connect, GoneError, UnknownMethodError } from "../index.js";
import { methods } from "../lib/methods.js";
import { folder, pretender, program, seamd } from "./support.js";

let client;
let offered;
before(async () => {
  client = await connect({ private: { program } });
  const document = await client.discover();
  offered = new Map(document.methods.map(({ name, params }) => [name, params]));
});
after(() => client.close());

/** Every method with options of its own: how it is called with all of them, and what it is in index.d.ts. */
const rows = [
  ["sim.create", "Client.create", (c, options) => c.create("live", options)],
  ["sim.run", "Client.run", (c, options) => c.run("live", options)],
  ["rec.replay", "Client.replay", (c, options) => c.replay("/a", options)],
  ["sim.get", "Simulation.info", (c, options) => c.simulation("s").info(options)],
  ["sim.get", "Simulation.fields", (c, options) => c.simulation("s").fields(options)],
  ["sim.check", "Simulation.check", (c, options) => c.simulation("s").check(options)],
  ["sim.explain", "Simulation.explain", (c, options) => c.simulation("s").explain("S.a", options)],
  ["sim.trace", "Simulation.trace", (c, options) => c.simulation("s").trace(options)],
  ["sim.fork", "Simulation.fork", (c, options) => c.simulation("s").fork(options)],
  ["sim.destroy", "Simulation.destroy", (c, options) => c.simulation("s").destroy(options)],
  ["sim.send", "Simulation.send", (c, options) => c.simulation("s").send("e", {}, options)],
  ["sim.advance", "Simulation.advance", (c, options) => c.simulation("s").advance(1, options)],
  ["model.set", "Simulation.set", (c, options) => c.simulation("s").set({ a: 1 }, options)],
  ["model.clear", "Simulation.clear", (c, options) => c.simulation("s").clear(["a"], options)],
  ["screen.declare", "Simulation.declare", (c, options) => c.simulation("s").declare("S", ["a"], options)],
  ["screen.set", "Simulation.show", (c, options) => c.simulation("s").show("S", { a: 1 }, options)],
  ["screen.clear", "Simulation.hide", (c, options) => c.simulation("s").hide("S", ["a"], options)],
  ["bridge.assign", "Simulation.assign", (c, options) => c.simulation("s").assign("b", options)],
  ["bridge.build", "Simulation.build", (c, options) => c.simulation("s").build("b", options)],
  ["bridge.update", "Simulation.update", (c, options) => c.simulation("s").update("b", options)],
  ["bridge.mount", "Simulation.mount", (c, options) => c.simulation("s").mount("b", options)],
  ["bridge.unmount", "Simulation.unmount", (c, options) => c.simulation("s").unmount("b", options)],
  ["bridge.identify", "Simulation.identify", (c, options) => c.simulation("s").identify("b", "i", options)],
  ["bridge.rebind", "Simulation.rebind", (c, options) => c.simulation("s").rebind("b", "o", options)],
  ["bridge.items", "Simulation.items", (c, options) => c.simulation("s").items("b", ["a"], options)],
  ["bridge.dismiss", "Simulation.dismiss", (c, options) => c.simulation("s").dismiss("b", options)],
  ["bridge.list", "Simulation.mounts", (c, options) => c.simulation("s").mounts(options)],
  ["host.set", "Simulation.setHost", (c, options) => c.simulation("s").setHost("b", options)],
  ["environment.set", "Simulation.setEnvironment", (c, options) => c.simulation("s").setEnvironment({ a: 1 }, options)],
  ["rec.start", "Simulation.record", (c, options) => c.simulation("s").record("/a", options)],
  ["rec.stop", "Simulation.stopRecording", (c, options) => c.simulation("s").stopRecording(options)],
  ["policy.list", "Client.policies", (c, options) => c.policies(options)],
  ["scenario.list", "Client.scenarios", (c, options) => c.scenarios(options)],
  ["scenario.describe", "Client.describe", (c, options) => c.describe("live", options)],
  ["sim.list", "Client.simulations", (c, options) => c.simulations(options)],
  ["seam.ping", "Client.ping", (c, options) => c.ping(options)],
  ["seam.stats", "Client.stats", (c, options) => c.stats(options)],
  ["seam.shutdown", "Client.shutdown", (c, options) => c.shutdown(options)],
  ["rpc.discover", "Client.discover", (c, options) => c.discover(options)],
];

/** A value that a param may have, by its schema. */
function sample({ name, schema }) {
  // What may be left out may also be null.
  if (schema.oneOf?.[1]?.type === "null") return sample({ name, schema: schema.oneOf[0] });
  if (name === "interim") return { label: "x", fields: ["S.a"], after: "event" };
  if (schema.enum) return schema.enum[0];
  if (schema.pattern?.startsWith("^/")) return "/a";
  const samples = { string: "a", integer: schema.minimum ?? 0, boolean: true, object: { a: "b" }, array: ["S.a"] };
  assert(schema.type in samples, `${name}: ${JSON.stringify(schema)}`);
  return samples[schema.type];
}

test("the daemon's methods and params are the client's", () => {
  assert.deepEqual(Object.keys(methods).sort(), [...offered.keys()].sort());
  for (const [name, { by, options, pages = [] }] of Object.entries(methods)) {
    assert.deepEqual([...by, ...options, ...pages].sort(), offered.get(name).map((param) => param.name).sort(), name);
    const needed = offered.get(name).filter(({ required }) => required).map((param) => param.name);
    // What has to be given has its place, and cannot be forgotten; sub.close is the client's own.
    for (const param of needed) assert(by.includes(param), `${name} ${param}`);
  }
  const called = new Set([...rows.map(([name]) => name), "seam.hello", "sub.open", "sub.close"]);
  assert.deepEqual([...called].sort(), [...offered.keys()].sort());
});

test("each option arrives under its name, and nothing else does", async (t) => {
  const requests = [];
  const path = await pretender(t, (request, socket, reply) => {
    requests.push(request);
    reply({ sim: "s", epoch: "e", seq: 0, fields: [], mounts: [], records: [], scenarios: [], failed: [], sims: [], methods: [] });
  });
  const own = await connect(path);
  for (const [method, name, call] of rows) {
    const params = new Map(offered.get(method).map((param) => [param.name, param]));
    const { by, options } = methods[method];
    const given = Object.fromEntries(options.map((option) => [option, sample(params.get(option))]));
    requests.length = 0;
    // seam.ping is the one that the server answers itself.
    await call(own, { ...given, timeout: 5_000, signal: new AbortController().signal });
    if (method === "seam.ping") continue;
    assert.equal(requests.length, 1, name);
    assert.equal(requests[0].method, method);
    const sent = requests[0].params;
    for (const param of Object.keys(sent)) assert(params.has(param), `${name} sends ${param}, which ${method} does not take`);
    for (const option of options) assert.deepEqual(sent[option], given[option], `${name} ${option}`);
    for (const param of by) assert(param in sent, `${name} ${param}`);
    await assert.rejects(async () => call(own, { nonsense: 1, ...given }), /has no option nonsense; it takes /, name);
    assert.equal(requests.length, 1, `${name} sent what it refuses`);
  }
  await own.close();
});

// MARK: index.d.ts

const declarations = readFileSync(new URL("../index.d.ts", import.meta.url), "utf8").replaceAll(/\/\*\*[\s\S]*?\*\//g, "");

/** Names of the members of a type such as `A & { b?: string }`, with those that its interfaces inherit. */
function membersOf(type) {
  const names = [];
  let depth = 0;
  for (const [, open, close, member, , inherited] of type.matchAll(/([{(<])|([})>])|(\w+)(\??):|\b([A-Z]\w*(?:Options|State))\b/g)) {
    if (open) depth += 1;
    else if (close) depth -= 1;
    else if (member && depth === 1) names.push(member);
    else if (inherited && depth === 0) names.push(...membersOfInterface(inherited));
  }
  return names;
}

function membersOfInterface(name) {
  const found = declarations.match(new RegExp(`^export interface ${name}(?: extends ([^{]*))? \\{\\n([\\s\\S]*?)^\\}`, "m"));
  assert(found, name);
  return [...membersOf((found[1] ?? "").replaceAll(",", " &")), ...membersOf(`{${found[2]}}`)];
}

test("index.d.ts declares for each method the options that it takes", () => {
  for (const [method, name] of rows) {
    const [type, member] = name.split(".");
    const body = declarations.match(new RegExp(`^export class ${type} \\{\\n([\\s\\S]*?)^\\}`, "m"))[1];
    const options = body.match(new RegExp(`^  ${member}\\([\\s\\S]*?\\boptions\\??: ([\\s\\S]*?),?\\s*\\): `, "m"));
    assert(options, name);
    assert.deepEqual(membersOf(options[1]).sort(), [...methods[method].options, "timeout", "signal"].sort(), name);
  }
});

// MARK: What the newer ones do

test("a batch: results in order, and an error where one was refused", async () => {
  const before = (await client.stats()).requests;
  const results = await client.batch([
    ["sim.create", { scenario: "live", id: "batched" }],
    ["sim.get", { sim: "nobody" }],
    ["sim.gte"],
    ["model.set", ["batched", { a: 1 }]],
  ]);
  assert.equal(results[0].sim, "batched");
  assert(results[1] instanceof CallError && results[1].kind === "unknown-sim" && results[1].method === "sim.get");
  assert(results[2] instanceof UnknownMethodError);
  assert.equal(results[3].turn, 2);
  assert.equal((await client.stats()).requests, before + 5);
  assert.deepEqual(await client.batch([]), []);
  assert.equal((await client.batch(Array.from({ length: 256 }, () => ["seam.ping"]))).length, 256);
  // Calls before and behind it keep their order.
  const sim = client.simulation("batched");
  const [first, batch, last] = await Promise.all([
    sim.set({ a: 2 }), client.batch([["model.set", ["batched", { a: 3 }]]]), sim.set({ a: 4 }),
  ]);
  assert.deepEqual([first.turn, batch[0].turn, last.turn], [3, 4, 5]);
  await sim.destroy();
});

test("a batch that is not answered, or answered with nonsense", async (t) => {
  const say = {
    late: () => null,
    short: ([first]) => [{ id: first, result: {} }],
    twice: ([first]) => [{ id: first, result: {} }, { id: first, result: {} }],
    bare: ([first, second]) => [{ id: first }, { id: second, result: {} }],
    turned: ([first, second]) => [{ id: second, result: { n: 2 } }, { id: first, result: { n: 1 } }],
  };
  let greet = 0;
  const path = await pretender(t, (request, socket) => {
    if (!Array.isArray(request)) {
      const result = { daemonEpoch: "0123456789abcdef", capabilities: [], limits: { lineBytes: 1 << 20, batch: 256 } };
      greet += 1;
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, result })}\n`);
      return;
    }
    const answer = say[request[0].method](request.map(({ id }) => id));
    if (answer) socket.write(`${JSON.stringify(answer)}\n`);
  }, { hello: false });
  const own = await connect(path);
  const ask = (word, options) => own.batch([[word], [word]], options);
  await assert.rejects(ask("late", { timeout: 20 }), /the batch of 2 was not answered within 20 ms/);
  assert.deepEqual(await ask("turned"), [{ n: 1 }, { n: 2 }]);
  for (const word of ["short", "twice", "bare"]) {
    await assert.rejects(ask(word), /is no seamd; it said: \[/, word);
  }
  assert(greet > 2);
  await own.close();
});

test("offers: methods and capabilities, also of the daemon that comes next", async (t) => {
  assert.equal(await client.offers("sim.fork"), true);
  assert.equal(await client.offers("recordings"), true);
  assert.equal(await client.offers("sim.gte"), false);
  assert.equal(await client.offers("time-travel"), false);
  const path = join(folder(t), "s");
  const first = await seamd(t, path);
  const own = await connect(path);
  assert.equal(await own.offers("rec.start"), true);
  await first.end();
  await seamd(t, path);
  assert.equal(await own.offers("rec.start"), true);
  await own.close();
});

test("Maps are values like objects", async () => {
  const sim = await client.create("live");
  await sim.set(new Map([["a", 1], ["__proto__", "x"]]));
  await sim.show("T", new Map([["a", 1n], ["__proto__", null]]));
  const fields = (await sim.fields()).map(({ field, model, shown }) => [field, model, shown]);
  assert.deepEqual(fields, [["a", "1", "1"], ["__proto__", "x", null]]);
  await sim.destroy();
});

test("earlier moments, forks and recordings", async (t) => {
  const path = join(folder(t), "recording.jsonl");
  const sim = await client.create("live", { record: path });
  await sim.set({ a: 1 });
  const { seq } = await sim.show("S", { a: 1 });
  await sim.set({ a: 2 });
  assert.equal((await sim.info({ at: seq })).fields[0].verdict, "matching");
  assert.equal((await sim.check({ at: seq })).counts.matching, 1);
  assert.equal((await sim.fields({ at: seq }))[0].model, "1");
  // Turn 2 changed no field: a model value alone makes none.
  assert.deepEqual(await sim.fields({ atTurn: 2 }), []);
  assert.equal((await sim.check({ atTurn: 3 })).counts.matching, 1);
  assert.equal((await (await sim.fork({ atTurn: 3 })).fields())[0].model, "1");
  await assert.rejects(sim.fields({ at: seq, atTurn: 2 }), { kind: "conflicting-params" });
  const other = await sim.fork({ id: "other", at: seq });
  assert.notEqual(other.epoch, sim.epoch);
  assert.equal((await other.fields())[0].model, "1");
  assert.equal((await sim.fields())[0].model, "2");
  assert.equal((await sim.stopRecording()).path, path);
  assert.equal((await client.replay(path)).same, true);
  const kept = await client.replay(path, { keep: true, id: "kept" });
  assert.equal(kept.sim, "kept");
  await client.simulation("kept").destroy();
  await assert.rejects(sim.record("relative"), { kind: "bad-path" });
  const short = await client.create("live", { history: 0, trace: false });
  await assert.rejects(short.fork(), GoneError);
  await assert.rejects(short.trace(), { kind: "not-traced" });
  for (const one of [sim, other, short]) await one.destroy();
});

test("long values, cut and whole", async () => {
  const sim = await client.create("live");
  await sim.show("S", { a: "1" });
  await sim.set({ a: "1".repeat(5000) });
  assert.equal((await sim.fields())[0].modelBytes, 5000);
  assert.equal((await sim.fields({ whole: true }))[0].model.length, 5000);
  assert.equal((await sim.check({ whole: true })).fields[0].model.length, 5000);
});

test("why, trace and interim", async () => {
  const sim = await client.create("lessons.wrapping-empty");
  const { interim } = await sim.set({ rowCount: 9 }, { interim: { label: "half way", fields: ["rowCount"], after: "event" } });
  assert.deepEqual([interim.label, interim.fields[0].verdict], ["half way", "stale"]);
  const { fields: [title, rowCount] } = await sim.check({ why: true });
  assert.equal(title.why, undefined);
  assert.equal(rowCount.why, (await sim.explain("LegacyListView.rowCount")).sentence);
  const run = await client.run("lessons.wrapping-empty", { why: true, trace: true, steps: true });
  assert(run.checks[0].fields.some(({ why }) => typeof why === "string"));
  assert(run.trace.length > 0 && run.steps.length > 0);
  await sim.destroy();
});

test("a trace of many pages is one trace, and a limit is one", async () => {
  const sim = await client.create("lessons.wrapping-filled");
  await Promise.all(Array.from({ length: 1_200 }, () => sim.update("list")));
  const small = await connect({ path: client.path, maxLine: 65_535 });
  const whole = await small.simulation(sim.id).trace();
  assert(JSON.stringify(whole).length > 65_535, "more than one page");
  assert.equal(whole.next, undefined);
  assert.equal(whole.records.at(-1).turn, (await sim.info()).turn);
  assert.deepEqual(whole.records, (await sim.trace()).records);
  const some = await small.simulation(sim.id).trace({ limit: 3 });
  assert.deepEqual(some.records, whole.records.slice(0, 3));
  assert.deepEqual((await sim.trace({ from: 5, to: 6 })).records, whole.records.filter(({ turn }) => turn === 5 || turn === 6));
  await small.close();
  await sim.destroy();
});

test("a trace whose turn is longer than a page goes on inside it", async () => {
  const sim = await client.create("rules.list-by-id");
  await sim.items("row", Array.from({ length: 2_000 }, (_, index) => ({ id: `row-${index}`, value: index })));
  const { turn } = await sim.info();
  const small = await connect({ path: client.path, maxLine: 65_535 });
  const { records, omitted, next } = await small.simulation(sim.id).trace({ from: turn });
  assert.deepEqual([omitted, next], [undefined, undefined]);
  assert(records.length >= 2_000);
  const all = await client.simulation(sim.id).trace({ from: turn, skip: 10 });
  assert.deepEqual(all.records, records.slice(10));
  await small.close();
  await sim.destroy();
});

test("mounts, identities, owners, items, hosts and environments", async () => {
  const list = await client.create("rules.list-by-id");
  await list.items("row", ["a", { id: "b", value: 2 }, { id: "c", value: 3n }, { id: "d", value: null }]);
  const rowsThere = await list.mounts({ bridge: "row" });
  assert.deepEqual(rowsThere.map(({ owner, item }) => [owner, item]), [["a", null], ["b", "2"], ["c", "3"], ["d", null]]);
  await list.destroy();

  const detail = await client.create("rules.identity");
  const [first] = await detail.mounts();
  await detail.identify("detail", "another", { mount: first.mount });
  const [second] = await detail.mounts({ bridge: "detail" });
  assert.equal(second.identity, "another");
  await detail.setHost("detail", { window: false, hidden: true });
  const [away] = await detail.mounts();
  assert.deepEqual([away.window, away.hidden], [false, true]);
  await detail.setEnvironment({ locale: "de" });
  await detail.setEnvironment({ locale: "en" }, { bridge: "detail", mount: away.mount });
  await assert.rejects(detail.setEnvironment({ locale: "en" }, { mount: 1 }), { kind: "missing-param" });
  await detail.destroy();

  const sheet = await client.create("rules.dismissal");
  await sheet.dismiss("sheet").catch((error) => assert.equal(error.kind, "which-mount"));
  await sheet.destroy();

  const built = await client.create("rules.root-built");
  await built.build("host");
  await built.assign("host", { built: true });
  await built.destroy();

  const owned = await client.create("coordinator.draft");
  await owned.rebind("draft", "somebody");
  assert.equal((await owned.mounts({ bridge: "draft" }))[0].owner, "somebody");
  await owned.update("draft", { cause: "layout" });
  await owned.destroy();

  const { policies, profiles } = await client.policies();
  assert(policies.some(({ name }) => name === "updates") && profiles.some(({ name }) => name === "lesson"));
});

// MARK: Refused connections

test("a connection that the daemon refuses says why, each time", async (t) => {
  const path = join(folder(t), "s");
  await seamd(t, path, "--max-connections", "1");
  const own = await connect(path);
  for (let round = 0; round < 200; round += 1) {
    await assert.rejects(connect(path), { name: "LimitError", kind: "limit" }, `round ${round}`);
  }
  await own.close();
});
