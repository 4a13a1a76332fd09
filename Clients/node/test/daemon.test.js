// A private daemon: it and its folder go with the program, however that goes.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { connect, startDaemon } from "../index.js";
import { folder, Lines, program, raw } from "./support.js";

const client = JSON.stringify(new URL("../index.js", import.meta.url).href);

/** A program that has started a daemon, prints its path and its number, and then does what `more` says. */
function programThat(more, home) {
  const source = `
    import { startDaemon } from ${client};
    const daemon = await startDaemon({ program: ${JSON.stringify(program)} });
    console.log(daemon.path);
    console.log(daemon.pid);
    ${more}
  `;
  return [["--input-type=module", "--eval", source], { env: { ...process.env, XDG_RUNTIME_DIR: home }, encoding: "utf8" }];
}

/** Resolves when nothing is left in a folder. */
async function empty(path) {
  const watcher = watch(path);
  try {
    while (readdirSync(path).length > 0) await once(watcher, "change");
  } finally {
    watcher.close();
  }
}

/** The processes of a session that still run. */
function session(number) {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).filter((name) => {
    try {
      const words = readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1).split(" ");
      return words[0] !== "Z" && words[3] === String(number);
    } catch {
      return false;
    }
  });
}

function sessionOf(pid) {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")[3];
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"]) {
  test(`${signal} of the program: its daemon, the folder and the keeper are gone`, async (t) => {
    const home = folder(t);
    const [words, options] = programThat("setInterval(() => {}, 1_000);", home);
    const child = spawn(process.execPath, words, { ...options, stdio: ["ignore", "pipe", "inherit"] });
    const said = new Lines(child.stdout);
    const path = await said.next();
    const pid = await said.next();
    const number = sessionOf(pid);
    assert.notEqual(number, sessionOf(process.pid), "Ctrl-C of this terminal is not for the daemon");
    assert.equal(dirname(dirname(path)), home);
    const { lines } = raw(path);
    child.kill(signal);
    assert.deepEqual(await once(child, "exit"), [null, signal]);
    // Only a daemon that has ended closes the connection of a client that does nothing.
    assert.equal(await lines.next(), null);
    await empty(home);
    for (let left = 50; session(number).length > 0 && left > 0; left -= 1) {
      // The keeper has the end of its script before it: its folder was its last work but one.
      spawnSync("sleep", ["0.1"]);
    }
    assert.deepEqual(session(number), []);
  });
}

test("a daemon that hangs goes, too, when its program is killed", async (t) => {
  const home = folder(t);
  const [words, options] = programThat("process.kill(daemon.pid, 'SIGSTOP'); setInterval(() => {}, 1_000);", home);
  const child = spawn(process.execPath, words, { ...options, stdio: ["ignore", "pipe", "inherit"] });
  const said = new Lines(child.stdout);
  await said.next();
  const pid = await said.next();
  child.kill("SIGKILL");
  await empty(home);
  assert(!existsSync(`/proc/${pid}`));
});

test("a program that ends by itself, in whatever way, takes its daemon along", async (t) => {
  const home = folder(t);
  for (const [more, status] of [["", 0], ["process.exit(3);", 3], ["throw new Error('on purpose');", 1]]) {
    const [words, options] = programThat(more, home);
    const { status: ended } = spawnSync(process.execPath, words, { ...options, timeout: 20_000 });
    assert.equal(ended, status, more);
    await empty(home);
  }
});

test("who awaits the end of a daemon lives to see it", async (t) => {
  const [words, options] = programThat("console.log(JSON.stringify(await daemon.ended));", folder(t));
  const child = spawn(process.execPath, words, { ...options, stdio: ["ignore", "pipe", "inherit"] });
  const said = new Lines(child.stdout);
  await said.next();
  const pid = Number(await said.next());
  process.kill(pid, "SIGKILL");
  assert.deepEqual(JSON.parse(await said.next()), { code: null, signal: "SIGKILL" });
  assert.deepEqual(await once(child, "exit"), [0, null]);
});

test("a private daemon ends with its client, and its folder with it", async () => {
  const own = await connect({ daemon: { program } });
  const { pid } = own.daemon;
  process.kill(pid, 0);
  assert(existsSync(dirname(own.path)));
  await own.close();
  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
  assert(!existsSync(dirname(own.path)));
  assert.deepEqual(await own.daemon.ended, { code: 0, signal: null });
  assert.deepEqual(await own.daemon.stop(), { code: 0, signal: null });
  await assert.rejects(connect(own.path), { code: "ENOENT" });
});

test("a daemon that does not start leaves no folder", async (t) => {
  const home = folder(t);
  const before = process.env.XDG_RUNTIME_DIR;
  process.env.XDG_RUNTIME_DIR = home;
  t.after(() => {
    if (before === undefined) delete process.env.XDG_RUNTIME_DIR;
    else process.env.XDG_RUNTIME_DIR = before;
  });
  await assert.rejects(startDaemon({ program: "/bin/false" }), /\/bin\/false does not listen: it ended with code 1\./);
  await assert.rejects(startDaemon({ program: "/bin/cat", arguments: ["--nonsense"] }), /ended with code 1\./);
  await assert.rejects(startDaemon({ program: join(home, "seamd") }), /There is no program/);
  await assert.rejects(startDaemon({ program, arguments: ["--nonsense"] }), /ended with code 2\.\n.*nonsense/s);
  await empty(home);
});
