// What the tests share: daemons, servers that pretend to be one, and a relay that cuts connections.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LineSplitter } from "../lib/lines.js";

/** The daemon under test: $SEAMD, else the one in PATH. */
export const program = process.env.SEAMD || "seamd";

export const epochForm = /^[0-9a-f]{16}$/;

/** A folder that goes with the test. */
export function folder(t) {
  const path = mkdtempSync(join(tmpdir(), "seam-node-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A seamd at a path of the test's choice, so that another can be started there. Listens when this resolves. */
export async function seamd(t, path, ...more) {
  // A test run that is killed leaves no daemon behind.
  const words = existsSync("/usr/bin/setpriv") ? ["/usr/bin/setpriv", "--pdeathsig", "KILL"] : [];
  words.push(program, "--socket", path, "--ready-fd", "3", ...more);
  const child = spawn(words[0], words.slice(1), {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  });
  const ended = new Promise((done) => child.once("exit", (code, signal) => done(signal ?? code)));
  t.after(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    return ended;
  });
  await new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", () => fail(new Error("seamd did not start")));
    child.stdio[3].once("data", done);
  });
  child.stdio[3].destroy();
  return {
    pid: child.pid,
    signal: (name) => child.kill(name),
    /** Ends it with a signal and waits until it has. */
    end(name = "SIGTERM") {
      child.kill(name);
      return ended;
    },
  };
}

/** Lines of a socket, one at a time. */
export class Lines {
  #lines = [];
  #waiting = [];
  #isOver = false;

  constructor(socket) {
    const splitter = new LineSplitter(16 << 20);
    socket.on("data", (chunk) => this.#give(splitter.push(chunk)));
    const over = () => {
      this.#isOver = true;
      this.#give([]);
    };
    socket.on("end", over);
    socket.on("close", over);
    socket.on("error", over);
  }

  #give(lines) {
    this.#lines.push(...lines);
    while (this.#waiting.length > 0 && (this.#lines.length > 0 || this.#isOver)) {
      this.#waiting.shift()(this.#lines.shift() ?? null);
    }
  }

  /** Null at the end. */
  next() {
    if (this.#lines.length > 0 || this.#isOver) return Promise.resolve(this.#lines.shift() ?? null);
    return new Promise((done) => this.#waiting.push(done));
  }
}

/** A raw connection. */
export function raw(path) {
  const socket = createConnection({ path, allowHalfOpen: true });
  return { socket, lines: new Lines(socket) };
}

const helloResult = {
  protocol: { major: 1, minor: 0 }, server: "pretended", version: "0", daemonEpoch: "0123456789abcdef", pid: 1,
  capabilities: [], limits: { lineBytes: 1 << 20 },
};

/**
 * A server that answers seam.hello and seam.ping as a daemon does, and leaves every other request to `answer`, which
 * gets the request and a function that writes bytes.
 */
export async function pretender(t, answer, { hello = true } = {}) {
  const path = join(folder(t), "s");
  const sockets = new Set();
  const server = createServer(async (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    const lines = new Lines(socket);
    for (let line = await lines.next(); line !== null; line = await lines.next()) {
      const request = JSON.parse(line);
      const reply = (result) => socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, result })}\n`);
      if (hello && request.method === "seam.hello") reply(helloResult);
      else if (hello && request.method === "seam.ping") reply({ daemonEpoch: helloResult.daemonEpoch });
      else answer(request, socket, reply);
    }
  });
  await new Promise((done) => server.listen(path, done));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((done) => server.close(done));
  });
  return path;
}

/** Passes bytes both ways and can cut everything off; new connections then work again. */
export async function relay(t, to) {
  const path = join(folder(t), "r");
  const pairs = new Set();
  const state = {
    path,
    connections: 0,
    /** Bytes from the daemon after which the connection is cut; Infinity: never. */
    budget: () => Infinity,
    /** While true, whoever connects is sent away at once. */
    isDown: false,
    cut() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    },
  };
  const server = createServer((near) => {
    if (state.isDown) return near.destroy();
    const far = createConnection({ path: to });
    const pair = [near, far];
    pairs.add(pair);
    state.connections += 1;
    let left = state.budget();
    const end = () => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on("error", end).on("close", end);
    near.on("data", (chunk) => far.write(chunk));
    far.on("data", (chunk) => {
      if (chunk.length < left) {
        left -= chunk.length;
        near.write(chunk);
      } else {
        // The last bytes do arrive, in the middle of a line or of a character.
        near.end(chunk.subarray(0, left));
        far.destroy();
      }
    });
  });
  await new Promise((done) => server.listen(path, done));
  t.after(() => {
    state.cut();
    return new Promise((done) => server.close(done));
  });
  return state;
}
