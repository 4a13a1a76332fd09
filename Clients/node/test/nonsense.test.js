// What is no seamd, or a broken one: the client says so, in words and as a class, and nothing of it is left over.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as seam from "../index.js";
import { connect } from "../index.js";
import { LineSplitter } from "../lib/lines.js";
import { pretender } from "./support.js";

const reply = (id, result) => `${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`;

test("lines are cut at LF alone, whatever the chunks are", () => {
  const text = ["", "{}", "é📋\r", "a\u2028b\u0085c", "x".repeat(50), "ü"].join("\n");
  const bytes = Buffer.from(`${text}\n`);
  for (let size = 1; size <= bytes.length; size += 1) {
    const splitter = new LineSplitter(64);
    const lines = [];
    for (let start = 0; start < bytes.length; start += size) lines.push(...splitter.push(bytes.subarray(start, start + size)));
    assert.deepEqual(lines, text.split("\n"), `chunks of ${size} bytes`);
    assert.equal(splitter.pendingBytes, 0);
  }
});

test("a line may have as many bytes as the limit says, in one chunk or in many, and not one more", () => {
  const exact = Buffer.from(`${"x".repeat(64)}\n`);
  const over = Buffer.from(`${"x".repeat(65)}\n`);
  for (let cut = 0; cut <= exact.length; cut += 1) {
    const splitter = new LineSplitter(64);
    assert.deepEqual([...splitter.push(exact.subarray(0, cut)), ...splitter.push(exact.subarray(cut))], ["x".repeat(64)]);
    // A short line behind the long one: only the long one is at fault, and it is found all the same.
    const broken = new LineSplitter(64);
    assert.throws(() => {
      broken.push(over.subarray(0, cut));
      broken.push(Buffer.concat([over.subarray(cut), Buffer.from("{}\n")]));
    }, seam.LineTooLongError, `cut at ${cut}`);
  }
  assert.throws(() => new LineSplitter(64).push(Buffer.alloc(65)), seam.LineTooLongError);
});

const rows = [
  ["no JSON", "hello\n", seam.ProtocolError, /is no seamd; it said: hello/],
  ["HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n", seam.ProtocolError, /it said: HTTP/],
  ["a number", "7\n", seam.ProtocolError, /it said: 7/],
  ["an array", "[]\n", seam.ProtocolError, /it said: \[\]/],
  ["null", "null\n", seam.ProtocolError, /it said: null/],
  ["no result", '{"jsonrpc":"2.0","id":2}\n', seam.ProtocolError, /it said/],
  ["an id that was never sent", reply(4_711, {}), seam.ProtocolError, /4711/],
  ["an id that is a text", reply("2", {}), seam.ProtocolError, /it said/],
  ["an error that is a text", '{"jsonrpc":"2.0","id":2,"error":"no"}\n', seam.ProtocolError, /it said/],
  ["an event without params", '{"jsonrpc":"2.0","method":"seam.event"}\n', seam.ProtocolError, /it said/],
  ["half UTF-8", Buffer.from([0x22, 0xc3, 0x22, 0x0a]), seam.ProtocolError, /not UTF-8/],
  ["an overlong encoding", Buffer.from([0xc0, 0xaf, 0x0a]), seam.ProtocolError, /not UTF-8/],
  ["a surrogate in UTF-8", Buffer.from([0xed, 0xa0, 0x80, 0x0a]), seam.ProtocolError, /not UTF-8/],
  ["a line over the limit", "x".repeat((1 << 20) + 1), seam.LineTooLongError, /1048576 are expected/],
  [
    "an error about the connection",
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32008,"message":"too many","data":{"kind":"limit"}}}\n',
    seam.LimitError, /too many/,
  ],
  [
    "an error of a later version",
    '{"jsonrpc":"2.0","id":2,"error":{"code":-32099,"message":"tired","data":{"kind":"tired"}}}\n',
    seam.CallError, /tired/,
  ],
  [
    "a kind of a later version",
    '{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"odd","data":{"kind":"odd"}}}\n',
    seam.ParamsError, /odd/,
  ],
  ["an error without data", '{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"bare"}}\n', seam.CallError, /bare/],
];

for (const [name, said, type, text] of rows) {
  test(`an answer that is ${name}`, async (t) => {
    const path = await pretender(t, (request, socket, answer) => {
      if (request.method === "sim.list") socket.write(said);
      else answer({});
    });
    const client = await connect(path);
    // Over one connection: ids 1 and 2 were hello and ping.
    await client.close();
    const fresh = new seam.Client(path, {}, null);
    await assert.rejects(fresh.call("sim.list", {}, { timeout: 5_000 }), (error) => {
      assert.equal(error.constructor, type, `${error.name}: ${error.message}`);
      assert.match(error.message, text);
      return true;
    });
    // The next call is answered, over a new connection where the old one was of no use.
    assert.equal((await fresh.ping()).daemonEpoch, "0123456789abcdef");
    await fresh.close();
  });
}

test("what says hello in another way is no seamd", async (t) => {
  const deaf = await pretender(t, () => {}, { hello: false });
  await assert.rejects(connect({ path: deaf, timeout: 50 }), seam.TimeoutError);
  const empty = await pretender(t, (request, socket, answer) => answer({}), { hello: false });
  await assert.rejects(connect(empty), /without a daemonEpoch; it is no seamd/);
  const shut = await pretender(t, (request, socket) => socket.destroy(), { hello: false });
  await assert.rejects(connect(shut), seam.ConnectionLostError);
});

test("the connection ends in the middle of a line", async (t) => {
  const path = await pretender(t, (request, socket) => socket.end('{"jsonrpc":"2.0","id":2,"res'));
  const client = new seam.Client(path, {}, null);
  await assert.rejects(client.call("sim.list"), /in the middle of a line/);
  await client.ping();
  await client.close();
});

test("a reply that comes in single bytes, twice, or too late", async (t) => {
  const held = [];
  const path = await pretender(t, (request, socket, answer) => {
    if (request.method === "slowly") {
      for (const byte of Buffer.from(reply(request.id, { text: "é📋" }))) socket.write(Buffer.from([byte]));
    } else if (request.method === "twice") {
      answer({ n: 1 });
      answer({ n: 2 });
    } else if (request.method === "late") {
      held.push(() => answer({ late: true }));
    } else {
      for (const act of held.splice(0)) act();
      answer({ now: true });
    }
  });
  const client = await connect(path);
  assert.deepEqual(await client.call("slowly"), { text: "é📋" });
  assert.deepEqual(await client.call("twice"), { n: 1 });
  await assert.rejects(client.call("late", {}, { timeout: 20 }), seam.TimeoutError);
  assert.deepEqual(await client.call("now"), { now: true });
  await client.ping();
  await client.close();
});

test("replies out of order find their calls; blank lines and notifications of a later version are passed over", async (t) => {
  const waiting = [];
  const path = await pretender(t, (request, socket, answer) => {
    waiting.push(() => answer({ was: request.method }));
    if (waiting.length < 3) return;
    socket.write('\n{"jsonrpc":"2.0","method":"seam.news","params":{"a":1}}\n\n');
    for (const act of waiting.reverse()) act();
  });
  const client = await connect(path);
  const results = await Promise.all(["a", "b", "c"].map((method) => client.call(method)));
  assert.deepEqual(results, [{ was: "a" }, { was: "b" }, { was: "c" }]);
  await client.close();
});

const event = (params) => `${JSON.stringify({ jsonrpc: "2.0", method: "seam.event", params })}\n`;

test("events: a kind of a later version is unknown, one of another subscription is nobody's", async (t) => {
  const path = await pretender(t, (request, socket, answer) => {
    // The reply and what follows in one chunk: none of it may be lost.
    socket.cork();
    answer({ sub: 3, epoch: "e", seq: 5, count: 0 });
    socket.write(event({ sub: 2, kind: "sync", sim: "s", seq: 4 }));
    socket.write(event({ sub: 3, kind: "sync", sim: "s", seq: 5 }));
    socket.write(event({ sub: 3, kind: "weather", sim: "s", seq: 6, sun: true }));
    socket.write(event({ sub: 3, kind: "end", sim: "s", reason: "destroyed", seq: 6 }));
    socket.uncork();
  });
  const client = await connect(path);
  const events = [];
  for await (const each of client.watch({ sim: "s" })) events.push(each);
  assert.deepEqual(events.map(({ kind }) => kind), ["sync", "unknown", "end"]);
  assert(events[1] instanceof seam.Unknown);
  assert.deepEqual([events[1].wireKind, events[1].params.sun], ["weather", true]);
  await client.close();
});

test("a seq beyond what a number holds is refused, never rounded", async (t) => {
  const path = await pretender(t, (request, socket, answer) => {
    answer({ sub: 1, epoch: "e", seq: 5, count: 0 });
    socket.write('{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"sim":"s","kind":"sync","seq":9007199254740991}}\n');
    socket.write('{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"sim":"s","kind":"mark","seq":9007199254740993}}\n');
  });
  const client = await connect(path);
  const stream = client.watch({ sim: "s", reconnect: 100 });
  assert.equal((await stream.next()).value.seq, Number.MAX_SAFE_INTEGER);
  await assert.rejects(stream.next(), /a seq that no JavaScript number holds/);
  await client.close();
});

test("nonsense in a stream ends it with an error, behind the events before it", async (t) => {
  const path = await pretender(t, (request, socket, answer) => {
    answer({ sub: 1, epoch: "e", seq: 5, count: 0 });
    socket.write(event({ sub: 1, kind: "sync", sim: "s", seq: 5 }));
    socket.write("oops\n");
  });
  const client = await connect(path);
  const stream = client.watch({ sim: "s" });
  await stream.opened;
  assert.equal((await stream.next()).value.kind, "sync");
  await assert.rejects(stream.next(), seam.ProtocolError);
  assert.equal((await stream.next()).done, true);
  await client.ping();
  await client.close();
});
