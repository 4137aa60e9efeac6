// The database: look up, filter, statistics.

import { ask } from "../core/api.js";
import { element, positionButton, table } from "../core/dom.js";

/** Counts as bars. */
function bars(title, unit, pairs) {
  const most = Math.max(1, ...pairs.map(([, count]) => count));
  const rows = pairs.map(([value, count]) => {
    const bar = element("span", { class: "bar" });
    bar.style.width = `${(100 * count) / most}%`;
    return [String(value), count.toLocaleString(), bar];
  });
  return [element("h3", {}, title), table([unit, "facts", ""], rows)];
}

/** G(0*n) for all n that are known, as cells. */
function startNumbers(starts, show) {
  if (!starts.length) return [];
  const cells = starts.map(({ n, number }) => {
    const text = n === 1 ? "0" : `0*${n}`;
    const label = `${n} ${n === 1 ? "spot" : "spots"}: Grundy number ${number}`;
    return element("button", { type: "button", class: "cell " + (number ? "win" : "loss"), title: label,
      "aria-label": label, click: () => show(text) },
      element("small", {}, String(n)), element("b", {}, String(number)));
  });
  return [
    element("h3", {}, "Grundy numbers of n spots"),
    element("p", { class: "legend" }, "Above n, below G(0*n); 0 is a loss for the player to move."),
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
    const rows = found.facts.map((fact) => [positionButton(fact.land, show), String(fact.number)]);
    results.replaceChildren(table([`of ${found.known.toLocaleString()} facts`, "number"], rows));
    if (!rows.length) results.append(element("p", {}, "None is as asked for."));
    if (found.more) {
      const next = () => { skip += rows.length; look().catch(refused); };
      results.append(element("button", { type: "button", click: next }, "More"));
    }
  };
  const count = async () => {
    const found = await ask("statistics", words);
    const part = found.counted < found.known
      ? [element("p", {}, `The first ${found.counted.toLocaleString()} of ${found.known.toLocaleString()} facts.`)] : [];
    results.replaceChildren(
      ...part, ...startNumbers(found.starts, show),
      ...bars("Facts by Grundy number", "number", found.by_number),
      ...bars("Facts by lives", "lives", found.by_lives),
    );
  };
  const find = (event) => {
    event.preventDefault();
    skip = 0;
    look().catch(refused);
  };
  const form = element(
    "form", { class: "form", submit: find },
    element("label", {}, "Contains", contains), element("label", {}, "Grundy number", number),
    element("button", {}, "Find"),
    element("button", { type: "button", click: () => count().catch(refused) }, "Statistics"),
  );
  place.replaceChildren(form, results);
}
