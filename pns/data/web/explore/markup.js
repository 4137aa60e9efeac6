// What the door Explore consists of.

import { t } from "../core/texts.js";

export const TABS = ["moves", "why", "gallery", "search", "facts", "certificate"];

const item = (id, key, more = "") => `<button type="button" id="${id}" ${more}>${t(key)}</button>`;

/** The elements of the door. */
export function markup() {
  const tabs = TABS.map((name) =>
    `<button type="button" role="tab" id="tab-${name}" data-tab="${name}" aria-controls="${name}">${t("explore.tab." + name)}</button>`);
  const panels = TABS.map((name) => `<div role="tabpanel" id="${name}" aria-labelledby="tab-${name}" hidden></div>`);
  return `
<h1 class="unseen">${t("door.explore")}</h1>
<div class="columns">
  <section class="board" aria-labelledby="board-title">
    <h2 id="board-title"><span id="outcome" class="verdict"></span> <span id="turn"></span></h2>
    <p class="notation"><code id="text"></code></p>
    <div class="tools" id="toolbar" role="toolbar" aria-label="${t("explore.tab.moves")}">
      ${item("solver", "explore.best", 'class="primary"')}
      ${item("find", "explore.find", 'class="primary" hidden')}
      ${item("undo", "explore.undo")} ${item("redo", "explore.redo")}
      <details class="menu" id="menu"><summary>${t("explore.menu")}</summary><div>
        ${item("answers", "explore.answers", 'aria-pressed="false"')} ${item("play-out", "explore.playOut")}
        ${item("marks", "explore.marks", 'aria-pressed="true"')}
        ${item("notation", "explore.notation", 'aria-pressed="false"')}
        ${item("share", "explore.share")} ${item("export", "explore.export")}
      </div></details>
    </div>
    <p id="hint" role="status" aria-live="polite"></p>
    <div id="sheets"></div>
    <p id="legend" class="legend" hidden></p>
    <div id="choices" class="tools" role="group" aria-label="The last move" hidden></div>
    <p id="known-from"></p>
    <div id="fresh" role="group" aria-label="${t("explore.fresh")}"></div>
    <form id="start">
      <label for="position">${t("explore.position")}</label>
      <input id="position" autocomplete="off" spellcheck="false" maxlength="2000">
      <button>${t("explore.show")}</button>
    </form>
  </section>
  <section class="side" aria-label="Knowledge">
    <section id="sum" aria-label="${t("sums.title")}" hidden></section>
    <div role="tablist" aria-label="Knowledge" id="tabs">${tabs.join("")}</div>
    ${panels.join("")}
    <p id="source"></p>
  </section>
</div>
`.replace('aria-labelledby="tab-certificate" hidden>', `aria-labelledby="tab-certificate" hidden>
  <p id="certificate-words" class="words"></p>
  ${item("certificate-close", "explore.certificateClose")}`);
}
