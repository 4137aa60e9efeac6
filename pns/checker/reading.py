"""Reading a certificate; refuses other files, and those that exceed the bounds."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from contextlib import contextmanager
from hashlib import sha256
from stat import S_ISREG
from typing import BinaryIO, Dict, Iterator, List, NamedTuple, Sequence, Tuple

from pns.checker.games import GAMES
from pns.checker.work import MOST_WORK, limited

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
