// Small drawings of positions and moves, asked for when they come into view.

import { ask } from "./api.js";
import { element } from "./dom.js";

const asked = new Map(); // what was asked: a promise of the SVG
const KEPT = 400;
const AT_ONCE = 1; // questions about pictures that wait for an answer: others come between them
const waiting = []; // what is asked next
let running = 0;
const styles = new Set([...document.head.querySelectorAll("style")].map((style) => style.textContent));

const inView = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    inView.unobserve(target);
    inTurn(target, () => fill(target));
  }
}, { rootMargin: "200px" });
const wanted = new WeakMap(); // a place: what its drawing is asked with

/** Does something after what was wanted before, a few things at a time; what the page has lost is left out. */
export function inTurn(place, action) {
  waiting.push({ place, action });
  goOn();
}

function goOn() {
  while (running < AT_ONCE && waiting.length) {
    const { place, action } = waiting.shift();
    if (!place.isConnected) continue;
    running += 1;
    action().finally(() => {
      running -= 1;
      goOn();
    });
  }
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
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const svg = document.importNode(parsed.documentElement, true);
  for (const style of svg.querySelectorAll("style")) {
    style.remove();
    if (styles.has(style.textContent) || document.getElementById("drawing-style")) continue;
    styles.add(style.textContent);
    document.head.append(element("style", {}, style.textContent));
  }
  svg.querySelector("title")?.remove(); // it would appear below the pointer
  svg.setAttribute("aria-hidden", "true");
  for (const name of ["width", "height"]) svg.removeAttribute(name);
  return svg;
}

async function fill(place) {
  try {
    place.replaceChildren(inline(await drawing(wanted.get(place))));
  } catch {
    place.classList.add("none"); // no drawing was found
  }
}

/**
 * A drawing for `words` of the question `drawing`: { position }, or { start, steps } for the last of
 * these steps. `label` is what a reader of the screen says.
 */
export function picture(words, label) {
  const place = element("span", { class: "picture", role: "img", "aria-label": label });
  wanted.set(place, words);
  inView.observe(place);
  return place;
}
