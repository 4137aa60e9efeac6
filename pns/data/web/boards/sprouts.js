// The sheets of a position: two clicks on spots make a move, which can then be changed to another
// one between the same spots. Rings and numbers tell what is known of the moves.

import { element } from "../core/dom.js";

const SVG = "http://www.w3.org/2000/svg";
const REACH = 22; // how far from a spot a click still means it, in units of the drawing
const RING = 13;
const MOST_NUMBERS = 3; // Grundy numbers beside a spot

const WORDS = { win: "a winning move", loss: "only losing moves", unknown: "no winning move known, some moves not solved" };

const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

/** An element of a drawing. */
function shape(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

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

/** A sheet: its corners, and what is known of the lines between them. */
class Sheet {
  constructor(data, marks) {
    Object.assign(this, data);
    this.corners = data.corners.map(([corner, spot, face, boundary, x, y]) =>
      ({ corner, spot, face, boundary, x, y }));
    this.setMarks(marks);
  }

  setMarks(marks) {
    this.lines = marks?.lines ?? [];
    this.standsFor = new Map(marks?.alike ?? []);
    this.byPair = new Map();
    this.byCorner = new Map();
    const add = (map, key, number) => map.set(key, (map.get(key) ?? new Set()).add(number));
    for (const [first, second, joins, number] of this.lines) {
      add(this.byPair, this.#key(first, second, joins), number);
      for (const corner of [first, second]) add(this.byCorner, this.standsFor.get(corner), number);
    }
  }

  #key(first, second, joins) {
    const ends = [this.standsFor.get(first), this.standsFor.get(second)].sort((a, b) => a - b);
    return `${ends} ${joins}`;
  }

  /** Pairs of corners that a line from a spot to another can join, those near the clicks first. */
  pairs(from, to) {
    const found = [];
    for (const first of this.corners.filter((c) => c.spot === from.spot)) {
      for (const second of this.corners.filter((c) => c.spot === to.spot && c.face === first.face)) {
        if (from.spot === to.spot && first.corner > second.corner) continue;
        found.push([first, second]);
      }
    }
    const cost = ([a, b]) => distance(a, from) + distance(b, to);
    return found.sort((p, q) => cost(p) - cost(q));
  }

  canEnd(from, to) {
    if (from === to) return this.lives[from] > 1;
    const faces = new Set(this.corners.filter((c) => c.spot === from).map((c) => c.face));
    return this.corners.some((c) => c.spot === to && faces.has(c.face));
  }

  /** Whether any line can be drawn from a spot. */
  canBegin(from) {
    return this.lives[from] > 0
      && (this.canEnd(from, from) || this.corners.some((c) => c.spot !== from && this.canEnd(from, c.spot)));
  }

  /** The Grundy numbers that lines from a spot lead to, or from a spot to another. */
  numbers(from, to = null) {
    const union = new Set();
    const addAll = (some) => some?.forEach((number) => union.add(number));
    if (to === null) {
      for (const c of this.corners) {
        if (c.spot === from) addAll(this.byCorner.get(this.standsFor.get(c.corner)));
      }
    } else {
      for (const [a, b] of this.pairs({ spot: from, x: 0, y: 0 }, { spot: to, x: 0, y: 0 })) {
        addAll(this.byPair.get(this.#key(a.corner, b.corner, a.boundary !== b.boundary)));
      }
    }
    return union;
  }

  /** The spots that the line to a position joins; none if no line leads there. */
  ends(text) {
    const line = this.lines.find(([, , , , to]) => to === text);
    const spotOf = (corner) => this.corners.find((c) => c.corner === corner)?.spot;
    return line ? [spotOf(line[0]), spotOf(line[1])] : [];
  }

  /** The boundaries of a face that can lie on either side of a line, as the spots they pass. */
  others([first, second]) {
    if (first.boundary !== second.boundary) return [];
    const spots = new Map();
    for (const c of this.corners) {
      if (c.face !== first.face || c.boundary === first.boundary) continue;
      spots.set(c.boundary, (spots.get(c.boundary) ?? new Set()).add(c.spot + 1));
    }
    return [...spots].map(([boundary, names]) => ({ boundary, names: [...names] }));
  }
}

/** A move in the making: what could be drawn between two spots, and what is chosen of it. */
class Move {
  constructor(number, sheet, from, to) {
    this.number = number;
    this.sheet = sheet;
    this.pairs = sheet.pairs(from, to);
    this.way = 0;
    this.left = new Set();
  }

  get others() { return this.sheet.others(this.pairs[this.way]); }

  get step() {
    const [first, second] = this.pairs[this.way];
    return [this.number, first.corner, second.corner, [...this.left]];
  }

  get words() {
    const [first, second] = this.pairs[this.way];
    return first.spot === second.spot
      ? `Loop at spot ${first.spot + 1}.` : `Line from spot ${first.spot + 1} to ${second.spot + 1}.`;
  }

  nextWay() {
    this.way = (this.way + 1) % this.pairs.length;
    this.left.clear();
  }

  toggle(boundary) {
    if (!this.left.delete(boundary)) this.left.add(boundary);
  }
}

/** Sheets in a place; `play(move)` is called for two clicks, `say(text)` with what is next. */
export class Board {
  #place; #play; #say;
  #sheets = [];
  #spots = []; // { number, spot, hit, label, middle }
  #begun = null; // { number, spot, x, y }
  #isLost = false; // whether every move is known to lose
  isMarked = true;

  constructor(place, play, say) {
    this.#place = place;
    this.#play = play;
    this.#say = say;
  }

  /** Shows a new position; `isLost` says that every move of it loses. */
  show(sheets, isLost) {
    this.#isLost = isLost;
    this.#begun = null;
    this.#sheets = sheets.map((sheet) => new Sheet(sheet, null));
    this.#draw();
    this.#place.classList.remove("still");
  }

  /** Shows the same position drawn otherwise; what is chosen and known of it stays. */
  redraw(sheets) {
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
        `spot ${spot + 1}, ${lives} ${lives === 1 ? "life" : "lives"}`,
        possible ? "the line can end here" : "", WORDS[known],
      ];
      hit.setAttribute("aria-label", words.filter(Boolean).join(", "));
      label.textContent = known && possible ? numbersInWords(numbers) : "";
      label.setAttribute("class", "numbers " + known);
    }
  }

  #choose(number, spot, at) {
    const begun = this.#begun;
    const sheet = this.#sheets[number];
    if (begun?.number === number && sheet.canEnd(begun.spot, spot)) {
      this.#begun = null;
      this.#play(new Move(number, sheet, begun, { spot, ...at }));
      return;
    }
    this.#begun = begun?.number === number && begun.spot === spot ? null : { number, spot, ...at };
    this.#say(this.#begun
      ? `From spot ${spot + 1}: choose where the line ends.` : "Choose the spot where a line begins.");
    this.mark();
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
    const parsed = new DOMParser().parseFromString(sheet.svg, "image/svg+xml");
    const svg = document.importNode(parsed.documentElement, true);
    shareStyle(svg);
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", `Drawing of ${sheet.text}`);
    svg.style.maxWidth = `${svg.viewBox.baseVal.width * 2.2}px`;
    svg.style.margin = "auto";
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
    svg.addEventListener("click", (event) => {
      const point = new DOMPoint(event.clientX, event.clientY);
      const at = point.matrixTransform(svg.getScreenCTM().inverse());
      const near = mine.filter((spot) => distance(spot.middle, at) < REACH);
      near.sort((a, b) => distance(a.middle, at) - distance(b.middle, at));
      if (near.length) this.#choose(number, near[0].spot, { x: at.x, y: at.y });
    });
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
