// A game that is over, move by move, with the move that would have won.

import { element } from "../core/dom.js";
import { t } from "../core/texts.js";

/** `point` is what `Match.turningPoint` gives; positions are shown on a board. */
export class Review {
  #match; #point; #board; #fail; #words; #place; #steps; #better;
  #count; // moves that are shown
  #isBetter = false;
  #asked = 0;

  constructor(match, point, board, fail) {
    this.#match = match;
    this.#point = point;
    this.#board = board;
    this.#fail = fail;
    this.#count = point ? point.steps : match.steps.length;
    this.#words = element("p", { class: "lost", id: "lost", role: "status" });
    this.#place = element("span", { class: "count", role: "status" });
    const step = (sign, name, by) => element("button", { type: "button", class: "step", "aria-label": t(name),
      click: () => this.#go(this.#count + by) }, sign);
    this.#steps = [step("◀", "lost.prev", -1), step("▶", "lost.next", 1)];
    this.#better = element("button", { type: "button", class: "quiet", id: "better",
      click: () => this.#toggle() });
    this.element = element(
      "div", { class: "review" }, this.#words,
      element("div", { class: "walk" }, this.#steps[0], this.#place, this.#steps[1], this.#better),
    );
  }

  /** Shows where the game was lost, with the better move drawn. */
  async begin() {
    const point = this.#point;
    if (point) {
      const name = this.#match.name(this.#match.mover(point.steps));
      this.#words.textContent = t(`lost.${name}`, { move: point.steps + 1 });
      await this.#toggle();
    } else {
      const loser = this.#match.name(1 - this.#match.winner);
      this.#words.textContent = t(point === null ? `never.${loser}` : "lost.unknown");
      this.#show(this.#match.now);
    }
  }

  /** Draws the better move at the turning point, or what was played there. */
  async #toggle() {
    const { steps, better } = this.#point;
    this.#isBetter = !this.#isBetter;
    this.#count = steps + 1;
    if (this.#isBetter && this.#match.found[steps].scene) {
      this.#show(this.#match.found[steps]);
      this.#board.point(better);
      return;
    }
    if (!this.#isBetter) {
      this.#show(this.#match.found[this.#count]);
      return;
    }
    this.#asked += 1;
    const asked = this.#asked;
    try {
      const found = await this.#match.at([...this.#match.steps.slice(0, steps), better]);
      if (asked === this.#asked && this.element.isConnected) this.#show(found);
    } catch (error) {
      if (this.element.isConnected) this.#fail(error);
    }
  }

  #go(count) {
    this.#asked += 1;
    this.#isBetter = false;
    this.#count = count;
    this.#show(this.#match.found[count]);
  }

  #show(found) {
    const all = this.#match.steps.length;
    this.#board.playable = false;
    this.#board.show(found, false);
    this.#steps[0].disabled = this.#count === 0;
    this.#steps[1].disabled = this.#count === all;
    this.#place.textContent = this.#isBetter
      ? t("lost.better") : this.#count ? t("lost.step", { move: this.#count, all }) : t("lost.start");
    this.#better.hidden = !this.#point;
    this.#better.textContent = t(this.#isBetter ? "lost.played" : "lost.better");
  }
}
