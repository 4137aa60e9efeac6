// A sheet of a position: the corners that lines can join, what is known of the lines, and a move in
// the making.

import { t } from "../core/texts.js";

export const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

/** A sheet: its corners, and what is known of the lines between them. */
export class Sheet {
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
export class Move {
  constructor(number, sheet, from, to) {
    this.number = number;
    this.sheet = sheet;
    this.pairs = sheet.pairs(from, to);
    this.way = 0;
    this.left = new Set();
    this.outside = null; // whether its left is outside; null: the side with more on it
  }

  get others() { return this.sheet.others(this.pairs[this.way]); }

  get step() {
    const [first, second] = this.pairs[this.way];
    return [this.number, first.corner, second.corner, [...this.left], this.outside];
  }

  get words() {
    const [first, second] = this.pairs[this.way];
    const ends = { from: first.spot + 1, to: second.spot + 1 };
    return t(first.spot === second.spot ? "board.loop" : "board.line", ends);
  }

  nextWay() {
    this.way = (this.way + 1) % this.pairs.length;
    this.left.clear();
  }

  toggle(boundary) {
    if (!this.left.delete(boundary)) this.left.add(boundary);
  }
}
