// The dashboard in a real browser, over a real daemon: what a person sees is what the daemon says.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { browser, connect, folder, gate, Page, seamd, skip, stage } from "./support.mjs";

// One browser for the file: starting it takes longer than most tests.
let host = null;
test("the page", { skip }, async (t) => {
  host = await browser(t);
  for (const [name, act] of tests) await t.test(name, act);
});

const tests = [];
const it = (name, act) => tests.push([name, act]);

it("a live table: verdicts and values follow the daemon, and the counters count", async (t) => {
  const { page, seam } = await stage(t, { host });
  assert.match(await page.evaluate("location.href"), /\/#\/fields$/, "the key is not left in the address");
  assert.equal(await page.evaluate("document.cookie"), "", "the cookie is none of the page's business");
  await page.until("document.querySelector('#empty').innerText.includes('No field yet')");
  seam("create", "lessons.hosting-unassigned", "--id", "demo");
  await page.expectRows([
    "demo/HostingController.filter matching open open", "demo/HostingController.openCount matching 3 3",
    "demo/HostingController.title matching Tasks Tasks",
  ]);
  seam("set", "demo", "openCount=5");
  await page.until("document.querySelector('.counter[data-verdict=stale] .count').textContent === '1'");
  await page.until("document.querySelector('.row[data-verdict=stale] mark')?.textContent === '5'", { what: "the difference marked" });
  assert.deepEqual((await page.rows())[1], "demo/HostingController.openCount stale 5 3");
  assert.equal(await page.evaluate("document.querySelector('.row[data-verdict=stale] .glyph').textContent"), "≠");
  // Two verdicts are in the band: pixels of both colours.
  assert.equal(await page.evaluate("document.querySelector('.row[data-verdict=stale] .only-told').textContent"), "1 changes seen");
  const painted = await page.evaluate(`(() => {
    const canvas = document.querySelector('.row[data-verdict=stale] canvas');
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) seen.add([data[at], data[at + 1], data[at + 2]].join());
    return seen.size;
  })()`);
  assert.equal(painted, 2);
  seam("assign", "demo", "host");
  await page.until("document.querySelector('.counter[data-verdict=matching] .count').textContent === '3'");
  seam("destroy", "demo");
  await page.expectRows([]);
  await page.expectQuiet();
});

it("a page without a key says what to do, and one with a wrong key why", async (t) => {
  const socket = join(folder(t), "s");
  await seamd(t, socket);
  const server = await gate(t, socket);
  // Another name of the same gate, where no cookie of this browser is.
  const other = server.origin.replace("127.0.0.1", "localhost");
  const page = await Page.open(host, `${other}/#token=${"0".repeat(32)}`);
  await page.until("!document.querySelector('#locked').hidden && document.querySelector('#locked').innerText.includes('seam dashboard')");
  assert.match(await page.evaluate("document.querySelector('#locked-reason').innerText"), /not the key/);
  assert.doesNotMatch(await page.evaluate("location.href"), /token/);
  await page.go(`${other}/`);
  await page.until("document.querySelector('#locked-reason').innerText.includes('it holds the key')");
  assert.equal(await page.evaluate("document.querySelector('#app').hidden"), true);
});

it("filters, search and sort say what they hide, and the address holds them", async (t) => {
  const { page, socket, server } = await stage(t, { host });
  const client = await connect(socket);
  const app = await client.create("live", { id: "app" });
  await app.set({ a: 1, b: 2, c: 10, d: null, "Größe": 5 });
  await app.show("One", { a: 1, b: 3, d: "x" });
  await app.show("Two", { c: 9, "Größe": 5 });
  await app.show("Two", { e: 1 });
  await app.show("Two", { e: null });
  await client.close();
  const all = [
    "app/One.a matching 1 1", "app/One.b stale 2 3", "app/One.d leftover none x",
    "app/Two.c stale 10 9", "app/Two.e out-of-scope none none", "app/Two.Größe matching 5 5",
  ];
  await page.expectRows(all);
  await page.press("x");
  await page.expectRows([all[1], all[2], all[3]]);
  await page.until("document.querySelector('#hidden-chip').innerText.startsWith('3 hidden by filter')");
  assert.deepEqual(await page.evaluate("[...document.querySelectorAll('.counter')].map((b) => b.getAttribute('aria-pressed')).join()"),
    "false,true,true,true,false");
  // A filter and a search together: both hold.
  await page.press("/");
  await page.type("two");
  await page.expectRows([all[3]]);
  await page.until("document.querySelector('#hidden-chip').innerText.startsWith('5 hidden by filter')");
  assert.match(await page.evaluate("location.hash"), /^#\/fields\?v=stale,missing,leftover&q=two$/);
  await page.press("Escape", "Escape", "x");
  await page.expectRows(all);
  assert.equal(await page.evaluate("document.querySelector('#hidden-chip').hidden"), true);
  await page.click(".counter[data-verdict=leftover]");
  await page.expectRows([all[2]]);
  await page.click("#hidden-off");
  await page.expectRows(all);

  // Values are searched too, a regular expression is one, a wrong one finds nothing.
  for (const [query, wanted] of [["/\\n10\\n/", [all[3]]], ["größe", [all[5]]], ["/(/", []], ["one app", all.slice(0, 3)]]) {
    await page.go(`${server.origin}/#/fields?q=${encodeURIComponent(query)}`);
    await page.expectRows(wanted);
  }
  // By verdict: the worst first. By model: none, then numbers by size. Twice is the other way round, thrice as before.
  await page.go(`${server.origin}/#/fields`);
  await page.expectRows(all);
  await page.click("[data-column=verdict] button");
  await page.expectRows([all[1], all[3], all[2], all[0], all[5], all[4]]);
  await page.click("[data-column=model] button");
  await page.expectRows([all[2], all[4], all[0], all[1], all[5], all[3]]);
  assert.equal(await page.evaluate("document.querySelector('[data-column=model]').getAttribute('aria-sort')"), "ascending");
  await page.click("[data-column=model] button");
  await page.expectRows([all[3], all[5], all[1], all[0], all[2], all[4]]);
  assert.match(await page.evaluate("location.hash"), /sort=model:down/);
  await page.click("[data-column=model] button");
  await page.expectRows(all);
  await page.expectQuiet();
});

it("freeze: the table stands still, says how much has come, and loses nothing", async (t) => {
  const { page, seam } = await stage(t, { host });
  seam("create", "live", "--id", "app");
  seam("set", "app", "a=1");
  seam("show", "app", "S", "a=1");
  await page.expectRows(["app/S.a matching 1 1"]);
  await page.press(" ");
  await page.until("document.querySelector('#pause-chip').innerText.startsWith('paused, +0')");
  seam("set", "app", "a=2");
  seam("set", "app", "a=3");
  await page.until("document.querySelector('#pause-chip').innerText.startsWith('paused, +2')");
  assert.deepEqual(await page.rows(), ["app/S.a matching 1 1"]);
  assert.equal(await page.evaluate("document.querySelector('.counter[data-verdict=stale] .count').textContent"), "0");
  await page.press(" ");
  await page.expectRows(["app/S.a stale 3 1"]);
  assert.equal(await page.evaluate("document.querySelector('#pause-chip').hidden"), true);
  await page.click("#go-events");
  await page.until("document.querySelectorAll('#events-view .row:not([hidden])').length >= 4", { what: "both changes in the list" });
  await page.expectQuiet();
});

it("details say why, with the calls; the address opens them again", async (t) => {
  const { page, seam, server } = await stage(t, { host });
  seam("create", "lessons.hosting-unassigned", "--id", "demo");
  seam("set", "demo", "openCount=5");
  await page.until("document.querySelector('.row[data-verdict=stale]')");
  await page.press("j", "j", "Enter");
  const why = "HostingController.openCount is stale: the model changed in turn 2 (by a client), and no assignment of host has run since turn 1";
  await page.until(`document.querySelector('[data-part=why]').innerText === ${JSON.stringify(why)}`);
  assert.match(await page.evaluate("document.querySelector('[data-part=calls]').innerText"), /turn 2 model\.set.*set openCount/);
  assert.match(await page.evaluate("document.querySelector('[data-part=history]').innerText"), /stale/);
  assert.equal(await page.evaluate("document.querySelector('[data-part=carriers] button')"), null, "no control without --allow-control");
  const hash = await page.evaluate("location.hash");
  assert.equal(hash, "#/fields?row=demo/HostingController/openCount&details");
  await page.reload();
  await page.until(`document.querySelector('[data-part=why]').innerText === ${JSON.stringify(why)}`);
  assert.equal(await page.evaluate("document.querySelector('.row.selected .field').textContent"), "openCount");
  // It follows while it is open.
  seam("assign", "demo", "host");
  await page.until("document.querySelector('[data-part=why]').innerText.startsWith('HostingController.openCount matches: draw of host wrote it')");
  await page.press("Escape");
  assert.equal(await page.evaluate("document.querySelector('#details').hidden"), true);
  await page.go(`${server.origin}/#/fields?row=demo/Nowhere/x&details`);
  await page.until("document.querySelector('#notice').innerText === 'There is no field demo/Nowhere.x.'");
  await page.expectQuiet();
});

it("saved files have the rows that are shown, in their order, exactly", async (t) => {
  const { page, socket } = await stage(t, { host });
  const target = folder(t);
  await host.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: target, eventsEnabled: true });
  const values = { a: 'say "hi", and\nmore', b: "", c: "=1+1", d: "\u202eabc", e: "é" };
  const client = await connect(socket);
  const app = await client.create("live", { id: "app" });
  await app.set(values);
  await app.show("S", { ...values, b: null, hidden: "x" });
  await app.show("S", { hidden: null });
  await client.close();
  await page.until("document.querySelectorAll('#fields-view .row:not([hidden])').length === 6");
  await page.press("4", "3", "1");
  await page.until("document.querySelectorAll('#fields-view .row:not([hidden])').length === 5");
  const saved = async (button, name) => {
    await page.click(button);
    // The browser writes it beside and moves it in place.
    for (let look = 0; look < 500; look += 1) {
      if (readdirSync(target).includes(name)) return readFileSync(join(target, name), "utf8");
      await page.evaluate("new Promise(requestAnimationFrame)");
    }
    throw new Error(`${name} was never saved: ${readdirSync(target)}`);
  };
  const lines = (await saved("#save-jsonl", "seam-fields.jsonl")).trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ field }) => field), ["a", "b", "c", "d", "e"]);
  for (const { sim, scenario, screen, field, model, verdict, changed } of lines) {
    assert.deepEqual({ sim, scenario, screen, model }, { sim: "app", scenario: "live", screen: "S", model: values[field] });
    assert.equal(verdict, field === "b" ? "missing" : "matching");
    assert(Math.abs(Date.parse(changed) - Date.now()) < 60_000, changed);
  }
  const table = await saved("#save-csv", "seam-fields.csv");
  assert(table.startsWith("sim,scenario,screen,field,verdict,model,shown,modelBytes,shownBytes,changed\r\n"));
  assert(table.includes('"app","live","S","a","matching","say ""hi"", and\nmore","say ""hi"", and\nmore",,,"'), table);
  assert(table.includes('"app","live","S","b","missing","",,,,"'), "empty text is told from none");
  await page.expectQuiet();
});

it("the gallery: read without control; with it, start, press, and see the field match", async (t) => {
  const { page: reader, server } = await stage(t, { host });
  await reader.go(`${server.origin}/#/scenarios/lessons.hosting-unassigned`);
  await reader.until("document.querySelector('.about h2')?.innerText === 'The root view is not assigned again'");
  assert.match(await reader.evaluate("document.querySelector('.about').innerText"), /may only look.*seam dashboard --allow-control/s);
  assert.equal(await reader.evaluate("document.querySelectorAll('.about button').length"), 0);
  await reader.expectQuiet();

  const { page, seam, server: driver } = await stage(t, { host, control: true });
  await page.go(`${driver.origin}/#/scenarios/lessons.hosting-unassigned`);
  await page.until("document.querySelector('[data-entry=openCount]')");
  await page.evaluate("document.querySelector('[data-entry=openCount]').select()");
  await page.click("[data-entry=openCount]");
  await page.evaluate("document.querySelector('[data-entry=openCount]').select()");
  await page.type("8");
  await page.click(".about form button");
  await page.until("document.querySelector('.running .fields')?.innerText.includes('model 8 shown 8')");
  seam("set", "s1", "openCount=9");
  await page.until("document.querySelector('.running .fields').innerText.includes('stale HostingController.openCount  model 9 shown 8')"
    + "|| /stale\\s+HostingController.openCount\\s+model\\s+9\\s+shown\\s+8/.test(document.querySelector('.running .fields').innerText)");
  const assign = "[...document.querySelectorAll('.controls button')].find((b) => b.innerText === 'assign host')";
  await page.evaluate(`${assign}.id = "assign-host"`);
  await page.click("#assign-host");
  await page.until("/matching\\s+HostingController.openCount\\s+model\\s+9\\s+shown\\s+9/.test(document.querySelector('.running .fields').innerText)");
  // What the daemon refuses is said in its words.
  await page.evaluate("document.querySelector('[data-entry=openCount]').value = '7000000'; document.querySelector('.about form').noValidate = true");
  await page.click(".about form button");
  await page.until("document.querySelector('#notice.error')?.innerText.includes('openCount')");
  await page.expectQuiet();
});

it("the seam as a picture: the missing call is a gap, and goes when it comes", async (t) => {
  const { page, seam, server } = await stage(t, { host });
  seam("create", "lessons.hosting-unassigned", "--id", "demo");
  seam("create", "lessons.wrapping-empty", "--id", "list");
  seam("set", "demo", "openCount=5");
  seam("set", "list", "rowCount=9");
  await page.go(`${server.origin}/#/picture/demo`);
  await page.until("document.querySelector('svg .gap-word')?.textContent === 'no assign'");
  assert.equal(await page.evaluate("document.querySelectorAll('svg .edge.broken').length"), 2, "one line, with a gap in it");
  assert.match(await page.evaluate("document.querySelector('#picture-view').innerText"), /no assignment of host has run since/);
  seam("assign", "demo", "host");
  await page.until("!document.querySelector('svg .gap-word') && document.querySelector('svg .bridge.last')?.textContent.includes('last: draw in turn 3')");
  assert.equal(await page.evaluate("document.querySelectorAll('svg .edge.last[data-verdict=matching]').length"), 3);
  await page.go(`${server.origin}/#/picture/list`);
  await page.until("document.querySelector('svg .gap-word')?.textContent === 'update wrote nothing'");
  await page.expectQuiet();
});

it("time travel: an event shows exactly what it changed, and the table as it was then", async (t) => {
  const { page, seam, server } = await stage(t, { host });
  seam("create", "live", "--id", "app");
  seam("set", "app", "a=1");
  seam("show", "app", "S", "a=1");
  await page.expectRows(["app/S.a matching 1 1"]);
  seam("set", "app", "a=2");
  seam("show", "app", "S", "a=2", "b=7");
  seam("set", "app", "a=3");
  seam("destroy", "app");
  seam("create", "live", "--id", "late");
  await page.until("document.querySelector('#told') && document.querySelectorAll('#fields-view .row:not([hidden])').length === 0");
  await page.click("#go-events");
  const what = "[...document.querySelectorAll('#events-view .row:not([hidden])')].sort((a, b) => a.seamRow - b.seamRow).map((r) => r.querySelector('.what').innerText.replace(/\\s+/g, ' ').trim())";
  await page.until(`(${what}).includes('✓matching → ≠stale') && (${what})[0] === 'simulation created'`);
  // Down to the change that made a=2 stale.
  const list = await page.evaluate(what);
  const place = list.lastIndexOf("✓matching → ≠stale");
  assert(place > 0, list.join("\n"));
  for (let step = 0; step <= place; step += 1) await page.press("j");
  await page.until("/model\\s*1 → 2/.test(document.querySelector('#events-view [data-part=change]').innerText.replace(/\\n/g, ' '))");
  assert.match(await page.evaluate("document.querySelector('#events-view [data-part=change]').innerText"), /shown\s+1 as before/);
  await page.press("Enter");
  await page.expectRows(["app/S.a stale 2 1"]);
  await page.until("document.querySelector('#pause-chip').innerText.startsWith('as of ')");
  assert.equal(await page.evaluate("document.querySelector('.counter[data-verdict=stale] .count').textContent"), "1");
  await page.click("#pause-off");
  await page.expectRows([]);
  // The scrubber goes the same way.
  await page.click("#go-events");
  await page.evaluate("(() => { const s = document.querySelector('#time-slider'); s.value = '0'; s.dispatchEvent(new Event('input')); })()");
  await page.until("document.querySelector('#events-view [data-part=change] h2').innerText === 'app created'");
  // An address names an event only as long as the page is there.
  const hash = await page.evaluate("location.hash");
  assert.match(hash, /&?at=[0-9a-f]+-\d+$/);
  await page.go(`${server.origin}/?again${hash}`);
  await page.until("document.querySelector('#notice').innerText.includes('before this page was opened')");
  await page.expectQuiet();
});

it("whatever a value or a name holds is shown as text", async (t) => {
  const { page, socket } = await stage(t, { host });
  const values = {
    image: "<img src=x onerror=alert(1)>", script: "</script><script>alert(2)</script>", entity: "&lt;b&gt;",
    rtl: "abc\u202edef\u202c", hebrew: "שלום", combining: "e\u0301\u0302\u0303", zero: "a\u200bb", control: "a\u0000b\tc\r\nd\u001b[31m",
    family: "👩\u200d👩\u200d👧", long: "x".repeat(65_536), template: "${alert(3)}{{7*7}}", url: "javascript:alert(4)",
  };
  const client = await connect(socket);
  // Names are printable bytes without . / = and *.
  const [name, screen] = ["<svg><script>alert(5)", "<script>alert(6)"];
  const app = await client.create("live", { id: name });
  await app.set(values);
  await app.show(screen, values);
  await app.show(screen, { image: "<img src=y onerror=alert(1)>", long: `${"x".repeat(65_535)}y` });
  await page.until("document.querySelectorAll('#fields-view .row:not([hidden])').length === 12");
  const shown = Object.fromEntries(await page.evaluate(`[...document.querySelectorAll("#fields-view .row")].filter((row) => !row.hidden)
    .map((row) => [row.querySelector(".field").textContent, row.querySelector(".shown").textContent])`));
  assert.equal(shown.script, values.script);
  assert.equal(shown.entity, values.entity);
  assert.equal(shown.rtl, "abcU+202EdefU+202C");
  assert.equal(shown.zero, "aU+200Bb");
  assert.equal(shown.control, "a␀b⇥c␍↵d␛[31m");
  assert.equal(shown.family, values.family, "an emoji is one sign");
  assert.equal(shown.combining, values.combining);
  assert.equal(shown.hebrew, values.hebrew);
  assert.match(shown.long, /^x{200}… \(the beginning of 65,536 bytes\)$/);
  assert.equal(await page.evaluate(`document.querySelector("#fields-view .row[data-verdict=stale] .shown mark").textContent`), "y");
  assert.equal(await page.evaluate("document.querySelectorAll('main img, main script').length"), 0);
  // In every other view too.
  await page.press("j", "j", "Enter");
  await page.until("document.querySelector('#details h2').textContent.startsWith('<script>alert(6).')");
  await page.click("#go-events");
  await app.set({ image: "<b>" });
  await page.until("[...document.querySelectorAll('#events-view .row .values')].some((cell) => cell.textContent.includes('<b>'))");
  await page.press("j");
  await page.click("#go-picture");
  await page.until("document.querySelector('svg.seam')?.textContent.includes('<script>alert(6)')");
  assert.equal(await page.evaluate("document.querySelectorAll('main img, main script').length"), 0);
  await client.close();
  await page.expectQuiet();
});

it("the daemon is killed and comes back: the page says so, and is right again", async (t) => {
  const { page, socket, daemon, seam, server } = await stage(t, { host });
  seam("create", "live", "--id", "old");
  seam("show", "old", "S", "a=1");
  await page.expectRows(["old/S.a leftover none 1"]);
  await daemon.end("SIGKILL");
  await page.until("document.querySelector('#connection').dataset.state === 'away'");
  assert.deepEqual(await page.rows(), ["old/S.a leftover none 1"], "what was known stays on the screen meanwhile");
  await seamd(t, socket);
  seam("create", "live", "--id", "new");
  seam("show", "new", "S", "b=2");
  await page.expectRows(["new/S.b leftover none 2"]);
  await page.until("/^● live \\(daemon restarted at /.test(document.querySelector('#connection').innerText)");
  // And the gate: a new one has a new key, which the page can't know.
  await server.end("SIGKILL");
  await page.until("['resuming', 'lost'].includes(document.querySelector('#connection').dataset.state)");
});

it("a gate that starts again has another key, and the page asks for it", async (t) => {
  const { page, socket, server } = await stage(t, { host });
  await server.end("SIGKILL");
  await page.until("['resuming', 'lost'].includes(document.querySelector('#connection').dataset.state)");
  const again = await gate(t, socket, "--port", new URL(server.origin).port);
  await page.until("!document.querySelector('#locked').hidden && document.querySelector('#locked').innerText.includes('A new start prints a new one')");
  // The new address, put into the same tab.
  await page.evaluate(`void (location.href = ${JSON.stringify(again.address)})`);
  await page.live();
  assert.doesNotMatch(await page.evaluate("location.href"), /token/);
});

it("the past is exact: whatever happened, each moment is as it was", async (t) => {
  const { page } = await stage(t, { host });
  const outcome = await page.evaluate(`(${past})()`);
  assert.deepEqual(outcome.wrong, []);
  assert(outcome.compared > 500 && outcome.unknown > 500, JSON.stringify(outcome));
});

/** Runs in the page. Random happenings; every moment that can be had again is compared with what was seen at the time. */
async function past() {
  const { Store, EventList, verdicts } = await import("/store.js");
  const store = new Store();
  store.events = new EventList({ most: 700 });
  let seed = 12345;
  const random = (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >>> 8) % below;
  };
  const seen = (moment) => {
    const fields = [];
    for (let index = 0; index < moment.count; index += 1) {
      if (!moment.alive[index]) continue;
      fields.push([store.path(index), moment.verdict[index], moment.model[index], moment.shown[index], moment.changedAt[index],
        moment.modelBytes.get(index) ?? 0, [...moment.bandOf(index)].join("")].join("|"));
    }
    return fields.sort().join("\n") + "\n" + [...moment.counts].join();
  };
  const texts = ["", "a", "b", null];
  const then = new Map();
  const wrong = [];
  let compared = 0;
  let unknown = 0;
  let at = 1;
  const check = () => {
    for (const [number, was] of then) {
      const moment = store.momentAfter(number);
      if (!moment) unknown += 1;
      else {
        compared += 1;
        if (seen(moment) !== was) wrong.push(number);
      }
    }
  };
  store.beginSnapshot("");
  store.sync();
  for (let turn = 0; turn < 3_000; turn += 1) {
    const sim = "s" + random(4);
    const chance = random(1_000);
    if (chance === 0) {
      // A gap: what comes is a snapshot, and nothing before can be had again.
      store.beginSnapshot("aged-out");
      store.state({ sim, scenario: "live", screen: "S", field: "f1", verdict: "stale", model: "x", shown: "y" });
      store.sync();
      then.clear();
    } else if (chance < 12) {
      store.simulation({ sim, what: "destroyed", at: at += 1 }, "");
      then.set(store.events.end - 1, seen(store.now));
    } else if (chance < 30) {
      store.diagnostic({ sim, code: "x", at: at += 1 }, "");
      then.set(store.events.end - 1, seen(store.now));
    } else {
      const modelBytes = random(10) === 0 ? 5_000 + random(9) : undefined;
      store.verdict({ sim, screen: "S" + random(3), field: "f" + random(6), to: verdicts[random(5)], model: texts[random(4)],
        shown: texts[random(4)], modelBytes, at: at += 1 }, "");
      then.set(store.events.end - 1, seen(store.now));
    }
    if (turn % 500 === 499) check();
    if (seen(store.now).split("\n").at(-1) !== [...store.now.counts].join()) wrong.push("counts");
  }
  return { wrong: wrong.slice(0, 5), compared, unknown };
}

it("differences are marked between letters, never inside of one", async (t) => {
  const { page } = await stage(t, { host });
  const marked = await page.evaluate(`(async () => {
    const { showValue, difference } = await import("/text.js");
    const of = (value, against) => {
      const element = document.createElement("bdi");
      showValue(element, value, { against });
      return [...element.childNodes].map((node) => (node.nodeName === "MARK" ? "[" + node.textContent + "]" : node.textContent)).join("");
    };
    return ${JSON.stringify([
      ["12", "13"], ["abc", "abc"], ["abXc", "abc"], ["abc", "abXc"], ["éa", "ea"], ["👍🏽", "👍🏿"], ["😀", "😁"],
      ["👩‍👩‍👧", "👩‍👩‍👦"], ["aaa", "aa"], ["a", null],
    ])}.map(([a, b]) => of(a, b));
  })()`);
  assert.deepEqual(marked, [
    "1[2]", "abc", "ab[X]c", "ab[]c", "[é]a", "[👍🏽]", "[😀]", "[👩‍👩‍👧]", "aa[a]", "a",
  ]);
});

it("with the keyboard alone: every control is reached, and each says its name", async (t) => {
  const { page, seam } = await stage(t, { host, control: true });
  seam("create", "lessons.hosting-unassigned", "--id", "demo");
  seam("set", "demo", "openCount=5");
  await page.until("document.querySelector('.row[data-verdict=stale]')");
  const wanted = await page.evaluate(`[...document.querySelectorAll("a[href], button, input, select")]
    .filter((element) => element.checkVisibility() && !element.disabled).length`);
  const seen = new Set();
  for (let step = 0; step < wanted + 5; step += 1) {
    await page.press("Tab");
    const place = await page.evaluate(`(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return { name: element.id || element.getAttribute("aria-label") || element.textContent.slice(0, 40),
        isRow: element.classList.contains("row"), isMarked: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 };
    })()`);
    if (!place) continue;
    assert(place.isMarked, `the focus on ${place.name} is seen`);
    seen.add(place.isRow ? "row" : place.name);
  }
  assert.equal(seen.size, wanted + 1, `${[...seen].join(", ")}: every control, and the table as one`);
  // The help sheet opens, holds the focus and closes.
  await page.evaluate("document.activeElement.blur()");
  await page.press("?");
  await page.until("document.querySelector('#help').open && document.querySelector('#help').contains(document.activeElement)");
  const sheet = await page.evaluate("document.querySelector('#help').innerText");
  for (const key of ["/", "x", "j", "k", "g", "G", "Enter", "Space", "Esc", "?"]) assert(sheet.includes(key), key);
  await page.press("Escape");
  await page.until("!document.querySelector('#help').open");
  await page.press("x", "j", "Enter");
  await page.until("document.querySelector('[data-part=why]').innerText.includes('is stale')");
  await page.press("Escape");
  await page.until("document.activeElement.classList.contains('row')");
  await page.expectQuiet();
});

it("for those who listen: roles, names, counts, and one summary instead of every line", async (t) => {
  const { page, seam } = await stage(t, { host });
  seam("create", "lessons.hosting-unassigned", "--id", "demo");
  await page.until("document.querySelectorAll('#fields-view .row:not([hidden])').length === 3");
  await page.until("document.querySelector('#told').textContent === 'live: 3 matching'", { what: "the summary" });
  const { nodes } = await page.tab.send("Accessibility.getFullAXTree");
  const by = (role) => nodes.filter((node) => !node.ignored && node.role?.value === role);
  for (const role of ["button", "link", "searchbox", "table", "columnheader", "row", "navigation", "main"]) {
    assert(by(role).length > 0, `there is no ${role}`);
  }
  for (const role of ["button", "link", "searchbox", "table", "columnheader", "navigation"]) {
    for (const node of by(role)) assert(node.name?.value.trim(), `a ${role} has no name`);
  }
  const counter = by("button").find(({ name }) => /matching/.test(name.value) && /3/.test(name.value));
  assert(counter, "a counter says its number and its verdict");
  assert.deepEqual(await page.evaluate(`(() => {
    const table = document.querySelector("#fields-scroller");
    const rows = [...table.querySelectorAll(".row")].filter((row) => !row.hidden);
    return [table.getAttribute("aria-rowcount"), ...rows.map((row) => row.getAttribute("aria-rowindex")).sort()];
  })()`), ["4", "2", "3", "4"]);
  await page.expectQuiet();
});

it("light and dark: marks have 3:1, text 4.5:1, and no two verdicts look alike to any eyes", async (t) => {
  const { page } = await stage(t, { host });
  for (const scheme of ["light", "dark"]) {
    await page.emulate([{ name: "prefers-color-scheme", value: scheme }]);
    const names = ["matching", "stale", "missing", "leftover", "out-of-scope"];
    const colours = await page.evaluate(`(() => {
      const style = getComputedStyle(document.documentElement);
      return Object.fromEntries(${JSON.stringify([...names, "page", "panel", "selected", "control", "text", "quiet", "accent", "on-accent",
        "difference", "difference-text", "error", "control-line"])}.map((name) => [name, style.getPropertyValue("--" + name).trim()]));
    })()`);
    const least = (what, pairs, wanted) => {
      for (const [mark, ground] of pairs) {
        const found = contrast(colours[mark], colours[ground]);
        assert(found >= wanted, `${scheme}: ${mark} on ${ground} has ${found.toFixed(2)}:1, ${what} needs ${wanted}:1`);
      }
    };
    const grounds = ["page", "panel", "selected"];
    least("a mark", [...names, "control-line"].flatMap((name) => grounds.filter((ground) => name !== "control-line" || ground !== "selected")
      .map((ground) => [name, ground])), 3);
    least("text", ["text", "quiet", "error"].flatMap((name) => grounds.map((ground) => [name, ground])), 4.5);
    least("text", [["accent", "page"], ["accent", "panel"], ["on-accent", "accent"], ["difference-text", "difference"], ["text", "control"]], 4.5);
    let nearest = Infinity;
    for (const eyes of Object.keys(sights)) {
      for (let a = 0; a < names.length; a += 1) {
        for (let b = a + 1; b < names.length; b += 1) {
          const apart = distance(colours[names[a]], colours[names[b]], sights[eyes]);
          assert(apart >= 25, `${scheme}, ${eyes}: ${names[a]} and ${names[b]} are ${apart.toFixed(1)} apart`);
          nearest = Math.min(nearest, apart);
        }
      }
    }
    t.diagnostic(`${scheme}: the nearest two verdicts are ${nearest.toFixed(1)} apart (CIE76)`);
  }
});

// Machado, Oliveira and Fernandes 2009, at full severity, on linear light.
const sights = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
};

function linear(colour) {
  assert.match(colour, /^#[0-9a-f]{6}$/);
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
}

const luminance = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/** WCAG 2. */
function contrast(a, b) {
  const [light, dark] = [luminance(linear(a)), luminance(linear(b))].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function lab([r, g, b]) {
  const f = (part) => (part > 216 / 24_389 ? Math.cbrt(part) : (24_389 / 27 * part + 16) / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(luminance([r, g, b]));
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function distance(a, b, matrix) {
  const [p, q] = [a, b].map((colour) => {
    const light = linear(colour);
    return lab(matrix.map((row) => Math.min(1, Math.max(0, row.reduce((sum, weight, k) => sum + weight * light[k], 0)))));
  });
  return Math.hypot(...p.map((part, k) => part - q[k]));
}
