// The rules in two sentences, with a picture of each kind of move.

import { ask } from "../core/api.js";
import { element } from "../core/dom.js";
import { t } from "../core/texts.js";

const PICTURES = [
  ["rules.before", []],
  ["rules.line", [[0, -1, -2, []]]],
  ["rules.loop", [[0, -1, -1, [], false]]],
];

async function figure([words, steps]) {
  if (steps.length) for (let round = 0; round < 2; round += 1) await ask("settle", { start: "0*2", steps });
  const { sheets } = await ask("position", { start: "0*2", steps });
  const image = element("div", { class: "picture" });
  const svg = new DOMParser().parseFromString(sheets[0].svg, "image/svg+xml").documentElement;
  svg.querySelector("style")?.remove();
  svg.querySelector("title")?.remove();
  image.append(document.importNode(svg, true));
  return element("figure", {}, image, element("figcaption", {}, t(words)));
}

/** Shows the rules above the page until they are closed. */
export async function showRules(fail) {
  const pictures = element("div", { class: "pictures" });
  const dialog = element(
    "dialog", { class: "rules", "aria-labelledby": "rules-title", close: () => dialog.remove() },
    element("h2", { id: "rules-title" }, t("play.rules")),
    element("p", {}, t("rules.one")), element("p", {}, t("rules.two")), pictures,
    element("form", { method: "dialog" }, element("button", { class: "primary" }, t("play.close"))),
  );
  document.body.append(dialog);
  dialog.showModal();
  try {
    pictures.append(...await Promise.all(PICTURES.map(figure)));
  } catch (error) {
    fail(error);
  }
}
