"""Text files of facts, ``.spr``: a title, then ``land number`` on every line.

One space, LF after every line, the last too. Files are sorted by land when written;
those of earlier solvers are not, so order is not asked of a file that is read.
"""

from __future__ import annotations

import os
import stat
from errno import EINVAL
from secrets import token_hex
from typing import Iterable, Iterator, Optional

from pns.database import sync_directory
from pns.facts import LARGEST_NUMBER, Fact
from pns.game import Game, NotationError

TITLE = b"[Positions+Nimber]\n"
LONGEST_LINE = 1 << 20


class SprError(ValueError):
    """A line of a file is not as it should be: which file, which line, what is wrong."""

    def __init__(self, path: str, line: int, wrong: str) -> None:
        super().__init__("%s, line %d: %s" % (path, line, wrong))
        self.path = path
        self.line = line
        self.wrong = wrong


def read_spr(path: str, game: Optional[Game]) -> Iterator[Fact]:
    """(land, number) of every line, checked; raises SprError, or OSError.

    Without a game it is not checked that a land is one of its canonical texts: for a
    file whose lands were checked a moment ago.
    """
    require_regular(path)
    with open(path, "rb") as stream:
        if stream.readline(len(TITLE)) != TITLE:
            raise SprError(path, 1, "the first line is not [Positions+Nimber]")
        number = 1
        for line in iter(lambda: stream.readline(LONGEST_LINE), b""):
            number += 1
            try:
                fact = read_line(line, game)
            except ValueError as error:
                raise SprError(path, number, str(error)) from error
            yield fact


def read_line(line: bytes, game: Optional[Game]) -> Fact:
    """(land, number) of a line; raises ValueError with what is wrong."""
    if not line.endswith(b"\n"):
        long = len(line) >= LONGEST_LINE
        raise ValueError("the line is too long" if long else "cut off: no LF at its end")
    if line.endswith(b"\r\n"):
        raise ValueError("it ends in CR LF; LF alone is right")
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
        check_land(land, game)
    return land, int(digits)


def check_land(land: bytes, game: Game) -> None:
    """Raise ValueError unless ``land`` is the canonical text of one land."""
    text = land.decode("ascii")
    try:
        lands = game.parse(text)
    except NotationError as error:
        raise ValueError("%s: %s" % (shortened(land), error)) from error
    if len(lands) != 1:
        raise ValueError("%s is not one land but %d" % (shortened(land), len(lands)))
    if game.format(lands) != text:
        canonical = shortened(game.format(lands).encode())
        raise ValueError("%s is not canonical; %s is" % (shortened(land), canonical))


def shortened(text: bytes) -> str:
    """Text for a message, in quotes, not longer than a line."""
    return ascii(text[:60].decode("latin-1")) + ("..." if len(text) > 60 else "")


def write_spr(path: str, items: Iterable[Fact]) -> int:
    """Write facts sorted by land, as ``Facts.items`` gives them; how many there were.

    Atomic: until all of it is on the disk under another name beside it, the file stays
    as it was. Any exception leaves nothing behind. Raises OSError.
    """
    path = os.path.realpath(path)
    if os.path.exists(path):
        require_regular(path)
    directory, name = os.path.split(path)
    temporary = os.path.join(directory, ".%s.%s" % (name, token_hex(8)))
    written = 0
    try:
        with open(temporary, "xb") as stream:
            stream.write(TITLE)
            last = b""
            for land, number in items:
                if land <= last:
                    raise ValueError("%r comes after %r: not sorted" % (land, last))
                stream.write(b"%s %d\n" % (land, number))
                last = land
                written += 1
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        if os.path.exists(temporary):
            os.remove(temporary)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, path) from error
        raise
    sync_directory(directory)
    return written


def require_regular(path: str) -> None:
    """Raise OSError for a pipe, which cannot be read twice, or a device, not to be replaced."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(EINVAL, "not a regular file", path)
