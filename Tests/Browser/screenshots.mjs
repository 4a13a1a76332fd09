#!/usr/bin/env node
// The views of the dashboard as pictures: light and dark, wide and narrow.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, Page, skip, stage } from "./support.mjs";

const target = process.argv[2] ?? ".build/screenshots";
if (skip) {
  console.error(`screenshots.mjs: ${skip}`);
  process.exit(3);
}

const last = [];
const t = { after: (act) => last.unshift(act) };
let code = 0;
try {
  mkdirSync(target, { recursive: true });
  const { socket, server, host, page, seam } = await stage(t, { control: true });
  for (const [scenario, id] of [
    ["lessons.hosting-unassigned", "summary"], ["lessons.wrapping-empty", "list"], ["migration.left-behind", "profile"],
    ["migration.no-place", "profile-2"], ["counter.copied", "counter"], ["coordinator.draft", "editor"],
  ]) seam("create", scenario, "--id", id);
  seam("set", "summary", "openCount=5", "title=Tasks for today");
  seam("set", "list", "rowCount=12");
  for (const field of ["phone", "fax"]) seam("send", "profile", "move", `item=${field}`);
  seam("set", "profile", "phone=555 0100");
  seam("send", "profile-2", "move", "item=fax");
  const client = await connect(socket);
  const app = await client.create("live", { id: "app" });
  const work = async () => {
    await app.show("Header", { "user.name": "Ada Lovelace", hint: "swipe" });
    for (let turn = 0; turn < 30; turn += 1) {
      await app.set({ badge: turn, subtitle: `as of ${turn}`, "user.name": "Ada \u202eecalevoL" });
      if (turn % 3 || turn % 4 === 1) await app.show("Toolbar", { badge: turn });
      await app.show("Header", { subtitle: turn % 7 === 1 ? null : `as of ${turn}` });
    }
    seam("set", "summary", "openCount=4", "title=Tasks");
    seam("assign", "summary", "host");
    seam("set", "summary", "openCount=9", "title=Tasks for today");
  };
  await client.call("sim.run", { scenario: "lessons.hosting-unassigned", id: "fault", keep: true });
  await client.call("sim.run", { scenario: "lessons.hosting-assigned", id: "repair", keep: true });
  await work();
  await page.until("document.querySelectorAll('#fields-view .row:not([hidden])').length > 10");

  const views = {
    fields: "#/fields",
    details: "#/fields?v=stale,missing,leftover&row=summary/HostingController/openCount&details",
    events: "#/events",
    scenario: "#/scenarios/lessons.hosting-unassigned",
    picture: "#/picture/summary",
    "picture-bridges": "#/picture/profile",
    compare: "#/compare?a=fault&b=repair&field=HostingController.openCount",
    "compare-other": "#/compare?a=profile&b=profile-2&only=differences",
    help: "#/fields",
  };
  for (const scheme of ["light", "dark"]) {
    for (const [size, width, height] of [["wide", 1360, 760], ["narrow", 420, 800]]) {
      const shot = await Page.open(host, server.address, { width, height, features: [{ name: "prefers-color-scheme", value: scheme }] });
      await shot.live();
      await work();
      for (const [name, hash] of Object.entries(views)) {
        await shot.go(`${server.origin}/${hash}`);
        const isReady = {
          fields: "document.querySelectorAll('#fields-view .row:not([hidden])').length > 10",
          details: "document.querySelector('[data-part=why]').textContent.includes('stale')",
          events: "document.querySelectorAll('#events-view .row:not([hidden])').length > 5",
          help: "document.querySelectorAll('#fields-view .row:not([hidden])').length > 10",
          compare: "document.querySelectorAll('#compare-view .why').length === 2 && document.querySelector('.parting')",
          "compare-other": "document.querySelector('#compare-view [data-part=calls] h2')",
          scenario: "document.querySelector('.about h2') && document.querySelector('.running .controls')",
        }[name] ?? `document.querySelector('svg.seam title')?.textContent.includes('${hash.split("/").at(-1)}')`;
        await shot.until(isReady);
        if (name === "events") {
          await shot.press("j", "j");
          await shot.until("document.querySelector('#events-view [data-part=change] .call')");
        }
        if (name === "help") await shot.press("?");
        writeFileSync(join(target, `${name}-${scheme}-${size}.png`), await shot.shot());
      }
      await shot.expectQuiet();
      // By another name of the gate, where this browser has no key.
      await shot.go(`${server.origin.replace("127.0.0.1", "localhost")}/`);
      await shot.until("!document.querySelector('#locked').hidden");
      writeFileSync(join(target, `locked-${scheme}-${size}.png`), await shot.shot());
    }
  }
  await client.close();
  console.log(`${target}: ${(Object.keys(views).length + 1) * 4} pictures`);
} catch (error) {
  console.error(error);
  code = 1;
} finally {
  for (const act of last) await act();
}
process.exitCode = code;
