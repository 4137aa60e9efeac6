// Questions to the solver, which answers in one of two places: a server (`pns explore`), or a web
// worker of this browser (the page as static files). Both answer the same questions with the same
// JSON; `pns.web.api` has the list. Looking needs no token; what changes something does: the token
// comes in the address that `pns explore` prints, after the #, which browsers do not send, and is
// kept for later visits to the same port.

const KEY = "pns-token";
const found = /(?:^#|&)token=([\w-]+)/.exec(location.hash);
if (found) {
  localStorage.setItem(KEY, found[1]);
  history.replaceState(null, "", location.pathname + location.search);
}

async function askServer(name, data) {
  const response = await fetch("api/" + name, {
    method: "POST",
    headers: { "content-type": "application/json", "x-pns-token": localStorage.getItem(KEY) ?? "" },
    body: JSON.stringify(data),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/** The game of the address, none for that of the server. */
export function gameOfAddress() {
  const game = new URLSearchParams(location.search).get("game");
  return game ? { game } : {};
}

/**
 * The answer to a question, about the game of the address unless `data` has another one; throws an
 * Error with the reason of a refusal.
 */
export function ask(name, data = {}) {
  return askServer(name, { ...gameOfAddress(), ...data });
}
