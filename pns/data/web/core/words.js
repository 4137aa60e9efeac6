// What is known of a position, in words.

/** What the game has: `numbers` says whether positions have Grundy numbers. */
export const traits = { numbers: true };

/** "win", "draw", "loss" or "unknown" with the Grundy number, in words. */
export function inWords({ outcome, number, value }) {
  const words = { win: "win for the player to move", draw: "draw", loss: "loss for the player to move" };
  const grundy = number === null || !traits.numbers ? "" : `, Grundy number ${number}`;
  return (words[value ?? outcome] ?? "unknown") + grundy;
}
