// The blocks of README.md, run in their order in one folder, as a reader would; and the programs beside it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { folder, program, seamd } from "./support.js";

const here = new URL("../", import.meta.url);
const page = readFileSync(new URL("README.md", here), "utf8");
const blocks = [...page.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)].map(([, language, name, text]) => ({ language, name, text }));
const patience = 20_000;

/** Runs a program; it has to end by itself and say nothing on standard error. */
function run(command, words, options) {
  const { status, signal, stdout, stderr } = spawnSync(command, words, {
    encoding: "utf8", timeout: patience, env: { ...process.env, SEAMD: program }, ...options,
  });
  assert.deepEqual({ status, signal, stderr }, { status: 0, signal: null, stderr: "" }, `${command} ${words.join(" ")}\n${stdout}`);
  return stdout;
}

test("the page's blocks do what stands under them", (t) => {
  const desk = folder(t);
  symlinkSync(fileURLToPath(new URL("../../", here)), join(desk, "seam"));
  let ran = 0;
  for (const [index, { language, name, text }] of blocks.entries()) {
    if (language === "sh") {
      run("sh", ["-e", "-c", text], { cwd: desk });
    } else if (language === "js") {
      writeFileSync(join(desk, name), text);
      const expected = blocks[index + 1];
      assert.equal(expected?.language, "text", `${name} is followed by what it prints`);
      assert.equal(run(process.execPath, [name], { cwd: desk }), expected.text, name);
      ran += 1;
    } else {
      assert.equal(language, "text", "no block of another kind, which nobody would run");
    }
  }
  assert(ran >= 4, `${ran} blocks`);
});

test("the demo runs from its folder and ends well", () => {
  const said = run(process.execPath, ["demo.mjs"], { cwd: fileURLToPath(here) });
  assert.match(said, /openCount is stale: the model says 7, the screen shows 3/);
  assert.match(said, /Toolbar\.count: model=5 screen=3 -> stale/);
});

test("without a daemon to start, the demo and the benchmark say so in a line", () => {
  const desk = fileURLToPath(here);
  for (const name of ["demo.mjs", "bench.mjs"]) {
    for (const [program, part] of [
      ["/nonexistent/seamd", "There is no program /nonexistent/seamd"], ["seamd-that-is-nowhere", "in PATH"],
      ["/bin/false", "/bin/false does not listen: it ended with code 1"],
    ]) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [name], {
        encoding: "utf8", timeout: patience, cwd: desk, env: { ...process.env, SEAMD: program },
      });
      assert.deepEqual([status, stdout], [1, ""], stderr);
      assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
      assert(stderr.startsWith(`${name}: `) && stderr.includes(part), stderr);
    }
  }
  for (const words of [["x"], ["-1"], ["0"], ["1", "2"]]) {
    const { status, stderr } = spawnSync(process.execPath, ["bench.mjs", ...words], { encoding: "utf8", cwd: desk });
    assert.deepEqual([status, stderr.split(",")[0]], [2, "usage: bench.mjs [SECONDS]"]);
  }
});

test("compare.mjs prints the event lines of the comparison, the same ones each time", async (t) => {
  const outputs = [];
  for (let round = 0; round < 2; round += 1) {
    const path = join(folder(t), "s");
    await seamd(t, path);
    outputs.push(run(process.execPath, [fileURLToPath(new URL("compare.mjs", here)), path]));
  }
  assert.equal(outputs[0], outputs[1]);
  const lines = outputs[0].trimEnd().split("\n").map((line) => JSON.parse(line).params);
  assert.deepEqual([lines[0].kind, lines.at(-1).kind, lines.at(-1).reason], ["state", "end", "destroyed"]);
  assert(lines.some(({ model }) => model === "Aufgaben für „heute“ 📋\n"));
  const wrong = spawnSync(process.execPath, [fileURLToPath(new URL("compare.mjs", here))], { encoding: "utf8" });
  assert.deepEqual([wrong.status, wrong.stdout], [2, ""]);
  const nowhere = join(folder(t), "nobody");
  const absent = spawnSync(process.execPath, [fileURLToPath(new URL("compare.mjs", here)), nowhere], { encoding: "utf8" });
  assert.deepEqual([absent.status, absent.stdout], [1, ""]);
  assert.match(absent.stderr, /^compare\.mjs: Nothing can be reached at .*nobody\n$/);
});
