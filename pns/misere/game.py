"""A game in misère play, as a game of outcomes: each position is one land.

A position is written as its large lands and the reduced trees of the small ones, joined by +, a
tree after a star: ``0*12+1a1a+*(2)``. A land is small if its size is at most the `misere_size` of
its game and the text of its tree has at most MOST_TEXT letters. Two trees whose sum has such a text
are replaced by it. A position of trees alone is decided at once: it is *0 if the player to move
wins it, and *1 if not.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import groupby
from typing import Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from pns.choices import MISERE_SUFFIX
from pns.game import (
    Game,
    Land,
    NotationError,
    Sum,
    limit_caches,
)
from pns.misere.contract import (
    LandSimplifier,
    SupportsMisere,
    SupportsMisereTable,
    SupportsMisereWork,
)
from pns.misere.kept import KeptTrees, kept_trees
from pns.misere.trees import EMPTY, Trees
from pns.positions.analogy import Analogy, SupportsAnalogies

MOST_TEXT = 60
"""Letters: the longest text of a tree that stands for lands."""
DEFAULT_SIZE = 6
"""The largest size of a small land, of games that do not say one."""
WON, LOST_TEXT = b"*0", "*1"
"""The land of positions of trees alone that are won, and the text of those that are lost."""
CACHE_ENTRIES = 1 << 20
BYTES_PER_ENTRY = 600
"""About the memory of an entry of a cache."""

Parts = Tuple[int, ...]
"""Trees whose sum is meant, in the order of their texts; the empty tree is left out."""


class MisereGame:
    """An impartial game in misère play; `original` is the game in normal play.

    The trees of some small lands come with the game (`pns.misere.kept`); without `use_table` they
    are computed. In the game for play, which has another one `for_search`, no land is small, and
    all moves are children. A `simplifier` replaces large lands by simpler ones. Raises ValueError
    for a game whose positions do not split into lands.
    """

    decomposes = False

    def __init__(
        self,
        original: Game,
        use_table: bool = True,
        for_search: Optional[MisereGame] = None,
        simplifier: Optional[LandSimplifier] = None,
    ) -> None:
        if not original.decomposes:
            raise ValueError("%s has no misère play here: it is not impartial" % original.name)
        self.original = original
        self.name = original.name + MISERE_SUFFIX
        self.examples: Tuple[str, ...] = getattr(original, "examples", ())
        self._most_entries = CACHE_ENTRIES
        self._most_size = DEFAULT_SIZE
        if isinstance(original, SupportsMisere):
            self._most_size = original.misere_size
        self._misere_work: Optional[Callable[[int, int], int]] = None
        if isinstance(original, SupportsMisereWork):
            self._misere_work = original.misere_work
        self._simplifier = simplifier
        self._in_full = for_search is not None
        if self._in_full:
            self._most_size = -1
        self.for_search: Game = for_search or self
        if isinstance(original, SupportsAnalogies):
            self.analogies = self._alike
        self._recomputing: Optional[MisereGame] = None
        self._kept: Optional[KeptTrees] = None
        if use_table and isinstance(original, SupportsMisereTable):
            self._kept = kept_trees(original.misere_table)
        self._forget()

    def recomputing(self) -> MisereGame:
        """The game without a table of trees; always the same object."""
        if self._recomputing is None:
            self._recomputing = type(self)(self.original, use_table=False) if self._kept else self
        return self._recomputing

    def for_play(self) -> MisereGame:
        """The game with all lands in full."""
        return self if self._in_full else MisereGame(self.original, False, for_search=self)

    def searched(self, lands: Sum) -> Sum:
        """The position with small lands replaced by their trees."""
        return self.for_search.parse(self.format(lands)) if self._in_full else lands

    def has_ended(self, lands: Sum) -> bool:
        return lands == (WON,)

    def _forget(self) -> None:
        """Empty all caches; trees get other numbers."""
        self.trees = Trees()
        self._kept_trees = self._kept.interned(self.trees) if self._kept else []
        """The trees of the table, by their numbers there."""
        self._tree_of: Dict[Land, int] = {}
        """The trees of lands of which all positions that can follow were seen."""
        self._moves: Dict[Land, List[Tuple[Sum, Parts, Parts]]] = {}
        """The children of large lands: their large lands, the trees of the others, and those that
        are beside simpler lands."""
        self._joined: Dict[Parts, Parts] = {}
        self._won: Dict[Parts, bool] = {(): True}

    def limit_caches(self, most_bytes: Optional[int]) -> None:
        """Let the caches of this game and of the original one have half of `most_bytes` each."""
        half = None if most_bytes is None else most_bytes // 2
        self._most_entries = CACHE_ENTRIES
        if half is not None:
            self._most_entries = max(1, min(CACHE_ENTRIES, half // BYTES_PER_ENTRY))
        limit_caches(self.original, half)

    def parse(self, text: str) -> Sum:
        """The land of a position of the original game, or of large lands and trees.

        It is () if the player to move loses a position of small lands alone. Raises
        NotationError.
        """
        large: List[Land] = []
        trees: List[int] = []
        start = 0
        for is_tree, pieces in groupby(text.split("+"), lambda piece: piece.strip()[:1] == "*"):
            for piece in pieces if is_tree else ["+".join(pieces)]:
                if is_tree:
                    trees.append(self._read_tree(text, piece, start))
                else:
                    self._add(self._read_lands(text, piece, start), large, trees)
                start += len(piece) + 1
        return self._position(large, self._join(trees))

    def _read_lands(self, text: str, part: str, start: int) -> Sum:
        """The lands that a part of a text names, as the original game writes them or each alone.

        Raises NotationError.
        """
        try:
            return self.original.parse(part)
        except NotationError as error:
            with suppress(NotationError):
                pieces = part.split("+")
                return tuple([land for piece in pieces for land in self.original.parse(piece)])
            offset = start + error.offset
            raise NotationError(text, offset, error.wrong, error.right) from error

    def format(self, lands: Sum) -> str:
        if self._in_full and lands == (WON,):
            return self.original.format(())
        return "+".join([land.decode() for land in lands]) or LOST_TEXT

    def children(self, land: Land) -> Iterable[Sum]:
        """Positions of large lands, those with the fewest moves left first; () alone if it is one.

        Won positions of trees alone are left out where there are others, but in full.
        """
        large, trees = self._read(land)
        if not large:
            return [] if self._in_full else [()]
        found = set()
        simpler, beside = self._simpler_lands(large)
        for i, tree in enumerate(trees):
            rest = trees[:i] + trees[i + 1 :]
            for option in self.trees.options[tree]:
                found.add(self._position(simpler, self._join_in_turn((*rest, option), beside)))
        for one, other_lands in with_others(large):
            others, beside = self._simpler_lands(other_lands)
            for more, its_trees, others_beside in self._moves_of(one):
                first = (*trees, *its_trees)
                joined = self._join_in_turn(first, (*beside, *others_beside))
                found.add(self._position([*others, *more], joined))
        if () in found:
            return [()]
        if len(found) > 1 and not self._in_full:
            found.discard((WON,))
        return sorted(found, key=lambda child: (self.estimate(child[0]), child))

    def estimate(self, land: Land) -> Tuple[int, int]:
        large, trees = self._read(land)
        size = 1 + sum([self.trees.heights[tree] for tree in trees])
        branching = sum([len(self.trees.options[tree]) for tree in trees])
        for one in large:
            more, children = self.original.estimate(one)
            size += more
            branching += children
        return size, branching

    def work(self, land: Land) -> int:
        """The estimate of the original game from the size and the branching of a position."""
        size, branching = self.estimate(land)
        return self._misere_work(size, branching) if self._misere_work else branching

    def large_lands(self, lands: Sum) -> List[Land]:
        """The large lands of a position."""
        return [land for one in lands for land in self._read(one)[0]]

    def _alike(self, land: Land) -> List[Analogy]:
        """The analogies of the large lands of a position; a heap by which one differs is joined."""
        assert isinstance(self.original, SupportsAnalogies)
        found: List[Analogy] = []
        large, trees = self._read(land)
        for one, others in with_others(large):
            for alike, difference, weight, firm in self.original.analogies(one):
                lands, beside = list(others), [*trees, self.trees.heap(difference)]
                self._add([alike], lands, beside)
                if lands:
                    (other,) = self._position(lands, self._join(beside))
                    found.append(Analogy(other, 0, weight, firm))
        return found

    def _read(self, land: Land) -> Tuple[List[Land], Parts]:
        """The large lands and the trees of a land."""
        if len(self._moves) + len(self._tree_of) + len(self._joined) > self._most_entries:
            self._forget()
        if land == WON:
            return [], ()
        pieces = land.split(b"+")
        trees = [self.trees.tree(piece[1:].decode()) for piece in pieces if piece[:1] == b"*"]
        return [piece for piece in pieces if piece[:1] != b"*"], tuple(trees)

    def _read_tree(self, text: str, piece: str, start: int) -> int:
        """The tree that a piece of a text names; raises NotationError."""
        name = piece.strip()[1:]
        right = "write a tree of up to %d letters, such as *2 or *(1,3,(2))" % MOST_TEXT
        if len(name) > MOST_TEXT:
            raise NotationError(text, start, "a tree of %d letters" % len(name), right)
        try:
            return self.trees.tree(name)
        except ValueError as error:
            raise NotationError(text, start, str(error), right) from error

    def _position(self, large: Sequence[Land], trees: Parts) -> Sum:
        """The land of large lands and trees, or () if it is decided and lost."""
        if not large:
            return (WON,) if self._is_won(trees) else ()
        texts = [b"*" + self.trees.text(tree).encode() for tree in trees]
        return (b"+".join([*sorted(large), *texts]),)

    def _moves_of(self, land: Land) -> List[Tuple[Sum, Parts, Parts]]:
        """The children of a large land."""
        found = self._moves.get(land)
        if found is None:
            distinct = set()
            for child in self.original.children(land):
                large: List[Land] = []
                trees: List[int] = []
                self._add(child, large, trees)
                simpler, beside = self._simpler_lands(large)
                distinct.add((tuple(simpler), self._join(trees), beside))
            found = self._moves[land] = sorted(distinct)
        return found

    def simplified(self, lands: Sum) -> Sum:
        """A position with its large lands replaced, by the `simplifier`."""
        if lands in ((), (WON,)):
            return lands
        large, trees = self._read(lands[0])
        simpler, beside = self._simpler_lands(large)
        return self._position(simpler, self._join_in_turn(trees, beside))

    def _simpler_lands(self, large: List[Land]) -> Tuple[List[Land], Parts]:
        """Large lands by the `simplifier`, and the trees that are beside them then."""
        if self._simplifier is None:
            return large, ()
        found: List[Land] = []
        trees: List[int] = []
        for land in large:
            simpler, heap = self._simplifier.simpler(land)
            self._add([simpler], found, trees)
            trees.append(self.trees.heap(heap))
        return found, self._sorted(trees)

    def _add(self, lands: Iterable[Land], large: List[Land], trees: List[int]) -> None:
        """Add lands to the large ones, or their trees to the trees."""
        for land in lands:
            if self.original.estimate(land)[0] <= self._most_size:
                tree = self._tree(land)
                if self.trees.lengths[tree] <= MOST_TEXT:
                    trees.append(tree)
                    continue
            large.append(land)

    def known_trees(self) -> Dict[Land, int]:
        """The trees of all small lands met so far."""
        return dict(self._tree_of)

    def tree_of(self, lands: Sum) -> int:
        """The tree of a position of the original game; all that can follow are visited."""
        found = EMPTY
        for land in lands:
            found = self.trees.sum(found, self._tree(land))
        return found

    def _tree(self, land: Land) -> int:
        """The tree of a land; all positions that can follow are visited."""
        found = self._tree_of.get(land)
        if found is None and self._kept and land in self._kept.lands:
            found = self._tree_of[land] = self._kept_trees[self._kept.lands[land]]
        if found is None:
            options = [self.tree_of(child) for child in self.original.children(land)]
            found = self._tree_of[land] = self.trees.reduced(options)
        return found

    def _join_in_turn(self, trees: Parts, beside: Parts) -> Parts:
        """Trees joined, and then with others beside them.

        The result depends on the order. So the children of a simplifying game are exactly what
        `simplified` makes of the children of the other.
        """
        joined = self._join(trees)
        return self._join((*joined, *beside)) if beside else joined

    def _join(self, trees: Iterable[int]) -> Parts:
        """Trees with pairs replaced by their sum, as long as one has a short text."""
        parts = self._sorted(trees)
        found = self._joined.get(parts)
        if found is None:
            found = parts
            pair = self._short_pair(found)
            while pair:
                i, j = pair
                joined = self.trees.sum(found[i], found[j])
                found = self._sorted((*found[:i], *found[i + 1 : j], *found[j + 1 :], joined))
                pair = self._short_pair(found)
            self._joined[parts] = found
        return found

    def _short_pair(self, parts: Parts) -> Optional[Tuple[int, int]]:
        """The first two trees whose sum has a short text."""
        for j in range(len(parts)):
            for i in range(j):
                if self.trees.lengths[self.trees.sum(parts[i], parts[j])] <= MOST_TEXT:
                    return i, j
        return None

    def _sorted(self, trees: Iterable[int]) -> Parts:
        """Trees in the order of their texts, without empty ones."""
        texts = self.trees.text
        return tuple(sorted([t for t in trees if t], key=lambda t: (len(texts(t)), texts(t))))

    def _is_won(self, parts: Parts) -> bool:
        """Whether the player to move wins a sum of trees."""
        found = self._won.get(parts)
        if found is None:
            found = self._won[parts] = not all(
                [
                    self._is_won(self._join((*parts[:i], *parts[i + 1 :], option)))
                    for i, part in enumerate(parts)
                    for option in self.trees.options[part]
                ]
            )
        return found


def with_others(lands: List[Land]) -> Iterator[Tuple[Land, List[Land]]]:
    """Each different one of some lands, and the others."""
    for i, one in enumerate(lands):
        if one not in lands[:i]:
            yield one, lands[:i] + lands[i + 1 :]
