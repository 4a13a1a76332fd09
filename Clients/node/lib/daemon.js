// A seamd of one's own: on a socket in a new folder that only this user can enter, gone when it is stopped or when
// this program ends. (When the program is killed, the daemon ends all the same; its folder then stays.)

import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { DaemonError } from "./errors.js";
import { limitOf } from "./limits.js";

const startMilliseconds = 30_000;
/** The daemon gives its readers 2 s to take what it still has for them. */
const stopMilliseconds = 3_000;
const messageBytesMax = 64 << 10;
const socketBytesMax = 107;

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function inPath(name) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

/** A name without a slash is looked for in PATH, as a shell does. */
function findProgram(option) {
  const [named, by] = option !== undefined ? [option, ""] : [process.env.SEAMD || "seamd", ", which $SEAMD names"];
  const found = named.includes("/") ? isProgram(named) && resolve(named) : inPath(named);
  if (found) return found;
  if (named.includes("/")) throw new DaemonError(`There is no program ${named} to start as the daemon${by}.`);
  throw new DaemonError(`There is no ${named} in PATH; give its path as program, or in $SEAMD.`);
}

/** A new folder with mode 0700, where a socket's name still fits. */
function makeFolder() {
  const reasons = [];
  for (const parent of [process.env.XDG_RUNTIME_DIR, process.env.TMPDIR, "/tmp"]) {
    if (!parent?.startsWith("/")) continue;
    const template = join(parent, "seam-");
    if (Buffer.byteLength(template) + "XXXXXX/seam.sock".length > socketBytesMax) {
      reasons.push(`${parent}: too long for a socket`);
      continue;
    }
    try {
      return mkdtempSync(template);
    } catch (error) {
      reasons.push(`${parent}: ${error.code}`);
    }
  }
  throw new DaemonError(`There is no folder for a private socket (${reasons.join("; ")}).`);
}

/** What this program has to take with it. */
const running = new Set();
process.on("exit", () => {
  for (const { child, folder } of running) {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});

export class PrivateDaemon {
  #child;
  #ended;
  #messages;

  /** Use startDaemon(): this one does not listen yet. */
  constructor(child, folder, path, messages) {
    this.#child = child;
    this.#messages = messages;
    this.path = path;
    this.pid = child.pid;
    const mine = { child, folder };
    running.add(mine);
    this.#ended = new Promise((done) => {
      child.once("exit", (code, signal) => {
        running.delete(mine);
        rmSync(folder, { recursive: true, force: true });
        done({ code, signal });
      });
    });
  }

  /** What it wrote to its standard error, at most the last 64 KiB. */
  get messages() {
    return this.#messages.join("");
  }

  /** Resolves with `{code, signal}` when it has ended, for whatever reason. */
  get ended() {
    return this.#ended;
  }

  /** Ends it in good order, by force after three seconds. Harmless when done twice. */
  async stop() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.ref();
      this.#child.kill("SIGTERM");
      const force = setTimeout(() => this.#child.kill("SIGKILL"), stopMilliseconds);
      await this.#ended;
      clearTimeout(force);
    }
    return this.#ended;
  }
}
if (Symbol.asyncDispose) {
  PrivateDaemon.prototype[Symbol.asyncDispose] = async function () {
    await this.stop();
  };
}

/**
 * Starts a daemon and waits until it listens.
 * @param {{program?: string, plugins?: string[], pluginFolders?: string[], arguments?: string[], timeout?: number}} [options]
 */
export async function startDaemon(options = {}) {
  const { program, plugins = [], pluginFolders = [], arguments: more = [] } = options;
  const timeout = limitOf(options.timeout ?? startMilliseconds, "timeout");
  const seamd = findProgram(program);
  const folder = makeFolder();
  const path = join(folder, "seam.sock");
  const line = [seamd, "--socket", path, "--ready-fd", "3", "--log-level", "warning"];
  for (const file of plugins) line.push("--plugin", resolve(file));
  for (const place of pluginFolders) line.push("--plugin-dir", resolve(place));
  line.push(...more);
  // Not even SIGKILL of this program leaves a daemon behind: the kernel then ends it. Node cannot ask for that itself.
  const setpriv = inPath("setpriv");
  if (setpriv) line.unshift(setpriv, "--pdeathsig", "KILL");

  const child = spawn(line[0], line.slice(1), { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  const messages = lastTexts(child.stderr);
  try {
    await listening(child, timeout, seamd);
  } catch (error) {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
    const said = messages.join("").trim();
    throw said && error instanceof DaemonError ? new DaemonError(`${error.message}\n${said}`) : error;
  }
  const daemon = new PrivateDaemon(child, folder, path, messages);
  // A program that has nothing else to do may end; the daemon ends with it.
  child.unref();
  child.stderr.unref();
  return daemon;
}

/** Collects what a stream says, without end: the oldest goes first. */
function lastTexts(stream) {
  const texts = [];
  let length = 0;
  stream.setEncoding("utf8");
  stream.on("data", (text) => {
    texts.push(text.slice(-messageBytesMax));
    length += texts.at(-1).length;
    while (length > messageBytesMax && texts.length > 1) length -= texts.shift().length;
  });
  return texts;
}

function listening(child, timeout, seamd) {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => {
      fail(new DaemonError(`${seamd} did not listen within ${timeout} ms.`));
    }, timeout);
    child.once("error", (cause) => {
      clearTimeout(timer);
      fail(new DaemonError(`${seamd} cannot be started: ${cause.message}`, { cause }));
    });
    // Its messages are complete with "close", not yet with "exit".
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      fail(new DaemonError(`${seamd} does not listen: it ended with ${signal ?? `code ${code}`}.`));
    });
    child.stdio[3].once("data", () => {
      clearTimeout(timer);
      child.stdio[3].destroy();
      done();
    });
  });
}
