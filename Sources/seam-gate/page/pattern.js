// Regular expressions that take a time in proportion to the text, whatever they are: an address may bring one from
// somebody else, and the browser's own need for some an age of the world. The browser's check the form, and say what one
// sign of the text is; what follows what is an automaton, whose states are made as they are met (Thompson; Rabin, Scott).

const mostNodes = 500;
const mostStates = 500;
const wordSign = /^[A-Za-z0-9_]$/;

const unsupported = (what) => new Error(`${what} is not searched for here: it may take for ever`);

/** Reads a pattern whose form is right into nodes: `{sign, next}`, `{assert, next}`, `{fork: [...]}`, `{end}`. */
class Builder {
  nodes = [];
  #source;
  #flags;
  #at = 0;

  constructor(source, flags) {
    this.#source = [...source];
    this.#flags = flags;
  }

  build() {
    const end = this.#add({ end: true });
    return this.#either()(end);
  }

  #add(node) {
    if (this.nodes.length >= mostNodes) throw new Error("The expression is too large.");
    this.nodes.push(node);
    return this.nodes.length - 1;
  }

  get #next() { return this.#source[this.#at]; }

  // Each part is a function from the node that follows to the one that it begins with: what is repeated is made again.

  #either() {
    const ways = [this.#row()];
    while (this.#next === "|") {
      this.#at += 1;
      ways.push(this.#row());
    }
    return ways.length === 1 ? ways[0] : (next) => this.#add({ fork: ways.map((way) => way(next)) });
  }

  #row() {
    const parts = [];
    while (this.#next !== undefined && this.#next !== "|" && this.#next !== ")") parts.push(this.#repeated(this.#part()));
    return (next) => parts.reduceRight((behind, part) => part(behind), next);
  }

  #repeated(part) {
    let [least, most] = [1, 1];
    const sign = this.#next;
    if (sign === "*") [least, most] = [0, Infinity];
    else if (sign === "+") [least, most] = [1, Infinity];
    else if (sign === "?") [least, most] = [0, 1];
    else if (sign === "{") {
      const end = this.#source.indexOf("}", this.#at);
      const [from, to = from] = this.#source.slice(this.#at + 1, end).join("").split(",");
      [least, most] = [Number(from), to === "" ? Infinity : Number(to)];
      this.#at = end;
    } else return part;
    this.#at += 1;
    // What is taken first makes no difference to whether there is a match.
    if (this.#next === "?") this.#at += 1;
    return (next) => {
      let first = next;
      if (most === Infinity) {
        first = this.#add({ fork: [next] });
        this.nodes[first].fork.push(part(first));
      } else {
        for (let count = least; count < most; count += 1) first = this.#add({ fork: [next, part(first)] });
      }
      for (let count = 0; count < least; count += 1) first = part(first);
      return first;
    };
  }

  #part() {
    const start = this.#at;
    const sign = this.#next;
    this.#at += 1;
    if (sign === "(") {
      if (this.#next === "?") {
        const kind = this.#source.slice(this.#at + 1, this.#at + 3).join("");
        if (/^(=|!|<=|<!)/.test(kind)) throw unsupported("What stands before or behind, (?=…),");
        // A group that catches nothing, or has a name.
        if (kind[0] === "<") this.#at = this.#source.indexOf(">", this.#at) + 1;
        else if (kind[0] === ":") this.#at += 2;
        else throw unsupported("A group with flags");
      }
      const inner = this.#either();
      this.#at += 1;
      return inner;
    }
    if (sign === "^" || sign === "$") return (next) => this.#add({ assert: sign, next });
    if (sign === "[") {
      while (this.#next !== "]") this.#at += this.#next === "\\" ? 2 : 1;
      this.#at += 1;
    } else if (sign === "\\") {
      const what = this.#next;
      this.#at += 1;
      if (what === "b" || what === "B") return (next) => this.#add({ assert: what, next });
      if (/[1-9k]/.test(what)) throw unsupported("What was found before, \\1,");
      if ((what === "p" || what === "P" || what === "u") && this.#next === "{") this.#at = this.#source.indexOf("}", this.#at) + 1;
      else if (what === "u") {
        this.#at += 4;
        // Both halves of one sign.
        if (/^\\u[dD][89abAB]/.test(this.#source.slice(start, this.#at).join("")) && this.#next === "\\") this.#at += 6;
      } else if (what === "x") this.#at += 2;
      else if (what === "c") this.#at += 1;
    }
    const atom = this.#source.slice(start, this.#at).join("");
    const test = new RegExp(`^(?:${atom})$`, this.#flags);
    return (next) => this.#add({ sign: test, next });
  }
}

/**
 * @param {string} source as between slashes
 * @returns {(text: string) => boolean} whether it is found anywhere in a text
 * @throws {Error} with what is wrong with it, for a person
 */
export function pattern(source, { ignoresCase = false } = {}) {
  const flags = ignoresCase ? "ui" : "u";
  try {
    new RegExp(source, flags);
  } catch (error) {
    throw new Error(`This is no regular expression: ${error.message.replace(/^Invalid regular expression: (?:\/.*\/\w*: )?/s, "")}`);
  }
  const builder = new Builder(source, flags);
  const first = builder.build();
  const { nodes } = builder;
  let states = new Map();

  /** A set of nodes that are waiting, and what the sign before was: it is all that decides what comes. */
  const stateOf = (waiting, isBehindWord, isFirst) => {
    const key = `${isFirst ? 2 : Number(isBehindWord)}:${waiting.join()}`;
    let state = states.get(key);
    if (!state) {
      state = { waiting, isBehindWord, isFirst, ways: new Map(), ends: undefined };
      states.set(key, state);
    }
    return state;
  };

  /** Nodes that are reached from a state without a sign, when `sign` comes next; null at the end. */
  const reached = ({ waiting, isBehindWord, isFirst }, sign) => {
    const seen = new Set();
    const isWord = sign !== null && wordSign.test(sign);
    const open = [...waiting];
    while (open.length) {
      const at = open.pop();
      if (seen.has(at)) continue;
      const node = nodes[at];
      seen.add(at);
      if (node.fork) open.push(...node.fork);
      else if (node.assert) {
        const holds = { "^": isFirst, $: sign === null, b: isBehindWord !== isWord, B: isBehindWord === isWord }[node.assert];
        if (holds) open.push(node.next);
      }
    }
    return seen;
  };
  const isFound = (seen) => [...seen].some((at) => nodes[at].end);

  const step = (state, sign) => {
    const seen = reached(state, sign);
    if (isFound(seen)) return true;
    // A match may begin at every sign.
    const waiting = new Set([first]);
    for (const at of seen) if (nodes[at].sign?.test(sign)) waiting.add(nodes[at].next);
    return stateOf([...waiting].sort((a, b) => a - b), wordSign.test(sign), false);
  };

  return (text) => {
    if (states.size > mostStates) states = new Map();
    let state = stateOf([first], false, true);
    for (const sign of text) {
      let next = state.ways.get(sign);
      if (next === undefined) {
        next = step(state, sign);
        // Within one text there is no end to them either; those that are forgotten are made again.
        if (states.size > mostStates) states = new Map();
        state.ways.set(sign, next);
      }
      if (next === true) return true;
      state = next;
    }
    state.ends ??= isFound(reached(state, null));
    return state.ends;
  };
}
