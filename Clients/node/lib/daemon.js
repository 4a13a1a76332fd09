// A seamd of one's own: on a socket in a new folder that only this user can enter. Both are gone when it is stopped or
// when this program ends, by whatever signal.

import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync, statSync } from "node:fs";
import { constants as system } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { DaemonError } from "./errors.js";
import { limiting, limitOf, onlyKnown, text, texts } from "./limits.js";
import { privatePaths } from "./wire.js";

const startMilliseconds = 30_000;
/** The daemon gives its readers 2 s to take what it still has for them. */
const stopMilliseconds = 3_000;
const messageBytesMax = 64 << 10;
const socketBytesMax = 107;

// Outlives this program, $0 being the folder: its standard input ends when this program does, however that goes, and
// nobody else holds the other end. Then, or when the daemon has ended by itself, it takes the folder away. The shell
// is the daemon's parent, so the number that it signals is never another's. Its status is the daemon's. It says
// nothing itself: a shell that tells of a daemon that was killed would end of SIGPIPE when nobody is left to read it.
const keeper = `
exec 4<&0
"$@" </dev/null >/dev/null 4<&- & daemon=$!
exec 2>/dev/null
exec 3>&-
echo "$daemon"
exec >&-
{
  read -r _
  kill "$daemon"
  tenths=0
  while [ "$tenths" -lt 30 ] && kill -0 "$daemon"; do
    command -p sleep 0.1
    tenths=$((tenths + 1))
  done
  kill -KILL "$daemon"
} <&4 & watcher=$!
exec 4<&-
wait "$daemon"
status=$?
command -p rm -rf -- "$0"
kill "$watcher"
exit "$status"
`;

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
  const place = named.includes("/") ? statSync(named, { throwIfNoEntry: false }) : undefined;
  if (place) {
    const what = place.isDirectory() ? "a folder" : "no program that this user may execute";
    throw new DaemonError(`${named}, to be started as the daemon${by}, is ${what}.`);
  }
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

/** How a program ended, from the status that a shell makes of it. */
function ending(status, signal) {
  if (signal !== null || status <= 128) return { code: status, signal };
  const [name] = Object.entries(system.signals).find(([, number]) => number === status - 128) ?? [];
  return name === undefined ? { code: status, signal: null } : { code: null, signal: name };
}

export class PrivateDaemon {
  #keeper;
  #ended;
  #messages;

  /** Use startDaemon(): this one does not listen yet. */
  constructor(keeper, pid, folder, path, messages) {
    this.#keeper = keeper;
    this.#messages = messages;
    this.path = path;
    this.pid = pid;
    this.#ended = new Promise((done) => {
      keeper.once("exit", (code, signal) => {
        rmSync(folder, { recursive: true, force: true });
        done(ending(code, signal));
      });
    });
  }

  /** What it wrote to its standard error, at most the last 64 KiB. */
  get messages() {
    return this.#messages.join("");
  }

  /**
   * Resolves with `{code, signal}` when it has ended, for whatever reason. Whoever asks for it wants to live to see
   * it: from then on the program does not end before.
   */
  get ended() {
    if (isRunning(this.#keeper)) this.#keeper.ref();
    return this.#ended;
  }

  /** Ends it in good order, by force after three seconds. Harmless when done twice. */
  async stop() {
    if (isRunning(this.#keeper)) {
      this.#keeper.ref();
      this.#keeper.stdin.destroy();
      // The keeper uses force itself; this is for one that cannot.
      const force = setTimeout(() => kill(this.#keeper), 2 * stopMilliseconds);
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

function isRunning({ exitCode, signalCode }) {
  return exitCode === null && signalCode === null;
}

/** Keeper and daemon at once: they are a group of their own, and its number is kept until the keeper is reaped. */
function kill(keeper) {
  if (!isRunning(keeper) || keeper.pid === undefined) return;
  try {
    process.kill(-keeper.pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

const daemonOptions = ["program", "plugins", "pluginDirs", "arguments", "timeout"];

/**
 * Starts a daemon and waits until it listens.
 * @param {{program?: string, plugins?: string[], pluginDirs?: string[], arguments?: string[], timeout?: number}} [options]
 */
export async function startDaemon(options) {
  const { program, ...given } = onlyKnown(options, daemonOptions, "daemon");
  const timeout = limitOf(given.timeout ?? startMilliseconds, "timeout");
  const plugins = texts(given.plugins ?? [], "plugins");
  const pluginDirs = texts(given.pluginDirs ?? [], "pluginDirs");
  const more = texts(given.arguments ?? [], "arguments");
  const seamd = findProgram(program === undefined ? undefined : text(program, "program"));
  const folder = makeFolder();
  const path = join(folder, "seam.sock");
  const line = [seamd, "--socket", path, "--ready-fd", "3", "--log-level", "warning"];
  for (const file of plugins) line.push("--plugin", resolve(file));
  for (const place of pluginDirs) line.push("--plugin-dir", resolve(place));
  line.push(...more);

  let child;
  try {
    // A session of its own: Ctrl-C and the end of the terminal are for the program, which then ends its daemon.
    child = spawn("/bin/sh", ["-c", keeper, folder, ...line], { stdio: ["pipe", "pipe", "pipe", "pipe"], detached: true });
  } catch (error) {
    // Such as NUL in a path.
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  const messages = lastTexts(child.stderr);
  let pid;
  try {
    pid = await listening(child, timeout, seamd);
  } catch (error) {
    kill(child);
    rmSync(folder, { recursive: true, force: true });
    const said = messages.join("").trim();
    throw said && error instanceof DaemonError ? new DaemonError(`${error.message}\n${said}`) : error;
  }
  privatePaths.add(path);
  const daemon = new PrivateDaemon(child, pid, folder, path, messages);
  // A program that has nothing else to do may end; the daemon ends with it.
  child.unref();
  child.stdin.unref();
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

/** Resolves with the daemon's number when it listens. */
function listening(child, timeout, seamd) {
  return new Promise((done, fail) => {
    let number = "";
    let listens = false;
    const timer = limiting(timeout, () => {
      fail(new DaemonError(`${seamd} did not listen within ${timeout} ms.`));
    });
    const settle = () => {
      if (!listens || !number.endsWith("\n")) return;
      clearTimeout(timer);
      child.stdio[3].destroy();
      child.stdout.destroy();
      done(Number(number));
    };
    child.once("error", (cause) => {
      clearTimeout(timer);
      fail(new DaemonError(`${seamd} cannot be started: ${cause.message}`, { cause }));
    });
    // Its messages are complete with "close", not yet with "exit".
    child.once("close", (status, by) => {
      clearTimeout(timer);
      const { code, signal } = ending(status, by);
      fail(new DaemonError(`${seamd} does not listen: it ended with ${signal ?? `code ${code}`}.`));
    });
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (chunk) => {
      number += chunk;
      settle();
    });
    child.stdio[3].once("data", () => {
      listens = true;
      settle();
    });
  });
}
