"""Checks the pages of an LMDB file before LMDB reads them: it crashes on damaged ones.

LMDB maps the file into memory and follows what it finds there. A page that is missing or
damaged ends the process. Here every page is read as bytes, and refused with its number.

The layout, in the byte order of the machine. A file is a row of pages of one size.
Each begins with 16 bytes: its number (8), padding (2), its kind (2), and the ends
``lower`` and ``upper`` of its free space (2 each).

Pages 0 and 1 are *meta* pages, written in turn: transaction t writes page t % 2. Each
holds, after the 16 bytes: magic (4), version (4), address (8), size of the map (8), two
trees (48 each), the last page in use (8), transaction (8). The first tree lists the free
pages, the second holds the records. A tree: page size, in the first one only (4), flags
(2), depth (2), pages that are branches, leaves and overflow (8 each), records (8), root
(8). The other pages are nodes of the trees, free, or parts of long values:

* *Branch* and *leaf* pages have the offsets of their nodes (2 each) from byte 16 to
  ``lower``, in the order of the keys; the nodes fill the page from ``upper`` on.
* A node has 8 bytes, the key and the value, and is padded to an even size. In a leaf the
  8 bytes are the size of the value (4), flags (2), and the size of the key (2). With flag
  1 the value is on overflow pages, and the node has the number of the first. In a branch
  the first 6 bytes are the number of the child, whose keys are not below the node's key;
  the key of the first node means nothing.
* *Overflow* pages hold one long value. Only the first has the 16 bytes, with the number
  of pages in place of ``lower`` and ``upper`` (4).
* A record of the free list has a transaction as its key (8) and as its value the count
  of the pages that it freed (8) and their numbers, descending (8 each).

Pages are never changed in place while a transaction can see them. So the check may run
while other processes write, as long as a transaction is open that began before it.
"""

from __future__ import annotations

import os
import time
from array import array
from struct import Struct
from typing import Callable, List, NamedTuple, Optional, Tuple

MAGIC = 0xBEEFC0DE
VERSION = 1
HEAD = 16
BRANCH, LEAF, OVERFLOW, META = 1, 2, 4, 8
LONG_VALUE = 1
NONE = (1 << 64) - 1
"""The root of an empty tree."""
LONGEST_KEY = 511
MOST_LEVELS = 32
SMALLEST_PAGE, LARGEST_PAGE = 512, 1 << 15
FLAGS_OF_FREE_LIST = 0x4008
"""Integer keys, and the flag of a path that names the file itself."""

_head = Struct("=QHHHH").unpack_from
_meta = Struct("=IIQQIHHQQQQQIHHQQQQQQQ").unpack_from
_node = Struct("=HHHH").unpack_from
_number = Struct("=Q").unpack_from

META_SIZE = HEAD + 136
TRIES = 10
"""Attempts at reading meta pages, which another process may be writing."""


class Damaged(Exception):
    """A file is not as LMDB writes it; the message names the page and the fault."""


class Tree(NamedTuple):
    """What a meta page says of a tree."""

    flags: int
    depth: int
    branches: int
    leaves: int
    overflow: int
    records: int
    root: int


class Meta(NamedTuple):
    """The state of a file as of one transaction."""

    page_size: int
    free: Tree
    main: Tree
    last_page: int
    transaction: int

    @property
    def size(self) -> int:
        """Bytes up to the last page; the file may be shorter where the last pages are free."""
        return (self.last_page + 1) * self.page_size


def _parse_meta(page: bytes, number: int) -> Meta:
    """What meta page ``number`` says; raises Damaged."""

    def require(right: bool, wrong: str) -> None:
        if not right:
            raise Damaged("meta page %d: %s" % (number, wrong))

    found, _, kind, _, _ = _head(page)
    require(found == number and kind == META, "it is not a meta page")
    magic, version, _, map_size, page_size, *rest = _meta(page, HEAD)
    require(magic == MAGIC, "it is not of LMDB")
    require(version == VERSION, "version %d of LMDB's format, not %d" % (version, VERSION))
    free, main = Tree(*rest[:7]), Tree(*rest[8:15])
    last_page, transaction = rest[15:]
    sound = page_size & (page_size - 1) == 0 and SMALLEST_PAGE <= page_size <= LARGEST_PAGE
    require(sound, "pages of %d bytes" % page_size)
    require(map_size < 1 << 47, "a map of %d bytes" % map_size)
    require(1 <= last_page < 1 << 47, "%d is the last page" % last_page)
    require(transaction & 1 == number or not transaction, "transaction %d" % transaction)
    require(free.flags & ~FLAGS_OF_FREE_LIST == 0 and not main.flags, "unknown flags")
    for tree in (free, main):
        require(tree.depth <= MOST_LEVELS, "a tree of %d levels" % tree.depth)
        if tree.root == NONE:
            require(not (any(tree[1:6])), "a tree without a root")
        else:
            require(2 <= tree.root <= last_page, "%d is a root" % tree.root)
    return Meta(page_size, free, main, last_page, transaction)


def _read_metas(descriptor: int) -> Meta:
    start = os.pread(descriptor, META_SIZE, 0)
    if len(start) < META_SIZE:
        raise Damaged("cut off in page 0")
    first = _parse_meta(start, 0)
    page = os.pread(descriptor, META_SIZE, first.page_size)
    if len(page) < META_SIZE:
        raise Damaged("cut off in page 1")
    second = _parse_meta(page, 1)
    if first.page_size != second.page_size:
        raise Damaged("meta page 1: pages of %d bytes" % second.page_size)
    a, b = first.transaction, second.transaction
    if abs(a - b) != 1 and (a, b) != (0, 0):
        raise Damaged("meta pages of transactions %d and %d" % (a, b))
    return first if a > b else second


def read_meta(descriptor: int) -> Meta:
    """The newest state of an open file; raises Damaged."""
    for attempt in range(TRIES):
        try:
            return _read_metas(descriptor)
        except Damaged:
            time.sleep(0.001 * attempt)
    return _read_metas(descriptor)


def check_pages(descriptor: int, meta: Meta, whole: bool, free_list: bool) -> None:
    """Check the tree of the records, or without ``whole`` its outermost paths; raises Damaged.

    With ``free_list`` the list of free pages is checked as well; only a writer needs it.
    No page may be in use twice.
    """
    pages = _Pages(descriptor, meta)
    if free_list:
        pages.check_tree(meta.free, True, pages.check_freed)
    pages.check_tree(meta.main, whole, None)


class _Pages:
    """The pages of a file, and which of them have been seen in use."""

    def __init__(self, descriptor: int, meta: Meta) -> None:
        self._descriptor = descriptor
        self._meta = meta
        self._size = os.fstat(descriptor).st_size
        self._used = bytearray(b"\1\1") + bytearray(meta.last_page - 1)

    def _use(self, page: int, count: int = 1) -> None:
        """Mark pages as used; raises Damaged for one that is used already."""
        if not (2 <= page and page + count - 1 <= self._meta.last_page):
            raise Damaged("page %d is named, but %d is the last" % (page, self._meta.last_page))
        for i in range(page, page + count):
            if self._used[i]:
                raise Damaged("page %d is in use twice" % i)
            self._used[i] = 1

    def _read(self, page: int, size: int) -> bytes:
        """The first ``size`` bytes of a page, which is marked as used."""
        self._use(page)
        data = os.pread(self._descriptor, size, page * self._meta.page_size)
        if len(data) < size:
            raise Damaged("cut off: page %d is missing" % page)
        found = _head(data)[0]
        if found != page:
            raise Damaged("page %d: it has the number %d" % (page, found))
        return data

    def check_tree(
        self, tree: Tree, whole: bool, check: Optional[Callable[[int, bytes, bytes], None]]
    ) -> None:
        """Check the pages of a tree, and pass each (page, key, value) to ``check`` if given."""
        branches = leaves = overflow = records = 0
        todo: List[Tuple[int, int, bytes, Optional[bytes]]] = []
        if tree.root != NONE:
            todo.append((tree.root, 1, b"", None))
        while todo:
            page, level, low, high = todo.pop()
            data = self._read(page, self._meta.page_size)
            if level < tree.depth:
                branches += 1
                children = self._children(page, data, low, high, check is not None)
                if not whole:
                    children = [children[0], children[-1]]
                todo += [(child, level + 1, a, b) for child, a, b in reversed(children)]
            else:
                leaves += 1
                found, more = self._check_leaf(page, data, low, high, check)
                records += found
                overflow += more
        found_all = (branches, leaves, overflow, records)
        if whole and found_all != tree[2:6]:
            raise Damaged(
                "%d branch, %d leaf, %d overflow pages and %d records, not %d, %d, %d and %d"
                % (*found_all, *tree[2:6])
            )

    def _offsets(self, page: int, data: bytes, kind: int) -> "array[int]":
        """Where the nodes of a page begin, in the order of their keys."""
        _, _, found, lower, upper = _head(data)
        if found != kind:
            raise Damaged("page %d: it is of kind %d, not %d" % (page, found, kind))
        if lower & 1 or not HEAD < lower <= upper <= len(data):
            raise Damaged("page %d: free from %d to %d" % (page, lower, upper))
        offsets = array("H")
        offsets.frombytes(data[HEAD:lower])
        if min(offsets) < upper or max(offsets) > len(data) - 8:
            raise Damaged("page %d: an entry begins outside of its entries" % page)
        return offsets

    def _children(
        self, page: int, data: bytes, low: bytes, high: Optional[bytes], integers: bool
    ) -> List[Tuple[int, bytes, Optional[bytes]]]:
        """(child, its least key, the end of its keys) for each child of a branch page."""
        children = []
        keys = []
        total = 0
        for i, offset in enumerate(self._offsets(page, data, BRANCH)):
            first, second, third, key_size = _node(data, offset)
            children.append(first | second << 16 | third << 32)
            end = offset + 8 + key_size
            total += 8 + key_size + (key_size & 1)
            key = data[offset + 8 : end] if i else low
            if end > len(data) or key_size > LONGEST_KEY:
                raise Damaged("page %d, entry %d: it is too long" % (page, i))
            keys.append(_ordered(key) if integers and i else key)
        _check_filled(page, data, total)
        if len(children) < 2:
            raise Damaged("page %d: a branch with one child" % page)
        for i in range(1, len(keys)):
            if not keys[i - 1] < keys[i] or (high is not None and keys[i] >= high):
                raise Damaged("page %d, entry %d: its key is out of order" % (page, i))
        return list(zip(children, keys, [*keys[1:], high]))

    def _check_leaf(
        self,
        page: int,
        data: bytes,
        low: bytes,
        high: Optional[bytes],
        check: Optional[Callable[[int, bytes, bytes], None]],
    ) -> Tuple[int, int]:
        """Check a leaf; returns its numbers of records and of overflow pages."""
        page_size = len(data)
        total = overflow = 0
        last = b""
        offsets = self._offsets(page, data, LEAF)
        for i, offset in enumerate(offsets):
            first, second, flags, key_size = _node(data, offset)
            start = offset + 8
            middle = start + key_size
            size = first | second << 16
            end = middle + (8 if flags == LONG_VALUE else size)
            if flags & ~LONG_VALUE or not 0 < key_size <= LONGEST_KEY or end > page_size:
                raise Damaged("page %d, entry %d: invalid form or size" % (page, i))
            total += end - offset + (end - offset & 1)
            key = data[start:middle]
            if check is not None:
                key = _ordered(key)
            if not last < key or key < low or (high is not None and key >= high):
                raise Damaged("page %d, entry %d: its key is out of order" % (page, i))
            last = key
            value = b""
            if flags == LONG_VALUE:
                head, count = self._long_value(_number(data, middle)[0], size)
                overflow += count
                if check is not None:
                    value = os.pread(self._descriptor, size, head * page_size + HEAD)
            elif check is not None:
                value = data[middle:end]
            if check is not None:
                check(page, key, value)
        _check_filled(page, data, total)
        return len(offsets), overflow

    def _long_value(self, page: int, size: int) -> Tuple[int, int]:
        """Check a value on overflow pages; returns its first page and their number."""
        head = self._read(page, HEAD)
        _, _, kind, low, high = _head(head)
        count = int.from_bytes(head[12:16], "little" if _LITTLE else "big")
        if kind != OVERFLOW or not size <= count * self._meta.page_size - HEAD:
            raise Damaged("page %d: a value of %d bytes is not there" % (page, size))
        self._use(page + 1, count - 1)
        if (page + count) * self._meta.page_size > self._size:
            raise Damaged("cut off: page %d is missing" % (page + count - 1))
        return page, count

    def check_freed(self, page: int, key: bytes, value: bytes) -> None:
        """Check a record of the free list, and mark its pages as used."""
        freed = array("Q")
        freed.frombytes(value[: len(value) // 8 * 8])
        transaction = int.from_bytes(key, "big")
        if not freed or not freed[0] < len(freed) or transaction > self._meta.transaction:
            raise Damaged("page %d: a bad record of free pages" % page)
        pages = freed[1 : 1 + freed[0]]
        for above, below in zip(pages, pages[1:]):
            if above <= below:
                raise Damaged("page %d: free pages are out of order" % page)
        for free_page in pages:
            self._use(free_page)


_LITTLE = array("H", [1]).tobytes() == b"\1\0"


def _ordered(key: bytes) -> bytes:
    """An integer key as bytes that sort as the integer does."""
    if len(key) != 8:
        raise Damaged("a record of free pages under a key of %d bytes" % len(key))
    return key[::-1] if _LITTLE else key


def _check_filled(page: int, data: bytes, total: int) -> None:
    """Raise Damaged unless the nodes of a page fill it to its end."""
    if total != len(data) - _head(data)[4]:
        raise Damaged("page %d: its entries do not fill it" % page)
