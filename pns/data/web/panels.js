// The panels beside the board: moves, why, database, gallery.

import { ask, element, inWords, positionButton, table } from "./api.js";

/** Lists the moves of a position with what is known; `go(text)` plays one. */
export function showMoves(place, found, go) {
  if (found.moves === null) {
    place.replaceChildren(`About ${found.branching} moves: too many to list.`);
    return;
  }
  if (!found.moves.length) {
    place.replaceChildren("There is no move: the player to move loses.");
    return;
  }
  const rows = found.moves.map(({ to, number }) => {
    const wins = number === 0 ? "win" : number > 0 ? "loss" : "";
    const words = { win: "wins", loss: "loses" }[wins] ?? "unknown";
    return [positionButton(to, go), number ?? "?", element("span", { class: "mark " + wins }, words)];
  });
  const heads = [`${rows.length} moves, to`, "number", "this move"];
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

async function nodeContent(position, context) {
  const { source, drawn, show } = context;
  const found = await ask("why", { source, position });
  const parts = [];
  if (drawn) {
    const address = "/api/drawing?position=" + encodeURIComponent(position);
    parts.push(element("img", { src: address, loading: "lazy", alt: `Drawing of ${position}` }));
  }
  const words = element("p", {}, inWords(found) + ". ");
  words.append(element("button", { type: "button", click: () => show(position) }, "Show on the board"));
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
  const content = await nodeContent(position, context);
  if (place.dataset.position !== position) return; // another one has been asked for since
  place.replaceChildren(element("p", {}, element("code", {}, position)), ...content);
}

function bars(title, pairs) {
  const most = Math.max(1, ...pairs.map(([, count]) => count));
  const rows = pairs.map(([value, count]) => {
    const bar = element("span", { class: "bar" });
    bar.style.width = `${(100 * count) / most}%`;
    return [String(value), count.toLocaleString(), bar];
  });
  return [element("h3", {}, title), table([title, "facts", ""], rows)];
}

/** The database: look up, filter, statistics. */
export function showFacts(place, source, show) {
  const contains = element("input", { maxlength: 200, spellcheck: "false" });
  const number = element("input", { type: "number", min: 0, max: 250 });
  const results = element("div", { class: "scroll", "aria-live": "polite" });
  let skip = 0;

  const look = async () => {
    const wanted = { source, contains: contains.value.trim(), skip };
    if (number.value !== "") wanted.number = Number(number.value);
    try {
      const found = await ask("facts", wanted);
      const rows = found.facts.map((fact) => [positionButton(fact.land, show), String(fact.number)]);
      results.replaceChildren(table([`of ${found.known.toLocaleString()} facts`, "number"], rows));
      if (found.more) {
        const next = () => { skip += rows.length; look(); };
        results.append(element("button", { type: "button", click: next }, "More"));
      }
    } catch (error) {
      results.replaceChildren(element("p", {}, error.message));
    }
  };
  const count = async () => {
    const found = await ask("statistics", { source });
    const starts = found.starts.map(({ n, number: value }) => [`0*${n}`, String(value)]);
    results.replaceChildren(
      ...bars("Grundy number", found.by_number), ...bars("lives", found.by_lives),
      element("h3", {}, "Games of n spots"), table(["position", "number"], starts),
    );
  };
  const form = element(
    "form", { class: "form", submit: (event) => { event.preventDefault(); skip = 0; look(); } },
    element("label", {}, "Contains", contains), element("label", {}, "Grundy number", number),
    element("button", {}, "Find"), element("button", { type: "button", click: count }, "Statistics"),
  );
  place.replaceChildren(form, results);
}

/** The certificates of the package. */
export function showGallery(place, gallery, open) {
  const cards = gallery.map(({ name, bytes }) => {
    const spots = name.replace("sprouts-", "");
    const label = spots === "1" ? "1 spot" : `${spots} spots`;
    const size = element("small", {}, `${Math.ceil(bytes / 1000)} kB`);
    return element("button", { type: "button", click: () => open(name) }, label, element("br"), size);
  });
  place.replaceChildren(
    element("p", {}, "Proofs that come with pns. Opened, each marks its moves on the board."),
    element("div", { class: "grid" }, ...cards),
  );
}
