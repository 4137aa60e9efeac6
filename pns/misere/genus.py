"""The genus of a tree, and tame trees: what of Nim is left in misère play.

The *genus* of a game G is its Grundy number of normal play and the misère numbers of G, G + *2,
G + *2 + *2, and so on ([berlekamp1982], chapter 13). The *misère number* of a game without options
is 1, and that of any other game is the least number that no option has: the player to move loses
exactly if it is 0. The numbers end in two that alternate for ever, and 0^120 stands for 0^1202020…

A game is *tame* if its *pair*, the Grundy number and the misère number, is that of a position of
Nim, and if each option is tame or has a tame option with the same pair; the pair is found from
the tame options alone. The pairs of Nim are (0, 1) and (1, 0), which are *fickle*, and (n, n). In
a sum of tame games the Grundy number x is the xor of theirs. The misère number is x too if some
part is not fickle, and 1 xor x otherwise. Proof: by induction on the number of moves that are left,
as in Nim. A move to an option that is not tame can be answered by one that restores the pair, so
that it leads to neither number of the sum.
"""

from __future__ import annotations

from typing import Dict, Iterable, Optional, Tuple

from pns.misere.trees import Trees

Pair = Tuple[int, int]
"""The Grundy number of normal play, and the misère number."""
FICKLE = ((0, 1), (1, 0))


class Genera:
    """The genera and the pairs of a set of trees; the trees may become more.

    >>> trees = Trees()
    >>> two, genera = trees.heap(2), Genera(trees)
    >>> genera.text(trees.heap(0)), genera.text(two), genera.text(trees.sum(two, two))
    ('0^120', '2^20', '0^02')
    """

    def __init__(self, trees: Trees) -> None:
        self.trees = trees
        self._grundy: Dict[int, int] = {}
        self._misere: Dict[int, Tuple[int, ...]] = {}
        self._pairs: Dict[int, Optional[Pair]] = {}

    def grundy_number(self, tree: int) -> int:
        """The Grundy number of normal play."""
        found = self._grundy.get(tree)
        if found is None:
            options = self.trees.options[tree]
            found = self._grundy[tree] = mex([self.grundy_number(option) for option in options])
        return found

    def misere_numbers(self, tree: int) -> Tuple[int, ...]:
        """The misère numbers of the tree with 0, 1, 2, ... heaps *2; the last two are repeated.

        From a sum with a heap *2, a move leaves it out, or makes it *1, which changes the last
        bit. So two equal numbers two places apart are repeated if those of all options are.
        """
        found = self._misere.get(tree)
        if found is None:
            options = [self.misere_numbers(option) for option in self.trees.options[tree]]
            numbers = [mex([option[0] for option in options]) if options else 1]
            steady = max([len(option) for option in options], default=2)
            while len(numbers) < steady + 2 or numbers[-1] != numbers[-3]:
                last, place = numbers[-1], len(numbers)
                left = [number_at(option, place) for option in options]
                numbers.append(mex([last, last ^ 1, *left]))
            while len(numbers) > 2 and numbers[-1] == numbers[-3]:
                numbers.pop()
            found = self._misere[tree] = tuple(numbers)
        return found

    def text(self, tree: int) -> str:
        """The genus of a tree, such as 1^031; numbers above 9 are in parentheses."""
        numbers = [self.grundy_number(tree), *self.misere_numbers(tree)]
        first, *others = ["%d" % number if number < 10 else "(%d)" % number for number in numbers]
        return "%s^%s" % (first, "".join(others))

    def tame_pair(self, tree: int) -> Optional[Pair]:
        """The pair of a tame tree, or None for a tree that is not tame."""
        if tree not in self._pairs:
            self._pairs[tree] = self._tame_pair(self.trees.options[tree])
        return self._pairs[tree]

    def _tame_pair(self, options: Iterable[int]) -> Optional[Pair]:
        """The pair of a tree with options, if it is tame."""
        pairs = {option: self.tame_pair(option) for option in options}
        if not pairs:
            return FICKLE[0]
        tame = [pair for pair in pairs.values() if pair]
        found = mex([grundy for grundy, _ in tame]), mex([misere for _, misere in tame])
        if found[0] != found[1] and found not in FICKLE:
            return None
        wild = [option for option, pair in pairs.items() if not pair]
        return found if all([self._restores(option, found) for option in wild]) else None

    def _restores(self, option: int, pair: Pair) -> bool:
        """Whether an option that is not tame has a tame option with a pair."""
        return pair in [self.tame_pair(answer) for answer in self.trees.options[option]]


def pair_of_sum(pairs: Iterable[Pair]) -> Pair:
    """The pair of a sum of tame games, which is tame; (0, 1) of the empty sum.

    >>> pair_of_sum([(2, 2), (3, 3)]), pair_of_sum([(1, 0), (1, 0)])
    ((1, 1), (0, 1))
    """
    total, is_fickle = 0, True
    for pair in pairs:
        total ^= pair[0]
        is_fickle = is_fickle and pair in FICKLE
    return total, total ^ 1 if is_fickle else total


def number_at(numbers: Tuple[int, ...], place: int) -> int:
    """The number at a place of a sequence whose last two numbers are repeated."""
    while place >= len(numbers):
        place -= 2
    return numbers[place]


def mex(numbers: Iterable[int]) -> int:
    """The least number that is not among those given."""
    given, least = set(numbers), 0
    while least in given:
        least += 1
    return least
