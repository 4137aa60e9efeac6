"""Certificates with a line changed, for tests of their readers."""

from __future__ import annotations

from hashlib import sha256
from typing import List


def rewritten(lines: List[bytes], i: int, line: bytes, header: int = 6) -> bytes:
    """The text with one line replaced, and the SHA-256 at the end of the header corrected."""
    lines = [*lines[:i], line, *lines[i + 1 :]]
    body = b"".join(lines[header:])
    if i >= header:
        lines[header - 1] = b"sha256 %s\n" % sha256(body).hexdigest().encode()
    return b"".join(lines)
