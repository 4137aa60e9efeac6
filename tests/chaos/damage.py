"""Random damage to the bytes of files and messages."""

from __future__ import annotations

import gzip
import re
from hashlib import sha256
from random import Random

PAGE = 4096
"""The page size of LMDB in bytes."""
HEADER = 24
"""Bytes at the start of an LMDB page, the most sensitive ones."""


def damaged(data: bytes, rng: Random) -> bytes:
    """Other bytes: truncated, altered, with a part removed, moved or doubled, or random."""
    while True:
        found = _damaged(data, rng)
        if found != data:
            return found


def _damaged(data: bytes, rng: Random) -> bytes:
    size = len(data)
    start = rng.randrange(size)
    end = min(size, start + rng.choice((1, 2, 8, 64, 512, PAGE)))
    kind = rng.randrange(9)
    if kind == 0:
        return data[:start]
    if kind == 1:
        return data[:start] + rng.randbytes(end - start) + data[end:]
    if kind == 2:
        return data[:start] + bytes(end - start) + data[end:]
    if kind == 3:
        return data[:start] + data[end:]
    if kind == 4:
        return data[:end] + data[start:]
    if kind == 5:
        other = rng.randrange(size)
        part = data[other : other + end - start]
        return data[:start] + part + data[start + len(part) :]
    if kind == 6:
        return data + rng.randbytes(rng.randint(1, 100))
    if kind == 7 and rng.random() < 0.2:
        return rng.randbytes(rng.randrange(2 * size)) if rng.random() < 0.9 else b""
    altered = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        altered[rng.randrange(size)] ^= 1 << rng.randrange(8)
    return bytes(altered)


def damaged_pages(data: bytes, rng: Random) -> bytes:
    """A damaged database: a byte in the header of a page, whole pages, the length, or any bytes."""
    kind = rng.randrange(4)
    pages = max(1, len(data) // PAGE)
    page = rng.randrange(pages) * PAGE
    altered = bytearray(data)
    if kind == 0:
        at = min(len(data) - 1, page + rng.randrange(HEADER + 40))
        altered[at] = rng.randrange(256)
    elif kind == 1:
        other = rng.randrange(pages) * PAGE
        altered[page : page + PAGE] = altered[other : other + PAGE]
    elif kind == 2:
        return data[: page + rng.choice((0, 1, 100))]
    else:
        return damaged(data, rng)
    return bytes(altered) if bytes(altered) != data else damaged(data, rng)


def damaged_certificate(data: bytes, rng: Random) -> bytes:
    """A certificate with damage to its bytes, or to its text with a digest that may be right."""
    if rng.random() < 0.4:
        return damaged(data, rng)
    text = gzip.decompress(data)
    at = text.index(b"[Positions")
    header, body = text[:at], text[at:]
    if rng.random() < 0.7:
        body = damaged_lines(body, rng)
    else:
        header = damaged(header, rng)
    if rng.random() < 0.8:
        digest = sha256(body).hexdigest().encode()
        header = re.sub(rb"sha256 [0-9a-f]{64}", b"sha256 " + digest, header)
        header = re.sub(rb"entries \d+", b"entries %d" % max(0, body.count(b"\n") - 1), header)
    return gzip.compress(header + body, 1)


def damaged_lines(text: bytes, rng: Random) -> bytes:
    """A text with a line that is altered, removed, doubled, or has another number."""
    lines = text.splitlines(keepends=True)
    i, kind = rng.randrange(len(lines)), rng.randrange(6)
    if kind == 0:
        del lines[i]
    elif kind == 1:
        lines.insert(rng.randrange(len(lines)), lines[i])
    elif kind == 2:
        lines[i] = re.sub(rb"\d+\n$", b"%d\n" % rng.choice((0, 1, 2, 3, 7, 251, 10**9)), lines[i])
    elif kind == 3:
        lines[i] = damaged(lines[i], rng)
    elif kind == 4:
        lines[i] = lines[i].replace(b" ", rng.choice((b"  ", b"\t", b"", b".0 ", b"|0 ")))
    else:
        return damaged(text, rng)
    return b"".join(lines)
