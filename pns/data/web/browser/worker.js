// The solver in a worker of the browser: Pyodide with the package, whose `pns.web.browser` answers.
// A search runs in a further worker of this same file, so that it can be stopped by ending that one.
// Messages are [kind, content]; what passes to and from Python is JSON in a string.

import { addFacts, keptFacts } from "./kept.js";
import { forgetMemory } from "./memory.js";
import { loadModule } from "./python.js";

const say = (kind, content) => self.postMessage([kind, content]);

/** Says that the solver is of no use; the next visit loads it from its files. */
function fail(error) {
  forgetMemory();
  say("failed", error.message);
}

const STEP = 250_000; // bytes after which the bar moves

/** Counts the bytes of all that is fetched, for the bar. */
function countBytes() {
  const fetchReally = self.fetch.bind(self);
  let loaded = 0;
  let shown = 0;
  self.fetch = async (...request) => {
    const response = await fetchReally(...request);
    const reader = response.clone().body?.getReader();
    const count = async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        loaded += part.value.length;
        if (loaded - shown >= STEP) say("loaded", shown = loaded);
      }
      say("loaded", loaded);
    };
    if (reader) count().catch(() => {});
    return response;
  };
}

/** All facts that are kept; none in a private window, or where they cannot be read. */
const allKept = () => keptFacts().catch(() => new Map());

let answers = null;
let searcher = null; // the worker that searches; it is kept for the next search
let game = null; // of the search that runs, null where none does

function endSearcher() {
  searcher?.terminate();
  searcher = game = null;
}

/** The worker that searches; what it still says after its end is dropped. */
function openSearcher() {
  const opened = new Worker(import.meta.url, { type: "module" });
  const isPast = () => opened !== searcher;
  let taken = Promise.resolve(); // what it says is taken one after another
  opened.addEventListener("message", ({ data: [kind, content] }) => {
    taken = taken.then(async () => {
      if (isPast()) return;
      if (kind === "found") await take(content, isPast);
      else if (kind === "failed") giveUp(content);
    }).catch(fail);
  });
  opened.addEventListener("error", (event) => {
    if (!isPast()) giveUp(event.message);
  });
  return opened;
}

function giveUp(reason) {
  endSearcher();
  answers.take(JSON.stringify({ error: reason || "the search ended" }));
}

/** Begins a search in the other worker, or with null ends the one that runs. */
function search(wanted) {
  if (game !== null) endSearcher();
  if (wanted === null) return;
  searcher ??= openSearcher();
  game = wanted.game;
  searcher.postMessage(["search", JSON.stringify(wanted)]);
}

/** Takes what a search found: facts, and how far it is once they are stored, unless it is past by then. */
async function take(text, isPast) {
  const { facts, fields } = JSON.parse(text);
  if (facts.length) {
    answers.keep(game, JSON.stringify(facts));
    await addFacts(game, facts).catch(() => {}); // no room, or a private window: they last as long as the page
  }
  if (isPast()) return;
  if ("result" in fields || "error" in fields) game = null;
  answers.take(JSON.stringify(fields));
}

async function load() {
  countBytes();
  const [{ module, config }, kept] = await Promise.all([python(), allKept()]);
  answers = module.PageAnswers(config.game, config.position, (text) => {
    const message = JSON.parse(text);
    if ("state" in message) say("state", message.state);
    else search(message.search);
  });
  for (const [name, facts] of kept) answers.keep(name, JSON.stringify(facts));
  say("ready", null);
}

const kinds = {
  load: () => load().catch(fail),
  ask: ({ id, name, text }) => say("answer", { id, text: answers.ask(name, text) }),
  state: () => say("state", JSON.parse(answers.state())),
  search: async (text) => {
    const { game } = JSON.parse(text);
    const [{ module }, kept] = await Promise.all([python(), allKept()]);
    module.search(text, JSON.stringify(kept.get(game) ?? []), (found) => say("found", found));
  },
};

let loaded = null;
/** { module, config }: the module of Python and what browser.json says, loaded once. */
function python() {
  loaded ??= fetch(new URL("../browser.json", import.meta.url))
    .then((answer) => answer.json())
    .then(async (config) => ({ module: await loadModule(config), config }));
  return loaded;
}

let last = Promise.resolve(); // messages are dealt with one after another
self.addEventListener("message", ({ data: [kind, content] }) => {
  last = last.then(() => kinds[kind](content)).catch(fail);
});
