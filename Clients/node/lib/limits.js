// Checks of what the caller passes, before anything is sent.

import { setMaxListeners } from "node:events";

/** The longest timer that Node has; a longer one would fire at once. */
const timerMax = 2 ** 31 - 1;

/** A time limit in milliseconds; Infinity is none. */
export function limitOf(value, what) {
  if (typeof value !== "number") throw new TypeError(`${what} is a number of milliseconds, not ${describe(value)}`);
  if (value !== Infinity && !(value > 0 && value <= timerMax)) {
    throw new RangeError(`${what} is more than 0 and at most ${timerMax} milliseconds, or Infinity, not ${value}`);
  }
  return value;
}

/** A timer for a limit; none for none, since Node's would be over at once. */
export function limiting(milliseconds, act) {
  return milliseconds === Infinity ? undefined : setTimeout(act, milliseconds);
}

/** An object literal, or JSON's; of anything else JSON would carry nothing or something else, and say neither. */
export function isPlain(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  // Object.prototype of another realm, such as node:vm's, is none's heir either.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Options that nobody knows are mistakes: a misspelt `timeout` would silently be the default. */
export function onlyKnown(options, known, what) {
  if (options === undefined) return {};
  if (!isPlain(options)) throw new TypeError(`the options of ${what} are an object, not ${describe(options)}`);
  for (const name of Reflect.ownKeys(options)) {
    if (!known.includes(name)) {
      throw new TypeError(`${what} has no option ${String(name)}; it takes ${known.join(", ") || "none"}`);
    }
  }
  const { signal } = options;
  if (signal === undefined) return options;
  if (typeof signal?.addEventListener !== "function") {
    throw new TypeError(`signal is an AbortSignal, not ${describe(signal)}`);
  }
  // One signal for a hundred calls is no leak: each takes its listener away when it is done.
  if (signal instanceof EventTarget) setMaxListeners(0, signal);
  return options;
}

/** One value of a field, as JSON carries it: what JSON would drop or turn into null is refused instead. */
export function fieldValue(value, what) {
  // A value is its literal text to the daemon, so nothing of a BigInt is lost.
  if (typeof value === "bigint") return String(value);
  if (value === null || ["string", "boolean"].includes(typeof value) || Number.isFinite(value)) return value;
  throw new TypeError(`${what} is a text, a number, true, false or null (none), not ${describe(value)}`);
}

/** Values by key, of an object or of a Map. */
export function fieldValues(values, what, { mayBeEmpty = false } = {}) {
  const isMap = values instanceof Map;
  if (!isMap && !isPlain(values)) {
    throw new TypeError(`${what} is an object of values by key, or a Map, not ${describe(values)}`);
  }
  const plain = Object.create(null);
  const keys = isMap ? [...values.keys()] : Reflect.ownKeys(values);
  for (const key of keys) {
    if (typeof key !== "string") throw new TypeError(`a key of ${what} is a text, not ${describe(key)}`);
    plain[key] = fieldValue(isMap ? values.get(key) : values[key], `${what}.${key}`);
  }
  if (keys.length === 0 && !mayBeEmpty) throw new TypeError(`${what} is empty; name at least one value`);
  return plain;
}

/** An array of texts; a text alone is not one, and of a Set JSON would carry nothing. */
export function texts(value, what) {
  if (!Array.isArray(value)) throw new TypeError(`${what} is an array of texts, not ${describe(value)}`);
  return Array.from(value, (one, index) => text(one, `${what}[${index}]`));
}

export function text(value, what) {
  if (typeof value !== "string") throw new TypeError(`${what} is a text, not ${describe(value)}`);
  return value;
}

export function describe(value) {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value !== "object") return `a value of type ${typeof value}`;
  if (Array.isArray(value)) return "an array";
  if (isPlain(value)) return "an object";
  const { name } = value.constructor ?? {};
  return typeof name === "string" && name !== "" ? `an instance of ${name}` : "an instance of a class";
}
