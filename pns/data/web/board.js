// The sheets of a position: two clicks on spots make a move, which can then be changed to another
// one between the same spots.

import { element } from "./api.js";

const SVG = "http://www.w3.org/2000/svg";
const REACH = 22; // how far from a spot a click still means it, in units of the drawing

const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

/** The corners of a sheet as objects. */
const cornersOf = (sheet) =>
  sheet.corners.map(([corner, spot, face, boundary, x, y]) => ({ corner, spot, face, boundary, x, y }));

/** Moves between two spots as pairs of corners of one face, those nearest to the clicks first. */
function pairsBetween(sheet, from, to) {
  const corners = cornersOf(sheet);
  const pairs = [];
  for (const first of corners.filter((c) => c.spot === from.spot)) {
    for (const second of corners.filter((c) => c.spot === to.spot && c.face === first.face)) {
      if (from.spot === to.spot && first.corner > second.corner) continue;
      pairs.push([first, second]);
    }
  }
  const cost = ([a, b]) => distance(a, from) + distance(b, to);
  return pairs.sort((p, q) => cost(p) - cost(q));
}

/** The boundaries of a face that can lie on either side of a line, as the spots they pass. */
function othersOf(sheet, [first, second]) {
  if (first.boundary !== second.boundary) return [];
  const spots = new Map();
  for (const c of cornersOf(sheet)) {
    if (c.face !== first.face || c.boundary === first.boundary) continue;
    spots.set(c.boundary, (spots.get(c.boundary) ?? new Set()).add(c.spot + 1));
  }
  return [...spots].map(([boundary, names]) => ({ boundary, names: [...names] }));
}

/** A move in the making: what could be drawn between two spots, and what is chosen of it. */
export class Move {
  constructor(number, sheet, from, to) {
    this.number = number;
    this.sheet = sheet;
    this.pairs = pairsBetween(sheet, from, to);
    this.way = 0;
    this.left = new Set();
  }

  get others() { return othersOf(this.sheet, this.pairs[this.way]); }

  get step() {
    const [first, second] = this.pairs[this.way];
    return [this.number, first.corner, second.corner, [...this.left]];
  }

  nextWay() {
    this.way = (this.way + 1) % this.pairs.length;
    this.left.clear();
  }

  toggle(boundary) {
    if (!this.left.delete(boundary)) this.left.add(boundary);
  }
}

/** Shows sheets in a place; `play(move)` is called for two clicks, `say(text)` with what is next. */
export function showSheets(place, sheets, play, say) {
  let begun = null; // { number, spot, x, y }
  const marks = [];

  const mark = () => {
    for (const { number, spot, hit } of marks) {
      const chosen = begun?.number === number && begun.spot === spot;
      const possible = begun?.number === number && canEnd(sheets[number], begun, spot);
      hit.classList.toggle("chosen", chosen);
      hit.classList.toggle("possible", possible && !chosen);
      hit.setAttribute("aria-pressed", String(chosen));
    }
  };

  const choose = (number, spot, at) => {
    const sheet = sheets[number];
    if (begun && begun.number === number && canEnd(sheet, begun, spot)) {
      const move = new Move(number, sheet, begun, { spot, ...at });
      begun = null;
      play(move);
      return;
    }
    begun = begun && begun.number === number && begun.spot === spot ? null : { number, spot, ...at };
    say(begun ? `From spot ${spot + 1}: choose where the line ends.` : "");
    mark();
  };

  place.replaceChildren(...sheets.map((sheet, number) => {
    const parsed = new DOMParser().parseFromString(sheet.svg, "image/svg+xml");
    const svg = document.importNode(parsed.documentElement, true);
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", `Drawing of ${sheet.text}`);
    svg.style.maxWidth = `${svg.viewBox.baseVal.width * 2.2}px`;
    svg.style.margin = "auto";
    for (const line of svg.querySelectorAll(".line.new")) line.setAttribute("pathLength", "1");
    for (const body of svg.querySelectorAll(".spot[data-spot] .body")) {
      const spot = Number(body.parentNode.dataset.spot);
      const lives = sheet.lives[spot];
      if (!lives) continue;
      const hit = document.createElementNS(SVG, "circle");
      const middle = { x: body.cx.baseVal.value, y: body.cy.baseVal.value };
      const settings = { class: "hit", cx: middle.x, cy: middle.y, r: 13, tabindex: 0, role: "button",
        "aria-label": `spot ${spot + 1}, ${lives} ${lives === 1 ? "life" : "lives"}` };
      for (const [key, value] of Object.entries(settings)) hit.setAttribute(key, value);
      hit.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        choose(number, spot, middle);
      });
      body.parentNode.append(hit);
      marks.push({ number, spot, hit, middle });
    }
    svg.addEventListener("click", (event) => {
      const point = new DOMPoint(event.clientX, event.clientY);
      const at = point.matrixTransform(svg.getScreenCTM().inverse());
      const near = marks.filter((m) => m.number === number && distance(m.middle, at) < REACH);
      near.sort((a, b) => distance(a.middle, at) - distance(b.middle, at));
      if (near.length) choose(number, near[0].spot, { x: at.x, y: at.y });
    });
    const words = [sheets.length > 1 ? sheet.text : "", sheet.note].filter(Boolean).join(": ");
    return element("figure", { class: "sheet" }, svg, element("figcaption", {}, words));
  }));
}

/** Whether a line can lead from the spot chosen first to another one, or back to it. */
function canEnd(sheet, begun, spot) {
  if (begun.spot === spot && sheet.lives[spot] < 2) return false;
  const faces = new Set(cornersOf(sheet).filter((c) => c.spot === begun.spot).map((c) => c.face));
  return sheet.corners.some(([, other, face]) => other === spot && faces.has(face));
}

/** Shows what of the last move can be changed; `again()` plays it as it is chosen now. */
export function showChoices(place, move, again) {
  place.replaceChildren();
  const changed = (change) => () => { change(); again(); };
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
