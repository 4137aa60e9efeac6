// What is known of a position, in words.

import { t } from "./texts.js";

const USUAL = { numbers: true, pictures: true, misere: false };

/** What the game has: whether positions have Grundy numbers and small drawings, whether the last move loses. */
export const traits = { ...USUAL };

/** Makes the traits those of normal Sprouts again, once a door with another game is left. */
export const resetTraits = () => Object.assign(traits, USUAL);

/** The key of a text that misère play has otherwise. */
export const inPlay = (key, misere = traits.misere) => (misere ? `${key}.misere` : key);

/** Who wins, in a sentence. */
export const inWords = ({ outcome, value }) => t("verdict." + (value ?? outcome ?? "unknown"));

/** The Grundy number in words, "" where it is not known or there is none. */
export const numberInWords = ({ number }) =>
  (number === null || !traits.numbers ? "" : t("verdict.number", { number }));

/** What a move is worth for who makes it: "win", "draw", "loss" or "unknown". */
export function worth({ number, value }, outcome) {
  return value ?? (number === 0 ? "win" : number > 0 || outcome === "loss" ? "loss" : "unknown");
}
