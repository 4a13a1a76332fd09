// index.d.ts is written by hand: what it declares is there, and what is there it declares.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as seam from "../index.js";

const text = readFileSync(new URL("../index.d.ts", import.meta.url), "utf8");

test("the same names are exported", () => {
  const declared = [...text.matchAll(/^export (?:class|function|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(declared.sort(), Object.keys(seam).sort());
});

test("the same members are on each class", () => {
  for (const [, name, body] of text.matchAll(/^export class (\w+)[^{]* \{\n([\s\S]*?)^\}/gm)) {
    const declared = new Set(
      [...body.matchAll(/^  (?:get )?(\w+|\[Symbol\.\w+\])(?:<[^>]*>)?\(/gm)].map(([, member]) => member)
        .filter((member) => member !== "constructor" && member !== "private"),
    );
    const there = Reflect.ownKeys(seam[name].prototype)
      .map((key) => (typeof key === "symbol" ? `[Symbol.${key.description.split(".").at(-1)}]` : key))
      .filter((key) => key !== "constructor" && key !== "name" || declared.has(key));
    for (const member of declared) {
      if (member === "line" && name !== "SeamEvent") continue;
      assert(there.includes(member), `${name}.${member} is declared, and not there`);
    }
    for (const member of there) assert(declared.has(member), `${name}.${member} is there, and not declared`);
  }
});
