// What the table shows, as a file: every row that passes the filter, in the order of the screen.

import { verdicts } from "./store.js";

function record(store, moment, index) {
  const at = moment.changedAt[index];
  return {
    sim: store.sim[index], scenario: store.sims.get(store.sim[index])?.scenario ?? null,
    screen: store.screen[index], field: store.field[index], verdict: verdicts[moment.verdict[index]],
    model: moment.model[index], shown: moment.shown[index],
    ...(moment.modelBytes.has(index) && { modelBytes: moment.modelBytes.get(index) }),
    ...(moment.shownBytes.has(index) && { shownBytes: moment.shownBytes.get(index) }),
    changed: at ? new Date(at).toISOString() : null,
  };
}

/** RFC 4180. Text is always quoted, so that none, which is not, is told from the empty text. */
const quoted = (value) => (value === null ? "" : `"${String(value).replaceAll('"', '""')}"`);

const csvColumns = ["sim", "scenario", "screen", "field", "verdict", "model", "shown", "modelBytes", "shownBytes", "changed"];

export function asJSONLines(store, moment, rows) {
  return Array.from(rows, (index) => `${JSON.stringify(record(store, moment, index))}\n`);
}

export function asCSV(store, moment, rows) {
  const lines = Array.from(rows, (index) => {
    const found = record(store, moment, index);
    return `${csvColumns.map((name) => quoted(found[name] ?? null)).join(",")}\r\n`;
  });
  return [`${csvColumns.join(",")}\r\n`, ...lines];
}

/** An event with what it changed: `was` where the field had other values. */
function eventRecord({ kind, at, id, sim, screen, field, from, to, before, model, shown, modelBytes, shownBytes, turn, seq, code, severity, bridge, text, what, scenario, reason, missed }) {
  return {
    at: new Date(at).toISOString(), kind, id: id || undefined, sim, screen, field, ...(kind === "verdict" && { from: verdicts[from], to: verdicts[to] }),
    model, shown, modelBytes, shownBytes, ...(before?.isAlive && { was: { model: before.model, shown: before.shown } }),
    turn, seq, what, scenario, code, severity, bridge, reason, missed, text,
  };
}

const eventColumns = ["at", "kind", "id", "sim", "screen", "field", "from", "to", "model", "shown", "turn", "seq", "what", "code", "severity", "bridge", "text"];

export const eventsAsJSONLines = (events) => events.map((event) => `${JSON.stringify(eventRecord(event))}\n`);

export function eventsAsCSV(events) {
  const lines = events.map((event) => {
    const found = eventRecord(event);
    return `${eventColumns.map((name) => quoted(found[name] ?? null)).join(",")}\r\n`;
  });
  return [`${eventColumns.join(",")}\r\n`, ...lines];
}

export function pairsAsJSONLines(pairs) {
  return pairs.map((pair) => `${JSON.stringify(pair)}\n`);
}

export function pairsAsCSV(pairs) {
  const names = ["verdict", "model", "shown"];
  const head = ["field", "difference", ...["a", "b"].flatMap((side) => names.map((name) => `${side}.${name}`))];
  const lines = pairs.map(({ field, difference, a, b }) =>
    `${[quoted(field), quoted(difference), ...[a, b].flatMap((side) => names.map((name) => quoted(side?.[name] ?? null)))].join(",")}\r\n`);
  return [`${head.join(",")}\r\n`, ...lines];
}

export function save(name, type, parts) {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
