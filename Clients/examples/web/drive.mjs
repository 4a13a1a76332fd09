#!/usr/bin/env node
// Opens a page in a browser, reads what it really shows, and reports that and the page's model to a live simulation.

import { pathToFileURL, fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { connect, ConnectError } from "../../node/index.js";
import { Browser, findBrowser } from "./devtools.mjs";

const usage = `usage: drive.mjs [--page FILE] [--sim ID] [--socket PATH] [--stay] [--visible] [--times]
  --page FILE    the page, also a URL; index.html beside this program
  --sim ID       the simulation to make; web
  --socket PATH  the daemon; else where seam would find it
  --stay         report until Ctrl-C instead of clicking through the page
  --visible      show the browser
  --times        print when the page changed its model, for those who measure

Clicks through the page, prints its fields, and ends with exit code 0 if all of them match, else 1.`;

let options;
try {
  ({ values: options } = parseArgs({
    options: {
      page: { type: "string", default: fileURLToPath(new URL("index.html", import.meta.url)) },
      sim: { type: "string", default: "web" },
      socket: { type: "string" },
      stay: { type: "boolean", default: false },
      visible: { type: "boolean", default: false },
      times: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  }));
} catch (error) {
  console.error(`drive.mjs: ${error.message}\n${usage}`);
  process.exit(2);
}
if (options.help) {
  console.log(usage);
  process.exit(0);
}

/** Runs in the page, before anything of the page. Tells model and screen whenever one of them has changed. */
function probe() {
  addEventListener("DOMContentLoaded", () => {
    const told = { model: {}, shown: {} };
    const news = (kind, values) => {
      const changed = Object.entries(values).filter(([key, value]) => told[kind][key] !== value);
      if (changed.length === 0) return;
      Object.assign(told[kind], values);
      const at = performance.timeOrigin + performance.now();
      window.seamReport(JSON.stringify({ kind, at, values: Object.fromEntries(changed) }));
    };
    const model = () => news("model", window.seamModel.read());
    // innerText is what is displayed: hidden text is not in it.
    const screen = () => news("shown", Object.fromEntries(
      [...document.querySelectorAll("[data-seam]")].map((element) => [element.dataset.seam, element.innerText]),
    ));
    window.seamModel.onChange(model);
    new MutationObserver(screen).observe(document, {
      subtree: true, childList: true, characterData: true, attributes: true,
    });
    model();
    screen();
    window.seamSettled = () => new Promise((done) => requestAnimationFrame(() => {
      screen();
      done();
    }));
  });
}

const program = findBrowser();
if (!program) {
  console.error("drive.mjs: there is no chromium in PATH; apt-get install chromium, or name one in $CHROMIUM");
  process.exit(3);
}

let client;
try {
  client = await connect({ path: options.socket });
} catch (error) {
  if (!(error instanceof ConnectError)) throw error;
  console.error(`drive.mjs: ${error.message}`);
  process.exit(3);
}
const sim = await client.create("live", { id: options.sim });
const browser = new Browser(program, { isVisible: options.visible });
let code = 0;
try {
  const tab = await browser.open();
  let sent = Promise.resolve();
  const report = (request) => {
    // Requests go out at once and in order; what fails is told at the next settled().
    sent = Promise.all([sent, request]);
    sent.catch(() => {});
  };
  tab.on("Runtime.bindingCalled", ({ name, payload }) => {
    if (name !== "seamReport") return;
    const { kind, at, values } = JSON.parse(payload);
    if (options.times) console.log(JSON.stringify({ kind, at, values }));
    if (kind === "model") return report(sim.set(values));
    for (const [screen, fields] of bySection(values)) report(sim.show(screen, fields));
  });
  await tab.send("Page.enable");
  await tab.send("Runtime.enable");
  await tab.send("Runtime.addBinding", { name: "seamReport" });
  await tab.send("Page.addScriptToEvaluateOnNewDocument", { source: `(${probe})()` });
  const loaded = new Promise((done) => tab.on("Page.loadEventFired", done));
  const url = options.page.includes("://") ? options.page : String(pathToFileURL(options.page));
  const { errorText } = await tab.send("Page.navigate", { url });
  if (errorText) throw new Error(`${options.page} cannot be opened: ${errorText}`);
  await loaded;

  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await tab.send("Runtime.evaluate", {
      expression, awaitPromise: true, returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  /** When the page has drawn and everything it had to tell has reached the daemon. */
  const settled = async () => {
    await evaluate("seamSettled()");
    await sent;
  };
  /** A click where a hand would make it: at the middle of what is displayed. */
  const click = async (selector) => {
    const { x, y } = await evaluate(`(() => {
      const { left, top, width, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    })()`);
    for (const type of ["mousePressed", "mouseReleased"]) {
      await tab.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    }
    await settled();
  };

  await settled();
  // Before anybody can read that it runs, and end it.
  const told = options.stay && new Promise((done) => process.once("SIGINT", done).once("SIGTERM", done));
  console.log(`watching ${options.page} as ${sim.id}`);
  if (options.stay) {
    await Promise.race([browser.ended, told]);
  } else {
    await click("#add");
    await click("#add");
    await click("li:first-child");
    await click(".title");
    await tab.send("Input.insertText", { text: "My " });
    await settled();
    const { fields, counts } = await sim.check();
    for (const { screen, field, verdict, model, shown } of fields) {
      console.log(`${screen}.${field}: model=${JSON.stringify(model)} screen=${JSON.stringify(shown)} -> ${verdict}`);
    }
    code = counts.matching === fields.length ? 0 : 1;
  }
} catch (error) {
  console.error(`drive.mjs: ${error.message.trimEnd()}`);
  code = 1;
} finally {
  await browser.close();
  await sim.dispose();
  await client.close();
}
process.exitCode = code;

/** `{"Header.title": "x"}` by screen. */
function bySection(values) {
  const screens = new Map();
  for (const [name, value] of Object.entries(values)) {
    const [screen, field] = name.split(".");
    if (!screens.has(screen)) screens.set(screen, {});
    screens.get(screen)[field] = value;
  }
  return screens;
}
