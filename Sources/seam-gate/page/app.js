// The page: what is looked at, which keys do what, and who is told of what.

import { Details } from "./details.js";
import { Compare } from "./compare.js";
import { call, Feed, openSession, states, wantLater } from "./feed.js";
import { Gallery } from "./gallery.js";
import * as link from "./link.js";
import { Picture } from "./picture.js";
import { asCSV, asJSONLines, eventsAsCSV, eventsAsJSONLines, pairsAsCSV, pairsAsJSONLines, save } from "./save.js";
import { glyphs, Store, verdicts, wrong } from "./store.js";
import { columns, FieldTable, queryTrouble } from "./table.js";
import { Timeline } from "./timeline.js";
import { age, clock, make, visible } from "./text.js";

const byId = (id) => document.getElementById(id);
const summaryMilliseconds = 5_000;

const store = new Store();
let feed = null;
let info = null;
let current = link.read("");
/** null, or since which change the view stands still. */
let paused = null;
/** The event that the table is looked at as of, and when that was. */
let lookedAt = null;
let wantedRow = null;
let wantedEvent = null;
let wantedMoment = null;
let hasSynced = false;

const mayControl = () => info?.allowControl === true;

/** What is shown is of this time: now, unless somebody stands still, looks back, or nothing comes any more. */
const timeShown = () => lookedAt?.at ?? paused?.at ?? (feed?.asOf || Date.now());

/** A command for a terminal, with the way to the daemon that this page follows. */
function command(program, words) {
  const { socket } = info.daemon;
  const quoted = /^[\w@%+=:,./-]+$/.test(socket) ? socket : `'${socket.replaceAll("'", "'\\''")}'`;
  return visible(`${program} --socket ${quoted}${words && ` ${words}`}`);
}

// MARK: Parts

const table = new FieldTable(store, byId("fields-scroller"), {
  arranged: () => showCounts(),
  time: timeShown,
  open: (index) => openDetails(index),
  selected: (index) => {
    setRow(index);
    if (current.hasDetails) details.show(index);
    remember();
  },
});

const details = new Details(store, byId("details"), {
  close: () => closeDetails(),
  picture: (sim) => { location.hash = `#/picture/${encodeURIComponent(sim)}`; },
  event: (event) => {
    go({ view: "events", at: eventWord(event) });
    timeline.select(event);
  },
  mayControl,
  control,
  command,
  // Which moment is looked at: its fields, the number of the first event that is later (null is none), and its time.
  when: () => ({
    moment: table.moment, end: lookedAt ? lookedAt.number + 1 : paused ? paused.end : null, time: timeShown(), isNow: !feed?.asOf,
  }),
});

const timeline = new Timeline(store, byId("events-view"), {
  arranged: () => showCounts(),
  present: () => present(),
  lookAt: (event) => lookAt(event),
  selectedEvent: (event) => {
    current.at = eventWord(event);
    remember();
  },
});

const gallery = new Gallery(store, byId("scenarios-view"), { mayControl, control });
const picture = new Picture(store, byId("picture-view"), { mayControl, control });

const compare = new Compare(store, byId("compare-view"), {
  arranged: () => showCounts(),
  moment: () => table.moment,
  command,
  notify: (text, options) => notify(text, options),
  choose: (pair) => {
    go({ pair: { ...current.pair, ...pair, field: "" } });
    compare.look(current.pair);
  },
  chosen: ({ a, b }) => {
    Object.assign(current.pair, { a, b });
    remember();
  },
  selected: (field) => {
    current.pair.field = field;
    remember();
  },
});

store.onChange = (index) => {
  table.touched(index);
  if (!compare.isHidden) compare.touched(index);
};

/** An event in an address: the daemon's own number for it. */
const eventWord = (event) => event.id || null;

// MARK: Doing something

async function control(method, params) {
  try {
    const answer = await call(method, params);
    const { changes, sim } = answer;
    notify(changes !== undefined ? `${method}: ${changes} changed` : sim ? `${method}: ${sim}` : `${method}: done`);
    return answer;
  } catch (error) {
    notify(error.message, { isError: true });
    return null;
  }
}

let notified = null;
function notify(text, { isError = false } = {}) {
  const notice = byId("notice");
  byId("notice-text").textContent = visible(text);
  notice.classList.toggle("error", isError);
  notice.hidden = false;
  clearTimeout(notified);
  notified = setTimeout(dismiss, isError ? 12_000 : 4_000);
}

function dismiss() {
  clearTimeout(notified);
  byId("notice").hidden = true;
}

// MARK: Counters, chips

const counters = verdicts.map((name, verdict) => {
  const button = make("button", "counter");
  button.type = "button";
  button.dataset.verdict = name;
  button.setAttribute("aria-pressed", "false");
  const glyph = make("span", "glyph", glyphs[verdict]);
  glyph.setAttribute("aria-hidden", "true");
  const count = make("span", "count", "0");
  button.append(glyph, count, make("span", "word", name));
  button.addEventListener("click", () => {
    if (!current.mask.delete(verdict)) current.mask.add(verdict);
    filterChanged();
  });
  byId("counters").append(button);
  return { button, count };
});

const sumOfWrong = (counts) => wrong.reduce((sum, verdict) => sum + counts[verdict], 0);

const number = (value) => value.toLocaleString("en");

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function showCounts() {
  const { counts } = table.moment;
  counters.forEach(({ button, count }, verdict) => {
    setText(count, number(counts[verdict]));
    button.classList.toggle("none", counts[verdict] === 0);
    const isPressed = String(current.mask.has(verdict));
    if (button.getAttribute("aria-pressed") !== isPressed) button.setAttribute("aria-pressed", isPressed);
  });
  const list = activeList();
  const hidden = list.totalCount - list.shownCount;
  const isFiltered = current.query !== "" || (current.view === "compare" ? current.onlyDifferences : current.mask.size > 0);
  const chip = byId("hidden-chip");
  chip.hidden = !isFiltered || !hasBar();
  byId("differences").setAttribute("aria-pressed", String(current.onlyDifferences));
  if (!chip.hidden) setText(byId("hidden-text"), `${number(Math.max(0, hidden))} hidden by filter`);
  const isWrong = current.mask.size === wrong.length && wrong.every((verdict) => current.mask.has(verdict));
  const wrongs = sumOfWrong(counts);
  byId("wrong").setAttribute("aria-pressed", String(isWrong));
  byId("wrong").classList.toggle("some", wrongs > 0);
  setText(byId("wrong-count"), wrongs > 0 ? `${number(wrongs)} wrong` : "nothing wrong");
  const empty = byId("empty");
  const isEmpty = table.shownCount === 0 && hasSynced;
  empty.hidden = !isEmpty;
  byId("empty-words").hidden = table.totalCount === 0;
  byId("begin").hidden = table.totalCount > 0;
  const trouble = table.isCutShort ? "The search takes too long, and was given up." : searchTrouble();
  if (isEmpty) setText(byId("empty-words"), trouble ? "Nothing is found." : (current.query ? "No field passes the filter." : "No field has such a verdict."));
  setText(byId("search-trouble"), trouble);
  byId("search-trouble").hidden = !trouble || !hasBar();
  byId("search").setAttribute("aria-invalid", String(Boolean(trouble)));
}

let [searched, wrongWith] = ["", ""];
/** What is wrong with what is searched for. */
function searchTrouble() {
  if (searched !== current.query) [searched, wrongWith] = [current.query, queryTrouble(current.query)];
  return wrongWith;
}

function showPause() {
  const chip = byId("pause-chip");
  chip.hidden = !paused && !lookedAt;
  byId("freeze").setAttribute("aria-pressed", String(paused !== null));
  if (chip.hidden) return;
  const more = paused ? store.changes - paused.changes : 0;
  setText(byId("pause-text"), lookedAt
    // Many events have one time; the daemon's number tells them apart.
    ? `as of ${clock(lookedAt.at, { withMilliseconds: true })}${lookedAt.id ? ` #${lookedAt.id.slice(lookedAt.id.lastIndexOf("-") + 1)}` : ""}`
    : `paused, +${number(more)}`);
  // A picture and what may be done are asked of the daemon, which knows what is now.
  byId("pause-live").hidden = !["picture", "scenarios"].includes(current.view);
  byId("earlier").hidden = byId("later").hidden = !lookedAt;
  setText(byId("pause-off"), lookedAt ? "back to now" : "go on");
}

function showConnection() {
  const chip = byId("connection");
  const state = feed?.state ?? "connecting";
  const [sign, word] = states[state];
  chip.dataset.state = state;
  chip.classList.toggle("noted", Boolean(feed?.note));
  byId("connection-sign").textContent = sign;
  byId("app").dataset.connection = state;
  showSince(word);
  if (state === "live" && !hasSynced) {
    hasSynced = true;
    restorePause();
    restoreRow();
  }
  if (state === "live" && feed.note) {
    clearTimeout(showConnection.timer);
    showConnection.timer = setTimeout(() => {
      feed.note = "";
      showConnection();
    }, 30_000);
  }
  table.isDirty = true;
  showTitle();
}

/** What there is has never come: not even the gate knew anything. */
const isNever = () => store.syncedAt === null && store.sims.size === 0 && Boolean(feed?.isBroken);

/** The state as a word, and for how long it has been none that is current. */
function showSince(word = states[feed?.state ?? "connecting"][1]) {
  const isEmpty = isNever();
  if (byId("app").classList.toggle("never", isEmpty) && isEmpty) {
    const { socket } = info.daemon;
    setText(byId("never-words"), { away: `Nobody listens at ${socket}.`, silent: `Whoever listens at ${socket} does not answer.` }[feed.state]
      ?? "The gate does not answer.");
  }
  const chip = byId("connection");
  setText(byId("connection-word"), feed?.isBroken ? `${word}, ${age(Date.now() - feed.entered)}`
    : feed?.note && feed.state === "live" ? `${word} (${feed.note})` : word);
  const title = feed?.isBroken ? `since ${clock(feed.entered)}; what is shown is as of ${clock(feed.asOf)}` : "";
  if (chip.title !== title) chip.title = title;
  byId("as-of-chip").hidden = !feed?.isBroken || store.syncedAt === null;
  if (!byId("as-of-chip").hidden) setText(byId("as-of-chip"), `as of ${clock(feed.asOf)}`);
}

const titles = { fields: "", events: "Events", scenarios: "Scenarios", picture: "Picture", compare: "Compare" };

/** What somebody has to see of a tab that is behind others. */
function showTitle() {
  const { counts } = store.now;
  const wrongs = sumOfWrong(counts);
  const state = feed?.isBroken ? states[feed.state][1] : store.syncedAt === null ? "" : `${number(wrongs)} wrong`;
  const about = ["picture", "scenarios"].includes(current.view) && current.about ? visible(current.about) : titles[current.view];
  const title = [state, about, "Seam"].filter(Boolean).join(" · ");
  if (document.title !== title && byId("locked").hidden) document.title = title;
}

// MARK: Freezing, the past

/** A pause is of its tab, and outlives a reload. */
const keptPause = {
  name: "seam-paused",
  set(pause) {
    try {
      if (pause) sessionStorage.setItem(this.name, JSON.stringify(pause));
      else sessionStorage.removeItem(this.name);
    } catch {
      // A browser that stores nothing forgets it.
    }
  },
  get() {
    try {
      return JSON.parse(sessionStorage.getItem(this.name));
    } catch {
      return null;
    }
  },
};

/** Stands still again where the page stood before it was loaded anew, or as near as it can. */
function restorePause() {
  const kept = keptPause.get();
  if (!kept || paused) return;
  const event = kept.id ? store.findEvent(kept.id) : undefined;
  const moment = event && store.momentAfter(event.number);
  if (!moment) {
    if (kept.id !== store.newestId()) notify("The pause goes on from now: what it showed is no longer kept.", { isError: true });
    return freeze();
  }
  let later = 0;
  for (let at = event.number + 1; at < store.events.end; at += 1) later += store.events.at(at).kind === "verdict" ? 1 : 0;
  paused = { changes: store.changes - later, at: kept.at, moment, end: event.number + 1 };
  table.lens = moment;
  timeline.freeze(true, paused.end);
  compare.arrange();
  table.arrange();
  showPause();
}

function freeze() {
  if (lookedAt) return present();
  if (paused) {
    paused = null;
    table.lens = null;
    store.compact();
    keptPause.set(null);
  } else {
    paused = { changes: store.changes, at: timeShown(), moment: store.now.copy(), end: store.events.end };
    table.lens = paused.moment;
    keptPause.set({ id: store.newestId(), at: paused.at });
  }
  timeline.freeze(paused !== null, paused?.end);
  compare.arrange();
  table.arrange();
  showPause();
}

/** Shows the table as it was after an event. */
function lookAt(event) {
  const moment = event && store.momentAfter(event.number);
  if (!moment) return notify("The table before a snapshot is not known.", { isError: true });
  lookedAt = event;
  table.lens = moment;
  timeline.freeze(true);
  const index = event.kind === "verdict" ? event.index : -1;
  current.asOf = eventWord(event);
  if (current.view === "events") go({ view: "fields" });
  else remember();
  compare.arrange();
  table.arrange();
  if (index >= 0) {
    setRow(index);
    table.frame(performance.now());
    table.select(index);
  }
  showPause();
  showCounts();
}

/** One event earlier or later. */
function stepTime(by) {
  const event = store.events.at(lookedAt ? lookedAt.number + by : store.events.end - 1);
  if (event) lookAt(event);
  else if (by > 0) present();
}

function present() {
  lookedAt = null;
  current.asOf = null;
  remember();
  compare.arrange();
  table.lens = paused?.moment ?? null;
  timeline.freeze(paused !== null, paused?.end);
  table.arrange();
  showPause();
}

// MARK: What is looked at

function setRow(index) {
  current.row = index < 0 ? null : [store.sim[index], store.screen[index], store.field[index]];
}

function openDetails(index) {
  if (index < 0) return;
  setRow(index);
  current.hasDetails = true;
  details.show(index);
  table.list.measure();
  remember();
}

function closeDetails() {
  current.hasDetails = false;
  details.show(-1);
  table.list.focus();
  remember();
}

function filterChanged() {
  table.mask = timeline.mask = current.mask;
  table.query = timeline.query = compare.query = current.query;
  compare.onlyDifferences = current.onlyDifferences;
  compare.arrange();
  table.sort = current.sort;
  table.arrange();
  timeline.arrange();
  for (const header of byId("fields-head").children) {
    const isSorted = header.dataset.column === current.sort.column;
    header.setAttribute("aria-sort", isSorted ? (current.sort.isDescending ? "descending" : "ascending") : "none");
  }
  if (byId("search").value !== current.query) byId("search").value = current.query;
  showCounts();
  remember();
}

let remembered = "";
/** Writes what is looked at into the address, without a step back for each. */
function remember() {
  const hash = link.write(current);
  if (hash === remembered) return;
  remembered = hash;
  history.replaceState(null, "", hash);
}

function go(change) {
  Object.assign(current, change);
  remembered = link.write(current);
  if (location.hash !== remembered) history.pushState(null, "", remembered);
  showView();
}

let viewShown = "";
function showView() {
  const viewWanted = `${current.view}/${current.about}`;
  // What went wrong in another view is no news in this one.
  if (viewShown && viewShown !== viewWanted && byId("notice").classList.contains("error")) dismiss();
  viewShown = viewWanted;
  for (const name of link.views) {
    byId(`${name}-view`).hidden = current.view !== name;
    const anchor = byId(`go-${name}`);
    if (current.view === name) anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  }
  byId("bar").hidden = !hasBar();
  byId("counters").hidden = byId("wrong").hidden = current.view === "compare";
  byId("differences").hidden = current.view !== "compare";
  table.isHidden = current.view !== "fields";
  timeline.isHidden = current.view !== "events";
  gallery.isHidden = current.view !== "scenarios";
  picture.isHidden = current.view !== "picture";
  compare.isHidden = current.view !== "compare";
  if (current.view === "scenarios") gallery.open(current.about);
  if (current.view === "picture") picture.open(current.about);
  if (current.view === "compare") compare.look(current.pair);
  if (current.view === "events") timeline.arrange();
  table.arrange();
  showTitle();
  showPause();
  showCounts();
}

/** What the address names, as soon as it is there. */
function restoreRow() {
  // A row may be one of the moment that the address names, and of no other.
  if (hasSynced) restoreEvents();
  if (wantedRow) {
    const index = store.known(...wantedRow);
    if (index >= 0 && table.moment.alive[index]) {
      wantedRow = null;
      table.arrange();
      table.frame(performance.now());
      table.select(index);
      setRow(index);
      if (current.hasDetails) details.show(index);
    } else if (hasSynced) {
      const path = `${wantedRow[0]}/${wantedRow[1]}.${wantedRow[2]}`;
      wantedRow = null;
      notify(lookedAt ? `There was no field ${path} then.` : index >= 0 ? `The field ${path} is gone.` : `There is no field ${path}.`, { isError: true });
      details.show(-1);
    }
  }
}

function restoreEvents() {
  for (const [id, act] of [[wantedEvent, (event) => timeline.select(event)], [wantedMoment, (event) => lookAt(event)]]) {
    if (!id) continue;
    const found = store.findEvent(id);
    if (found) act(found);
    else notify(eventTrouble(id), { isError: true });
  }
  wantedEvent = wantedMoment = null;
}

/** Why an event of an address is not there. */
function eventTrouble(id) {
  const [, epoch, dseq] = /^([0-9a-zA-Z]+)-([0-9]+)$/.exec(id) ?? [];
  if (!epoch) return `The address names no event: “${id}” is not EPOCH-NUMBER, as this page writes it.`;
  const newest = store.newestId();
  if (newest && !newest.startsWith(`${epoch}-`)) return "The event of this address is of another run of the daemon.";
  if (newest && Number(dseq) > Number(newest.slice(epoch.length + 1))) return "The event of this address has not happened yet.";
  return "The event of this address is older than what the gate keeps.";
}

function readAddress() {
  current = link.read(location.hash);
  if (current.sort.column !== "path" && !columns.some(({ id }) => id === current.sort.column)) current.sort.column = "path";
  remembered = location.hash;
  wantedRow = current.row;
  wantedEvent = current.at;
  wantedMoment = current.asOf === (lookedAt && eventWord(lookedAt)) ? null : current.asOf;
  if (lookedAt && !current.asOf) present();
  if (!current.hasDetails || !current.row) details.show(-1);
  filterChanged();
  showView();
  if (hasSynced) restoreRow();
}

// MARK: Controls

for (const { id, title, isSortable = true } of columns) {
  const head = make("div", `cell ${id}`);
  head.setAttribute("role", "columnheader");
  head.dataset.column = id;
  if (isSortable) {
    head.setAttribute("aria-sort", "none");
    const button = make("button", "plain", title);
    button.type = "button";
    button.append(make("span", "arrow"));
    button.addEventListener("click", () => {
      const { column, isDescending } = current.sort;
      if (column !== id) current.sort = { column: id, isDescending: false };
      else if (!isDescending) current.sort = { column: id, isDescending: true };
      else current.sort = { column: "path", isDescending: false };
      filterChanged();
    });
    head.append(button);
  } else {
    head.textContent = title;
  }
  byId("fields-head").append(head);
}

byId("search").addEventListener("input", ({ target }) => {
  current.query = target.value;
  filterChanged();
});
byId("wrong").addEventListener("click", () => toggleWrong());
byId("freeze").addEventListener("click", () => freeze());
byId("pause-off").addEventListener("click", () => (lookedAt ? present() : freeze()));
byId("earlier").addEventListener("click", () => stepTime(-1));
byId("later").addEventListener("click", () => stepTime(1));
byId("notice-off").addEventListener("click", () => dismiss());
byId("hidden-off").addEventListener("click", () => clearFilter());
byId("help-open").addEventListener("click", () => byId("help").showModal());
byId("help-close").addEventListener("click", () => byId("help").close());
byId("differences").addEventListener("click", () => toggleDifferences());
const files = {
  fields: { jsonl: () => asJSONLines(store, table.moment, table.rows()), csv: () => asCSV(store, table.moment, table.rows()) },
  events: { jsonl: () => eventsAsJSONLines(timeline.rows()), csv: () => eventsAsCSV(timeline.rows()) },
  compare: { jsonl: () => pairsAsJSONLines(compare.rows()), csv: () => pairsAsCSV(compare.rows()) },
};
for (const [kind, type] of [["jsonl", "application/jsonl"], ["csv", "text/csv"]]) {
  byId(`save-${kind}`).addEventListener("click", () => save(`seam-${current.view}.${kind}`, type, files[current.view][kind]()));
}

function toggleWrong() {
  const isWrong = current.mask.size === wrong.length && wrong.every((verdict) => current.mask.has(verdict));
  current.mask = new Set(isWrong ? [] : wrong);
  filterChanged();
}

function toggleDifferences() {
  current.onlyDifferences = !current.onlyDifferences;
  filterChanged();
}

function clearFilter() {
  if (current.view === "compare") current.onlyDifferences = false;
  else current.mask = new Set();
  current.query = "";
  filterChanged();
}

const activeList = () => ({ events: timeline, compare }[current.view] ?? table);
/** Whether the view has rows that can be searched. */
const hasBar = () => !isNever() && ["fields", "events", "compare"].includes(current.view);
const keys = {
  "/": () => byId("search").focus(),
  "?": () => byId("help").showModal(),
  x: () => (current.view === "compare" ? toggleDifferences() : toggleWrong()),
  " ": () => freeze(),
  "[": () => stepTime(-1), "]": () => stepTime(1),
  j: () => step(1), ArrowDown: () => step(1),
  k: () => step(-1), ArrowUp: () => step(-1),
  PageDown: () => step(activeList().list.rowsOnScreen), PageUp: () => step(-activeList().list.rowsOnScreen),
  Home: () => goTo(0), g: () => goTo(0),
  End: () => goTo(Infinity), G: () => goTo(Infinity),
  Enter: () => {
    if (current.view === "events") return timeline.selected && lookAt(timeline.selected);
    if (current.view === "fields" && table.selected >= 0) openDetails(table.selected);
  },
  1: () => counters[0].button.click(), 2: () => counters[1].button.click(), 3: () => counters[2].button.click(),
  4: () => counters[3].button.click(), 5: () => counters[4].button.click(),
};
/** Keys that a focused control has a meaning of its own for. */
const taken = new Set([" ", "Enter", "ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End"]);
const verdictKeys = new Set(["1", "2", "3", "4", "5"]);
const listKeys = new Set(["j", "k", "g", "G", "x", " ", "1", "2", "3", "4", "5", "/", "[", "]", "Enter", "ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End"]);

function step(by) {
  const list = activeList();
  list.step(by);
  list.list.focus();
}

function goTo(row) {
  const list = activeList();
  list.move(row === Infinity ? list.list.count - 1 : row);
  list.list.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const { target, key } = event;
  const isTyping = target.matches("input:not([type=range]), select, textarea");
  if (key === "Escape") {
    if (target === byId("search")) {
      if (current.query) {
        current.query = "";
        filterChanged();
      } else {
        target.blur();
        activeList().list.focus();
      }
    } else if (!byId("help").open && current.hasDetails) closeDetails();
    return;
  }
  if (isTyping) {
    if (target === byId("search") && (key === "Enter" || key === "ArrowDown")) {
      event.preventDefault();
      target.blur();
      goTo(0);
    }
    return;
  }
  if (byId("help").open || byId("app").hidden) return;
  if (taken.has(key) && target.closest("button, a, input, select, summary")) return;
  if (listKeys.has(key) && !hasBar()) return;
  if (verdictKeys.has(key) && current.view === "compare") return;
  const act = keys[key];
  if (!act) return;
  event.preventDefault();
  act();
});

// Both are said of one step; the first to come may be either. A new key in this tab begins anew.
for (const name of ["popstate", "hashchange"]) {
  window.addEventListener(name, () => {
    if (location.hash.startsWith("#token=")) location.reload();
    else readAddress();
  });
}

// MARK: Each frame, each few seconds

let lastPause = 0;
let lastAgain = 0;
function frame(now) {
  table.frame(now);
  timeline.frame(now);
  compare.frame(now);
  gallery.frame();
  picture.frame();
  if (now - lastPause > 200) {
    lastPause = now;
    showPause();
    showCounts();
    showSince();
    showTitle();
    if (details.index >= 0) details.update();
    if (feed.state === "live" && now - lastAgain > 1_000) {
      lastAgain = now;
      // What could not be asked while nobody answered.
      for (const view of [details, timeline, gallery, picture, compare]) view.again();
    }
  }
  requestAnimationFrame(frame);
}

let told = "";
/** One sentence for those who listen, and only when there is something new. */
function tell() {
  const { counts } = store.now;
  const parts = verdicts.map((name, verdict) => counts[verdict] > 0 && `${number(counts[verdict])} ${name}`).filter(Boolean);
  const text = `${states[feed?.state ?? "connecting"][1]}: ${parts.join(", ") || "no fields"}${paused ? ", paused" : ""}`;
  if (text === told) return;
  told = text;
  byId("told").textContent = text;
}

let tidied = 0;
function tidy() {
  tell();
  if (!paused && !lookedAt && Date.now() - tidied > 30_000) {
    tidied = Date.now();
    const selected = table.selected >= 0 ? [store.sim[table.selected], store.screen[table.selected], store.field[table.selected]] : null;
    const { generation } = store;
    store.compact();
    if (generation !== store.generation) {
      table.selected = selected ? store.find(...selected) : -1;
      if (current.hasDetails) details.show(table.selected);
      table.arrange();
    }
  }
}

function lock(reason) {
  wantLater(location.hash);
  byId("app").hidden = true;
  byId("locked").hidden = false;
  byId("locked-reason").textContent = visible(reason.trim());
  document.title = "Seam: no key";
}

const opened = await openSession().catch(() => ({ isOpen: false, reason: "The gate does not answer." }));
if (!opened.isOpen) {
  lock(opened.reason);
} else {
  ({ info } = opened);
  byId("app").hidden = false;
  byId("begin-control").hidden = !mayControl();
  byId("begin-terminal").textContent = command("seam", "create lessons.hosting-unassigned --id demo");
  byId("never-terminal").textContent = command("seamd", "");
  byId("mode").textContent = mayControl() ? "control" : "read only";
  byId("mode").title = mayControl() ? "This page may start and drive simulations." : "seam dashboard --allow-control lets this page start and drive simulations.";
  feed = new Feed(store, info.gate.epoch, {
    onState: () => {
      if (feed.state === "restarted") gallery.forget();
      showConnection();
    },
    onHello: (data) => { info = { ...info, allowControl: data.allowControl }; },
    onLocked: (reason) => lock(reason),
  });
  readAddress();
  showConnection();
  feed.open();
  requestAnimationFrame(frame);
  setInterval(tidy, summaryMilliseconds);
}
