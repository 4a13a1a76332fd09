// A browser on a pipe: the DevTools protocol over two descriptors, a NUL behind each message. No port is opened, and
// the browser ends when this program does.

import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const answerMilliseconds = 20_000;

/** $CHROMIUM, else the first known name in PATH, else undefined. */
export function findBrowser() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export class Browser {
  #child;
  #profile;
  #lastId = 0;
  #pending = new Map();
  #listeners = new Map();
  #rest = Buffer.alloc(0);
  #messages = "";
  #failure = null;

  constructor(program, { isVisible = false } = {}) {
    this.#profile = mkdtempSync(join(tmpdir(), "seam-web-"));
    const options = [
      "--remote-debugging-pipe", `--user-data-dir=${this.#profile}`, "--no-first-run", "--no-default-browser-check",
      "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    ];
    if (!isVisible) options.push("--headless=new");
    // Its sandbox does not work for root, who in a container is everybody.
    if (process.getuid() === 0) options.push("--no-sandbox");
    this.#child = spawn(program, [...options, "about:blank"], { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] });
    this.#child.stderr.setEncoding("utf8").on("data", (text) => {
      this.#messages = (this.#messages + text).slice(-4_096);
    });
    this.#child.stdio[4].on("data", (chunk) => this.#read(chunk));
    // Told by "close", which comes in any case.
    this.#child.stdio[3].on("error", () => {});
    this.ended = new Promise((done) => {
      this.#child.once("error", (error) => {
        this.#fail(new Error(`${program} cannot be started: ${error.message}`));
        done();
      });
      this.#child.once("close", (code, signal) => {
        this.#fail(new Error(`${program} has ended (${signal ?? `code ${code}`}).\n${this.#messages}`));
        done();
      });
    });
  }

  #read(chunk) {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let end = this.#rest.indexOf(0); end >= 0; end = this.#rest.indexOf(0)) {
      const message = JSON.parse(this.#rest.toString("utf8", 0, end));
      this.#rest = this.#rest.subarray(end + 1);
      if (message.id === undefined) {
        this.#listeners.get(`${message.sessionId ?? ""} ${message.method}`)?.(message.params);
        continue;
      }
      const call = this.#pending.get(message.id);
      if (!call) continue;
      this.#pending.delete(message.id);
      clearTimeout(call.timer);
      if (message.error) call.fail(new Error(`${call.method}: ${message.error.message}`));
      else call.done(message.result);
    }
  }

  #fail(error) {
    this.#failure ??= error;
    for (const { fail, timer } of this.#pending.values()) {
      clearTimeout(timer);
      fail(error);
    }
    this.#pending.clear();
  }

  send(method, params = {}, sessionId = undefined) {
    return new Promise((done, fail) => {
      if (this.#failure) throw this.#failure;
      const id = (this.#lastId += 1);
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        fail(new Error(`${method} was not answered within ${answerMilliseconds} ms.\n${this.#messages}`));
      }, answerMilliseconds);
      this.#pending.set(id, { method, done, fail, timer });
      this.#child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  /** A tab; events of it go to `on`. */
  async open() {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    return {
      send: (method, params) => this.send(method, params, sessionId),
      on: (method, act) => this.#listeners.set(`${sessionId} ${method}`, act),
    };
  }

  async close() {
    // A clean end leaves no process behind; one that hangs is ended all the same.
    await this.send("Browser.close").catch(() => {});
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 3_000);
    await this.ended;
    clearTimeout(timer);
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
