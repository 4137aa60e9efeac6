// The page: a header with three doors, and the one that is open. The address says which door and
// what it shows, so that it can be shared: ?door=play|explore|learn and the words of that door.

import * as explore from "./doors/explore.js";
import * as learn from "./doors/learn.js";
import * as play from "./doors/play.js";
import { gameOfAddress } from "./core/api.js";
import { element } from "./core/dom.js";
import { showSettings } from "./core/settings.js";
import { t } from "./core/texts.js";

const DOORS = { play, explore, learn };
const place = document.getElementById("door");
const message = document.getElementById("message");
let opened = null; // the module of the door that is open
let visits = 0; // grows with each door that is opened; what an older one still wants is dropped

/** Shows why something failed, until something else is done. */
function fail(error) {
  message.textContent = error.message;
  message.hidden = false;
}

/** Goes to a door with words of its address, as an entry of the history. */
function go(door, words = {}) {
  history.pushState(null, "", "?" + new URLSearchParams({ door, ...words }));
  return show();
}

/** Replaces the words of the address but for the game, without an entry of the history. */
function note(door, words) {
  history.replaceState(null, "", "?" + new URLSearchParams({ door, ...gameOfAddress(), ...words }));
}

/** Opens the door of the address. */
async function show() {
  const words = new URLSearchParams(location.search);
  const name = words.get("door") in DOORS ? words.get("door") : words.has("start") || words.has("source") ? "explore" : "play";
  message.hidden = true;
  opened?.close();
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close(); // of the door that is left
  opened = DOORS[name];
  visits += 1;
  const visit = visits;
  const here = (action) => (...data) => (visit === visits ? action(...data) : undefined);
  const app = { go: here(go), note: here(note), fail: here(fail) };
  place.replaceChildren();
  document.body.dataset.door = name;
  for (const link of document.querySelectorAll("#doors a")) {
    if (link.dataset.door === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    await opened.open(place, app, words);
  } catch (error) {
    app.fail(error);
  }
}

document.getElementById("doors").append(...Object.keys(DOORS).map((name) =>
  element("a", { href: "?door=" + name, "data-door": name }, t("door." + name))));
showSettings(document.getElementById("settings"));
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-door]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.dataset.door);
});
window.addEventListener("popstate", show);
show();
