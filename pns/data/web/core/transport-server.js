// The server as what answers. Looking needs no token; what changes something does: it comes in the
// address that `pns explore` prints, after the #, which browsers do not send, and is kept for later
// visits to the same port.

const KEY = "pns-token";
const found = /(?:^#|&)token=([\w-]+)/.exec(location.hash);
if (found) {
  localStorage.setItem(KEY, found[1]);
  history.replaceState(null, "", location.pathname + location.search);
}

export async function ask(name, data) {
  const response = await fetch("api/" + name, {
    method: "POST",
    headers: { "content-type": "application/json", "x-pns-token": localStorage.getItem(KEY) ?? "" },
    body: JSON.stringify(data),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/** Listens until a signal: browsers allow few connections to a server at a time. */
export function watchSearches(take, signal) {
  const events = new EventSource("api/events");
  events.addEventListener("message", ({ data }) => take(JSON.parse(data)));
  signal.addEventListener("abort", () => events.close());
}
