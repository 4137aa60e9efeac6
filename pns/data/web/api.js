// Questions to the server. The token comes in the address that `pns explore` prints, after the #,
// which browsers do not send; it is kept for later visits to the same port.

const KEY = "pns-token";
const found = /(?:^#|&)token=([\w-]+)/.exec(location.hash);
if (found) {
  localStorage.setItem(KEY, found[1]);
  history.replaceState(null, "", location.pathname + location.search);
}

/** The answer to a question; throws an Error with the reason of a refusal. */
export async function ask(name, data = {}) {
  const response = await fetch("/api/" + name, {
    method: "POST",
    headers: { "content-type": "application/json", "x-pns-token": localStorage.getItem(KEY) ?? "" },
    body: JSON.stringify(data),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/** An element with attributes and children; functions are listeners. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** A position as a button that shows it. */
export function positionButton(text, show) {
  return element("button", { class: "position", type: "button", click: () => show(text) }, text);
}

/** A table; rows are arrays of texts or elements. */
export function table(heads, rows) {
  const cells = (kind, row) => row.map((cell) => element(kind, {}, cell ?? ""));
  return element(
    "table", {},
    element("thead", {}, element("tr", {}, ...cells("th", heads))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells("td", row)))),
  );
}

/** What the game has: `numbers` says whether positions have Grundy numbers. */
export const traits = { numbers: true };

/** "win", "draw", "loss" or "unknown" with the Grundy number, in words. */
export function inWords({ outcome, number, value }) {
  const words = { win: "win for the player to move", draw: "draw", loss: "loss for the player to move" };
  const grundy = number === null || !traits.numbers ? "" : `, Grundy number ${number}`;
  return (words[value ?? outcome] ?? "unknown") + grundy;
}
