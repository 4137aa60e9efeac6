// Python with the package in a worker: Pyodide, and `pns.web.browser`.

import { keepMemory, keptMemory } from "./memory.js";
import { loadPyodide } from "../pyodide/pyodide.mjs";

const SETTINGS = { indexURL: new URL("../pyodide/", import.meta.url).href };
const ARCHIVE = "/pns.zip";
const MODULE = "pns.web.browser";
const fetchFile = (path) => fetch(new URL(path, import.meta.url));

/** Python as it was when its memory was kept; it has no files yet but those of Pyodide. */
async function restored(memory) {
  const { default: create } = await import("../pyodide/pyodide.asm.mjs");
  const createPyodideModule = async (settings) => {
    const made = await create(settings);
    made.growMemory(memory.length);
    return made;
  };
  return loadPyodide({ ...SETTINGS, createPyodideModule, _loadSnapshot: memory });
}

/** Python with the package imported; its memory is kept for the next visit, while this one goes on. */
async function imported({ digest, game, position }, archive) {
  const python = await loadPyodide({ ...SETTINGS, _makeSnapshot: true });
  performance.mark("python");
  python.FS.writeFile(ARCHIVE, archive);
  python.runPython(`import sys; sys.path.insert(0, "${ARCHIVE}"); import ${MODULE}`);
  performance.mark("imports");
  python.runPython(`${MODULE}.prepare("${game}", ${JSON.stringify(position)})`);
  performance.mark("prepared");
  keepMemory(digest, python.makeMemorySnapshot());
  return python;
}

/** The module `pns.web.browser`; `config` is what browser.json says. */
export async function loadModule(config) {
  const archive = fetchFile("../pns.zip").then(async (answer) => new Uint8Array(await answer.arrayBuffer()));
  const memory = await keptMemory(config.digest);
  performance.mark("memory");
  if (memory) {
    try {
      const python = await restored(memory);
      python.FS.writeFile(ARCHIVE, await archive);
      performance.mark("restored");
      return python.pyimport(MODULE);
    } catch (error) {
      console.info(`the kept memory is not taken: ${error.message}`);
    }
  }
  return (await imported(config, await archive)).pyimport(MODULE);
}
