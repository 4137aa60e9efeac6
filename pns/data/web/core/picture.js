// Small drawings of positions and moves, asked for when they come into view.

import { ask } from "./api.js";
import { element, importedSvg } from "./dom.js";

const KEPT = 400;
const MARGIN = 100; // pixels beside the window that count as in view
const asked = new Map(); // what was asked: a promise of the SVG
const styles = new Set(); // those of the drawings that are in the page

const actions = new WeakMap(); // a place: what is done once it is seen
const waiting = []; // places that have been seen, and wait for their turn
let isBusy = false; // one thing at a time, so that other questions come between them

const inView = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    inView.unobserve(target);
    waiting.push(target);
  }
  goOn();
}, { rootMargin: `${MARGIN}px` });

function isInView(place) {
  const { top, bottom } = place.getBoundingClientRect();
  return place.offsetParent !== null && bottom > -MARGIN && top < innerHeight + MARGIN;
}

/** Does something once a place is seen, after what was wanted before it. */
export function whenSeen(place, action) {
  actions.set(place, action);
  inView.observe(place);
}

async function goOn() {
  if (isBusy) return;
  isBusy = true;
  while (waiting.length) {
    const place = waiting.shift();
    if (!place.isConnected) continue;
    if (isInView(place)) await actions.get(place)();
    else inView.observe(place); // its panel has been left, or scrolled on
  }
  isBusy = false;
}

/** The SVG of a question `drawing`, asked once. */
function drawing(words) {
  const key = JSON.stringify(words);
  if (!asked.has(key)) {
    if (asked.size >= KEPT) asked.delete(asked.keys().next().value);
    asked.set(key, ask("drawing", words).then(({ svg }) => svg));
    asked.get(key).catch(() => asked.delete(key));
  }
  return asked.get(key);
}

/** Takes a drawing into the page; all drawings of one kind share a style sheet. */
function inline(text) {
  const svg = importedSvg(text);
  for (const style of svg.querySelectorAll("style")) {
    style.remove();
    if (styles.has(style.textContent)) continue;
    styles.add(style.textContent);
    document.head.append(element("style", {}, style.textContent));
  }
  svg.querySelector("title")?.remove(); // it would appear below the pointer
  svg.setAttribute("aria-hidden", "true");
  for (const name of ["width", "height"]) svg.removeAttribute(name);
  return svg;
}

/**
 * A drawing for `words` of the question `drawing`: { position }, or { start, steps } for the last of
 * these steps. `label` is what a reader of the screen says.
 */
export function picture(words, label) {
  const place = element("span", { class: "picture", ...(label ? { role: "img", "aria-label": label } : {}) });
  whenSeen(place, async () => {
    try {
      place.replaceChildren(inline(await drawing(words)));
    } catch {
      place.classList.add("none"); // no drawing was found
    }
  });
  return place;
}

/** A scene as a small picture, with what a move of it changes; of the colours of class `scene`. */
export function scenePicture(text, move = null) {
  const svg = importedSvg(text);
  for (const name of ["width", "height", "role"]) svg.removeAttribute(name);
  for (const node of svg.querySelectorAll("[data-part]")) {
    const { part } = node.dataset;
    if (move?.changes.includes(part)) node.classList.add("pointed");
    if (move?.parts.includes(part)) node.classList.add("placed");
    node.removeAttribute("data-part");
    node.removeAttribute("aria-label");
    node.classList.add("part");
  }
  for (const node of svg.querySelectorAll("title, :not(.placed) > .ghost, :not(.placed) > .choice")) node.remove();
  svg.setAttribute("aria-hidden", "true");
  return svg;
}
