// Why a position is won or lost, as drawings that one steps through: the winner's moves are drawn,
// the loser's are chosen.

import { element } from "../core/dom.js";
import { picture } from "../core/picture.js";
import { t } from "../core/texts.js";
import { inPlay, traits } from "../core/words.js";

const MOST_ANSWERS = 40;

/** A walk through the proof of a position. */
export class Walk {
  #place; #context;
  #start = "";
  #line = []; // { position, by: "winner" | "loser" | null }
  #at = 0;
  #turn = 0;

  /**
   * `context` has ask(name, data), which names the source, named() with the name of the game, and
   * show(text).
   */
  constructor(place, context) {
    this.#place = place;
    this.#context = context;
  }

  /** Begins at a position. */
  begin(position) {
    this.#start = position;
    this.#line = [{ position, by: null }];
    return this.#go(0);
  }

  /** The position from which the walk began. */
  get start() { return this.#start; }

  async #go(at) {
    const turn = ++this.#turn;
    this.#at = at;
    const { position } = this.#line[at];
    try {
      const found = position === "!" ? null
        : await this.#context.ask("why", { position });
      if (turn === this.#turn) this.#show(found);
    } catch (error) {
      if (turn === this.#turn) this.#place.replaceChildren(element("p", {}, error.message));
    }
  }

  /** Goes to a position after the present one; what was seen after it is forgotten if it differs. */
  #step(position, by) {
    if (this.#line[this.#at + 1]?.position !== position) {
      this.#line = [...this.#line.slice(0, this.#at + 1), { position, by }];
    }
    return this.#go(this.#at + 1);
  }

  #drawing() {
    if (!traits.pictures) return "";
    const { position, by } = this.#line[this.#at];
    const before = by ? { start: this.#line[this.#at - 1].position, steps: [position] } : {};
    return picture({ ...this.#context.named(), position, ...before }, t("explore.drawingOf", { position }));
  }

  #show(found) {
    const { position, by } = this.#line[this.#at];
    const isLost = found === null || found.outcome === "loss";
    const key = found?.outcome === null ? "unknown"
      : found === null || (isLost && !found.answers.length) ? "end" : by ?? found.outcome;
    const parts = [
      element("p", { class: "words", role: "status" }, t(key === "end" ? inPlay("why.end") : "why." + key)),
      element("div", { class: "large" }, this.#drawing()),
      element("code", { class: "notation" }, position),
    ];
    const next = this.#line[this.#at + 1];
    const forward = found?.best ?? next?.position ?? null;
    const onward = () => this.#step(forward, found.best ? "winner" : next.by);
    parts.push(element("div", { class: "tools" },
      element("button", { type: "button", disabled: this.#at === 0, click: () => this.#go(this.#at - 1) },
        t("why.previous")),
      element("button", { type: "button", class: "primary", disabled: forward === null, click: onward },
        t("why.next")),
      element("span", { class: "count" }, t("why.step", { number: this.#at + 1 })),
      element("button", { type: "button", class: "quiet", click: () => this.#context.show(position) },
        t("why.board"))));
    if (isLost && found?.answers.length) parts.push(this.#answers(position, found.answers));
    this.#place.replaceChildren(...parts);
  }

  /** The moves of the loser, each of which leads to its answer. */
  #answers(position, answers) {
    const cards = answers.slice(0, MOST_ANSWERS).map(({ to, answer }, i) => element("li", { class: "card" },
      element("button", { type: "button", class: "shown", "data-to": to, disabled: !answer && to !== "!",
        "aria-label": t("why.choose", { number: i + 1 }), click: () => this.#step(to, "loser") },
      traits.pictures ? picture({ ...this.#context.named(), position: to, start: position, steps: [to] }, "") : "",
      element("code", { class: "notation" }, to)),
      answer || to === "!" ? "" : element("span", { class: "foot" }, t("why.noAnswer"))));
    const left = answers.length - cards.length;
    return element("section", {}, element("h3", {}, t("why.answers")),
      element("ul", { class: "cards" }, ...cards),
      ...(left > 0 ? [element("p", {}, t("why.left", { count: left }))] : []));
  }
}
