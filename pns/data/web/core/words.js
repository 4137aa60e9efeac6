// What is known of a position, in words.

import { t } from "./texts.js";

/** What the game has: whether positions have Grundy numbers, and whether they have pictures. */
export const traits = { numbers: true, pictures: true };

/** Who wins, in a sentence. */
export const inWords = ({ outcome, value }) => t("verdict." + (value ?? outcome ?? "unknown"));

/** The Grundy number in words, "" where it is not known or there is none. */
export const numberInWords = ({ number }) =>
  (number === null || !traits.numbers ? "" : t("verdict.number", { number }));

/** What a move is worth for who makes it: "win", "draw", "loss" or "unknown". */
export function worth({ number, value }, outcome) {
  return value ?? (number === 0 ? "win" : number > 0 || outcome === "loss" ? "loss" : "unknown");
}
