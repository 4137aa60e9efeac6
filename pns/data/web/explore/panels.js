// The panels beside the board: moves, why, gallery.

import { ask, showPicture } from "../core/api.js";
import { element, positionButton, table } from "../core/dom.js";
import { inWords, traits } from "../core/words.js";

/**
 * Lists the moves of a position with what is known. `go(text)` plays one, `point(text)` shows it
 * on the board, null none, and `search(text)` searches the position after it.
 */
export function showMoves(place, found, { go, point, search }) {
  if (found.moves === null) {
    place.replaceChildren(`About ${found.branching} moves: too many to list.`);
    return;
  }
  if (!found.moves.length) {
    place.replaceChildren("There is no move: the player to move loses.");
    return;
  }
  const rows = found.moves.map(({ to, number, value }) => {
    const button = positionButton(to, go);
    for (const name of ["mouseenter", "focus"]) button.addEventListener(name, () => point(to));
    for (const name of ["mouseleave", "blur"]) button.addEventListener(name, () => point(null));
    const proved = number === 0 ? "win" : number > 0 || found.outcome === "loss" ? "loss" : "";
    const known = value ?? proved;
    const words = { win: "wins", draw: "draws", loss: "loses" }[known] ?? "unknown";
    const last = known || !search
      ? element("span", { class: "mark " + known }, words)
      : element("button", { class: "small", type: "button", title: "Search this move",
        "aria-label": `Search ${to}`, click: () => search(to) }, "search");
    return traits.numbers ? [button, number ?? "?", last] : [button, last];
  });
  const count = `${rows.length} ${rows.length === 1 ? "move" : "moves"}, to`;
  const heads = traits.numbers ? [count, "number", "this move"] : [count, "this move"];
  place.replaceChildren(element("div", { class: "scroll" }, table(heads, rows)));
}

/** A node of the proof, which opens on demand. */
function proofNode(position, label, context) {
  const inside = element("div");
  const node = element("details", {}, element("summary", {}, label, " ", element("code", {}, position)), inside);
  node.addEventListener("toggle", async () => {
    if (!node.open || inside.childElementCount) return;
    try {
      inside.replaceChildren(...await nodeContent(position, context));
    } catch (error) {
      inside.replaceChildren(element("p", {}, error.message));
    }
  });
  return node;
}

/** A small drawing of a position. */
export function thumbnail(position) {
  const picture = element("img", { loading: "lazy", alt: `Drawing of ${position}` });
  picture.addEventListener("error", () => picture.remove());
  showPicture(picture, position).catch(() => picture.remove());
  return picture;
}

/** What is known of a position; `onBoard` says that it is shown there already. */
async function nodeContent(position, context, onBoard = false) {
  const { source, drawn, show } = context;
  const found = await ask("why", { source, position });
  const parts = [];
  if (drawn && !onBoard) parts.push(thumbnail(position));
  const known = found.outcome ? inWords(found) : "it is not known who wins";
  const words = element("p", {}, known[0].toUpperCase() + known.slice(1) + ". ");
  if (!onBoard) {
    const press = () => show(position);
    words.append(element("button", { class: "small", type: "button", click: press }, "Show on the board"));
  }
  parts.push(words);
  if (found.best) parts.push(proofNode(found.best, "winning move to", context));
  for (const { to, answer } of found.answers) {
    parts.push(answer ? answered(to, answer, context) : element("p", {}, `${to}: no answer is known`));
  }
  if (found.outcome === "loss" && !found.answers.length) parts.push(element("p", {}, "There is no move."));
  return parts;
}

function answered(move, answer, context) {
  const label = element("span", {}, "after ", element("code", {}, move), " answer");
  return proofNode(answer, label, context);
}

/** Shows why a position is won or lost, as a tree of which each node opens on demand. */
export async function showWhy(place, position, context) {
  place.dataset.position = position;
  const content = await nodeContent(position, context, true);
  if (place.dataset.position !== position) return; // another one has been asked for since
  place.replaceChildren(element("p", {}, element("code", {}, position)), ...content);
}

/** The certificates of the package; `opened` is the name of the one that is open. */
export function showGallery(place, gallery, opened, open) {
  const cards = gallery.map(({ name, bytes }) => {
    const spots = name.replace("sprouts-", "");
    const label = spots === "1" ? "1 spot" : `${spots} spots`;
    const size = element("small", {}, `${Math.ceil(bytes / 1000)} kB`);
    const pressed = String(name === opened);
    return element("button", { type: "button", "aria-pressed": pressed, click: () => open(name) },
      label, element("br"), size);
  });
  place.replaceChildren(
    element("p", {}, "Proofs that come with pns. An opened one marks its moves on the board; ",
      "Play out shows how the winner answers."),
    element("div", { class: "grid" }, ...cards),
  );
}
