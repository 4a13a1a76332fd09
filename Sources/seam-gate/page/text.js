// Values as text: nothing in them is markup, nothing in them is invisible, and where two differ is marked.

/** What a reader would not see, or what would move the text around it. A joiner inside of an emoji is no such thing. */
const signs = new RegExp(
  "(?<marks>(?<=\\p{M}{6})\\p{M}+)|[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200f\\u2028-\\u202f"
  + "\\u205f-\\u206f\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff9-\\ufffb]|\\p{Cs}|[\\u{e0000}-\\u{e01ef}]",
  "gu",
);
/** Text that has nothing to be named: most has not, and is not searched for it. */
const plain = /^[\x20-\x7e]*$/;
const joined = /\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?$/u;

const names = new Map([[0x09, "⇥"], [0x0a, "↵"], [0x0d, "␍"], [0x1b, "␛"], [0x00, "␀"]]);

function nameOf(sign, marks) {
  // Marks that pile up over a letter cover what is around it.
  if (marks) return `+${[...marks].length} marks`;
  const code = sign.codePointAt(0);
  return names.get(code) ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Text with its invisible characters named, for places that take only a string. */
export function visible(text) {
  if (plain.test(text)) return text;
  return text.replace(signs, (sign, marks, offset) => (isJoiner(text, sign, offset) ? sign : nameOf(sign, marks)));
}

function isJoiner(text, sign, offset) {
  return sign === "\u200d" && joined.test(text.slice(Math.max(0, offset - 8), offset))
    && /^\p{Extended_Pictographic}/u.test(text.slice(offset + 1, offset + 3));
}

function append(parent, text, { isMarked = false } = {}) {
  if (text === "") return;
  const target = isMarked ? parent.appendChild(document.createElement("mark")) : parent;
  if (plain.test(text)) return target.append(text);
  let last = 0;
  for (const { 0: sign, index, groups } of text.matchAll(signs)) {
    if (isJoiner(text, sign, index)) continue;
    if (index > last) target.append(text.slice(last, index));
    const shown = document.createElement("span");
    shown.className = "sign";
    shown.textContent = nameOf(sign, groups.marks);
    target.append(shown);
    last = index + sign.length;
  }
  if (last < text.length) target.append(text.slice(last));
}

const splits = /[\p{M}\u200d\ufe0f\p{Emoji_Modifier}\udc00-\udfff]/u;
/** Whether a cut before this place would part what belongs together. */
const cuts = (text, at) => at > 0 && at < text.length
  && (splits.test(text[at]) || text[at - 1] === "\u200d" || /\p{Emoji_Modifier}/u.test(String.fromCodePoint(text.codePointAt(at))));

/**
 * Where two texts differ: both are the same before `start`, and the same after `ends` of each.
 * @returns {{start: number, ends: [number, number]} | null} null if they are the same
 */
export function difference(a, b) {
  if (a === b) return null;
  const least = Math.min(a.length, b.length);
  let start = 0;
  while (start < least && a[start] === b[start]) start += 1;
  let tail = 0;
  while (tail < least - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  while (start > 0 && (cuts(a, start) || cuts(b, start))) start -= 1;
  while (tail > 0 && (cuts(a, a.length - tail) || cuts(b, b.length - tail))) tail -= 1;
  return { start, ends: [a.length - tail, b.length - tail] };
}

/**
 * Shows a value in an element, replacing what it held.
 * @param {string | null} value null is none, which is not the empty text
 * @param {object} [options]
 * @param {string | null} [options.against] the value to mark differences from; undefined marks nothing
 * @param {number} [options.limit] how much is shown; the part that differs is never what is cut
 * @param {number} [options.bytes] how long the value is where only its beginning came
 * @param {number} [options.otherBytes] the same of what it is compared with
 */
export function showValue(element, value, { against, limit = Infinity, bytes, otherBytes } = {}) {
  // A row that shows another field changes the text that is there, and builds nothing.
  if (value && !bytes && value.length <= limit && (typeof against !== "string" || against === value) && plain.test(value)) {
    element.classList.remove("none");
    const { firstChild } = element;
    if (firstChild?.nodeType !== Node.TEXT_NODE || firstChild.nextSibling) element.textContent = value;
    else if (firstChild.data !== value) firstChild.data = value;
    return;
  }
  element.replaceChildren();
  element.classList.toggle("none", value === null);
  if (value === null) {
    element.textContent = "none";
    return;
  }
  if (value === "") {
    const empty = document.createElement("span");
    empty.className = "sign";
    empty.textContent = "empty";
    element.append(empty);
    return;
  }
  const found = typeof against === "string" ? difference(value, against) : null;
  // Both begin alike, and only that came.
  const differsLater = typeof against === "string" && !found && (bytes || otherBytes);
  const note = (text) => element.append(Object.assign(document.createElement("span"), { className: "note", textContent: text }));
  // Behind the text, a cell has no room for it.
  if (bytes && limit !== Infinity) note(`${bytes.toLocaleString("en")} bytes${differsLater ? ", differs later" : ""}: `);
  const [start, end] = found ? [found.start, found.ends[0]] : [0, 0];
  let from = start > limit / 2 ? Math.max(0, start - 8) : 0;
  if (limit === Infinity) from = 0;
  while (from > 0 && cuts(value, from)) from -= 1;
  let to = Math.min(value.length, from + limit);
  while (to < value.length && cuts(value, to)) to += 1;
  if (from > 0) element.append("…");
  append(element, value.slice(from, Math.max(from, Math.min(start, to))));
  // What only the other one has is a place here, and a place has no width of its own.
  if (found && start === end && start >= from && start <= to) {
    const place = document.createElement("mark");
    place.className = "place";
    element.append(place);
  }
  append(element, value.slice(Math.max(from, start), Math.min(end, to)), { isMarked: true });
  append(element, value.slice(Math.max(from, end), to));
  if (to < value.length) element.append("…");
  if (bytes && limit === Infinity) {
    note(` (the beginning of ${bytes.toLocaleString("en")} bytes${differsLater ? "; they differ after what is shown" : ""})`);
  }
}

/** An element with text in it. */
export function make(name, className = "", text = "") {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

/** A name that somebody else gave: its direction stays its own. */
export function named(text, className = "") {
  const element = make("bdi", className);
  append(element, text);
  return element;
}

/** The same for a path: it may be broken behind each of its parts. */
export function namedPath(text) {
  const element = make("bdi");
  for (const part of text.split(/(?<=[./])/)) {
    append(element, part);
    element.append(document.createElement("wbr"));
  }
  return element;
}

/** A length of time, as short as it is told apart. */
export function age(milliseconds) {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

export function clock(at, { withMilliseconds = false } = {}) {
  const time = new Date(at);
  const two = (number) => String(number).padStart(2, "0");
  const text = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  return withMilliseconds ? `${text}.${String(time.getMilliseconds()).padStart(3, "0")}` : text;
}
