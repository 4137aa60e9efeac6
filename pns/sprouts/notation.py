"""Texts of positions: a strict parser with errors that explain, a canonical writer."""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple, Tuple, Union

from pns.game import Game, NotationError, Sum
from pns.sprouts import large
from pns.sprouts.canonical import land_key, remove_dead
from pns.sprouts.code import (
    DOTS,
    ONE,
    ONE_LETTERS,
    ONE_LIFE_LESS,
    TWO,
    TWO_LETTERS,
    TWO_LIVES_LESS,
    count_prefix,
)
from pns.sprouts.texts import stable_lands

MAX_SPOTS = 1000
"""The most isolated spots in a position."""
MAX_LENGTH = 10_000
"""The most characters in a text."""
EMPTY = "!"
"""The text of the position without lands."""

_TOKEN = re.compile(
    r"0\*(?P<count>[0-9]+)"
    r"|(?P<kind>[mnZ])\((?P<index>[1-9][0-9]{0,3})\)"
    r"|(?P<spot>[0-3])|(?P<one>[a-l])|(?P<two>[A-Y])|(?P<separator>[.|]| *\+ *)"
)


class Name(NamedTuple):
    """One occurrence of a name."""

    two_region: bool
    number: int
    offset: int
    text: str


Boundary = List[Union[int, Name]]
"""Degrees 0 to 3, and names."""
Region = List[Boundary]


def parse(text: str) -> Sum:
    """The reduced canonical lands of a text, sorted; raises NotationError.

    Spaces may stand around + and around the text.

    >>> parse("0*3")
    (b'0*3',)
    >>> parse("1a1a + 0*2")
    (b'0*2', b'1a1a')
    >>> parse("2A|AB|0.B")
    (b'0.A|2B|AB',)
    """
    if text.strip(" ") == EMPTY:
        return ()
    if not text.strip(" "):
        raise NotationError(text, 0, "the text is empty", "write 0*3 for three spots, ! for none")
    if len(text) > MAX_LENGTH:
        wrong = "the text has %d characters" % len(text)
        raise NotationError(text, MAX_LENGTH, wrong, "a position has at most %d" % MAX_LENGTH)
    lands: List[bytes] = []
    for land in _read(text):
        _check_two_region_names(text, land)
        two = _ranks([boundary for region in land for boundary in region], True)
        pairs = [_count_pairs(boundary) for region in land for boundary in region]
        if large.fits(len(two), max(pairs)):
            regions, _ = remove_dead([_encode_region(region, two) for region in land])
            lands += stable_lands(regions)
        elif len(two) + sum(pairs) <= large.MOST_NAMES:
            lands += large.parse(_write(land))
        else:
            wrong = "a land with %d names" % (len(two) + sum(pairs))
            raise NotationError(text, _offset(land), wrong, "use at most %d" % large.MOST_NAMES)
    return tuple(sorted(lands))


def format_position(lands: Sum) -> str:
    """The text of canonical lands, in the order of earlier solvers.

    >>> format_position((b"0*2.A|A", b"0.22"))
    '0*2.A|A+0.22'
    """
    ordered: List[bytes] = sorted(lands, key=land_key)
    return b"+".join(ordered).decode("ascii") or EMPTY


def position_in(game: Game, lands: Sum) -> Sum:
    """The position of a game of Sprouts with these lands, which misère play does not keep apart."""
    return lands if game.decomposes else game.parse(format_position(lands))


def isolated_spots(land: bytes) -> int:
    """The number of spots without lines in the canonical text of a land.

    >>> isolated_spots(b"0*3.AB|0.AB"), isolated_spots(b"2AB|2AB")
    (4, 0)
    """
    boundaries = re.split(rb"[.|+]", land)
    many = [int(text[2:]) for text in boundaries if text.startswith(b"0*")]
    return sum(many) + boundaries.count(b"0")


def _read(text: str) -> List[List[Region]]:
    """The lands of a text as regions of boundaries, each boundary checked."""
    lands: List[List[Region]] = [[[[]]]]
    spots = 0
    offset = len(text) - len(text.lstrip(" "))
    end = len(text.rstrip(" "))
    while offset < end:
        match = _TOKEN.match(text, offset)
        if match is None:
            raise _unreadable(text, offset)
        region = lands[-1][-1]
        if match.group("separator"):
            _check_boundary(text, offset, region[-1])
            if match.group() == ".":
                region.append([])
            elif match.group() == "|":
                lands[-1].append([[]])
            else:
                lands.append([[[]]])
        elif match.group("count"):
            count = int(match.group("count")[:9])
            if count == 0:
                raise NotationError(
                    text,
                    offset + 2,
                    "the position has no spots",
                    "write ! for the position without spots",
                )
            spots += count
            _check_spots(text, offset + 2, spots)
            if region[-1]:
                raise _not_isolated(text, offset)
            region[-1:] = [[0] for _ in range(count)]
        elif match.group("spot"):
            spots += match.group() == "0"
            _check_spots(text, offset, spots)
            region[-1].append(int(match.group()))
        else:
            region[-1].append(_name(match))
        offset = match.end()
    _check_boundary(text, offset, lands[-1][-1][-1])
    return lands


def _check_spots(text: str, offset: int, spots: int) -> None:
    """Raise NotationError for too many spots without lines."""
    if spots > MAX_SPOTS:
        wrong = "more than %d spots" % MAX_SPOTS
        raise NotationError(text, offset, wrong, "write at most 0*%d" % MAX_SPOTS)


def _name(match: "re.Match[str]") -> Name:
    text = match.group()
    if match.group("index"):
        index = int(match.group("index")) - 1
        return Name(match.group("kind") != "m", index, match.start(), text)
    letters = TWO_LETTERS if match.group("two") else ONE_LETTERS
    return Name(letters is TWO_LETTERS, letters.index(text.encode()), match.start(), text)


def _unreadable(text: str, offset: int) -> NotationError:
    c = text[offset]
    right = "names are a-l, A-Y, m(1), n(1); spots 0-3 and 0*7; separators . | +"
    if text.startswith(("*", "m(", "n(", "Z("), offset):
        offset += 1 if c == "*" else 2
        number = "a positive number" if c == "*" else "a number from 1 to 9999 and ')'"
        found = ascii(text[offset]) if text[offset:] else "the end"
        wrong = "expected %s, found %s" % (number, found)
        right = "write 0*7 for seven spots, n(7) for the seventh name"
    elif c == "Z" or c in "mn":
        wrong = "%r needs a number" % c
        right = "write %s(1)" % c
    elif c == " ":
        wrong, right = "a space inside a land", "spaces may stand around +, like 0*2 + 1a1a"
    elif c == EMPTY:
        wrong, right = "'!' is not alone", "write ! only for the position without lands"
    elif text.isascii() and text.strip(" ").isdigit():
        wrong = "%s is a number, not a position" % text.strip(" ")[:20]
        right = "did you mean 0*%d?" % min(int(text[:9]), MAX_SPOTS)
    else:
        wrong = "unexpected %s" % ascii(c)
    return NotationError(text, offset, wrong, right)


def _not_isolated(text: str, offset: int) -> NotationError:
    right = "separate it by a dot, like 0.0.12"
    return NotationError(text, offset, "an isolated spot shares its boundary", right)


def _check_boundary(text: str, end: int, boundary: Boundary) -> None:
    if not boundary:
        right = "separators stand between parts, like 0*2.AB|AB"
        raise NotationError(text, end, "a boundary is missing here", right)
    if len(boundary) > 1 and 0 in boundary:
        raise _not_isolated(text, end - 1)
    seen: Dict[int, List[Name]] = {}
    for spot in boundary:
        if isinstance(spot, Name) and not spot.two_region:
            seen.setdefault(spot.number, []).append(spot)
    for names in seen.values():
        if len(names) != 2:
            wrong = "%s occurs %s on its boundary" % (names[0].text, _times(len(names)))
            right = "a small letter occurs twice on one boundary, like 1a1a"
            raise NotationError(text, names[-1].offset, wrong, right)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, "%d times" % count)


def _check_two_region_names(text: str, land: List[Region]) -> None:
    seen: Dict[int, List[Tuple[int, Name]]] = {}
    for i, region in enumerate(land):
        for boundary in region:
            for spot in boundary:
                if isinstance(spot, Name) and spot.two_region:
                    seen.setdefault(spot.number, []).append((i, spot))
    right = "a capital occurs once in each of two regions, like 0.A|0.A"
    for places in seen.values():
        name = places[-1][1]
        if len(places) != 2:
            wrong = "%s occurs %s in its land" % (name.text, _times(len(places)))
            raise NotationError(text, name.offset, wrong, right)
        if places[0][0] == places[1][0]:
            wrong = "%s occurs twice in one region" % name.text
            raise NotationError(text, name.offset, wrong, right)


def _count_pairs(boundary: Boundary) -> int:
    """The one-region names of a checked boundary."""
    return sum([isinstance(spot, Name) and not spot.two_region for spot in boundary]) // 2


def _write(land: List[Region]) -> str:
    """The text of a parsed land."""
    return "|".join(
        [
            ".".join(
                ["".join([s.text if isinstance(s, Name) else str(s) for s in b]) for b in region]
            )
            for region in land
        ]
    )


def _offset(land: List[Region]) -> int:
    """Where the first name of a parsed land stands in its text."""
    return next(s.offset for region in land for b in region for s in b if isinstance(s, Name))


def _encode_region(region: Region, two: Dict[int, int]) -> bytes:
    """The working form of a parsed region without its dead spots.

    `two` has the ranks of the land's two-region names by their numbers.
    """
    spots = 0
    boundaries: List[bytes] = []
    for boundary in region:
        if boundary == [0]:
            spots += 1
            continue
        one = _ranks([boundary], False)
        code = bytearray()
        for spot in boundary:
            if isinstance(spot, Name):
                code.append(TWO + two[spot.number] if spot.two_region else ONE + one[spot.number])
            elif spot < 3:
                code.append(ONE_LIFE_LESS if spot == 1 else TWO_LIVES_LESS)
        boundaries.append(bytes(code))
    return count_prefix(spots) + DOTS.join(boundaries)


def _ranks(boundaries: List[Boundary], two_region: bool) -> Dict[int, int]:
    """The ranks of the names of one kind, by their numbers."""
    found = {
        spot.number
        for boundary in boundaries
        for spot in boundary
        if isinstance(spot, Name) and spot.two_region == two_region
    }
    return {index: rank for rank, index in enumerate(sorted(found))}
