// The golden conversations of Tests/Conversations: each is replayed against a daemon that has just been started, and
// then once more in chunks of a few bytes. Lines are compared as they are written, byte for byte: parsed and encoded
// anew, `1.50` and an escaped character would be lost, which some conversations are about.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder, raw, seamd } from "./support.js";

const place = new URL("../../../Tests/Conversations/", import.meta.url);
const files = readdirSync(place).filter((name) => name.endsWith(".jsonl"));
const patience = 10_000;

const placeholder = /"<[A-Za-z][a-z0-9-]*>"/;
const string = '"(?:[^"\\\\]|\\\\.)*"';
/** What a placeholder stands for: a string, a number, or a list of strings. */
const anything = `(${string}|-?[0-9][0-9.eE+-]*|\\[(?:${string}(?:,${string})*)?\\])`;

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Whether a line that came is the golden one; placeholders bind at their first occurrence. */
function isSame(golden, got, bound) {
  const names = [];
  const pattern = golden.split(new RegExp(`(${placeholder.source})`)).map((part) => {
    if (!new RegExp(`^${placeholder.source}$`).test(part)) return escaped(part);
    if (bound.has(part)) return escaped(bound.get(part));
    if (names.includes(part)) return `\\${names.indexOf(part) + 1}`;
    names.push(part);
    return anything;
  }).join("");
  const match = new RegExp(`^${pattern}$`).exec(got);
  if (!match) return false;
  names.forEach((name, index) => bound.set(name, match[index + 1]));
  return true;
}

/** The text of the member `line`, as it stands in the file. */
const lineOf = (text) => text.slice(text.indexOf('"line":') + '"line":'.length, text.lastIndexOf("}"));

async function replay(t, file, send) {
  const path = join(folder(t), "s");
  await seamd(t, path);
  const clients = new Map();
  const bound = new Map();
  t.after(() => {
    for (const { socket } of clients.values()) socket.destroy();
  });
  const client = (name) => {
    if (!clients.has(name)) clients.set(name, { ...raw(path), isOpen: true });
    return clients.get(name);
  };
  const receive = async (name, at) => {
    for (;;) {
      const line = await within(client(name).lines.next(), at);
      // Marks come by the clock.
      if (!line?.includes('"kind":"mark"')) return line;
    }
  };
  const rows = readFileSync(new URL(file, place), "utf8").trimEnd().split("\n");
  const title = JSON.parse(rows[0]);
  assert(typeof title.conversation === "string" && typeof title.about === "string", `${file}:1 says what it is`);
  for (const [index, row] of rows.entries()) {
    if (index === 0) continue;
    const at = `${file}:${index + 1}`;
    const step = JSON.parse(row);
    const name = step.from ?? step.to;
    assert.equal(typeof name, "string", `${at} names a client`);
    if (step.from !== undefined && step.end) {
      client(name).socket.end();
      client(name).isOpen = false;
    } else if (step.from !== undefined) {
      const line = step.text ?? lineOf(row).replace(new RegExp(placeholder.source, "g"), (word) => bound.get(word) ?? word);
      await send(client(name).socket, `${line}\n`);
    } else if (step.end) {
      assert.equal(await receive(name, at), null, `${at}: the end of the stream`);
      client(name).isOpen = false;
    } else {
      const got = await receive(name, at);
      assert(got !== null && isSame(lineOf(row), got, bound), `${at}\n  came ${got}\n  not  ${lineOf(row)}`);
    }
  }
  for (const [name, { socket, isOpen }] of clients) {
    if (!isOpen) continue;
    socket.write('{"id":"the end","method":"seam.ping"}\n');
    const left = await receive(name, `${file}: ${name}, at the end`);
    assert.match(left ?? "the end", /"id":"the end"/, `${file}: ${name} is owed nothing`);
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
      // A daemon that has ended, as some conversations have it, takes no more.
      for (let start = 0; start < bytes.length; start += 61) await write(socket, bytes.subarray(start, start + 61));
    }));
}

test("a runner that lets differences pass would be worth nothing", () => {
  const golden = '{"a":"<e>","b":{"c":1.50,"d":"<e>","k":"<known>"}}';
  const right = '{"a":"x\\"(y","b":{"c":1.50,"d":"x\\"(y","k":["p","q"]}}';
  const bound = new Map();
  assert(isSame(golden, right, bound));
  assert.equal(bound.get('"<e>"'), '"x\\"(y"');
  assert(isSame(golden, right, bound));
  for (const got of [
    right.replace("1.50", "1.5"), right.replace('"d":"x\\"(y"', '"d":"z"'), `${right} `, right.replace(',"k":["p","q"]', ""),
    right.replace("a", "A"), '{"b":{"c":1.50,"d":"x","k":1},"a":"x"}', "", right.replace('["p","q"]', '{"p":1}'),
  ]) {
    assert(!isSame(golden, got, new Map()), got);
  }
  // What was bound before holds, even where the line agrees with itself.
  assert(!isSame(golden, right.replaceAll('x\\"(y', "other"), bound));
});
