// A real daemon, a real gate and a real browser, as somebody would use them.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer as serveHTTP } from "node:http";
import { createConnection, createServer } from "node:net";
import { dirname, join } from "node:path";
import { Browser, findBrowser } from "../../Clients/examples/web/devtools.mjs";
import { connect } from "../../Clients/node/index.js";
import { folder, Lines, program, seamd } from "../../Clients/node/test/support.js";

export { connect, folder };
export const skip = findBrowser() ? false : "there is no chromium in PATH (apt-get install chromium)";

/** A program of the same build as the daemon. */
const beside = (name) => (program.includes("/") && existsSync(join(dirname(program), name)) ? join(dirname(program), name) : name);

/** seam-gate over a daemon that runs, or will. */
export async function gate(t, socket, ...more) {
  const words = existsSync("/usr/bin/setpriv") ? ["/usr/bin/setpriv", "--pdeathsig", "KILL"] : [];
  words.push(beside("seam-gate"), "--port", "0", "--socket", socket, ...more);
  const child = spawn(words[0], words.slice(1), { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((done) => child.once("exit", done));
  t.after(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    return ended;
  });
  const address = await new Lines(child.stdout).next();
  assert.match(address ?? "", /^http:\/\/127\.0\.0\.1:[0-9]+\/#token=[0-9a-f]{32}$/);
  return {
    address, origin: address.split("/#")[0],
    end(name = "SIGTERM") {
      child.kill(name);
      return ended;
    },
  };
}

/** `seam dashboard --allow-control` where no daemon runs: a person's first command. */
export async function dashboard(t) {
  const home = folder(t);
  const words = existsSync("/usr/bin/setpriv") ? ["/usr/bin/setpriv", "--pdeathsig", "TERM"] : [];
  words.push(beside("seam"), "dashboard", "--port", "0", "--allow-control");
  const { SEAM_SOCKET: _, ...rest } = process.env;
  const child = spawn(words[0], words.slice(1), { stdio: ["ignore", "pipe", "pipe"], env: { ...rest, HOME: home, XDG_RUNTIME_DIR: home, TMPDIR: home } });
  child.stderr.resume();
  const ended = new Promise((done) => child.once("exit", done));
  t.after(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    return ended;
  });
  return await new Lines(child.stdout).next();
}

/** A way to a gate that can be cut and closed, as a laptop's network can. */
export async function tunnel(t, origin) {
  const pairs = new Set();
  const state = {
    isDown: false,
    cut() { for (const pair of pairs) for (const socket of pair) socket.destroy(); },
  };
  const server = createServer((near) => {
    if (state.isDown) return near.destroy();
    const far = createConnection({ host: "127.0.0.1", port: Number(new URL(origin).port) });
    const pair = [near, far];
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) socket.on("error", end).on("close", end);
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => {
    state.cut();
    server.close();
  });
  return Object.assign(state, { origin: `http://127.0.0.1:${server.address().port}` });
}

/** Somebody else's web site: one page, on a port of its own. `act` sees each request before it is answered. */
export async function foreignSite(t, html, act = () => {}) {
  const server = serveHTTP((request, response) => {
    act(request, response);
    response.setHeader("Content-Type", "text/html");
    response.end(request.url === "/" ? html : "");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}

/** The command line, as a person types it; the answer is what it printed. */
export const seam = (socket, ...words) => run(socket, [0], ...words);

/** The same, with one of these exit statuses. */
export function run(socket, statuses, ...words) {
  const { status, stdout, stderr } = spawnSync(beside("seam"), ["--socket", socket, ...words], { encoding: "utf8", timeout: 20_000 });
  assert(statuses.includes(status), `seam ${words.join(" ")} (status ${status}): ${stdout}${stderr}`);
  return stdout;
}

/** A browser for the tests of a file; each page is a tab of its own. */
export async function browser(t) {
  const made = new Browser(findBrowser());
  t.after(() => made.close());
  await made.send("Target.getTargets");
  return made;
}

const keyNames = new Map([
  ["Enter", { code: "Enter", windowsVirtualKeyCode: 13, text: "\r" }], ["Escape", { code: "Escape", windowsVirtualKeyCode: 27 }],
  [" ", { code: "Space", windowsVirtualKeyCode: 32, text: " " }], ["Tab", { code: "Tab", windowsVirtualKeyCode: 9 }],
  ["ArrowDown", { code: "ArrowDown", windowsVirtualKeyCode: 40 }], ["ArrowUp", { code: "ArrowUp", windowsVirtualKeyCode: 38 }],
  ["End", { code: "End", windowsVirtualKeyCode: 35 }], ["Home", { code: "Home", windowsVirtualKeyCode: 36 }],
]);

/** A tab on a page, and everything that the browser complained of. */
export class Page {
  /** Errors of scripts, errors on the console, refused loads, violations of the policy, dialogs. */
  complaints = [];

  static async open(host, address, { width = 1280, height = 800, features = [], before = "" } = {}) {
    const page = new Page();
    page.tab = await host.open();
    const { tab, complaints } = page;
    tab.on("Runtime.exceptionThrown", ({ exceptionDetails }) =>
      complaints.push(exceptionDetails.exception?.description ?? exceptionDetails.text));
    tab.on("Runtime.consoleAPICalled", ({ type, args }) => {
      if (["error", "warning", "assert"].includes(type)) complaints.push(args.map(({ value, description }) => value ?? description).join(" "));
    });
    tab.on("Log.entryAdded", ({ entry }) => {
      if (entry.level === "error" || entry.level === "warning") complaints.push(`${entry.source}: ${entry.text} ${entry.url ?? ""}`);
    });
    tab.on("Page.javascriptDialogOpening", ({ message }) => {
      complaints.push(`dialog: ${message}`);
      tab.send("Page.handleJavaScriptDialog", { accept: false });
    });
    for (const domain of ["Page", "Runtime", "Log", "Accessibility"]) await tab.send(`${domain}.enable`);
    await page.size(width, height);
    await page.emulate(features);
    await tab.send("Page.addScriptToEvaluateOnNewDocument", {
      source: `globalThis.violations = [];
        addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective + " " + event.blockedURI));${before}`,
    });
    await page.go(address);
    return page;
  }

  async size(width, height) {
    await this.tab.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  }

  /** `{name, value}` of media features, such as prefers-color-scheme. */
  async emulate(features) {
    await this.tab.send("Emulation.setEmulatedMedia", { features });
  }

  async go(address) {
    const loaded = new Promise((done) => this.tab.on("Page.loadEventFired", done));
    const { errorText } = await this.tab.send("Page.navigate", { url: address });
    assert.equal(errorText, undefined, address);
    // Within one document there is no load.
    if (!this.address || this.address.split("#")[0] !== address.split("#")[0]) await loaded;
    this.address = address;
  }

  async reload() {
    const loaded = new Promise((done) => this.tab.on("Page.loadEventFired", done));
    await this.tab.send("Page.reload");
    await loaded;
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.tab.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression.slice(0, 300)}\n${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  /** Returns the first true value of an expression, which is asked for after each frame. */
  async until(expression, { within = 15_000, what = expression } = {}) {
    const ask = () => this.evaluate(`new Promise((done) => {
      const deadline = performance.now() + ${within};
      const look = () => {
        let value;
        try { value = ${expression}; } catch (error) { value = null; globalThis.lastLook = String(error); }
        if (value) done({ value });
        else if (performance.now() > deadline) done(null);
        else requestAnimationFrame(look);
      };
      look();
    })`);
    // A page that is just being replaced is asked again when the next one is there.
    const isReplaced = (error) => /navigated|Cannot find context|context was destroyed/.test(error.message);
    const found = await ask().catch((error) => {
      if (!isReplaced(error)) throw error;
      return ask();
    });
    if (!found) {
      const seen = await this.evaluate("document.body.innerText.slice(0, 1500) + '\\n' + (globalThis.lastLook ?? '')");
      assert.fail(`never: ${what}\nThe page says:\n${seen}\n${this.complaints.join("\n")}`);
    }
    return found.value;
  }

  /** A click where a hand would make it. */
  async click(selector) {
    const place = await this.until(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      const { left, top, width, height } = element.getBoundingClientRect();
      if (!width) return null;
      element.scrollIntoView({ block: "nearest" });
      const now = element.getBoundingClientRect();
      return { x: now.left + now.width / 2, y: now.top + now.height / 2 };
    })()`, { what: `${selector} on the screen` });
    for (const type of ["mousePressed", "mouseReleased"]) {
      await this.tab.send("Input.dispatchMouseEvent", { type, ...place, button: "left", clickCount: 1 });
    }
  }

  async press(...keys) {
    for (const key of keys) {
      const known = keyNames.get(key) ?? { text: key };
      await this.tab.send("Input.dispatchKeyEvent", { type: "keyDown", key, ...known });
      await this.tab.send("Input.dispatchKeyEvent", { type: "keyUp", key, ...known, text: undefined });
    }
  }

  async type(text) {
    await this.tab.send("Input.insertText", { text });
  }

  async live() {
    await this.until("document.getElementById('connection')?.dataset.state === 'live'");
  }

  /** The rows on the screen, in order: "sim/Screen.field verdict model shown". */
  rows() {
    return this.evaluate(rowsNow);
  }

  /** Waits for rows that are these. */
  async expectRows(wanted) {
    await this.until(`(${rowsNow}).join("\\n") === ${JSON.stringify(wanted.join("\n"))}`, { what: wanted.join("\n") });
  }

  async shot(format = "png") {
    const { data } = await this.tab.send("Page.captureScreenshot", { format });
    return Buffer.from(data, "base64");
  }

  /** Nothing is drawn in a tab behind another. */
  async front() { await this.tab.send("Page.bringToFront"); }

  async close() { await this.tab.send("Page.close"); }

  /** Nothing that a reader of the console or a guard of the policy would have seen. */
  async expectQuiet() {
    const violations = await this.evaluate("globalThis.violations ?? []");
    assert.deepEqual({ complaints: this.complaints, violations }, { complaints: [], violations: [] });
  }
}

const rowsNow = `[...document.querySelectorAll("#fields-view .row")].filter((row) => !row.hidden)
  .sort((a, b) => a.seamRow - b.seamRow).map((row) => {
    const text = (name) => row.querySelector("." + name).textContent;
    return text("sim") + "/" + text("screen") + "." + text("field") + " " + row.querySelector(".word").textContent
      + " " + text("model") + " " + text("shown");
  })`;

/** All that a test of the page begins with. */
export async function stage(t, { control = false, socket = join(folder(t), "s"), ...options } = {}) {
  const daemon = await seamd(t, socket);
  const server = await gate(t, socket, ...(control ? ["--allow-control"] : []));
  const host = options.host ?? await browser(t);
  const page = await Page.open(host, server.address, options);
  await page.live();
  return { socket, daemon, server, host, page, seam: (...words) => seam(socket, ...words) };
}

export { seamd };
