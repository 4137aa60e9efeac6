// A small picture of how a game begins.

import { ask } from "../core/api.js";
import { shape } from "../core/dom.js";
import { scenePicture } from "../core/picture.js";

/** Spots as a game begins with: on a circle, or in a disc. */
function places(count) {
  if (count === 1) return [[0, 0]];
  const turn = Math.PI * (3 - Math.sqrt(5));
  return Array.from({ length: count }, (_, i) => {
    const [radius, angle] = count < 9
      ? [1, Math.PI - (2 * Math.PI * i) / count] : [Math.sqrt((i + 0.5) / count) * 1.15, turn * i];
    return [radius * Math.cos(angle), -radius * Math.sin(angle)];
  });
}

function spots(count) {
  const size = Math.min(0.19, 0.62 / Math.sqrt(count));
  const drawn = places(count).flatMap(([x, y]) => [
    shape("circle", { class: "body", cx: x, cy: y, r: size }),
    ...[0, 1, 2].map((i) => shape("circle", {
      class: "life", r: size * 0.22,
      cx: x + size * 0.42 * Math.sin((2 * Math.PI * i) / 3), cy: y - size * 0.42 * Math.cos((2 * Math.PI * i) / 3),
    })),
  ]);
  return shape("svg", { class: "sprouts few", viewBox: "-1.4 -1.4 2.8 2.8", "aria-hidden": "true" }, ...drawn);
}

/** The picture of a game of the question `games` with some sizes; null where it has none. */
export async function preview(game, start, sizes) {
  if (game.board === "sprouts") return spots(sizes.spots);
  const { scene } = await ask("position", { game: game.name, start, steps: [] });
  return scene ? scenePicture(scene.svg) : null;
}
