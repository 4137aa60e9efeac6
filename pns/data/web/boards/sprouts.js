// The sheets of a position. A move is drawn by hand from a spot to a spot, or chosen by two clicks;
// one by clicks can then be changed to another one between the same spots, or with `asksSides` is
// finished before it counts. Rings and numbers tell what is known of the moves.

import { element, importedSvg, shape } from "../core/dom.js";
import { t } from "../core/texts.js";
import { traits } from "../core/words.js";
import { followStroke } from "./hand.js";
import { Move, Sheet, distance } from "./sheet.js";
import { SideChoice } from "./sides.js";

const REACH = 22; // how far from a spot a click still means it, in units of the drawing
const RING = 13;
const MOST_NUMBERS = 3; // Grundy numbers beside a spot

const WORDS = { win: "a winning move", loss: "only losing moves", unknown: "no winning move known, some moves not solved" };

/** Moves the style of a drawing to the page, where all drawings use it: a new one costs a layout. */
function shareStyle(svg) {
  for (const style of svg.querySelectorAll("style")) {
    if (document.getElementById("drawing-style")) style.remove();
    else {
      document.head.append(element("style", { id: "drawing-style" }, style.textContent));
      style.remove();
    }
  }
}

/** What moves to positions with these Grundy numbers mean for the player to move. */
function verdict(numbers, isLost) {
  if (!numbers?.size) return "";
  if (numbers.has(0)) return "win";
  return numbers.has(null) && !isLost ? "unknown" : "loss";
}

function numbersInWords(numbers) {
  const sorted = [...numbers].sort((a, b) => (a ?? 1e9) - (b ?? 1e9)).map((n) => n ?? "?");
  return sorted.slice(0, MOST_NUMBERS).join(",") + (sorted.length > MOST_NUMBERS ? "…" : "");
}

/**
 * Sheets in a place; `play(move)` is called with a move, `say(text)` with what is next. With
 * `readStroke(sheet, points)`, which gives the answer to the question `stroke` or null, moves can be
 * drawn.
 */
export class Board {
  #place; #play; #say; #readStroke;
  #sheets = [];
  #spots = []; // { number, spot, hit, label, middle }
  #begun = null; // { number, spot, x, y }
  #isLost = false; // whether every move is known to lose
  #sides = null; // the choice of what lies inside a line, if one is made
  #held = null; // ends the wait for the pointer that is down on the board
  #late = null; // sheets that were drawn otherwise meanwhile
  #shown = 0; // grows with each position; a line that was drawn on an older one is dropped
  isMarked = true;
  asksSides = false;
  playable = true;

  constructor(place, play, say, readStroke = null) {
    this.#place = place;
    this.#play = play;
    this.#say = say;
    this.#readStroke = readStroke;
    place.addEventListener("pointerdown", () => this.#hold());
  }

  /** Keeps the drawing as it is while the pointer is down: what is pressed must not go away. */
  #hold() {
    if (this.#held) return;
    this.#held = new AbortController();
    const release = () => {
      this.#held.abort();
      this.#held = null;
      setTimeout(() => this.#redrawLate()); // after the click
    };
    for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, release, { signal: this.#held.signal });
  }

  #redrawLate() {
    if (this.#late) this.redraw(this.#late);
  }

  /** Shows a new position; `isLost` says that every move of it loses. */
  show(found, isLost) {
    const sheets = found.sheets ?? found;
    this.#shown += 1;
    this.#late = null;
    this.#isLost = isLost;
    this.#begun = null;
    this.#sides?.close();
    this.#sides = null;
    this.#sheets = sheets.map((sheet) => new Sheet(sheet, null));
    this.#draw();
    this.#place.classList.remove("still");
  }

  /** Shows the same position drawn otherwise; what is chosen and known of it stays. */
  redraw(sheets) {
    if (sheets.some(({ text }, i) => text !== this.#sheets[i]?.text)) return; // another one is shown by now
    this.#late = this.#held || this.#sides ? sheets : null;
    if (this.#late) return;
    this.#sheets = sheets.map((data, i) => {
      const { lines, standsFor } = this.#sheets[i];
      return new Sheet(data, { lines, alike: [...standsFor] });
    });
    this.#draw();
    this.#place.classList.add("still");
  }

  /** Takes what the server knows of the lines of each sheet. */
  setMarks(marks) {
    this.#sheets.forEach((sheet, i) => sheet.setMarks(marks[i]));
    this.mark();
  }

  /** Rings the spots that the move to a position joins, or no spots. */
  point(text) {
    for (const { number, spot, hit } of this.#spots) {
      hit.classList.toggle("pointed", this.#sheets[number].ends(text).includes(spot));
    }
  }

  /** Whether anything is known of the moves. */
  get isAnyKnown() {
    return this.#isLost
      || this.#sheets.some((sheet) => sheet.lines.some(([, , , number]) => number !== null));
  }

  mark() {
    const begun = this.#begun;
    const isAnyKnown = this.isAnyKnown;
    for (const { number, spot, hit, label } of this.#spots) {
      const sheet = this.#sheets[number];
      const chosen = begun?.number === number && begun.spot === spot;
      const possible = begun?.number === number && sheet.canEnd(begun.spot, spot);
      const numbers = !begun ? sheet.numbers(spot) : possible ? sheet.numbers(begun.spot, spot) : null;
      const known = this.isMarked && isAnyKnown ? verdict(numbers, this.#isLost) : "";
      for (const name of ["win", "loss", "unknown"]) hit.classList.toggle(name, known === name);
      hit.classList.toggle("chosen", chosen);
      hit.classList.toggle("possible", possible);
      hit.setAttribute("aria-pressed", String(chosen));
      const lives = sheet.lives[spot];
      const words = [
        t(lives === 1 ? "board.spot1" : "board.spot", { spot: spot + 1, lives }),
        possible ? t("board.end") : "", WORDS[known],
      ];
      hit.setAttribute("aria-label", words.filter(Boolean).join(", "));
      label.textContent = known && possible && traits.numbers ? numbersInWords(numbers) : "";
      label.setAttribute("class", "numbers " + known);
    }
  }

  #choose(number, spot, at) {
    if (!this.playable) return;
    if (this.#sides) {
      this.#sides.toggle(number, spot);
      return;
    }
    const begun = this.#begun;
    const sheet = this.#sheets[number];
    if (begun?.number === number && sheet.canEnd(begun.spot, spot)) {
      this.#begun = null;
      const move = new Move(number, sheet, begun, { spot, ...at });
      if (this.asksSides && move.others.length) this.#askSides(move);
      else this.#play(move);
      return;
    }
    this.#begun = begun?.number === number && begun.spot === spot ? null : { number, spot, ...at };
    this.#say(this.#begun ? t("board.from", { spot: spot + 1 }) : t("board.begin"));
    this.mark();
  }

  /** Lets what lies inside a line be chosen, then plays it. */
  #askSides(move) {
    const spots = this.#spots.filter((s) => s.number === move.number);
    const end = (isDone) => {
      this.#sides = null;
      this.mark();
      this.#redrawLate();
      if (isDone) this.#play(move);
      else this.#say(t("board.begin"));
    };
    this.mark();
    this.#sides = new SideChoice(this.#place, move, spots, end);
    this.#say(t("board.sides"));
  }

  /** Reads a stroke on a sheet, and plays it. */
  async #read(number, points) {
    if (this.#sides) {
      this.#sides.enclose(points);
      return;
    }
    const shown = this.#shown;
    const found = await this.#readStroke(number, points);
    if (!found || shown !== this.#shown) return;
    if (found.step) await this.#play({ step: found.step, words: "", pairs: [], others: [] });
    else this.#say(t(`stroke.${found.error}`));
  }

  /** Draws the sheets; a spot that has the focus keeps it, or leaves it to the first one. */
  #draw() {
    const at = this.#spots.find(({ hit }) => hit === document.activeElement);
    this.#spots = [];
    this.#place.replaceChildren(...this.#sheets.map((sheet, number) => {
      const svg = this.#picture(sheet, number);
      const words = [this.#sheets.length > 1 ? sheet.text : "", sheet.note].filter(Boolean).join(": ");
      return element("figure", { class: "sheet" }, svg, element("figcaption", {}, words));
    }));
    if (at) (this.#spots.find((s) => s.number === at.number && s.spot === at.spot) ?? this.#spots[0])?.hit.focus();
    this.mark();
  }

  #picture(sheet, number) {
    const svg = importedSvg(sheet.svg);
    shareStyle(svg);
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", `Drawing of ${sheet.text}`);
    svg.style.setProperty("--natural", `${svg.viewBox.baseVal.width}px`);
    for (const line of svg.querySelectorAll(".line.new")) line.setAttribute("pathLength", "1");
    const mine = [];
    for (const body of svg.querySelectorAll(".spot[data-spot] .body")) {
      const spot = Number(body.parentNode.dataset.spot);
      if (!sheet.canBegin(spot)) continue;
      const middle = { x: body.cx.baseVal.value, y: body.cy.baseVal.value };
      const hit = shape("circle", { class: "hit", cx: middle.x, cy: middle.y, r: RING, tabindex: 0,
        role: "button" });
      const label = shape("text", { x: middle.x + RING, y: middle.y - RING, "aria-hidden": "true" });
      hit.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        this.#choose(number, spot, middle);
      });
      const name = shape("text", { x: middle.x + RING - 3, y: middle.y + RING + 4, class: "name",
        "aria-hidden": "true" }, String(spot + 1));
      body.parentNode.append(hit);
      svg.append(label, name);
      mine.push({ number, spot, hit, label, middle });
    }
    this.#spots.push(...mine);
    const at = ({ clientX, clientY }) =>
      new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
    const nearest = (point) => {
      const near = mine.filter((spot) => distance(spot.middle, point) < REACH);
      return near.sort((a, b) => distance(a.middle, point) - distance(b.middle, point))[0];
    };
    const isDeadAt = (point) => [...svg.querySelectorAll(".spot.dead .body")].some(({ cx, cy }) =>
      distance({ x: cx.baseVal.value, y: cy.baseVal.value }, point) < REACH);
    svg.addEventListener("click", (event) => {
      const { x, y } = at(event);
      const spot = nearest({ x, y });
      if (spot) this.#choose(number, spot.spot, { x, y });
      else if (this.playable && !this.#sides) this.#say(t(isDeadAt({ x, y }) ? "stroke.dead" : "stroke.begin"));
    });
    if (this.#readStroke) {
      const mayBegin = (point) => this.playable && (this.#sides !== null || nearest(point) !== undefined);
      followStroke(svg, at, mayBegin, (points) => this.#read(number, points));
    }
    return svg;
  }
}

/** Shows what of the last move can be changed; `again()` plays it as it is chosen now. */
export function showChoices(place, move, again) {
  place.replaceChildren();
  const changed = (change) => async ({ currentTarget }) => {
    const index = [...place.children].indexOf(currentTarget);
    change();
    await again();
    place.children[index]?.focus();
  };
  if (move && move.pairs.length > 1) {
    const text = `Another way (${move.way + 1} of ${move.pairs.length})`;
    place.append(element("button", { click: changed(() => move.nextWay()) }, text));
  }
  const others = move ? move.others : [];
  if (others.length) place.append("Left of the line:");
  for (const { boundary, names } of others) {
    const text = (names.length > 1 ? "spots " : "spot ") + names.join(", ");
    const pressed = String(move.left.has(boundary));
    const press = changed(() => move.toggle(boundary));
    place.append(element("button", { "aria-pressed": pressed, click: press }, text));
  }
  place.hidden = !place.childElementCount;
}
