"""All lands of up to a number of lives, found by their notation and not by play.

A land is laid out in all ways: boundaries as cyclic words of spots, regions as sets of boundaries,
and each spot on two regions as a pair of places in different ones. Weights are in half lives: a
place of such a spot has one.

Only layouts that can be drawn on a sphere count. First, boundaries that share spots are parts of
one connected drawing, a component. It has one boundary on each side, and nothing leads around: the
graph of regions and components, with an edge for each boundary, is a tree. Second, each component
is plane: take its boundaries as vertices and its spots as edges, in the order of the words; by
Euler's formula, vertices - edges + faces = 2, for some choice of the boundaries that are read
backwards, since a region may be mirrored.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from random import Random
from typing import Callable, Dict, Iterator, List, Optional, Set, Tuple, TypeVar

from pns.sprouts import notation
from pns.sprouts.canonical import canonical_lands
from pns.sprouts.code import BARS, DOTS, encode, split_prefix
from pns.sprouts.estimate import estimate

Word = Tuple[str, ...]
"""A boundary: "0", "1", "2", names of pairs in it, and PLACE for a spot on two regions."""
Region = Tuple[Word, ...]
Place = Tuple[int, int]
"""A boundary, and where in its word."""
T = TypeVar("T")
PLACE = "*"
HALF_LIVES = {"0": 6, "1": 4, "2": 2, PLACE: 1}
PAIRS = "abcdefg"
PAIR = 2
"""Half lives of a pair of places in one boundary."""
LEAST_LIVES, MOST_LIVES = 3, 7
"""One spot has three lives; a life more takes ten times as long."""
ORDERS = 100
"""Orders at random in which a land is written to find all texts that it has."""


def small_lands(lives: int) -> Set[bytes]:
    """All canonical lands of at most `lives` lives that can be drawn; raises ValueError.

    A few lands have several texts, which depend on the order in which they were written first
    (`pns.sprouts.canonical`). So each is written in ORDERS orders.

    >>> len(small_lands(3)), sorted(small_lands(3))[:4]
    (10, [b'0', b'1', b'12', b'22'])
    """
    if not LEAST_LIVES <= lives <= MOST_LIVES:
        wrong = "all lands of up to %d lives are not listed; %d to %d lives are"
        raise ValueError(wrong % (lives, LEAST_LIVES, MOST_LIVES))
    found: Set[bytes] = set()
    for regions in _sets_of_regions(2 * lives):
        for text in _joined(regions):
            found.update([land for land in notation.parse(text) if estimate(land)[0] <= lives])
    random = Random(1)
    for land in sorted(found):
        for _ in range(ORDERS if b"|" in land else 0):
            found.update(canonical_lands(_reordered(encode(land), random)))
    return found


def _reordered(land: bytes, random: Random) -> bytes:
    """The working form of a land with regions, boundaries and rotations at random."""
    regions = []
    for region in random.sample(land.split(BARS), land.count(BARS) + 1):
        _, rest = split_prefix(region)
        boundaries = rest.split(DOTS)
        turn = random.choice((1, -1))
        starts = [random.randrange(len(word) or 1) for word in boundaries]
        turned = [(word[k:] + word[:k])[::turn] for k, word in zip(starts, boundaries)]
        mixed = DOTS.join(random.sample(turned, len(turned)))
        regions.append(region[: len(region) - len(rest)] + mixed)
    return BARS.join(regions)


# --- boundaries and regions ------------------------------------------------------------------


@lru_cache(maxsize=None)
def _open_words(weight: int) -> List[Word]:
    """Words of a weight that are not closed to a cycle; pairs do not cross."""
    if not weight:
        return [()]
    found = [
        (spot, *rest)
        for spot in ("1", "2", PLACE)
        if HALF_LIVES[spot] <= weight
        for rest in _open_words(weight - HALF_LIVES[spot])
    ]
    for inside in range(1, weight - PAIR + 1):
        for word, rest in product(_open_words(inside), _open_words(weight - PAIR - inside)):
            found.append(("a", *_renamed(word, "ai"), "a", *_renamed(rest, "ar")))
    return found


def _renamed(word: Word, prefix: str) -> Word:
    """A word whose pairs have other names, which begin with a prefix."""
    return tuple([prefix + spot[1:] if spot[0] == "a" else spot for spot in word])


def _least_rotation(word: Word) -> Word:
    """The least of all rotations, with pairs named by first appearance."""
    rotations = []
    for start in range(len(word)):
        names: Dict[str, str] = {}
        turned = word[start:] + word[:start]
        rotations.append(
            tuple([names.setdefault(s, PAIRS[len(names)]) if s[0] == "a" else s for s in turned])
        )
    return min(rotations)


@lru_cache(maxsize=None)
def _words(weight: int) -> List[Word]:
    """The boundaries of a weight."""
    found = {_least_rotation(word) for word in _open_words(weight) if not _has_neighbours(word)}
    return sorted(found) + ([("0",)] if weight == HALF_LIVES["0"] else [])


def _has_neighbours(word: Word) -> bool:
    """Whether both places of a pair are side by side: then they are one spot of degree 2."""
    return len(word) > 1 and any(
        [a == b and a[0] == "a" for a, b in zip(word, word[1:] + word[:1])]
    )


@lru_cache(maxsize=None)
def _regions(weight: int) -> List[Region]:
    """The regions of a weight that are alive."""
    return [region for region in _multisets(weight, _words) if _lives_inside(region) >= 2]


@lru_cache(maxsize=None)
def _regions_with_places(weight: int) -> List[Region]:
    return [region for region in _regions(weight) if _places(region)]


def _places(region: Region) -> int:
    return sum([word.count(PLACE) for word in region])


def _lives_inside(region: Region) -> int:
    """The lives in a region, where a spot on two regions counts one."""
    spots = [spot for word in region for spot in word]
    pairs = sum([spot[0] == "a" for spot in spots]) // 2
    return pairs + sum([(HALF_LIVES[spot] + 1) // 2 for spot in spots if spot in HALF_LIVES])


def _multisets(
    weight: int, things: Callable[[int], List[T]], last: Optional[Tuple[int, int]] = None
) -> Iterator[Tuple[T, ...]]:
    """All multisets of things with a weight in all; `last` bounds the weight and the index."""
    if not weight:
        yield ()
        return
    for own in range(min(weight, last[0] if last else weight), 0, -1):
        some = things(own)
        most = last[1] + 1 if last and own == last[0] else len(some)
        for i in range(most):
            for rest in _multisets(weight - own, things, (own, i)):
                yield (some[i], *rest)


# --- lands -----------------------------------------------------------------------------------


def _sets_of_regions(most: int) -> Iterator[Tuple[Region, ...]]:
    """The sets of regions of up to a weight that may be lands."""
    for weight in range(2, most + 1, 2):
        for region in _regions(weight):
            if not _places(region):
                yield (region,)
        for regions in _multisets(weight, _regions_with_places):
            if len(regions) > 1:
                yield regions


def _joined(regions: Tuple[Region, ...]) -> Iterator[str]:
    """The texts of all lands that regions form when their places are joined in pairs."""
    words = [list(word) for region in regions for word in region]
    region_of = [i for i, region in enumerate(regions) for _ in region]
    places = [
        (b, k) for b, word in enumerate(words) for k, spot in enumerate(word) if spot == PLACE
    ]
    for pairs in _pairings([(place, region_of[place[0]]) for place in places]):
        for name, pair in zip("ABCDEFGHIJKL", pairs):
            for b, k in pair:
                words[b][k] = name
        if _can_be_drawn(words, region_of, len(regions)):
            yield _text(words, region_of)


def _text(words: List[List[str]], region_of: List[int]) -> str:
    regions = [
        ".".join(["".join(word) for word, own in zip(words, region_of) if own == i])
        for i in range(max(region_of) + 1)
    ]
    return "|".join(regions)


def _pairings(places: List[Tuple[Place, int]]) -> Iterator[List[Tuple[Place, Place]]]:
    """All ways to pair places of different regions."""
    if not places:
        yield []
        return
    (first, own), others = places[0], places[1:]
    for i, (second, other) in enumerate(others):
        if other != own:
            for rest in _pairings(others[:i] + others[i + 1 :]):
                yield [(first, second), *rest]


def _can_be_drawn(words: List[List[str]], region_of: List[int], regions: int) -> bool:
    """Whether boundaries form a tree with their regions, and components are plane."""
    component = _components(words)
    reached, edges = {("region", 0)}, list(zip(component, region_of))
    if len(edges) != regions + len(set(component)) - 1:
        return False
    for _ in edges:
        for c, r in edges:
            if ("region", r) in reached or ("component", c) in reached:
                reached.update([("region", r), ("component", c)])
    if len(reached) != len(edges) + 1:
        return False
    parts = [[w for w, c in zip(words, component) if c == own] for own in set(component)]
    return all([_is_plane(part) for part in parts])


def _components(words: List[List[str]]) -> List[int]:
    """The component of each boundary: the least number of those that it is joined to."""
    found = list(range(len(words)))
    home: Dict[str, int] = {}
    for b, word in enumerate(words):
        for spot in word:
            if spot.isupper():
                old, new = found[b], found[home.setdefault(spot, b)]
                found = [min(old, new) if c in (old, new) else c for c in found]
    return found


def _is_plane(words: List[List[str]]) -> bool:
    """Whether boundaries that are joined can be drawn, some of them read backwards."""
    named = [
        [(spot if spot.isupper() else "%s%d" % (spot, b)) for spot in word if spot.isalpha()]
        for b, word in enumerate(words)
    ]
    edges = sum(map(len, named)) // 2
    return any(
        [
            len(named) - edges + _faces([word[::turn] for word, turn in zip(named, turns)]) == 2
            for turns in product(*[(1,) if not b else (1, -1) for b in range(len(named))])
        ]
    )


def _faces(words: List[List[str]]) -> int:
    """The faces of the map whose vertices have edges in the order of words."""
    ends: Dict[str, List[Tuple[int, int]]] = {}
    for b, word in enumerate(words):
        for k, name in enumerate(word):
            ends.setdefault(name, []).append((b, k))
    if not ends:
        return 1
    left = {end for both in ends.values() for end in both}
    faces = 0
    while left:
        faces += 1
        end = next(iter(left))
        while end in left:
            left.remove(end)
            one, two = ends[words[end[0]][end[1]]]
            b, k = two if end == one else one
            end = b, (k + 1) % len(words[b])
    return faces
