// Facts that searches have proved on this page, kept in the browser (IndexedDB).

const STORE = "facts";

const ended = (request) => new Promise((resolve, reject) => {
  request.addEventListener("success", () => resolve(request.result));
  request.addEventListener("error", () => reject(request.error));
});

async function open() {
  const request = indexedDB.open("pns", 1);
  request.addEventListener("upgradeneeded", () => request.result.createObjectStore(STORE));
  return ended(request);
}

/** Adds facts [land, number] of a game; resolves when they are stored. */
export async function addFacts(game, facts) {
  const database = await open();
  const change = database.transaction(STORE, "readwrite");
  const store = change.objectStore(STORE);
  for (const [land, number] of facts) store.put(number, [game, land]);
  await new Promise((resolve, reject) => {
    change.addEventListener("complete", resolve);
    change.addEventListener("abort", () => reject(change.error));
  });
  database.close();
}

/** Whether any facts of a game are kept; in a private window none are. */
export async function hasFacts(game) {
  try {
    const database = await open();
    const range = IDBKeyRange.bound([game, ""], [game, "\uffff"]);
    const count = await ended(database.transaction(STORE).objectStore(STORE).count(range));
    database.close();
    return count > 0;
  } catch {
    return false;
  }
}

/** All facts that are kept: a Map from the name of a game to its facts [land, number]. */
export async function keptFacts() {
  const database = await open();
  const store = database.transaction(STORE).objectStore(STORE);
  const [keys, numbers] = await Promise.all([ended(store.getAllKeys()), ended(store.getAll())]);
  database.close();
  const found = new Map();
  for (const [i, [game, land]] of keys.entries()) {
    if (!found.has(game)) found.set(game, []);
    found.get(game).push([land, numbers[i]]);
  }
  return found;
}
