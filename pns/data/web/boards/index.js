// Which board shows a game, by the `board` that the questions `games` and `about` name. All have
// show(found, isLost), setMarks(marks), point(text), isMarked and playable.

import { MoveList } from "./list.js";
import { SceneBoard } from "./scene.js";
import { Board } from "./sprouts.js";

const BOARDS = { sprouts: Board, cells: SceneBoard, heaps: SceneBoard, graph: SceneBoard };

/** The class of a kind of board; a list of moves serves every game. */
export function boardFor(kind) {
  return BOARDS[kind] ?? MoveList;
}
