"""Reduced games: finite impartial games up to equality in misère play, numbered."""

from __future__ import annotations

import re
from typing import Dict, FrozenSet, List, Set, Tuple

from pns.checker.work import spend

LONGEST_TREE = 60
"""Characters; trees that are nested deeper are refused with it."""
MOST_HEAP = 60
TREE_TOKEN = re.compile(r"[0-9]{1,2}|[(),]", re.ASCII)


class ReducedGames:
    """Games to which no rule applies any more, numbered as they are found; 0 has no options."""

    def __init__(self) -> None:
        self.options: List[FrozenSet[int]] = []
        self.won: List[bool] = []
        self.numbers: Dict[FrozenSet[int], int] = {}
        self.sums: Dict[Tuple[int, int], int] = {}
        self.number(frozenset())

    def player_wins(self, options: FrozenSet[int]) -> bool:
        """Whether the player to move wins: there is no move, or one to a lost game."""
        return not options or any(not self.won[option] for option in options)

    def number(self, options: FrozenSet[int]) -> int:
        """The number of a game with some options to which no rule applies."""
        if options not in self.numbers:
            self.numbers[options] = len(self.options)
            self.options.append(options)
            self.won.append(self.player_wins(options))
        return self.numbers[options]

    def reduce(self, options: FrozenSet[int]) -> int:
        """The reduced game that is equal to a game with some options."""
        for left in sorted({after for option in options for after in self.options[option]}):
            spend(1 + len(options))
            kept = self.options[left]
            if not kept <= options or not all(left in self.options[a] for a in options - kept):
                continue
            if kept or self.player_wins(options):
                return left
        return self.number(options)

    def sum(self, first: int, second: int) -> int:
        """The reduced game that is equal to the sum of two."""
        if not first or not second:
            return first + second
        pair = (min(first, second), max(first, second))
        if pair not in self.sums:
            spend(len(self.options[first]) + len(self.options[second]))
            found = [self.sum(option, second) for option in self.options[first]]
            found += [self.sum(first, option) for option in self.options[second]]
            self.sums[pair] = self.reduce(frozenset(found))
        return self.sums[pair]

    def heap(self, size: int) -> int:
        """The reduced game of a heap of Nim."""
        found: List[int] = []
        for _ in range(size + 1):
            found.append(self.reduce(frozenset(found)))
        return found[-1]

    def read(self, text: str) -> int:
        """The reduced game that a text without its star stands for; raises ValueError."""
        tokens = TREE_TOKEN.findall(text[: LONGEST_TREE + 1])
        open_lists: List[Set[int]] = [set()]
        wanted = True  # a game must come next
        for token in tokens:
            if token == "(" and wanted:
                open_lists.append(set())
            elif token == "," and not wanted and len(open_lists) > 1:
                wanted = True
            elif token == ")" and not wanted and len(open_lists) > 1:
                found = self.reduce(frozenset(open_lists.pop()))
                open_lists[-1].add(found)
            elif token.isdigit() and wanted and int(token) <= MOST_HEAP:
                open_lists[-1].add(self.heap(int(token)))
                wanted = False
            else:
                break
        else:
            if not wanted and len(open_lists) == 1 and "".join(tokens) == text:
                return open_lists[0].pop()
        raise ValueError("invalid tree %r; expected one such as 2 or (1,3)" % text[:60])
