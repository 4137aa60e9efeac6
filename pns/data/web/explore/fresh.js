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
  const select = element("select", { "aria-label": t("play.game"), change: () => {
    const chosen = games.find((one) => one.name === select.value);
    startOf(chosen, sizesOf(chosen, () => NaN)).then((start) => other(chosen.name, start)).catch(fail);
  } }, ...games.map((one) => element("option", { value: one.name, selected: one === game }, one.title)));
  place.replaceChildren(select, ...game.sizes.map((size) => stepper(size, sizes[size.name], (value) => {
    sizes[size.name] = value;
    startOf(game, sizes).then((start) => other(name, start)).catch(fail);
  })));
}
