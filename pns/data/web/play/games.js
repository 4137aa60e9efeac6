// The games that can be played, and their texts.

import { ask } from "../core/api.js";
import { t } from "../core/texts.js";

const LIST = "list"; // the board of a game of which only moves are listed

/** The games of the page, that of the address or the server first. */
export async function playableGames() {
  const { games } = await ask("games");
  return games.filter(({ board }, i) => i === 0 || board !== LIST);
}

/** The rules of a game in sentences, in the language of the page if there are any. */
export function rulesOf(game) {
  const key = `game.${game.name}.rules`;
  const words = t(key);
  return words === key ? game.rules : words;
}

/** How a move of a game is made on its board. */
export function howTo(game) {
  const key = `how.${game.name}`;
  const words = t(key);
  return words === key ? t("turn.touch") : words;
}

/** The values of the sizes of a game: those wanted that it allows, otherwise its usual ones. */
export function sizesOf(game, wanted) {
  return Object.fromEntries(game.sizes.map(({ name, least, most, value }) => {
    const given = Number(wanted(name));
    return [name, Number.isInteger(given) && given >= least && given <= most ? given : value];
  }));
}

/** The text of a start with some sizes. */
export async function startOf(game, sizes) {
  const { start } = await ask("start", { game: game.name, sizes });
  return start;
}
