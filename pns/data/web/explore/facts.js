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
  let asked = 0; // grows with each question; the answer to an older one is dropped

  /** Asks a question, and shows its answer as the elements that `write(found)` gives. */
  const put = async (question, data, write) => {
    asked += 1;
    const now = asked;
    const shown = await ask(question, data).then(write, (error) => [element("p", {}, error.message)]);
    if (now === asked) results.replaceChildren(...shown);
  };
  const look = (wanted) => put("facts", wanted, (found) => {
    const withNumber = (first, second) => (traits.numbers ? [first, second] : [first]);
    const rows = found.facts.map(({ land, number, shows }) => withNumber(
      shows ? positionButton(land, show) : element("code", {}, land), String(number)));
    const count = found.known.toLocaleString();
    const next = () => look({ ...wanted, skip: wanted.skip + rows.length });
    return [
      ...(traits.misere ? [element("p", { class: "legend" }, t("facts.misere"))] : []),
      table(withNumber(t("facts.of", { count }), t("facts.number")), rows),
      ...(rows.length ? [] : [element("p", {}, t("facts.none"))]),
      ...(found.more ? [element("button", { type: "button", click: next }, t("facts.more"))] : []),
    ];
  });
  const count = () => put("statistics", words, (found) => {
    const part = found.counted < found.known
      ? [element("p", {}, t("facts.part",
        { counted: found.counted.toLocaleString(), known: found.known.toLocaleString() }))] : [];
    return [
      ...part, ...startNumbers(found.starts, show),
      ...(traits.numbers ? bars(t("facts.byNumber"), t("facts.number"), found.by_number) : []),
      ...bars(t("facts.byLives"), t("facts.lives"), found.by_lives),
    ];
  });
  const find = (event) => {
    event.preventDefault();
    const wanted = { ...words, contains: contains.value.trim(), skip: 0 };
    look(number.value === "" ? wanted : { ...wanted, number: Number(number.value) });
  };
  const form = element(
    "form", { class: "form", submit: find },
    element("label", {}, t("facts.contains"), contains),
    ...(traits.numbers ? [element("label", {}, t("facts.grundy"), number)] : []),
    element("button", {}, t("facts.find")),
    element("button", { type: "button", click: count }, t("facts.statistics")),
  );
  place.replaceChildren(form, results);
}
