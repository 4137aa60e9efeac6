"""Files of compressed blocks, of which one can be read alone, and every byte is checked.

    the first line, MAGIC
    the blocks, each compressed by zlib
    the head: JSON with what the writer says of the file, and of each block its length and the
        BLAKE2b digest of its compressed bytes; compressed by zlib
    8 bytes: the length of the head, little-endian
    32 bytes: the BLAKE2b digest of the head and its length

The digest at the end is the name of the whole content: it depends on every block by the digests
in the head. Whoever refers to a file keeps it, and opens the file with it.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections import OrderedDict
from hashlib import blake2b
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, TypeVar

from pns.strong.manifest import HEAD_FIELDS, fields_fault
from pns.system.files import open_whole, parse_json, require_regular

MAGIC = b"[Strong solution blocks 1]\n"
DIGEST_BYTES, BLOCK_DIGEST_BYTES = 32, 16
LENGTH = struct.Struct("<Q")
LEVEL = 6
"""Of zlib: the level above takes twice the time for a few percent."""
MOST_CACHED = 256
"""Blocks that a reader keeps."""


Content = TypeVar("Content")


class SolutionError(ValueError):
    """A strong solution is damaged, unfinished or of another kind; the message names the file."""


def digest_of(data: bytes, size: int = DIGEST_BYTES) -> bytes:
    """The BLAKE2b digest of some bytes."""
    return blake2b(data, digest_size=size).digest()


def compressed(block: bytes) -> bytes:
    """A block as `write_blocks` takes it."""
    return zlib.compress(block, LEVEL)


def decompressed(data: bytes) -> bytes:
    """A block as it was before `compressed`."""
    return zlib.decompress(data)


def write_blocks(path: str, blocks: Iterable[bytes], about: Dict[str, Any]) -> str:
    """Write a file of compressed blocks, whole or not at all; returns its digest in hexadecimal.

    `about` may be filled in while the blocks are made. Raises OSError.
    """
    with open_whole(path) as stream:
        stream.write(MAGIC)
        listed: List[Tuple[int, str]] = []
        for data in blocks:
            stream.write(data)
            listed.append((len(data), digest_of(data, BLOCK_DIGEST_BYTES).hex()))
        head = compressed(json.dumps({"about": about, "blocks": listed}).encode("ascii"))
        end = head + LENGTH.pack(len(head))
        digest = digest_of(end)
        stream.write(end + digest)
    return digest.hex()


class BlockFile:
    """A file of blocks, opened to be read; damage raises SolutionError."""

    def __init__(self, path: str, digest: Optional[str] = None) -> None:
        self.path = path
        require_regular(path)
        self._stream = open(path, "rb")
        try:
            self._read_head(digest)
        except BaseException:
            self._stream.close()
            raise
        self._cache: "OrderedDict[int, Any]" = OrderedDict()

    def _read_head(self, digest: Optional[str]) -> None:
        stream = self._stream
        size = os.fstat(stream.fileno()).st_size
        if stream.read(len(MAGIC)) != MAGIC:
            raise SolutionError("%s: not a file of a strong solution" % self.path)
        last = DIGEST_BYTES + LENGTH.size
        if size < len(MAGIC) + last:
            raise self._damaged("it is cut off")
        stream.seek(size - last)
        tail = stream.read(last)
        (length,) = LENGTH.unpack(tail[: LENGTH.size])
        start = size - last - length
        if start < len(MAGIC):
            raise self._damaged("the length of its head is wrong")
        stream.seek(start)
        head = stream.read(length)
        found = digest_of(head + tail[: LENGTH.size])
        if found != tail[LENGTH.size :]:
            raise self._damaged("the digest of its head is wrong")
        self.digest = found.hex()
        if digest is not None and digest != self.digest:
            raise self._damaged("by its digest it is another file than the one that belongs here")
        try:
            content = parse_json(decompressed(head))
        except (zlib.error, ValueError):
            raise self._damaged("its head is not compressed JSON") from None
        fault = fields_fault(content, HEAD_FIELDS) if type(content) is dict else "no object"
        if fault:
            raise self._damaged("in its head, %s" % fault)
        self.about: Dict[str, Any] = content["about"]
        """What the writer said."""
        self._blocks: List[Tuple[int, int, str]] = []
        offset = len(MAGIC)
        for length, digest in content["blocks"]:
            self._blocks.append((offset, length, digest))
            offset += length
        if offset != start:
            raise self._damaged("its blocks do not fill it")
        self.size = size

    def _damaged(self, why: str) -> SolutionError:
        return SolutionError("%s is damaged: %s" % (self.path, why))

    def __len__(self) -> int:
        """The number of blocks."""
        return len(self._blocks)

    def read(self, number: int) -> bytes:
        """The content of a block, checked."""
        offset, length, digest = self._blocks[number]
        data = os.pread(self._stream.fileno(), length, offset)
        if digest_of(data, BLOCK_DIGEST_BYTES).hex() != digest:
            raise self._damaged("block %d of %d" % (number + 1, len(self)))
        try:
            return decompressed(data)
        except zlib.error:
            raise self._damaged("block %d of %d" % (number + 1, len(self))) from None

    def block(self, number: int, decode: Callable[[bytes], Content]) -> Content:
        """What `decode` makes of a block, from a cache of those that were used last.

        It is always the same function.
        """
        cache = self._cache
        found: Optional[Content] = cache.get(number)
        if found is None:
            found = cache[number] = decode(self.read(number))
            if len(cache) > MOST_CACHED:
                cache.popitem(last=False)
        else:
            cache.move_to_end(number)
        return found

    def __iter__(self) -> Iterator[bytes]:
        """All blocks in order, not cached."""
        return map(self.read, range(len(self)))

    def close(self) -> None:
        """Close the file; it may be called again."""
        self._stream.close()
