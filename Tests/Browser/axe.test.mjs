// The dashboard under axe-core, in every view, light and dark, wide and narrow. $SEAM_AXE is its file: `make test-pypi`
// takes it out of a package that carries it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { browser, connect, Page, skip, stage } from "./support.mjs";

const program = process.env.SEAM_AXE;

test("axe-core finds nothing in any view", { skip: skip || (program ? false : "SEAM_AXE names no axe.min.js"), timeout: 300_000 }, async (t) => {
  const host = await browser(t);
  const { page, seam, socket, server } = await stage(t, { host, control: true });
  const client = await connect(socket);
  await client.call("sim.run", { scenario: "lessons.hosting-unassigned", id: "fault", keep: true });
  await client.call("sim.run", { scenario: "lessons.hosting-assigned", id: "repair", keep: true });
  const app = await client.create("live", { id: "app" });
  await app.set({ a: "1", b: null, c: "3", long: "x".repeat(9_000) });
  await app.show("S", { a: "1", b: "2", d: "\u202e", long: "y" });
  await app.show("S", { d: null });
  seam("set", "fault", "openCount=7");
  await client.close();
  const axe = readFileSync(program, "utf8");
  const views = {
    fields: ["#/fields", "document.querySelectorAll('#fields-view .row:not([hidden])').length > 5"],
    details: ["#/fields?v=stale&row=fault/HostingController/openCount&details", "document.querySelector('[data-part=why]').innerText.includes('is stale')"],
    empty: ["#/fields?q=nothing", "!document.querySelector('#empty').hidden"],
    events: ["#/events", "document.querySelectorAll('#events-view .row:not([hidden])').length > 3", ["j", "j"],
      "!document.querySelector('#events-view [data-part=change]').hidden"],
    scenarios: ["#/scenarios", "document.querySelectorAll('.names li').length > 5"],
    scenario: ["#/scenarios/lessons.hosting-unassigned", "document.querySelector('.running .controls')"],
    picture: ["#/picture/fault", "document.querySelector('svg .gap-word')"],
    compare: ["#/compare?a=fault&b=repair", "document.querySelector('.parting')", ["j"], "document.querySelectorAll('#compare-view .why').length === 2"],
    help: ["#/fields", "document.querySelector('#app')", ["?"], "document.querySelector('#help').open"],
  };
  const found = [];
  const look = async (what, shown) => {
    const { violations, passes } = await shown.evaluate("axe.run(document, { resultTypes: ['violations'] })"
      + ".then(({ violations, passes }) => ({ passes: passes.length, violations: violations.map(({ id, impact, help, nodes }) =>"
      + " ({ id, impact, help, nodes: nodes.slice(0, 5).map(({ target, failureSummary }) => target.join(' ') + ': ' + failureSummary) })) }))");
    assert(passes > 10, `${what}: axe has looked at something`);
    for (const violation of violations) found.push({ what, ...violation });
  };
  for (const scheme of ["light", "dark"]) {
    for (const width of [1280, 420]) {
      const shown = await Page.open(host, server.address, { width, features: [{ name: "prefers-color-scheme", value: scheme }] });
      await shown.live();
      await shown.evaluate(axe);
      for (const [name, [hash, isReady, keys = [], isDone = "true"]] of Object.entries(views)) {
        await shown.go(`${server.origin}/${hash}`);
        await shown.until(isReady);
        await shown.press(...keys);
        await shown.until(isDone);
        await look(`${name}, ${scheme}, ${width}`, shown);
        await shown.press("Escape");
      }
      await shown.expectQuiet();
      await shown.close();
      const locked = await Page.open(host, server.origin.replace("127.0.0.1", "localhost"), { width, features: [{ name: "prefers-color-scheme", value: scheme }] });
      await locked.until("!document.querySelector('#locked').hidden");
      await locked.evaluate(axe);
      await look(`without a key, ${scheme}, ${width}`, locked);
      await locked.close();
    }
  }
  t.diagnostic(`${await page.evaluate(`${axe}; axe.version`)}: ${found.length} findings`);
  assert.deepEqual(found, []);
});
