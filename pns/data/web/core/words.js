// What is known of a position, in words.

import { t } from "./texts.js";

/** What the game has: `numbers` says whether positions have Grundy numbers. */
export const traits = { numbers: true };

/** "win", "draw" or "loss" with the Grundy number, in words. */
export function inWords({ outcome, number, value }) {
  const words = t("verdict." + (value ?? outcome ?? "unknown"));
  return number === null || !traits.numbers ? words : `${words} ${t("verdict.number", { number })}`;
}

/** What a move is worth for who makes it: "win", "draw", "loss" or "unknown". */
export function worth({ number, value }, outcome) {
  return value ?? (number === 0 ? "win" : number > 0 || outcome === "loss" ? "loss" : "unknown");
}
