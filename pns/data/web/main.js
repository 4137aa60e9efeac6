// The page: a start, steps from it, and what is known. All of it is in the address, to be shared.

import { ask, inWords } from "./api.js";
import { showChoices, showSheets } from "./board.js";
import { showFacts, showGallery, showMoves, showWhy } from "./panels.js";
import { showSearch } from "./search.js";

const $ = (id) => document.getElementById(id);
const state = { source: "", start: "", steps: [], undone: [], found: null, move: null, drawn: true, busy: false };
let watchSearch = () => {};
const tabs = [...document.querySelectorAll("[role=tab]")];

function fail(error) {
  $("message").textContent = error.message;
  $("message").hidden = false;
}

const say = (text) => { $("hint").textContent = text; };

function context() {
  return { source: state.source, drawn: state.drawn, show: (text) => begin(text) };
}

function writeAddress() {
  const words = new URLSearchParams();
  if (state.source) words.set("source", state.source);
  words.set("start", state.start);
  if (state.steps.length) words.set("steps", JSON.stringify(state.steps));
  history.replaceState(null, "", "?" + words);
}

function readAddress(standard) {
  const words = new URLSearchParams(location.search);
  state.source = words.get("source") ?? "";
  state.start = words.get("start") ?? standard;
  try {
    state.steps = JSON.parse(words.get("steps") ?? "[]");
  } catch {
    state.steps = [];
  }
}

/**
 * Asks for the position after steps, and shows it; returns whether there is one. While one is asked
 * for, others are ignored.
 */
async function show(start, steps, undone = [], move = null) {
  if (state.busy) return false;
  state.busy = $("choices").inert = true;
  try {
    state.found = await ask("position", { source: state.source, start, steps });
  } catch (error) {
    fail(error);
    return false;
  } finally {
    state.busy = $("choices").inert = false;
  }
  $("message").hidden = true;
  Object.assign(state, { start: state.found.start, steps, undone, move });
  const { position, outcome, sheets } = state.found;
  $("text").textContent = position;
  $("position").value = position;
  $("outcome").textContent = inWords(state.found);
  $("outcome").className = "mark " + (outcome ?? "");
  $("undo").disabled = !steps.length;
  $("redo").disabled = !state.undone.length;
  $("export").disabled = !sheets.length;
  say(sheets.some((sheet) => sheet.corners.length) ? "Choose the spot where a line begins." : "");
  showSheets($("sheets"), sheets, draw, say);
  showChoices($("choices"), state.move, redraw);
  showMoves($("moves"), state.found, (text) => step(text));
  $("why").replaceChildren();
  if (!$("why").hidden) explain();
  writeAddress();
  return true;
}

/** Plays a step and forgets what was undone. */
const step = (next, move = null) => show(state.start, [...state.steps, next], [], move);

const draw = (move) => step(move.step, move);

/** Plays the last move again, as its choices are now. */
const redraw = () => show(state.start, [...state.steps.slice(0, -1), state.move.step], [], state.move);

const begin = (start) => show(start, []);

function undo() {
  const { start, steps, undone } = state;
  if (steps.length) show(start, steps.slice(0, -1), [...undone, steps.at(-1)]);
}

function redo() {
  const { start, steps, undone } = state;
  if (undone.length) show(start, [...steps, undone.at(-1)], undone.slice(0, -1));
}

function explain() {
  showWhy($("why"), state.found.position, context()).catch(fail);
}

function select(tab) {
  for (const one of tabs) {
    const chosen = one === tab;
    one.setAttribute("aria-selected", String(chosen));
    one.tabIndex = chosen ? 0 : -1;
    $(one.getAttribute("aria-controls")).hidden = !chosen;
  }
  if (tab.id === "tab-why" && !$("why").childElementCount) explain();
  if (tab.id === "tab-search") watchSearch();
}

function exportSvg() {
  for (const sheet of state.found.sheets) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([sheet.svg], { type: "image/svg+xml" }));
    link.download = "position.svg";
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

async function share() {
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied. It works where pns explore runs on this port.");
  } catch {
    say("Copy the address of this page.");
  }
}

/** Asks what the source is, and fills the panels that depend on it. */
async function open(source) {
  const about = await ask("about", { source });
  state.source = source;
  state.drawn = about.drawn;
  const { kind, facts, claim } = about.source;
  const words = claim ? `: ${claim[0]} is a ${claim[1] ? "win" : "loss"}` : "";
  $("source").textContent = `${source || about.game}, ${kind}, ${facts.toLocaleString()} facts${words}`;
  showFacts($("facts"), source, (text) => begin(text));
  $("tab-gallery").hidden = !about.gallery.length;
  showGallery($("gallery"), about.gallery, async (name) => {
    try {
      const opened = await open(name);
      await begin(opened.source.claim[0]);
      select($("tab-moves"));
    } catch (error) {
      fail(error);
    }
  });
  return about;
}

async function main() {
  $("start").addEventListener("submit", (event) => {
    event.preventDefault();
    begin($("position").value);
  });
  $("undo").addEventListener("click", undo);
  $("redo").addEventListener("click", redo);
  $("share").addEventListener("click", share);
  $("export").addEventListener("click", exportSvg);
  for (const [i, tab] of tabs.entries()) {
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const next = tabs[(i + by + tabs.length) % tabs.length];
      select(next);
      next.focus();
    });
  }
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    if (event.target.tagName === "INPUT") return;
    event.preventDefault();
    (event.shiftKey ? redo : undo)();
  });
  select(tabs[0]);
  try {
    let about = await ask("about");
    readAddress(about.position);
    const again = () => show(state.start, state.steps, state.undone, state.move);
    watchSearch = showSearch($("search"), about, () => state.found.position, again, fail);
    about = await open(state.source);
    await show(state.start, state.steps);
  } catch (error) {
    fail(error);
  }
}

main();
