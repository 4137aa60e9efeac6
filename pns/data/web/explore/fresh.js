// Another beginning: which game, and how large.

import { ask } from "../core/api.js";
import { element } from "../core/dom.js";
import { t } from "../core/texts.js";
import { stepper } from "../play/card.js";
import { sizesOf, startOf } from "../play/games.js";

/** The size of a start of the kind "0*{size}"; not a number for any other one. */
function sizeIn(start, { start: kind }) {
  const [before, after] = kind.split(/\{\w+\}/);
  const isOfKind = after !== undefined && start.startsWith(before) && start.endsWith(after);
  return isOfKind ? Number(start.slice(before.length, start.length - after.length)) : NaN;
}

/**
 * Shows the choice, with the game of a name and the size of a start; `other(game, start)` is called
 * with what is chosen.
 */
export async function showFresh(place, name, now, other, fail) {
  const { games } = await ask("games");
  const game = games.find((one) => one.name === name);
  const sizes = sizesOf(game, () => sizeIn(now, game));
  let asked = 0; // grows with each choice; the start of an older one is dropped
  const choose = async (chosen, wanted) => {
    asked += 1;
    const choice = asked;
    try {
      const start = await startOf(chosen, wanted);
      if (choice === asked) await other(chosen.name, start);
    } catch (error) {
      if (choice === asked) fail(error);
    }
  };
  const select = element("select", { "aria-label": t("play.game"), change: () => {
    const chosen = games.find((one) => one.name === select.value);
    choose(chosen, sizesOf(chosen, () => NaN));
  } }, ...games.map((one) => element("option", { value: one.name, selected: one === game }, one.title)));
  place.replaceChildren(select, ...game.sizes.map((size) => stepper(size, sizes[size.name], (value) => {
    sizes[size.name] = value;
    choose(game, sizes);
  })));
}
