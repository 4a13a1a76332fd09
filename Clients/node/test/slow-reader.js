// Watches a simulation, stops reading after the sync until a line comes on standard input, then reads until every
// field has the last value, and reports.

import { connect } from "../index.js";
import { Lines } from "./support.js";

const [path, id, last] = process.argv.slice(2);
const client = await connect(path);
const stream = client.simulation(id).watch();
const values = new Map();
for await (const event of { [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) }) {
  if (event.kind === "state") values.set(event.name, event.model);
  if (event.kind === "sync") break;
}
const before = process.memoryUsage().rss;
console.log("synced");
await new Lines(process.stdin).next();
const waitingBytes = stream.waitingBytes;
const grownBytes = process.memoryUsage().rss - before;
let collapsed = 0;
for await (const event of stream) {
  if (event.kind === "lag") collapsed += event.collapsed ?? 0;
  if (event.kind !== "state" && event.kind !== "change") continue;
  values.set(event.name, event.model);
  if ([...values.values()].every((value) => value === last)) break;
}
console.log(JSON.stringify({ waitingBytes, grownBytes, collapsed, last: Object.fromEntries(values) }));
await client.close();
process.exit(0);
