// A worker of this browser as what answers. Questions wait until it has loaded, which a bar shows;
// those with which the page and its games begin are answered at once from `first.json` and
// `starts.json`. A service worker keeps all files, so that the page opens without a network from its
// second visit on.

import { hasFacts } from "../browser/kept.js";
import { element } from "./dom.js";

const said = (name) => document.querySelector(`meta[name="pns-${name}"]`).content;
const bytes = Number(said("bytes"));
const FIXED = ["games", "start"]; // questions whose answers do not depend on what is known
const worker = new Worker(new URL("../browser/worker.js", import.meta.url), { type: "module" });
const waiting = new Map(); // resolve and reject of each question, by its number
const watchers = new Set();
let state = null; // of the searches, as last seen
let failure = null;
let asked = 0;

const isReady = () => document.documentElement.dataset.solver === "ready";
const answersOf = (path) => fetch(new URL(path, import.meta.url)).then((answer) => answer.json()).catch(() => ({}));
const first = answersOf("../first.json");
let starts = null; // the same for the starts of all games, once one is asked for

/** A question as `first.json` writes it: with its game, names in order, without what is empty. */
function written(name, data) {
  const all = Object.entries({ game: said("game"), ...data });
  const full = all.filter(([, value]) => value !== "" && value?.length !== 0);
  return name + " " + JSON.stringify(full.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The answer to a question with which a game begins, undefined where only the solver has it. */
async function firstAnswer(name, data) {
  const isFixed = FIXED.includes(name);
  if (!isFixed && (isReady() || await hasFacts(data.game ?? said("game")))) return undefined;
  const question = written(name, data);
  const found = (await first)[question];
  if (found !== undefined) return structuredClone(found);
  starts ??= answersOf("../starts.json");
  return structuredClone((await starts)[question]);
}

/** The bar; it goes when the solver is there. */
function showLoading() {
  const bar = element("progress", { max: bytes, value: 0, "aria-label": "Loading the solver" });
  const words = element("span", {}, "Loading the solver…");
  const line = element("div", { class: "loading", role: "status" }, words, bar);
  document.body.append(line);
  return {
    show(loaded) {
      bar.value = Math.min(loaded, bytes);
      const [now, all] = [loaded, bytes].map((count) => (Math.min(count, bytes) / 1e6).toFixed(1));
      words.textContent = loaded < bytes ? `Loading the solver: ${now} of ${all} MB` : "Starting the solver…";
    },
    end() { line.remove(); },
  };
}

const loading = showLoading();

function fail(reason) {
  failure = new Error(`the solver could not be loaded: ${reason}`);
  loading.end();
  for (const { reject } of waiting.values()) reject(failure);
  waiting.clear();
}

const takers = {
  loaded: (count) => loading.show(count),
  ready: () => {
    loading.end();
    document.documentElement.dataset.solver = "ready";
    keepOffline();
  },
  failed: fail,
  state: (now) => {
    state = now;
    for (const take of watchers) take(now);
  },
  answer: ({ id, text }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    const found = JSON.parse(text);
    if ("error" in found) reject(new Error(found.error));
    else resolve(found.answer);
  },
};

worker.addEventListener("message", ({ data: [kind, content] }) => {
  if (!failure) takers[kind](content); // what was under way when it failed has been refused already
});
worker.addEventListener("error", (event) => fail(event.message || "its file is missing"));
worker.postMessage(["load", null]);

export async function ask(name, data) {
  const known = await firstAnswer(name, data);
  if (known !== undefined) return known;
  if (failure) throw failure; // it may have come meanwhile
  return new Promise((resolve, reject) => {
    const id = ++asked;
    waiting.set(id, { resolve, reject });
    worker.postMessage(["ask", { id, name, text: JSON.stringify(data) }]);
  });
}

export function watchSearches(take, signal) {
  watchers.add(take);
  signal.addEventListener("abort", () => watchers.delete(take));
  if (state) take(state);
  else worker.postMessage(["state", null]);
}

/** Has a service worker keep the files; a newer version takes over when the page is next opened. */
async function keepOffline() {
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register(new URL("../sw.js", import.meta.url));
    await navigator.serviceWorker.ready;
    document.documentElement.dataset.offline = "ready";
  } catch {
    // a private window, or a place without service workers: the page works, with a network
  }
}
