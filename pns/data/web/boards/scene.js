// A position that lies on a table: squares, heaps, a graph. What can be touched is an element of
// the picture with a `data-part`; touching the parts of a move, one after another, makes it.

import { element, importedSvg, shape } from "../core/dom.js";
import { t } from "../core/texts.js";
import { bestOf, SIGNS, verdictOf } from "./verdicts.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The middle of an element on the screen. */
function middleOf(node) {
  const box = node.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** A scene in a place; `play(move)` is called for a complete move, `say(text)` with what is next. */
export class SceneBoard {
  #place; #play; #say;
  #moves = []; // { parts, changes, to, step, verdict }
  #nodes = new Map(); // part: { node, name }
  #touched = []; // parts
  #pressed = null; // the part on which the pointer went down
  #current = null; // the part that the Tab key leads to
  isMarked = true;
  playable = true;

  constructor(place, play, say) {
    this.#place = place;
    this.#play = play;
    this.#say = say;
  }

  /** Shows a position, and where the move to it was made; `isLost` says that every move of it loses. */
  show(found, isLost) {
    const { svg, rows, turn, moves } = found.scene;
    const shown = this.#moves; // those of the position before
    const worth = new Map(found.moves.map((move) => [move.to, verdictOf(move, isLost)]));
    this.#moves = moves.map((move) => ({ ...move, verdict: worth.get(move.to) ?? "" }));
    this.#touched = [];
    const hadFocus = this.#place.contains(document.activeElement);
    const last = shown.find(({ step }) => step === found.scene.text);
    const places = (last?.parts ?? []).map((part) => this.#nodes.get(part).node.getBBox());
    const frame = this.#place.querySelector("svg")?.getAttribute("viewBox");
    const picture = this.#picture(svg, rows);
    if (picture.getAttribute("viewBox") === frame) picture.append(...places.map(({ x, y, width, height }) =>
      shape("circle", { class: "last", cx: x + width / 2, cy: y + height / 2, r: 5, "aria-hidden": "true" })));
    const line = turn && moves.length
      ? [element("p", { class: "turn " + turn.split(" ")[0] }, t("turn." + turn))] : [];
    this.#place.replaceChildren(element("div", { class: "scene" }, ...line, picture));
    if (!this.#nodes.has(this.#current)) this.#current = [...this.#nodes.keys()][0] ?? null;
    this.mark();
    if (hadFocus) this.#nodes.get(this.#current)?.node.focus();
  }

  /** Scenes come with what is known of their moves. */
  setMarks() {
    this.mark();
  }

  /** Shows the move to a position, or none. */
  point(text) {
    this.#point(this.#moves.find(({ to, step }) => text !== null && (to === text || step === text)));
  }

  /** Whether anything is known of the moves. */
  get isAnyKnown() {
    return this.#moves.some(({ verdict }) => verdict);
  }

  /** Shows what can be touched next, and what is known of it. */
  mark() {
    const next = this.#next();
    const isBegun = this.#touched.length > 0;
    for (const old of this.#place.querySelectorAll(".sign")) old.remove();
    for (const [part, { node, name }] of this.#nodes) {
      const some = next.get(part);
      const verdict = this.isMarked && some ? bestOf(some.map((move) => move.verdict)) : "";
      const isTouched = this.#touched.includes(part);
      node.classList.toggle("open", this.playable && (Boolean(some) || this.#begins(part)));
      node.classList.toggle("next", isBegun && Boolean(some) && !isTouched);
      node.classList.toggle("touched", isTouched);
      node.setAttribute("aria-pressed", String(isTouched));
      node.setAttribute("tabindex", part === this.#current ? 0 : -1);
      const words = [name, isBegun && some ? t("scene.next") : "", verdict ? t("board." + verdict) : ""];
      node.setAttribute("aria-label", words.filter(Boolean).join(", "));
      if (verdict) this.#sign(node, verdict);
    }
  }

  #begins(part) {
    return this.#moves.some(({ parts }) => parts[0] === part);
  }

  /** The moves that go on from what has been touched. */
  #candidates(touched) {
    return this.#moves.filter(({ parts }) => touched.every((part, i) => parts[i] === part));
  }

  /** For each part that can be touched next the moves that it leads to. */
  #next() {
    const found = new Map();
    for (const move of this.#candidates(this.#touched)) {
      const part = move.parts[this.#touched.length];
      found.set(part, [...(found.get(part) ?? []), move]);
    }
    return found;
  }

  #touch(part) {
    if (!this.playable) return;
    this.#current = part;
    const touched = this.#next().has(part) ? [...this.#touched, part]
      : this.#begins(part) && this.#touched.at(-1) !== part ? [part] : [];
    const made = this.#candidates(touched).find(({ parts }) => parts.length === touched.length);
    this.#touched = touched.length && made ? [] : touched;
    this.#point(null);
    this.mark();
    if (touched.length && made) this.#play({ step: made.step, words: "" });
    else this.#say(t(touched.length ? "scene.goOn" : "scene.begin"));
  }

  /** Shows what a move changes. */
  #point(move) {
    for (const [part, { node }] of this.#nodes) {
      node.classList.toggle("pointed", Boolean(move?.changes.includes(part)));
      node.classList.toggle("placed", Boolean(move?.parts.includes(part)));
    }
  }

  /** Shows the move that touching a part would complete. */
  #preview(part) {
    const touched = this.#next().has(part) ? [...this.#touched, part] : [part];
    this.#point(this.#candidates(touched).find(({ parts }) => parts.length === touched.length));
  }

  #sign(node, verdict) {
    const { x, y, width } = node.getBBox();
    const sign = shape("text", { x: x + width - 2, y: y + 13, class: "sign " + verdict, "aria-hidden": "true" },
      SIGNS[verdict]);
    node.ownerSVGElement.append(sign);
  }

  #picture(text, rows) {
    const svg = importedSvg(text);
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", rows);
    svg.querySelector("title")?.remove(); // it would be shown wherever the pointer rests
    svg.style.setProperty("--natural", `${svg.viewBox.baseVal.width}px`);
    this.#nodes = new Map();
    for (const node of svg.querySelectorAll("[data-part]")) {
      const { part } = node.dataset;
      node.setAttribute("role", "button");
      this.#nodes.set(part, { node, name: node.getAttribute("aria-label") });
      node.addEventListener("pointerenter", () => this.playable && this.#preview(part));
      node.addEventListener("pointerleave", () => this.playable && this.#point(null));
      node.addEventListener("focus", () => this.playable && node.matches(":focus-visible") && this.#preview(part));
      node.addEventListener("blur", () => this.playable && this.#point(null));
      node.addEventListener("click", () => this.#touch(part));
      node.addEventListener("keydown", (event) => this.#press(event, part));
    }
    svg.addEventListener("pointerdown", (event) => { this.#pressed = this.#partAt(event); });
    svg.addEventListener("pointerup", (event) => {
      const [from, to] = [this.#pressed, this.#partAt(event)];
      this.#pressed = null;
      if (from === null || to === null || from === to) return; // a click
      if (!this.#touched.length) this.#touch(from);
      if (this.#next().has(to)) this.#touch(to);
    });
    return svg;
  }

  #partAt({ clientX, clientY }) {
    return document.elementFromPoint(clientX, clientY)?.closest("[data-part]")?.dataset.part ?? null;
  }

  #press(event, part) {
    if (event.key === "Enter" || event.key === " ") this.#touch(part);
    else if (event.key === "Escape" && this.#touched.length) {
      this.#touched = [];
      this.mark();
    } else if (event.key in ARROWS) this.#step(part, ARROWS[event.key]);
    else return;
    event.preventDefault();
  }

  /** Moves the focus to the nearest part in a direction. */
  #step(part, [right, down]) {
    const [x, y] = middleOf(this.#nodes.get(part).node);
    let nearest = null;
    for (const [other, { node }] of this.#nodes) {
      const [dx, dy] = middleOf(node).map((value, i) => value - [x, y][i]);
      const along = dx * right + dy * down;
      const cost = along + 2.5 * Math.abs(dx * down + dy * right);
      if (along > 1 && (nearest === null || cost < nearest.cost)) nearest = { other, cost };
    }
    if (nearest === null) return;
    this.#nodes.get(part).node.setAttribute("tabindex", -1);
    this.#current = nearest.other;
    this.#nodes.get(nearest.other).node.setAttribute("tabindex", 0);
    this.#nodes.get(nearest.other).node.focus();
  }
}
