// Lines drawn by hand, with mouse, finger or pen.

import { shape } from "../core/dom.js";

const STILL = 6; // pixels of the screen within which a press is a click
const APART = 2; // units of the drawing between two points that are kept

/**
 * Follows the pointer over a drawing. `at(event)` is a point of the drawing, `mayBegin(point)` says
 * whether a line can begin there, and `done(points)` gets the line once it ends. The line is shown
 * until that is done.
 */
export function followStroke(svg, at, mayBegin, done) {
  let stroke = null; // { id, points, trail, x, y }
  let isClick = true;

  const end = () => {
    const trail = stroke?.trail;
    stroke = null;
    return trail;
  };
  svg.addEventListener("pointerdown", (event) => {
    isClick = true;
    if (stroke || event.button !== 0) return;
    const { x, y } = at(event);
    if (!mayBegin({ x, y })) return;
    stroke = { id: event.pointerId, points: [[x, y]], trail: null, x: event.clientX, y: event.clientY };
  });
  svg.addEventListener("pointermove", (event) => {
    if (event.pointerId !== stroke?.id) return;
    if (!stroke.trail) {
      if (Math.hypot(event.clientX - stroke.x, event.clientY - stroke.y) < STILL) return;
      svg.setPointerCapture(event.pointerId);
      stroke.trail = svg.appendChild(shape("polyline", { class: "trail", "aria-hidden": "true" }));
      isClick = false;
    }
    for (const one of event.getCoalescedEvents?.() ?? [event]) {
      const { x, y } = at(one);
      const [lastX, lastY] = stroke.points.at(-1);
      if (Math.hypot(x - lastX, y - lastY) >= APART) stroke.points.push([x, y]);
    }
    stroke.trail.setAttribute("points", stroke.points.join(" "));
  });
  svg.addEventListener("pointerup", (event) => {
    if (event.pointerId !== stroke?.id) return;
    const { points } = stroke;
    const { x, y } = at(event);
    const trail = end();
    if (trail) Promise.resolve(done([...points, [x, y]])).finally(() => trail.remove());
  });
  svg.addEventListener("pointercancel", () => end()?.remove());
  svg.addEventListener("click", (event) => {
    if (!isClick) event.stopImmediatePropagation(); // a line that was drawn ends with a click, too
    isClick = true;
  }, { capture: true });
}
