"""Boards of squares that stay in place: their text, and their picture.

The text of a board is that of its game, with more letters: `<>` and `^v` are the halves of a
domino, `Q` is a queen. To the game the squares below them are blocked.
"""

from __future__ import annotations

from html import escape
from typing import Dict, Iterable, Iterator, List, NamedTuple, Sequence, Tuple

from pns.game import Scene, SceneMove, SceneSize, TooLarge
from pns.games.board import EMPTY_POSITION, parse_boards

SIDE = 40
"""The side of a square."""
RADIUS = 14
"""The radius of a stone."""
MARGIN = 6
MOST_CELLS = 400
TO_BLOCKED = str.maketrans("<>^vQ", "#####")
NAMES = {
    ".": "free",
    "#": "blocked",
    "X": "blue stone",
    "O": "orange stone",
    "x": "safe blue stone",
    "o": "safe orange stone",
    "-": "free for good",
    "Q": "queen",
}
"""What is on a square, for readers of the screen; all else is part of a domino."""
ROWS, COLUMNS = "rows", "columns"


class Squares(NamedTuple):
    """A board: what precedes it in a text, its squares row by row, and its width."""

    head: str
    cells: str
    width: int

    @property
    def height(self) -> int:
        return len(self.cells) // self.width

    def text(self) -> str:
        """The text of the board."""
        width = self.width
        return self.head + "|".join(
            [self.cells[i : i + width] for i in range(0, len(self.cells), width)]
        )

    def position(self) -> str:
        """The position that the game sees."""
        return self._replace(cells=self.cells.translate(TO_BLOCKED)).text()

    def put(self, pieces: Dict[int, str], head: str) -> Squares:
        """The board with other letters on some squares."""
        cells = [pieces.get(i, cell) for i, cell in enumerate(self.cells)]
        return Squares(head, "".join(cells), self.width)

    def at(self, square: int) -> Tuple[int, int]:
        """The row and the column of a square."""
        return square // self.width, square % self.width

    def pairs(self) -> Iterator[Tuple[int, int, bool]]:
        """(square, its neighbour to the right or below, whether that is below)."""
        for square in range(len(self.cells)):
            if (square + 1) % self.width:
                yield square, square + 1, False
            if square + self.width < len(self.cells):
                yield square, square + self.width, True


def read_squares(text: str, head: str, letters: str, example: str) -> Squares:
    """The board of a text that begins with a head; several are put side by side.

    Raises NotationError, and TooLarge.
    """
    if text[len(head) :] == EMPTY_POSITION:
        return Squares(head, "#", 1)
    boards = parse_boards(text, letters, example, len(head))
    height = max([len(board.cells) // board.width for board in boards])
    rows: List[str] = []
    for r in range(height):
        parts = []
        for board in boards:
            cells = board.cells.decode("ascii")
            row = cells[r * board.width : (r + 1) * board.width]
            parts.append(row or "#" * board.width)
        rows.append("#".join(parts))
    found = Squares(head, "".join(rows), len(rows[0]))
    if len(found.cells) > MOST_CELLS:
        raise TooLarge("a board of more than %d squares is not shown" % MOST_CELLS)
    return found


def moved(board: Squares, parts: Sequence[str], after: Squares) -> SceneMove:
    """The move that leads to a board."""
    pairs = enumerate(zip(board.cells, after.cells))
    changes = [str(i) for i, (old, new) in pairs if old != new]
    return SceneMove(tuple(parts), tuple(changes), after.text(), after.position())


# --- pictures --------------------------------------------------------------------------------


def stone(letter: str, x: float, y: float, more: str = "") -> str:
    """A stone around a place."""
    kind = "stone %s%s%s" % (letter.upper(), " safe" * letter.islower(), more)
    disc = '<circle class="%s" cx="%g" cy="%g" r="%g"/>' % (kind, x, y, RADIUS)
    ring = '<circle class="ring%s" cx="%g" cy="%g" r="%g"/>' % (more, x, y, RADIUS / 2)
    return disc + ring * (letter in "Oo")


def queen(x: float, y: float, more: str = "") -> str:
    """A queen around a place."""
    points = "-11 10 -14 -6 -6 2 0 -11 6 2 14 -6 11 10"
    return '<polygon class="queen%s" transform="translate(%g %g)" points="%s"/>' % (
        more,
        x,
        y,
        points,
    )


def piece(letter: str, x: float, y: float, more: str = "") -> str:
    """What lies on a square around a place, "" for nothing; a domino is drawn by its first half."""
    if letter in "XOxo":
        return stone(letter, x, y, more)
    if letter == "Q":
        return queen(x, y, more)
    if letter == "-":
        return '<circle class="liberty" cx="%g" cy="%g" r="4"/>' % (x, y)
    if letter in "<^":
        sides = (2 * SIDE - 8, SIDE - 8)
        width, height = sides if letter == "<" else sides[::-1]
        box = (x - SIDE / 2 + 4, y - SIDE / 2 + 4, width, height)
        way = "lying" if letter == "<" else "upright"
        return '<rect class="domino %s" x="%g" y="%g" width="%g" height="%g" rx="7"/>' % (way, *box)
    return ""


def label(board: Squares, square: int) -> str:
    """A square in words."""
    row, column = board.at(square)
    name = NAMES.get(board.cells[square], "domino")
    return "row %d, column %d, %s" % (row + 1, column + 1, name)


def touchable(moves: Iterable[SceneMove]) -> List[str]:
    """All elements that can be touched."""
    return list(dict.fromkeys([part for move in moves for part in move.parts]))


def element(part: str, name: str, inside: str) -> str:
    """A part of a picture that can be touched."""
    return '<g data-part="%s" aria-label="%s">%s</g>' % (part, name, inside)


def document(width: float, height: float, title: str, inside: Iterable[str]) -> str:
    """A picture of some size."""
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g">'
    size = (width, height, width, height)
    return "".join([head % size, "<title>%s</title>" % escape(title), *inside, "</svg>"])


def square_picture(board: Squares, moves: Sequence[SceneMove], ghost: str = "") -> str:
    """The picture of a board of squares; `ghost` is the piece that a touch places."""
    parts = set(touchable(moves))
    below: List[str] = []
    above: List[str] = []
    for square, letter in enumerate(board.cells):
        row, column = board.at(square)
        x, y = MARGIN + SIDE * column, MARGIN + SIDE * row
        kind = "square blocked" if letter == "#" else "square"
        box = '<rect class="%s" x="%g" y="%g" width="%g" height="%g"/>'
        inside = box % (kind, x, y, SIDE, SIDE)
        middle = x + SIDE / 2, y + SIDE / 2
        if letter in "<^":
            above.append(piece(letter, *middle))
        else:
            inside += piece(letter, *middle)
        if str(square) in parts:
            shadow = piece(ghost, *middle, " ghost") if ghost and letter == "." else ""
            inside = element(str(square), label(board, square), inside + shadow)
        below.append(inside)
    size = SIDE * board.width + 2 * MARGIN, SIDE * board.height + 2 * MARGIN
    return document(*size, board.text(), below + above)


def rows_of(board: Squares) -> str:
    """The rows of a board as lines of text."""
    return board.text()[len(board.head) :].replace("|", "\n")


class SquareScenes:
    """Boards of squares of a game; derived classes say what the moves are."""

    kind = "cells"
    letters = ".#"
    example = "..#|..."
    ghost = ""

    def __init__(self, title: str, rules: str, sizes: Tuple[int, int], most: int = 8) -> None:
        """`sizes` are the rows and columns at first, and `most` is the most of each."""
        self.title, self.rules = title, rules
        self.sizes: Tuple[SceneSize, ...] = (
            SceneSize(ROWS, 1, most, sizes[0]),
            SceneSize(COLUMNS, 2, most, sizes[1]),
        )

    def start(self, values: Sequence[int]) -> str:
        """An empty board."""
        return "|".join(["." * values[1]] * values[0])

    def head(self, text: str) -> str:
        """What precedes the board in a text; raises NotationError."""
        return ""

    def scene(self, text: str) -> Scene:
        board = read_squares(text, self.head(text), self.letters, self.example)
        moves = list(self.moves(board))
        svg = self.picture(board, moves)
        return Scene(board.text(), board.position(), svg, rows_of(board), moves, self.turn(board))

    def moves(self, board: Squares) -> Iterable[SceneMove]:
        """The moves on a board."""
        raise NotImplementedError

    def picture(self, board: Squares, moves: Sequence[SceneMove]) -> str:
        """The picture of a board."""
        return square_picture(board, moves, self.ghost)

    def turn(self, board: Squares) -> str:
        """Who is to move."""
        return ""
