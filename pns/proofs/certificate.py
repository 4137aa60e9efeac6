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

The header is followed by a ``.spr`` file.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from hashlib import sha256
from typing import Dict, NamedTuple, Tuple

from pns.facts.spr import TITLE, Lines, SprError, read_facts, write_facts
from pns.files import open_whole, require_regular
from pns.game import find_game, named_game

FIRST_LINE = b"pns certificate 1\n"
KEYS = ("game", "claim", "entries", "tool", "sha256")
HEADER_LINES = 1 + len(KEYS)
MOST_ENTRIES = 1_000_000
LONGEST_HEADER_LINE = 20_000
LONGEST_LAND = 1000
BYTES, BYTES_FOR_AN_ENTRY = 10_000, 200
"""All entries together take at most BYTES plus BYTES_FOR_AN_ENTRY for each."""
GZIP_MAGIC = b"\x1f\x8b"


class Certificate(NamedTuple):
    """The header of a certificate."""

    game: str
    position: str
    wins: bool
    entries: int
    tool: str
    sha256: str

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
        raise ValueError("%s is no claim; write 0*12=loss or 0*11=win" % ascii(text[:60]))
    return position, outcome == "win"


def is_certificate(path: str) -> bool:
    """Whether a file begins as gzip's files do; raises OSError."""
    require_regular(path)
    with open(path, "rb") as stream:
        return stream.read(2) == GZIP_MAGIC


def most_bytes(entries: int) -> int:
    """The bytes that the lines of this number of entries may take."""
    return BYTES + BYTES_FOR_AN_ENTRY * entries


def write_certificate(
    path: str, game: str, position: str, wins: bool, entries: Dict[bytes, int], tool: str
) -> Certificate:
    """Write a certificate, wholly or not at all; returns its header.

    Raises OSError, and ValueError for entries that exceed the bounds above.
    """
    size = sum([len(b"%s %d\n" % entry) for entry in entries.items()])
    if len(entries) > MOST_ENTRIES or size > most_bytes(len(entries)):
        wrong = "%d entries of %d bytes are more than a certificate can hold"
        raise ValueError(wrong % (len(entries), size))
    if any([len(land) > LONGEST_LAND for land in entries]):
        raise ValueError("a certificate holds no land of more than %d characters" % LONGEST_LAND)
    body = io.BytesIO()
    write_facts(body, sorted(entries.items()))
    digest = sha256(body.getvalue()).hexdigest()
    certificate = Certificate(game, position, wins, len(entries), tool, digest)
    values = (game, certificate.claim(), len(entries), tool, digest)
    header = "".join(["%s %s\n" % pair for pair in zip(KEYS, values)]).encode("ascii")
    with open_whole(path) as stream:
        with gzip.GzipFile("", "wb", 9, stream, mtime=0) as text:
            text.write(FIRST_LINE + header + body.getvalue())
    return certificate


def read_certificate(path: str) -> Tuple[Certificate, Dict[bytes, int]]:
    """(header, entries) of a certificate; raises OSError, or SprError, which names the line."""
    require_regular(path)
    try:
        with gzip.open(path, "rb") as stream:
            certificate = _read_header(stream, path)
            entries = _read_entries(stream, path, certificate)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise SprError(path, 1, "damaged: %s" % error) from error
    return certificate, entries


def _read_header(stream: Lines, path: str) -> Certificate:
    if stream.readline(len(FIRST_LINE)) != FIRST_LINE:
        raise SprError(path, 1, "the first line is not 'pns certificate 1'")
    values: Dict[str, str] = {}
    for number, key in enumerate(KEYS, 2):
        line = stream.readline(LONGEST_HEADER_LINE).decode("ascii", "replace")
        name, _, value = line.rstrip("\n").partition(" ")
        if name != key or not value or not line.endswith("\n"):
            raise SprError(path, number, "not '%s' and its value" % key)
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
    text = values["entries"]
    if not re.fullmatch("[0-9]{1,12}", text, re.ASCII) or int(text) > MOST_ENTRIES:
        raise SprError(path, 4, "%s is no count from 0 to %d" % (ascii(text[:60]), MOST_ENTRIES))
    count = int(text)
    return Certificate(values["game"], position, wins, count, values["tool"], values["sha256"])


class _Hashed:
    """A stream that hashes the lines read from it; raises SprError after too many bytes."""

    def __init__(self, stream: Lines, path: str, entries: int) -> None:
        self._stream = stream
        self._path = path
        self._left = self._most = len(TITLE) + most_bytes(entries)
        self.hash = sha256()

    def readline(self, limit: int) -> bytes:
        line = self._stream.readline(min(limit, self._left + 1))
        self._left -= len(line)
        if self._left < 0:
            wrong = "its entries take more than %d bytes" % self._most
            raise SprError(self._path, 4, wrong)
        self.hash.update(line)
        return line


def _read_entries(stream: Lines, path: str, certificate: Certificate) -> Dict[bytes, int]:
    game = find_game(certificate.game)
    hashed = _Hashed(stream, path, certificate.entries)
    entries: Dict[bytes, int] = {}
    number = HEADER_LINES + 1
    last = b""
    for land, value in read_facts(hashed, path, game, HEADER_LINES):
        number += 1
        if land in entries:
            raise SprError(path, number, "the same land a second time")
        if land < last:
            raise SprError(path, number, "not sorted")
        if len(land) > LONGEST_LAND:
            raise SprError(path, number, "a land of more than %d characters" % LONGEST_LAND)
        entries[land] = value
        last = land
    if len(entries) != certificate.entries:
        wrong = "%d entries, not %d" % (len(entries), certificate.entries)
        raise SprError(path, 4, wrong)
    if hashed.hash.hexdigest() != certificate.sha256:
        raise SprError(path, HEADER_LINES, "the SHA-256 of the entries is another")
    return entries
