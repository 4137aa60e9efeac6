"""Lands with smaller tails: equal to others, but for a heap, with fewer lives.

A tail is a part of a land that one spot on two regions, its joint, connects with the rest. The
package has a table of the tails that a smaller one may replace in every land, as play of the tails
shows (`pns.sprouts.tail_play`); `scripts/make_tails.py` writes it.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from pns.game import Land, Sum
from pns.sprouts import large
from pns.sprouts.canonical import (
    canonical_form,
    canonical_lands,
    remember,
    rename_two_region,
    split_lands,
)
from pns.sprouts.code import (
    BAR,
    BARS,
    MAX_TWO,
    NOT_TWO,
    TWO,
    TooManyNames,
    count_prefix,
    decode,
    encode,
)
from pns.sprouts.estimate import estimate, half_lives
from pns.sprouts.moves import distinct, successors

Tail = bytes
"""The text of a tail's regions with A for the joint."""
TailTable = Dict[Tail, Tuple[Tail, int]]
"""For a tail a smaller one, and the number by which they differ."""

MARKS = 96
MARK = count_prefix(MARKS)
"""A region of MARKS isolated spots stands for the rest; no tail that is played has as many."""
MARK_TEXT, DEAD_MARK, MARK_LIVES = b"0*%d.A|" % MARKS, b"0*%d" % MARKS, 3 * MARKS + 1

FILE, MISERE_FILE = "sprouts.tails", "sprouts-misere.tails"
"""The tables: a line for each tail, with the smaller one and the number by which they differ, or
in misère play the size of the heap beside it."""
HEAPS: Tuple[Sum, ...] = ((), (b"22",), (b"2222",), (b"12.2",))
"""A sum of lands with each Grundy number by which tails of the table differ."""
MOST_ROUNDS = 20
"""Tails that are replaced in a land, at most; tails of the same size might replace each other."""
TWO_NAMES = bytes(range(TWO, TWO + MAX_TWO))
MOST_HALF_LIVES = 2 * 6 + 1
"""The most half lives of a tail of the table, with that of its joint."""


class Replacement(NamedTuple):
    """What may replace a tail."""

    texts: Tuple[Tail, Tail]
    """The tail and the smaller one."""
    tail: bytes
    """The smaller tail in working form, with the joint TWO."""
    difference: int
    """The number by which a land changes."""
    is_smaller: bool
    """Whether it has fewer lives, or as many and a shorter text."""


_half_lives: Dict[bytes, int] = {}


def canonical_tail(regions: bytes, joint: int) -> Tail:
    """The text of a tail from its living regions in working form, in which its joint has a code."""
    (land,) = canonical_lands(MARK + bytes([joint]) + BARS + regions)
    return land[len(MARK_TEXT) :]


def size(tail: Tail) -> Tuple[int, int, Tail]:
    """What makes a tail smaller than another: lives, without its joint's, length, and text."""
    return estimate(MARK_TEXT + tail)[0] - MARK_LIVES if tail else 0, len(tail), tail


class Simplifier:
    """Finds lands with smaller tails, by a table that it reads when it is asked for the first."""

    def __init__(self, read_table: Callable[[], TailTable]) -> None:
        self._read_table = read_table
        self._table: Optional[TailTable] = None
        self._replacements: Dict[bytes, Optional[Replacement]] = {}
        """By the working form of a tail in a land, names by first appearance, joint first."""
        self._simpler: Dict[bytes, Tuple[Land, int]] = {}
        """By the canonical working form of a land."""
        self._simpler_of_split: Dict[bytes, Tuple[Land, int]] = {}
        """By a working form from `split_lands`."""

    def simplify(self, lands: Sum) -> Sum:
        """A position of the same Grundy number whose lands have smaller tails, sorted.

        >>> PACKAGE.simplify((b"0*9.A|0.A",))
        (b'0*9.A|2A',)
        >>> PACKAGE.simplify((b"0*9.A|22A",))
        (b'0*9.A|2A', b'22')
        """
        return _position([self.simpler(land) for land in lands])

    def children(self, land: Land) -> Iterable[Sum]:
        """The children of a land by `simplify`, distinct, in the order of `moves.children`."""
        try:
            found = successors(encode(land).split(BARS))
        except TooManyNames:
            return distinct(map(self.simplify, large.children(land)))
        return distinct(map(self._child, found))

    def more_children(self, land: Land, known: Sequence[Sum]) -> Iterable[Sum]:
        """The children that `children` gives after the first ones, which are known."""
        try:
            found = successors(encode(land).split(BARS), skipped=len(known))
        except TooManyNames:
            return islice(self.children(land), len(known), None)
        return distinct(map(self._child, found), known)

    def _child(self, regions: bytes) -> Sum:
        """What `simplify` makes of the lands that reduced regions joined by BAR form."""
        forms = split_lands(regions)
        found = self._simpler_of_split
        simpler = [found.get(form) or self._find_simpler(form) for form in forms]
        if len(simpler) == 1 and not simpler[0][1]:
            return (simpler[0][0],)
        return _position(simpler)

    def _find_simpler(self, form: bytes) -> Tuple[Land, int]:
        return remember(self._simpler_of_split, form, self._simpler_by_form(canonical_form(form)))

    def _simpler_by_form(self, form: bytes) -> Tuple[Land, int]:
        found = self._simpler.get(form)
        if found is None:
            smaller, difference, _ = self._with_smaller_tails(form)
            found = remember(self._simpler, form, (smaller, difference))
        return found

    def simpler(self, land: Land) -> Tuple[Land, int]:
        """(a land with smaller tails, the number by which it differs); itself if it has none.

        >>> PACKAGE.simpler(b"0*9.A|22A")
        (b'0*9.A|2A', 1)
        """
        try:
            return self._simpler_by_form(encode(land))
        except TooManyNames:
            return land, 0

    def exchanged(self, land: Land) -> List[Tuple[Tail, Tail]]:
        """The tails that are replaced one after another in a land, with those that replace them.

        >>> PACKAGE.exchanged(b"0*9.A|22A")
        [(b'22A', b'2A')]
        """
        try:
            return self._with_smaller_tails(encode(land))[2]
        except TooManyNames:
            return []

    def _with_smaller_tails(self, form: bytes) -> Tuple[Land, int, List[Tuple[Tail, Tail]]]:
        """(the text of a land with smaller tails, the difference, what was replaced).

        The land is given in its canonical working form.
        """
        if BAR in form:
            try:
                return self._replace_tails(form)
            except TooManyNames:
                pass
        return decode(form), 0, []

    def _replace_tails(self, form: bytes) -> Tuple[Land, int, List[Tuple[Tail, Tail]]]:
        regions = form.split(BARS)
        number = 0
        is_smaller = False
        texts: List[Tuple[Tail, Tail]] = []
        found = self._find_replacement(regions)
        while found and len(texts) < MOST_ROUNDS:
            joint, part, replacement = found
            rest = [region for i, region in enumerate(regions) if not part >> i & 1]
            regions = rest + _attached(rest, joint, replacement.tail)
            number ^= replacement.difference
            is_smaller = is_smaller or replacement.is_smaller
            texts.append(replacement.texts)
            found = self._find_replacement(regions)
        if texts:
            (smaller,) = canonical_lands(BARS.join(regions))
            if is_smaller or smaller < decode(form):
                return smaller, number, texts
        return decode(form), 0, []

    def _find_replacement(self, regions: List[bytes]) -> Optional[Tuple[int, int, Replacement]]:
        """(joint, the regions of a tail as bits, what replaces it); None if nothing is replaced."""
        lives = [_half_lives_of(region) for region in regions]
        total = sum(lives)
        for joint, side in cuts(regions):
            inside = 0
            for i, count in enumerate(lives):
                if side >> i & 1:
                    inside += count
            for part, count in ((side, inside), (~side, total - inside)):
                if count <= MOST_HALF_LIVES:
                    tail = [region for i, region in enumerate(regions) if part >> i & 1]
                    replacement = self._replacement_of(
                        joint, tail[0] if len(tail) == 1 else BARS.join(tail)
                    )
                    if replacement:
                        return joint, part, replacement
        return None

    def _replacement_of(self, joint: int, tail: bytes) -> Optional[Replacement]:
        """What replaces a tail, given in working form; None if nothing does."""
        key = rename_two_region(bytes([joint]) + BARS + tail)
        if key in self._replacements:
            return self._replacements[key]
        if self._table is None:
            self._table = self._read_table()
        text = canonical_tail(key[2:], TWO)
        replacement = None
        if text in self._table:
            smaller, number = self._table[text]
            is_smaller = size(smaller)[:2] < size(text)[:2]
            replacement = Replacement((text, smaller), encode(smaller), number, is_smaller)
        return remember(self._replacements, key, replacement)


def _position(simpler: List[Tuple[Land, int]]) -> Sum:
    """The sum of lands and of a land with the Grundy number by which they differ from others."""
    heap = 0
    for _, difference in simpler:
        heap ^= difference
    return tuple(sorted([*[land for land, _ in simpler], *HEAPS[heap]]))


def _half_lives_of(region: bytes) -> int:
    lives = _half_lives.get(region)
    return remember(_half_lives, region, half_lives(region)) if lives is None else lives


def cuts(regions: List[bytes]) -> Iterator[Tuple[int, int]]:
    """(joint, the regions on one side of it, as bits) for each joint of a land in working form."""
    ends: Dict[int, int] = {}
    links: List[Tuple[int, int]] = []
    for i, region in enumerate(regions):
        for name in region.translate(None, NOT_TWO):
            if name in ends:
                links.append((name, ends[name] | 1 << i))
            else:
                ends[name] = 1 << i
    for joint, both in links:
        side, grown = both & -both, 0
        while side != grown and side & both != both:
            grown = side
            for name, link in links:
                if link & side and name != joint:
                    side |= link
        if side & both != both:
            yield joint, side


def _attached(rest: List[bytes], joint: int, tail: bytes) -> List[bytes]:
    """The regions of a tail at a joint of a rest, in working form; raises TooManyNames."""
    names = max(tail.translate(None, NOT_TWO)) - TWO
    if names:
        free = max([max(region.translate(None, NOT_TWO)) for region in rest]) + 1
        if free + names > TWO + MAX_TWO:
            raise TooManyNames("a tail has too many two-region names")
        new = bytes([joint, *range(free, free + names)])
        return tail.translate(bytes.maketrans(TWO_NAMES[: names + 1], new)).split(BARS)
    return [tail.replace(TWO_NAMES[:1], bytes([joint]))]


@lru_cache(maxsize=None)
def package_table(file: str = FILE) -> TailTable:
    """A table that comes with the package."""
    from pns.system.package_data import read_data

    table: TailTable = {}
    for line in (read_data(file) or b"").splitlines():
        tail, smaller, number = line.split()
        table[tail] = smaller, int(number)
    return table


PACKAGE = Simplifier(package_table)
"""By the table that comes with the package."""
MISERE = Simplifier(lambda: package_table(MISERE_FILE))
"""The same in misère play."""
