"""Certificates: a claim and the entries that prove it, in one compressed text file.

The text, compressed by gzip:

    pns certificate 1
    game sprouts
    claim 0*3=win
    entries 5
    tool pns 0.1.0
    sha256 <of all that follows, in hexadecimal>
    [Positions+Nimber]
    0 0
    ...

The header is followed by a ``.spr`` file. If a proof rests on simpler positions
(`pns.positions.simplify`), the first line has a 2, the line after the number of entries has that of
exchanges, and these come before the ``.spr`` file, sorted, one on a line:

    [Exchanges]
    0.A 2A
    ...
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from hashlib import sha256
from typing import Collection, Dict, Iterator, NamedTuple, Tuple

from pns.facts.spr import TITLE, LineReader, SprError, read_facts, write_facts
from pns.finding import find_game, named_game
from pns.positions.simplify import LandExchange, SupportsSimplify
from pns.system.files import open_whole, require_regular

FIRST_LINES = b"pns certificate 1\n", b"pns certificate 2\n"
KEYS = ("game", "claim", "entries", "tool", "sha256")
KEYS_OF = dict(
    zip(FIRST_LINES, (KEYS, ("game", "claim", "entries", "exchanges", "tool", "sha256")))
)
EXCHANGES_TITLE = b"[Exchanges]\n"
MOST_ENTRIES = 1_000_000
MOST_EXCHANGES = 10_000
LONGEST_HEADER_LINE = 20_000
LONGEST_LAND = 1000
BYTES, BYTES_FOR_AN_ENTRY = 10_000, 200
"""All entries and exchanges together take at most BYTES plus BYTES_FOR_AN_ENTRY for each."""
GZIP_MAGIC = b"\x1f\x8b"


class Certificate(NamedTuple):
    """The header of a certificate."""

    game: str
    position: str
    wins: bool
    entries: int
    tool: str
    sha256: str
    exchanges: Tuple[LandExchange, ...] = ()
    """What may stand for what in the positions that the proof looks at."""

    def claim(self) -> str:
        """The claim as text, like 0*3=win."""
        return "%s=%s" % (self.position, "win" if self.wins else "loss")


def parse_claim(text: str) -> Tuple[str, bool]:
    """(position, whether it is won) of a claim like 0*12=loss; raises ValueError.

    >>> parse_claim("0*3=win")
    ('0*3', True)
    """
    position, _, outcome = text.rpartition("=")
    if outcome not in ("win", "loss") or not position:
        wrong = "invalid claim %s; expected one such as 0*12=loss or 0*11=win"
        raise ValueError(wrong % ascii(text[:60]))
    return position, outcome == "win"


def is_certificate(path: str) -> bool:
    """Whether a file begins as gzip's files do; raises OSError."""
    require_regular(path)
    with open(path, "rb") as stream:
        return stream.read(2) == GZIP_MAGIC


def most_bytes(lines: int) -> int:
    """The bytes that this number of entries and exchanges may take."""
    return BYTES + BYTES_FOR_AN_ENTRY * lines


def write_certificate(
    path: str,
    game: str,
    position: str,
    wins: bool,
    entries: Dict[bytes, int],
    tool: str,
    exchanges: Collection[LandExchange] = (),
) -> Certificate:
    """Write a certificate, wholly or not at all; returns its header.

    Raises OSError, and ValueError for entries and exchanges that exceed the bounds above.
    """
    size = sum([len(b"%s %d\n" % entry) for entry in entries.items()])
    size += sum([len(b"%s %s\n" % exchange) for exchange in exchanges])
    if len(exchanges) > MOST_EXCHANGES:
        raise ValueError("too many exchanges; expected at most %d" % MOST_EXCHANGES)
    if len(entries) > MOST_ENTRIES or size > most_bytes(len(entries) + len(exchanges)):
        wrong = "%d entries of %d bytes are more than a certificate can hold"
        raise ValueError(wrong % (len(entries), size))
    if any([len(land) > LONGEST_LAND for land in entries]):
        raise ValueError("land too long; expected at most %d characters" % LONGEST_LAND)
    listed = tuple(sorted(exchanges))
    body = io.BytesIO()
    if listed:
        body.write(EXCHANGES_TITLE)
        body.writelines([b"%s %s\n" % exchange for exchange in listed])
    write_facts(body, sorted(entries.items()))
    digest = sha256(body.getvalue()).hexdigest()
    certificate = Certificate(game, position, wins, len(entries), tool, digest, listed)
    values = {**certificate._asdict(), "claim": certificate.claim(), "exchanges": len(listed)}
    first = FIRST_LINES[bool(listed)]
    header = "".join(["%s %s\n" % (key, values[key]) for key in KEYS_OF[first]]).encode("ascii")
    with open_whole(path) as stream:
        with gzip.GzipFile("", "wb", 9, stream, mtime=0) as text:
            text.write(first + header + body.getvalue())
    return certificate


def read_certificate(path: str) -> Tuple[Certificate, Dict[bytes, int]]:
    """(header, entries) of a certificate; raises OSError, or SprError, which names the line."""
    require_regular(path)
    try:
        with gzip.open(path, "rb") as stream:
            certificate, exchanges, header_lines = _read_header(stream, path)
            hashed = _Hashed(stream, path, certificate.entries + exchanges)
            lines = header_lines
            if exchanges:
                listed = tuple(_read_exchanges(hashed, path, exchanges, lines))
                certificate = certificate._replace(exchanges=listed)
                lines += 1 + exchanges
            entries = _read_entries(hashed, path, certificate, lines)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise SprError(path, 1, "damaged: %s" % error) from error
    if hashed.hash.hexdigest() != certificate.sha256:
        raise SprError(path, header_lines, "wrong SHA-256 of the entries: the file was changed")
    return certificate, entries


def _read_header(stream: LineReader, path: str) -> Tuple[Certificate, int, int]:
    """(the certificate without its exchanges, their number, the lines of the header)."""
    keys = KEYS_OF.get(stream.readline(len(FIRST_LINES[0])))
    if keys is None:
        wrong = "invalid first line; expected 'pns certificate 1' or 'pns certificate 2'"
        raise SprError(path, 1, wrong)
    values: Dict[str, str] = {"exchanges": "0"}
    for number, key in enumerate(keys, 2):
        line = stream.readline(LONGEST_HEADER_LINE).decode("ascii", "replace")
        name, _, value = line.rstrip("\n").partition(" ")
        if name != key or not value or not line.endswith("\n"):
            raise SprError(path, number, "invalid header line; expected '%s' and its value" % key)
        values[key] = value
    try:
        game = named_game(values["game"])
    except ValueError as error:
        raise SprError(path, 2, str(error)) from error
    try:
        position, wins = parse_claim(values["claim"])
        game.parse(position)
    except ValueError as error:
        raise SprError(path, 3, str(error)) from error
    entries = _count(values["entries"], MOST_ENTRIES, path, 4)
    exchanges = _count(values["exchanges"], MOST_EXCHANGES, path, 5)
    if exchanges and not isinstance(game, SupportsSimplify):
        raise SprError(path, 5, "invalid exchanges; expected none for %s" % game.name)
    tool, digest = values["tool"], values["sha256"]
    certificate = Certificate(values["game"], position, wins, entries, tool, digest)
    return certificate, exchanges, 1 + len(keys)


def _count(text: str, most: int, path: str, line: int) -> int:
    """A number of the header; raises SprError."""
    if not re.fullmatch("[0-9]{1,12}", text, re.ASCII) or int(text) > most:
        wrong = "invalid count %s; expected a whole number from 0 to %d"
        raise SprError(path, line, wrong % (ascii(text[:60]), most))
    return int(text)


class _Hashed:
    """A stream that hashes the lines read from it; raises SprError after too many bytes."""

    def __init__(self, stream: LineReader, path: str, lines: int) -> None:
        self._stream = stream
        self._path = path
        self._left = self._most = len(TITLE) + most_bytes(lines)
        self.hash = sha256()

    def readline(self, limit: int) -> bytes:
        line = self._stream.readline(min(limit, self._left + 1))
        self._left -= len(line)
        if self._left < 0:
            wrong = "entries too long; expected at most %d bytes" % self._most
            raise SprError(self._path, 4, wrong)
        self.hash.update(line)
        return line


def _read_exchanges(stream: LineReader, path: str, count: int, line: int) -> Iterator[LandExchange]:
    """The exchanges after some lines of a file; raises SprError."""
    if stream.readline(len(EXCHANGES_TITLE)) != EXCHANGES_TITLE:
        raise SprError(path, line + 1, "invalid title; expected [Exchanges]")
    last = b""
    for number in range(line + 2, line + 2 + count):
        text = stream.readline(2 * LONGEST_LAND + 3)
        words = text[:-1].split(b" ")
        if len(words) != 2 or not all(words) or not text.isascii() or text[-1:] != b"\n":
            raise SprError(
                path, number, "invalid exchange; expected two texts with one space between them"
            )
        if text <= last:
            raise SprError(path, number, "unsorted; expected lines in order")
        yield words[0], words[1]
        last = text


def _read_entries(
    stream: LineReader, path: str, certificate: Certificate, lines: int
) -> Dict[bytes, int]:
    """The entries after some lines of a file; raises SprError."""
    game = find_game(certificate.game)
    entries: Dict[bytes, int] = {}
    number = lines + 1
    last = b""
    for land, value in read_facts(stream, path, game, lines):
        number += 1
        if land in entries:
            raise SprError(path, number, "repeated land; expected each land once")
        if land < last:
            raise SprError(path, number, "unsorted; expected lines in order")
        if len(land) > LONGEST_LAND:
            raise SprError(
                path, number, "land too long; expected at most %d characters" % LONGEST_LAND
            )
        entries[land] = value
        last = land
    if len(entries) != certificate.entries:
        wrong = "found %d entries; expected %d" % (len(entries), certificate.entries)
        raise SprError(path, 4, wrong)
    return entries
