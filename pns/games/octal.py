"""Octal games: heaps from which objects are taken by the rules of a code [guy1956].

In the code 0.d1d2d3..., the bits of digit dk say what may be left where k objects are taken from
one heap: 1 nothing, 2 one heap, 4 two heaps. A digit d0 of 4 lets a heap be split without taking
any. So Kayles is 0.77, Dawson's Kayles 0.07, Dawson's Chess 0.137.

A land is a heap with its code, like `0.77:10`.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Deque, Dict, List, NamedTuple, Optional, Set, Tuple

from pns.game import Game, Land, NotationError, Sum
from pns.games.numbers import EMPTY, MAX_TERMS
from pns.games.scenes.rows import RowScenes

MAX_HEAP = 10_000
"""The largest heap of a position."""
MOST_NUMBERS = 100_000
"""The largest heap whose Grundy number `grundy_numbers` finds: its steps grow with the square."""
MAX_DIGITS = 40
RIGHT = "write a code and heaps, like 0.77:4+10"


class Code(NamedTuple):
    """An octal code: its text without final zeros, and its digits from d0 on."""

    text: str
    digits: Tuple[int, ...]


def parse_code(text: str, offset: int = 0) -> Code:
    """The code in a text, in which the 0 before the point may be missing; raises NotationError.

    >>> parse_code(".770")
    Code(text='0.77', digits=(0, 7, 7))
    """
    found = re.fullmatch(r"([04]?)\.([0-7]{1,%d})" % MAX_DIGITS, text, re.ASCII)
    if not found:
        right = "write 0. or 4. and up to %d digits from 0 to 7, like 0.77" % MAX_DIGITS
        raise NotationError(text, offset, "invalid octal code %s" % ascii(text[:60]), right)
    digits = ((found[1] or "0") + found[2]).rstrip("0") or "0"
    return Code("%s.%s" % (digits[0], digits[1:] or "0"), tuple([int(digit) for digit in digits]))


def moves(digits: Tuple[int, ...], heap: int) -> List[Tuple[int, int]]:
    """The pairs of heaps, the smaller one first and 0 for none, that a move leaves.

    >>> moves((0, 7, 7), 3)
    [(0, 2), (1, 1), (0, 1)]
    """
    found = []
    for taken, digit in enumerate(digits):
        left = heap - taken
        if left < 0:
            break
        if (digit & 1 and not left) or (digit & 2 and left and taken):
            found.append((0, left))
        if digit & 4:
            found += [(part, left - part) for part in range(1, left // 2 + 1)]
    return list(dict.fromkeys(found))


def has_move(digits: Tuple[int, ...], heap: int) -> bool:
    """Whether `moves` finds any."""
    for taken, digit in enumerate(digits):
        left = heap - taken
        if digit & 1 and left == 0 or digit & 4 and left > 1 or digit & 2 and left > 0 and taken:
            return True
    return False


def digits_before(head: str) -> Tuple[int, ...]:
    """The digits of a code and a colon; raises NotationError."""
    return parse_code(head[:-1]).digits


class Octal:
    """The game contract for all octal games."""

    name = "octal"
    decomposes = True
    examples = ("0.77:12", "0.07:5+9", "4.3:6", "0.137:11")

    def __init__(self) -> None:
        self.scenes = RowScenes(
            "Dawson's Chess",
            "Take three objects side by side, two at the end of a row, or one that stands alone. "
            "Who takes the last object wins.",
            self.parse,
            digits_before,
            "0.137:",
            14,
        )

    def parse(self, text: str) -> Sum:
        """The heaps of a text like 0.77:4+10; those without moves are left out.

        >>> Octal().parse("0.07:10+1+4")
        (b'0.07:10', b'0.07:4')
        """
        if text == EMPTY:
            return ()
        code_text, colon, heaps = text.partition(":")
        try:
            code = parse_code(code_text)
        except NotationError as error:
            raise NotationError(text, 0, error.wrong, error.right) from error
        if not colon:
            raise NotationError(text, len(text), "the heaps are missing", RIGHT)
        if heaps.count("+") >= MAX_TERMS:
            most = "write at most %d heaps" % MAX_TERMS
            raise NotationError(text, 0, "the text is too long", most)
        lands: List[Land] = []
        offset = len(code_text) + 1
        for word in heaps.split("+"):
            if not re.fullmatch("[0-9]{1,9}", word, re.ASCII) or int(word) > MAX_HEAP:
                most = "write a number up to %d" % MAX_HEAP
                raise NotationError(text, offset, "invalid heap %s" % ascii(word[:20]), most)
            lands += _land(code, int(word))
            offset += len(word) + 1
        return tuple(sorted(lands))

    def format(self, lands: Sum) -> str:
        """The heaps in ascending order, after their code."""
        if not lands:
            return EMPTY
        heaps = sorted([int(land.partition(b":")[2]) for land in lands])
        code = lands[0].partition(b":")[0].decode()
        return code + ":" + "+".join(["%d" % heap for heap in heaps])

    def children(self, land: Land) -> List[Sum]:
        """The positions after each move.

        >>> Octal().children(b"0.77:3")
        [(b'0.77:2',), (b'0.77:1', b'0.77:1'), (b'0.77:1',)]
        """
        text, _, heap = land.decode().partition(":")
        code = parse_code(text)
        found: Dict[Sum, None] = {}
        for pair in moves(code.digits, int(heap)):
            lands = [part for size in pair for part in _land(code, size)]
            found[tuple(sorted(lands))] = None
        return list(found)

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(the objects, and those less one if a heap may be split; their number)."""
        text, _, heap = land.decode().partition(":")
        size = int(heap)
        return (2 * size - 1 if text[0] == "4" else size), size


def _land(code: Code, heap: int) -> List[Land]:
    """The land of a heap in a list, which is empty if the heap has no move."""
    return [b"%s:%d" % (code.text.encode(), heap)] if heap and has_move(code.digits, heap) else []


def grundy_numbers(code: Code, most: int) -> List[int]:
    """The Grundy numbers of the heaps 0 to `most`, by the definition.

    What the splits of a heap leave is found once and serves all digits: most² / 4 steps.
    """
    digits, numbers = code.digits, [0]
    can_split = any([digit & 4 for digit in digits])
    splits: Deque[Set[int]] = deque([set()], len(digits))  # of heap, heap - 1, ...
    for heap in range(1, most + 1):
        splits.appendleft(split_numbers(numbers, heap) if can_split else set())
        taken: Set[int] = set()
        for k in range(min(heap, len(digits) - 1) + 1):
            digit, left = digits[k], heap - k
            if (digit & 1 and not left) or (digit & 2 and left and k):
                taken.add(numbers[left])
            if digit & 4:
                taken |= splits[k]
        number = 0
        while number in taken:
            number += 1
        numbers.append(number)
    return numbers


def split_numbers(numbers: List[int], heap: int) -> Set[int]:
    """The Grundy numbers of the pairs of heaps into which a heap can be split."""
    return {numbers[part] ^ numbers[heap - part] for part in range(1, heap // 2 + 1)}


def period(code: Code, numbers: List[int]) -> Optional[Tuple[int, Optional[int]]]:
    """(p, e) where these numbers prove that G(n + p) = G(n) for all n > e; None if they do not.

    e is the last exception, None if there is none. The rest follows if it holds for all n from
    e + 1 to 2 e + p + k, with k the place of the last digit and 0 for no exception [guy1956]: the
    larger part of what a move leaves of n + p is then at least e + p + 1.

    >>> period(parse_code("0.77"), grundy_numbers(parse_code("0.77"), 250))
    (12, 70)
    """
    most, last = len(numbers) - 1, len(code.digits) - 1
    for p in range(1, most // 2 + 1):
        e = most - p
        while e >= 0 and numbers[e] == numbers[e + p]:
            e -= 1
        if 2 * max(e, 0) + 2 * p + last <= most:
            return p, e if e >= 0 else None
    return None


GAME: Game = Octal()
