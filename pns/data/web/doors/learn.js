// The door Learn: steps of a minute each. The learner does something on the board in each; what is
// done is kept in this browser.

import { Board } from "../boards/sprouts.js";
import { element } from "../core/dom.js";
import { Game } from "../core/game.js";
import { t } from "../core/texts.js";
import { STEPS } from "../learn/steps.js";

const KEY = "pns-learned";

/** The names of the steps that are done. */
function learned() {
  return new Set((localStorage.getItem(KEY) ?? "").split(" ").filter(Boolean));
}

/** Opens the door in a place; `app` is the page (`main.js`), `words` those of the address. */
export async function open(place, app, words) {
  const sheets = element("div", { id: "sheets" });
  const hint = element("p", { id: "hint" });
  const task = element("p", { class: "task" });
  const result = element("p", { class: "result", role: "status", "aria-live": "polite" });
  const title = element("h1", { tabindex: -1 });
  const count = element("p", { class: "count" });
  const text = element("p", { class: "lesson" });
  const list = element("ol", { class: "steps" });
  const button = (key, press, more = {}) => element("button", { type: "button", click: press, ...more }, t(key));
  const back = button("learn.back", () => show(at - 1));
  const again = button("learn.again", () => begin());
  const next = button("learn.next", () => (at + 1 < STEPS.length ? show(at + 1) : app.go("play")));

  let at = 0;
  let asked = 0; // grows with each position; an answer about an older one is dropped

  const say = (words) => { hint.textContent = words; };
  const board = new Board(sheets, (move) => game.play(move.step, move), say, (sheet, points) => game.read(sheet, points));
  board.isMarked = false; // the learner finds out
  const game = new Game({
    shown({ found }) {
      board.show(found.sheets, false);
      say("");
    },
    moved: () => check().catch(app.fail),
    redrawn: (drawn) => board.redraw(drawn),
    marked: (marks) => board.setMarks(marks),
    say,
    fail: app.fail,
  });
  game.name = "sprouts"; // in normal play, whatever the server's game is

  /** Sees whether the step is done. */
  async function check() {
    const step = STEPS[at];
    const turn = ++asked;
    const isDone = game.canUndo ? await step.check(game) : null;
    if (turn !== asked) return;
    result.className = "result" + (isDone === null ? "" : isDone ? " win" : " loss");
    result.textContent = isDone === null ? "" : isDone
      ? `✓ ${t(`learn.${step.name}.done`)}` : `✗ ${t(`learn.${step.name}.wrong`)}`;
    again.disabled = !game.canUndo;
    again.classList.toggle("primary", isDone === false);
    next.classList.toggle("primary", isDone === true);
    if (isDone) {
      localStorage.setItem(KEY, [...learned().add(step.name)].join(" "));
      showList();
    }
  }

  function begin() {
    const step = STEPS[at];
    asked += 1;
    game.solverAnswers = Boolean(step.answers);
    board.asksSides = game.solverAnswers; // a move is finished before the solver answers it
    return game.begin(step.start);
  }

  function showList() {
    const done = learned();
    list.replaceChildren(...STEPS.map(({ name }, i) => {
      const isDone = done.has(name);
      const label = t(`learn.${name}.title`) + (isDone ? `, ${t("learn.isDone")}` : "");
      return element("li", {}, element("button", { type: "button", "aria-label": label, class: isDone ? "done" : "",
        "aria-current": i === at ? "step" : null, click: () => show(i) },
      element("span", { class: "mark", "data-mark": isDone ? "✓" : i + 1 }),
      element("span", {}, t(`learn.${name}.title`))));
    }));
  }

  function show(number) {
    at = number;
    const { name } = STEPS[at];
    title.textContent = t(`learn.${name}.title`);
    count.textContent = t("learn.step", { number: at + 1, count: STEPS.length });
    text.textContent = t(`learn.${name}.text`);
    task.textContent = t(`learn.${name}.task`);
    back.disabled = at === 0;
    next.textContent = t(at + 1 < STEPS.length ? "learn.next" : "learn.play");
    app.note("learn", { step: at + 1 });
    showList();
    return begin();
  }

  place.append(element("div", { class: "learn" },
    element("nav", { "aria-label": t("learn.title") }, list),
    element("section", { class: "lesson-text" }, count, title, text, task, result,
      element("div", { class: "tools" }, back, again, next)),
    element("section", { class: "lesson-board", "aria-label": t("learn.title") }, sheets, hint)));

  const wanted = Number(words.get("step")) - 1;
  const first = STEPS.findIndex(({ name }) => !learned().has(name));
  await show(wanted in STEPS ? wanted : Math.max(0, first));
}

/** Leaves the door. */
export function close() {}
