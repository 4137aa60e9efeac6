// The memory of Python once the package is imported, kept in the browser (Cache API): the next visit
// goes on from there, and spares itself all imports.

const SCOPE = new URL("..", import.meta.url).href; // an origin may have several pages
const NAME = `pns-memory ${SCOPE}`;

/** A memory belongs to the files that made it, and to the engine that runs them. */
const addressOf = (digest) => `${SCOPE}memory?${new URLSearchParams({ digest, engine: navigator.userAgent })}`;

/** The memory that is kept for the files of a digest: a Uint8Array, null where there is none. */
export async function keptMemory(digest) {
  try {
    const found = await caches.match(addressOf(digest), { cacheName: NAME });
    return found ? new Uint8Array(await found.arrayBuffer()) : null;
  } catch {
    return null; // a private window, or a place without a cache
  }
}

/** Keeps no memory any longer, after a failure that may come from it. */
export async function forgetMemory() {
  try {
    await caches.delete(NAME);
  } catch {
    // there is no cache
  }
}

/** Keeps a memory in place of all others; without room for it, none. */
export async function keepMemory(digest, memory) {
  try {
    await caches.delete(NAME);
    await (await caches.open(NAME)).put(addressOf(digest), new Response(memory));
  } catch {
    // the next visit imports again
  }
}
