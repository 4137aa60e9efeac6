"""The rules of Sprouts: a second implementation, slow, easy to read, independent of the search.

The game is played on a sphere. A move draws a curve that meets nothing drawn
before, from a spot to a spot (or back to the same one), and puts a new spot
on it. No spot may have more than three curve ends: a spot of degree ``d`` has
``3 - d`` *lives*. A player who cannot move loses.

A drawing cuts the sphere into *regions*. The boundary of a region consists of
connected pieces; going once around a piece, with the region on the left, passes
a cyclic sequence of spots, a *walk*. A spot of degree 2 is passed twice: on both
sides of the line through it, that is in two regions, or twice on one walk.
Nothing else of a drawing matters for play, so that a position here is: its
regions, each a collection of walks, and the lives of its spots.

Everything follows from four functions, in the order of this file:

``moves``      the rules of the game;
``reduced``    the removal of what cannot matter;
``canonical``  one text for each class of isomorphic positions, exactly;
``grundy``     the Grundy number from its definition.

>>> sorted(children("0*2"))
['0.AB|AB', '1a1a']
>>> [grundy("0*%d" % n) for n in range(1, 4)]
[0, 0, 1]
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import chain, product
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from pns.checker.work import spend

Spot = int
Walk = Tuple[Spot, ...]  # cyclic: the spots passed on a walk along a boundary
Region = Tuple[Walk, ...]


class Position(NamedTuple):
    """A drawing, as far as it matters: regions, and the lives of the spots."""

    regions: Tuple[Region, ...]
    lives: Dict[Spot, int]


# Reading -------------------------------------------------------------------

TOKEN = re.compile(r"0\*[1-9][0-9]{0,3}|[0-3]|[a-l]|[A-Y]|[mnZ]\([1-9][0-9]{0,3}\)|[.|+]", re.A)


def read(text: str) -> Position:
    """The position that a text denotes; raises ValueError if it denotes none.

    ``+`` separates lands, ``|`` regions, ``.`` walks. A digit is the degree of
    a spot passed only once, ``0*7`` are seven walks ``0``. A letter is a spot
    passed twice: small ones in one walk, capitals in two regions of a land.
    """
    regions: List[Region] = []
    lives: Dict[Spot, int] = {}
    for land in [] if text == "!" else text.split("+"):
        seen: Dict[str, List[Tuple[int, Spot]]] = {}  # capital: (region, spot) for each time
        for number, region in enumerate(land.split("|")):
            walks: List[Walk] = []
            for word in region.split("."):
                tokens = TOKEN.findall(word)
                if not tokens or "".join(tokens) != word:
                    raise ValueError(
                        "invalid walk %r; expected spots such as 0*7, 2AB or 1a2a" % word
                    )
                if tokens[0].startswith("0*") and len(tokens) == 1:
                    tokens, copies = ["0"], int(tokens[0][2:])
                else:
                    copies = 1
                if tokens != ["0"] and any(t.startswith("0") for t in tokens):
                    raise ValueError("invalid walk %r; expected the spot 0 to be alone" % word)
                small = {t for t in tokens if t[0] in "abcdefghijklm"}
                for name in small:
                    if tokens.count(name) != 2:
                        raise ValueError("invalid walk %r; expected %r twice" % (word, name))
                spend(copies * len(tokens))
                for _ in range(copies):
                    names: Dict[str, Spot] = {}
                    walk: List[Spot] = []
                    for token in tokens:
                        if token in small and token in names:
                            walk.append(names[token])
                            continue
                        capital = token.replace("Z(", "n(")
                        if capital[0].isupper() or capital[0] == "n":
                            times = seen.setdefault(capital, [])
                            spot = times[0][1] if times else len(lives)
                            times.append((number, spot))
                        else:
                            spot = len(lives)
                            names[token] = spot
                        lives[spot] = 3 - int(token) if token.isdigit() else 1
                        walk.append(spot)
                    walks.append(tuple(walk))
            regions.append(tuple(walks))
        for name, times in seen.items():
            if len(times) != 2 or times[0][0] == times[1][0]:
                raise ValueError("invalid land %r; expected %r in two regions" % (land, name))
    return Position(tuple(regions), lives)


# The rules of the game -----------------------------------------------------


def moves(position: Position) -> Iterator[Position]:
    """Every position one move away, isomorphic ones repeatedly.

    Walks of one kind are interchangeable, so that a curve starts or ends only at
    the first two of them, and only the number on either side of it matters.
    """
    regions, lives = position
    times = times_passed(regions)
    size = sum(times.values())
    new = max(lives) + 1 if lives else 0
    for number, region in enumerate(regions):
        kinds = kinds_of(region, times, lives)
        for v, w in pairs(kinds):
            for i, s in enumerate(v):
                for j in range(i if v == w else 0, len(w)):
                    after = dict(lives)
                    after[s] -= 1
                    after[w[j]] -= 1
                    after[new] = 1
                    if min(after[s], after[w[j]]) < 0:  # a curve back to a spot costs it two lives
                        continue
                    for drawn in draw(v, i, w, j, new, kinds):
                        spend(size)
                        yield Position(regions[:number] + drawn + regions[number + 1 :], after)


def times_passed(regions: Tuple[Region, ...]) -> Dict[Spot, int]:
    """How often each spot is passed on all walks."""
    return Counter(s for region in regions for walk in region for s in walk)


def kinds_of(region: Region, times: Dict[Spot, int], lives: Dict[Spot, int]) -> List[List[Walk]]:
    """The walks of a region by kind: two are of one kind if exchanging them changes nothing.

    Their spots are on no other walk, and they read the same: the lives of the spots
    in their order, and where a spot is passed again.
    """
    kinds: Dict[object, List[Walk]] = {}
    for walk in region:
        kind: object = walk
        if all(times[s] == walk.count(s) for s in walk):
            kind = min(tuple((lives[s], word.index(s)) for s in word) for word in rotations(walk))
        kinds.setdefault(kind, []).append(walk)
    return list(kinds.values())


def pairs(kinds: List[List[Walk]]) -> Iterator[Tuple[Walk, Walk]]:
    """The pairs of walks that a curve may join, one of all interchangeable ones."""
    for number, kind in enumerate(kinds):
        yield kind[0], kind[0]
        for other in [kind[1:], *kinds[number + 1 :]]:
            if other:
                yield kind[0], other[0]


def draw(
    v: Walk, i: int, w: Walk, j: int, new: Spot, kinds: List[List[Walk]]
) -> Iterator[Tuple[Region, ...]]:
    """What becomes of a region when corner i of v is joined to corner j of w.

    Here v and w are walks of the region, and i <= j if they are the same. A curve
    that ends at a corner splits it into two. (An isolated spot has only one corner
    after its first curve; two in a row do not matter.)
    """
    others = [[walk for walk in kind if walk not in (v, w)] for kind in kinds]
    if v != w:  # along v back to the start, over to w, along w, and back
        joined = v[i:] + v[: i + 1] + (new,) + w[j:] + w[: j + 1] + (new,)
        yield ((joined, *chain(*others)),)
        return
    left = v[i : j + 1] + (new,)
    right = v[j:] + v[: i + 1] + (new,)
    for counts in product(*[range(len(kind) + 1) for kind in others]):
        yield (
            (left, *chain(*[kind[:count] for kind, count in zip(others, counts)])),
            (right, *chain(*[kind[count:] for kind, count in zip(others, counts)])),
        )


# The removal of what cannot matter -----------------------------------------


def reduced(position: Position, flat: bool = True) -> Position:
    """The position without what cannot matter for play.

    - No curve ends at a dead spot again: walks leave it out.
    - A spot passed twice in a row is as good as passed once: the two corners
      lie on the same place of the walk, with nothing between that is alive.
    - A walk without spots bounds nothing that can be reached.
    - A region with fewer than two lives has no move.
    - With ``flat``: in a region with two or three lives it does not matter how
      its spots lie on walks, since at most two curves can be drawn there, one
      after the other: they are put on one walk, each of them once. (This changes
      positions, but no Grundy number.)
    """
    regions, lives = position
    kept: List[Region] = []
    for region in regions:
        walks = [without_repeats([s for s in walk if lives[s] > 0]) for walk in region]
        spots = sorted({s for walk in walks for s in walk})
        total = sum(lives[s] for s in spots)
        if total < 2:
            continue
        if total < 4 and flat:
            walks = [tuple(spots)]
        kept.append(tuple(walk for walk in walks if walk))
    used = {s for region in kept for walk in region for s in walk}
    return Position(tuple(kept), {s: lives[s] for s in sorted(used)})


def without_repeats(walk: Sequence[Spot]) -> Walk:
    """A cyclic walk with one spot for each run of equal ones."""
    if len(set(walk)) == 1:
        return (walk[0],)
    return tuple(s for i, s in enumerate(walk) if s != walk[i - 1])


# The canonical form --------------------------------------------------------
#
# Spots now lose their identity. A spot passed once is a letter 0, 1 or 2, its
# degree; the others, the *names*, are letters from FIRST on. Two lands are
# isomorphic if names can be mapped to names so that regions go to regions and
# walks to walks, as cyclic words. All words of a region may be reversed together:
# a move happens in one region, and of the others it matters only which spots they
# have, so that a region may be replaced by its mirror image.

FIRST = 3
Word = Tuple[int, ...]
Words = Tuple[Word, ...]  # of a region
Land = Tuple[Words, ...]


def canonical(position: Position, flat: bool = True) -> str:
    """The text of a position: equal exactly if the reduced ones are isomorphic."""
    position = reduced(position, flat)
    return "+".join(sorted(least_text(land) for land in lands(position))) or "!"


def lands(position: Position) -> List[Land]:
    """The parts of a reduced position that share no spot, in letters."""
    regions, lives = position
    times = times_passed(regions)
    letter = {s: FIRST + s if times[s] > 1 else 3 - lives[s] for s in times}
    parts: List[Tuple[Set[Spot], Land]] = []
    for region in regions:
        spots = {s for walk in region for s in walk}
        land: Land = (tuple(sorted(tuple(letter[s] for s in walk) for walk in region)),)
        apart = []
        for part in parts:
            if spots.isdisjoint(part[0]):
                apart.append(part)
            else:
                spots = spots | part[0]
                land = part[1] + land
        parts = [*apart, (spots, land)]
    return [renamed(land) for _, land in parts]


def renamed(land: Land) -> Land:
    """The land with its names numbered by first appearance, so that caches find it."""
    names = dict.fromkeys(x for region in land for word in region for x in word if x >= FIRST)
    number = {x: FIRST + i for i, x in enumerate(names)}
    return tuple(tuple(tuple(number.get(x, x) for x in word) for word in r) for r in land)


def mirrored(region: Words) -> Words:
    """The region with all words reversed."""
    return tuple(word[::-1] for word in region)


def rotations(word: Word) -> Set[Word]:
    """The ways to write a cyclic word."""
    return {word[i:] + word[:i] for i in range(len(word))}


def ordered(region: Words) -> Words:
    """The least form of a region: its words rotated, sorted, and perhaps all reversed."""
    return min(
        tuple(sorted(min(rotations(word)) for word in side)) for side in (region, mirrored(region))
    )


def coloured(region: Words, colour: Dict[int, int]) -> Words:
    """A region with colours in place of names."""
    return tuple(tuple(FIRST + colour[x] if x >= FIRST else x for x in word) for word in region)


def refined(land: Land, colour: Dict[int, int]) -> Dict[int, int]:
    """A finer colouring, in which names with different surroundings differ, too.

    The colour of a name is the number of names of smaller colours. Names that an
    isomorphism may exchange keep a common colour, and so may some others.
    """
    while True:
        spend(sum(map(len, chain(*land))))
        views: Dict[int, List[Tuple[Words, Word]]] = {x: [] for x in colour}
        for region in land:
            seen = coloured(region, colour)
            whole = ordered(seen)
            for number, word in enumerate(region):
                for i, x in enumerate(word):
                    if x >= FIRST:
                        ahead = seen[number][i:] + seen[number][:i]
                        views[x].append((whole, min(ahead, ahead[:1] + ahead[:0:-1])))
        signs = {x: (colour[x], sorted(views[x])) for x in colour}
        ranks = sorted(signs.values())
        finer = {x: ranks.index(sign) for x, sign in signs.items()}
        if len(set(finer.values())) == len(set(colour.values())):
            return finer
        colour = finer


def undecided(colour: Dict[int, int]) -> List[int]:
    """The names of the least colour that several names share; none if all differ."""
    for least in sorted(colour.values()):
        names = [x for x in colour if colour[x] == least]
        if len(names) > 1:
            return names
    return []


def individualised(land: Land, colour: Dict[int, int], name: int) -> Dict[int, int]:
    """The refined colours after one name was put before the others of its colour."""
    return refined(land, {x: 2 * colour[x] + (x != name) for x in colour})


@lru_cache(maxsize=1 << 17)
def least_text(land: Land) -> str:
    """The text of the least form of a land: equal exactly for isomorphic lands."""
    names = {x for region in land for word in region for x in word if x >= FIRST}
    return write(least_form(land, refined(land, dict.fromkeys(names, 0))))


def least_form(land: Land, colour: Dict[int, int]) -> Land:
    """The least of the forms that a land can take.

    In a form every name has a colour of its own, and is replaced by it. While
    several names share a colour, each of them is individualised in turn. If two
    of them lead to a common form, an automorphism exchanges them, and they lead to
    the same forms: only the first is followed up.
    """
    names = undecided(colour)
    if not names:
        return tuple(sorted(ordered(coloured(region, colour)) for region in land))
    forms: Dict[Land, Land] = {}
    for name in names:
        finer = individualised(land, colour, name)
        example = some_form(land, finer)
        if example not in forms:
            forms[example] = least_form(land, finer)
    return min(forms.values())


def some_form(land: Land, colour: Dict[int, int]) -> Land:
    """One of the forms that a land can take."""
    while undecided(colour):
        colour = individualised(land, colour, undecided(colour)[0])
    return least_form(land, colour)


def write(land: Sequence[Words]) -> str:
    """The text of a land whose names are numbered."""
    passed = [(x, word.count(x)) for region in land for word in region for x in word if x >= FIRST]
    in_pairs = {x for x, times in passed if times == 2}
    capitals = list(dict.fromkeys(x for x, times in passed if times == 1))
    names = {x: "n(%d)" % (i + 1) for i, x in enumerate(capitals)}
    if len(capitals) <= 25:
        names = {x: "ABCDEFGHIJKLMNOPQRSTUVWXY"[i] for i, x in enumerate(capitals)}
    regions: List[str] = []
    for region in land:
        isolated = sum(word == (0,) for word in region)
        words = ["0*%d" % isolated] if isolated > 1 else ["0"] * isolated
        for word in region:
            if word == (0,):
                continue
            pairs = list(dict.fromkeys(x for x in word if x in in_pairs))
            for i, x in enumerate(pairs):
                names[x] = "m(%d)" % (i + 1) if len(pairs) > 12 else "abcdefghijkl"[i]
            words.append("".join(names[x] if x >= FIRST else str(x) for x in word))
        regions.append(".".join(words))
    return "|".join(regions)


# Play ----------------------------------------------------------------------


def child_texts(text: str, flat: bool = True, familiar: Optional[Set[int]] = None) -> Iterator[str]:
    """The canonical texts of a position's children, some repeatedly.

    With ``familiar``, children that have a land of another profile are left out.
    """
    for after in moves(reduced(read(text), flat)):
        parts = lands(reduced(after, flat))
        if familiar is None or all(profile(land) in familiar for land in parts):
            yield "+".join(sorted(least_text(land) for land in parts)) or "!"


def profile(land: Land) -> int:
    """A hash that isomorphic lands share and other lands rarely: quick to compute."""
    counts = [
        sorted((len(word), word.count(0), word.count(1), word.count(2)) for word in region)
        for region in land
    ]
    return hash(tuple(sorted(tuple(region) for region in counts)))


def children(text: str, flat: bool = True) -> Set[str]:
    """The canonical texts of a position's children."""
    return set(child_texts(text, flat))


KNOWN: Dict[str, int] = {"!": 0}


def grundy(text: str) -> int:
    """The Grundy number of a position given as a text."""
    return grundy_of_sum(canonical(read(text)))


def grundy_of_sum(text: str) -> int:
    """The xor of the Grundy numbers of the lands (Sprague and Grundy); text is canonical."""
    number = 0
    for land in text.split("+"):
        if land not in KNOWN:  # the least number that no child has
            numbers = {grundy_of_sum(child) for child in children(land)}
            KNOWN[land] = next(n for n in range(len(numbers) + 1) if n not in numbers)
        number ^= KNOWN[land]
    return number
