// The dashboard in a real browser, over a real daemon: what a person sees is what the daemon says.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { browser, connect, dashboard, folder, foreignSite, gate, Page, run, seamd, skip, stage, tunnel } from "./support.mjs";

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
  // What it says stands one below the other, and nothing of it is a sign for something.
  for (const width of [1280, 320]) {
    await page.size(width, 800);
    const places = await page.evaluate(`[...document.querySelectorAll('#locked > *')].map((part) => {
      const { left, right, top, bottom } = part.getBoundingClientRect();
      return { left, right, top, bottom };
    })`);
    assert.equal(places.length, 4);
    places.forEach(({ left, right, top }, at) => {
      assert(left >= 0 && right <= width, `${width}: ${left} to ${right}`);
      if (at) assert(top >= places[at - 1].bottom, `${width}: the ${at}th is beside the one before it`);
    });
  }
  assert.doesNotMatch(await page.evaluate("document.querySelector('#locked').innerText"), /↵/);
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
  await page.until("document.querySelector('#notice-text').innerText === 'There is no field demo/Nowhere.x.'");
  await page.expectQuiet();
});

it("details of the past, and of a view that stands still, are of that moment and offer nothing", async (t) => {
  const { page, seam, server } = await stage(t, { host, control: true });
  const text = (part) => page.evaluate(`document.querySelector('#details [data-part=${part}]').innerText`);
  seam("create", "lessons.hosting-unassigned", "--id", "demo");
  seam("set", "demo", "openCount=5");
  await page.go(`${server.origin}/#/fields?row=demo/HostingController/openCount&details`);
  await page.until("document.querySelector('#details [data-part=carriers] button')?.innerText === 'assign'");
  seam("assign", "demo", "host");
  await page.until("document.querySelector('#details [data-part=why]').innerText.includes('matches')");
  await page.press("[", "[");
  await page.until("document.querySelector('#details [data-part=verdict]').innerText.includes('stale')");
  await page.until("document.querySelector('#details [data-part=calls]').innerText.includes('model.set')");
  assert.match(await text("why"), /^As it was then is not asked for/);
  assert.equal(await page.evaluate("document.querySelector('#details button:not([data-part]):not(.plain)')"), null, "nothing to press");
  assert.match(await text("changed"), /, 0 s before$/);
  // The first one is the field's beginning; each repair is one more.
  const matches = async () => (await text("history")).match(/matching/g).length;
  assert.equal(await matches(), 1);
  assert.doesNotMatch(await text("calls"), /assign/);
  assert.match(await page.evaluate("document.querySelector('#pause-text').innerText"), /^as of [0-9:.]{12} #[0-9]+$/);
  await page.click("#pause-off");
  await page.until("document.querySelector('#details [data-part=why]').innerText.includes('matches')");
  assert.equal(await matches(), 2);

  // A view that stands still, with a button that was there.
  seam("set", "demo", "openCount=6");
  await page.until("document.querySelector('#details [data-part=why]').innerText.includes('is stale')");
  await page.until("document.querySelector('#details [data-part=carriers] button')");
  await page.evaluate("document.activeElement.blur()");
  await page.press(" ");
  await page.until("!document.querySelector('#details [data-part=carriers] button')");
  seam("assign", "demo", "host");
  await page.until("document.querySelector('#pause-text').innerText === 'paused, +1'");
  assert.match(await text("verdict"), /stale/);
  assert.match(await text("why"), /^As it was then is not asked for/);
  assert.equal(await matches(), 2, "the first repair, and not the second");
  await page.click("#pause-off");
  await page.until("document.querySelector('#details [data-part=why]').innerText.includes('matches')");
  assert.equal(await matches(), 3);
  await page.expectQuiet();
});

it("details of a field that is gone say so, until it is back; an address of it too", async (t) => {
  const { page, seam, server, socket, daemon } = await stage(t, { host });
  const address = `${server.origin}/#/fields?row=app/S/a&details`;
  seam("create", "live", "--id", "app");
  seam("show", "app", "S", "a=1");
  await page.expectRows(["app/S.a leftover none 1"]);
  await page.go(address);
  await page.until("document.querySelector('#details [data-part=verdict]').innerText.includes('leftover')");
  await page.until("document.querySelector('#details [data-part=why]').innerText.includes('S.a')");
  await daemon.end("SIGKILL");
  await seamd(t, socket);
  await page.until("document.querySelector('#details [data-part=verdict]').innerText === 'is gone'");
  assert.match(await page.evaluate("document.querySelector('#details [data-part=why]').innerText"), /^The field is gone/);
  assert.equal(await page.evaluate("document.querySelector('#details [data-part=shown]').innerText"), "none");
  seam("create", "live", "--id", "app");
  seam("show", "app", "S", "a=2");
  await page.until("document.querySelector('#details [data-part=shown]').innerText === '2'");
  await page.until("document.querySelector('#details [data-part=why]').innerText.includes('S.a')");
  seam("destroy", "app");
  await page.until("document.querySelector('#details [data-part=verdict]').innerText === 'is gone'");
  await page.go(`${server.origin}/#/fields`);
  await page.go(address);
  await page.until("document.querySelector('#notice-text').innerText === 'The field app/S.a is gone.'");
  // What an address says that names no event, and one that is not yet there.
  for (const [word, said] of [["nonsense", "names no event"], ["00-7", "another run of the daemon"]]) {
    await page.go(`${server.origin}/#/fields?as-of=${word}`);
    await page.until(`!document.querySelector('#notice').hidden && document.querySelector('#notice-text').innerText.includes(${JSON.stringify(said)})`);
  }
  await page.expectQuiet();
});

it("whatever is searched for, the page goes on", async (t) => {
  const { page, socket, server } = await stage(t, { host });
  const client = await connect(socket);
  const app = await client.create("live", { id: "app" });
  await app.show("S", { long: "A".repeat(60), short: "aab" });
  const long = `app/S.long leftover none ${"A".repeat(60)}`;
  const short = "app/S.short leftover none aab";
  await page.expectRows([long, short]);
  // To a search that goes back and tries again, the first of these is the age of the world.
  for (const [query, rows] of [["/(A+)+B/", []], ["/(A+)+$/", [long]], ["/\\b(aa|ab)b?$/", [short]], ["/S\\.LONG/i", [long]], ["/S\\.LONG/", []]]) {
    await page.go(`${server.origin}/#/fields?q=${encodeURIComponent(query)}`);
    await page.expectRows(rows);
    assert.equal(await page.evaluate("document.querySelector('#search-trouble').hidden"), true, query);
  }
  for (const [query, said] of [["/(/", "This is no regular expression: "], ["/(a)\\1/", "What was found before"], ["/a(?=b)/", "What stands before or behind"], ["/(a{90}){90}/", "too large"]]) {
    await page.go(`${server.origin}/#/fields?q=${encodeURIComponent(query)}`);
    await page.until(`document.querySelector('#search-trouble').innerText.includes(${JSON.stringify(said)})`);
    // Once: the table says only that it has nothing.
    await page.until("document.querySelector('#empty-words').innerText === 'Nothing is found.'");
    assert.doesNotMatch(await page.evaluate("document.querySelector('#search-trouble').innerText"), /\/u/);
    assert.equal(await page.evaluate("document.querySelector('#search').getAttribute('aria-invalid')"), "true");
  }
  await client.close();
  await page.expectQuiet();
});

it("what is searched for is found where the browser's own expressions find it", async () => {
  const { pattern } = await import("../../Sources/seam-gate/page/pattern.js");
  const sources = [
    "a", "ab|cd", "^a", "a$", "^$", "(ab)+c", "a{2,3}b", "a{2}", "a{2,}", "[a-c]+d", "[^a]b", "\\d+\\.\\d", "\\bfoo\\b", "\\Bo", "x?y",
    "(a|b)*abb", "(?:ab)?c", "(?<n>a)b", ".", "a.c", "\\p{L}+1", "\\u{1F600}", "\\u0041", "\\x41", "[\\]a]", "\\/", "(a+)+$", "^(a+)+b$", "a*?b",
    "\\s", "\\cJ", "[\\u{1F600}]", "(^a|b$)", "(a|)b", "(a?){3}b", "\\uD83D\\uDE00", "(x+x+)+y", "^((a|b)?){0,2}$",
  ];
  const texts = [
    "", "a", "b", "ab", "abab", "ababc", "cd", "aab", "aaab", "foo", "a foo b", "xfoo", "foox", "abb", "babb", "ac", "a\nc", "é1", "😀", "A", "]",
    "/", "aaaa", "1.5", "12", "\n", "y", "xy", "xxy", "😀😀b", "bbb",
  ];
  for (const source of sources) {
    for (const ignoresCase of [false, true]) {
      const [ours, theirs] = [pattern(source, { ignoresCase }), new RegExp(source, ignoresCase ? "iu" : "u")];
      for (const text of texts) assert.equal(ours(text), theirs.test(text), `${source} in ${JSON.stringify(text)}`);
    }
  }
  // In proportion to the text, whatever it is: a million signs each, where the other way would never end.
  for (const source of ["(A+)+B", "(A|AA)*B", "^(A?){20}A{20}B"]) assert.equal(pattern(source)("A".repeat(1_000_000)), false, source);
});

it("long values that differ late say that they do, and how long they are", async (t) => {
  const { page, socket, server } = await stage(t, { host });
  const client = await connect(socket);
  const app = await client.create("live", { id: "app" });
  const same = "x".repeat(60_000);
  await app.set({ big: `${same}A` });
  await app.show("S", { big: `${same}BB` });
  await page.until("document.querySelector('.row:not([hidden]) .model').innerText.startsWith('differs later, 60,001 bytes: xxx')");
  await page.until("document.querySelector('.row:not([hidden]) .shown').innerText.startsWith('differs later, 60,002 bytes: xxx')");
  await page.go(`${server.origin}/#/fields?row=app/S/big&details`);
  await page.until("document.querySelector('#details [data-part=model]').innerText.endsWith('(the beginning of 60,001 bytes; they differ after what is shown)')");
  // What it says to do shows it to its end.
  const [, params] = (await page.evaluate("document.querySelector('#details [data-part=whole]').innerText"))
    .match(/All of it: seam --socket \/\S+ call sim\.check '(.*)'$/);
  assert.equal(JSON.parse(run(socket, [0], "call", "sim.check", params)).fields[0].model, `${same}A`);
  // Marks without end over one letter cover nothing else.
  await app.show("S", { zalgo: `Z${"\u0301\u0335".repeat(100)}algo` });
  await page.until("[...document.querySelectorAll('.row:not([hidden]) .shown')].some((cell) => cell.innerText.includes('+194 marks'))");
  await page.go(`${server.origin}/#/fields?row=app/S/zalgo&details`);
  await page.until("document.querySelector('#details [data-part=shown]').innerText.includes('+194 marks')");
  assert.deepEqual(await page.evaluate(`(() => { const { scrollWidth, clientWidth } = document.querySelector('#details'); return scrollWidth - clientWidth; })()`), 0);
  await client.close();
  await page.expectQuiet();
});

it("long names keep their ends, and with the details open nothing is cut off", async (t) => {
  const { page, socket, server } = await stage(t, { host });
  const client = await connect(socket);
  for (const end of ["alpha", "omega"]) {
    const app = await client.create("live", { id: `p-coordinator-draft-of-${end}` });
    await app.show("NativeDraftViewController", { text: "1", "aVeryLongFieldNameIndeed": "2" });
  }
  await page.until("document.querySelectorAll('#fields-view .row:not([hidden])').length === 4");
  for (const width of [1280, 1000, 420, 320]) {
    await page.size(width, 800);
    await page.go(`${server.origin}/#/fields${width > 760 ? "?row=p-coordinator-draft-of-alpha/NativeDraftViewController/text&details" : ""}`);
    await page.until(width > 760 ? "!document.querySelector('#details').hidden" : "document.querySelector('#details').hidden");
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const cut = await page.evaluate(`[...document.querySelectorAll('#fields-view .row:not([hidden]) .name-tail')].filter((tail) => {
      const cell = tail.closest('.cell').getBoundingClientRect();
      const { left, right, width } = tail.getBoundingClientRect();
      return width > 0 && (left < cell.left || right > cell.right + 0.5);
    }).length`);
    assert.equal(cut, 0, `${width}: ends of names`);
    if (width !== 1000) {
      assert.equal(await page.evaluate(`(() => { const { scrollWidth, clientWidth } = document.querySelector('#fields-scroller'); return scrollWidth - clientWidth; })()`), 0, `${width}`);
    }
    // Each heading stands over its cells.
    const strays = await page.evaluate(`(() => {
      const row = document.querySelector('#fields-view .row:not([hidden])');
      return [...document.querySelectorAll('#fields-head .cell')].filter((head) => {
        const [a, b] = [head.getBoundingClientRect(), row.querySelector('.cell.' + head.dataset.column).getBoundingClientRect()];
        return a.width !== b.width || a.left !== b.left;
      }).map((head) => head.dataset.column);
    })()`);
    assert.deepEqual(strays, [], `${width}: headings`);
  }
  await client.close();
  await page.expectQuiet();
});

it("at 320 pixels no view is wider than the window", async (t) => {
  const { page, seam, server } = await stage(t, { host, width: 320, height: 640 });
  seam("create", "lessons.hosting-unassigned", "--id", "demo");
  seam("create", "lessons.hosting-assigned", "--id", "other");
  seam("set", "demo", "openCount=5");
  await page.until("document.querySelector('.row[data-verdict=stale]')");
  for (const hash of [
    "fields", "fields?row=demo/HostingController/openCount&details", "events", "scenarios", "scenarios/lessons.hosting-unassigned", "picture/demo",
    "compare?a=demo&b=other", "fields?q=%2F(%2F",
  ]) {
    await page.go(`${server.origin}/#/${hash}`);
    await page.until(`!document.querySelector('#${hash.split(/[/?]/)[0]}-view').hidden`);
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const wide = await page.evaluate(`(() => {
      const out = [];
      if (document.documentElement.scrollWidth > innerWidth) out.push("the page: " + document.documentElement.scrollWidth);
      for (const part of document.querySelectorAll("header, #bar, main, .view, .scroller, .details, .about, .names, .picture, .choice")) {
        const { right, width } = part.getBoundingClientRect();
        if (width && (right > innerWidth || part.scrollWidth > part.clientWidth + 1)) out.push(part.className + "#" + part.id + ": " + part.scrollWidth + " of " + part.clientWidth + ", to " + right);
      }
      return out;
    })()`);
    assert.deepEqual(wide, [], hash);
  }
  await page.expectQuiet();
});

it("the picture draws what cannot be seen, and says of a simulation without fields that it has none", async (t) => {
  const { page, socket, server } = await stage(t, { host });
  const client = await connect(socket);
  await client.create("live", { id: "bare" });
  const app = await client.create("live", { id: "app" });
  await app.set({ a: "", b: "a ", c: null, d: "none", e: "a" });
  await app.show("S", { a: "", b: "a", c: "x", d: "none", e: "a" });
  await page.go(`${server.origin}/#/picture/app`);
  await page.until("document.querySelector('svg.seam')?.textContent.includes('“a ”')");
  const texts = await page.evaluate("[...document.querySelectorAll('svg.seam .small')].map(({ textContent }) => textContent)");
  for (const text of ["“”", "“a ”", "a", "none", "“none”", "x"]) assert(texts.includes(text), `${text} of ${texts}`);
  await page.go(`${server.origin}/#/picture/bare`);
  await page.until("document.querySelector('#picture-view [data-part=said]').innerText === 'It has no field yet: there was nothing to carry.'");
  await client.close();
  await page.expectQuiet();
});

/** What of an element is to be seen: neither what has no size, nor what lies outside of its cell. */
const seenIn = `(cell) => {
  const room = cell.getBoundingClientRect();
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  let text = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (let at = 0; at < node.length; at += 1) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const { left, right, height } = range.getBoundingClientRect();
      if (height > 4 && right > left && left >= room.left && right <= room.right + 0.5) text += node.data[at];
    }
  }
  return text;
}`;

it("where two values differ is seen at every width, in every list", async (t) => {
  const { page, socket, server } = await stage(t, { host });
  const client = await connect(socket);
  const url = (item) => `https://api.example.com/v2/customers/4711/orders/0815/items/${item}/details?expand=all&page=1`;
  const pairs = {
    url: [url("17"), url("18")], end: [`${"e".repeat(300)}A`, `${"e".repeat(300)}B`], wide: [`${"漢字".repeat(60)}A`, `${"漢字".repeat(60)}B`],
    longer: ["l".repeat(150), `${"l".repeat(150)}!`], turned: ["Ada \u202eecalevoL", "Ada Lovelace"],
  };
  for (const id of ["a", "b"]) {
    const app = await client.create("live", { id });
    await app.set(Object.fromEntries(Object.entries(pairs).map(([key, [model]]) => [key, id === "a" ? model : `${model}b`])));
    await app.show("S", Object.fromEntries(Object.entries(pairs).map(([key, [, shown]]) => [key, shown])));
  }
  await page.until("document.querySelectorAll('#fields-view .row:not([hidden])').length === 10");
  const twins = (view, cells) => page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => [...document.querySelectorAll("${view} .row:not([hidden])")]
    .filter((row) => row.getBoundingClientRect().height > 0).map((row) => (${cells})(row).map(${seenIn}))
    .filter(([one, other]) => one === other || !one || !other))`);
  for (const width of [2560, 1280, 1000, 800, 420, 320]) {
    await page.size(width, 800);
    await page.go(`${server.origin}/#/fields`);
    assert.deepEqual(await twins("#fields-view", "(row) => [row.querySelector('.model'), row.querySelector('.shown')]"), [], `fields, ${width}`);
    // A sign that is wider than what stands in front of it leaves that no room.
    assert(await page.evaluate(`[...document.querySelectorAll("#fields-view .row:not([hidden])")].filter((row) => row.textContent.includes("turned"))
      .every((row) => row.querySelector(".model mark"))`), `the mark of a wide sign, ${width}`);
    await page.go(`${server.origin}/#/compare?a=a&b=b`);
    await page.until("document.querySelectorAll('#compare-view .row:not([hidden])').length === 5");
    assert.deepEqual(await twins("#compare-view", "(row) => [row.cells[3], row.cells[6]]"), [], `compare, ${width}`);
    await page.go(`${server.origin}/#/events`);
    await page.until("document.querySelectorAll('#events-view .row:not([hidden])').length > 6");
    assert.deepEqual(await twins("#events-view", "(row) => (row.querySelectorAll('.values bdi.value').length === 2 && row.querySelector('[data-verdict=stale]') && row.cells[1].textContent.endsWith('stale') ? [...row.querySelectorAll('.values bdi.value')] : ['1', '2'].map((text) => Object.assign(row.cells[0].cloneNode(), { textContent: text })))").then((rows) => rows.filter(([one]) => one)), [], `events, ${width}`);
  }
  // All of a value is told where a pointer rests, and is there to be read out and copied.
  await page.size(420, 800);
  await page.go(`${server.origin}/#/fields`);
  await page.until("document.querySelectorAll('#fields-view .row:not([hidden])').length === 10");
  await page.evaluate(`document.querySelector("#fields-view .row .model").dispatchEvent(new PointerEvent("pointerover", { bubbles: true }))`);
  assert.equal((await page.evaluate(`document.querySelector("#fields-view .row .model").title`)).length, 301);
  const all = await page.rows();
  assert(all.includes(`a/S.url stale ${url("17")} ${url("18")}`), all.join("\n"));
  await client.close();
  await page.expectQuiet();
});

it("every blank and every sign without a shape is named", async (t) => {
  const { page } = await stage(t, { host });
  const bare = await page.evaluate(`import("/text.js").then(({ visible }) => {
    const unseen = /[\\p{White_Space}\\p{Cc}\\p{Zs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]/u;
    // Formats that are drawn stand over Arabic and Syriac numbers.
    const drawn = new Set([0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6dd, 0x70f, 0x890, 0x891, 0x8e2, 0x110bd, 0x110cd]);
    const found = [];
    for (let code = 0; code < 0x110000; code += 1) {
      if (code === 0x20 || (code >= 0xd800 && code < 0xe000)) continue;
      const sign = String.fromCodePoint(code);
      if ((unseen.test(sign) || /\\p{Cf}/u.test(sign)) && !drawn.has(code) && visible("a" + sign + "b").includes(sign)) found.push(code.toString(16));
    }
    return found;
  })`);
  assert.deepEqual(bare, []);
  const named = await page.evaluate(`import("/text.js").then(({ visible }) => ["a\\u00a0b", "a\\u0000", "\\r", "\\u3000", "\\ud800", "a b", "❤\\ufe0f", "a\\ufe0f", "1\\ufe0f\\u20e3"].map(visible))`);
  assert.deepEqual(named, ["aNBSPb", "aNUL", "CR", "U+3000", "U+D800", "a b", "❤\ufe0f", "aU+FE0F", "1\ufe0f\u20e3"]);
});

it("a picture of many fields: what is wrong is drawn first, the rest is counted, and why it is wrong is said", async (t) => {
  const { page, socket, server } = await stage(t, { host });
  const client = await connect(socket);
  const app = await client.create("live", { id: "mid" });
  const values = Object.fromEntries(Array.from({ length: 450 }, (_, at) => [`f${at}`, `v${at} ${"x".repeat(300)}`]));
  await app.set(values);
  await app.show("S", values);
  await page.until("document.querySelector('.counter[data-verdict=matching] .count').textContent === '450'");
  await page.go(`${server.origin}/#/picture/mid`);
  await page.until("document.querySelector('.left-out')?.innerText.startsWith('250 matching not drawn')");
  assert.equal(await page.evaluate("document.querySelectorAll('svg.seam .field').length"), 200);
  assert.match(await page.evaluate("document.querySelector('#picture-view [data-part=said]').innerText"), /It has no bridge: its program writes both sides/);
  await app.set({ f440: "other", f441: null });
  await page.until("document.querySelectorAll('svg.seam .edge.broken').length === 4");
  assert.deepEqual(await page.evaluate("[...document.querySelectorAll('svg.seam .gap-word')].map((word) => word.textContent)"), ["not written", "not cleared"]);
  assert.deepEqual(await page.evaluate("[...document.querySelectorAll('svg.seam .field')].slice(0, 3).map((row) => row.dataset.verdict)"), ["stale", "leftover", "matching"]);
  const said = await page.evaluate("document.querySelector('#picture-view [data-part=said]').innerText");
  assert.match(said, /S\.f440 is stale: the model changed in turn/);
  assert.match(said, /S\.f441 is leftover: the model was cleared in turn/);
  assert.doesNotMatch(said, /Every call|No bridge|too large|bytes/);
  // All of them wrong, and long: more than one answer holds.
  await app.set(Object.fromEntries(Object.keys(values).map((key) => [key, `w ${"y".repeat(300)}`])));
  await page.until("document.querySelector('.left-out')?.innerText.startsWith('250 stale not drawn')");
  await page.until("document.querySelectorAll('svg.seam .edge.broken').length === 400");
  await client.close();
  await page.expectQuiet();
});

it("when nothing comes any more it is said since when, in red, and nothing looks alive", async (t) => {
  const { page, server, seam, daemon, socket } = await stage(t, { host });
  seam("create", "lessons.hosting-unassigned", "--id", "demo");
  seam("set", "demo", "openCount=5");
  await page.until("document.title === '1 wrong · Seam'");
  await page.go(`${server.origin}/#/fields?row=demo/HostingController/openCount&details`);
  await page.until("document.querySelector('#details [data-part=why]').innerText.includes('is stale')");
  const red = await page.evaluate("(() => { const probe = document.body.appendChild(document.createElement('p')); probe.className = 'error'; const { color } = getComputedStyle(probe); probe.remove(); return color; })()");
  const isDead = async (word) => {
    await page.until(`/^✕ ${word}, [0-9]+ s$/.test(document.querySelector('#connection').innerText)`, { within: 30_000 });
    assert.equal(await page.evaluate("getComputedStyle(document.querySelector('#connection')).color"), red, word);
    assert.match(await page.evaluate("document.querySelector('#connection').title"), /^since [0-9:]{8}; what is shown is as of [0-9:]{8}$/);
    assert.match(await page.evaluate("getComputedStyle(document.querySelector('#fields-view .body')).filter"), /grayscale/);
    assert.match(await page.evaluate("document.querySelector('#as-of-chip').innerText"), /^as of [0-9:]{8}$/);
    await page.until(`document.title === ${JSON.stringify(`${word} · Seam`)}`);
    // Ages are of that time.
    const ages = () => page.evaluate("[...document.querySelectorAll('#fields-view .row:not([hidden]) .age')].map((cell) => cell.textContent).join()");
    const before = await ages();
    const shown = await page.evaluate("document.querySelector('#connection').innerText");
    await page.until(`document.querySelector('#connection').innerText !== ${JSON.stringify(shown)}`);
    assert.equal(await ages(), before, word);
  };
  // Over the open details, too, where there is little room.
  const isCovered = () => page.evaluate(`(() => {
    const { left, top, width, height } = document.querySelector("#connection").getBoundingClientRect();
    return !document.elementFromPoint(left + width / 2, top + height / 2)?.closest("#connection");
  })()`);
  daemon.signal("SIGSTOP");
  await isDead("the daemon is silent");
  await page.size(420, 800);
  assert.equal(await isCovered(), false);
  await page.size(1280, 800);
  daemon.signal("SIGCONT");
  await page.live();
  assert.equal(await page.evaluate("document.querySelector('#as-of-chip').hidden"), true);
  await daemon.end("SIGKILL");
  await isDead("daemon away");
  await seamd(t, socket);
  await page.until("document.title === '0 wrong · Seam'");
  await server.end("SIGKILL");
  await isDead("gate away");
});

it("what could not be asked of a daemon that was silent is asked when it answers", async (t) => {
  const { page, server, seam, daemon } = await stage(t, { host });
  seam("create", "lessons.hosting-unassigned", "--id", "demo");
  seam("create", "lessons.hosting-assigned", "--id", "other");
  seam("set", "demo", "openCount=5");
  for (const [address, part, answered] of [
    ["#/fields?row=demo/HostingController/openCount&details", "#details [data-part=why]", "no assignment of host"],
    ["#/picture/demo", "#picture-view [data-part=said]", "no assignment of host"],
    ["#/scenarios/lessons.hosting-unassigned", ".about", "A hosting controller shows"],
    ["#/compare?a=demo&b=other&field=HostingController.openCount", "#compare-view .details", "no assignment of host"],
  ]) {
    await page.go(`${server.origin}/#/events`);
    daemon.signal("SIGSTOP");
    await page.until("document.querySelector('#connection').dataset.state === 'silent'", { within: 60_000 });
    await page.go(`${server.origin}/${address}`);
    await page.until(`document.querySelector(${JSON.stringify(part)}).innerText.match(/cannot be asked|silent/) || document.querySelector('.names .error')`);
    daemon.signal("SIGCONT");
    await page.until(`document.querySelector(${JSON.stringify(part)}).innerText.includes(${JSON.stringify(answered)})`, { what: address });
  }
});

it("before there is a daemon every view says so, and how to have one", async (t) => {
  const socket = join(folder(t), "s");
  const server = await gate(t, socket);
  const page = await Page.open(host, server.address);
  for (const view of ["fields", "events", "scenarios", "picture", "compare"]) {
    await page.go(`${server.origin}/#/${view}`);
    await page.until("document.querySelector('#never').checkVisibility()");
    assert.match(await page.evaluate("document.querySelector('#app > main').innerText"), new RegExp(`^No daemon yet\\s[^]*seamd --socket ${socket}\n[^\n]*\n[^\n]+$`), "and nothing else");
  }
  await page.until("document.title.startsWith('daemon away · ')");
  await seamd(t, socket);
  await page.live();
  await page.until("document.querySelector('#compare-view .empty').innerText.includes('--socket')");
});

it("a pause outlives a reload, and a view that cannot stand still says that it is live", async (t) => {
  const { page, seam, server } = await stage(t, { host });
  seam("create", "live", "--id", "app");
  seam("set", "app", "a=1");
  seam("show", "app", "S", "a=1");
  await page.expectRows(["app/S.a matching 1 1"]);
  await page.press(" ");
  seam("set", "app", "a=2");
  await page.until("document.querySelector('#pause-text').innerText === 'paused, +1'");
  await page.reload();
  await page.until("document.querySelector('#pause-text').innerText === 'paused, +1'");
  await page.expectRows(["app/S.a matching 1 1"]);
  seam("set", "app", "a=3");
  await page.until("document.querySelector('#pause-text').innerText === 'paused, +2'");
  for (const [view, isLive] of [["events", false], ["picture", true], ["scenarios", true], ["compare", false], ["fields", false]]) {
    await page.go(`${server.origin}/#/${view}`);
    await page.until(`document.querySelector('#pause-live').hidden === ${!isLive}`);
  }
  await page.expectRows(["app/S.a matching 1 1"]);
  await page.click("#pause-off");
  await page.expectRows(["app/S.a stale 3 1"]);
  await page.reload();
  await page.live();
  assert.equal(await page.evaluate("document.querySelector('#pause-chip').hidden"), true);
  await page.expectQuiet();
});

it("what is wrong stands out, and one press leaves nothing else", async (t) => {
  const { page, seam } = await stage(t, { host });
  seam("create", "live", "--id", "app");
  seam("set", "app", "a=1", "b=2");
  seam("show", "app", "S", "a=1", "b=1");
  await page.until("document.querySelector('#wrong').innerText === '1 wrong'");
  assert.deepEqual(await page.evaluate("[...document.querySelectorAll('.counter')].map((counter) => counter.classList.contains('none')).join()"), "false,false,true,true,true");
  await page.click("#wrong");
  await page.expectRows(["app/S.b stale 2 1"]);
  seam("show", "app", "S", "b=2");
  await page.until("document.querySelector('#wrong').innerText === 'nothing wrong'");
  await page.until("document.title === '0 wrong · Seam'");
  await page.expectQuiet();
});

it("who reads an event goes on reading it, and has the focus on it, whatever comes above", async (t) => {
  const { page, socket, server } = await stage(t, { host });
  const client = await connect(socket);
  const app = await client.create("live", { id: "app" });
  await app.show("S", { a: "0" });
  for (let turn = 1; turn < 60; turn += 1) await app.set({ a: turn });
  await page.go(`${server.origin}/#/events`);
  await page.until("document.querySelector('#events-view .scroller').getAttribute('aria-rowcount') === '62'");
  await page.press("j", "j", "j");
  const focused = `document.activeElement.closest("#events-view .row")?.querySelector(".values").textContent`;
  await page.until(`${focused}?.includes("model 57")`);
  for (let turn = 60; turn < 160; turn += 1) await app.set({ a: turn });
  await page.until("document.querySelector('#events-view .scroller').getAttribute('aria-rowcount') === '162'");
  await page.until(`${focused}?.includes("model 57") && document.activeElement.classList.contains("selected")`);
  // Out of sight nothing else has it, and back in sight it has it again.
  await page.evaluate("void (document.querySelector('#events-view .scroller').scrollTop = 0)");
  await page.until("!document.activeElement.closest('.row') && document.activeElement.matches('#events-view .scroller')");
  await page.press("j");
  await page.until(`${focused}?.includes("model 56")`);
  await client.close();
  await page.expectQuiet();
});

it("an address that was asked for without a key is come back to with it", async (t) => {
  const socket = join(folder(t), "s");
  await seamd(t, socket);
  const server = await gate(t, socket);
  const page = await Page.open(host, `${server.origin.replace("127.0.0.1", "localhost")}/#/fields?v=stale`);
  await page.until("!document.querySelector('#locked').hidden");
  // What the gate says and what stands below it are not the same sentence twice.
  assert.equal((await page.evaluate("document.querySelector('#locked').innerText")).match(/printed/g).length, 1);
  await page.go(server.address.replace("127.0.0.1", "localhost"));
  await page.live();
  assert.equal(await page.evaluate("location.hash"), "#/fields?v=stale");
  assert.equal(await page.evaluate("document.querySelector('.counter[data-verdict=stale]').getAttribute('aria-pressed')"), "true");
});

it("a script of parking is played by hand, and nothing is destroyed by one press", async (t) => {
  const { page, server, seam } = await stage(t, { host, control: true });
  seam("create", "rules.park", "--id", "row");
  await page.go(`${server.origin}/#/scenarios/rules.park`);
  const press = async (word) => {
    await page.until("document.querySelector('.running .controls')");
    await page.evaluate(`[...document.querySelectorAll(".running button")].find((button) => button.textContent === ${JSON.stringify(word)}).click()`);
  };
  const field = (text) => page.until(`document.querySelector('.running .fields')?.innerText.includes(${JSON.stringify(text)})`);
  await field("matching Row.text");
  await press("park");
  await field("missing Row.text");
  await press("take back");
  await field("matching Row.text");
  for (const [away, back] of [["out of the window", "into the window"], ["hide", "show"]]) {
    await press(away);
    await field("missing Row.text");
    await press(back);
    await field("matching Row.text");
  }
  await press("mount once more");
  await press("unmount");
  // Which of the two is not said: the daemon asks, and the message goes with the view, or when it is told to.
  await page.until("document.querySelector('#notice.error #notice-text')?.innerText.includes('name one with mount')");
  await page.click("#notice-off");
  assert.equal(await page.evaluate("document.querySelector('#notice').hidden"), true);
  await press("unmount");
  await page.until("!document.querySelector('#notice').hidden");
  await page.click("#go-events");
  await page.until("document.querySelector('#notice').hidden");
  await page.go(`${server.origin}/#/scenarios/rules.park`);
  await press("destroy");
  await page.until("document.activeElement.textContent === 'keep it'");
  await press("keep it");
  assert.match(seam("list"), /row/);
  await press("destroy");
  await press("yes, destroy it");
  await page.until("document.querySelector('.running').innerText.includes('The simulation has ended.')");
  await page.expectQuiet();
});

it("with one simulation there is nothing to compare, and nothing lies over it", async (t) => {
  const { page, server, seam, socket } = await stage(t, { host });
  seam("create", "lessons.hosting-unassigned", "--id", "demo");
  await page.go(`${server.origin}/#/compare`);
  await page.until(`document.querySelector('#compare-view .empty').innerText.includes('seam --socket ${socket} create')`);
  assert.equal(await page.evaluate("document.querySelectorAll('#compare-view .row:not([hidden])').length"), 0);
  seam("create", "lessons.hosting-assigned", "--id", "other");
  await page.until("document.querySelectorAll('#compare-view .row:not([hidden])').length === 3 && document.querySelector('#compare-view .empty').hidden");
  await page.go(`${server.origin}/#/events`);
  await page.until("document.querySelector('#events-view [data-part=said]').innerText.endsWith(' events')");
  await page.until(`[...document.querySelectorAll("#events-view .row:not([hidden])")].filter((row) => row.cells[1].textContent.startsWith("simulation"))
    .map((row) => row.cells[2].textContent).sort().join() === "demo,other"`);
  await page.expectQuiet();
});

it("a daemon that hangs: the page says that it is silent, and goes on when it does", async (t) => {
  const { page, seam, daemon } = await stage(t, { host });
  seam("create", "live", "--id", "app");
  seam("show", "app", "S", "a=1");
  await page.expectRows(["app/S.a leftover none 1"]);
  daemon.signal("SIGSTOP");
  await page.until("document.querySelector('#connection').innerText.includes('the daemon is silent')", { within: 60_000 });
  // Who comes now is told too.
  await page.reload();
  await page.until("document.querySelector('#connection').innerText.includes('the daemon is silent')", { within: 60_000 });
  await page.expectRows(["app/S.a leftover none 1"]);
  daemon.signal("SIGCONT");
  await page.live();
  seam("show", "app", "S", "a=2");
  await page.expectRows(["app/S.a leftover none 2"]);
  await page.expectQuiet();
});

it("saved files have the rows that are shown, in their order, exactly", async (t) => {
  const { page, socket, server } = await stage(t, { host });
  const target = folder(t);
  await host.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: target, eventsEnabled: true });
  const values = { a: 'say "hi", and\nmore', b: "", c: "=1+1", d: "\u202eabc", e: "é" };
  const client = await connect(socket);
  const app = await client.create("live", { id: "app" });
  await app.set(values);
  await app.show("S", { ...values, b: null, hidden: "x" });
  await app.show("S", { hidden: null });
  await (await client.create("live", { id: "other" })).show("S", { a: "1" });
  await client.close();
  await page.until("document.querySelectorAll('#fields-view .row:not([hidden])').length === 7");
  await page.press("3", "1");
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

  // Events too, the newest first, each with what it replaced.
  await page.go(`${server.origin}/#/events?v=missing`);
  await page.until("document.querySelectorAll('#events-view .row:not([hidden])').length === 1");
  const [event, ...others] = (await saved("#save-jsonl", "seam-events.jsonl")).trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(others, []);
  assert.deepEqual({ kind: event.kind, field: event.field, from: event.from, to: event.to, model: event.model, shown: event.shown, turn: event.turn },
    { kind: "verdict", field: "b", from: "out-of-scope", to: "missing", model: "", shown: null, turn: 3 });
  assert.match(await saved("#save-csv", "seam-events.csv"), /^at,kind,id,sim.*\r\n"[-0-9T:.]+Z","verdict","[0-9a-f]+-\d+","app","S","b","out-of-scope","missing","",,"3",/);
  // And both sides of a comparison.
  await page.go(`${server.origin}/#/compare?a=app&b=other&only=differences`);
  await page.until("document.querySelectorAll('#compare-view .row:not([hidden])').length === 6");
  const pairs = (await saved("#save-jsonl", "seam-compare.jsonl")).trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(pairs.slice(0, 2), [
    { field: "S.a", difference: "differs", a: { verdict: "matching", model: values.a, shown: values.a }, b: { verdict: "leftover", model: null, shown: "1" } },
    { field: "S.b", difference: "a", a: { verdict: "missing", model: "", shown: null }, b: null },
  ]);
  assert.match(await saved("#save-csv", "seam-compare.csv"),
    /^field,difference,a\.verdict,a\.model,a\.shown,b\.verdict,b\.model,b\.shown\r\n"S\.a","differs","matching","say ""hi""/);
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
  await page.until("document.querySelector('#notice.error #notice-text')?.innerText.includes('openCount')");
  await page.expectQuiet();
});

it("the lesson is taught from the page alone: start, change the model, see it stale, assign, see it match", async (t) => {
  const page = await Page.open(host, await dashboard(t));
  await page.live();
  await page.until("document.querySelector('#empty').innerText.includes('No field yet')");
  assert.match(await page.evaluate("document.querySelector('#begin-terminal').innerText"), /^seam --socket \/.*\.sock create lessons\.hosting-unassigned --id demo$/);
  await page.click("#begin-control a");
  const press = async (word) => {
    await page.until(`(() => {
      document.querySelector("#pressed")?.removeAttribute("id");
      const button = [...document.querySelectorAll(".about button")].find((b) => b.innerText === ${JSON.stringify(word)});
      if (button) button.id = "pressed";
      return button;
    })()`, { what: word });
    await page.click("#pressed");
  };
  const field = (verdict, model, shown) => page.until(
    `/${verdict}\\s+HostingController.openCount\\s+model\\s+${model}\\s+shown\\s+${shown}/.test(document.querySelector('.running .fields')?.innerText)`);
  await press("Start");
  await field("matching", 3, 3);
  // The lesson is on the screen when it begins: nobody has to look for it.
  await page.until(`(() => {
    const { top, bottom } = document.querySelector(".running .fields").getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`, { what: "the fields on the screen" });
  await page.evaluate("document.querySelector('.controls [data-entry=key]').value = 'openCount'");
  await page.evaluate("document.querySelector('.controls [data-entry=value]').focus()");
  await page.type("8");
  await press("set");
  await field("stale", 8, 3);
  await press("assign host");
  await field("matching", 8, 8);
  await page.click(".running .links a");
  await page.until("document.querySelectorAll('#fields-view .row:not([hidden])').length === 3");
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
  await page.until("document.querySelector('#pause-text').innerText.startsWith('as of ')");
  assert.equal(await page.evaluate("document.querySelector('.counter[data-verdict=stale] .count').textContent"), "1");
  await page.click("#pause-off");
  await page.expectRows([]);
  // The scrubber goes the same way.
  await page.click("#go-events");
  await page.evaluate("(() => { const s = document.querySelector('#time-slider'); s.value = '0'; s.dispatchEvent(new Event('input')); })()");
  await page.until("document.querySelector('#events-view [data-part=change] h2').innerText === 'app created'");
  // An address names an event, and a page that is opened later finds it as long as the gate keeps it.
  const hash = await page.evaluate("location.hash");
  assert.match(hash, /&?at=[0-9a-f]+-\d+$/);
  await page.go(`${server.origin}/?again${hash}`);
  await page.until("document.querySelector('#events-view [data-part=change] h2')?.innerText === 'app created'");
  await page.go(`${server.origin}/?older${hash.replace(/\d+$/, "987654")}`);
  await page.until("document.querySelector('#notice-text').innerText.includes('has not happened yet')");
  await page.expectQuiet();
});

it("who comes late has the history: bands, ages, events, and the table as it was", async (t) => {
  const { page, seam, server } = await stage(t, { host });
  seam("create", "live", "--id", "app");
  seam("show", "app", "S", "a=1");
  for (const value of ["1", "2", "1"]) seam("set", "app", `a=${value}`);
  seam("create", "live", "--id", "gone");
  seam("show", "gone", "S", "b=1");
  seam("destroy", "gone");
  await page.until("document.querySelectorAll('#fields-view .row:not([hidden])').length === 1"
    + " && document.querySelector('.row .only-told').textContent === '3 changes seen'");
  const late = await Page.open(host, `${server.origin}/#/fields`);
  await late.live();
  await late.expectRows(["app/S.a matching 1 1"]);
  await late.until("document.querySelector('.row .only-told').textContent === '3 changes seen'", { what: "the band" });
  assert.match(await late.evaluate("(document.querySelector('.row .age').dispatchEvent(new PointerEvent('pointerover', { bubbles: true })), document.querySelector('.row .age').title)"), /^changed at /, "when it changed is known");
  const pixels = "(() => { const c = document.querySelector('.row canvas'); return [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data].join(); })()";
  assert.equal(await late.evaluate(pixels), await page.evaluate(pixels), "the same picture as in the page that saw it");
  await late.click("#go-events");
  const what = "[...document.querySelectorAll('#events-view .row:not([hidden])')].sort((a, b) => a.seamRow - b.seamRow).map((r) => r.innerText.replace(/\\d\\d:\\d\\d:[0-9.]+/, '').replace(/\\s+/g, ' ').trim())";
  await late.until(`(${what}).length === 8`);
  const events = await late.evaluate(what);
  await page.front();
  await page.click("#go-events");
  await page.until(`(${what}).length === 8`);
  assert.deepEqual(events, await page.evaluate(what), "the same events");
  await late.front();
  // Back to when a=2, and from there on one event at a time.
  for (let step = 0; step < 5; step += 1) await late.press("j");
  await late.until("/model\\s*1 → 2/.test(document.querySelector('#events-view [data-part=change]').innerText.replace(/\\n/g, ' '))");
  await late.press("Enter");
  await late.expectRows(["app/S.a stale 2 1"]);
  await late.press("[");
  await late.expectRows(["app/S.a matching 1 1"]);
  await late.press("[");
  await late.expectRows(["app/S.a leftover none 1"]);
  await late.press("[");
  await late.expectRows([]);
  for (let step = 0; step < 5; step += 1) await late.press("]");
  await late.expectRows(["app/S.a matching 1 1"]);
  await late.press("]");
  await late.expectRows(["app/S.a matching 1 1", "gone/S.b leftover none 1"]);
  const hash = await late.evaluate("location.hash");
  assert.match(hash, /as-of=[0-9a-f]+-\d+/);
  await late.press(" ");
  await late.expectRows(["app/S.a matching 1 1"]);
  assert.doesNotMatch(await late.evaluate("location.hash"), /as-of/);
  // The moment has an address.
  await late.go(`${server.origin}/?moment${hash}`);
  await late.expectRows(["app/S.a matching 1 1", "gone/S.b leftover none 1"]);
  await late.expectQuiet();
});

const compared = `[...document.querySelectorAll("#compare-view .row")].filter((row) => !row.hidden)
  .sort((a, b) => a.seamRow - b.seamRow).map((row) => [...row.cells].map((cell) => cell.innerText.replace(/\\s+/g, " ").trim()).join("|"))`;

it("two simulations side by side: what differs, why, and the first call that only one has made", async (t) => {
  const { page, socket, seam, server } = await stage(t, { host });
  const client = await connect(socket);
  await client.call("sim.run", { scenario: "lessons.hosting-unassigned", id: "fault", keep: true });
  await client.call("sim.run", { scenario: "lessons.hosting-assigned", id: "repair", keep: true });
  // From the picture of one there is a way to it beside another, the one that has most in common with it.
  seam("create", "live", "--id", "app");
  await page.go(`${server.origin}/#/picture/fault`);
  await page.until("document.querySelector('#picture-view [data-part=compare]').checkVisibility() && document.querySelector('svg.seam')");
  await page.click("#picture-view [data-part=compare]");
  const all = [
    "= the same|HostingController.filter|✓matching|open|open|✓matching|open|open",
    "Δ differs|HostingController.openCount|≠stale|5|3|✓matching|5|5",
    "= the same|HostingController.title|✓matching|Tasks|Tasks|✓matching|Tasks|Tasks",
  ];
  const expect = (wanted) => page.until(`(${compared}).join("\\n") === ${JSON.stringify(wanted.join("\n"))}`, { what: wanted.join("\n") });
  await expect(all);
  assert.equal(await page.evaluate("location.hash"), "#/compare?a=fault&b=repair");
  assert.deepEqual(await page.evaluate(`[...document.querySelectorAll("#compare-view .row mark")].map((mark) => mark.textContent)`), ["3", "5"],
    "the values that differ are marked");
  assert.equal(await page.evaluate("document.querySelector('#compare-view [data-part=said]').innerText"), "1 differs, 2 the same");
  await page.until("document.querySelector('#compare-view [data-part=calls]').innerText.includes('Then only B makes this one:')");
  assert.match(await page.evaluate("document.querySelector('#compare-view .parting').innerText"), /^B turn 3 bridge.assign of host/);
  // By the keyboard alone: only what differs, the row, and why it is so on each side.
  await page.press("x");
  await expect([all[1]]);
  await page.until("document.querySelector('#hidden-chip').innerText.startsWith('2 hidden by filter')");
  await page.press("j");
  await page.until("document.querySelectorAll('#compare-view .why').length === 2");
  const why = await page.evaluate("[...document.querySelectorAll('#compare-view .why')].map((p) => p.innerText)");
  assert.match(why[0], /is stale: the model changed in turn 2.*no assignment of host has run/);
  assert.match(why[1], /matches: draw of host wrote it in turn 3/);
  const hash = await page.evaluate("location.hash");
  assert.equal(hash, "#/compare?a=fault&b=repair&field=HostingController.openCount&only=differences");
  // The address holds all of it.
  await page.reload();
  await expect([all[1]]);
  await page.until("document.querySelectorAll('#compare-view .why').length === 2 && document.querySelector('#compare-view .row.selected')");
  // It is live: once the call is made, they are the same, but in who asked for it.
  await client.call("bridge.assign", { sim: "fault", bridge: "host" });
  await expect([]);
  await page.until("document.querySelector('#compare-view .empty').innerText === 'No field differs.'");
  await page.until("document.querySelector('#compare-view [data-part=said]').innerText === '0 differ, 3 the same'");
  await page.press("x");
  // Fields and verdicts that one alone has, and a value that one has none of.
  await client.call("model.set", { sim: "app", values: { openCount: "5" } });
  await client.call("screen.set", { sim: "app", screen: "HostingController", values: { openCount: "5", title: "" } });
  await client.call("screen.set", { sim: "app", screen: "Bar", values: { more: "x" } });
  await page.go(`${server.origin}/#/compare?a=repair&b=app`);
  await expect([
    "B only in B|Bar.more|no such field|||+leftover|none|x", "A only in A|HostingController.filter|✓matching|open|open|no such field||",
    "= the same|HostingController.openCount|✓matching|5|5|✓matching|5|5",
    "Δ differs|HostingController.title|✓matching|Tasks|Tasks|+leftover|none|empty",
  ]);
  await page.click("#compare-view [data-part=swap]");
  await page.until(`(${compared})[0] === "A only in A|Bar.more|+leftover|none|x|no such field||"`);
  await page.press("/");
  await page.type("bar");
  await page.until(`(${compared}).length === 1`);
  await page.until("document.querySelector('#hidden-chip').innerText.startsWith('3 hidden by filter')");
  // On a narrow window nothing is cut off, and each side says which it is.
  await page.size(420, 800);
  await page.until("document.querySelector('#compare-view .scroller').scrollWidth <= 420");
  await page.until("document.querySelector('#compare-view .row').getBoundingClientRect().height >= 60");
  assert.equal(await page.evaluate("document.documentElement.scrollWidth <= 420"), true);
  await page.size(1280, 800);
  // What cannot be compared is said.
  await page.go(`${server.origin}/#/compare?a=app&b=app`);
  await page.until("document.querySelector('#compare-view .empty').innerText.includes('the same simulation')");
  await page.go(`${server.origin}/#/compare?a=app&b=nobody`);
  await page.until("document.querySelector('#compare-view .empty').innerText === 'There is no simulation nobody.'");
  await client.close();
  await page.expectQuiet();
});

it("a fault beside its repair: started from the gallery with one press", async (t) => {
  const { page, server } = await stage(t, { host, control: true });
  await page.go(`${server.origin}/#/scenarios/lessons.wrapping-empty`);
  await page.until("document.querySelector('[data-entry=other]')?.value === 'lessons.wrapping-filled'", { what: "its repair is offered first" });
  await page.evaluate("[...document.querySelectorAll('.about button')].find((b) => b.innerText === 'Play both and compare').id = 'both'");
  await page.click("#both");
  await page.until(`(${compared}).includes("Δ differs|LegacyListView.rowCount|≠stale|5|3|✓matching|5|5")`);
  await page.until("document.querySelector('#compare-view [data-part=calls]').innerText.includes('2 calls that both make. Then each makes another:')");
  assert.match(await page.evaluate("document.querySelector('#compare-view .parting').innerText"),
    /A turn 1 update of list.*\nB turn 1 update of list.*wrote LegacyListView.rowCount/);
  // The script of one alone can be played too.
  await page.go(`${server.origin}/#/scenarios/lessons.hosting-unassigned`);
  await page.until("document.querySelector('.about h2')?.innerText === 'The root view is not assigned again'");
  await page.evaluate("[...document.querySelectorAll('.about button')].find((b) => b.innerText === 'Play the script').id = 'play'");
  await page.click("#play");
  await page.until("/stale\\s+HostingController.openCount\\s+model\\s+5\\s+shown\\s+3/.test(document.querySelector('.running .fields')?.innerText)");
  await page.expectQuiet();
});

it("where calls part is where `seam diff` says, whatever the calls", async (t) => {
  const { page, socket } = await stage(t, { host });
  const client = await connect(socket);
  for (const [a, b] of [
    ["lessons.hosting-unassigned", "lessons.hosting-assigned"], ["counter.copied", "counter.observed"],
    ["coordinator.draft", "coordinator.draft-loop"], ["rules.list-by-id", "rules.list-by-place"], ["lessons.own-state", "lessons.own-state"],
  ]) {
    const [first, second] = await Promise.all([a, b].map((scenario) => client.call("sim.run", { scenario, trace: true })));
    const found = await page.evaluate(`import("/compare.js").then(({ parting }) => parting(${JSON.stringify(first.trace)}, ${JSON.stringify(second.trace)}))`);
    // Exit status 1: they differ.
    const said = JSON.parse(run(socket, [0, 1], "diff", "--json", a, b));
    assert.deepEqual({ a: found?.a ?? null, b: found?.b ?? null }, { a: said.call?.first ?? null, b: said.call?.second ?? null }, `${a} ${b}`);
    if (found) assert.equal(found.common, said.common);
  }
  await client.close();
});

it("the network fails and comes back: the page says what it missed, and that nothing is lost", async (t) => {
  const socket = join(folder(t), "s");
  await seamd(t, socket);
  const server = await gate(t, socket);
  const way = await tunnel(t, server.origin);
  const client = await connect(socket);
  const app = await client.create("live", { id: "app" });
  await app.show("S", { a: "1" });
  const page = await Page.open(host, server.address.replace(server.origin, way.origin));
  await page.live();
  await page.expectRows(["app/S.a leftover none 1"]);
  way.isDown = true;
  way.cut();
  await page.until("document.querySelector('#connection').dataset.state === 'resuming'");
  for (let value = 2; value < 9; value += 1) await app.set({ a: String(value) });
  way.isDown = false;
  await page.expectRows(["app/S.a stale 8 1"]);
  await page.until("/^● live \\(resumed at [0-9:]+, nothing lost\\)$/.test(document.querySelector('#connection').innerText)");
  await page.click("#go-events");
  await page.until("/resumed\\s+Nothing is lost: after \\d+ s without the gate, 7 events came late\\./.test(document.querySelector('#events-view').innerText)");
  // Nothing came twice: seven changes, each once.
  await page.until("document.querySelector('#events-view [data-part=said]').innerText === '10 events'");
  // For longer than the gate remembers: how many, and a snapshot.
  way.isDown = true;
  way.cut();
  await page.until("document.querySelector('#connection').dataset.state === 'resuming'");
  const matched = async () => {
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    return Number(metrics.match(/^seam_verdict_changes_total\{to="matching"\} (\d+)$/m)[1]);
  };
  // The gate keeps up with each round, whose last change is the only one that matches: of what it was too slow for it would
  // be told the newest alone.
  const deadline = performance.now() + 120_000;
  for (let round = 0; round < 70; round += 1) {
    const before = await matched();
    const values = Array.from({ length: 999 }, (_, k) => app.set({ a: `${round}.${k}` }));
    await Promise.all([...values, app.set({ a: "1" })]);
    while (await matched() === before) assert(performance.now() < deadline, "the gate never hears of the last change");
  }
  way.isDown = false;
  await page.until("/^● live \\(gap of 70,000 events at /.test(document.querySelector('#connection').innerText)");
  await page.until("document.querySelector('#events-view').innerText.includes('70,000 events were not told one by one')");
  await page.click("#go-fields");
  await page.expectRows(["app/S.a matching 1 1"]);
  await client.close();
});

it("nine tabs: all are live and may ask, whichever of them closes", async (t) => {
  const { page: first, seam, server } = await stage(t, { host });
  const pages = [first];
  for (let number = 2; number <= 9; number += 1) pages.push(await Page.open(host, `${server.origin}/#/fields`));
  seam("create", "lessons.hosting-unassigned", "--id", "demo");
  for (const page of pages) {
    await page.front();
    await page.live();
    await page.until("document.querySelector('.counter[data-verdict=matching] .count').textContent === '3'");
  }
  // The first one's stream is what all have come to read.
  const last = pages.at(-1);
  const streams = () => last.evaluate("fetch('/info', { headers: { 'Seam-Page': localStorage.getItem('seam-page') } }).then((response) => response.json()).then(({ gate }) => gate.streams)");
  for (let look = 0; await streams() !== 1 && look < 600; look += 1) await last.evaluate("new Promise(requestAnimationFrame)");
  assert.equal(await streams(), 1, "nine tabs, one stream");
  await pages.shift().close();
  seam("set", "demo", "openCount=5");
  for (const page of pages) {
    await page.front();
    await page.until("document.querySelector('.counter[data-verdict=stale] .count').textContent === '1'");
    await page.press("j", "j", "Enter");
    await page.until("document.querySelector('[data-part=why]').innerText.includes('is stale')", { what: "an answer from the daemon" });
    assert.equal(await page.evaluate("document.querySelector('.row[data-verdict=stale] .only-told').textContent"), "1 changes seen", "once, not twice");
  }
  for (const page of pages) await page.expectQuiet();
});

it("a tab that the browser has put to sleep begins anew when it wakes, and nothing is kept for it", async (t) => {
  const { page: sleeper, socket, server } = await stage(t, { host });
  const client = await connect(socket);
  const app = await client.create("live", { id: "app" });
  await app.show("S", { a: "0" });
  await sleeper.expectRows(["app/S.a leftover none 0"]);
  const awake = await Page.open(host, `${server.origin}/#/fields`);
  await awake.expectRows(["app/S.a leftover none 0"]);
  await sleeper.tab.send("Page.setWebLifecycleState", { state: "frozen" });
  // More than is kept for a tab that does not read, and not more than the other can take.
  for (let round = 0; round < 60; round += 1) {
    await Promise.all(Array.from({ length: 100 }, (_, k) => app.set({ a: `${round}.${k} ${"x".repeat(4_000)}` })));
    await awake.until(`document.querySelector("#fields-view .row .model").textContent.startsWith("${round}.99 ")`);
  }
  await app.set({ a: "0" });
  await awake.expectRows(["app/S.a matching 0 0"]);
  await sleeper.tab.send("Page.setWebLifecycleState", { state: "active" });
  await sleeper.front();
  await sleeper.expectRows(["app/S.a matching 0 0"]);
  await sleeper.click("#go-events");
  await sleeper.until("document.querySelector('#events-view').innerText.includes('connected anew')");
  // Both are live again.
  await app.set({ a: "1" });
  await sleeper.click("#go-fields");
  await sleeper.expectRows(["app/S.a stale 1 0"]);
  await awake.front();
  await awake.expectRows(["app/S.a stale 1 0"]);
  await client.close();
  for (const page of [sleeper, awake]) await page.expectQuiet();
});

it("a page of somebody else, in another tab: it reads nothing, and nothing happens", async (t) => {
  const { page, seam, server } = await stage(t, { host, control: true });
  seam("create", "live", "--id", "app");
  await page.until("document.querySelector('#told')");
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sim.destroy", params: { sim: "app" } });
  // Of the same site, which is the name without the port: the browser sends the cookie along.
  const site = await foreignSite(t, `<!doctype html><iframe id="frame"></iframe><form id="form" method="post" enctype="text/plain"></form>`);
  const foe = await Page.open(host, site);
  const tried = await foe.evaluate(`(async () => {
    const gate = ${JSON.stringify(server.origin)};
    const out = {};
    const settle = (promise) => promise.then((value) => value, (error) => "refused: " + error.name);
    for (const path of ["/info", "/events", "/", "/metrics"]) {
      out["fetch " + path] = await settle(fetch(gate + path, { credentials: "include" }).then((response) => response.text()));
    }
    out.rpc = await settle(fetch(gate + "/rpc", { method: "POST", credentials: "include", headers: { "Content-Type": "application/json" }, body: ${JSON.stringify(call)} }).then((r) => r.text()));
    const blind = await settle(fetch(gate + "/rpc", { method: "POST", mode: "no-cors", credentials: "include", body: ${JSON.stringify(call)} }));
    out.blind = blind.type ?? blind;
    out.stream = await new Promise((done) => {
      const source = new EventSource(gate + "/events", { withCredentials: true });
      source.onerror = () => { source.close(); done("refused"); };
      source.onmessage = source.onopen = () => done("OPEN");
    });
    out.worker = await settle(Promise.resolve().then(() => { new SharedWorker(gate + "/stream.js"); return "MADE"; }));
    out.script = await new Promise((done) => {
      const script = document.createElement("script");
      script.src = gate + "/info";
      script.onload = () => done("LOADED");
      script.onerror = () => done("refused");
      document.head.append(script);
    });
    const frame = document.querySelector("#frame");
    out.frame = await new Promise((done) => {
      frame.onload = () => { try { done(frame.contentDocument ? "READ" : "refused"); } catch { done("refused"); } };
      frame.src = gate + "/";
    });
    return out;
  })()`);
  for (const [what, outcome] of Object.entries(tried)) {
    assert.match(outcome, /^(refused|opaque)/, `${what}: ${outcome}`);
  }
  // A form needs nobody's leave to be sent; what it is answered is the browser's page then.
  await foe.evaluate(`void (() => {
    const form = document.querySelector("#form");
    const text = ${JSON.stringify(call)};
    const input = document.createElement("input");
    input.name = text.slice(0, -1) + ',"x":"';
    input.value = '"}';
    form.append(input);
    form.action = ${JSON.stringify(`${server.origin}/rpc`)};
    form.submit();
  })()`);
  await foe.until("location.pathname === '/rpc' && document.body.innerText.includes('Pages of other origins get nothing here.')");
  await page.front();
  // All of this was for nothing: the simulation is there, and changes come as ever.
  seam("show", "app", "S", "a=1");
  await page.expectRows(["app/S.a leftover none 1"]);
  await page.expectQuiet();
});

it("another server of this machine: the cookie that it is sent opens nothing, and what it sets lets nobody in", async (t) => {
  const { page, seam, server } = await stage(t, { host, control: true });
  seam("create", "live", "--id", "app");
  const seen = [];
  const name = `seam-${new URL(server.origin).port}`;
  const site = await foreignSite(t, "<!doctype html><p>hello", (request, response) => {
    seen.push(request.headers.cookie ?? "");
    if (request.url === "/over") response.setHeader("Set-Cookie", `${name}=${"0".repeat(32)}; Path=/`);
  });
  const foe = await Page.open(host, site);
  const cookie = seen.map((text) => new RegExp(`${name}=[0-9a-f]{32}`).exec(text)?.[0]).find(Boolean);
  assert.ok(cookie, "a port is no part of a site: the browser sends the cookie along");
  assert.equal(await foe.evaluate("localStorage.getItem('seam-page')"), null, "the page's half is for its own port");
  for (const [path, options] of [["/info", {}], ["/events", {}], ["/rpc", { method: "POST", body: '{"id":1,"method":"sim.list"}' }]]) {
    const answer = await fetch(server.origin + path, { ...options, headers: { Cookie: cookie } });
    assert.equal(answer.status, 401, path);
    await answer.body.cancel();
  }
  // It may put another one over it, which shuts the door, and opens none.
  await foe.go(`${site}over`);
  await foe.until("location.pathname === '/over'");
  await page.front();
  await page.reload();
  await page.until("!document.querySelector('#locked').hidden && document.querySelector('#locked').innerText.includes('the key stands behind')");
  await page.evaluate(`void (location.href = ${JSON.stringify(server.address)})`);
  await page.live();
  assert.equal(seam("list", "--json").includes("app"), true);
});

it("a foreign name that leads here is nobody's way in", async (t) => {
  const { server } = await stage(t, { host });
  // Every browser takes this name for the machine itself, as a rebound one would be.
  const rebound = server.address.replace("127.0.0.1", "attacker.localhost");
  const page = await Page.open(host, rebound);
  assert.match(await page.evaluate("document.body.innerText"), /reached as localhost or 127.0.0.1, by no other name/);
  assert.equal(await page.evaluate("document.querySelector('#app')"), null, "not even the page");
  const origin = new URL(rebound).origin;
  assert.deepEqual(await page.evaluate(`Promise.all(["/session", "/info", "/rpc", "/metrics"].map((path) => fetch(${JSON.stringify(origin)} + path,
    path === "/session" || path === "/rpc" ? { method: "POST", body: "{}" } : {}).then(({ status }) => status)))`), [403, 403, 403, 403]);
});

it("forced colours: every mark has a shape, what is chosen is seen, and nothing is painted out", async (t) => {
  const { page, seam } = await stage(t, { host });
  seam("create", "lessons.hosting-unassigned", "--id", "demo");
  seam("set", "demo", "openCount=5");
  await page.until("document.querySelector('.row[data-verdict=stale]')");
  await page.emulate([{ name: "forced-colors", value: "active" }, { name: "prefers-color-scheme", value: "dark" }]);
  assert.equal(await page.evaluate("matchMedia('(forced-colors: active)').matches"), true);
  await page.press("j", "j", "Enter");
  await page.until("document.querySelector('[data-part=why]').innerText.includes('is stale')");
  const seen = await page.evaluate(`(() => {
    const style = (selector, name) => getComputedStyle(document.querySelector(selector)).getPropertyValue(name);
    const probe = document.body.appendChild(document.createElement("i"));
    const system = (name) => { probe.style.color = name; return getComputedStyle(probe).color; };
    const names = Object.fromEntries(["Canvas", "CanvasText", "Highlight", "HighlightText", "Mark", "MarkText", "ButtonText", "LinkText"].map((n) => [n, system(n)]));
    probe.remove();
    document.querySelector("#wrong").click();
    const pressed = { background: style("#wrong", "background-color"), text: style("#wrong", "color") };
    document.querySelector("#wrong").click();
    return {
      names, pressed, text: style("body", "color"), page: style("body", "background-color"), glyph: style(".row[data-verdict=stale] .glyph", "color"),
      mark: style(".row[data-verdict=stale] mark", "background-color"), markText: style(".row[data-verdict=stale] mark", "color"),
      outline: style(".row.selected", "outline-style"),
    };
  })()`);
  const { names } = seen;
  assert.deepEqual([seen.text, seen.page, seen.glyph], [names.CanvasText, names.Canvas, names.CanvasText]);
  assert.deepEqual([seen.mark, seen.markText], [names.Mark, names.MarkText], "differences are marked in the system's own colours");
  assert.deepEqual(seen.pressed, { background: names.Highlight, text: names.HighlightText });
  assert.equal(seen.outline, "solid");
  // The band is a canvas, which no browser paints over: its marks are of the system's colours, and tell by their shape.
  const rows = await page.evaluate(`(() => {
    const canvas = document.querySelector(".row[data-verdict=stale] canvas");
    const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    const extents = [];
    for (let x = 0; x < width; x += 1) {
      let [from, to] = [-1, -1];
      for (let y = 0; y < height; y += 1) {
        const at = (y * width + x) * 4;
        if (data[at + 3] < 255) continue;
        colours.add("rgb(" + [data[at], data[at + 1], data[at + 2]].join(", ") + ")");
        if (from < 0) from = y;
        to = y;
      }
      if (from >= 0) extents.push(from + "-" + to);
    }
    return { colours: [...colours], shapes: [...new Set(extents)].length };
  })()`);
  assert.deepEqual(rows.colours, [names.CanvasText]);
  assert.equal(rows.shapes, 2, "two verdicts, two shapes");
  await page.go(`${page.address.split("#")[0]}#/picture/demo`);
  await page.until("document.querySelector('svg .edge.broken')");
  const drawn = await page.evaluate("[...document.querySelectorAll('svg .edge, svg text')].map((e) => getComputedStyle(e)[e.matches('text') ? 'fill' : 'stroke'])");
  assert(drawn.length > 5 && drawn.every((colour) => Object.values(names).includes(colour)), drawn.join(" "));
  await page.emulate([]);
  await page.expectQuiet();
});

it("who wants less motion gets none, and who wants more contrast gets more", async (t) => {
  const { page, seam } = await stage(t, { host });
  seam("create", "lessons.hosting-unassigned", "--id", "demo");
  seam("set", "demo", "openCount=5");
  await page.until("document.querySelector('.row[data-verdict=stale]')");
  await page.emulate([{ name: "prefers-reduced-motion", value: "reduce" }]);
  for (const view of ["fields", "events", "scenarios", "picture", "compare"]) {
    await page.go(`${page.address.split("#")[0]}#/${view}`);
    const moving = await page.evaluate(`document.getAnimations().length + [...document.querySelectorAll("*")].filter((element) => {
      const style = getComputedStyle(element);
      return parseFloat(style.transitionDuration) > 0 || parseFloat(style.animationDuration) > 0 || style.scrollBehavior === "smooth";
    }).length`);
    assert.equal(moving, 0, view);
  }
  await page.emulate([]);
  const read = () => page.evaluate(`(() => {
    const style = getComputedStyle(document.documentElement);
    return Object.fromEntries(["quiet", "page", "panel", "line", "control-line"].map((name) => [name, style.getPropertyValue("--" + name).trim()]));
  })()`);
  for (const scheme of ["light", "dark"]) {
    await page.emulate([{ name: "prefers-color-scheme", value: scheme }]);
    const usual = await read();
    await page.emulate([{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-contrast", value: "more" }]);
    const more = await read();
    assert(contrast(more.quiet, more.panel) >= 7, `${scheme}: quiet text has ${contrast(more.quiet, more.panel).toFixed(1)}:1, 7:1 is asked for`);
    for (const line of ["line", "control-line"]) {
      assert(contrast(more[line], more.page) >= 4.5, `${scheme}: ${line} has ${contrast(more[line], more.page).toFixed(1)}:1`);
      assert(contrast(more[line], more.page) > contrast(usual[line], usual.page), line);
    }
  }
  await page.expectQuiet();
});

it("whatever a value or a name holds is shown as text", async (t) => {
  const { page, socket } = await stage(t, { host });
  const values = {
    image: "<img src=x onerror=alert(1)>", script: "</script><script>alert(2)</script>", entity: "&lt;b&gt;",
    rtl: "abc\u202edef\u202c", hebrew: "שלום", combining: "e\u0301\u0302\u0303", zero: "a\u200bb", control: "a\u0000b\tc\r\nd\u001b[31m",
    family: "👩\u200d👩\u200d👧", long: `<img src=x onerror=alert(7)>${"x".repeat(65_508)}`, template: "${alert(3)}{{7*7}}", url: "javascript:alert(4)",
  };
  const client = await connect(socket);
  // Names are printable bytes without . / = and *.
  const [name, screen] = ["<svg><script>alert(5)", "<script>alert(6)"];
  const app = await client.create("live", { id: name });
  await app.set(values);
  await app.show(screen, values);
  await app.show(screen, { image: "<img src=y onerror=alert(1)>", long: `y${"x".repeat(65_535)}` });
  await page.until("document.querySelectorAll('#fields-view .row:not([hidden])').length === 12");
  const shown = Object.fromEntries(await page.evaluate(`[...document.querySelectorAll("#fields-view .row")].filter((row) => !row.hidden)
    .map((row) => [row.querySelector(".field").textContent, row.querySelector(".shown").textContent])`));
  assert.equal(shown.script, values.script);
  assert.equal(shown.entity, values.entity);
  assert.equal(shown.rtl, "abcU+202EdefU+202C");
  assert.equal(shown.zero, "aU+200Bb");
  assert.equal(shown.control, "aNULb⇥cCR↵dESC[31m");
  assert.equal(shown.family, values.family, "an emoji is one sign");
  assert.equal(shown.combining, values.combining);
  assert.equal(shown.hebrew, values.hebrew);
  assert.match(shown.long, /^65,536 bytes: yx{200,}$/, "what there is no room for is there to be read out");
  const model = await page.evaluate(`[...document.querySelectorAll("#fields-view .row[data-verdict=stale]")].find((row) => row.querySelector(".field").textContent === "long").querySelector(".model").textContent`);
  assert.match(model, /^65,536 bytes: <img src=x onerror=alert\(7\)>x+$/);
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

it("the past that a page is told is the past that another has seen", async (t) => {
  const { page } = await stage(t, { host });
  const outcome = await page.evaluate(`(${told})()`);
  assert.deepEqual(outcome.wrong, []);
  assert(outcome.compared > 1_000 && outcome.unknown > 50, JSON.stringify(outcome));
});

/** Runs in the page. One store sees everything happen; others come at some moment and are told the last of it, as a gate tells. */
async function told() {
  const { Store, EventList, verdicts } = await import("/store.js");
  let seed = 4321;
  const random = (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >>> 8) % below;
  };
  const seen = (moment, store, { isAll = false } = {}) => {
    const fields = [];
    for (let index = 0; index < moment.count; index += 1) {
      if (!moment.alive[index]) continue;
      fields.push([store.path(index), moment.verdict[index], moment.model[index], moment.shown[index], moment.modelBytes.get(index) ?? 0,
        ...(isAll ? [moment.changedAt[index], [...moment.bandOf(index)].join("")] : [])].join("|"));
    }
    return `${fields.sort().join("\n")}\n${[...moment.counts].join()}`;
  };
  const all = new Store();
  all.events = new EventList({ most: 1_000_000 });
  all.beginSnapshot("");
  all.sync();
  const lines = [];
  const live = new Set();
  const now = new Map();
  let at = 1_000;
  const say = (name, data) => {
    lines.push([name, data]);
    all[name](data, "");
  };
  for (let turn = 0; turn < 2_500; turn += 1) {
    const sim = `s${random(5)}`;
    at += 1 + random(5);
    if (!live.has(sim)) {
      live.add(sim);
      say("simulation", { sim, what: "created", scenario: "live", at });
    } else if (random(60) === 0) {
      live.delete(sim);
      for (const path of now.keys()) if (path.startsWith(`${sim}/`)) now.delete(path);
      say("simulation", { sim, what: "destroyed", at });
    } else {
      const [screen, field] = [`S${random(3)}`, `f${random(5)}`];
      const path = `${sim}/${screen}.${field}`;
      const is = { verdict: verdicts[random(5)], model: ["", "a", "b", null][random(4)], shown: ["", "a", "b", null][random(4)], modelBytes: random(10) ? undefined : 5_000 + random(9) };
      const before = now.get(path);
      const was = before ? {} : null;
      if (before && before.model !== is.model) Object.assign(was, { model: before.model, modelBytes: before.modelBytes });
      if (before && before.model === is.model) is.modelBytes = before.modelBytes;
      if (before && before.shown !== is.shown) was.shown = before.shown;
      now.set(path, is);
      say("verdict", { sim, screen, field, from: before?.verdict ?? "out-of-scope", to: is.verdict, model: is.model, shown: is.shown, modelBytes: is.modelBytes,
        at, ...((was === null || Object.keys(was).length > 0) && { was }) });
    }
  }
  const wrong = [];
  let compared = 0;
  let unknown = 0;
  for (const count of [1, 10, 100, 700, 1_500, lines.length]) {
    const late = new Store();
    late.beginSnapshot("");
    late.beginPast();
    for (const [name, data] of lines.slice(-count)) late[name](data, "");
    late.endPast();
    for (const sim of live) late.simulation({ sim, what: "created", scenario: "live" }, "");
    for (let index = 0; index < all.now.count; index += 1) {
      if (!all.now.alive[index]) continue;
      late.state({ sim: all.sim[index], scenario: "live", screen: all.screen[index], field: all.field[index], verdict: verdicts[all.now.verdict[index]],
        model: all.now.model[index], shown: all.now.shown[index], modelBytes: all.now.modelBytes.get(index),
        changed: all.now.changedAt[index], band: [...all.now.bandOf(index)].join("") });
    }
    late.sync();
    if (seen(late.now, late, { isAll: true }) !== seen(all.now, all, { isAll: true })) wrong.push(`${count}: now`);
    const offset = all.events.end - late.events.end;
    for (let number = 0; number < late.events.end; number += 1) {
      const moment = late.momentAfter(number);
      if (!moment) unknown += 1;
      else {
        compared += 1;
        if (seen(moment, late) !== seen(all.momentAfter(number + offset), all)) wrong.push(`${count}: ${number}`);
      }
    }
    // It goes on as if it had always been there.
    const data = { sim: [...live][0], screen: "S0", field: "f0", from: "stale", to: "matching", model: "z", shown: "z", at: at + 1 };
    const before = late.now.copy();
    late.verdict(data, "");
    if (seen(late.momentAfter(late.events.end - 2), late, { isAll: true }) !== seen(before, late, { isAll: true })) wrong.push(`${count}: on`);
    if (late.now.changeNumber[late.find(data.sim, "S0", "f0")] <= Math.max(...before.changeNumber)) wrong.push(`${count}: order`);
  }
  return { wrong: wrong.slice(0, 8), compared, unknown };
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
  await page.press("x");
  await page.expectRows(["demo/HostingController.openCount stale 5 3"]);
  await page.press("j", "Enter");
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
