import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as seam from "../index.js";
import { connect } from "../index.js";
import { epochForm, folder, program, seamd } from "./support.js";

let client;
before(async () => {
  client = await connect({ private: { program } });
});
after(() => client.close());

/** The daemon still answers, and this client still understands it. */
async function probe(other = client) {
  assert.match((await other.ping()).daemonEpoch, epochForm);
}

test("a lesson, played by hand", async () => {
  const sim = await client.create("lessons.hosting-unassigned");
  assert.match(sim.epoch, epochForm);
  assert.deepEqual(await sim.set({ openCount: 5 }), { seq: 4, turn: 2, changes: 1, diagnostics: 0 });
  const check = await sim.check({ fields: ["openCount"] });
  assert.equal(check.fields[0].verdict, "stale");
  assert.equal(check.diagnostics[0].code, "update-never-arrived");
  await sim.assign("host");
  const fields = await sim.fields();
  assert.deepEqual(fields.map(({ field, verdict }) => `${field} ${verdict}`), [
    "title matching", "openCount matching", "filter matching",
  ]);
  const end = await sim.destroy();
  await assert.rejects(sim.fields(), seam.UnknownSimError);
  // Not asked again: by now the id may be another's.
  const other = await client.create("live", { id: sim.id });
  assert.deepEqual(await sim.destroy(), end);
  assert.equal((await other.info()).status, "running");
  await client.simulation(other.id).destroy();
  await assert.rejects(other.destroy(), seam.UnknownSimError);
});

test("every changing method of a simulation", async () => {
  const sim = await client.create("lessons.wrapping-filled");
  const { mount } = await sim.mount("list");
  assert.equal(mount, 2);
  await assert.rejects(sim.update("list"), (error) => {
    assert(error instanceof seam.WhichMountError && error instanceof seam.ParamsError);
    assert.deepEqual(error.known, ["1", "2"]);
    return true;
  });
  assert.equal((await sim.update("list", { mount })).turn, 3);
  assert.equal((await sim.unmount("list", { mount })).changes, 0);
  assert((await sim.advance(250)).turn > 0);
  assert.equal((await sim.info()).ms, 250);
  await assert.rejects(sim.set({ rowCount: 4 }, { ifSeq: 1 }), seam.ConflictError);
  await assert.rejects(sim.send("nosuch", { a: 1 }), seam.UnknownEventError);
  await sim.dispose();
  await sim.dispose();

  const live = await client.create("live", { id: "calls-live" });
  await live.declare("Toolbar", ["title", "count"]);
  await live.set({ title: "Tasks", count: 3 });
  await live.show("Toolbar", { title: "Tasks", count: "3" });
  assert.equal((await live.waitFor("Toolbar.count", "matching")).shown, "3");
  await live.hide("Toolbar", ["count"]);
  await live.clear(["title"]);
  const verdicts = (await live.fields({ screen: "Toolbar" })).map(({ verdict }) => verdict);
  assert.deepEqual(verdicts, ["leftover", "missing"]);
  assert.deepEqual((await client.simulations()).map(({ sim: id }) => id).filter((id) => id === live.id), [live.id]);
  await live.destroy();
});

test("values keep what they say: no number is rounded, nothing turns into null by itself", async () => {
  const sim = await client.create("live");
  const values = { big: 9007199254740993n, text: "é \u2028 📋", yes: true, none: null, empty: "", zero: -0, tiny: 1e-7 };
  await sim.declare("S", Object.keys(values));
  await sim.show("S", values);
  const shown = Object.fromEntries((await sim.fields()).map(({ field, shown: text }) => [field, text]));
  assert.deepEqual(shown, {
    big: "9007199254740993", text: "é \u2028 📋", yes: "true", none: null, empty: "", zero: "0", tiny: "1e-7",
  });
  await sim.destroy();
});

test("run, scenarios, describe, discover and stats", async () => {
  const { checks } = await client.run("lessons.own-state");
  assert(checks.every(({ met }) => met));
  const { scenarios, failed } = await client.scenarios();
  assert(scenarios.some(({ id }) => id === "lessons.wrapping-empty"));
  assert.deepEqual(failed, []);
  assert.equal((await client.describe("live")).plugin, null);
  assert.equal((await client.discover()).openrpc, "1.2.6");
  assert((await client.stats()).requests > 0);
});

test("a list of many pages is one list", async () => {
  const sim = await client.create("live");
  const keys = Array.from({ length: 3_000 }, (_, index) => `key-${index}`);
  await sim.declare("S", keys);
  await sim.set(Object.fromEntries(keys.map((key) => [key, "x".repeat(200)])));
  const small = await connect({ path: client.path, maxLine: 65_535 });
  const fields = await small.simulation(sim.id).fields();
  assert.deepEqual(fields.map(({ field }) => field), keys);
  await small.close();
  await sim.destroy();
});

test("calls made one after the other go out in that order", async () => {
  const sim = await client.create("live");
  const turns = await Promise.all(Array.from({ length: 200 }, (_, index) => sim.set({ count: index })));
  assert.deepEqual(turns.map(({ turn }) => turn), Array.from({ length: 200 }, (_, index) => index + 2));
  await sim.destroy();
});

test("methods of a later daemon are offered, and this one says that it has none", async () => {
  const sim = await client.create("live");
  const known = new Set((await client.discover()).methods.map(({ name }) => name));
  for (const [method, call] of [
    ["sim.explain", () => sim.explain("S.a")],
    ["sim.trace", () => sim.trace({ limit: 1 })],
    ["sim.fork", () => sim.fork()],
    ["rec.start", () => sim.record(join(process.env.TMPDIR ?? "/tmp", "nobody", "writes", "here"))],
    ["rec.stop", () => sim.stopRecording()],
    ["rec.replay", () => client.replay("nothing")],
    ["environment.set", () => sim.setEnvironment({ locale: "de" })],
    ["host.set", () => sim.setHost("host", { hidden: true })],
  ]) {
    // Whatever it answers, it is this method that was asked.
    const said = await call().catch((error) => error);
    if (known.has(method)) assert(!(said instanceof seam.UnknownMethodError), `${method}: ${said}`);
    else assert(said instanceof seam.UnknownMethodError && said.message.includes(method), `${method}: ${said}`);
  }
  await probe();
});

test("await using ends a simulation, and only one that this program has made", { skip: !Symbol.asyncDispose }, async () => {
  const sim = await client.create("live");
  await client.simulation(sim.id)[Symbol.asyncDispose]();
  assert.equal((await sim.info()).status, "running");
  await sim[Symbol.asyncDispose]();
  await assert.rejects(sim.info(), seam.UnknownSimError);
  const daemon = await seam.startDaemon({ program });
  await daemon[Symbol.asyncDispose]();
  assert.deepEqual(await daemon.ended, { code: 0, signal: null });
});

// MARK: Errors

test("there is a class for each data.kind of the protocol, with the code of its row", () => {
  const page = readFileSync(new URL("../../../protocol.md", import.meta.url), "utf8");
  const section = page.slice(page.indexOf("## 5. Errors"), page.indexOf("## 6."));
  const rows = [...section.matchAll(/^\| (-32\d{3}) \| ([^|]*) \|/gm)];
  const kinds = rows.flatMap(([, , names]) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  assert(kinds.length > 30);
  assert.deepEqual(Object.keys(seam.errorClasses).sort(), kinds.sort());
  const names = new Set(Object.values(seam.errorClasses).map(({ name }) => name));
  assert.equal(names.size, kinds.length);
  for (const [kind, type] of Object.entries(seam.errorClasses)) {
    const camel = kind.split("-").map((word) => word[0].toUpperCase() + word.slice(1)).join("");
    assert.equal(type.name, `${camel}Error`);
    assert.equal(seam[type.name], type, `${type.name} is exported`);
    assert(type.prototype instanceof seam.CallError);
  }
});

test("an error of the daemon says its kind, and what would have been known", async () => {
  const rows = [
    ["sim.gte", {}, seam.UnknownMethodError],
    ["sim.get", {}, seam.MissingParamError],
    ["sim.get", { sim: 1 }, seam.WrongTypeError],
    ["sim.get", { sim: "nobody" }, seam.UnknownSimError],
    ["sim.get", { sim: "nobody", screens: "A" }, seam.UnknownParamError],
    ["sim.create", { scenario: "nothing" }, seam.UnknownScenarioError],
    ["sim.create", { scenario: "live", id: "a.b" }, seam.BadNameError],
    ["sim.create", { scenario: "live", policies: { never: "x" } }, seam.UnknownPolicyError],
    ["sim.create", { scenario: "live", clock: "broken" }, seam.OutOfRangeError],
    ["sub.close", { sub: 77 }, seam.UnknownSubError],
    ["seam.hello", { protocol: 2 }, seam.OutOfRangeError],
  ];
  for (const [method, params, type] of rows) {
    await assert.rejects(client.call(method, params), (error) => {
      assert.equal(error.constructor, type, `${method} ${JSON.stringify(params)}: ${error.name} ${error.message}`);
      assert.equal(error.name, type.name);
      assert.equal(error.method, method);
      assert.equal(seam.errorClasses[error.kind], type);
      assert(error.code <= -32001 && error.message.length > 10);
      return true;
    });
    await probe();
  }
  await client.create("live", { id: "twice" });
  await assert.rejects(client.create("live", { id: "twice" }), seam.SimExistsError);
  const sim = client.simulation("twice");
  await sim.declare("S", ["a"]);
  await assert.rejects(sim.assign("host"), seam.UnknownBridgeError);
  await assert.rejects(sim.check({ screen: "T" }), seam.UnknownScreenError);
  await assert.rejects(sim.check({ fields: ["S.b"] }), seam.UnknownFieldError);
  await assert.rejects(sim.set({ a: "x".repeat(65_537) }), seam.TooLargeError);
  await sim.destroy();
  const lesson = await client.create("lessons.own-state");
  await assert.rejects(lesson.set({ nosuch: 1 }), seam.UnknownKeyError);
  await assert.rejects(lesson.show("HostingController", { title: "x" }), seam.NotLiveError);
  await lesson.destroy();
  await probe();
});

test("a mistake in the arguments is told before anything is sent", async () => {
  const sim = await client.create("live");
  const circle = {};
  circle.circle = circle;
  const before = (await client.stats()).requests;
  const rows = [
    [() => client.call(7), TypeError, /method is a text, not 7/],
    [() => client.call("seam.ping", null), TypeError, /params are an object/],
    [() => client.call("seam.ping", { a: Number.NaN }), TypeError, /params\.a is NaN/],
    [() => client.call("seam.ping", { a: [1, { b: () => 1 }] }), TypeError, /params\.a\[1\]\.b is a value of type function/],
    [() => client.call("seam.ping", { a: 1n }), TypeError, /JSON cannot carry/],
    [() => client.call("seam.ping", circle), RangeError, /nested/],
    [() => client.call("seam.ping", { a: "\ud800" }), TypeError, /half a surrogate/],
    [() => client.call("seam.ping", {}, { timeOut: 1 }), TypeError, /no option timeOut; it takes timeout, signal/],
    [() => client.call("seam.ping", {}, { timeout: 0 }), RangeError, /more than 0/],
    [() => client.call("seam.ping", {}, { timeout: 2 ** 31 }), RangeError, /at most 2147483647 milliseconds, or Infinity/],
    [() => client.call("seam.ping", {}, { timeout: "1" }), TypeError, /number of milliseconds/],
    [() => client.call("seam.ping", {}, { signal: 1 }), TypeError, /signal is an AbortSignal, not 1/],
    [() => client.call("seam.ping", {}, null), TypeError, /options of call are an object, not null/],
    [() => client.call("sub.open", {}), TypeError, /watch\(\)/],
    [() => client.call("sim.get", { sim: "x".repeat(1 << 20) }), seam.TooLargeError, /takes 1048576 in a line/],
    [() => sim.set({ a: undefined }), TypeError, /values\.a is a text, .* not undefined/],
    [() => sim.set({ a: Number.POSITIVE_INFINITY }), TypeError, /not Infinity/],
    [() => sim.set({ a: [1] }), TypeError, /not an array/],
    [() => sim.set([1]), TypeError, /an object of values by key, or a Map, not an array/],
    [() => sim.set({}), TypeError, /values is empty; name at least one value/],
    [() => sim.show("S", new Map()), TypeError, /values is empty/],
    [() => sim.setEnvironment({}), TypeError, /values is empty/],
    [() => sim.show("S", { a: new Map() }), TypeError, /values\.a is .* not an instance of Map/],
    [() => sim.set({ a: () => 1 }), TypeError, /values\.a is .* not a value of type function/],
    [() => sim.set({ a: new Date() }), TypeError, /values\.a is .* not an instance of Date/],
    [() => sim.set({ a: Symbol("b") }), TypeError, /values\.a is .* not a value of type symbol/],
    [() => sim.set({ [Symbol("b")]: 1 }), TypeError, /a key of values is a text/],
    [() => sim.set(new Map([[1, 2]])), TypeError, /a key of values is a text, not 1/],
    [() => sim.set(new Set(["a"])), TypeError, /or a Map, not an instance of Set/],
    [() => sim.set(new (class Tasks { a = 1; })()), TypeError, /not an instance of Tasks/],
    [() => sim.set(() => 1), TypeError, /not a value of type function/],
    [() => sim.set("a"), TypeError, /not "a"/],
    [() => sim.send("e", new Set()), TypeError, /args is .* not an instance of Set/],
    [() => sim.clear("title"), TypeError, /keys is an array of texts, not "title"/],
    [() => sim.clear(new Set(["title"])), TypeError, /keys is an array of texts, not an instance of Set/],
    [() => sim.declare("S", ["a", 1]), TypeError, /fields\[1\] is a text, not 1/],
    [() => sim.hide("S", { a: 1 }), TypeError, /keys is an array of texts, not an object/],
    [() => sim.check({ fields: new Set(["a"]) }), TypeError, /fields is an array of texts/],
    [() => sim.check(["a"]), TypeError, /options of check are an object, not an array/],
    [() => sim.check(new Map([["label", "a"]])), TypeError, /not an instance of Map/],
    [() => sim.items("row", "a"), TypeError, /items is an array of ids or \{id, value\}, not "a"/],
    [() => sim.items("row", [{ id: "a", name: 1 }]), TypeError, /items\[0\] has no option name/],
    [() => sim.items("row", [{ id: "a", value: [] }]), TypeError, /items\[0\]\.value is a text/],
    [() => sim.items("row", [7]), TypeError, /items\[0\] is an id or \{id, value\}, not 7/],
    [() => sim.identify("row", 7), TypeError, /identity is a text, not 7/],
    [() => sim.rebind("row"), TypeError, /owner is a text, not undefined/],
    [() => sim.setHost("host"), TypeError, /at least one of window, scene, hidden, size, parked/],
    [() => sim.setHost("host", { mount: 1, ifSeq: 1 }), TypeError, /at least one of window, scene, hidden, size, parked/],
    [() => sim.setEnvironment({ a: 1 }, { host: "x" }), TypeError, /no option host; it takes bridge, mount/],
    [() => sim.advance(5, { interim: { label: "x" } }), TypeError, /no option interim/],
    [() => sim.set({ a: 1 }, { interim: { label: "x", then: 1 } }), TypeError, /interim has no option then/],
    [() => sim.set({ a: 1 }, { interim: "x" }), TypeError, /options of interim are an object, not "x"/],
    [() => client.call("model.set", { values: new Map([["a", 1]]) }), TypeError, /params\.values is an instance of Map/],
    [() => client.call("model.set", { values: new Date() }), TypeError, /params\.values is an instance of Date/],
    [() => client.call("model.set", { values: { [Symbol("a")]: 1 } }), TypeError, /params\.values has a symbol/],
    [() => client.create("live", { params: { a: undefined } }), TypeError, /params\.a is a text/],
    [() => client.create("live", { policies: new Set() }), TypeError, /policies is .* not an instance of Set/],
    [() => client.batch("seam.ping"), TypeError, /array of \[method, params\], not "seam\.ping"/],
    [() => client.batch(["seam.ping"]), TypeError, /requests\[0\] is \[method, params\], not "seam\.ping"/],
    [() => client.batch([["sub.open"]]), TypeError, /watch\(\)/],
    [() => client.batch([["seam.ping", { a: new Set() }]]), TypeError, /params\.a is an instance of Set/],
    [() => client.batch(Array(257).fill(["seam.ping"])), RangeError, /at most 256 requests .* not 257/],
    [() => client.offers(7), TypeError, /name is a text/],
    [() => connect({ private: "/bin/false" }), TypeError, /private is true, false or an object .* not "\/bin\/false"/],
    [() => connect({ private: 1 }), TypeError, /private is true, false or an object .* not 1/],
    [() => connect({ private: ["seamd"] }), TypeError, /private is true, false or an object .* not an array/],
    [() => connect({ private: { plugin: "x.so" } }), TypeError, /daemon has no option plugin; it takes program, plugins/],
    [() => connect({ private: { plugins: "x.so" } }), TypeError, /plugins is an array of texts, not "x\.so"/],
    [() => connect({ private: { pluginDirs: "x" } }), TypeError, /pluginDirs is an array of texts, not "x"/],
    [() => connect({ private: { arguments: "--help" } }), TypeError, /arguments is an array of texts/],
    [() => connect({ private: { program: 7 } }), TypeError, /program is a text, not 7/],
    [() => seam.startDaemon("/bin/false"), TypeError, /options of daemon are an object, not "\/bin\/false"/],
    [() => seam.startDaemon({ program, plugins: ["a\0b"] }), TypeError, /null bytes/],
    [() => sim.set({ a: 1 }, { ifSeg: 1 }), TypeError, /no option ifSeg/],
    [() => sim.assign("host", { mounts: 1 }), TypeError, /no option mounts/],
    [() => sim.waitFor("count", "stale"), TypeError, /written Screen\.field/],
    [() => sim.waitFor("A.b", "stail"), TypeError, /a verdict is one of .*"stail"/],
    [() => sim.explain("b"), TypeError, /Screen\.field/],
    [() => client.create("live", { ID: "x" }), TypeError, /no option ID/],
    [() => connect({ socket: "x" }), TypeError, /connect has no option socket/],
    [() => connect({ path: "x", private: true }), TypeError, /exclude/],
    [() => connect({ path: client.path, maxLine: 5 }), RangeError, /maxLine/],
    [() => connect({ path: "a\0b" }), TypeError, /NUL/],
    [() => connect({ path: "" }), TypeError, /empty text/],
    [async () => client.watch({ sim: 7 }), TypeError, /sim is a text, not 7/],
    [async () => client.watch({ after: { epoch: "x" } }), TypeError, /\{epoch, dseq\}/],
    [async () => client.watch({ sim: sim.id, after: { epoch: "x", seq: -1 } }), TypeError, /\{epoch, seq\}/],
    [async () => client.watch({ match: [] }), TypeError, /match is empty/],
    [async () => client.watch({ reconnect: -1 }), RangeError, /reconnect/],
    [async () => sim.watch({ sim: "other" }), TypeError, /no option sim/],
  ];
  for (const [act, type, text] of rows) {
    await assert.rejects(act, (error) => {
      assert(error instanceof type, `${act}: ${error.name} ${error.message}`);
      assert.match(error.message, text);
      return true;
    });
  }
  // Nothing of all this has reached the daemon.
  assert.equal((await client.stats()).requests, before + 1);
  await sim.destroy();
});

// MARK: Time limits and aborts

test("a daemon that does not answer: the limit holds, and a late reply is nobody's", async (t) => {
  const path = join(folder(t), "s");
  const daemon = await seamd(t, path);
  const own = await connect(path);
  const sim = await own.create("live", { id: "late" });
  daemon.signal("SIGSTOP");
  await assert.rejects(own.call("sim.get", { sim: "late" }, { timeout: 60 }), (error) => {
    assert(error instanceof seam.TimeoutError && error.method === "sim.get" && error.timeout === 60);
    assert.match(error.message, /sim\.get was not answered within 60 ms/);
    return true;
  });
  await assert.rejects(sim.set({ a: 1 }, { timeout: 60 }), seam.TimeoutError);
  await assert.rejects(connect({ path, timeout: 60 }), seam.TimeoutError);
  await assert.rejects(sim.waitFor("A.b", "stale", { timeout: 60 }), (error) => {
    assert(error instanceof seam.TimeoutError);
    assert.equal(error.message, "Whether A.b of late is stale is not known after 60 ms: the daemon did not answer.");
    return true;
  });
  const pending = own.ping();
  daemon.signal("SIGCONT");
  // Both late replies come before this one, and find nobody.
  await pending;
  assert.equal((await sim.info()).turn, 2, "the request that timed out was carried out all the same");
  await probe(own);
  await own.close();
});

test("a wait says when the daemon has stopped answering, or is gone, since the field was seen", async (t) => {
  const path = join(folder(t), "s");
  const daemon = await seamd(t, path);
  const own = await connect(path);
  const sim = await own.create("live", { id: "late" });
  await sim.set({ b: 1 });
  await sim.declare("A", ["b"]);
  const opened = async (wait, act) => {
    let isOver = false;
    wait.catch(() => {}).finally(() => {
      isOver = true;
    });
    // The wait has its snapshot once the daemon has one subscription more and has answered what came after it.
    while (!isOver && (await own.stats()).subscriptions !== 1) await new Promise(setImmediate);
    await own.ping();
    daemon.signal(act);
    return wait;
  };
  await assert.rejects(opened(sim.waitFor("A.b", "matching", { timeout: 1_500 }), "SIGSTOP"), (error) => {
    assert(error instanceof seam.TimeoutError);
    assert.match(error.message, /^Whether A\.b of late is matching is not known after 1500 ms: the daemon does not answer any more\.$/);
    return true;
  });
  daemon.signal("SIGCONT");
  while ((await own.stats()).subscriptions !== 0) await new Promise(setImmediate);
  await assert.rejects(opened(sim.waitFor("A.b", "matching", { timeout: 1_500 }), "SIGKILL"), /the daemon is not there any more/);
  await own.close();
});

test("abort before, during and after a call", async (t) => {
  const path = join(folder(t), "s");
  const daemon = await seamd(t, path);
  const own = await connect(path);
  const why = new Error("no longer wanted");

  const requests = (await own.stats()).requests;
  await assert.rejects(own.ping({ signal: AbortSignal.abort(why) }), why);
  assert.equal((await own.stats()).requests, requests + 1, "an aborted call is not sent");

  daemon.signal("SIGSTOP");
  const during = new AbortController();
  const call = own.ping({ signal: during.signal });
  setImmediate(() => during.abort(why));
  await assert.rejects(call, why);
  const connecting = new AbortController();
  const attempt = connect({ path, signal: connecting.signal });
  setImmediate(() => connecting.abort());
  await assert.rejects(attempt, { name: "AbortError" });
  daemon.signal("SIGCONT");
  await probe(own);

  const after = new AbortController();
  await own.ping({ signal: after.signal });
  after.abort(why);
  await probe(own);
  await assert.rejects(own.ping({ signal: after.signal }), why);
  await probe(own);
  await own.close();
});

test("a signal that lives long keeps nothing of the calls that had it", async () => {
  const controller = new AbortController();
  let listeners = 0;
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...all) => { listeners += 1; return add(...all); };
  signal.removeEventListener = (...all) => { listeners -= 1; return remove(...all); };
  const sim = await client.create("live", { signal });
  for (let index = 0; index < 50; index += 1) await sim.set({ a: index }, { signal });
  await assert.rejects(sim.assign("host", { signal }));
  await assert.rejects(sim.waitFor("A.b", "stale", { timeout: 20, signal }), seam.TimeoutError);
  await sim.destroy({ signal });
  assert.equal(listeners, 0);

  const warnings = [];
  const note = (warning) => warnings.push(String(warning));
  process.on("warning", note);
  await Promise.all(Array.from({ length: 100 }, () => client.ping({ signal })));
  await new Promise(setImmediate);
  process.off("warning", note);
  assert.deepEqual(warnings, []);
  assert.equal(listeners, 0);
});

// MARK: Connections

test("no daemon: the error says where it was looked for, and how to start one", async (t) => {
  const path = join(folder(t), "nobody.sock");
  await assert.rejects(connect(path), (error) => {
    assert(error instanceof seam.ConnectError);
    assert.equal(error.code, "ENOENT");
    assert.equal(error.message, `Nothing can be reached at ${path}: there is no such socket; start one with: seamd --socket ${path}`);
    return true;
  });
  const absent = new seam.Client(path, {}, null);
  const { signal } = new AbortController();
  await Promise.all([
    assert.rejects(absent.ping(), seam.ConnectError),
    assert.rejects(absent.ping({ signal }), seam.ConnectError),
    assert.rejects(absent.ping({ timeout: 1_000 }), seam.ConnectError),
    assert.rejects(absent.watch().next(), seam.ConnectError),
  ]);
  await absent.close();
  await assert.rejects(connect(`/${"x".repeat(107)}`), /has 108 bytes, the system allows 107/);
  await assert.rejects(connect(new URL(import.meta.url).pathname), /: it is no socket$/);
  await assert.rejects(connect("/tmp"), (error) => {
    assert(error instanceof seam.ConnectError);
    assert.equal(error.message, "Nothing can be reached at /tmp: it is a folder; give the path of the socket in it");
    return true;
  });
  await assert.rejects(connect(join(new URL(import.meta.url).pathname, "s")), /a part of the path is no folder/);
  await assert.rejects(connect({ private: { program: join(path, "seamd") } }), /There is no program/);
  await assert.rejects(connect({ private: { program, arguments: ["--nonsense"] } }), (error) => {
    assert(error instanceof seam.DaemonError);
    assert.match(error.message, /ended with code 2\.\n.*nonsense/s);
    return true;
  });
  await assert.rejects(connect({ private: { program, plugins: ["no-such.so"] } }), /does not listen.*no-such\.so/s);
});

test("a private daemon that has been killed is not looked for by hand", async () => {
  const own = await connect({ private: { program } });
  process.kill(own.daemon.pid, "SIGKILL");
  await own.daemon.ended;
  await assert.rejects(own.ping().catch(() => own.ping()), (error) => {
    assert(error instanceof seam.ConnectError);
    assert.equal(error.message, `The private daemon that listened at ${own.path} has ended.`);
    return true;
  });
  await own.close();
});

test("the limit of connect is that of the private daemon's start", async (t) => {
  const script = join(folder(t), "seamd");
  // Written by another program: one that this process had open for writing could be busy when it is run.
  spawnSync("sh", ["-c", 'printf "#!/bin/sh\\nexec sleep 600\\n" >"$0" && chmod 700 "$0"', script]);
  const start = performance.now();
  await assert.rejects(connect({ private: { program: script }, timeout: 500 }), /did not listen within 500 ms/);
  assert(performance.now() - start < 15_000);
});

test("what is no program is told so", async () => {
  await assert.rejects(connect({ private: { program: "/etc/passwd" } }), /\/etc\/passwd.* is no program that this user may/);
  await assert.rejects(connect({ private: { program: "/etc" } }), /\/etc.* is a folder/);
});

test("no limit is a limit too", async () => {
  const own = await connect({ private: { program }, timeout: Infinity });
  const sim = await own.create("live");
  await sim.show("S", { a: 1 });
  assert.equal((await sim.waitFor("S.a", "leftover", { timeout: Infinity })).shown, "1");
  await own.ping({ timeout: Infinity });
  await own.close();
});

test("hide takes the whole screen when no keys are named", async () => {
  const sim = await client.create("live");
  await sim.show("S", { a: 1, b: 2 });
  await sim.show("T", { a: 1 });
  await sim.hide("S", ["a"]);
  const { seq } = await sim.hide("S");
  assert.deepEqual((await sim.fields()).map(({ screen, field, shown }) => [screen, field, shown]), [
    ["S", "a", null], ["S", "b", null], ["T", "a", "1"],
  ]);
  await assert.rejects(sim.hide("T", undefined, { ifSeq: seq - 1 }), seam.ConflictError);
  await assert.rejects(sim.hide("T", "a"), /keys is an array of texts/);
  await sim.destroy();
});

test("the package has the version of what it comes with", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  assert.equal(version, client.hello.version);
});

test("the socket is found by the rules of the command line", () => {
  const uid = process.getuid();
  const find = (environment, option) => seam.socketPath(option, environment, uid);
  assert.equal(find({ SEAM_SOCKET: "/a" }, "/b"), "/b");
  assert.equal(find({ SEAM_SOCKET: "/a", XDG_RUNTIME_DIR: "/c" }), "/a");
  assert.equal(find({ SEAM_SOCKET: "", XDG_RUNTIME_DIR: "/c" }), "/c/seam/seam.sock");
  const nowhere = (environment) => seam.socketPath(undefined, environment, 4_000_000_000);
  assert.throws(() => nowhere({ XDG_RUNTIME_DIR: "c" }), (error) => {
    assert(error instanceof seam.ConnectError);
    assert.match(error.message, /\$XDG_RUNTIME_DIR is not an absolute path \(c\)/);
    return true;
  });
  assert.throws(() => nowhere({}), /\$SEAM_SOCKET is not set, \$XDG_RUNTIME_DIR is not set, \/run\/user\/4000000000 does not exist/);
});

test("after close nothing is sent, and closing twice is harmless", async () => {
  const own = await connect(client.path);
  const sim = own.simulation("x");
  const pending = own.ping();
  await own.close();
  await assert.rejects(pending, seam.ClosedError);
  await own.close();
  await assert.rejects(own.ping(), /closed; seam\.ping was not sent/);
  await assert.rejects(sim.set({ a: 1 }), seam.ClosedError);
  assert.throws(() => own.watch(), seam.ClosedError);
  await assert.rejects(sim.waitFor("A.b", "stale"), seam.ClosedError);
  await probe();
});

test("kill -9 under a call: the call is lost, the next one finds the next daemon", async (t) => {
  const path = join(folder(t), "s");
  const first = await seamd(t, path);
  const own = await connect(path);
  const { daemonEpoch } = own;
  first.signal("SIGSTOP");
  const pending = own.call("sim.create", { scenario: "live" });
  const lost = assert.rejects(pending, (error) => {
    assert(error instanceof seam.ConnectionLostError && error.method === "sim.create");
    assert.match(error.message, /Whether sim\.create was carried out is not known/);
    return true;
  });
  assert.equal(await first.end("SIGKILL"), "SIGKILL");
  await lost;
  await assert.rejects(own.ping(), seam.ConnectError);
  await seamd(t, path);
  await Promise.all([own.ping(), own.ping({ timeout: 9_000 }), own.ping({ signal: new AbortController().signal })]);
  assert.notEqual(own.daemonEpoch, daemonEpoch);
  await own.close();
});
