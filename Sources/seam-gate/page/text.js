// Values as text: nothing in them is markup, nothing in them is invisible, and where two differ is marked.

/**
 * What a reader would not see, or what would move the text around it: every space but the one of the space bar, controls,
 * formats, what is ignored by default, blanks that count as letters, halves of signs, and marks that pile up. Some formats
 * are drawn (they stand over Arabic numbers), and a joiner or a choice of form inside of an emoji is no such thing.
 */
const signs = new RegExp(
  "(?<marks>(?<=\\p{M}{6})\\p{M}+)|(?![ \\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}])"
  + "[\\p{White_Space}\\p{Cc}\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2800\\u{1d159}]",
  "gu",
);
/** Text that has nothing to be named: most has not, and is not searched for it. */
const plain = /^[\x20-\x7e]*$/;
const joined = /\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?$/u;
const emoji = /\p{Extended_Pictographic}$/u;

/** Two arrows that every font has; signs of control pictures are in few. */
const names = new Map([[0x09, "⇥"], [0x0a, "↵"], [0x0d, "CR"], [0x1b, "ESC"], [0x00, "NUL"], [0x7f, "DEL"], [0xa0, "NBSP"]]);

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
  // The form of an emoji, or of a key: it is seen by how that looks.
  if (sign === "\ufe0f") return emoji.test(text.slice(Math.max(0, offset - 2), offset)) || text[offset + 1] === "\u20e3";
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

/** Measures text in the font of an element, as wide as it will be drawn. */
export class Ruler {
  #context = document.createElement("canvas").getContext("2d");

  constructor(element) {
    const { fontStyle, fontWeight, fontSize, fontFamily } = getComputedStyle(element);
    this.#context.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
    this.advance = this.#width("0");
    this.isFixed = this.advance === this.#width("i");
    this.ellipsis = this.#width("…");
  }

  #width(text) { return this.#context.measureText(text).width; }

  width(text) {
    if (plain.test(text)) return this.isFixed ? text.length * this.advance : this.#width(text);
    // Each sign has a frame around its name.
    let frames = 0;
    for (const _ of text.matchAll(signs)) frames += 1;
    return this.#width(visible(text)) + frames * 8;
  }

  /** How far a text reaches from `from` in so many pixels. */
  reach(text, from, pixels) { return this.#most(text.length - from, pixels, (count) => text.slice(from, from + count)) + from; }

  /** From where a text has to begin to end at `to`. */
  reachBack(text, to, pixels) { return to - this.#most(to, pixels, (count) => text.slice(to - count, to)); }

  #most(length, pixels, piece) {
    if (pixels <= 0) return 0;
    // Nothing is narrower than a few pixels: what is longer need not be measured.
    let [least, most] = [0, Math.min(length, Math.ceil(pixels))];
    if (this.isFixed && plain.test(piece(most))) return Math.min(most, Math.floor(pixels / this.advance));
    while (least < most) {
      const count = Math.ceil((least + most) / 2);
      if (this.width(piece(count)) <= pixels) least = count;
      else most = count - 1;
    }
    return least;
  }
}

/** So much of a difference is in sight at the least. */
const leastSeen = 4;

/** Which part of a value a room has a place for: its beginning, or what is around the first difference. */
function excerpt(value, found, { pixels, ruler }) {
  const room = pixels - 2;
  if (ruler.reach(value, 0, room) >= value.length) return [0, value.length];
  const { ellipsis } = ruler;
  const to = ruler.reach(value, 0, room - ellipsis);
  if (!found || Math.min(found.ends[0], found.start + leastSeen) + (found.ends[0] <= found.start ? 1 : 0) <= to) return [0, to];
  const from = ruler.reachBack(value, found.start, room / 3 - ellipsis);
  const end = ruler.reach(value, from, room - 2 * ellipsis);
  // What differs is in sight before what stands in front of it, one sign of it even where there is no room.
  if (end <= found.start && end < value.length) {
    return [found.start, Math.max(found.start + 1, ruler.reach(value, found.start, room - 2 * ellipsis))];
  }
  if (end < value.length) return [from, end];
  // There is room to spare before it.
  return [Math.min(from, ruler.reachBack(value, value.length, room - ellipsis - 4)), value.length];
}

/**
 * Shows a value in an element, replacing what it held.
 * @param {string | null} value null is none, which is not the empty text
 * @param {object} [options]
 * @param {string | null} [options.against] the value to mark differences from; undefined marks nothing
 * @param {string | null} [options.around] where there is no difference to mark, what is shown is around that from this value
 * @param {number} [options.limit] how much is shown; the part that differs is never what is cut
 * @param {{pixels: number, ruler: Ruler}} [options.room] how wide the place for it is: the same for what has no second line
 * @param {number} [options.bytes] how long the value is where only its beginning came
 * @param {number} [options.otherBytes] the same of what it is compared with
 */
export function showValue(element, value, { against, around, limit = Infinity, room, bytes, otherBytes } = {}) {
  // A row that shows another field changes the text that is there, and builds nothing.
  if (value && !bytes && value.length <= limit && (typeof against !== "string" || against === value)
    && (!room || value.length * room.ruler.advance <= room.pixels - 2) && plain.test(value)) {
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
  let pixels = room?.pixels;
  // Behind the text, a cell has no room for it.
  if (bytes && (room || limit !== Infinity)) {
    const text = `${differsLater ? "differs later, " : ""}${bytes.toLocaleString("en")} bytes: `;
    note(text);
    if (room) pixels -= room.ruler.width(text);
  }
  const [start, end] = found ? [found.start, found.ends[0]] : [0, 0];
  let [from, to] = [0, value.length];
  if (room) {
    [from, to] = excerpt(value, found ?? (typeof around === "string" ? difference(value, around) : null), { pixels, ruler: room.ruler });
    let whole = to;
    while (whole > from && cuts(value, whole)) whole -= 1;
    // One letter with many marks has no place to be cut.
    while (whole <= from && cuts(value, to)) to += 1;
    to = whole > from ? whole : to;
  } else if (value.length > limit) {
    from = start > limit / 2 ? start - 8 : 0;
    to = Math.min(value.length, from + limit);
    while (to < value.length && cuts(value, to)) to += 1;
  }
  while (from > 0 && cuts(value, from)) from -= 1;
  // What there is no room for is still read out, and copied, where that is not too much.
  const leaveOut = (text) => element.append(room ? make("span", "rest", visible(text)) : "…");
  if (from > 0) leaveOut(value.slice(Math.max(0, from - limit), from));
  append(element, value.slice(from, Math.max(from, Math.min(start, to))));
  // What only the other one has is a place here, and a place has no width of its own.
  if (found && start === end && start >= from && start <= to) {
    const place = document.createElement("mark");
    place.className = "place";
    element.append(place);
  }
  append(element, value.slice(Math.max(from, start), Math.min(end, to)), { isMarked: true });
  append(element, value.slice(Math.max(from, end), to));
  if (to < value.length) leaveOut(value.slice(to, to + limit));
  if (bytes && limit === Infinity && !room) {
    note(` (the beginning of ${bytes.toLocaleString("en")} bytes${differsLater ? "; they differ after what is shown" : ""})`);
  }
}

/** Where a pointer rests, all of a value is told, up to what a tooltip has room for. */
export function hint(value, bytes) {
  if (value === null || value === undefined) return "none";
  const text = value.length > 2_000 ? `${visible(value.slice(0, 2_000))}…` : visible(value);
  return bytes ? `${text} (the beginning of ${bytes.toLocaleString("en")} bytes)` : text || "the empty text";
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
