#!/usr/bin/env node
// Sends the requests of ../comparison.jsonl in order and prints every event line of the subscription that they open,
// byte for byte, until the stream ends. Each client of Seam has such a program; their outputs are compared. For that each
// needs a daemon that has just been started: numbers of subscriptions and of the daemon's changes are in the lines.

import { readFileSync } from "node:fs";
import { connect, SeamError } from "./index.js";

const [path, ...more] = process.argv.slice(2);
if (!path || more.length > 0) {
  console.error("usage: compare.mjs SOCKET");
  process.exit(2);
}

const requests = readFileSync(new URL("../comparison.jsonl", import.meta.url), "utf8")
  .split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));

try {
  await compare();
} catch (error) {
  if (!(error instanceof SeamError)) throw error;
  console.error(`compare.mjs: ${error.message}`);
  process.exit(1);
}

async function compare() {
  const client = await connect({ path, reconnect: false });
  let printed = Promise.resolve();
  for (const { method, params } of requests) {
    if (method === "sub.open") {
      const stream = client.watch(params);
      await stream.opened;
      printed = print(stream);
    } else {
      await client.call(method, params);
    }
  }
  await printed;
  await client.close();
}

async function print(stream) {
  for await (const event of stream) process.stdout.write(`${event.line}\n`);
}
