// Keeps all files of the page, so that it opens without a network. The line before this one says
// FILES, each with its SHA-256, and VERSION, the digest of them all.

const PREFIX = `pns ${self.registration.scope} `; // an origin may have several pages
const NAME = PREFIX + VERSION;
const whole = (path) => new URL(path, self.registration.scope).href;

/** Fetches a file, and refuses another version of it than the one that belongs to the others. */
async function fetchFile([path, digest]) {
  const response = await fetch(whole(path), { cache: "no-cache" });
  const found = new Uint8Array(await crypto.subtle.digest("SHA-256", await response.clone().arrayBuffer()));
  const hex = Array.from(found, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (!response.ok || hex !== digest) throw new Error(`${path} is of another version`);
  return [whole(path), response];
}

async function install() {
  const cache = await caches.open(NAME);
  for (const file of Object.entries(FILES)) await cache.put(...await fetchFile(file));
}

async function activate() {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== NAME) await caches.delete(name);
  }
  await self.clients.claim();
}

async function answer(request) {
  const cache = await caches.open(NAME);
  const address = new URL(request.url);
  const isPage = address.href.replace(address.search, "") === self.registration.scope;
  const path = isPage ? whole("index.html") : address.origin + address.pathname;
  return (await cache.match(path)) ?? fetch(request);
}

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(install());
});
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && event.request.url.startsWith(self.registration.scope)) {
    event.respondWith(answer(event.request));
  }
});
