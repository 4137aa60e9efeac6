// The door Play: a person against the solver, or two persons at the same screen. The address has the
// whole game, so that it can be left and opened again.

import { startCard } from "../play/card.js";
import { playableGames, sizesOf, startOf } from "../play/games.js";
import { Match, OPPONENTS } from "../play/match.js";
import { showRules } from "../play/rules.js";
import { Table } from "../play/table.js";

let opened = 0; // grows with each visit; what was asked for an older one is dropped
let shown = null; // what is shown: something with close()

/** What a game is chosen to be, of the words of an address. */
function chosenOf(words, game) {
  const seed = Number(words.get("seed"));
  return {
    game,
    sizes: sizesOf(game, (name) => words.get(name) ?? NaN),
    against: OPPONENTS.includes(words.get("against")) ? words.get("against") : OPPONENTS[0],
    first: words.get("first") === "computer" ? "computer" : "me",
    seed: Number.isInteger(seed) && seed >= 0 ? seed : 0,
  };
}

/** The words of an address for a game as it is chosen. */
function wordsOf({ game, sizes, against, first, seed }) {
  return { game: game.name, ...sizes, against, first, seed };
}

/** The steps of an address; none where it is cut off. */
function stepsOf(words) {
  try {
    const steps = JSON.parse(words.get("steps") ?? "[]");
    return Array.isArray(steps) ? steps : [];
  } catch {
    return [];
  }
}

const anySeed = () => Math.floor(Math.random() * 1e6);

/** Opens the door in a place; `app` is the page (`main.js`), `words` those of the address. */
export async function open(place, app, words) {
  opened += 1;
  const visit = opened;
  const games = await playableGames();
  if (visit !== opened) return;
  const chosen = chosenOf(words, games[0]);
  const begin = (wanted) => app.go("play", wordsOf({ ...wanted, seed: anySeed() }));
  const rules = (game) => showRules(game, app.fail);
  if (!words.has("against")) {
    place.append(startCard(chosen, games, { start: begin, showRules: rules, fail: app.fail }));
    return;
  }
  const start = await startOf(chosen.game, chosen.sizes);
  if (visit !== opened) return;
  const match = new Match({ ...chosen, start, me: chosen.first === "me" ? 0 : 1 });
  const table = new Table(match, {
    note: (steps) => app.note("play", { ...wordsOf(chosen), ...(steps.length ? { steps: JSON.stringify(steps) } : {}) }),
    fail: app.fail,
    showRules: () => rules(chosen.game),
    fresh: () => app.go("play", { game: chosen.game.name }),
    again: () => begin(chosen),
  });
  shown = table;
  place.append(table.element);
  await match.load(stepsOf(words));
  if (shown === table) await table.begin();
}

/** Leaves the door. */
export function close() {
  opened += 1;
  shown?.close();
  shown = null;
}
