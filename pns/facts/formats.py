"""Compares, merges, checks, repairs and converts files of facts that need not fit in memory.

Facts come as streams sorted by land. Others are sorted first, in temporary files.
"""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack
from heapq import merge
from itertools import groupby, islice
from operator import itemgetter
from tempfile import TemporaryFile
from typing import BinaryIO, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from pns.facts.spr import (
    LONGEST_LINE,
    TITLE,
    LfLines,
    SprError,
    has_title,
    read_line,
    write_facts,
)
from pns.facts.store import Fact
from pns.game import Game, shortened
from pns.system.files import open_whole, require_regular

SORTED_AT_ONCE = 500_000
"""Facts that are sorted in memory; more of them are sorted in temporary files."""
BLOCK = 1 << 16
"""Bytes read at a time."""


def sorted_facts(facts: Iterable[Fact], stack: ExitStack) -> Iterator[Fact]:
    """The facts sorted by land, then number; temporary files live as long as the stack."""
    source = iter(facts)
    runs: List[Iterator[Fact]] = []
    while True:
        chunk = sorted(islice(source, SORTED_AT_ONCE))
        if not runs and len(chunk) < SORTED_AT_ONCE:
            return iter(chunk)
        if not chunk:
            return merge(*runs)
        runs.append(_stored(chunk, stack))


def _stored(chunk: List[Fact], stack: ExitStack) -> Iterator[Fact]:
    """The facts, read back from a temporary file."""
    file = stack.enter_context(TemporaryFile(prefix="pns-"))
    for land, number in chunk:
        file.write(b"%s %d\n" % (land, number))
    file.seek(0)
    lines = (line.rpartition(b" ") for line in file)
    return ((land, int(number)) for land, _, number in lines)


# --- several streams -------------------------------------------------------------------


class Merged(NamedTuple):
    """A land, and for each number given for it the indices of the streams that give it."""

    land: bytes
    numbers: Dict[int, List[int]]


def merged(streams: List[Iterator[Fact]]) -> Iterator[Merged]:
    """The lands of sorted streams, each once, in order."""

    def numbered(i: int) -> Iterator[Tuple[bytes, int, int]]:
        return ((land, number, i) for land, number in streams[i])

    together = merge(*[numbered(i) for i in range(len(streams))])
    for land, group in groupby(together, itemgetter(0)):
        numbers: Dict[int, List[int]] = {}
        for _, number, i in group:
            numbers.setdefault(number, []).append(i)
        yield Merged(land, numbers)


def contradiction(found: Merged) -> str:
    """A line that lists the numbers of a land."""
    numbers = ", ".join(["%d" % number for number in found.numbers])
    return "contradiction: %s: %s" % (found.land.decode("ascii"), numbers)


def conflict(found: Merged, names: List[str]) -> str:
    """A line that names the sources of each number of a land."""
    given = [
        "%d in %s" % (number, ", ".join([names[i] for i in indices]))
        for number, indices in found.numbers.items()
    ]
    return "contradiction: %s: %s" % (found.land.decode("ascii"), "; ".join(given))


# --- one file ----------------------------------------------------------------------------


class Findings(NamedTuple):
    """What ``check`` counted in a file."""

    facts: int
    bad_lines: int
    is_sorted: bool
    repeated: int
    contradictions: int


def check(path: str, game: Game, report: Callable[[str], None]) -> Findings:
    """Check all lines of a file and report bad ones; raises SprError where the title is missing."""
    require_regular(path)
    bad = 0

    def good_lines(stack: ExitStack) -> Iterator[Fact]:
        nonlocal bad
        stream = stack.enter_context(open(path, "rb"))
        if not has_title(stream):
            raise SprError(path, 1, "invalid first line; expected [Positions+Nimber]")
        number = 1
        lines = LfLines(stream)
        for line in iter(lambda: lines.readline(LONGEST_LINE), b""):
            number += 1
            try:
                yield read_line(line, game)
            except ValueError as error:
                bad += 1
                report("line %d: %s" % (number, error))

    is_sorted = True

    def check_order(facts: Iterator[Fact]) -> Iterator[Fact]:
        nonlocal is_sorted
        last = b""
        for fact in facts:
            is_sorted = is_sorted and last < fact[0]
            last = fact[0]
            yield fact

    count = repeated = contradictions = 0
    with ExitStack() as stack:
        for found in merged([sorted_facts(check_order(good_lines(stack)), stack)]):
            count += 1
            repeated += sum(map(len, found.numbers.values())) - len(found.numbers)
            if len(found.numbers) > 1:
                contradictions += 1
                report(contradiction(found))
    return Findings(count, bad, is_sorted, repeated, contradictions)


def repair(path: str) -> Tuple[bytes, str]:
    """Drop what follows the last LF of a file; returns it and the name of a copy made before.

    A file that ends in LF is left alone: (b"", ""). Raises SprError for a file that is cut
    off within its title.
    """
    require_regular(path)
    size = os.path.getsize(path)
    with open(path, "rb") as stream:
        if not has_title(stream):
            raise SprError(path, 1, "invalid first line; expected [Positions+Nimber]")
        end = _after_last_lf(stream, size)
        stream.seek(end)
        tail = stream.read(LONGEST_LINE)
        if end == size:
            return b"", ""
        copy = _free_name(path)
        shutil.copy2(path, copy)
        stream.seek(0)
        with open_whole(path) as out:
            left = end
            while left:
                left -= out.write(stream.read(min(left, BLOCK)))
    return tail, copy


def _after_last_lf(stream: BinaryIO, size: int) -> int:
    """The offset behind the last LF of a file, 0 where it has none."""
    end = size
    while end > 0:
        start = max(0, end - BLOCK)
        stream.seek(start)
        place = stream.read(end - start).rfind(b"\n")
        if place >= 0:
            return start + place + 1
        end = start
    return 0


def _free_name(path: str) -> str:
    """A name, not in use, for a copy beside a file."""
    names = ["%s.bak" % path, *["%s.bak%d" % (path, i) for i in range(2, 1000)]]
    return next(name for name in names if not os.path.lexists(name))


# --- dialects ------------------------------------------------------------------------------


def as_spots(land: bytes) -> bytes:
    """A canonical text as SPOTS, and every database here, writes it."""
    return land


def as_glop(land: bytes) -> bytes:
    """A canonical text as GLOP 2 writes it: Z(1), Z(2), ... for n(1), n(2), ..."""
    return land.replace(b"n(", b"Z(")


def as_glop1(land: bytes) -> bytes:
    """A canonical text as GLOP 1 writes it: every part ends in a sign of its own.

    >>> as_glop1(b"0*2.AB|AB")
    b'0*2.AB.}AB.}]!'
    """
    return as_glop(land).replace(b"|", b".}") + b".}]!"


DIALECTS: Dict[str, Callable[[bytes], bytes]] = {
    "spots": as_spots,
    "glop": as_glop,
    "glop1": as_glop1,
}


def from_any(text: bytes) -> bytes:
    """The text of a position in the notation read here; only that of GLOP 1 is translated.

    >>> from_any(b"0.AB.}AB.}]0.}]!")
    b'0.AB|AB+0'
    """
    if b"}" not in text:
        return text
    parts = text.rstrip(b"!").rstrip(b"]").split(b"]")
    return b"+".join([part.replace(b".}", b"|").rstrip(b"|") for part in parts])


def read_any(path: str, game: Game) -> Iterator[Fact]:
    """(canonical land, number) of every line of a file in any dialect; raises SprError.

    Title lines, empty lines, CR LF and texts that are not canonical are accepted. Lands
    without moves are left out.
    """
    require_regular(path)
    with open(path, "rb") as stream:
        for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE), b""), 1):
            if not line.strip() or line.strip() == TITLE.strip():
                continue
            try:
                fact = _read_any(line, game)
            except ValueError as error:
                raise SprError(path, number, str(error)) from error
            if fact is not None:
                yield fact


def _read_any(line: bytes, game: Game) -> Optional[Fact]:
    if not line.endswith(b"\n"):
        raise ValueError("cut off: no LF at its end; see grundy.py repair")
    words = line.split()
    if len(words) != 2 or not line.isascii():
        raise ValueError("not a land, one space and a number: %s" % shortened(line.rstrip()))
    try:
        lands = game.parse(from_any(words[0]).decode("ascii"))
    except ValueError as error:
        raise ValueError("%s: %s" % (shortened(words[0]), error)) from error
    if len(lands) > 1:
        raise ValueError("%s is not one land but %d" % (shortened(words[0]), len(lands)))
    _, number = read_line(b"0 %s\n" % words[1], None)
    if not lands and number:
        raise ValueError("%s has no moves, but number %d" % (shortened(words[0]), number))
    return (lands[0], number) if lands else None


def convert(path: str, out: str, game: Game, dialect: str, report: Callable[[str], None]) -> int:
    """Write a file of any dialect in another; returns the number of facts.

    Where facts contradict each other, they are reported, nothing is written, and the
    result is -1.
    """
    write = DIALECTS[dialect]
    consistent = True
    with ExitStack() as stack:

        def facts() -> Iterator[Fact]:
            nonlocal consistent
            for found in merged([sorted_facts(read_any(path, game), stack)]):
                if len(found.numbers) > 1:
                    consistent = False
                    report("%s in %s" % (contradiction(found), path))
                yield write(found.land), min(found.numbers)

        try:
            with open_whole(out) as stream:
                count = write_facts(stream, sorted_facts(facts(), stack))
                if not consistent:
                    raise Contradictory
        except Contradictory:
            return -1
    return count


class Contradictory(Exception):
    """Sources give one land two numbers."""
