"""Lands beyond the working form: more two-region names, or pairs on a boundary, than it has codes.

Only play from more than 60 spots leads to more two-region names than that, and only if nearly each
move cuts off a region of its own. Such lands are played by the rules of `pns.checker.sprouts`, some
milliseconds for each curve, and have a canonical text found as in `pns.sprouts.canonical`: the
regions are sorted by their anonymous form, the names numbered by first appearance, in turns. As
there, equivalent lands may keep different texts, and more of them do.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Dict, List, Set, Tuple

from pns.checker import sprouts as plain
from pns.game import TooLarge
from pns.sprouts.canonical import connected
from pns.sprouts.code import BARS, MAX_ONE, MAX_TWO, encode
from pns.sprouts.texts import stable_lands

MOST_NAMES = 200
"""The most names of a land. Play from n spots leads to 2n at most."""
MOST_CURVES = 100_000
"""The most curves of a land that are drawn."""
MOST_ROUNDS = 1000
"""The most rounds of sorting and numbering; a handful is usual."""

PAIR, SHARED = plain.FIRST, plain.FIRST + 1
"""What stands for a name in the anonymous form: twice on its boundary, or in two regions."""

ArrangedRegion = Tuple[Tuple[plain.Word, ...], plain.Words]
"""(the anonymous region, the region): regions are sorted by both."""


def fits(shared: int, pairs: int) -> bool:
    """Whether a land's two-region names, and the most pairs on one boundary, have codes enough."""
    return shared <= MAX_TWO and pairs <= MAX_ONE


def parse(text: str) -> List[bytes]:
    """The canonical lands of one land's text that the strict parser has read; raises TooLarge."""
    return _texts(plain.reduced(plain.read(text)))


def children(land: bytes) -> List[Tuple[bytes, ...]]:
    """The children of a land in canonical text, distinct, the shortest first; raises TooLarge."""
    position = plain.reduced(plain.read(land.decode("ascii")))
    if sum(1 for _ in islice(plain.moves(position), MOST_CURVES + 1)) > MOST_CURVES:
        raise TooLarge("a land with more than %d moves is too large" % MOST_CURVES)
    found = {tuple(sorted(_texts(plain.reduced(after)))) for after in plain.moves(position)}
    return sorted(found, key=lambda lands: (sum(map(len, lands)), lands))


def _texts(position: plain.Position) -> List[bytes]:
    """The canonical texts of a reduced position's lands."""
    texts: List[bytes] = []
    for land in _lands(position):
        pairs = [len(_pairs(word)) for region in land for word in region]
        names = len({x for region in land for word in region for x in word if x >= plain.FIRST})
        if names > MOST_NAMES:
            raise TooLarge("a land with more than %d names is too large" % MOST_NAMES)
        if fits(names - sum(pairs), max(pairs)):
            regions = encode(plain.write(land).encode("ascii")).split(BARS)
            texts += stable_lands(regions)
        else:
            texts.append(plain.write(_settled(land)).encode("ascii"))
    return texts


def _lands(position: plain.Position) -> List[plain.Land]:
    """The parts of a reduced position that share no spot, in letters, regions in their order."""
    times = plain.times_passed(position.regions)
    letter = {s: plain.FIRST + s if times[s] > 1 else 3 - position.lives[s] for s in times}
    regions = [
        tuple(tuple(letter[s] for s in walk) for walk in region) for region in position.regions
    ]
    parts = connected([{s for walk in region for s in walk} for region in position.regions])
    return [plain.renamed(tuple(regions[i] for i in sorted(part))) for part in parts]


def _pairs(word: plain.Word) -> Set[int]:
    """The names that occur twice on a boundary."""
    return {x for x, times in Counter(word).items() if x >= plain.FIRST and times == 2}


def _settled(land: plain.Land) -> plain.Land:
    """The form that sorting and numbering lead to: the least one, if they lead around.

    A form that was found so is found from itself again, so that its text is read back unchanged.
    """
    found: Dict[plain.Land, int] = {}
    while land not in found:
        if len(found) == MOST_ROUNDS:
            raise TooLarge("a land that takes more than %d rounds is too large" % MOST_ROUNDS)
        found[land] = len(found)
        land = plain.renamed(tuple(region for _, region in sorted(map(_arranged, land))))
    return min([form for form, number in found.items() if number >= found[land]])


def _arranged(region: plain.Words) -> ArrangedRegion:
    """The least arrangement of a region, with the anonymous form that decides first."""
    sides: List[ArrangedRegion] = []
    for side in (region, plain.mirrored(region)):
        words = sorted(map(_least_rotation, side))
        sides.append((tuple(classes for classes, _ in words), tuple(word for _, word in words)))
    return min(sides)


def _least_rotation(word: plain.Word) -> Tuple[plain.Word, plain.Word]:
    """(a boundary with PAIR or SHARED in place of its names, the boundary), least of all turns."""
    pairs = _pairs(word)
    classes = tuple([x if x < plain.FIRST else PAIR if x in pairs else SHARED for x in word])
    return min([(classes[i:] + classes[:i], word[i:] + word[:i]) for i in range(len(word))])
