// Which moves begin or end at a spot of the board.

/**
 * The positions that lines at the spot of an element lead to; `sheets` are those of the position and
 * `marks` the lines that are known on each.
 */
export function movesAt(target, sheets, marks) {
  const spot = target.closest?.("[data-spot]");
  const figure = target.closest?.(".sheet");
  if (!spot || !figure) return [];
  const number = [...figure.parentNode.querySelectorAll(".sheet")].indexOf(figure);
  const sheet = sheets[number];
  const known = marks[number];
  if (!sheet || !known) return [];
  const standsFor = new Map(known.alike);
  const corners = new Set(sheet.corners.filter(([, of]) => of === Number(spot.dataset.spot))
    .map(([corner]) => standsFor.get(corner) ?? corner));
  return known.lines.filter(([first, second]) => corners.has(standsFor.get(first) ?? first)
    || corners.has(standsFor.get(second) ?? second)).map(([, , , , to]) => to);
}
