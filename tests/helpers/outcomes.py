"""Small games that have outcomes only, and their outcomes by plain minimax."""

from __future__ import annotations

from functools import lru_cache
from typing import Iterator, List, Tuple

from pns.game import Land, NotationError, Sum

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class OneLand:
    """A game whose positions are one text, `!` where there is none."""

    decomposes = False
    letters = ""
    length = 0

    def parse(self, text: str) -> Sum:
        if text == "!":
            return ()
        for i, letter in enumerate(text):
            if letter not in self.letters:
                known = "write %s" % " ".join(self.letters)
                raise NotationError(text, i, "%s is no sign" % ascii(letter), known)
        if not text or self.length not in (0, len(text)):
            raise NotationError(text, 0, "a wrong length", "write %d signs" % self.length)
        return (self.canonical(text).encode(),)

    def canonical(self, text: str) -> str:
        return text

    def format(self, lands: Sum) -> str:
        return lands[0].decode() if lands else "!"


class MisereNim(OneLand):
    """Nim in which who takes the last object loses; heaps are digits."""

    name = "misere-nim"
    letters = "0123456789"
    examples = ("123", "55", "1")

    def canonical(self, text: str) -> str:
        return "".join(sorted(text.replace("0", ""))) or "0"

    def children(self, land: Land) -> List[Sum]:
        if land == b"0":
            return [()]
        text = land.decode()
        after = {
            self.canonical(text[:i] + str(left) + text[i + 1 :])
            for i, heap in enumerate(text)
            for left in range(int(heap))
        }
        return [(child.encode(),) for child in sorted(after)]

    def estimate(self, land: Land) -> Tuple[int, int]:
        heaps = [int(heap) for heap in land.decode()]
        return sum(heaps) + 1, sum(heaps)

    def wins(self, land: Land) -> bool:
        """By the known rule: as in Nim while a heap has two objects, else the reverse."""
        heaps = [int(heap) for heap in land.decode()]
        if max(heaps) < 2:
            return sum(heaps) % 2 == 0
        number = 0
        for heap in heaps:
            number ^= heap
        return number != 0


class TicTacToe(OneLand):
    """Tic-tac-toe: who is to move (x or o), for whom a draw counts, and nine squares."""

    name = "tic-tac-toe"
    letters = "xo."
    length = 11
    examples = ("xo.........", "xxx.o......", "oo..x.x.o..")

    def questions(self, text: str) -> Tuple[Sum, Sum]:
        (land,) = self.parse(text)
        mover, squares = land[:1], land[2:]
        other = b"o" if mover == b"x" else b"x"
        return (mover + other + squares,), (mover + mover + squares,)

    def names_drawer(self, text: str) -> bool:
        return True

    def children(self, land: Land) -> List[Sum]:
        mover, drawer, squares = chr(land[0]), chr(land[1]), land[2:].decode()
        if result(squares) or "." not in squares:
            return [()] if mover == drawer and not result(squares) else []
        other = "o" if mover == "x" else "x"
        return [((other + drawer + after).encode(),) for after in moves(squares, mover)]

    def estimate(self, land: Land) -> Tuple[int, int]:
        free = land[2:].count(b".")
        return free + 1, free


def moves(squares: str, mover: str) -> Iterator[str]:
    for i, at in enumerate(squares):
        if at == ".":
            yield squares[:i] + mover + squares[i + 1 :]


def result(squares: str) -> str:
    """Who has three in a row, "" if nobody has."""
    for a, b, c in LINES:
        if squares[a] != "." and squares[a] == squares[b] == squares[c]:
            return squares[a]
    return ""


@lru_cache(maxsize=None)
def value(squares: str, mover: str) -> int:
    """1 if the player to move wins, 0 for a draw, -1 for a loss, by minimax."""
    if result(squares):
        return 1 if result(squares) == mover else -1
    other = "o" if mover == "x" else "x"
    return max([-value(after, other) for after in moves(squares, mover)], default=0)


MISERE = MisereNim()
TIC_TAC_TOE = TicTacToe()
