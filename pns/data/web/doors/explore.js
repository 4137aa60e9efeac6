// The door Explore: all that is known of a position. Wires the game, the board and the panels
// together. The address has all of a position, and can be shared.

import { Board, showChoices } from "../boards/sprouts.js";
import { ask } from "../core/api.js";
import { Game } from "../core/game.js";
import { inWords, traits } from "../core/words.js";
import { showFacts } from "../explore/facts.js";
import { showGallery, showMoves, showWhy } from "../explore/panels.js";
import { showSearch } from "../explore/search.js";

const MARKUP = `
<div class="bar-top">
  <form id="start">
    <label for="position">Position</label>
    <input id="position" aria-label="Position" autocomplete="off" spellcheck="false" maxlength="2000">
    <button>Show</button>
  </form>
  <p id="source"></p>
</div>
<div class="columns">
  <section aria-labelledby="board-title">
    <h2 id="board-title"><code id="text"></code> <span id="over" class="mark" hidden>the end,</span> <span id="outcome" class="mark"></span></h2>
    <p id="known-from"></p>
    <div class="tools" role="toolbar" aria-label="Moves">
      <button id="undo">Undo</button>
      <button id="redo">Redo</button>
      <button id="solver">Solver moves</button>
      <button id="answers" aria-pressed="false">Solver answers</button>
      <button id="play-out">Play out</button>
      <button id="marks" aria-pressed="true">Marks</button>
      <button id="share">Copy link</button>
      <button id="export">Export SVG</button>
    </div>
    <p id="hint" role="status" aria-live="polite"></p>
    <div id="sheets"></div>
    <p id="legend" class="legend">A move from a spot ringed <span class="mark win">green</span> wins, all
      moves from one ringed <span class="mark loss">red</span> lose. From a spot with a dashed ring no winning
      move is known, and some moves are not solved.
      Where a line can end, Grundy numbers of the positions after it are shown; 0 wins.</p>
    <div id="choices" class="tools" role="group" aria-label="The last move" hidden></div>
  </section>
  <section class="side" aria-label="Knowledge">
    <div role="tablist" aria-label="Knowledge" id="tabs">
      <button role="tab" id="tab-moves" aria-controls="moves">Moves</button>
      <button role="tab" id="tab-why" aria-controls="why">Why</button>
      <button role="tab" id="tab-search" aria-controls="search">Search</button>
      <button role="tab" id="tab-facts" aria-controls="facts">Database</button>
      <button role="tab" id="tab-gallery" aria-controls="gallery">Gallery</button>
    </div>
    <div role="tabpanel" id="moves" aria-labelledby="tab-moves"></div>
    <div role="tabpanel" id="why" aria-labelledby="tab-why" hidden></div>
    <div role="tabpanel" id="search" aria-labelledby="tab-search" hidden></div>
    <div role="tabpanel" id="facts" aria-labelledby="tab-facts" hidden></div>
    <div role="tabpanel" id="gallery" aria-labelledby="tab-gallery" hidden></div>
  </section>
</div>`;

/** Opens the door in a place; `app` is the page (`main.js`). */
export function open(place, { fail }) {
  place.innerHTML = MARKUP;
  const $ = (id) => document.getElementById(id);
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const say = (text) => { $("hint").textContent = text; };

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
    $("text").textContent = found.position;
    $("over").hidden = !game.isOver;
    $("position").value = found.position;
    $("outcome").textContent = inWords(found);
    $("known-from").textContent = found.sources.length ? `Known from ${found.sources.join(" and ")}.` : "";
    $("outcome").className = "mark " + (found.value ?? found.outcome ?? "");
    $("export").disabled = !found.sheets.length;
    for (const id of ["solver", "play-out"]) $(id).disabled = game.isOver;
    say(hint(found, move));
    board.show(found, found.outcome === "loss");
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
    words.set("door", "explore");
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

  return main();
}

/** Leaves the door. */
export function close() {}
