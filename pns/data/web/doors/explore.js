// The door Explore: all that is known of a position. Wires the game, the board and the panels
// together. The address has all of a position, and can be shared.

import { boardFor } from "../boards/index.js";
import { showChoices } from "../boards/sprouts.js";
import { ask } from "../core/api.js";
import { certificate } from "../core/certificate.js";
import { element } from "../core/dom.js";
import { Game } from "../core/game.js";
import { t } from "../core/texts.js";
import { inPlay, inWords, numberInWords, resetTraits, traits } from "../core/words.js";
import { showFacts } from "../explore/facts.js";
import { showFresh } from "../explore/fresh.js";
import { showGallery } from "../explore/gallery.js";
import { markup, TABS } from "../explore/markup.js";
import { pointAtCards, showMoves } from "../explore/moves.js";
import { movesAt } from "../explore/pointing.js";
import { showSearch } from "../explore/search.js";
import { showSum } from "../explore/sums.js";
import { listenToTabs } from "../explore/tabs.js";
import { Walk } from "../explore/why.js";
import { STEPS } from "../learn/steps.js";

const NOTATION = "pns-notation";
const NUMBERS = 1 + STEPS.findIndex(({ name }) => name === "numbers"); // the step of Learn about them
const OF_POSITION = ["toolbar", "search"]; // what cannot be used before a position is shown

let leaving = null; // ends what the open door listens to

/** Opens the door in a place; `app` is the page (`main.js`), `words` those of the address. */
export function open(place, app, words) {
  const { fail } = app;
  place.innerHTML = markup();
  leaving = new AbortController();
  const { signal } = leaving;
  const $ = (id) => document.getElementById(id);
  const columns = place.querySelector(".columns");
  for (const one of [columns, ...OF_POSITION.map($)]) one.inert = true; // until the game is known, and the position
  const say = (text) => { if (!signal.aborted) $("hint").textContent = text; };

  const game = new Game({
    shown,
    moved,
    redrawn: (sheets) => board.redraw(sheets),
    marked: (marks) => {
      marked = marks;
      board.setMarks(marks);
      showLegend();
    },
    say,
    fail,
  });
  let board = null; // that of the game, once it is known
  let kind = ""; // of the board
  const walk = new Walk($("why"), {
    ask: (name, data) => ask(name, { ...sourceWords(), ...data }),
    named: () => game.named,
    show: (text) => begin(text),
  });
  let about = null; // the server's answer about the source
  let marked = []; // what is known of the lines of each sheet
  let search = { watch() {}, add: null };
  let sources = 0; // grows with each source that is opened; an answer about an older one is dropped
  signal.addEventListener("abort", () => game.close());

  /** Shows a position; `move` is what of its last move can be changed. */
  function shown({ found, start, steps }, move) {
    marked = [];
    for (const one of OF_POSITION.map($)) one.inert = false;
    if ($("text").textContent !== found.position) $("position").value = found.position; // another one may be typed
    $("text").textContent = found.position;
    $("outcome").textContent = game.isOver ? ending(found, steps) : inWords(found);
    $("outcome").className = "verdict " + (game.isOver ? "" : found.value ?? found.outcome ?? "");
    const number = game.isOver ? "" : numberInWords(found);
    $("turn").textContent = game.isOver ? "" : `${t("explore.turn." + (steps.length % 2))} ${number} `;
    if (number) {
      $("turn").append(element("button", { type: "button", class: "link",
        click: () => app.go("learn", { step: NUMBERS }) }, t("explore.about")));
    }
    const isOpen = found.outcome === null && !game.isOver && !game.source && search.add !== null;
    $("find").hidden = !isOpen;
    $("solver").classList.toggle("primary", !isOpen); // one primary action at a time
    $("known-from").textContent = found.sources.length
      ? t("explore.knownFrom", { sources: found.sources.join(", ") }) : "";
    $("export").disabled = !found.sheets.length;
    for (const id of ["solver", "play-out"]) $(id).disabled = game.isOver;
    say(hint(found, move));
    board.show(found, found.outcome === "loss");
    showLegend();
    showChoices($("choices"), move, () => game.replay(move));
    showMoves($("moves"), game, {
      play: (text) => game.play(text),
      point: (text) => board.point(text),
      search: game.source ? null : search.add, // a certificate is only read
    });
    if (traits.numbers) showSum($("sum"), found.position, sourceWords(), (text) => begin(text)).catch(fail);
    if (!$("why").hidden) explain();
    writeAddress(start, steps);
    moved(game);
  }

  /** The source and the game, for questions. */
  const sourceWords = () => ({ source: game.source, ...game.named });

  /** Who has won, at the end. */
  function ending({ outcome }, steps) {
    if (!outcome) return t("explore.over.unknown");
    const toMove = steps.length % 2;
    return t("explore.over." + (outcome === "loss" ? 1 - toMove : toMove));
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
  function hint({ sheets }, move) {
    const done = move ? move.words + " " : "";
    if (game.isOver) return done + ending(game.found, game.steps);
    const can = sheets.some((sheet) => sheet.corners.length);
    return done + t(can ? "explore.begin" : "explore.chooseMove");
  }

  const begin = (start, steps = []) => game.begin(start, steps);

  function writeAddress(start, steps) {
    const more = { ...game.named, start };
    if (game.source) more.source = game.source;
    if (steps.length) more.steps = JSON.stringify(steps);
    app.note("explore", more);
  }

  /** The steps of the address; one that is cut off has none. */
  function stepsOfAddress() {
    try {
      return JSON.parse(words.get("steps") ?? "[]");
    } catch {
      return [];
    }
  }

  function explain() {
    if (walk.start !== game.found.position) walk.begin(game.found.position);
  }

  const tabs = listenToTabs(place, (name) => {
    if (name === "why" && game.found) explain();
    if (name === "search") search.watch();
    if (name === "gallery" && !$("gallery").childElementCount) fillGallery();
  });

  function fillGallery() {
    showGallery($("gallery"), ({ game: name, start, certificate }) => (about.game === name
      ? openProof(certificate ?? "", start)
      : app.go("explore", { game: name, source: certificate ?? "", start, tab: "why" }))).catch(fail);
  }

  /** Opens a proof, and shows why from its beginning. */
  async function openProof(source, start) {
    try {
      if (!await openSource(source) || !await begin(start)) return;
      tabs.select("why");
      $("board-title").scrollIntoView({ block: "nearest" });
    } catch (error) {
      fail(error);
    }
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
      say(t("explore.copied"));
    } catch {
      say(t("explore.copy"));
    }
  }

  function showSource() {
    const { layers, claim, table } = about.source;
    const proved = claim ? `: ${claim[0]} is a ${claim[1] ? "win" : "loss"}` : "";
    const counts = layers.filter(({ facts }) => facts).map(({ name, facts }) => `${facts.toLocaleString()} from ${name}`);
    $("source").textContent = `${game.source || about.game}, facts: ${counts.join(", ") || "none yet"}${proved}${table ? `; strong solution of ${table}` : ""}`;
    $("certificate-words").textContent = game.source
      ? t("explore.certificateOpen", { name: game.source }) : t("explore.certificateNone");
    $("certificate-close").hidden = !game.source;
  }

  /** Shows what a search has added. */
  async function renew() {
    if (signal.aborted) return;
    const isPast = isSourcePast();
    try {
      const found = await ask("about", sourceWords());
      if (isPast()) return;
      about = found;
      showSource();
      await game.renew();
    } catch (error) {
      fail(error);
    }
  }

  /** Says from now on whether another source has been opened, or the door has been left. */
  function isSourcePast() {
    const now = sources;
    return () => now !== sources || signal.aborted;
  }

  /** Opens a source of facts, and fills the panels that depend on it; false if it is past by then. */
  async function openSource(source) {
    sources += 1;
    const isPast = isSourcePast();
    const found = await ask("about", { ...game.named, source });
    if (isPast()) return false;
    about = found;
    game.source = source;
    traits.numbers = about.numbers;
    traits.pictures = about.pictures;
    traits.misere = about.misere;
    $("legend").textContent = t(inPlay("explore.legend"));
    place.classList.toggle("without-pictures", !about.pictures);
    showSource();
    showFacts($("facts"), sourceWords(), (text) => begin(text));
    $("marks").hidden = !about.drawn;
    return true;
  }

  /** A button that is pressed or not. */
  function toggle(id, change) {
    $(id).addEventListener("click", () => {
      const pressed = $(id).getAttribute("aria-pressed") !== "true";
      $(id).setAttribute("aria-pressed", String(pressed));
      change(pressed);
    });
  }

  function showNotation(pressed) {
    place.classList.toggle("with-notation", pressed);
    $("notation").setAttribute("aria-pressed", String(pressed));
  }

  /** Outlines the moves that begin or end at the spot under the pointer. */
  function pointFromBoard(event) {
    pointAtCards($("moves"), movesAt(event.target, game.found?.sheets ?? [], marked));
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
      find() {
        tabs.select("search");
        search.add(game.found.position);
      },
      "play-out": () => game.playOut(),
      "certificate-close": () => openProof("", game.start),
    };
    for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
    toggle("answers", (pressed) => {
      game.solverAnswers = pressed;
      board.asksSides = pressed; // a move is finished before the solver answers it
      say(t(pressed ? "explore.answersOn" : "explore.answersOff"));
    });
    toggle("marks", (pressed) => {
      board.isMarked = pressed;
      showLegend();
      board.mark();
    });
    toggle("notation", (pressed) => {
      localStorage.setItem(NOTATION, pressed ? "yes" : "");
      showNotation(pressed);
    });
    for (const name of ["pointerover", "focusin"]) $("sheets").addEventListener(name, pointFromBoard);
    $("sheets").addEventListener("pointerleave", () => pointAtCards($("moves"), []));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") $("menu").open = false;
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
      if (event.target.tagName === "INPUT") return;
      event.preventDefault();
      if (event.shiftKey) game.redo();
      else game.undo();
    }, { signal });
    document.addEventListener("click", (event) => {
      if (!$("menu").contains(event.target)) $("menu").open = false;
    }, { signal });
  }

  async function main() {
    listen();
    certificate($("certificate"));
    showNotation(Boolean(localStorage.getItem(NOTATION)));
    try {
      game.name = words.get("game") ?? "";
      const own = await ask("about", game.named);
      if (signal.aborted) return;
      about = own;
      kind = own.board;
      const Board = boardFor(kind);
      const canChange = (move) => move.pairs?.length && !board.asksSides;
      board = new Board($("sheets"), (move) => game.play(move.step, canChange(move) ? move : null), say,
        (sheet, points) => game.read(sheet, points));
      search = showSearch($("search"), own, () => game.found.position, renew, (text) => begin(text), fail, signal);
      if (!await openSource(words.get("source") ?? "")) return;
      columns.inert = false;
      tabs.select(TABS.includes(words.get("tab")) ? words.get("tab") : TABS[0]);
      showFresh($("fresh"), about.game, words.get("start") ?? own.position, (name, start) => (name === about.game && !game.source ? begin(start)
        : app.go("explore", { game: name, start })), fail).catch(fail);
      await begin(words.get("start") ?? own.position, stepsOfAddress());
    } catch (error) {
      fail(error);
    }
    columns.inert = board === null;
  }

  return main();
}

/** Leaves the door. */
export function close() {
  leaving?.abort();
  resetTraits();
  document.getElementById("door").classList.remove("with-notation", "without-pictures");
}
