// The parts of a sum side by side, with their Grundy numbers and how these add up.

import { ask } from "../core/api.js";
import { element, table } from "../core/dom.js";
import { picture } from "../core/picture.js";
import { t } from "../core/texts.js";
import { traits } from "../core/words.js";

/** The powers of two of a number, the largest first. */
export function powers(number) {
  return [128, 64, 32, 16, 8, 4, 2, 1].filter((power) => number & power);
}

/** The addition: numbers as powers of two, of which equal ones cancel in pairs. */
function addition(parts, total) {
  const all = powers(Math.max(...parts.map(({ number }) => number), total)).length
    ? [128, 64, 32, 16, 8, 4, 2, 1].filter((power) => parts.some(({ number }) => number & power)) : [];
  const row = (name, number) => [name, ...all.map((power) => (number & power ? String(power) : "·")), `*${number}`];
  return table([t("sums.part"), ...all.map(String), t("sums.number")],
    [...parts.map(({ number }, i) => row(String(i + 1), number)), row(t("sums.total"), total)]);
}

/**
 * Shows a position as its parts; the place is hidden where there is only one. `words` name the source
 * and the game.
 */
export async function showSum(place, position, words, show) {
  place.dataset.position = position;
  const found = await ask("parts", { ...words, position });
  if (place.dataset.position !== position) return; // another one is on the board
  const { parts, number } = found;
  place.hidden = parts.length < 2;
  if (place.hidden) return;
  const figures = parts.map((part, i) => element("li", { class: "card" },
    element("button", { type: "button", class: "shown", click: () => show(part.text),
      "aria-label": t("sums.open", { number: i + 1 }) },
    traits.pictures ? picture({ ...words, position: part.text }, "") : "", element("code", { class: "notation" }, part.text)),
    element("span", { class: "foot" }, part.number === null ? t("sums.unknown") : `*${part.number}`)));
  const meaning = number === null ? t("sums.undecided")
    : number === 0 ? t("sums.zero") : t("sums.more", { number });
  place.replaceChildren(
    element("h3", {}, t("sums.title")),
    element("ul", { class: "cards" }, ...figures),
    ...(number === null ? [] : [addition(parts, number)]),
    element("p", { class: "words" }, meaning),
  );
}
