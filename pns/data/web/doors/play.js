// The door Play: a person against the solver, or two persons at the same screen. The address has the
// whole game, so that it can be left and opened again.

import { startCard } from "../play/card.js";
import { Match, OPPONENTS } from "../play/match.js";
import { showRules } from "../play/rules.js";
import { Table } from "../play/table.js";

const STANDARD = { spots: 5, against: "perfect", first: "me", seed: 0 };
let shown = null; // what is shown: something with close()

/** What a game is chosen to be, of the words of an address. */
function chosenOf(words) {
  const spots = Number(words.get("spots"));
  const seed = Number(words.get("seed"));
  return {
    spots: Number.isInteger(spots) && spots >= 1 && spots <= 44 ? spots : STANDARD.spots,
    against: OPPONENTS.includes(words.get("against")) ? words.get("against") : STANDARD.against,
    first: words.get("first") === "computer" ? "computer" : "me",
    seed: Number.isInteger(seed) && seed >= 0 ? seed : 0,
  };
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

/** Opens the door in a place; `app` is the page (`main.js`), `words` those of the address. */
export async function open(place, app, words) {
  const chosen = chosenOf(words);
  const rules = () => showRules(app.fail);
  if (!words.has("spots")) {
    const begin = (wanted) => app.go("play", { ...wanted, seed: Math.floor(Math.random() * 1e6) });
    place.append(startCard(chosen, begin, rules));
    return;
  }
  const match = new Match({ ...chosen, start: `0*${chosen.spots}`, me: chosen.first === "me" ? 0 : 1 });
  const note = (steps) => app.note("play", { ...chosen, ...(steps.length ? { steps: JSON.stringify(steps) } : {}) });
  const table = new Table(match, {
    note,
    fail: app.fail,
    showRules: rules,
    fresh: () => app.go("play"),
    again: () => app.go("play", { ...chosen, seed: Math.floor(Math.random() * 1e6) }),
  });
  shown = table;
  place.append(table.element);
  await match.load(stepsOf(words));
  if (shown === table) await table.begin();
}

/** Leaves the door. */
export function close() {
  shown?.close();
  shown = null;
}
