// The card with which a game begins: how many spots, against whom, who begins.

import { element, shape } from "../core/dom.js";
import { t } from "../core/texts.js";
import { OPPONENTS } from "./match.js";

const MOST = 44;

/** Spots as a game begins with, for a small picture: on a circle, or in a disc. */
function places(count) {
  if (count === 1) return [[0, 0]];
  const turn = Math.PI * (3 - Math.sqrt(5));
  return Array.from({ length: count }, (_, i) => {
    const [radius, angle] = count < 9
      ? [1, Math.PI - (2 * Math.PI * i) / count] : [Math.sqrt((i + 0.5) / count) * 1.15, turn * i];
    return [radius * Math.cos(angle), -radius * Math.sin(angle)];
  });
}

function picture(count) {
  const size = Math.min(0.19, 0.62 / Math.sqrt(count));
  const spots = places(count).flatMap(([x, y]) => [
    shape("circle", { class: "body", cx: x, cy: y, r: size }),
    ...[0, 1, 2].map((i) => shape("circle", {
      class: "life", r: size * 0.22,
      cx: x + size * 0.42 * Math.sin((2 * Math.PI * i) / 3), cy: y - size * 0.42 * Math.cos((2 * Math.PI * i) / 3),
    })),
  ]);
  return shape("svg", { class: "sprouts few", viewBox: "-1.4 -1.4 2.8 2.8", "aria-hidden": "true" }, ...spots);
}

/** A row of choices of which one is made; `change(value)` is called with another. */
function choice(name, legend, values, value, change) {
  return element(
    "fieldset", { class: "choice", id: `choice-${name}` }, element("legend", {}, legend),
    ...values.map(([key, words]) => element(
      "label", {},
      element("input", { type: "radio", name, value: key, checked: key === value, change: () => change(key) }),
      element("span", {}, words),
    )),
  );
}

/** The card; `chosen` is what it begins with, `start(chosen)` is called for a new game. */
export function startCard(chosen, start, showRules) {
  const wanted = { ...chosen };
  const image = element("div", { class: "preview" });
  const number = element("output", { class: "number", for: "spots" });
  const slider = element("input", { type: "range", id: "spots", min: 1, max: MOST, value: wanted.spots,
    "aria-label": t("play.spots"), input: () => setSpots(slider.valueAsNumber) });
  const stepper = (sign, name, by) => element("button", { type: "button", class: "step", "aria-label": t(name),
    click: () => setSpots(wanted.spots + by) }, sign);
  const first = choice("first", t("play.first"), [["me", t("play.me")], ["computer", t("play.computer")]],
    wanted.first, (value) => { wanted.first = value; });

  function setSpots(count) {
    wanted.spots = Math.max(1, Math.min(MOST, count));
    slider.value = wanted.spots;
    number.textContent = wanted.spots;
    image.replaceChildren(picture(wanted.spots));
  }
  function setAgainst(value) {
    wanted.against = value;
    first.hidden = value === "friend";
  }
  setSpots(wanted.spots);
  setAgainst(wanted.against);
  return element(
    "form", { class: "card", submit: (event) => {
      event.preventDefault();
      start(wanted);
    } },
    element("div", { class: "card-top" }, image, element("div", {},
      element("h1", {}, t("play.title")), element("p", { class: "tagline" }, t("play.tagline")),
      element("button", { type: "button", class: "link", click: showRules }, t("play.rules")))),
    element("div", { class: "spots", role: "group", "aria-label": t("play.spots") },
      element("span", { class: "legend-like" }, t("play.spots")), stepper("−", "play.fewer", -1), number,
      stepper("+", "play.more", 1), slider),
    choice("against", t("play.against"), OPPONENTS.map((key) => [key, t(`play.${key}`)]), wanted.against, setAgainst),
    first,
    element("button", { class: "primary large" }, t("play.start")),
  );
}
