// What is known of moves, for boards: a verdict has a colour and a sign.

export const SIGNS = { win: "✓", draw: "=", loss: "✗" };

/** "win", "draw" or "loss" for who makes a move, "" where that is unknown. */
export function verdictOf({ number, value }, isLost) {
  return value ?? (number === 0 ? "win" : number > 0 || isLost ? "loss" : "");
}

/** The verdict of the best of some moves; unknown ones may be better than those known to lose. */
export function bestOf(verdicts) {
  return ["win", "draw", "", "loss"].find((one) => verdicts.includes(one)) ?? "";
}
