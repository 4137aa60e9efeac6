// The database: look up, filter, statistics.

import { ask } from "../core/api.js";
import { element, positionButton, table } from "../core/dom.js";
import { t } from "../core/texts.js";
import { traits } from "../core/words.js";

/** Counts as bars. */
function bars(title, unit, pairs) {
  const most = Math.max(1, ...pairs.map(([, count]) => count));
  const rows = pairs.map(([value, count]) => {
    const bar = element("span", { class: "bar" });
    bar.style.width = `${(100 * count) / most}%`;
    return [String(value), count.toLocaleString(), bar];
  });
  return [element("h3", {}, title), table([unit, t("facts.count"), ""], rows)];
}

/** G(0*n) for all n that are known, as cells. */
function startNumbers(starts, show) {
  if (!starts.length) return [];
  const cells = starts.map(({ n, number }) => {
    const text = n === 1 ? "0" : `0*${n}`;
    const label = t(n === 1 ? "facts.start1" : "facts.start", { n, number });
    return element("button", { type: "button", class: "cell " + (number ? "win" : "loss"), title: label,
      "aria-label": label, click: () => show(text) },
      element("small", {}, String(n)), element("b", {}, String(number)));
  });
  return [
    element("h3", {}, t("facts.starts")),
    element("p", { class: "legend" }, t("facts.startsAbout")),
    element("div", { class: "cells" }, ...cells),
  ];
}

/** Shows the panel; `words` name the source and the game, `show(text)` puts a position on the board. */
export function showFacts(place, words, show) {
  const contains = element("input", { maxlength: 200, spellcheck: "false" });
  const number = element("input", { type: "number", min: 0, max: 250 });
  const results = element("div", { class: "scroll", "aria-live": "polite" });
  let skip = 0;

  const refused = (error) => results.replaceChildren(element("p", {}, error.message));
  const look = async () => {
    const wanted = { ...words, contains: contains.value.trim(), skip };
    if (number.value !== "") wanted.number = Number(number.value);
    const found = await ask("facts", wanted);
    const withNumber = (first, second) => (traits.numbers ? [first, second] : [first]);
    const rows = found.facts.map(({ land, number, shows }) => withNumber(
      shows ? positionButton(land, show) : element("code", {}, land), String(number)));
    const count = found.known.toLocaleString();
    results.replaceChildren(table(withNumber(t("facts.of", { count }), t("facts.number")), rows));
    if (traits.misere) results.prepend(element("p", { class: "legend" }, t("facts.misere")));
    if (!rows.length) results.append(element("p", {}, t("facts.none")));
    if (found.more) {
      const next = () => { skip += rows.length; look().catch(refused); };
      results.append(element("button", { type: "button", click: next }, t("facts.more")));
    }
  };
  const count = async () => {
    const found = await ask("statistics", words);
    const part = found.counted < found.known
      ? [element("p", {}, t("facts.part",
        { counted: found.counted.toLocaleString(), known: found.known.toLocaleString() }))] : [];
    results.replaceChildren(
      ...part, ...startNumbers(found.starts, show),
      ...(traits.numbers ? bars(t("facts.byNumber"), t("facts.number"), found.by_number) : []),
      ...bars(t("facts.byLives"), t("facts.lives"), found.by_lives),
    );
  };
  const find = (event) => {
    event.preventDefault();
    skip = 0;
    look().catch(refused);
  };
  const form = element(
    "form", { class: "form", submit: find },
    element("label", {}, t("facts.contains"), contains),
    ...(traits.numbers ? [element("label", {}, t("facts.grundy"), number)] : []),
    element("button", {}, t("facts.find")),
    element("button", { type: "button", click: () => count().catch(refused) }, t("facts.statistics")),
  );
  place.replaceChildren(form, results);
}
