// The moves of a position as small drawings, those that win first.

import { element } from "../core/dom.js";
import { picture, scenePicture } from "../core/picture.js";
import { t } from "../core/texts.js";
import { traits, worth } from "../core/words.js";

const ORDER = ["win", "draw", "unknown", "loss"];
const MOST = 60; // of a group that are shown at first

/** A move as a card. */
function card(move, verdict, number, game, { play, point, search }) {
  const steps = [...game.steps, move.to];
  const label = t("explore.move", { number });
  const grundy = traits.numbers && move.number !== null
    ? element("span", { class: "grundy", title: t("explore.grundyTitle") }, t("explore.number", { number: move.number }))
    : "";
  const { scene } = game.found;
  const onScene = scene?.moves.find(({ to }) => to === move.to);
  const shown = onScene ? [element("span", { class: "picture scene" }, scenePicture(scene.svg, onScene))]
    : traits.pictures ? [picture({ ...game.named, position: move.to, start: game.start, steps }, "")] : [];
  const button = element("button", { type: "button", class: "shown", "data-to": move.to,
    "aria-label": `${label}, ${t("move." + verdict)}`, click: () => play(move.to) },
  ...shown, element("code", { class: "notation" }, move.to));
  for (const name of ["mouseenter", "focus"]) button.addEventListener(name, () => point(move.to));
  for (const name of ["mouseleave", "blur"]) button.addEventListener(name, () => point(null));
  const foot = verdict === "unknown" && search
    ? element("button", { type: "button", class: "small", "aria-label": t("explore.searchMove", { number }),
      click: () => search(move.to) }, t("explore.search"))
    : element("span", { class: "mark " + verdict }, t("move.sign." + verdict));
  return element("li", { class: "card " + verdict }, button, element("span", { class: "foot" }, foot, grundy));
}

/** A heading and the cards of the moves of one verdict. */
function group(verdict, moves, first, game, actions) {
  const list = element("ul", { class: "cards" });
  const add = (from) => list.append(...moves.slice(from, from + MOST).map((move, i) =>
    card(move, verdict, first + from + i, game, actions)));
  add(0);
  const more = element("button", { type: "button", class: "more", click: () => {
    add(list.childElementCount);
    if (list.childElementCount >= moves.length) more.remove();
  } }, t("explore.more"));
  return element("section", { class: "group " + verdict },
    element("h3", {}, element("span", { class: "mark " + verdict }, t("explore.group." + verdict)),
      " ", element("small", {}, String(moves.length))),
    list, ...(moves.length > MOST ? [more] : []));
}

/**
 * Shows the moves of the position of a game. `actions` has play(text), point(text), and search(text)
 * or null.
 */
export function showMoves(place, game, actions) {
  const { moves, branching, outcome } = game.found;
  if (moves === null) {
    place.replaceChildren(element("p", {}, t("explore.tooMany", { count: branching.toLocaleString() })));
    return;
  }
  const groups = new Map(ORDER.map((verdict) => [verdict, []]));
  for (const move of moves) groups.get(worth(move, outcome)).push(move);
  let first = 1;
  const shown = [];
  for (const [verdict, some] of groups) {
    if (some.length) shown.push(group(verdict, some, first, game, actions));
    first += some.length;
  }
  place.replaceChildren(...shown);
  if (!moves.length) place.append(element("p", {}, t("explore.noMove")));
}

/** Outlines the cards of moves to some positions, and brings the first one into view. */
export function pointAtCards(place, texts) {
  let found = null;
  for (const button of place.querySelectorAll("[data-to]")) {
    const isMeant = texts.includes(button.dataset.to);
    button.parentNode.classList.toggle("pointed", isMeant);
    if (isMeant) found ??= button;
  }
  return found;
}
