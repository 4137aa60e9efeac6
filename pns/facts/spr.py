"""Text files of facts, ``.spr``: a title, then ``land number`` on every line.

Land and number are separated by one space, and every line, the last too, ends in LF.
Files are written sorted by land. Readers accept any order, since the files of earlier
solvers are not sorted, and CR LF, which some editors write.
"""

from __future__ import annotations

from typing import BinaryIO, Iterable, Iterator, Optional, Protocol

from pns.facts.store import LARGEST_NUMBER, Fact
from pns.game import Game, check_land, shortened
from pns.system.files import open_whole, require_regular

TITLE = b"[Positions+Nimber]\n"
LONGEST_LINE = 1 << 20
"""Bytes."""


class SprError(ValueError):
    """A bad line; the message names the file, the line and the fault."""

    def __init__(self, path: str, line: int, wrong: str) -> None:
        super().__init__("%s, line %d: %s" % (path, line, wrong))
        self.path = path
        self.line = line
        self.wrong = wrong


class LineReader(Protocol):
    """A binary stream that is read line by line."""

    def readline(self, limit: int) -> bytes: ...


class LfLines:
    """The lines of a stream, each with LF at its end where it has CR LF."""

    def __init__(self, stream: LineReader) -> None:
        self._stream = stream

    def readline(self, limit: int) -> bytes:
        """A line of up to `limit` bytes, of which CR counts none."""
        line = self._stream.readline(limit + 1)
        return line[:-2] + b"\n" if line.endswith(b"\r\n") else line


def has_title(stream: LineReader) -> bool:
    """Whether the first line of a stream is the title; the stream is then behind it."""
    return LfLines(stream).readline(len(TITLE)) == TITLE


def read_spr(path: str, game: Optional[Game]) -> Iterator[Fact]:
    """(land, number) of every line, checked; raises SprError, or OSError.

    Without a game the lands are not checked to be canonical texts: for a file that has
    just been checked.
    """
    require_regular(path)
    with open(path, "rb") as stream:
        yield from read_facts(LfLines(stream), path, game)


def check_lines(path: str, game: Game) -> int:
    """Check a file before it is stored, which may read it several times; returns its facts.

    Raises what `read_spr` raises.
    """
    return sum(1 for _ in read_spr(path, game))


def read_facts(
    stream: LineReader, path: str, game: Optional[Game], header_lines: int = 0
) -> Iterator[Fact]:
    """(land, number) of every line of a stream; raises SprError.

    The stream has been read up to its title. Errors name ``path`` and count lines from
    the beginning of the file, with ``header_lines`` before the title.
    """
    number = header_lines + 1
    if stream.readline(len(TITLE)) != TITLE:
        raise SprError(path, number, "invalid first line; expected [Positions+Nimber]")
    for line in iter(lambda: stream.readline(LONGEST_LINE), b""):
        number += 1
        try:
            fact = read_line(line, game)
        except ValueError as error:
            raise SprError(path, number, str(error)) from error
        yield fact


def read_line(line: bytes, game: Optional[Game]) -> Fact:
    """(land, number) of a line; raises ValueError, which says what is wrong."""
    if not line.endswith(b"\n"):
        long = len(line) >= LONGEST_LINE
        raise ValueError("the line is too long" if long else "cut off: no LF at its end")
    if line.endswith(b"\r\n"):
        raise ValueError("it ends in CR LF; expected LF")
    if not line.isascii():
        raise ValueError("not ASCII")
    land, space, digits = line[:-1].partition(b" ")
    if not (land and space and digits):
        raise ValueError("not a land, one space and a number: %s" % shortened(line))
    if not digits.isdigit() or len(digits) > 3 or digits != b"%d" % int(digits):
        raise ValueError("%s is not a Grundy number" % shortened(digits))
    if int(digits) > LARGEST_NUMBER:
        raise ValueError("Grundy number %d is above %d" % (int(digits), LARGEST_NUMBER))
    if game is not None:
        check_land(game, land)
    return land, int(digits)


def write_spr(path: str, items: Iterable[Fact]) -> int:
    """Write facts sorted by land, as ``Facts.items`` gives them; returns their number.

    The file is written wholly or not at all. Raises OSError, and ValueError for facts that
    are not sorted.
    """
    with open_whole(path) as stream:
        return write_facts(stream, items)


def write_facts(stream: BinaryIO, items: Iterable[Fact]) -> int:
    """Write title and facts, sorted by land; returns their number. Raises ValueError."""
    stream.write(TITLE)
    last = b""
    written = 0
    for land, number in items:
        if land <= last:
            raise ValueError("%r comes after %r: not sorted" % (land, last))
        stream.write(b"%s %d\n" % (land, number))
        last = land
        written += 1
    return written
