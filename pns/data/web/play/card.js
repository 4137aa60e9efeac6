// The card with which a game begins: which game, how large, against whom, who begins.

import { element } from "../core/dom.js";
import { t } from "../core/texts.js";
import { inPlay } from "../core/words.js";
import { rulesOf, sizesOf, startOf } from "./games.js";
import { OPPONENTS } from "./match.js";
import { preview } from "./preview.js";

const MANY = 20; // values of a size that get a slider, too

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

/** A size of a game with its buttons; `change(value)` is called with another. */
export function stepper({ name, least, most }, value, change) {
  const label = t(`size.${name}`);
  const number = element("output", { class: "number", id: `size-${name}`, role: "status" }, String(value));
  const set = (wanted) => {
    const next = Math.max(least, Math.min(most, wanted));
    number.textContent = next;
    slider.value = next;
    change(next);
  };
  const slider = element("input", { type: "range", min: least, max: most, value, "aria-label": label,
    input: () => set(slider.valueAsNumber) });
  const step = (sign, key, by) => element("button", { type: "button", class: "step",
    "aria-label": t(key, { size: label }), click: () => set(slider.valueAsNumber + by) }, sign);
  return element("div", { class: "size", role: "group", "aria-label": label },
    element("span", { class: "legend-like" }, label), step("−", "play.fewer", -1), number, step("+", "play.more", 1),
    ...(most - least >= MANY ? [slider] : []));
}

/**
 * The card; `chosen` is what it begins with, `games` are those to choose from. `app` has start(chosen)
 * for a new game, showRules(game) and fail(error).
 */
export function startCard(chosen, games, app) {
  const wanted = { ...chosen };
  let asked = 0; // grows with each picture; an older one is dropped
  const image = element("div", { class: "preview" });
  const title = element("h1", {});
  const tagline = element("p", { class: "tagline" });
  const sizes = element("div", { class: "sizes" });
  const first = choice("first", t("play.first"), [["me", t("play.me")], ["computer", t("play.computer")]],
    wanted.first, (value) => { wanted.first = value; });
  const select = element("select", { id: "game", "aria-label": t("play.game"), change: () => setGame(select.value) },
    ...games.map((game) => element("option", { value: game.name, selected: game === chosen.game }, game.title)));

  async function draw() {
    asked += 1;
    const now = asked;
    const { game, sizes } = wanted;
    try {
      const start = await startOf(game, sizes);
      if (now !== asked) return;
      const picture = await preview(game, start, sizes);
      if (now === asked) image.replaceChildren(...(picture ? [picture] : []));
    } catch (error) {
      if (now === asked) app.fail(error);
    }
  }

  function setGame(name) {
    const game = games.find((one) => one.name === name);
    wanted.sizes = sizesOf(game, (size) => (game === wanted.game ? wanted.sizes[size] : NaN));
    wanted.game = game;
    title.textContent = game.title;
    tagline.textContent = game.board === "sprouts" ? t(inPlay("play.tagline", game.misere)) : rulesOf(game);
    rules.hidden = game.board !== "sprouts"; // the rules of the others are the line above
    image.classList.toggle("scene", game.board !== "sprouts");
    sizes.replaceChildren(...game.sizes.map((size) => stepper(size, wanted.sizes[size.name], (value) => {
      wanted.sizes[size.name] = value;
      draw();
    })));
    draw();
  }

  function setAgainst(value) {
    wanted.against = value;
    first.hidden = value === "friend";
  }

  const rules = element("button", { type: "button", class: "link", click: () => app.showRules(wanted.game) },
    t("play.rules"));
  setGame(wanted.game.name);
  setAgainst(wanted.against);
  return element(
    "form", { class: "opening", submit: (event) => {
      event.preventDefault();
      app.start(wanted);
    } },
    element("div", { class: "opening-top" }, image, element("div", {}, title, tagline, rules)),
    element("label", { class: "game" }, element("span", { class: "legend-like" }, t("play.game")), select),
    sizes,
    choice("against", t("play.against"), OPPONENTS.map((key) => [key, t(`play.${key}`)]), wanted.against, setAgainst),
    first,
    element("button", { class: "primary large" }, t("play.start")),
  );
}
