#!/usr/bin/env node
// How fast this client is: calls that wait for each other, calls that do not, and events through `for await`.
// usage: bench.mjs [SECONDS]; seamd is the one in $SEAMD, else in PATH

import { connect, SeamError } from "./index.js";

const seconds = Number(process.argv[2] ?? 2);
if (!(seconds > 0) || process.argv.length > 3) {
  console.error("usage: bench.mjs [SECONDS], how long each measurement takes");
  process.exit(2);
}
const client = await connect({ private: true }).catch((problem) => {
  if (!(problem instanceof SeamError)) throw problem;
  console.error(`bench.mjs: ${problem.message}`);
  process.exit(1);
});
const sim = await client.create("live");
await sim.declare("S", ["a"]);

async function measure(name, unit, body) {
  const start = performance.now();
  const count = await body(() => performance.now() - start < seconds * 1_000);
  const rate = count / ((performance.now() - start) / 1_000);
  console.log(`${name}: ${Math.round(rate / 1_000)} k ${unit}/s`);
}

await measure("one call after the other", "calls", async (more) => {
  let count = 0;
  for (; more(); count += 1) await client.ping();
  return count;
});
await measure("200 calls at a time", "calls", async (more) => {
  let count = 0;
  for (; more(); count += 200) await Promise.all(Array.from({ length: 200 }, (_, index) => sim.set({ a: index })));
  return count;
});
// The events are there before they are read: what is measured is the reader alone.
const many = await client.create("live");
await many.declare("S", ["a"]);
const { epoch } = many;
const changes = 60_000;
for (let done = 0; done < changes; done += 500) {
  await Promise.all(Array.from({ length: 500 }, (_, index) => many.set({ a: done + index })));
}
await measure("events through for await", "events", async (more) => {
  let count = 0;
  while (more()) {
    for await (const event of many.watch({ mode: "all", after: { epoch, seq: 0 } })) {
      if (event.kind === "change" && (count += 1) % changes === 0) break;
    }
  }
  return count;
});
await client.close();
