// A game that two sides play: its steps, whose turn it is, and where it was lost.

import { ask } from "../core/api.js";

const THINKING = 1; // seconds for a move of the solver

/** "perfect", "human" (the solver, mistaken now and then) or "friend" (a person). */
export const OPPONENTS = ["perfect", "human", "friend"];

export class Match {
  steps = [];
  found = []; // the answer to `position` after each number of steps
  shown = 0; // grows with each change; what was asked for an older one is dropped

  /**
   * `game` is one of the question `games`; `me` is the number of the side of the person who plays
   * against the solver: 0 begins.
   */
  constructor({ game, start, against, me, seed }) {
    Object.assign(this, { game, start, against, me, seed });
  }

  get now() { return this.found[this.steps.length]; }
  get isOver() { return this.now.moves?.length === 0; }

  /** The side that has won a game that is over; null for a draw, undefined if not known. */
  get winner() {
    const { outcome } = this.now;
    if (outcome === "draw") return null;
    return outcome ? (outcome === "win" ? this.mover() : 1 - this.mover()) : undefined;
  }

  /** The side that moves after a number of steps. */
  mover(steps = this.steps.length) { return steps % 2; }

  /** "me", "computer", "one" or "two": the name of a side in keys of texts. */
  name(side) {
    if (this.against === "friend") return side === 0 ? "one" : "two";
    return side === this.me ? "me" : "computer";
  }

  get isSolversTurn() { return !this.isOver && this.name(this.mover()) === "computer"; }
  get canUndo() { return this.steps.some((_, i) => this.name(this.mover(i)) !== "computer"); }

  /** Asks a question about the game. */
  ask(question, data) {
    return ask(question, { game: this.game.name, ...data });
  }

  /** Asks for all positions of a game that has begun. */
  async load(steps) {
    this.found = [];
    for (let count = 0; count <= steps.length; count += 1) {
      this.found.push(await this.at(steps.slice(0, count)));
    }
    this.steps = steps;
    this.shown += 1;
  }

  /** The position after any steps. */
  at(steps) {
    return this.ask("position", { start: this.start, steps });
  }

  /**
   * Makes a move, and says whether it is made: not if the game has changed meanwhile. A refusal throws,
   * and changes nothing.
   */
  async play(step) {
    const { shown } = this;
    const steps = [...this.steps, step];
    const found = await this.at(steps);
    if (shown !== this.shown) return false;
    this.found = [...this.found.slice(0, steps.length), found];
    this.steps = steps;
    this.shown += 1;
    return true;
  }

  /** Takes back the last move of a person, and what the solver answered. */
  undo() {
    let left = this.steps.length - 1;
    while (this.name(this.mover(left)) === "computer") left -= 1;
    this.steps = this.steps.slice(0, left);
    this.found.length = left + 1;
    this.shown += 1;
  }

  /** What the solver would do in a position, and who wins it. */
  judge(found = this.now, more = {}) {
    return this.ask("reply", { position: found.position, seconds: THINKING, ...more });
  }

  /** The move of the solver as a player. */
  reply() {
    const strength = this.against === "human" ? "human" : "perfect";
    return this.judge(this.now, { strength, seed: this.seed });
  }

  /**
   * The last position in which the side that lost could still have won: { steps, better }, where
   * better is the text after the move that wins; null if there is none, undefined if not known, or if
   * the game has changed.
   */
  async turningPoint() {
    const { shown } = this;
    const loser = 1 - this.winner;
    for (let count = this.steps.length - 1; count >= 0; count -= 1) {
      if (this.mover(count) !== loser) continue;
      const { wins, to } = await this.judge(this.found[count]);
      if (wins === null || shown !== this.shown) return undefined;
      if (wins) return { steps: count, better: to };
    }
    return null;
  }
}
