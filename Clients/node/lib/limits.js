// Checks of what the caller passes, before anything is sent.

import { setMaxListeners } from "node:events";

/** The longest timer that Node has; a longer one would fire at once. */
const timerMax = 2 ** 31 - 1;

/** A time limit in milliseconds. There is no "for ever": a call that nobody ends would hold its program. */
export function limitOf(value, what) {
  if (typeof value !== "number") throw new TypeError(`${what} is a number of milliseconds, not ${describe(value)}`);
  if (!(value > 0 && value <= timerMax)) {
    throw new RangeError(`${what} is more than 0 and at most ${timerMax} milliseconds, not ${value}`);
  }
  return value;
}

/** Options that nobody knows are mistakes: a misspelt `timeout` would silently be the default. */
export function onlyKnown(options, known, what) {
  if (options === undefined) return {};
  if (options === null || typeof options !== "object") {
    throw new TypeError(`the options of ${what} are an object, not ${describe(options)}`);
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw new TypeError(`${what} has no option ${name}; it takes ${known.join(", ") || "none"}`);
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

/** Values of fields, as JSON carries them: what JSON would drop or turn into null is refused instead. */
export function fieldValues(values, what) {
  if (values === null || typeof values !== "object" || Array.isArray(values)) {
    throw new TypeError(`${what} is an object of values by key, not ${describe(values)}`);
  }
  const plain = Object.create(null);
  for (const [key, value] of Object.entries(values)) {
    if (typeof value === "bigint") {
      // A value is its literal text to the daemon, so nothing is lost.
      plain[key] = String(value);
    } else if (value === null || ["string", "boolean"].includes(typeof value) || Number.isFinite(value)) {
      plain[key] = value;
    } else {
      throw new TypeError(`${what}.${key} is a text, a number, true, false or null (none), not ${describe(value)}`);
    }
  }
  return plain;
}

export function text(value, what) {
  if (typeof value !== "string") throw new TypeError(`${what} is a text, not ${describe(value)}`);
  return value;
}

export function describe(value) {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "number") return String(value);
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
}
