// The example in a real browser, once as it is and once with one call taken out.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { connect } from "../../node/index.js";
import { folder, Lines, program, seamd } from "../../node/test/support.js";
import { findBrowser } from "./devtools.mjs";

const here = fileURLToPath(new URL("./", import.meta.url));
const drive = join(here, "drive.mjs");
// The command line of the same build as the daemon, where there is one.
const beside = join(dirname(program), "seam");
const seam = program.includes("/") && existsSync(beside) ? beside : "seam";
const skip = findBrowser() ? false : "there is no chromium in PATH (apt-get install chromium)";

/** What the example promises, and what a test on a busy machine holds it to. */
const promisedMilliseconds = 50;
const allowedMilliseconds = 10 * promisedMilliseconds;

/** The page's change of openCount to 3, and the line of `seam watch` that says the screen does not follow. */
async function played(t, page) {
  const socket = join(folder(t), "s");
  await seamd(t, socket);
  const watch = spawn(seam, ["--socket", socket, "--json", "watch"], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => watch.kill("SIGKILL"));
  const watched = new Lines(watch.stdout);
  assert.match(await watched.next(), /"sync"/);

  const driver = spawn(process.execPath, [drive, "--socket", socket, "--page", page, "--times"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => driver.kill("SIGKILL"));
  const ended = new Promise((done) => driver.once("exit", done));
  const said = [];
  const told = (async () => {
    const lines = new Lines(driver.stdout);
    for (let line = await lines.next(); line !== null; line = await lines.next()) said.push(line);
  })();
  let stale;
  const verdicts = [];
  for (let line = await watched.next(); line !== null; line = await watched.next()) {
    const event = JSON.parse(line);
    if (event.kind === "sim" && event.what === "destroyed") break;
    if (event.kind !== "verdict" || event.field !== "openCount") continue;
    verdicts.push(`${event.model}: ${event.to}`);
    if (event.to === "stale" && event.model === "3") stale ??= performance.timeOrigin + performance.now();
  }
  const code = await ended;
  await told;
  // Before its daemon, of whose end it would have something to say.
  const gone = new Promise((done) => watch.once("exit", done));
  watch.kill("SIGKILL");
  await gone;
  const changed = said.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line))
    .find(({ kind, values }) => kind === "model" && values.openCount === 3);
  return { code, fields: said.filter((line) => line.includes(" -> ")), verdicts, took: stale - changed?.at };
}

test("the page as it is: every field matches, and the typed title has crossed back", { skip }, async (t) => {
  const { code, fields, verdicts } = await played(t, join(here, "index.html"));
  assert.equal(code, 0, fields.join("\n"));
  assert.equal(fields.length, 3);
  assert(fields.every((line) => line.endsWith("-> matching")));
  const page = readFileSync(join(here, "README.md"), "utf8");
  assert.deepEqual(fields, page.split("\n").filter((line) => line.includes(" -> ")), "as its page says");
  assert.deepEqual(verdicts.filter((line) => line.endsWith("matching")), ["2: matching", "3: matching", "4: matching", "3: matching"]);
});

test("with one call taken out the field goes stale, and seam watch says so at once", { skip }, async (t) => {
  const copy = folder(t);
  for (const name of ["index.html", "page.js", "widgets.js"]) cpSync(join(here, name), join(copy, name));
  const call = "    counter.setValue(count);\n";
  const source = readFileSync(join(copy, "page.js"), "utf8");
  assert.equal(source.split(call).length, 2, "the call is there, once");
  writeFileSync(join(copy, "page.js"), source.replace(call, `    // ${call.trimStart()}`));

  const { code, fields, verdicts, took } = await played(t, join(copy, "index.html"));
  assert.equal(code, 1);
  assert.deepEqual(fields.map((line) => line.split(" -> ")[1]), ["matching", "stale", "matching"], fields.join("\n"));
  assert.match(fields[1], /openCount: model="3" screen="2"/);
  assert.deepEqual(verdicts.filter((line) => line.endsWith("matching")), ["2: matching"], "it never recovers");
  assert(took >= 0);
  // A machine that builds something else at the same time may be late once or twice; what is slow by itself always is.
  let best = took;
  for (let more = 2; more > 0 && best >= allowedMilliseconds; more -= 1) {
    best = Math.min(best, (await played(t, join(copy, "index.html"))).took);
  }
  assert(best < allowedMilliseconds, `${best} ms`);
  t.diagnostic(`stale on seam watch ${best.toFixed(1)} ms after the page changed its model (${promisedMilliseconds} promised)`);
});

test("--stay reports until Ctrl-C, and then takes its simulation with it", { skip }, async (t) => {
  const socket = join(folder(t), "s");
  await seamd(t, socket);
  const client = await connect(socket);
  const driver = spawn(process.execPath, [drive, "--socket", socket, "--sim", "stay", "--stay"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => driver.kill("SIGKILL"));
  const ended = new Promise((done) => driver.once("exit", done));
  assert.match(await new Lines(driver.stdout).next(), /^watching .* as stay$/);
  assert.equal((await client.simulation("stay").waitFor("Header.openCount", "matching")).shown, "2");
  driver.kill("SIGINT");
  assert.equal(await ended, 0);
  assert.deepEqual(await client.simulations(), []);
  await client.close();
});

test("what is missing or wrong is said in a line, with an exit code of its own", async (t) => {
  const run = (words, environment) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [drive, ...words], {
      encoding: "utf8", timeout: 20_000, env: { ...process.env, ...environment },
    });
    return { status, said: stderr.split("\n")[0], stdout };
  };
  const nowhere = join(folder(t), "s");
  assert.deepEqual(run([], { PATH: "/nowhere", CHROMIUM: "" }), {
    status: 3, stdout: "",
    said: "drive.mjs: there is no chromium in PATH; apt-get install chromium, or name one in $CHROMIUM",
  });
  const alone = run(["--socket", nowhere], { CHROMIUM: "/bin/false" });
  assert.equal(alone.status, 3);
  assert(alone.said.includes(`start one with: seamd --socket ${nowhere}`), alone.said);
  const wrong = run(["--pages", "x"], {});
  assert.equal(wrong.status, 2);
  assert.match(wrong.said, /Unknown option '--pages'/);

  // A browser that cannot be used: the simulation does not stay behind.
  await seamd(t, nowhere);
  const broken = run(["--socket", nowhere], { CHROMIUM: "/bin/false" });
  assert.deepEqual([broken.status, broken.said], [1, "drive.mjs: /bin/false has ended (code 1)."]);
  const client = await connect(nowhere);
  assert.deepEqual(await client.simulations(), []);
  await client.close();
});
