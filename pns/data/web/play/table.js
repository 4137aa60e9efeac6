// The table at which a game is played: whose turn it is, the board, and what can be asked.

import { boardFor } from "../boards/index.js";
import { element } from "../core/dom.js";
import { t } from "../core/texts.js";
import { wait } from "../core/wait.js";
import { inPlay } from "../core/words.js";
import { howTo, rulesOf } from "./games.js";
import { Review } from "./review.js";

const MOVE = 700; // milliseconds in which a line grows, before the next one begins

/** `app` has note(steps), fail(error), showRules(), fresh() for the card and again() for a new game. */
export class Table {
  #match; #app; #board; #turn; #words; #tools; #prompt; #place;

  constructor(match, app) {
    this.#match = match;
    this.#app = app;
    this.#turn = element("p", { class: "whose", id: "turn", role: "status", "aria-live": "polite" });
    this.#words = element("p", { class: "say", id: "say", role: "status", "aria-live": "polite" });
    this.#prompt = element("div", { class: "prompt", id: "prompt" });
    this.#place = element("div", { class: "sheets", id: "play-board" });
    const tool = (key, click) => element("button", { type: "button", id: `tool-${key}`, click }, t(`play.${key}`));
    this.#tools = {
      undo: tool("undo", () => this.#undo()),
      hint: tool("hint", () => this.#hint()),
      who: tool("who", () => this.#who()),
      rules: tool("rules", app.showRules),
      new: tool("new", app.fresh),
    };
    for (const key of ["undo", "hint", "who"]) this.#tools[key].disabled = true; // until the game is shown
    this.element = element(
      "section", { class: "table", "aria-label": match.game.title },
      element("div", { class: "status" }, this.#turn, this.#words), this.#place, this.#prompt,
      element("div", { class: "tools", role: "toolbar", "aria-label": t("door.play") }, ...Object.values(this.#tools)),
    );
    const say = (text) => { this.#words.textContent = text; };
    const read = (sheet, points) => match.ask("stroke", { start: match.start, steps: match.steps, sheet, points })
      .catch((error) => {
        app.fail(error);
        return null;
      });
    const Board = boardFor(match.game.board);
    this.#board = new Board(this.#place, (move) => this.#play(move.step), say, read);
    this.#board.asksSides = true;
    this.#board.isMarked = false;
  }

  /** Shows the game as it stands, and lets the solver move if it is its turn. */
  begin() {
    this.#show();
    return this.#goOn();
  }

  /** Ends the game; what is under way is dropped. */
  close() { this.#match.shown += 1; }

  /** Shows a position, its status and its tools. */
  #show() {
    const match = this.#match;
    this.#prompt.replaceChildren();
    this.#board.playable = !match.isSolversTurn && !match.isOver;
    this.#board.show(match.now, false);
    this.#place.classList.toggle("waits", match.isSolversTurn);
    this.#turn.dataset.side = (match.isOver ? match.winner : match.mover()) ?? "";
    this.#turn.textContent = this.#headline();
    this.#words.textContent = this.#advice();
    this.element.classList.toggle("over", match.isOver);
    for (const key of ["hint", "who"]) this.#tools[key].disabled = match.isOver || match.isSolversTurn;
    this.#tools.undo.disabled = !match.canUndo || match.isSolversTurn;
    this.#app.note(match.steps);
    if (match.isOver) this.#offerEnd();
  }

  /** Whose turn it is, or who has won. */
  #headline() {
    const match = this.#match;
    if (!match.isOver) return t(`turn.${match.name(match.mover())}`);
    if (match.winner === undefined) return t("end.unknown");
    return t(match.winner === null ? "end.draw" : `end.${match.name(match.winner)}`);
  }

  /** What to do now, and in a game of two colours whose they are. */
  #advice() {
    const match = this.#match;
    const isSprouts = match.game.board === "sprouts";
    const isFirst = match.steps.length < 2;
    if (match.isOver) return isSprouts ? t(inPlay("end.why", match.game.misere)) : "";
    const advice = match.isSolversTurn ? "" : [...(isSprouts ? [t("turn.draw"), ...(isFirst ? [t(inPlay("turn.dots", match.game.misere))] : [])]
      : [...(isFirst ? [rulesOf(match.game)] : []), howTo(match.game)])].join(" ");
    const [colour] = match.now.scene?.turn?.split(" ") ?? [];
    if (!colour) return advice;
    const first = (colour === "blue") === (match.mover() === 0) ? 0 : 1; // the side that is blue
    return `${t(`colours.${match.name(first)}`)} ${advice}`;
  }

  #play(step) {
    return this.#asked(async (isPast) => {
      this.#board.playable = false;
      try {
        if (!await this.#match.play(step)) return;
      } finally {
        if (!isPast()) this.#board.playable = true; // the move is refused
      }
      this.#show();
      await this.#goOn();
    });
  }

  /** Brings the drawing to rest, and plays the solver's move. */
  async #goOn() {
    const match = this.#match;
    const { shown } = match;
    const isPast = () => shown !== match.shown;
    this.#place.setAttribute("aria-busy", "true");
    if (match.now.restless) await wait(MOVE);
    for (let { restless } = match.now; restless && !isPast();) {
      const settled = await match.ask("settle", { start: match.start, steps: match.steps });
      if (isPast()) return;
      match.now.sheets = settled.sheets;
      match.now.restless = settled.restless;
      this.#board.redraw(settled.sheets);
      restless = settled.restless;
    }
    if (isPast()) return;
    this.#place.setAttribute("aria-busy", String(match.isSolversTurn));
    if (!match.isSolversTurn) return;
    const { to } = await match.reply();
    if (isPast()) return;
    if (match.now.scene) { // a drawing shows its newest line, a scene what is about to change
      this.#board.point(to);
      await wait(MOVE);
    }
    if (!isPast()) await this.#play(to);
  }

  #undo() {
    this.#match.undo();
    this.#show();
    return this.#doing(() => this.#goOn());
  }

  /** Shows a move that wins, on the board; it can then be played. */
  #hint() {
    return this.#asked(async (isPast) => {
      const match = this.#match;
      const { wins, to } = await match.judge();
      if (isPast()) return;
      if (!wins) {
        this.#words.textContent = t(wins === null ? "hint.unknown" : "hint.none");
        return;
      }
      if (match.now.scene) this.#board.point(to);
      else {
        const after = await match.at([...match.steps, to]);
        if (isPast()) return;
        this.#board.show(after, false);
      }
      this.#board.playable = false;
      this.#words.textContent = t("turn.preview");
      this.#prompt.replaceChildren(
        element("button", { type: "button", class: "quiet", click: () => this.#show() }, t("turn.back")),
        element("button", { type: "button", class: "primary", click: () => this.#play(to) }, t("turn.take")),
      );
    });
  }

  #who() {
    return this.#asked(async (isPast) => {
      const { wins } = await this.#match.judge();
      if (isPast()) return;
      const mover = this.#match.mover();
      const name = wins === null ? "unknown" : this.#match.name(wins ? mover : 1 - mover);
      this.#words.textContent = t(`who.${name}`);
    });
  }

  #offerEnd() {
    const explain = element("button", { type: "button", class: "quiet", id: "explain" }, t("end.explain"));
    explain.addEventListener("click", () => this.#asked(async (isPast) => {
      explain.disabled = true;
      this.#words.textContent = t("end.looking");
      const point = await this.#match.turningPoint();
      if (isPast()) return;
      const review = new Review(this.#match, point, this.#board, this.#app.fail);
      this.#words.textContent = "";
      this.#prompt.replaceChildren(review.element, this.#again());
      await review.begin();
    }));
    const isLost = (this.#match.winner ?? null) !== null;
    this.#prompt.replaceChildren(...(isLost ? [explain] : []), this.#again());
  }

  #again() {
    return element("button", { type: "button", class: "primary", click: this.#app.again }, t("play.again"));
  }

  /** Does what was asked for; it is dropped once the game goes on. */
  #asked(action) {
    const { shown } = this.#match;
    return this.#doing(() => action(() => shown !== this.#match.shown));
  }

  async #doing(action) {
    try {
      await action();
    } catch (error) {
      this.#app.fail(error);
    }
  }
}
