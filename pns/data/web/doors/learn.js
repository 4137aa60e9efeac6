// The door Learn.

/** Opens the door in a place; `app` is the page (`main.js`), `words` those of the address. */
export async function open(place, app, words) {
  place.textContent = "";
}

/** Leaves the door. */
export function close() {}
