// Elements of the page.

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

/** An element of a drawing. */
export function shape(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
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

/** A drawing as an element of this page, of the text of an SVG document. */
export function importedSvg(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  return document.importNode(parsed.documentElement, true);
}
