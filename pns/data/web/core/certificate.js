// Certificates that a person brings: dropped anywhere on the page, or chosen as a file. The
// independent checker proves each entry again; nothing of the search is trusted.

import { ask } from "./api.js";
import { element } from "./dom.js";

const MOST_BYTES = 3_000_000;

/** The bytes of a file in base64. */
async function contentOf(file) {
  if (file.size > MOST_BYTES) throw new Error(`more than ${MOST_BYTES / 1e6} MB: check it with scripts/check_certificate.py`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
}

/** What a check found, in words. */
function verdictOf({ position, game, outcome, verdict, entries, bad }) {
  const claim = `${position} (${game}) is a ${outcome} for the player to move`;
  if (verdict === "proved") return [`✓ Proved: ${claim}. All ${entries.toLocaleString()} entries hold.`];
  return [`✗ Not proved: ${claim}.`, ...bad];
}

/** Adds the panel to a place; while the place is on the page, files can be dropped anywhere. */
export function certificate(place) {
  const input = element("input", { type: "file", accept: ".gz", "aria-label": "Certificate to check" });
  const bar = element("progress", { max: 1, value: 0, "aria-label": "Entries checked" });
  const progress = element("p", { hidden: true }, bar);
  const verdict = element("div", { class: "verdict", role: "status" });
  const panel = element("section", { class: "certificate", "aria-labelledby": "certificate-title" },
    element("h2", { id: "certificate-title" }, "Check a certificate"),
    element("p", { class: "legend" }, "Drop a file NAME.cert.gz anywhere on the page, or choose one. ",
      "A checker with its own rules proves it again, here."),
    input, progress, verdict);
  let latest = null; // the file that is checked; a new one takes its place

  function show(kind, lines) {
    verdict.className = "verdict " + kind;
    verdict.replaceChildren(...lines.map((line) => element("p", {}, line)));
  }

  async function check(file) {
    latest = file;
    show("", [`Checking ${file.name}…`]);
    bar.removeAttribute("value");
    progress.hidden = false;
    try {
      let found = await ask("check", { content: await contentOf(file) });
      while (!found.verdict && latest === file && panel.isConnected) {
        bar.max = Math.max(1, found.entries);
        bar.value = found.done;
        show("", [`Checking ${file.name}: ${found.done} of ${found.entries} entries…`]);
        found = await ask("check", { check: found.check });
      }
      if (latest !== file || !panel.isConnected) return;
      if (found.verdict === "refused") throw new Error(found.reason);
      show(found.verdict === "proved" ? "win" : "loss", verdictOf(found));
    } catch (error) {
      if (latest === file) show("loss", [`✗ ${file.name}: ${error.message}`]);
    } finally {
      if (latest === file) progress.hidden = true;
    }
  }

  const dragged = (event) => {
    if (!panel.isConnected) {
      for (const name of ["dragover", "drop"]) document.removeEventListener(name, dragged);
      return;
    }
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    if (event.type !== "drop") return;
    panel.scrollIntoView({ block: "nearest" });
    check(event.dataTransfer.files[0]);
  };
  for (const name of ["dragover", "drop"]) document.addEventListener(name, dragged);
  input.addEventListener("change", () => {
    if (input.files.length) check(input.files[0]);
  });
  place.append(panel);
}
