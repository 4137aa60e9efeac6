// The rules in two sentences; those of Sprouts with a picture of each kind of move.

import { ask } from "../core/api.js";
import { element, importedSvg } from "../core/dom.js";
import { t } from "../core/texts.js";
import { inPlay } from "../core/words.js";
import { rulesOf } from "./games.js";

const SPROUTS = { game: "sprouts", start: "0*2" };

const PICTURES = [
  ["rules.before", []],
  ["rules.line", [[0, -1, -2, []]]],
  ["rules.loop", [[0, -1, -1, [], false]]],
];

async function figure([words, steps]) {
  if (steps.length) for (let round = 0; round < 2; round += 1) await ask("settle", { ...SPROUTS, steps });
  const { sheets } = await ask("position", { ...SPROUTS, steps });
  const image = element("div", { class: "picture" });
  const svg = importedSvg(sheets[0].svg);
  svg.querySelector("style")?.remove();
  svg.querySelector("title")?.remove();
  image.append(svg);
  return element("figure", {}, image, element("figcaption", {}, t(words)));
}

/** Shows the rules of a game above the page until they are closed. */
export async function showRules(game, fail) {
  const isDrawn = game.board === "sprouts";
  const sentences = isDrawn ? [t("rules.one"), t(inPlay("rules.two", game.misere))] : [rulesOf(game)];
  const pictures = element("div", { class: "pictures" });
  const dialog = element(
    "dialog", { class: "rules", "aria-labelledby": "rules-title", close: () => dialog.remove() },
    element("h2", { id: "rules-title" }, t("play.rulesOf", { game: game.title })),
    ...sentences.map((words) => element("p", {}, words)), ...(isDrawn ? [pictures] : []),
    element("form", { method: "dialog" }, element("button", { class: "primary" }, t("play.close"))),
  );
  document.body.append(dialog);
  dialog.showModal();
  if (!isDrawn) return;
  try {
    pictures.append(...await Promise.all(PICTURES.map(figure)));
  } catch (error) {
    fail(error);
  }
}
