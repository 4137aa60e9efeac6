"""Certificates with a line or the exchanges changed, for tests of their readers."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import List, Sequence

from pns.positions.simplify import LandExchange
from pns.proofs.certificate import read_certificate, write_certificate


def rewritten(lines: List[bytes], i: int, line: bytes, header: int = 6) -> bytes:
    """The text with one line replaced, and the SHA-256 at the end of the header corrected."""
    lines = [*lines[:i], line, *lines[i + 1 :]]
    body = b"".join(lines[header:])
    if i >= header:
        lines[header - 1] = b"sha256 %s\n" % sha256(body).hexdigest().encode()
    return b"".join(lines)


def with_exchanges(path: Path, like: Path, exchanges: Sequence[LandExchange]) -> str:
    """The path of a certificate like another one but for its exchanges."""
    header, entries = read_certificate(str(like))
    write_certificate(
        str(path), header.game, header.position, header.wins, entries, "test", exchanges
    )
    return str(path)
