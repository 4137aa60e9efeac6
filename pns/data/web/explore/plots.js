// Small plots as SVG.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 240;
const HEIGHT = 48;

/**
 * A line through points [x, y], of which y is not negative; large spans get a logarithmic scale.
 * `name` is for readers of the screen.
 */
export function linePlot(points, name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("class", "plot");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", name);
  if (points.length < 2) return svg;
  const most = Math.max(...points.map(([, y]) => y), 1);
  const least = Math.min(...points.map(([, y]) => y));
  const isLog = most > 1000 * Math.max(least, 1);
  const height = (y) => (isLog ? Math.log(1 + y) / Math.log(1 + most) : y / most);
  const [first, last] = [points[0][0], points.at(-1)[0]];
  const at = ([x, y]) => [
    (WIDTH * (x - first)) / (last - first || 1), HEIGHT - 2 - (HEIGHT - 4) * height(y),
  ].map((number) => number.toFixed(1)).join(",");
  const path = document.createElementNS(SVG, "polyline");
  path.setAttribute("points", points.map(at).join(" "));
  svg.append(path);
  return svg;
}
