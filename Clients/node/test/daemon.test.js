// A private daemon: it and its folder go with the program, however that goes.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { connect, startDaemon } from "../index.js";
import { folder, Lines, program, raw } from "./support.js";

const client = JSON.stringify(new URL("../index.js", import.meta.url).href);

/** A program that has started a daemon, prints its path and its number, and then does what `more` says. */
function programThat(more, home) {
  const source = `
    import { readFileSync } from "node:fs";
    import { startDaemon } from ${client};
    const daemon = await startDaemon({ program: ${JSON.stringify(program)} });
    console.log(daemon.path);
    console.log(daemon.pid);
    ${more}
  `;
  return [["--input-type=module", "--eval", source], { env: { ...process.env, XDG_RUNTIME_DIR: home }, encoding: "utf8" }];
}

/** Waits for the end of processes that are nobody's children here. */
function ended(...numbers) {
  for (const number of numbers) {
    const { status } = spawnSync("tail", ["--pid", number, "--sleep-interval", "0.05", "-f", "/dev/null"], { timeout: 20_000 });
    assert.equal(status, 0, `process ${number} has not ended`);
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
    ended(...session(number));
    assert.deepEqual(readdirSync(home), []);
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
  const number = sessionOf(pid);
  child.kill("SIGKILL");
  ended(number);
  assert.deepEqual(readdirSync(home), []);
  assert(!existsSync(`/proc/${pid}`));
});

test("a program that ends by itself, in whatever way, takes its daemon along", async (t) => {
  const home = folder(t);
  for (const [more, status] of [["", 0], ["process.exit(3);", 3], ["throw new Error('on purpose');", 1]]) {
    const session = "console.log(readFileSync(`/proc/${daemon.pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[3]);";
    const [words, options] = programThat(`${session} ${more}`, home);
    const { status: said, stdout } = spawnSync(process.execPath, words, { ...options, timeout: 20_000 });
    assert.equal(said, status, more);
    // The leader of the daemon's session is its keeper.
    ended(stdout.trim().split("\n").at(-1));
    assert.deepEqual(readdirSync(home), []);
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
  const own = await connect({ private: { program } });
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
  assert.deepEqual(readdirSync(home), []);
});
