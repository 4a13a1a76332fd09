// The golden conversations of Tests/Conversations: each is replayed against a daemon that has just been started, and
// then once more in chunks of a few bytes.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder, raw, seamd } from "./support.js";

const place = new URL("../../../Tests/Conversations/", import.meta.url);
const files = readdirSync(place).filter((name) => name.endsWith(".jsonl"));
const patience = 10_000;

/** Compares a value with the golden one; `<word>` binds at its first occurrence. Members have an order. */
function compare(golden, got, bound, at) {
  if (typeof golden === "string" && /^<[A-Za-z0-9_-]+>$/.test(golden)) {
    if (!bound.has(golden)) bound.set(golden, got);
    assert.deepEqual(got, bound.get(golden), `${at}: ${golden}`);
  } else if (golden !== null && typeof golden === "object") {
    assert(got !== null && typeof got === "object", `${at}: ${JSON.stringify(got)}`);
    assert.deepEqual(Object.keys(got), Object.keys(golden), `${at}: the members and their order`);
    for (const key of Object.keys(golden)) compare(golden[key], got[key], bound, `${at}.${key}`);
  } else {
    assert.equal(got, golden, at);
  }
}

async function replay(t, file, send) {
  const lines = readFileSync(new URL(file, place), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
  assert(typeof lines[0].conversation === "string" && typeof lines[0].about === "string", `${file}:1: says what it is`);
  const path = join(folder(t), "s");
  await seamd(t, path);
  const clients = new Map();
  const bound = new Map();
  const client = (name) => {
    if (!clients.has(name)) clients.set(name, raw(path));
    return clients.get(name);
  };
  t.after(() => {
    for (const { socket } of clients.values()) socket.destroy();
  });
  for (const [index, step] of lines.entries()) {
    if (index === 0) continue;
    const at = `${file}:${index + 1}`;
    if (step.from !== undefined) {
      const { socket } = client(step.from);
      if (step.end) socket.end();
      else await send(socket, `${step.text ?? JSON.stringify(step.line)}\n`);
      continue;
    }
    const got = await within(client(step.to).lines.next(), at);
    if (step.end) {
      assert.equal(got, null, `${at}: the end of the stream`);
    } else {
      assert.notEqual(got, null, `${at}: the stream has ended`);
      compare(step.line, JSON.parse(got), bound, at);
    }
  }
}

function within(promise, at) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`${at}: nothing came within ${patience} ms`)), patience);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

const write = (socket, bytes) => new Promise((done) => socket.write(bytes, done));

test("there are golden conversations", () => assert(files.length > 0));

for (const file of files) {
  test(`${file} goes as it is written`, (t) => replay(t, file, write));
  test(`${file} goes as it is written, in small pieces`, (t) =>
    replay(t, file, async (socket, line) => {
      const bytes = Buffer.from(line);
      for (let start = 0; start < bytes.length; start += 7) await write(socket, bytes.subarray(start, start + 7));
    }));
}

test("a runner that lets differences pass would be worth nothing", () => {
  const golden = { a: "<e>", b: { c: 1, d: "<e>" } };
  compare(golden, { a: "x", b: { c: 1, d: "x" } }, new Map(), "row");
  for (const got of [
    { a: "x", b: { c: 1, d: "y" } },
    { a: "x", b: { d: "x", c: 1 } },
    { a: "x", b: { c: 1 } },
    { a: "x", b: { c: 1, d: "x", e: 1 } },
    { a: "x", b: { c: "1", d: "x" } },
    { a: "x", b: null },
  ]) {
    assert.throws(() => compare(golden, got, new Map(), "row"), assert.AssertionError, JSON.stringify(got));
  }
});
