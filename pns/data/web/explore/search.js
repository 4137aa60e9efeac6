// The searches: start, stop, what waits, and how far the present one is, by server-sent events.

import { ask, watchSearches } from "../core/api.js";
import { element, positionButton } from "../core/dom.js";
import { picture } from "../core/picture.js";
import { t } from "../core/texts.js";
import { linePlot } from "./plots.js";

const MOST_POINTS = 400; // of a plot
const MOST_DRAWN = 4; // positions of the line of play
const LINE_PAUSE = 4000; // milliseconds before the line of play is drawn again

const figure = (value) => value.toLocaleString();
const outcomeInWords = (outcome) => t("search.outcome." + outcome);

/** What the plots show: a name, a value of a state, and how it is written. */
const SERIES = [
  ["search.proof", (state) => state.root?.[0], figure],
  ["search.disproof", (state) => state.root?.[1], figure],
  ["search.rate", (state) => state.rate, figure],
  ["search.newFacts", (state) => state.facts_new, figure],
  ["search.memory", (state) => state.memory, (bytes) => `${Math.round(bytes / 1e6)} MB`],
];

function figures(state) {
  const shown = [];
  const add = (name, value) => shown.push(element("dt", {}, name), element("dd", {}, value));
  if (state.position) add(t("search.position"), state.position);
  if (state.algorithm) add(t("search.algorithm"), state.algorithm);
  if (state.seconds !== undefined) add(t("search.time"), t("search.timeOf", { seconds: state.seconds, budget: state.budget }));
  if (state.result) {
    const { outcome, stopped_by, winning_move, expansions } = state.result;
    add(t("search.answer"), outcome ? outcomeInWords(outcome) : t("search.stoppedBy", { reason: stopped_by }));
    if (winning_move) add(t("search.winning"), winning_move);
    add(t("search.expansions"), figure(expansions));
  } else if (state.expansions !== undefined) {
    add(t("search.expansions"), figure(state.expansions));
  }
  if (state.error) add(t("search.error"), state.error);
  return element("dl", {}, ...shown);
}

function plots(past) {
  const rows = SERIES.flatMap(([key, value, write]) => {
    const name = t(key);
    const points = past.filter((state) => value(state) !== undefined).map((state) => [state.seconds, value(state)]);
    if (!points.length) return [];
    const now = write(points.at(-1)[1]);
    return [element("div", { class: "series" },
      element("span", {}, name), linePlot(points, t("search.plot", { name, now })), element("span", {}, now))];
  });
  return element("div", {}, ...rows);
}

/** The line of play, its last positions drawn; what each process does, where there are several. */
function lineOfPlay(lines, { game, pictures: isDrawn }) {
  if (!lines?.length) return [];
  const [name, text] = lines[0];
  if (name !== "line") {
    return [element("dl", {}, ...lines.flatMap((pair) =>
      [element("dt", {}, pair[0]), element("dd", {}, pair[1])]))];
  }
  const positions = text.split(" > ").map((one) => one.replace(/ \+ \*\d+$/, ""));
  const last = positions.slice(-MOST_DRAWN).filter((one) => !one.startsWith("*"));
  const pictures = last.map((one) => element("figure", {},
    picture({ game, position: one }, t("explore.drawingOf", { position: one })), element("figcaption", {}, one)));
  return [
    element("h3", {}, t("search.line", { moves: positions.length - 1 })),
    isDrawn ? element("div", { class: "line-of-play" }, ...pictures) : element("p", {}, last.join(" › ")),
  ];
}

function waiting(state, fail) {
  if (!state.waiting?.length) return [];
  const forget = (position) => ask("forget", { position }).catch(fail);
  return [
    element("h3", {}, t("search.next")),
    element("ol", {}, ...state.waiting.map((position) => element("li", {},
      element("code", {}, position), " ",
      element("button", { class: "small", type: "button", "aria-label": t("search.forget", { position }),
        click: () => forget(position) }, t("search.remove"))))),
  ];
}

function ended(state, show) {
  if (!state.past?.length) return [];
  return [
    element("h3", {}, t("search.ended")),
    element("ul", {}, ...state.past.map(({ position, outcome }) =>
      element("li", {}, positionButton(position, show), `: ${outcome ?? t("search.unknown")}`))),
  ];
}

/**
 * Shows the panel; `position()` is what is on the board, `changed()` is called after a search.
 * Returns `watch()`, which listens to the server from its first call on, and `add(position)`, which
 * asks for a search, null where facts are only read. A signal ends the listening.
 */
export function showSearch(place, about, position, changed, show, fail, signal) {
  if (!about.algorithms.length) {
    place.replaceChildren(t("search.onlyRead"));
    return { watch() {}, add: null };
  }
  const algorithm = element("select", {}, ...about.algorithms.map((name) => element("option", { disabled: name in about.unavailable, title: about.unavailable[name] ?? null }, name)));
  const processes = element("input", { type: "number", min: 1, max: Math.max(2, about.cores), value: about.cores });
  const seconds = element("input", { type: "number", min: 1, value: 60 });
  const start = element("button", {}, t("search.start"));
  const stop = element("button", { type: "button", disabled: true, click: () => ask("stop").catch(fail) }, t("search.stop"));
  const now = element("div", { id: "search-state" });
  const line = element("div");
  const others = element("div");
  const choose = () => { processes.disabled = !about.parallel.includes(algorithm.value); };
  algorithm.addEventListener("change", choose);
  choose();

  const add = (text) => {
    watch();
    const wanted = { game: about.game, position: text, algorithm: algorithm.value, seconds: Number(seconds.value) };
    if (about.parallel.includes(algorithm.value)) wanted.processes = Number(processes.value);
    ask("search", wanted).catch(fail);
  };
  place.replaceChildren(element(
    "form", { class: "form", submit: (event) => { event.preventDefault(); add(position()); } },
    element("label", {}, t("search.form.algorithm"), algorithm), element("label", {}, t("search.form.processes"), processes),
    element("label", {}, t("search.form.seconds"), seconds), start, stop,
  ), now, line, others);

  let isWatched = false;
  let seen = { ended: 0, running: false, position: null };
  let drawnAt = 0; // when the line of play was drawn
  let past = []; // states of the present search
  const take = (state) => {
    if (!seen.running || state.position !== seen.position) past = [];
    if (state.seconds !== undefined) past.push(state);
    if (past.length > MOST_POINTS) past = past.filter((_, i) => i % 2);
    start.textContent = t(state.running ? "search.startNext" : "search.start");
    stop.disabled = !state.running;
    now.replaceChildren(figures(state), plots(past));
    others.replaceChildren(...waiting(state, fail), ...ended(state, show));
    if (!state.running) line.replaceChildren();
    else if (!place.hidden && Date.now() > drawnAt + LINE_PAUSE) {
      drawnAt = Date.now();
      line.replaceChildren(...lineOfPlay(state.lines, about));
    }
    if (seen.running && (!state.running || state.position !== seen.position)) changed();
    seen = state;
  };
  function watch() {
    if (isWatched) return;
    isWatched = true;
    watchSearches(take, signal).catch(fail);
  }
  return { watch, add };
}
