// Questions to the solver, which answers in one of two places: a server (`pns explore`), or a web
// worker of this browser (the page as static files, which a meta element of index.html says). Both
// answer the same questions with the same JSON; `pns.web.api` has the list.

const isStatic = document.querySelector('meta[name="pns-transport"][content="browser"]') !== null;
const transport = import(isStatic ? "./transport-browser.js" : "./transport-server.js");

/** The game of the address, none for that of the server. */
export function gameOfAddress() {
  const game = new URLSearchParams(location.search).get("game");
  return game ? { game } : {};
}

/**
 * The answer to a question, about the game of the address unless `data` has another one; throws an
 * Error with the reason of a refusal.
 */
export async function ask(name, data = {}) {
  return (await transport).ask(name, { ...gameOfAddress(), ...data });
}

/** Calls `take(state)` with the state of the searches, now and whenever it changes, until a signal. */
export async function watchSearches(take, signal) {
  (await transport).watchSearches(take, signal);
}
