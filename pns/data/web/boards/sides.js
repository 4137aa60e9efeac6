// What lies inside a line that divides a region: chosen spot by spot, or by a line around them.

import { element } from "../core/dom.js";
import { t } from "../core/texts.js";

/** Whether a point lies within a closed line. */
function isInside({ x, y }, points) {
  let inside = false;
  points.forEach(([ax, ay], i) => {
    const [bx, by] = points.at(i - 1);
    if ((ay > y) !== (by > y) && x < ax + ((y - ay) * (bx - ax)) / (by - ay)) inside = !inside;
  });
  return inside;
}

/** The choice for a move; `spots` are those of its sheet, `end(isDone)` is called at the end. */
export class SideChoice {
  #move; #spots; #end; #bar; #count; #place;

  constructor(place, move, spots, end) {
    this.#move = move;
    move.outside = false; // what is chosen lies inside
    const boundaryOf = new Map();
    for (const c of move.sheet.corners) {
      if (move.others.some(({ boundary }) => boundary === c.boundary)) boundaryOf.set(c.spot, c.boundary);
    }
    this.#spots = spots.map((s) => ({ ...s, boundary: boundaryOf.get(s.spot) }));
    this.#end = end;
    this.#place = place;
    this.#count = element("span", { class: "count", role: "status" });
    this.#bar = element(
      "div", { class: "sides", role: "group", "aria-label": t("board.inside") },
      this.#count,
      element("button", { class: "quiet", type: "button", click: () => this.#finish(false) }, t("board.cancel")),
      element("button", { class: "primary", type: "button", click: () => this.#finish(true) }, t("board.done")),
    );
    place.append(this.#bar);
    place.classList.add("choosing");
    this.#show();
  }

  /** Moves what has a spot to the other side. */
  toggle(number, spot) {
    const found = this.#spots.find((s) => s.number === number && s.spot === spot);
    if (found?.boundary === undefined) return;
    this.#move.toggle(found.boundary);
    this.#show();
  }

  /** Puts inside what a line goes around. */
  enclose(points) {
    for (const { boundary, middle } of this.#spots) {
      if (boundary !== undefined && isInside(middle, points)) this.#move.left.add(boundary);
    }
    this.#show();
  }

  /** Ends the choice without a move. */
  close() {
    this.#bar.remove();
    this.#place.classList.remove("choosing");
  }

  #finish(isDone) {
    this.close();
    for (const { hit } of this.#spots) hit.classList.remove("inside", "aside");
    this.#end(isDone);
  }

  #show() {
    let inside = 0;
    for (const { hit, spot, boundary } of this.#spots) {
      const isIn = this.#move.left.has(boundary);
      inside += isIn;
      hit.classList.toggle("inside", isIn);
      hit.classList.toggle("aside", boundary === undefined);
      hit.setAttribute("aria-pressed", String(isIn));
      hit.setAttribute("aria-label", t(isIn ? "board.isIn" : "board.isOut", { spot: spot + 1 }));
    }
    const all = this.#spots.filter(({ boundary }) => boundary !== undefined).length;
    this.#count.textContent = t("board.count", { inside, outside: all - inside });
  }
}
