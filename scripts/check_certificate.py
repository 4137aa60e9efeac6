"""Checks certificates of impartial games: one file that needs only Python 3.9 or newer.

    python3 check_certificate.py FILE [FILE ...] [--sample N] [--seed N] [--json]

A certificate claims that a position is won or lost for the player to move, and lists
lands with their Grundy numbers, the *entries*. This program trusts none of them:

- the options of a position are its children, the positions after one move;
- known(X), for a position X, is the xor of the entries of its lands, if all are there;
- an entry Q -> n holds if for every i < n some option of Q has known = i, and if every
  option of Q has known, different from n, or has itself an option with known = n;
- if all entries hold, all are right, by induction on the number of moves left: n is
  the least number that no option of Q has, which is what a Grundy number is;
- then the position is lost if known = 0, and won if some option has known = 0.

A certificate may also list exchanges of parts of a position that leave its Grundy number as it is.
Each is proved here, by play, before it is used: then another position may stand for an option, if
exchanges lead to it and each of its lands, or in misère play all of it, has fewer lives than Q.

With --sample only N entries, chosen at random, are checked. Exit status: 0 if all that
was checked holds, 1 if something does not, 2 if a file is not a certificate or exceeds
the bounds below (MOST_ENTRIES and on). The bounds stop a file that was made to fill the
memory or to keep the machine busy.

The rules of Sprouts come first, then exchanges, then the rules of the games whose positions fall
into parts, of which GAMES has the names, then the reading of a certificate, then the check.
"""

# Made by scripts/make_checker.py from the modules of pns/checker/: change those.

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import sys
import time
import zlib
from collections import Counter
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from itertools import chain, product
from stat import S_ISREG
from typing import (
    Any,
    BinaryIO,
    Callable,
    Dict,
    FrozenSet,
    Generic,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    NoReturn,
    Optional,
    Sequence,
    Set,
    Sized,
    Tuple,
    TypeVar,
    Union,
)

# Work ----------------------------------------------------------------------
#
# The work that may be done: what takes more is refused, so that no file keeps a machine busy.

MOST_WORK = 30_000_000  # for an entry, for the claim, and for all exchanges, in units of Work


class TooMuchWork(ValueError):
    """A computation takes more work than is allowed."""


class Work:
    """The work still allowed, in spots passed in the positions that are worked on."""

    left = 1 << 62


def spend(spots: int) -> None:
    """Count work before it is done; raises TooMuchWork."""
    Work.left -= spots
    if Work.left < 0:
        raise TooMuchWork("this takes more work than is allowed")


@contextmanager
def limited(most: int) -> Iterator[None]:
    """Allow this much work within, and what was allowed before to those who come after."""
    before = Work.left
    Work.left = most
    try:
        yield
    finally:
        Work.left = before


# Sprouts -------------------------------------------------------------------
#
# The rules of Sprouts: a second implementation, slow, easy to read, independent of the search.
#
# The game is played on a sphere. A move draws a curve that meets nothing drawn
# before, from a spot to a spot (or back to the same one), and puts a new spot
# on it. No spot may have more than three curve ends: a spot of degree ``d`` has
# ``3 - d`` *lives*. A player who cannot move loses.
#
# A drawing cuts the sphere into *regions*. The boundary of a region consists of
# connected pieces; going once around a piece, with the region on the left, passes
# a cyclic sequence of spots, a *walk*. A spot of degree 2 is passed twice: on both
# sides of the line through it, that is in two regions, or twice on one walk.
# Nothing else of a drawing matters for play, so that a position here is: its
# regions, each a collection of walks, and the lives of its spots.
#
# Everything follows from four functions, in the order of this file:
#
# ``moves``      the rules of the game;
# ``reduced``    the removal of what cannot matter;
# ``canonical``  one text for each class of isomorphic positions, exactly;
# ``grundy``     the Grundy number from its definition.
#
# >>> sorted(children("0*2"))
# ['0.AB|AB', '1a1a']
# >>> [grundy("0*%d" % n) for n in range(1, 4)]
# [0, 0, 1]

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


# Sprouts tails -------------------------------------------------------------
#
# Tails by the plain rules: which of them give way to others, proved slowly.
#
# A part of a land that one spot on two regions, its joint, connects with the rest is a tail. Its
# text is that of a land: the tail, and at the joint a region of MARKS isolated spots in place of
# the rest. No move is made in that region. Two tails are equal but for a heap if play of both shows
# it, whatever the rest is: are_equal looks for an answer to each move. Then one may give way to the
# other and the heap, in any land, and the Grundy number stays. An exchange of a certificate is such
# a pair, and is not trusted.

MARKS = 9
MARK = "0*%d" % MARKS
HEAPS = ("!", "22", "2222", "12.2")
"""Positions with the Grundy numbers 0 to 3, to be put beside a land."""
MOST_LIVES = 7
"""Lives of the largest tails, with that of the joint."""
MOST_POSITIONS = 64
"""Positions that are followed up for one text."""

Tail = str
Proposals = Dict[Tail, Tail]
"""What may take the place of a tail, if it is proved, by the texts of both."""
HeapOf = Callable[[Tail, Tail], Optional[int]]
"""The heap that goes with what takes the place of a tail; None if it may not."""


class Played(NamedTuple):
    """A tail as the rest of a land sees it; values are Grundy numbers, or reduced games."""

    alone: int
    """The value of the tail without its joint."""
    at_joint: FrozenSet[int]
    """The values that its moves at the joint leave of it."""
    options: Tuple[Tuple[Tail, int], ...]
    """What its other moves lead to: a tail, and the value of the lands beside it."""


def simpler_texts(text: str, proposals: Proposals) -> List[str]:
    """The canonical texts of positions to which exchanges of tails lead, without this one.

    All have the same Grundy number, and no land with more lives than the largest of this one.
    """
    position = reduced(read(text))
    simpler = simpler_positions(position, proposals, heap_beside)
    found = [canonical_beside(after, n) for after, n in simpler]
    return [other for other in dict.fromkeys(found) if other != text]


def familiar_texts(text: str, proposals: Proposals, familiar: Set[int]) -> Iterator[str]:
    """The canonical texts of a position's children, and of simpler ones, that may be known.

    Each of their lands has one of the profiles `familiar`; that of a canonical text takes longest.
    """
    for after in moves(reduced(read(text))):
        after = reduced(after)
        simpler = simpler_positions(after, proposals, heap_beside)
        for position, number in chain([(after, 0)], simpler):
            if all(profile(land) in familiar for land in lands(position)):
                yield canonical_beside(position, number)


def simpler_positions(
    position: Position, proposals: Proposals, heap_of: HeapOf
) -> Iterator[Tuple[Position, int]]:
    """(a reduced position to which exchanges lead, the number of the heap that goes with it)."""
    most = max(map(lives_of, lands(position)), default=0)
    seen = {(tuple(lands(position)), 0)}
    waiting = [(position, 0)]
    while waiting and len(seen) < MOST_POSITIONS:
        before, number = waiting.pop()
        for after, by in exchanged(before, proposals, heap_of):
            state = tuple(lands(after)), number ^ by
            if state not in seen:
                seen.add(state)
                waiting.append((after, number ^ by))
                if max(map(lives_of, lands(read(HEAPS[number ^ by]))), default=0) <= most:
                    yield after, number ^ by


def exchanged(
    position: Position, proposals: Proposals, heap_of: HeapOf
) -> Iterator[Tuple[Position, int]]:
    """(a reduced position with another tail, the number by which it differs)."""
    for joint, part in tails(position):
        spots = {s for region in part for walk in region for s in walk}
        if sum(position.lives[s] for s in spots) > MOST_LIVES:
            continue
        tail = tail_text(part, joint, position.lives)
        other = proposals.get(tail)
        heap = heap_of(tail, other) if other is not None else None
        if other is not None and heap is not None:
            rest = [region for region in position.regions if region not in part]
            yield attached(rest, joint, position.lives, other), heap


def canonical_beside(position: Position, number: int) -> str:
    """The canonical text of a position beside the one of HEAPS with a number."""
    text = canonical(position)
    return "+".join(sorted([*text.split("+"), HEAPS[number]])) if number else text


def lives_of(land: Land) -> int:
    """The lives of a land's spots."""
    letters = list(chain(*chain(*land)))
    return sum(3 - x for x in letters if x < FIRST) + len({x for x in letters if x >= FIRST})


def proposals(pairs: Iterable[Tuple[str, str]]) -> Proposals:
    """What may take the place of a tail, from texts of tails with A for the joint.

    Raises ValueError for an invalid tail.
    """
    found: Proposals = {}
    for pair in pairs:
        tail, other = map(tail_of, pair)
        if tail != other:
            found.setdefault(tail, other)
    return found


def tail_of(text: str) -> Tail:
    """The canonical text of a tail from one with A for the joint; raises ValueError."""
    position = read("%s.A|%s" % (MARK, text))
    tail = canonical(position)
    if "+" in tail or sum(position.lives.values()) > 3 * MARKS + MOST_LIVES:
        wrong = "invalid tail %r; expected regions joined at A, of at most %d lives"
        raise ValueError(wrong % (text, MOST_LIVES))
    return tail


def tails(position: Position) -> Iterator[Tuple[Spot, List[Region]]]:
    """(joint, regions) of each tail of a position."""
    regions = position.regions
    spots = [{s for walk in region for s in walk} for region in regions]
    for joint in sorted(set().union(*spots)):
        spend(len(regions))
        ends = [i for i, some in enumerate(spots) if joint in some]
        for first in ends if len(ends) == 2 else []:
            part, reached = {first}, spots[first] - {joint}
            grown = True
            while grown:
                grown = False
                for i, some in enumerate(spots):
                    if i not in part and not reached.isdisjoint(some):
                        part.add(i)
                        reached = reached | some - {joint}
                        grown = True
            if not part.issuperset(ends):
                yield joint, [regions[i] for i in sorted(part)]


def tail_text(part: List[Region], joint: Spot, lives: Dict[Spot, int]) -> Tail:
    """The canonical text of a tail."""
    first = max(lives) + 1
    marks = range(first, first + MARKS)
    region: Region = ((joint,), *[(mark,) for mark in marks])
    return canonical(Position((*part, region), {**lives, **dict.fromkeys(marks, 3)}))


def attached(rest: List[Region], joint: Spot, lives: Dict[Spot, int], tail: Tail) -> Position:
    """A rest with a tail at its joint, reduced."""
    position = read(tail)
    mark, other_joint = marked_region(position)
    first = max(lives) + 1
    names = {s: joint if s == other_joint else first + s for s in position.lives}
    added = [
        tuple(tuple(names[s] for s in walk) for walk in region)
        for i, region in enumerate(position.regions)
        if i != mark
    ]
    more = {names[s]: count for s, count in position.lives.items() if s != other_joint}
    return reduced(Position((*rest, *added), {**lives, **more}))


def marked_region(position: Position) -> Tuple[int, Optional[Spot]]:
    """(the number of the region that stands for the rest, the joint if it is on two regions)."""
    times = times_passed(position.regions)
    for i, region in enumerate(position.regions):
        if sum(position.lives[walk[0]] == 3 for walk in region) >= MARKS:
            return i, next((s for walk in region for s in walk if times[s] == 2), None)
    raise ValueError("no region stands for the rest")


@lru_cache(maxsize=None)
def played(tail: Tail) -> Played:
    """The options of a tail, and what is left of it without its joint, by Grundy numbers."""
    return played_by(tail, grundy_of_sum)


def played_by(tail: Tail, value_of: Callable[[str], int]) -> Played:
    """The options of a tail, and what is left of it without its joint, by values of positions."""
    position = read(tail)
    mark, joint = marked_region(position)
    if joint is None:  # it is a spot of degree 2 of the rest
        return Played(0, frozenset(), ())
    own = [region for i, region in enumerate(position.regions) if i != mark]
    alone = value_of(canonical(Position(tuple(own), {**position.lives, joint: 0})))
    at_joint: Set[int] = set()
    options: Set[Tuple[Tail, int]] = set()
    marks = [s for walk in position.regions[mark] for s in walk if position.lives[s] == 3]
    for after in moves(position):
        if any(after.lives[s] != 3 for s in marks):
            continue
        parts = canonical(after).split("+")
        (marked,) = [part for part in parts if MARK in part]
        value = value_of("+".join(part for part in parts if part != marked) or "!")
        if after.lives[joint]:
            options.add((marked, value))
        else:
            at_joint.add(value)
    return Played(alone, frozenset(at_joint), tuple(sorted(options)))


def difference(one: Tail, two: Tail) -> int:
    """The only k by which two tails may differ."""
    return played(one).alone ^ played(two).alone


def holds(text: str, other_text: str) -> bool:
    """Whether a tail may give way to another, from texts with A for the joint.

    Raises ValueError for an invalid tail.
    """
    return gives_way(tail_of(text), tail_of(other_text))


@lru_cache(maxsize=None)
def gives_way(tail: Tail, other: Tail) -> bool:
    """Whether a tail may give way to one with no more lives, and to one of HEAPS."""
    if not are_equal(tail, other) or difference(tail, other) >= len(HEAPS):
        return False
    return total_lives(other) <= total_lives(tail)


def heap_beside(tail: Tail, other: Tail) -> Optional[int]:
    """The number by which a tail differs from one to which it may give way; None if it may not."""
    return difference(tail, other) if gives_way(tail, other) else None


def total_lives(text: str) -> int:
    """The lives of all spots of a text."""
    return sum(read(text).lives.values())


@lru_cache(maxsize=None)
def are_equal(one: Tail, two: Tail) -> bool:
    """Whether one tail and another and *k, beside two equal rests, are lost for the next player.

    That is so if each move has an answer of the same kind: the same in the other rest; at the
    joint, one at the other joint that leaves the same number; any other in a tail or the heap,
    one in a tail or the heap after which the tails are again equal but for the heap.
    """
    if one == two:
        return True
    k = difference(one, two)
    if {n ^ k for n in played(one).at_joint} != played(two).at_joint:
        return False
    if not all(leads(one, two, n) or leads(two, one, n) for n in range(k)):
        return False
    return all(
        leads(other, after, k ^ number)
        or leads(after, other, k ^ number)
        or (difference(after, other) < k ^ number and are_equal(after, other))
        for tail, other in ((one, two), (two, one))
        for after, number in played(tail).options
    )


def leads(tail: Tail, other: Tail, heap: int) -> bool:
    """Whether a move in a tail leaves it equal to another but for a heap."""
    return any(
        number ^ heap == difference(after, other) and are_equal(after, other)
        for after, number in played(tail).options
    )


# Reduced games -------------------------------------------------------------
#
# Reduced games: finite impartial games up to equality in misère play, numbered.

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


# Misere tails --------------------------------------------------------------
#
# Tails in misère play: which of them give way to others, proved by reduced games.
#
# A tail may give way to another and a heap *k, k = 0 or 1, if the lands with any rest are equal
# in misère play. Two games that can move are equal if each option of one is equal to an option of
# the other, or has an option that is equal to the other. A move of the rest has its like beside
# the other tail. Where it uses the joint, it leaves of each tail what is left without the joint.
# So only moves of the tails are compared here.

TailBeside = Tuple[Tail, int]
"""A tail, and the number of a reduced game beside its land."""


class MisereTails:
    """Which tails give way to others; what is beside them are reduced games."""

    def __init__(self, games: ReducedGames, game_of: Callable[[str], int]) -> None:
        self.games = games
        self.game_of = game_of
        self.seen: Dict[Tail, Played] = {}
        self.shown: Dict[Tuple[Tail, Tail, int], bool] = {}

    def heap_beside(self, tail: Tail, other: Tail) -> Optional[int]:
        """The k of the heap that takes the place of a tail with another, None if it may not.

        Both together have no more lives than the tail, so that no proof can go round in a circle.
        """
        fitting = [k for k in (0, 1) if total_lives(other) + k <= total_lives(tail)]
        return next((k for k in fitting if self.are_equal(tail, other, k)), None)

    def are_equal(self, one: Tail, two: Tail, k: int) -> bool:
        """Whether one tail, and another beside *k, are shown to be equal with every rest."""
        if one == two:
            return k == 0
        if (one, two, k) not in self.shown:
            self.shown[one, two, k] = self.leave_the_same(one, two, k) and self.answer(one, two, k)
        return self.shown[one, two, k]

    def leave_the_same(self, one: Tail, two: Tail, k: int) -> bool:
        """Whether moves at the joint leave the same of two tails, but for *k.

        If they do, both have a move at the joint, whatever the rest is.
        """
        first, second, heap = self.played(one), self.played(two), self.games.heap(k)
        left = {self.games.sum(game, heap) for game in second.at_joint}
        alone = self.games.sum(second.alone, heap)
        return bool(left) and first.at_joint == left and first.alone == alone

    def answer(self, one: Tail, two: Tail, k: int) -> bool:
        """Whether each option of one tail, and of another beside *k, is equal or reversible."""
        first, second = (one, 0), (two, self.games.heap(k))
        return all(
            any(self.same(option, like) for like in self.options(other))
            or any(self.same(after, other) for after in self.options(option))
            for this, other in ((first, second), (second, first))
            for option in self.options(this)
        )

    def options(self, tail_beside: TailBeside) -> List[TailBeside]:
        """What moves lead to that do not use the joint."""
        tail, game = tail_beside
        found = [(after, self.games.sum(game, left)) for after, left in self.played(tail).options]
        return found + [(tail, option) for option in self.games.options[game]]

    def same(self, first: TailBeside, second: TailBeside) -> bool:
        """Whether two tails, each beside a game, are shown to be equal with every rest."""
        (one, left), (two, right) = first, second
        if one == two:
            return left == right
        return any(
            self.games.sum(left, self.games.heap(k)) == right
            and (self.are_equal(one, two, k) or self.are_equal(two, one, k))
            for k in (0, 1)
        )

    def played(self, tail: Tail) -> Played:
        """The options of a tail, and what is left of it without its joint."""
        if tail not in self.seen:
            self.seen[tail] = played_by(tail, self.game_of)
        return self.seen[tail]


# Misere --------------------------------------------------------------------
#
# Misère play of Sprouts: who makes the last move loses.
#
# The entries of a certificate are lost positions, each with the number 0. A position is written as
# lands and *trees*, as in ``0*9+*(2)``. A tree is a game of its own: ``*(1,3)`` has the options
# ``*1`` and ``*3``, and ``*3`` is a heap of Nim, with the options ``*0``, ``*1`` and ``*2``.
#
# Two games are equal in misère play if the same player wins their sums with any third game. Let
# the options of a game G be those of a game H and perhaps more. G is equal to H if H is an option
# of each of the others (Conway, On Numbers and Games, chapter 12), and, where H has no options, if
# the player to move wins G: this is the *proviso*. A game is *reduced* if no such H is smaller and
# its options are reduced; equal games are reduced to the same one. A land of few lives is replaced
# by its reduced game, and so is the sum of all trees.

FEW_LIVES = 10
"""A land with at most this many lives is replaced by its reduced game."""
WON_FORM = "*"
"""The form of a position without large lands that the player to move wins."""
KEPT_MOVES = 500
"""Large lands whose moves are kept."""

MiserePosition = Tuple[Tuple[str, ...], int]
"""Canonical texts of large lands, and the number of a reduced game."""
Move = Tuple[List[int], Tuple[Land, ...]]
"""The profiles of the large lands after a move of one land, and all lands then."""


class MisereSprouts:
    """The rules of Sprouts in misère play, asked for as those of the other games.

    A position is a single land here, whose text is its *form*: large lands and a numbered game. The
    form ``!`` is that of small lands alone that are lost, the only positions without options.
    """

    decides_small_lands = True  # an entry may have the form "!"

    def __init__(self) -> None:
        self.games = ReducedGames()
        self.tails = MisereTails(self.games, self.game_of_text)
        self.small: Dict[str, int] = {}
        self.moves: Dict[str, List[Move]] = {}
        """The moves of the large lands that were asked for last."""

    def read(self, text: str) -> MiserePosition:
        """The position that a text denotes; raises ValueError if it denotes none."""
        large: List[str] = []
        game = 0
        for part in text.split("+") if text != "!" else []:
            if part[:1] == "*":
                game = self.games.sum(game, self.games.read(part[1:]))
            else:
                more, other = self.parted(lands(reduced(read(part))))
                large += more
                game = self.games.sum(game, other)
        return tuple(sorted(large)), game

    def parted(self, parts: Sequence[Land]) -> MiserePosition:
        """The large lands of a position of Sprouts, and the sum of the games of the others."""
        game = 0
        for part in parts:
            if not is_large(part):
                game = self.games.sum(game, self.game_of(least_text(part)))
        return tuple(sorted(least_text(part) for part in parts if is_large(part))), game

    def game_of(self, land: str) -> int:
        """The reduced game of a small land, from those of its children."""
        if land not in self.small:
            options = frozenset(self.parted(parts)[1] for parts in children_of(land))
            self.small[land] = self.games.reduce(options)
        return self.small[land]

    def game_of_text(self, text: str) -> int:
        """The reduced game of a position of small lands."""
        return self.parted(lands(reduced(read(text))))[1]

    def moves_of(self, land: str) -> List[Move]:
        """The moves of a large land."""
        if land not in self.moves:
            if len(self.moves) >= KEPT_MOVES:
                self.moves.clear()
            self.moves[land] = [(profiles_of(parts), parts) for parts in children_of(land)]
        return self.moves[land]

    def form(self, position: MiserePosition) -> str:
        """The text of a position by which the check finds it again."""
        large, game = position
        if not large:
            return WON_FORM if self.games.won[game] else "!"
        return "&".join([*large, "%d" % game])

    def canonical(self, text: str) -> str:
        """The form of a position."""
        return self.form(self.read(text))

    def child_texts(self, text: str, familiar: Optional[Set[int]] = None) -> Iterator[str]:
        """The forms of the children of a form, some repeatedly.

        With ``familiar``, children that have large lands and another profile are left out.
        """
        if text in ("!", WON_FORM):
            yield from ["!"] if text == WON_FORM else []
            return
        *large, word = text.split("&")
        game = int(word)
        for option in self.games.options[game]:
            yield self.form((tuple(large), option))
        for i, land in enumerate(large):
            if i and land == large[i - 1]:
                continue
            rest = large[:i] + large[i + 1 :]
            others = profiles_of([part for one in rest for part in lands(read(one))])
            for profiles, parts in self.moves_of(land):
                spend(1)
                whole = others + profiles
                if familiar is None or not whole or together(whole) in familiar:
                    more, other = self.parted(parts)
                    position = tuple(sorted([*rest, *more])), self.games.sum(game, other)
                    yield self.form(position)

    def holds(self, text: str, other_text: str) -> bool:
        """Whether a tail may give way to another, from texts with A for the joint.

        Raises ValueError for an invalid tail.
        """
        return self.tails.heap_beside(tail_of(text), tail_of(other_text)) is not None

    def simpler_texts(self, text: str, proposals: Proposals) -> List[str]:
        """The forms to which exchanges of tails lead, equal to a form, without this one."""
        if text in ("!", WON_FORM):
            return []
        *large, word = text.split("&")
        found = self.exchanged(reduced(read("+".join(large))), int(word), proposals)
        return [other for other in dict.fromkeys(found) if other != text]

    def exchanged(self, position: Position, game: int, proposals: Proposals) -> Iterator[str]:
        """The forms to which exchanges lead from a position of Sprouts beside a reduced game."""
        for after, heap in simpler_positions(position, proposals, self.tails.heap_beside):
            yield self.form_beside(after, game, heap)

    def form_beside(self, position: Position, game: int, heap: int) -> str:
        """The form of a position of Sprouts beside a reduced game and a heap."""
        large, other = self.parted(lands(position))
        beside = self.games.sum(game, self.games.heap(heap))
        return self.form((large, self.games.sum(beside, other)))

    def familiar_texts(self, text: str, proposals: Proposals, familiar: Set[int]) -> Iterator[str]:
        """The forms of a form's children, and of simpler ones, that may be known."""
        if text in ("!", WON_FORM):
            yield from self.child_texts(text)
            return
        *large, word = text.split("&")
        game = int(word)
        position = reduced(read("+".join(large)))
        for option in self.games.options[game]:
            yield self.form((tuple(large), option))
            yield from self.exchanged(position, option, proposals)
        for after in moves(position):
            after = reduced(after)
            simpler = simpler_positions(after, proposals, self.tails.heap_beside)
            for one, heap in chain([(after, 0)], simpler):
                profiles = profiles_of(lands(one))
                if not profiles or together(profiles) in familiar:
                    yield self.form_beside(one, game, heap)

    def profile(self, text: str) -> int:
        """A number that positions with the same large lands share, and others rarely."""
        large, _ = self.read(text)
        return together(profiles_of([part for land in large for part in lands(read(land))]))


def is_large(land: Land) -> bool:
    """Whether a land is not replaced by a game."""
    spots = [x for region in land for word in region for x in word]
    names = {x for x in spots if x >= FIRST}
    return sum(FIRST - x for x in spots if x < FIRST) + len(names) > FEW_LIVES


def children_of(land: str) -> Set[Tuple[Land, ...]]:
    """The positions after a move in a land, as lands in letters."""
    found = set()
    for after in moves(reduced(read(land))):
        found.add(tuple(sorted(renamed(tuple(sorted(part))) for part in lands(reduced(after)))))
    return found


def profiles_of(parts: Sequence[Land]) -> List[int]:
    """The profiles of the large lands of a position."""
    return [profile(part) for part in parts if is_large(part)]


def together(profiles: List[int]) -> int:
    """A profile of all lands with some profiles."""
    return hash(tuple(sorted(profiles)))


# Sums ----------------------------------------------------------------------
#
# Games whose positions fall into parts: what they have in common.

Part = TypeVar("Part", bound=Sized)


class SumGame(Generic[Part]):
    """A game whose positions have parts: a move in one leaves a position, again of parts.

    It has no exchanges.
    """

    decides_small_lands = False

    def positions(self, text: str) -> List[Part]:
        """The positions that a text denotes, separated by +; raises ValueError for another text."""
        raise NotImplementedError

    def parts(self, position: Part) -> List[Part]:
        """The parts that do not influence each other, without what cannot matter."""
        raise NotImplementedError

    def moves(self, part: Part) -> Iterator[Part]:
        """Every position one move away."""
        raise NotImplementedError

    def part_text(self, part: Part) -> str:
        """A text of a part, the same for its images; equal only for parts of one Grundy number."""
        raise NotImplementedError

    def part_profile(self, part: Part) -> int:
        """A number that images of a part share, and other parts rarely: quick to compute."""
        raise NotImplementedError

    def read(self, text: str) -> List[Part]:
        """The parts of a position; raises ValueError for a text that denotes none."""
        found = self.positions(text) if text != "!" else []
        return [part for position in found for part in self.parts(position)]

    def canonical(self, text: str) -> str:
        """The text of a position's parts; equal only for positions of equal Grundy number."""
        return self.write(self.read(text))

    def write(self, parts: List[Part]) -> str:
        """The text of a position."""
        return "+".join(sorted(map(self.part_text, parts))) or "!"

    def child_texts(self, text: str, familiar: Optional[Set[int]] = None) -> Iterator[str]:
        """The texts of a position's children, some repeatedly.

        With `familiar`, children that have a part of another profile are left out.
        """
        parts = self.read(text)
        for i, part in enumerate(parts):
            for after in self.moves(part):
                spend(len(part))
                found = parts[:i] + self.parts(after) + parts[i + 1 :]
                if familiar is None or all(self.part_profile(p) in familiar for p in found):
                    yield self.write(found)

    def profile(self, text: str) -> int:
        """The profile of a position that is one part."""
        return self.part_profile(self.read(text)[0])

    def holds(self, text: str, other_text: str) -> bool:
        """Whether an exchange holds."""
        return False

    def simpler_texts(self, text: str, proposals: Proposals) -> List[str]:
        """The positions to which exchanges lead."""
        return []

    def familiar_texts(self, text: str, proposals: Proposals, familiar: Set[int]) -> Iterator[str]:
        """The children of a position, and simpler ones, that may be known."""
        return self.child_texts(text, familiar)


# Boards --------------------------------------------------------------------
#
# Games on boards, with their parts and their texts.
#
# A board is a dictionary from squares, (row, column), to letters, without blocked squares (#).
# Positions are read and written as in the entries, with rows separated by |.

Square = Tuple[int, int]
Board = Dict[Square, str]


def read_boards(text: str, letters: str) -> List[Board]:
    """The boards of a position; raises ValueError if the text denotes none."""
    boards: List[Board] = []
    for part in text.split("+"):
        rows = part.split("|")
        spend(len(part) + 1)
        if not rows[0] or any(len(row) != len(rows[0]) for row in rows):
            raise ValueError("invalid board %r; expected rows of one length" % part[:60])
        if not set(part) <= set(letters + "#|"):
            wrong = "invalid board %r; expected the squares %s, # and |"
            raise ValueError(wrong % (part[:60], letters))
        boards.append(
            {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row) if x != "#"}
        )
    return boards


def beside(square: Square) -> List[Square]:
    """The four neighbours of a square, on the board or not."""
    r, c = square
    return [(r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)]


def parts_of(squares: Iterable[Square]) -> List[Set[Square]]:
    """The connected parts of some squares."""
    left = set(squares)
    parts = []
    while left:
        queue = [left.pop()]
        for square in queue:
            near = [other for other in beside(square) if other in left]
            left.difference_update(near)
            queue += near
        parts.append(set(queue))
    return parts


def board_text(board: Board, swap: Dict[str, str], blank: str) -> str:
    """The least text of a board that is turned, reflected, or has its colours exchanged.

    It has the least rectangle around the squares, no higher than wide; the others in it are
    `blank`.
    """
    images = []
    for turned in (board, {(c, r): x for (r, c), x in board.items()}):
        top, left = min(r for r, _ in turned), min(c for _, c in turned)
        height = 1 + max(r for r, _ in turned) - top
        width = 1 + max(c for _, c in turned) - left
        if height > width:
            continue
        rows = [[blank] * width for _ in range(height)]
        for (r, c), x in turned.items():
            rows[r - top][c - left] = x
        text = "|".join("".join(row) for row in rows)
        mirrored = "|".join("".join(row[::-1]) for row in rows)
        images += [text, text[::-1], mirrored, mirrored[::-1]]
    swapped = str.maketrans(swap)
    return min(images + [image.translate(swapped) for image in images])


class BoardGame(SumGame[Board]):
    """What the games on boards have in common; they add their parts and moves."""

    letters = ""
    swap: Dict[str, str] = {}
    """Colours that can be exchanged."""
    blank = "#"
    """The letter of squares that do not matter."""

    def positions(self, text: str) -> List[Board]:
        return read_boards(text, self.letters)

    def part_text(self, part: Board) -> str:
        return board_text(part, self.swap, self.blank)

    def part_profile(self, part: Board) -> int:
        ends = Counter(
            sum(other in part for other in beside(square)) for square in part if part[square]
        )
        letters = Counter(part.values())
        pairs = sorted(sorted([letters[x], letters[y]]) for x, y in self.swap.items())
        return hash((len(part), letters["."], repr(pairs), tuple(sorted(ends.items()))))


class Cram(BoardGame):
    """Place a domino on two free neighbouring squares; who cannot move loses."""

    letters = "."

    def parts(self, position: Board) -> List[Board]:
        """Connected regions of two squares or more."""
        return [{s: "." for s in part} for part in parts_of(position) if len(part) > 1]

    def moves(self, part: Board) -> Iterator[Board]:
        for square in part:
            for other in beside(square):
                if square < other and other in part:
                    yield {s: x for s, x in part.items() if s not in (square, other)}


class Clobber(BoardGame):
    """Move a stone onto a neighbour of the other colour; who cannot move loses."""

    letters = ".XO"
    swap = {"X": "O", "O": "X"}
    blank = "."

    def parts(self, position: Board) -> List[Board]:
        """Connected sets of stones of both colours."""
        stones = {s: x for s, x in position.items() if x != "."}
        found = [{s: stones[s] for s in sorted(part)} for part in parts_of(stones)]
        return [part for part in found if len(set(part.values())) == 2]

    def moves(self, part: Board) -> Iterator[Board]:
        for square, stone in part.items():
            for other in beside(square):
                if part.get(other, stone) != stone:
                    yield {s: stone if s == other else x for s, x in part.items() if s != square}


class Queens(BoardGame):
    """Place a queen on a free square that no queen attacks; who cannot move loses.

    A queen attacks along rows, columns and diagonals, over any squares. What is attacked, or has
    a queen, is blocked.
    """

    letters = "."

    def attacks(self, square: Square, other: Square) -> bool:
        """Whether a queen on one square attacks another, or is there."""
        down, right = other[0] - square[0], other[1] - square[1]
        return down == 0 or right == 0 or abs(down) == abs(right)

    def parts(self, position: Board) -> List[Board]:
        """Free squares that attacks connect."""
        left = set(position)
        found = []
        while left:
            queue = [left.pop()]
            for square in queue:
                spend(len(left))
                near = {other for other in left if self.attacks(square, other)}
                left -= near
                queue += near
            found.append({square: "." for square in sorted(queue)})
        return found

    def moves(self, part: Board) -> Iterator[Board]:
        for square in part:
            yield {s: "." for s in part if not self.attacks(square, s)}


# Nogo ----------------------------------------------------------------------
#
# NoGo, with the stones and squares that are decided.


class NoGo(BoardGame):
    """Place a stone of either colour so that every group keeps a liberty.

    A group is a connected set of stones of one colour, a liberty an empty neighbour. Some
    letters keep what has been decided: `-` is an empty square where no stone may ever be placed,
    and `x` and `o` are stones of groups that have a liberty for good.
    """

    letters = ".XOxo-"
    swap = {"X": "O", "O": "X", "x": "o", "o": "x"}

    def moves(self, part: Board) -> Iterator[Board]:
        for square, letter in part.items():
            if letter == ".":
                for stone in "XO":
                    if self.is_legal(part, square, stone):
                        yield {**part, square: stone}

    def is_legal(self, board: Board, square: Square, stone: str) -> bool:
        """Whether all groups have a liberty after a move."""
        after = {**board, square: stone}
        changed = [square, *[other for other in beside(square) if board.get(other, ".") in "XO"]]
        return all(self.has_liberty(after, one) for one in changed)

    def group(self, board: Board, square: Square) -> List[Square]:
        """The stones of the colour of a stone, and not safe, that are connected with it."""
        queue = [square]
        for one in queue:
            queue += [s for s in beside(one) if board.get(s) == board[square] and s not in queue]
        return queue

    def liberties(self, board: Board, square: Square) -> Set[Square]:
        """The empty squares and the safe stones of its colour beside the group of a stone."""
        letters = ".-" + board[square].lower()
        return {
            other
            for one in self.group(board, square)
            for other in beside(one)
            if board.get(other, "#") in letters
        }

    def has_liberty(self, board: Board, square: Square) -> bool:
        """Whether the group of a stone has a liberty, or is safe."""
        return bool(self.liberties(board, square))

    def positions(self, text: str) -> List[Board]:
        boards = super().positions(text)
        for board in boards:
            for square, letter in board.items():
                if letter in "XO" and not self.has_liberty(board, square):
                    wrong = "invalid board %r; expected a liberty for every group"
                    raise ValueError(wrong % text[:60])
        return boards

    def parts(self, position: Board) -> List[Board]:
        """The parts of a board; what cannot matter is left out.

        Stones are never removed, so that an illegal move stays illegal. A group next to a
        square for good empty, or to a safe stone of its colour, is safe.
        """
        board = self.settled(position)
        found = []
        left = [square for square, letter in board.items() if letter == "."]
        while left:
            part = self.part_around(board, left[0])
            left = [square for square in left if square not in part]
            found.append(self.one_of_each_row(self.without_needless(part)))
        return found

    def settled(self, board: Board) -> Board:
        """The board with its safe groups, and with `-` where no stone may be placed."""
        board = dict(board)
        while True:
            before = dict(board)
            for square, letter in before.items():
                if letter in "XO" and board[square] == letter:
                    near = {board[other] for other in self.liberties(board, square)}
                    if near - {"."}:
                        for one in self.group(board, square):
                            board[one] = letter.lower()
            for square, letter in list(board.items()):
                if letter == "." and not any(self.is_legal(board, square, x) for x in "XO"):
                    board[square] = "-"
            if board == before:
                return board

    def part_around(self, board: Board, square: Square) -> Board:
        """The part of a settled board with an empty square.

        Empty squares reach their neighbours, stones empty neighbours and those of their colour.
        Safe stones beside an empty square matter unless it has an eternal liberty already.
        """
        queue = [square]
        for one in queue:
            letters = ".XO" if board[one] == "." else "." + board[one]
            queue += [s for s in beside(one) if board.get(s, "#") in letters and s not in queue]
        part = {one: board[one] for one in queue}
        for one in queue:
            if board[one] == ".":
                near = {other: board[other] for other in beside(one) if other in board}
                wanted = "-" if "-" in near.values() else "xo"
                part.update({s: x for s, x in near.items() if x in wanted})
        return part

    def without_needless(self, board: Board) -> Board:
        """The part without stones whose group has the same liberties without them.

        They are tried in reading order, and again when a neighbour was left out.
        """
        board = dict(board)
        for colour in "XO":
            left = {square for square, letter in board.items() if letter == colour}
            while left:
                square = min(left)
                left.remove(square)
                friends = [s for s in beside(square) if board.get(s) == colour]
                if friends:
                    rest = {s: x for s, x in board.items() if s != square}
                    group = self.group(rest, friends[0])
                    own = {s for s in beside(square) if board.get(s, "#") == "."}
                    if set(friends) <= set(group) and own <= self.liberties(rest, friends[0]):
                        board = rest
                        left.update(friends)
        return board

    def one_of_each_row(self, board: Board) -> Board:
        """On a line, the part with one stone for each row of stones of one colour."""
        text = board_text(board, {}, "#")
        if "|" in text:
            return board
        return {(0, c): x for c, x in enumerate(re.sub("(X)X+|(O)O+", r"\1\2", text)) if x != "#"}


# Node kayles ---------------------------------------------------------------
#
# Node Kayles on graphs.
#
# A graph is a dictionary from its vertices to their neighbours. It is read and written as graph6:
# letters from ? to ~ stand for the numbers 0 to 63. The first is the number of vertices (from 63
# on it is 63, and the next three have that number). The others are six bits each: for all w from
# 1 on, and for all v < w, whether v and w are joined.

Graph = Dict[int, Set[int]]
Edges = Tuple[Tuple[int, int], ...]


def read_graph6(text: str) -> Graph:
    """The graph that a text denotes; raises ValueError if it denotes none."""
    numbers = [ord(letter) - 63 for letter in text]
    if not numbers or not all(0 <= number <= 63 for number in numbers):
        raise ValueError("invalid graph6 %r; expected letters from ? to ~" % text[:60])
    count, numbers = numbers[0], numbers[1:]
    if count == 63 and len(numbers) > 2:
        count, numbers = numbers[0] << 12 | numbers[1] << 6 | numbers[2], numbers[3:]
    letters = (count * (count - 1) // 2 + 5) // 6
    if len(numbers) != letters:
        wrong = "invalid graph6 %r; expected %d letters for the edges of %d vertices"
        raise ValueError(wrong % (text[:60], letters, count))
    spend(count + 6 * len(numbers))
    bits = "".join(map("{:06b}".format, numbers))
    pairs = [(v, w) for w in range(count) for v in range(w)]
    return graph_of(count, [pair for pair, bit in zip(pairs, bits) if bit == "1"])


def write_graph6(graph: Graph) -> str:
    """The text of a graph whose vertices are 0, 1, 2, ..."""
    count = len(graph)
    numbers = [count] if count < 63 else [63, count >> 12, count >> 6 & 63, count & 63]
    bits = "".join(str(int(v in graph[w])) for w in range(count) for v in range(w))
    numbers += [int(bits[i : i + 6].ljust(6, "0"), 2) for i in range(0, len(bits), 6)]
    return "".join(chr(63 + number) for number in numbers)


def graph_of(count: int, edges: Iterable[Tuple[int, int]]) -> Graph:
    """The graph of some edges between the vertices from 0 to count - 1."""
    graph: Graph = {v: set() for v in range(count)}
    for v, w in edges:
        graph[v].add(w)
        graph[w].add(v)
    return graph


class NodeKayles(SumGame[Graph]):
    """Take a vertex of a graph and its neighbours; who cannot move loses.

    The text of a part is that of a canonical form, which is found as for Sprouts: colours of
    vertices are refined by those of their neighbours. While several vertices share a colour, each
    of them in turn gets one of its own. The least of the graphs that result is the form.
    """

    def positions(self, text: str) -> List[Graph]:
        return [read_graph6(part) for part in text.split("+")]

    def parts(self, position: Graph) -> List[Graph]:
        """The connected parts."""
        left = set(position)
        found = []
        while left:
            queue = [left.pop()]
            for v in queue:
                near = position[v] & left
                left -= near
                queue += near
            found.append({v: position[v] for v in sorted(queue)})
        return found

    def moves(self, part: Graph) -> Iterator[Graph]:
        for taken in part:
            gone = {taken} | part[taken]
            yield {v: near - gone for v, near in part.items() if v not in gone}

    def part_text(self, part: Graph) -> str:
        edges = self.least_form(part, self.refined(part, dict.fromkeys(part, 0)))
        return write_graph6(graph_of(len(part), edges))

    def part_profile(self, part: Graph) -> int:
        degrees = {v: len(near) for v, near in part.items()}
        signs = [(degrees[v], *sorted(degrees[w] for w in near)) for v, near in part.items()]
        return hash(tuple(sorted(signs)))

    def refined(self, graph: Graph, colour: Dict[int, int]) -> Dict[int, int]:
        """A finer colouring, in which vertices whose neighbours have other colours differ, too.

        The colour of a vertex is the number of vertices of smaller colours.
        """
        while True:
            spend(sum(1 + len(near) for near in graph.values()))
            signs = {v: (colour[v], *sorted(colour[w] for w in graph[v])) for v in graph}
            rank: Dict[Tuple[int, ...], int] = {}
            for number, sign in enumerate(sorted(signs.values())):
                rank.setdefault(sign, number)
            finer = {v: rank[signs[v]] for v in graph}
            if len(rank) == len(set(colour.values())):
                return finer
            colour = finer

    def individualised(self, graph: Graph, colour: Dict[int, int], v: int) -> Dict[int, int]:
        """The refined colours after one vertex was put before the others of its colour."""
        return self.refined(graph, {w: 2 * colour[w] + (w != v) for w in graph})

    def least_form(self, graph: Graph, colour: Dict[int, int]) -> Edges:
        """The edges of the least graph in which each vertex is replaced by a colour of its own.

        If two vertices lead to a common form, an automorphism exchanges them. If they have the
        same neighbours, one does so, too. Only the first of such vertices is followed up.
        """
        shared = self.sharing(colour)
        if not shared:
            edges = [(colour[v], colour[w]) for v in graph for w in graph[v]]
            return tuple(sorted((v, w) for v, w in edges if v < w))
        forms: Dict[Edges, Edges] = {}
        for i, v in enumerate(shared):
            spend(i)
            if any(graph[v] - {w} == graph[w] - {v} for w in shared[:i]):
                continue
            finer = self.individualised(graph, colour, v)
            example = self.some_form(graph, finer)
            if example not in forms:
                forms[example] = self.least_form(graph, finer)
        return min(forms.values())

    def some_form(self, graph: Graph, colour: Dict[int, int]) -> Edges:
        """One of the forms that a graph can take."""
        shared = self.sharing(colour)
        while shared:
            colour = self.individualised(graph, colour, shared[0])
            shared = self.sharing(colour)
        return self.least_form(graph, colour)

    def sharing(self, colour: Dict[int, int]) -> List[int]:
        """The vertices of the least colour that several share; none if all differ."""
        cells: Dict[int, List[int]] = {}
        for v, c in colour.items():
            cells.setdefault(c, []).append(v)
        return next((cells[c] for c in sorted(cells) if len(cells[c]) > 1), [])


# Octal ---------------------------------------------------------------------
#
# Octal games.


class Heaps(NamedTuple):
    """Heaps of one octal game, and the digits of its code, without the point."""

    digits: str
    sizes: Tuple[int, ...]


class Octal(SumGame[Heaps]):
    """Take objects from a heap by the rules of a code; who cannot move loses.

    Digit k of a code like 0.137, counted from 0, is the sum of what is allowed when k objects are
    taken: 1 to leave no heap, 2 one heap, 4 two heaps. No heap may be empty. The first digit is 0
    or 4. Heaps follow the code, as in 0.137:4+10.
    """

    def positions(self, text: str) -> List[Heaps]:
        found: List[Heaps] = []
        for word in text.split("+"):
            match = re.fullmatch(r"(?:([04])\.([0-7]{1,40}):)?([0-9]{1,5})", word, re.ASCII)
            if not match or not (match[1] or found):
                raise ValueError("invalid heap %r; expected one such as 0.137:4" % word[:60])
            digits = match[1] + match[2].rstrip("0") if match[1] else found[-1].digits
            found.append(Heaps(digits, (int(match[3]),)))
        return found

    def parts(self, position: Heaps) -> List[Heaps]:
        """The heaps that have a move."""
        heaps = [Heaps(position.digits, (size,)) for size in position.sizes]
        return [heap for heap in heaps if any(True for _ in self.moves(heap))]

    def moves(self, part: Heaps) -> Iterator[Heaps]:
        (size,) = part.sizes
        for taken, digit in enumerate(map(int, part.digits[: size + 1])):
            left = size - taken
            if digit & 1 and left == 0:
                yield Heaps(part.digits, ())
            if digit & 2 and left > 0:
                yield Heaps(part.digits, (left,))
            if digit & 4:
                for first in range(1, left // 2 + 1):
                    yield Heaps(part.digits, (first, left - first))

    def part_text(self, part: Heaps) -> str:
        return "%s.%s:%d" % (part.digits[0], part.digits[1:] or "0", part.sizes[0])

    def part_profile(self, part: Heaps) -> int:
        return hash(part)


# Games ---------------------------------------------------------------------
#
# The games whose certificates can be checked.


class Sprouts:
    """The rules of Sprouts, asked for as those of the other games."""

    decides_small_lands = False

    def read(self, text: str) -> object:
        return read(text)

    def canonical(self, text: str) -> str:
        return canonical(read(text))

    def child_texts(self, text: str, familiar: Optional[Set[int]] = None) -> Iterator[str]:
        return child_texts(text, familiar=familiar)

    def profile(self, text: str) -> int:
        return profile(lands(reduced(read(text)))[0])

    def holds(self, text: str, other_text: str) -> bool:
        return holds(text, other_text)

    def simpler_texts(self, text: str, proposals: Proposals) -> List[str]:
        return simpler_texts(text, proposals)

    def familiar_texts(self, text: str, proposals: Proposals, familiar: Set[int]) -> Iterator[str]:
        return familiar_texts(text, proposals, familiar)


Rules = Union[Sprouts, MisereSprouts, SumGame[Any]]
GAMES: Dict[str, Rules] = {
    "sprouts": Sprouts(),
    "sprouts-misere": MisereSprouts(),
    "cram": Cram(),
    "clobber": Clobber(),
    "nogo": NoGo(),
    "queens": Queens(),
    "node-kayles": NodeKayles(),
    "octal": Octal(),
}


# Reading -------------------------------------------------------------------
#
# Reading a certificate; refuses other files, and those that exceed the bounds.

TITLE = b"[Positions+Nimber]\n"
HEADER = ("game", "claim", "entries", "tool", "sha256")
HEADERS = {
    b"pns certificate 1\n": HEADER,
    b"pns certificate 2\n": (*HEADER[:3], "exchanges", *HEADER[3:]),
}
EXCHANGES_TITLE = b"[Exchanges]\n"
MOST_ENTRIES = 1_000_000
MOST_EXCHANGES = 10_000
LONGEST_HEADER_LINE = 20_000
LONGEST_LAND = 1000
BYTES, BYTES_FOR_AN_ENTRY = 10_000, 200  # bytes of all: BYTES, and these for each


class Certificate(NamedTuple):
    """A claim and the entries that are to prove it."""

    game: str
    position: str
    wins: bool
    tool: str
    entries: List[Tuple[str, int]]
    exchanges: List[Tuple[str, str]]


def read_certificate(path: str) -> Certificate:
    """The certificate in a file; raises OSError, or ValueError, which says what is wrong."""
    if not S_ISREG(os.stat(path).st_mode):
        raise ValueError("not a regular file")
    with open(path, "rb") as packed:
        return certificate_in(packed)


def certificate_in(packed: BinaryIO) -> Certificate:
    """The certificate in a compressed file; raises ValueError, which says what is wrong."""
    try:
        with gzip.open(packed) as file:
            keys = HEADERS.get(file.readline(len(b"pns certificate 1\n")))
            if keys is None:
                known = "'pns certificate 1' or 'pns certificate 2'"
                raise ValueError("invalid first line; expected %s" % known)
            values = read_header(keys, [file.readline(LONGEST_HEADER_LINE) for _ in keys])
            lines = int(values["entries"]) + int(values["exchanges"])
            most = len(TITLE) + BYTES + BYTES_FOR_AN_ENTRY * lines
            body = file.read(most + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError("not a compressed file, or damaged: %s" % error) from None
    if len(body) > most:
        raise ValueError("entries too long; expected at most %d bytes" % most)
    if sha256(body).hexdigest() != values["sha256"]:
        raise ValueError("wrong SHA-256 of the entries: the file was changed")
    exchanges, body = read_exchanges(body, int(values["exchanges"]))
    entries = read_entries(body)
    if str(len(entries)) != values["entries"]:
        raise ValueError("found %d entries; expected %s" % (len(entries), values["entries"]))
    position, _, outcome = values["claim"].rpartition("=")
    game, tool = values["game"], values["tool"]
    return Certificate(game, position, outcome == "win", tool, entries, exchanges)


def read_header(keys: Sequence[str], lines: List[bytes]) -> Dict[str, str]:
    """The values of a header by key; raises ValueError, which says what is wrong."""
    if not all(line.endswith(b"\n") for line in lines):
        raise ValueError("the header is cut off")
    values = {"exchanges": "0"}
    for key, line in zip(keys, lines):
        name, _, value = line[:-1].decode("ascii", "replace").partition(" ")
        if name != key:
            raise ValueError("invalid header line %a; expected %r" % (name[:60], key))
        values[key] = value
    rules = GAMES.get(values["game"])
    if rules is None:
        known = ", ".join(GAMES)
        raise ValueError("unknown game %a; expected one of %s" % (values["game"][:60], known))
    position, _, outcome = values["claim"].rpartition("=")
    if outcome not in ("win", "loss"):
        wrong = "invalid claim %a; expected one such as 0*12=loss or 0*11=win"
        raise ValueError(wrong % values["claim"][:60])
    with work_for("the claim", values["claim"]):
        rules.read(position)
    for key, most in (("entries", MOST_ENTRIES), ("exchanges", MOST_EXCHANGES)):
        count = values[key]
        if not re.fullmatch("[0-9]{1,12}", count, re.ASCII) or int(count) > most:
            wrong = "invalid count %a; expected a whole number from 0 to %d"
            raise ValueError(wrong % (count[:60], most))
    if int(values["exchanges"]) and values["game"] not in ("sprouts", "sprouts-misere"):
        raise ValueError("invalid exchanges; expected them for Sprouts only")
    return values


def read_exchanges(body: bytes, count: int) -> Tuple[List[Tuple[str, str]], bytes]:
    """(a number of exchanges, what follows them); raises ValueError, which says what is wrong."""
    if not count:
        return [], body
    title, *lines = body.split(b"\n", 1 + count)
    if title + b"\n" != EXCHANGES_TITLE or len(lines) <= count:
        raise ValueError("the exchanges do not begin with their title, or are cut off")
    exchanges: List[Tuple[str, str]] = []
    last = b""
    for line in lines[:count]:
        words = line.decode("ascii", "replace").split(" ")
        if len(words) != 2 or not all(words) or not line.isascii():
            shown = line[:60].decode("ascii", "replace")
            raise ValueError("invalid exchange %a; expected two tails" % shown)
        if line <= last:
            shown = line[:60].decode("ascii")
            raise ValueError("unsorted exchange %a; expected exchanges in order" % shown)
        exchanges.append((words[0], words[1]))
        last = line
    return exchanges, lines[count]


def read_entries(body: bytes) -> List[Tuple[str, int]]:
    """The entries in a file of facts; raises ValueError, which says what is wrong."""
    if not body.startswith(TITLE) or not body.endswith(b"\n"):
        raise ValueError("the entries do not begin with their title, or are cut off")
    entries: List[Tuple[str, int]] = []
    for line in body[len(TITLE) : -1].split(b"\n") if body != TITLE else []:
        land, _, number = line.decode("ascii", "replace").partition(" ")
        if not re.fullmatch("0|[1-9][0-9]{0,2}", number, re.ASCII):
            shown = line[:60].decode("ascii", "replace")
            raise ValueError("invalid entry %a; expected a land and its Grundy number" % shown)
        with work_for("entry", land):
            if len(land) > LONGEST_LAND:
                raise ValueError("land too long; expected at most %d characters" % LONGEST_LAND)
            if entries and land <= entries[-1][0]:
                raise ValueError("unsorted; expected it before %s" % entries[-1][0][:60])
        entries.append((land, int(number)))
    return entries


@contextmanager
def work_for(what: str, text: str) -> Iterator[None]:
    """Allow the work of one entry, of the claim or of all exchanges; a ValueError names it."""
    try:
        with limited(MOST_WORK):
            yield
    except ValueError as error:
        text = text if len(text) <= 60 else text[:57] + "..."
        raise ValueError("%s %s: %s" % (what, ascii(text)[1:-1], error)) from None


# Check ---------------------------------------------------------------------
#
# The check of a certificate: each entry, then the claim.


def is_proved(game: str, tail: str, other: str) -> bool:
    """Whether an exchange is one, by play."""
    try:
        return GAMES[game].holds(tail, other)
    except TooMuchWork:
        raise
    except ValueError:  # one of them is not a tail
        return False


class Checker:
    """The entries by the canonical texts of their lands, and what follows from them."""

    def __init__(
        self,
        entries: List[Tuple[str, int]],
        game: str = "sprouts",
        exchanges: Sequence[Tuple[str, str]] = (),
    ) -> None:
        self.rules = GAMES[game]
        self.bad_exchanges: List[Tuple[str, str]] = []
        with work_for("exchanges of", game):
            self.bad_exchanges = [pair for pair in exchanges if not is_proved(game, *pair)]
            self.proposals = proposals([p for p in exchanges if p not in self.bad_exchanges])
        self.numbers: Dict[str, int] = {}
        self.profiles: Set[int] = set()
        """Profiles of all entries; a land with another profile is not an entry."""
        self.option_numbers: Dict[str, Set[int]] = {}
        """Numbers that options of a land are known to have."""
        self.complete: Set[str] = set()
        """Lands whose options have all been examined for that."""
        for text, number in entries:
            with work_for("entry", text):
                land = self.rules.canonical(text)
                if "+" in land or land == "!" and not self.rules.decides_small_lands:
                    raise ValueError("several lands or none; expected one")
                if self.numbers.setdefault(land, number) != number:
                    raise ValueError(
                        "conflicting numbers; expected one number for all texts of a land"
                    )
                self.profiles.add(self.rules.profile(text))

    def simpler(self, position: str) -> List[str]:
        """Other positions of the same Grundy number, by exchanges."""
        return self.rules.simpler_texts(position, self.proposals) if self.proposals else []

    def known(self, position: str) -> Optional[int]:
        """The Grundy number of a position, as far as it follows from entries; else None."""
        for text in chain((position,), self.simpler(position)):
            number = self.known_as_is(text)
            if number is not None:
                return number
        return None

    def known_as_is(self, position: str) -> Optional[int]:
        """The xor of the entries of the lands, or None if one is missing."""
        number = 0
        for land in position.split("+") if position != "!" else []:
            if land not in self.numbers:
                return None
            number ^= self.numbers[land]
        return number

    def texts_that_may_be_known(self, land: str) -> Iterator[str]:
        """Those of a land's children, and of simpler positions, whose lands may all be entries."""
        if self.proposals:
            return self.rules.familiar_texts(land, self.proposals, self.profiles)
        return self.rules.child_texts(land, self.profiles)

    def land_has_option(self, land: str, number: int) -> bool:
        """Whether some option of a land has known = number."""
        option_numbers = self.option_numbers.setdefault(land, set())
        if number not in option_numbers and land not in self.complete:
            for child in self.texts_that_may_be_known(land):
                known = self.known_as_is(child)
                if known is not None:
                    option_numbers.add(known)
                    if known == number:
                        break
            else:
                self.complete.add(land)
        return number in option_numbers

    def has_option(self, position: str, number: int) -> bool:
        """Whether some option of a position, or of a simpler one, has known = number."""
        texts = chain((position,), self.simpler(position))
        return any(self.has_option_as_is(text, number) for text in texts)

    def has_option_as_is(self, position: str, number: int) -> bool:
        """Whether some option of a position has known = number.

        A move changes one land; the others must be known, and so must the option of
        that land, with the number that makes the xor right.
        """
        parts = position.split("+") if position != "!" else []
        for i, land in enumerate(parts):
            others = self.known_as_is("+".join(parts[:i] + parts[i + 1 :]) or "!")
            if others is not None and self.land_has_option(land, number ^ others):
                return True
        return False

    def why_bad(self, land: str, number: int) -> str:
        """Why the entry land -> number does not hold; empty if it does."""
        found = set()
        unanswered = ""
        for child in set(self.rules.child_texts(self.rules.canonical(land))):
            known = self.known(child)
            if known == number:
                return "its option %s has this number too" % child
            if known is not None:
                found.add(known)
            elif not unanswered and not self.has_option(child, number):
                unanswered = child
        for i in range(number):
            if i not in found:
                return "no option is known to have Grundy number %d" % i
        return "its option %s is not known and has no answer" % unanswered if unanswered else ""

    def proves(self, position: str, wins: bool) -> bool:
        """Whether the claim follows from the entries."""
        position = self.rules.canonical(position)
        return self.has_option(position, 0) if wins else self.known(position) == 0


def check(path: str, sample: Optional[int], seed: int, as_json: bool = False) -> bool:
    """Check one file and print what was found; returns whether all that was checked holds."""
    start = shown = time.monotonic()
    certificate = read_certificate(path)
    checker = Checker(certificate.entries, certificate.game, certificate.exchanges)
    chosen = certificate.entries
    if sample is not None and sample < len(chosen):
        chosen = random.Random(seed).sample(chosen, sample)
    bad: List[Dict[str, object]] = []
    for pair in checker.bad_exchanges:
        bad.append({"exchange": pair, "why": "play does not show it"})
        if not as_json:
            print("%s: bad: exchange %a %a: play does not show it" % (path, *pair))
    for i, (land, number) in enumerate(chosen):
        with work_for("entry", land):
            why = checker.why_bad(land, number)
        if why:
            bad.append({"land": land, "grundy_number": number, "why": why})
            if not as_json:
                print("%s: bad: %s %d: %s" % (path, land, number, why))
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            print("%s: %d of %d" % (path, i + 1, len(chosen)), file=sys.stderr, flush=True)
    with work_for("the claim", certificate.position):
        proved = checker.proves(certificate.position, certificate.wins)
    wholly = len(chosen) == len(certificate.entries)
    outcome = "win" if certificate.wins else "loss"
    claim = "%s is a %s" % (certificate.position, outcome)
    seconds = time.monotonic() - start
    if bad or not proved:
        verdict = "NOT PROVED"
    else:
        verdict = "proved" if wholly else "a sample holds"
    if as_json:
        found = {
            "path": path,
            "position": certificate.position,
            "outcome": outcome,
            "claim_follows": proved,
            "checked": len(chosen),
            "entries": len(certificate.entries),
            "bad": bad,
            "seconds": seconds,
        }
        print(json.dumps(found))
        return proved and not bad
    print(
        "%s: %s: %s. %d of %d entries checked, %d bad, %.0f s."
        % (
            path,
            claim,
            verdict,
            len(chosen),
            len(certificate.entries),
            len(bad),
            seconds,
        )
    )
    return proved and not bad


# Command -------------------------------------------------------------------


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, "%s: %s; see --help\n" % (self.prog, message))

    def _print_message(self, message: str, file: Any = None) -> None:
        """Raises OSError for a help that cannot be written, which argparse would not say."""
        if message:
            (file or sys.stderr).write(message)


def sample_size(text: str) -> int:
    """A number of entries: a sample of none would hold."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text)):
        wrong = "invalid count %s; expected a whole number such as 20"
        raise argparse.ArgumentTypeError(wrong % ascii(text[:20]))
    return int(text)


def make_parser(prog: Optional[str] = None) -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = Parser(
        prog=prog, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", metavar="FILE", nargs="+")
    parser.add_argument(
        "--sample", metavar="N", type=sample_size, help="check N entries, at random"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of the sample")
    parser.add_argument("--json", action="store_true", help="print a JSON object for each file")
    return parser


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Check the files on the command line, unless it is given parsed; returns the exit status."""
    if args is None:
        args = make_parser().parse_args()
    status = 0
    for path in args.files:
        try:
            if not check(path, args.sample, args.seed, args.json):
                status = max(status, 1)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            print("%s: %s" % (path, reason), file=sys.stderr)
            status = 2
    return status


def run() -> NoReturn:
    """Run the program; its status is 130 after Ctrl-C, 2 or 141 if its output cannot be written."""
    status: Any
    try:
        try:
            status = main()
        except SystemExit as ended:  # after a help or a bad option
            status = ended.code
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = 130
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what is still buffered
        status = 141 if isinstance(error, BrokenPipeError) else 2
        if status == 2:
            print("standard output: %s" % error.strerror, file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    run()
