// A board for games of which only the moves are known: the pictures of the position, if there are
// any, and a button for each move.

import { element, importedSvg } from "../core/dom.js";
import { t } from "../core/texts.js";
import { verdictOf, SIGNS } from "./verdicts.js";

export class MoveList {
  #place; #play;
  #found = null;
  #isLost = false;
  isMarked = true;
  playable = true;

  constructor(place, play) {
    this.#place = place;
    this.#play = play;
  }

  /** Shows a position; `isLost` says that every move of it loses. */
  show(found, isLost) {
    this.#found = found;
    this.#isLost = isLost;
    this.mark();
  }

  setMarks() {
    this.mark();
  }

  /** Outlines the move to a position, or none. */
  point(text) {
    for (const button of this.#place.querySelectorAll("[data-to]")) {
      button.classList.toggle("pointed", button.dataset.to === text);
    }
  }

  get isAnyKnown() {
    return (this.#found?.moves ?? []).some((move) => verdictOf(move, this.#isLost));
  }

  mark() {
    const { sheets, moves } = this.#found;
    const pictures = sheets.map(({ svg, text }) => {
      const picture = importedSvg(svg);
      picture.setAttribute("role", "img");
      picture.setAttribute("aria-label", text);
      return picture;
    });
    const buttons = (moves ?? []).map((move) => {
      const verdict = this.isMarked ? verdictOf(move, this.#isLost) : "";
      const sign = verdict ? ` ${SIGNS[verdict]}` : "";
      return element("button", { type: "button", "data-to": move.to, class: verdict,
        "aria-label": [move.to, verdict && t("board." + verdict)].filter(Boolean).join(", "),
        click: () => this.playable && this.#play({ step: move.to, words: "" }) }, move.to + sign);
    });
    this.#place.replaceChildren(...pictures, element("div", { class: "move-list" }, ...buttons));
  }
}
