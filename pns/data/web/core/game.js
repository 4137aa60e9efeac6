// The game on the board: a start, steps from it, who made them, and what the server knows.

import { ask } from "./api.js";
import { t } from "./texts.js";
import { wait } from "./wait.js";
import { inPlay } from "./words.js";

const ANIMATION = 600; // milliseconds in which a line is drawn
const PACE = 1400; // milliseconds between two moves that are played out
const THINKING = 1; // seconds for a move of the solver

/**
 * `views` has what a new position is shown with: shown(game, move), redrawn(sheets),
 * marked(sheets), say(text), fail(error).
 */
export class Game {
  name = ""; // of the game; that of the server where it is empty
  source = "";
  start = "";
  steps = [];
  found = null; // the server's answer about the position
  solverAnswers = false;
  #views;
  #undone = []; // lists of steps
  #bySolver = []; // for each step whether the solver made it
  #move = null; // the last one, if it can be changed
  #turn = 0; // grows with each position; what was asked for an older one is dropped
  #begun = 0; // grows with each beginning; what was to be shown before is dropped
  #isClosed = false;
  #last = Promise.resolve(); // what is done last; each waits for the one before

  constructor(views) {
    this.#views = views;
  }

  /** The game, for questions. */
  get named() { return this.name ? { game: this.name } : {}; }
  get canUndo() { return this.steps.length > 0; }
  get canRedo() { return this.#undone.length > 0; }
  get isOver() { return this.found.moves?.length === 0; }

  /** Begins again from a position; true once it is shown. */
  begin(start, steps = []) {
    this.#begun += 1;
    return this.#next(async () => {
      if (!await this.#show(start, steps, steps.map(() => false))) return false;
      this.#undone = [];
      this.#views.moved(this);
      this.#follow(this.#turn, false);
      return true;
    });
  }

  /** Ends the game: nothing more is shown. */
  close() {
    this.#isClosed = true;
    this.#turn += 1;
  }

  /** Makes a move, drawn or as a text; `move` is what of it can be changed. */
  play(step, move = null, bySolver = false) {
    const turn = this.#turn;
    return this.#next(async () => {
      if (turn !== this.#turn) return false; // it was a move of another position
      const by = [...this.#bySolver, bySolver];
      if (!await this.#show(this.start, [...this.steps, step], by, move)) return false;
      this.#undone = [];
      this.#views.moved(this);
      this.#follow(this.#turn, this.solverAnswers && !bySolver);
      return true;
    });
  }

  /** The move that a line drawn on a sheet means: the answer to `stroke`, null if there is none. */
  async read(sheet, points) {
    try {
      return await this.#ask("stroke", { start: this.start, steps: this.steps, sheet, points });
    } catch (error) {
      this.#views.fail(error);
      return null;
    }
  }

  /** Makes the last move again as it is chosen now. */
  replay(move) {
    return this.#next(async () => {
      if (move !== this.#move) return; // it is no longer the last one
      const last = this.#bySolver.lastIndexOf(false);
      const steps = [...this.steps.slice(0, last), move.step];
      if (await this.#show(this.start, steps, this.#bySolver.slice(0, last + 1), move)) {
        this.#follow(this.#turn, this.solverAnswers);
      }
    });
  }

  /** Takes back the last move, and with the solver as a player its answer too. */
  undo() {
    return this.#next(async () => {
      let left = this.steps.length - 1;
      while (this.solverAnswers && left > 0 && this.#bySolver[left]) left -= 1;
      if (left < 0) return;
      const taken = this.steps.slice(left).map((step, i) => [step, this.#bySolver[left + i]]);
      if (await this.#show(this.start, this.steps.slice(0, left), this.#bySolver.slice(0, left))) {
        this.#undone.push(taken);
        this.#views.moved(this);
        this.#follow(this.#turn, false);
      }
    });
  }

  /** Makes the moves again that were taken back last. */
  redo() {
    return this.#next(async () => {
      const taken = this.#undone.at(-1);
      if (!taken) return;
      const steps = [...this.steps, ...taken.map(([step]) => step)];
      if (await this.#show(this.start, steps, [...this.#bySolver, ...taken.map(([, by]) => by)])) {
        this.#undone.pop();
        this.#views.moved(this);
        this.#follow(this.#turn, false);
      }
    });
  }

  /** Asks again what is known. */
  renew() {
    return this.#next(async () => {
      if (await this.#show(this.start, this.steps, this.#bySolver)) this.#follow(this.#turn, false);
    });
  }

  /** Lets the solver move. */
  async letSolverMove() {
    const turn = this.#turn;
    this.#views.say(t("solver.thinks"));
    try {
      const answer = await this.#answer(THINKING);
      if (turn !== this.#turn) return;
      if (answer.to === null) this.#views.say(t("solver.noMove"));
      else if (await this.play(answer.to, null, true)) this.#views.say(solverWords(answer, this));
    } catch (error) {
      this.#views.fail(error);
    }
  }

  /** Plays both sides by what is known, until the end or until something else is done. */
  async playOut() {
    for (let moves = 0; ; moves += 1) {
      const turn = this.#turn;
      let answer;
      try {
        answer = await this.#answer(0);
      } catch (error) {
        this.#views.fail(error);
        return;
      }
      if (turn !== this.#turn) return;
      if (answer.to === null || answer.source !== "facts") {
        this.#views.say(answer.to === null
          ? t(inPlay("solver.lost")) : t("solver.unknown"));
        return;
      }
      if (!await this.play(answer.to, null, true)) return;
      this.#views.say(t(answer.wins ? "solver.won" : "solver.longest", { number: moves + 1 }));
      const shown = this.#turn;
      await wait(PACE);
      if (shown !== this.#turn) return;
    }
  }

  /** Draws the rest, once a position is shown: marks, a drawing at rest, the solver's answer. */
  async #follow(turn, answers) {
    const isPast = () => turn !== this.#turn;
    const { source, start, steps } = this;
    if (!this.found.sheets.some((sheet) => sheet.drawn)) {
      if (answers && !this.isOver) await this.letSolverMove();
      return;
    }
    try {
      const marked = await this.#ask("marks", { source, start, steps });
      if (isPast()) return;
      this.#views.marked(marked.sheets);
      if (this.found.restless || answers) await wait(ANIMATION);
      for (let { restless } = this.found; restless && !isPast();) {
        const settled = await this.#ask("settle", { start, steps });
        if (isPast()) return;
        this.found.sheets = settled.sheets;
        this.#views.redrawn(settled.sheets);
        restless = settled.restless;
      }
    } catch (error) {
      if (!isPast()) this.#views.fail(error);
    }
    if (answers && !isPast() && !this.isOver) await this.letSolverMove();
  }

  #ask(question, data) {
    return ask(question, { ...this.named, ...data });
  }

  #answer(seconds) {
    return this.#ask("reply", { source: this.source, position: this.found.position, seconds });
  }

  /** Does something after all that was asked for before, unless the game begins again until then. */
  #next(action) {
    const isPast = this.#isPast();
    const done = this.#last.then(() => !isPast() && action());
    this.#last = done.catch((error) => this.#views.fail(error));
    return done;
  }

  /** Says from now on whether the game has begun again, or has been closed. */
  #isPast() {
    const begun = this.#begun;
    return () => begun !== this.#begun || this.#isClosed;
  }

  /** Shows the position after steps; false if there is none, or none is wanted any longer. */
  async #show(start, steps, bySolver, move = null) {
    const isPast = this.#isPast();
    let found;
    try {
      found = await this.#ask("position", { source: this.source, start, steps });
    } catch (error) {
      if (!isPast()) this.#views.fail(error);
      return false;
    }
    if (isPast()) return false;
    this.found = found;
    this.#move = move;
    this.#turn += 1;
    Object.assign(this, { start: this.found.start, steps });
    this.#bySolver = bySolver;
    this.#views.shown(this, move);
    return true;
  }
}

function solverWords({ wins, source }, game) {
  const words = [t("solver.moved"), t(`solver.${source}${source === "bounds" ? "" : wins ? ".win" : ".loss"}`)];
  if (game.isOver) words.push(t(game.found.outcome ? inPlay("solver.over") : "solver.overOrDraw"));
  return words.join(" ");
}
