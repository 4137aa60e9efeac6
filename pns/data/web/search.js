// The search: start, stop, and how far it is, by server-sent events.

import { ask, element } from "./api.js";

const figure = (value) => value.toLocaleString();

function stateOf(state) {
  const shown = [];
  const add = (name, value) => shown.push(element("dt", {}, name), element("dd", {}, value));
  if (state.position) add("position", state.position);
  if (state.algorithm) add("algorithm", state.algorithm);
  if (state.root) add("root (pn, dn)", state.root.map(figure).join(", "));
  if (state.expansions !== undefined) add("expansions", `${figure(state.expansions)}, ${figure(state.rate)} a second`);
  if (state.facts_new !== undefined) add("new facts", figure(state.facts_new));
  if (state.memory) add("memory", `${Math.round(state.memory / 1e6)} MB`);
  if (state.seconds !== undefined) add("time", `${state.seconds} of ${state.budget} s`);
  for (const [name, text] of state.running ? state.lines ?? [] : []) add(name, text);
  if (state.result) {
    const { outcome, stopped_by, winning_move, expansions } = state.result;
    add("answer", outcome ?? `unknown: stopped by ${stopped_by}`);
    if (winning_move) add("winning move", winning_move);
    add("expansions", figure(expansions));
  }
  if (state.error) add("error", state.error);
  return element("dl", {}, ...shown);
}

/**
 * Shows the panel; `position()` is what is on the board, `ended()` is called after a search.
 * Returns a function that listens to the server from its first call on.
 */
export function showSearch(place, about, position, ended, fail) {
  if (!about.algorithms.length) {
    place.replaceChildren("A search adds to a database; these facts are only read.");
    return () => {};
  }
  const algorithm = element("select", {}, ...about.algorithms.map((name) => element("option", {}, name)));
  const processes = element("input", { type: "number", min: 1, max: Math.max(2, about.cores), value: about.cores });
  const seconds = element("input", { type: "number", min: 1, value: 60 });
  const start = element("button", {}, "Search this position");
  const stop = element("button", { type: "button", disabled: true, click: () => ask("stop").catch(fail) }, "Stop");
  const state = element("div");
  const begin = (event) => {
    event.preventDefault();
    const wanted = { position: position(), algorithm: algorithm.value, seconds: Number(seconds.value) };
    if (about.parallel.includes(algorithm.value)) wanted.processes = Number(processes.value);
    ask("search", wanted).catch(fail);
  };
  const choose = () => { processes.disabled = !about.parallel.includes(algorithm.value); };
  algorithm.addEventListener("change", choose);
  choose();
  place.replaceChildren(element(
    "form", { class: "form", submit: begin },
    element("label", {}, "Algorithm", algorithm), element("label", {}, "Processes", processes),
    element("label", {}, "Seconds", seconds), start, stop,
  ), state);
  let running = false;
  let events = null;
  const watch = (event) => {
    const now = JSON.parse(event.data);
    start.disabled = now.running;
    stop.disabled = !now.running;
    state.replaceChildren(stateOf(now));
    if (running && !now.running) ended();
    running = now.running;
  };
  return () => {
    if (events) return;
    events = new EventSource("/api/events");
    events.addEventListener("message", watch);
  };
}
