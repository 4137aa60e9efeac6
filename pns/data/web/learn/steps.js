// The steps of the door Learn: where each begins, and when it is done.

import { ask } from "../core/api.js";

/** Whether the player who has just moved wins, by the solver. */
async function hasWon({ found, source, named }) {
  if (found.outcome) return found.outcome === "loss";
  const { wins } = await ask("reply", { ...named, source, position: found.position, seconds: 1 });
  return wins === false;
}

const isOver = (game) => (game.isOver ? true : null);
const reaches = (position) => ({ found }) => found.position === position;

/**
 * In this order. `check(game)` is asked after each move: true where the step is done, false where
 * another move is wanted, null where the game goes on. `answers` says that the solver moves, too.
 */
export const STEPS = [
  { name: "rules", start: "0*3", check: reaches("0.1a1a") },
  { name: "loop", start: "0*3", check: ({ found }) => found.position !== "0.1a1a" },
  { name: "regions", start: "0.AB|0.AB", check: () => true },
  { name: "end", start: "0", check: isOver },
  { name: "two", start: "0*2", check: isOver, answers: true },
  { name: "why", start: "0*3", check: hasWon },
  { name: "sum", start: "1a1a+0*2", check: reaches("1a1a+1a1a") },
  { name: "numbers", start: "0*3+0*2", check: hasWon },
];
