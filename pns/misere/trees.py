"""Reduced canonical trees: finite impartial games up to equality in misère play.

Two games are equal if, whatever is added to both, the same player wins. Each game is equal to
exactly one reduced tree ([conway1976], chapter 12; [siegel2013]). A game H *reduces* to G if its
options are those of G and others each of which has G as an option, the reversible ones. If G has no
options, the player to move must also win H: this is the proviso. Trees are ints here, in an order
that depends on the process; their texts are the same everywhere. A text may be far longer than the
number of trees, and is written where it is asked for. [lemoine2009] used such trees for Sprouts.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, Iterable, List, Tuple

EMPTY = 0
"""The tree without options. In misère play the player to move wins it."""
MOST_HEAP = 255
"""The largest Nim heap that a text may name."""
KEPT_TEXT = 255
"""Letters: the longest text that is kept."""
MOST_LETTERS = 1 << 30
"""Longer texts are not told apart by their lengths."""


class Trees:
    """A set of reduced trees that grows: each has options, a winner, a height, a text.

    The text of a Nim heap is its size. That of any other tree has the texts of its options in
    parentheses, shorter ones first.

    >>> trees = Trees()
    >>> two = trees.tree("2")
    >>> trees.text(trees.sum(two, two)), trees.text(trees.reduced([trees.heap(1)]))
    ('(2,3)', '0')
    """

    def __init__(self) -> None:
        self.options: List[Tuple[int, ...]] = []
        self.won: List[bool] = []
        """Whether the player to move wins the tree alone."""
        self.heights: List[int] = []
        """The number of moves of the longest play."""
        self.lengths: List[int] = []
        """The numbers of letters of the texts, up to MOST_LETTERS."""
        self._texts: List[str] = []
        """The texts of up to KEPT_TEXT letters; others are empty here."""
        self._sets: List[FrozenSet[int]] = []
        self._ids: Dict[FrozenSet[int], int] = {}
        self._by_text: Dict[str, int] = {}
        self._sums: Dict[Tuple[int, int], int] = {}
        self._heaps = [self._intern(frozenset())]

    def __len__(self) -> int:
        return len(self.options)

    def heap(self, size: int) -> int:
        """The tree of a Nim heap."""
        while len(self._heaps) <= size:
            self._heaps.append(self._intern(frozenset(self._heaps)))
        return self._heaps[size]

    def reduced(self, options: Iterable[int]) -> int:
        """The tree that is equal to a game with the given trees as options."""
        given = frozenset(options)
        sets = self._sets
        tried = set()
        for option in given:
            for smaller in self.options[option]:
                if smaller not in tried:
                    tried.add(smaller)
                    rest = given - sets[smaller]
                    if sets[smaller] <= given and all([smaller in sets[other] for other in rest]):
                        if smaller != EMPTY or self._is_won(given):
                            return smaller
        return self._intern(given)

    def sum(self, first: int, second: int) -> int:
        """The tree that is equal to the sum of two trees."""
        pair = (first, second) if first < second else (second, first)
        if pair[0] == EMPTY:
            return pair[1]
        found = self._sums.get(pair)
        if found is None:
            a, b = pair
            moves = [self.sum(option, b) for option in self.options[a]]
            found = self.reduced(moves + [self.sum(a, option) for option in self.options[b]])
            self._sums[pair] = found
        return found

    def text(self, tree: int) -> str:
        """The text of a tree, of `lengths` letters."""
        return self._texts[tree] or list_text([self.text(option) for option in self.options[tree]])

    def tree(self, text: str) -> int:
        """The tree with a text; raises ValueError for a text that is not one of a reduced tree.

        >>> Trees().tree("(1)")
        Traceback (most recent call last):
        ValueError: '(1)' is not reduced; it is equal to 0
        """
        if text in self._by_text:
            return self._by_text[text]
        if text.isascii() and text.isdigit():
            if text != "0" and text[0] == "0" or len(text) > 3 or int(text) > MOST_HEAP:
                raise ValueError("invalid heap %r; expected 0 to %d" % (text[:20], MOST_HEAP))
            return self.heap(int(text))
        options = [self.tree(part) for part in parts_of(text)]
        found = self.reduced(options)
        if self.text(found) != text:
            wrong = "%r is not reduced; it is equal to %s"
            raise ValueError(wrong % (text, self.text(found)))
        return found

    def _is_won(self, options: Iterable[int]) -> bool:
        """Whether the player to move wins a game with options: by one that is lost, or by none."""
        won = [self.won[option] for option in options]
        return not won or not all(won)

    def _intern(self, options: FrozenSet[int]) -> int:
        """The id of a set of options that is reduced."""
        found = self._ids.get(options)
        if found is None:
            found = self._ids[options] = len(self.options)
            texts, lengths = self._texts, self.lengths
            order = sorted(options, key=lambda option: (lengths[option], texts[option]))
            self.options.append(tuple(order))
            self._sets.append(options)
            self.won.append(self._is_won(options))
            self.heights.append(1 + max([self.heights[option] for option in options], default=-1))
            length = 1 + len(options) + sum([lengths[option] for option in options])
            text = ""
            if [texts[option] for option in order] == ["%d" % size for size in range(len(order))]:
                text = "%d" % len(order)
            elif length <= KEPT_TEXT:
                text = list_text([texts[option] for option in order])
            if text:
                self._by_text[text] = found
            texts.append(text)
            lengths.append(len(text) or min(length, MOST_LETTERS))
        return found


def list_text(texts: List[str]) -> str:
    """The text of a tree that is no Nim heap, from those of its options.

    >>> list_text(["(1,3)", "2", "1"])
    '(1,2,(1,3))'
    """
    return "(%s)" % ",".join(sorted(texts, key=lambda text: (len(text), text)))


def parts_of(text: str) -> List[str]:
    """The texts of the options of a tree in parentheses; raises ValueError.

    >>> parts_of("(1,(2),(1,3))")
    ['1', '(2)', '(1,3)']
    """
    wrong = ValueError("invalid tree %a; expected one such as 2 or (1,3,(2))" % text[:60])
    if text[:1] != "(" or text[-1:] != ")":
        raise wrong
    parts, depth, start = [], 0, 1
    for i, letter in enumerate(text[1:-1], 1):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            raise wrong
        if letter == "," and not depth:
            parts.append(text[start:i])
            start = i + 1
    if depth:
        raise wrong
    return [*parts, text[start:-1]]
