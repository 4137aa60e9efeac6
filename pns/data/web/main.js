// The page: wires the game, the board and the panels together. The address has all of a position,
// so that it can be shared.

import { ask, inWords, traits } from "./api.js";
import { Board, showChoices } from "./board.js";
import { showFacts } from "./facts.js";
import { Game } from "./game.js";
import { showGallery, showMoves, showWhy } from "./panels.js";
import { showSearch } from "./search.js";

const $ = (id) => document.getElementById(id);
const tabs = [...document.querySelectorAll("[role=tab]")];
const say = (text) => { $("hint").textContent = text; };

function fail(error) {
  $("message").textContent = error.message;
  $("message").hidden = false;
}

const game = new Game({
  shown,
  moved,
  redrawn: (sheets) => board.redraw(sheets),
  marked: (marks) => {
    board.setMarks(marks);
    showLegend();
  },
  say,
  fail,
});
const board = new Board($("sheets"), (move) => game.play(move.step, move), say);
let hasPictures = true;
let search = { watch() {}, add() {} };

/** Shows a position; `move` is what of its last move can be changed. */
function shown({ found, start, steps }, move) {
  $("message").hidden = true;
  $("text").textContent = found.position;
  $("over").hidden = !game.isOver;
  $("position").value = found.position;
  $("outcome").textContent = inWords(found);
  $("known-from").textContent = found.sources.length ? `Known from ${found.sources.join(" and ")}.` : "";
  $("outcome").className = "mark " + (found.value ?? found.outcome ?? "");
  $("export").disabled = !found.sheets.length;
  for (const id of ["solver", "play-out"]) $(id).disabled = game.isOver;
  say(hint(found, move));
  board.show(found.sheets, found.outcome === "loss");
  showLegend();
  showChoices($("choices"), move, () => game.replay(move));
  showMoves($("moves"), found, {
    go: (text) => game.play(text),
    point: (text) => board.point(text),
    search: game.source ? null : search.add, // a certificate is only read
  });
  $("why").replaceChildren();
  if (!$("why").hidden) explain();
  writeAddress(start, steps);
  moved(game);
}

/** Shows what can be undone and redone. */
function moved({ canUndo, canRedo }) {
  $("undo").disabled = !canUndo;
  $("redo").disabled = !canRedo;
}

function showLegend() {
  $("legend").hidden = !(board.isMarked && board.isAnyKnown) || game.isOver;
}

/** What has happened, and what can be done. */
function hint({ sheets, moves, outcome }, move) {
  const done = move ? move.words + " " : "";
  if (moves?.length === 0) {
    if (!outcome) return `${done}There is no move left: the player to move has lost, or it is a draw.`;
    const who = game.solverAnswers && move ? " You have won." : "";
    return `${done}There is no move left: the player to move has lost.${who}`;
  }
  const can = sheets.some((sheet) => sheet.corners.length);
  return done + (can ? "Choose the spot where a line begins." : "Choose a move of the list.");
}

const begin = (start, steps = []) => game.begin(start, steps);

function writeAddress(start, steps) {
  const words = new URLSearchParams();
  if (game.source) words.set("source", game.source);
  words.set("start", start);
  if (steps.length) words.set("steps", JSON.stringify(steps));
  history.replaceState(null, "", "?" + words);
}

/** (source, start, steps) of the address. */
function readAddress(standard) {
  const words = new URLSearchParams(location.search);
  let steps = [];
  try {
    steps = JSON.parse(words.get("steps") ?? "[]");
  } catch { /* an address that is cut off shows its start */ }
  return [words.get("source") ?? "", words.get("start") ?? standard, steps];
}

function explain() {
  const context = { source: game.source, drawn: hasPictures, show: (text) => begin(text) };
  showWhy($("why"), game.found.position, context).catch(fail);
}

function select(tab) {
  for (const one of tabs) {
    const chosen = one === tab;
    one.setAttribute("aria-selected", String(chosen));
    one.tabIndex = chosen ? 0 : -1;
    $(one.getAttribute("aria-controls")).hidden = !chosen;
  }
  if (tab.id === "tab-why" && game.found && !$("why").childElementCount) explain();
  if (tab.id === "tab-search") search.watch();
}

function exportSvg() {
  for (const sheet of game.found.sheets) {
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

function showSource(about) {
  const { layers, claim, table } = about.source;
  const words = claim ? `: ${claim[0]} is a ${claim[1] ? "win" : "loss"}` : "";
  const counts = layers.filter(({ facts }) => facts).map(({ name, facts }) => `${facts.toLocaleString()} from ${name}`);
  $("source").textContent = `${game.source || about.game}, facts: ${counts.join(", ") || "none yet"}${words}${table ? `; strong solution of ${table}` : ""}`;
}

/** Shows what a search has added. */
async function renew() {
  try {
    showSource(await ask("about", { source: game.source }));
    await game.renew();
  } catch (error) {
    fail(error);
  }
}

/** Opens a source of facts, and fills the panels that depend on it. */
async function open(source) {
  const about = await ask("about", { source });
  game.source = source;
  hasPictures = about.pictures;
  traits.numbers = about.numbers;
  showSource(about);
  showFacts($("facts"), source, (text) => begin(text));
  $("tab-gallery").hidden = !about.gallery.length;
  $("marks").hidden = !about.drawn;
  showGallery($("gallery"), about.gallery, source, async (name) => {
    try {
      const opened = await open(name);
      await begin(opened.source.claim[0]);
      select($("tab-why"));
      $("board-title").scrollIntoView({ block: "nearest" });
    } catch (error) {
      fail(error);
    }
  });
  return about;
}

/** A button that is pressed or not. */
function toggle(id, change) {
  $(id).addEventListener("click", () => {
    const pressed = $(id).getAttribute("aria-pressed") !== "true";
    $(id).setAttribute("aria-pressed", String(pressed));
    change(pressed);
  });
}

function listen() {
  $("start").addEventListener("submit", (event) => {
    event.preventDefault();
    begin($("position").value);
  });
  const actions = {
    undo: () => game.undo(),
    redo: () => game.redo(),
    share,
    export: exportSvg,
    solver: () => game.letSolverMove(),
    "play-out": () => game.playOut(),
  };
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
  toggle("answers", (pressed) => {
    game.solverAnswers = pressed;
    say(pressed
      ? "The solver answers each of your moves. To let it begin, press Solver moves."
      : "You move for both players.");
  });
  toggle("marks", (pressed) => {
    board.isMarked = pressed;
    showLegend();
    board.mark();
  });
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
    if (event.shiftKey) game.redo();
    else game.undo();
  });
}

async function main() {
  listen();
  select(tabs[0]);
  try {
    const own = await ask("about");
    const [source, start, steps] = readAddress(own.position);
    search = showSearch($("search"), own, () => game.found.position, renew, (text) => begin(text), fail);
    await open(source);
    await begin(start, steps);
  } catch (error) {
    fail(error);
  }
}

main();
