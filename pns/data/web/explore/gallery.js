// The gallery: who wins n spots, each with its first move drawn, and first results of other games.

import { ask } from "../core/api.js";
import { element, table } from "../core/dom.js";
import { picture, whenSeen } from "../core/picture.js";
import { t } from "../core/texts.js";
import { inPlay } from "../core/words.js";

const PERIOD = 6;
const spotsInWords = (n) => t(n === 1 ? "gallery.spot" : "gallery.spots", { n });

/** The drawing of a result: its first move, which is asked for when it is looked at, or its start. */
function resultPicture({ game, start, outcome, certificate }) {
  const place = element("span", { class: "first" });
  if (outcome !== "win") {
    place.append(picture({ game, position: start }, ""));
    return place;
  }
  whenSeen(place, async () => {
    const { best } = await ask("why", { game, position: start, source: certificate ?? "" }).catch(() => ({}));
    place.append(picture({ game, position: best ?? start, ...(best ? { start, steps: [best] } : {}) }, ""));
  });
  return place;
}

/** A result as a card. */
function card(one, name, open) {
  return element("li", { class: "card " + one.outcome },
    element("button", { type: "button", class: "shown", click: () => open(one),
      "aria-label": `${name}: ${t("gallery." + one.outcome)}` }, resultPicture(one)),
    element("span", { class: "foot" }, element("b", {}, name),
      element("span", { class: "mark " + one.outcome }, t("gallery.sign." + one.outcome))));
}

/** The results as a table of six columns: the remainder of n decides. */
function remainders(spots, open) {
  const rows = [];
  for (let base = 0; base <= spots.at(-1).n; base += PERIOD) {
    rows.push(Array.from({ length: PERIOD }, (_, rest) => {
      const one = spots.find(({ n }) => n === base + rest);
      if (!one) return "";
      return element("button", { type: "button", class: "cell " + one.outcome, click: () => open(one),
        "aria-label": `${spotsInWords(one.n)}: ${t("gallery." + one.outcome)}` },
      String(one.n), element("b", {}, t("gallery.sign." + one.outcome)));
    }));
  }
  return table(Array.from({ length: PERIOD }, (_, rest) => String(rest)), rows);
}

/** Shows the gallery; `open(result)` shows one. */
export async function showGallery(place, open) {
  const { spots, firsts } = await ask("gallery");
  const titles = new Map((await ask("games")).games.map(({ name, title }) => [name, title]));
  place.replaceChildren(
    element("p", { class: "words" }, t(inPlay("gallery.about"))),
    element("ul", { class: "cards" }, ...spots.map((one) => card(one, spotsInWords(one.n), open))),
    element("h3", {}, t("gallery.remainders")),
    element("p", { class: "legend" }, t(inPlay("gallery.pattern"))),
    element("div", { class: "remainders" }, remainders(spots, open)),
    ...(firsts.length ? [
      element("h3", {}, t("gallery.firsts")),
      element("p", { class: "legend" }, t("gallery.firstsAbout")),
      element("ul", { class: "cards" }, ...firsts.map((one) =>
        card(one, `${titles.get(one.game)}, ${one.size}`, open))),
    ] : []),
  );
}
