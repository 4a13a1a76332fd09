// What is looked at, as an address: every view can be sent to somebody.

import { verdicts } from "./store.js";

export const views = ["fields", "events", "scenarios", "picture", "compare"];

const encode = (text) => encodeURIComponent(text).replaceAll("%20", "+").replaceAll("%2F", "/").replaceAll("%2C", ",");
const decode = (text) => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return "";
  }
};

/** `["sim", "screen", "field"]` as one word: the parts keep their slashes out of the way. */
export const rowWord = (parts) => parts.map((part) => encodeURIComponent(part)).join("/");

export function read(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/");
  const values = new Map(query.split("&").filter(Boolean).map((pair) => {
    const at = pair.indexOf("=");
    return at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
  }));
  const mask = new Set(decode(values.get("v") ?? "").split(",").map((word) => verdicts.indexOf(word)).filter((n) => n >= 0));
  const [column = "path", direction] = decode(values.get("sort") ?? "path").split(":");
  const row = values.has("row") ? values.get("row").split("/").map(decode) : null;
  return {
    view: views.includes(name) ? name : "fields",
    about: rest.length ? decode(rest.join("/")) : "",
    mask,
    query: decode(values.get("q") ?? ""),
    sort: { column, isDescending: direction === "down" },
    row: row?.length === 3 ? row : null,
    hasDetails: values.has("details"),
    at: values.has("at") ? decode(values.get("at")) : null,
    asOf: values.has("as-of") ? decode(values.get("as-of")) : null,
    pair: { a: decode(values.get("a") ?? ""), b: decode(values.get("b") ?? ""), field: decode(values.get("field") ?? "") },
    onlyDifferences: values.get("only") === "differences",
  };
}

/** Two simulations side by side. */
export const compareAddress = (a, b = "") => write({ view: "compare", pair: { a, b, field: "" } });

export function write({ view, about, mask, query, sort, row, hasDetails, at, pair, onlyDifferences, asOf }) {
  const pairs = [];
  if (view === "fields" || view === "events") {
    if (mask.size) pairs.push(`v=${[...mask].sort().map((number) => verdicts[number]).join(",")}`);
    if (query) pairs.push(`q=${encode(query)}`);
    if (sort.column !== "path" || sort.isDescending) pairs.push(`sort=${encode(sort.column)}${sort.isDescending ? ":down" : ""}`);
    if (row) pairs.push(`row=${rowWord(row)}`);
    if (row && hasDetails) pairs.push("details");
    if (at) pairs.push(`at=${encode(at)}`);
  }
  if (view === "compare") {
    for (const name of ["a", "b", "field"]) if (pair[name]) pairs.push(`${name}=${encode(pair[name])}`);
    if (onlyDifferences) pairs.push("only=differences");
    if (query) pairs.push(`q=${encode(query)}`);
  }
  if (asOf && (view === "fields" || view === "compare")) pairs.push(`as-of=${encode(asOf)}`);
  const path = about && (view === "scenarios" || view === "picture") ? `${view}/${encodeURIComponent(about)}` : view;
  return `#/${path}${pairs.length ? `?${pairs.join("&")}` : ""}`;
}
