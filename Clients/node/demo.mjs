#!/usr/bin/env node
// A value crosses the seam only when somebody carries it: two programs in one, a reporter and a watcher. Starts a
// daemon of its own ($SEAMD, else the one built in this checkout, else the one in PATH) and ends with exit code 0
// when it has seen what it should.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { connect, SeamError, UnknownBridgeError } from "./index.js";

const built = ["release", "debug"]
  .map((name) => fileURLToPath(new URL(`../../.build/${name}/seamd`, import.meta.url)))
  .find(existsSync);
const client = await connect({ private: { program: process.env.SEAMD || built } }).catch((problem) => {
  // What is missing on this machine is for a person; a fault of this program is for who reads its stack.
  if (!(problem instanceof SeamError)) throw problem;
  console.error(`demo.mjs: ${problem.message}`);
  process.exit(1);
});
console.log(`seamd ${client.hello.version}, process ${client.daemon.pid}`);

// A scenario that comes with Seam: the hosting controller is not told of the new count.
const lesson = await client.create("lessons.hosting-unassigned");
const stream = lesson.watch();
await lesson.set({ openCount: 7 });
const behind = await lesson.waitFor("HostingController.openCount", "stale");
console.log(`${behind.name} is ${behind.verdict}: the model says ${behind.model}, the screen shows ${behind.shown}`);
await lesson.assign("host");
for await (const event of stream) {
  if (event.kind === "change") console.log(`seq ${event.seq}: ${event.name} ${event.from} -> ${event.to}`);
  if (event.kind !== "sync" && event.verdict === "matching" && event.model === "7") break;
}

// A screen of this program, with no scenario: it says both sides, Seam says where they differ.
const app = await client.create("live", { id: "app" });
await app.declare("Toolbar", ["count", "title"]);
await app.set({ count: 5, title: "Inbox" });
await app.show("Toolbar", { count: 3, title: "Inbox" });
for (const { screen, field, verdict, model, shown } of await app.fields()) {
  console.log(`${screen}.${field}: model=${model} screen=${shown} -> ${verdict}`);
}
const { counts } = await app.check();
assert.deepEqual(counts, { matching: 1, stale: 1, missing: 0, leftover: 0 });

// What is wrong has a class and says what would have been right.
await assert.rejects(lesson.assign("hots"), (error) => {
  assert(error instanceof UnknownBridgeError);
  console.log(`refused: ${error.message}`);
  return error.known.includes("host");
});

await app.destroy();
await lesson.destroy();
await client.close();
