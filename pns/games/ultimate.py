"""Ultimate tic-tac-toe: nine boards of tic-tac-toe that make one [elhage-web].

A stone in a square of a board sends the other player to the board that lies as that square does;
if that one is decided, to any. Three in a row win a board, and three boards in a row the game.
Without a move left it is a draw.

A text like `X5:` and nine rows of nine says who is to move, and in which board: 1 to 9 in reading
order, or `*` for any. A letter after it says for whom a draw counts as a win, as in `X5o:`;
without it a draw counts against the player to move. A land is a whole position, or an image of it.
A board that is won is filled with stones of the winner, and one without winner is blocked (`#`).
Where the player whom draws do not help can win no row of boards any more, the other has won.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Dict, List, NamedTuple, Tuple

from pns.game import Game, Land, NotationError, Picture, Sum
from pns.games.board import EMPTY_POSITION, format_boards, one_board, read_land
from pns.games.board_svg import board_picture

SIDE = 9
ANY = 9
"""The board to play in, where any will do."""
EMPTY = ord(".")
HEAD = re.compile(r"([XO])([1-9*])([xo]?):")
LATE = (
    "O2o:..X..OOOO|O.OXO.OOO|XX....OOO|OOOXXXXXX|OOOXXXXXX|OOOXXXXXX|OOOOO.XXX|OOOXX.XXX|OOOX.OXXX"
)
"""An example after 49 moves."""
EXAMPLE = "X*: and nine rows of nine squares"
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
OTHER = {"X": "O", "O": "X"}


class State(NamedTuple):
    """A position: who is to move, the board to play in, for whom a draw counts, the squares."""

    mover: str
    target: int
    draws: str
    """X or O."""
    boards: Tuple[bytes, ...]
    """Nine boards of nine squares."""


@lru_cache(maxsize=1)
def images() -> List[Tuple[int, ...]]:
    """The eight symmetries of nine places: where each image is taken from."""
    found = []
    places = list(range(9))
    for _ in range(4):
        places = [places[i] for i in (6, 3, 0, 7, 4, 1, 8, 5, 2)]
        found += [tuple(places), tuple([places[i] for i in (2, 1, 0, 5, 4, 3, 8, 7, 6)])]
    return found


def has_line(squares: bytes, letter: int) -> bool:
    """Whether three of nine squares in a row have a letter."""
    return any([all([squares[i] == letter for i in line]) for line in LINES])


def settled(board: bytes) -> bytes:
    """A board, filled if it is won, and blocked if it is full."""
    for letter in b"XO":
        if has_line(board, letter):
            return bytes([letter]) * 9
    return board if EMPTY in board else b"#" * 9


def owners(boards: Tuple[bytes, ...]) -> bytes:
    """Who has each board: X, O, # for nobody, or . while it is open."""
    return bytes([EMPTY if EMPTY in board else board[0] for board in boards])


class Ultimate:
    """The game contract for ultimate tic-tac-toe."""

    name = "ultimate"
    decomposes = False
    examples = ("X*:" + "|".join(["." * SIDE] * SIDE), LATE)

    def parse(self, text: str) -> Sum:
        """The land of a position; () for one that the player to move has lost."""
        if text == EMPTY_POSITION:
            return ()
        match = HEAD.match(text)
        if not match:
            raise NotationError(text, 0, "the player to move is missing", "write %s" % EXAMPLE)
        board = one_board(text, ".XO#", EXAMPLE, match.end())
        if board.width != SIDE or len(board.cells) != SIDE * SIDE:
            raise NotationError(text, match.end(), "a board of another size", "write 9 rows of 9")
        boards = []
        for start in places():
            squares = bytes([board.cells[start + i] for i in inside()])
            if all([has_line(squares, letter) for letter in b"XO"]):
                wrong = "both players have a row on this board"
                raise NotationError(
                    text,
                    board.at(start),
                    wrong,
                    "write a row of one player, whose move ended play there",
                )
            if squares != b"#" * 9 and b"#" in squares:
                wrong = "a partly blocked board"
                raise NotationError(
                    text, board.at(start), wrong, "block all of its squares, or none"
                )
            boards.append(settled(squares))
        mover, letter = match.group(1), match.group(3).upper()
        target = ANY if match.group(2) == "*" else int(match.group(2)) - 1
        state = State(mover, target, letter or OTHER[mover], tuple(boards))
        if has_line(owners(state.boards), ord(mover)):
            wrong = "%s has a row of boards and is to move" % mover
            raise NotationError(text, 0, wrong, "write a position before the last move")
        return position(state)

    def format(self, lands: Sum) -> str:
        return format_boards(lands)

    def questions(self, text: str) -> Tuple[Sum, Sum]:
        """The position with a draw as a loss of the player to move, and with a draw as a win."""
        match = HEAD.match(text)
        if not match:
            return self.parse(text), ()
        head, rest = match.group(1) + match.group(2), text[match.end() :]
        for_mover = "%s%s:%s" % (head, match.group(1).lower(), rest)
        return self.parse("%s:%s" % (head, rest)), self.parse(for_mover)

    def names_drawer(self, text: str) -> bool:
        """Whether a letter says for whom a draw counts."""
        match = HEAD.match(text)
        return bool(match and match.group(3))

    def draw(self, land: Land) -> Picture:
        head, _, board = land.decode("ascii").partition(":")
        where = "anywhere" if head[1] == "*" else "in board " + head[1]
        return board_picture(board, note="%s is to move, %s" % (head[0], where))

    def children(self, land: Land) -> List[Sum]:
        """The positions after each stone; only `()` where one wins at once."""
        state = read(land)
        if is_decided(state):
            return [()]
        mover = ord(state.mover)
        found: Dict[Sum, None] = {}
        for number, board in enumerate(state.boards):
            if EMPTY not in board or state.target not in (ANY, number):
                continue
            for square, cell in enumerate(board):
                if cell != EMPTY:
                    continue
                after = settled(board[:square] + bytes([mover]) + board[square + 1 :])
                boards = (*state.boards[:number], after, *state.boards[number + 1 :])
                if has_line(owners(boards), mover):
                    return [()]
                child = position(State(OTHER[state.mover], square, state.draws, boards))
                if not child:
                    return [()]
                found[child] = None
        return list(found)

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(the empty squares and one, the moves)."""
        state = read(land)
        counts = [board.count(b".") for board in state.boards]
        moves = sum(counts) if state.target == ANY else counts[state.target]
        return sum(counts) + 1, moves


@lru_cache(maxsize=1)
def places() -> List[int]:
    """The first square of each board."""
    return [27 * (i // 3) + 3 * (i % 3) for i in range(9)]


@lru_cache(maxsize=1)
def inside() -> List[int]:
    """The squares of a board, from its first."""
    return [SIDE * (i // 3) + i % 3 for i in range(9)]


def is_decided(state: State) -> bool:
    """Whether the player for whom draws count has won already."""
    asked = OTHER[state.draws].encode("ascii")
    return not has_line(owners(state.boards).replace(b".", asked), asked[0])


def position(state: State) -> Sum:
    """The land of a state; () if the player to move has lost."""
    won = owners(state.boards)
    if has_line(won, ord(OTHER[state.mover])):
        return ()
    if is_decided(state) and state.mover != state.draws:
        return ()
    if state.target != ANY and won[state.target] != EMPTY:
        state = state._replace(target=ANY)
    return (min([text_of(state, image) for image in images()]),)


def text_of(state: State, image: Tuple[int, ...]) -> Land:
    """The text of an image of a state."""
    target = "*" if state.target == ANY else "%d" % (image.index(state.target) + 1)
    boards = [state.boards[i] for i in image]
    turned = [bytes([board[i] for i in image]) for board in boards]
    rows = []
    for r in range(SIDE):
        start = 3 * (r % 3)
        rows.append(b"".join([b[start : start + 3] for b in turned[r // 3 * 3 : r // 3 * 3 + 3]]))
    head = "%s%s%s:" % (state.mover, target, state.draws.lower())
    return head.encode("ascii") + b"|".join(rows)


def read(land: Land) -> State:
    """The state of a land."""
    head, _, board = land.partition(b":")
    cells, _ = read_land(board)
    letters = head.decode("ascii")
    boards = tuple([bytes([cells[start + i] for i in inside()]) for start in places()])
    target = ANY if letters[1] == "*" else int(letters[1]) - 1
    return State(letters[0], target, letters[2].upper(), boards)


GAME: Game = Ultimate()
