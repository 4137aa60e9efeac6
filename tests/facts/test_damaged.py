"""Databases that are cut off or damaged: refused in one line, never misread."""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path
from typing import Any, Callable, Dict, Union

import pytest
from breakage import DAMAGES, PAGE, experiment, make_database
from helpers.processes import start_child
from helpers.tools import call

from pns.facts import FactsError, database, open_facts
from pns.facts.lmdb_pages import Damaged, Meta, check_pages, read_meta

LONG = b"0" * 9000
Bytes = Union[bytes, bytearray]


def test_random_damage(lmdb: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert experiment(tmp_path, "kayles", len(DAMAGES), 7) == []


@pytest.fixture
def whole(lmdb: Any, tmp_path: Path) -> Path:
    """A database with branches, long values and free pages."""
    path = tmp_path / "f.lmdb"
    with open_facts(str(path), "nim") as facts:
        for i in range(1000):
            facts.add(b"%d" % i, i % 7)
            if i % 100 == 0:
                facts.flush()
        facts.add(LONG, 5)
    return path


def pages_of(data: Bytes, kind: int) -> "list[int]":
    """The pages of a kind, in use or free."""
    heads = [struct.unpack_from("=QHH", data, start) for start in range(0, len(data), PAGE)]
    return [i for i, head in enumerate(heads) if head[0] == i and head[2] == kind]


def root_of(data: Bytes) -> int:
    """The root page of the tree of records."""
    fields = [struct.unpack_from("=QQQ", data, i * PAGE + 128) for i in (0, 1)]
    return int(max(fields, key=lambda field: field[2])[0])


def leaf_of(data: Bytes, child: int) -> int:
    """The leaf that is the root's child number ``child``."""
    start = root_of(data) * PAGE
    (offset,) = struct.unpack_from("=H", data, start + 16 + 2 * child)
    return int(struct.unpack_from("=I", data, start + offset)[0])


def head(page: Callable[[Bytes], int], offset: int, value: int) -> Callable[[bytearray], None]:
    """A damage: write two bytes into the head of a page."""
    return lambda data: struct.pack_into("=H", data, page(data) * PAGE + offset, value)


def meta(offset: int, form: str, value: int) -> Callable[[bytearray], None]:
    """A damage: write a number into both meta pages."""

    def damage(data: bytearray) -> None:
        for page in (0, 1):
            struct.pack_into(form, data, page * PAGE + offset, value)

    return damage


def swap_leaves(data: bytearray) -> None:
    a, b = leaf_of(data, 1) * PAGE, leaf_of(data, 2) * PAGE
    data[a : a + PAGE], data[b : b + PAGE] = data[b : b + PAGE], data[a : a + PAGE]


def swap_entries(data: bytearray) -> None:
    start = leaf_of(data, 1) * PAGE + 16
    data[start : start + 4] = data[start + 2 : start + 4] + data[start : start + 2]


def older_transaction(data: bytearray) -> None:
    start = (0 if data[PAGE + 144] > data[144] else 1) * PAGE + 144
    data[start] += 4


DAMAGED: Dict[str, "tuple[Callable[[bytearray], None], str]"] = {
    "missing": (lambda data: data.__delitem__(slice(len(data) // 2, None)), "cut off"),
    "one page": (lambda data: data.__delitem__(slice(PAGE, None)), "cut off in page 1"),
    "magic": (meta(16, "=I", 7), "not an LMDB database"),
    "version": (meta(20, "=I", 9), "meta page 0: version 9 of LMDB's format, not 1"),
    "map": (meta(32, "=Q", 1 << 62), "meta page 0: a map of"),
    "page size": (meta(40, "=I", 0), "meta page 0: pages of 0 bytes"),
    "flags": (meta(92, "=H", 4), "meta page 0: unknown flags"),
    "depth": (meta(94, "=H", 99), "meta page 0: a tree of 99 levels"),
    "leaves": (meta(104, "=Q", 9), "branch, .* leaf, .* and 1002 records, not"),
    "entries": (meta(120, "=Q", 5), "1002 records, not .* 5$|1002 records, not .* and 5"),
    "root": (meta(128, "=Q", 10**6), "meta page 0: 1000000 is a root"),
    "transaction": (older_transaction, "meta pages of transactions"),
    "kind": (head(root_of, 10, 2), "it is of kind 2, not 1"),
    "number": (head(root_of, 0, 999), "it has the number 999"),
    "bounds": (head(root_of, 12, 3), "free from 3 to"),
    "offset": (head(root_of, 18, 3), "an entry begins outside"),
    "leaf": (head(lambda data: leaf_of(data, 1), 14, 1000), "do not fill it|outside"),
    "swapped pages": (swap_leaves, "page .*: it has the number"),
    "swapped entries": (swap_entries, "page .*, entry .*: its key is out of order"),
    "long value": (head(lambda data: pages_of(data, 4)[-1], 12, 1), "a value of 9001 bytes"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_the_damage_is_named(whole: Path, kind: str) -> None:
    damage, wrong = DAMAGED[kind]
    data = bytearray(whole.read_bytes())
    damage(data)
    whole.write_bytes(data)
    for readonly in (True, False):
        with pytest.raises(FactsError, match=wrong) as caught:
            open_facts(str(whole), "nim", readonly)
        text = str(caught.value)
        assert text.startswith("%s: " % whole) and text.count(str(whole)) == 1
        assert "\n" not in text
    assert whole.read_bytes() == data


def test_the_list_of_free_pages_matters_to_writers(whole: Path) -> None:
    data = bytearray(whole.read_bytes())
    fields = [struct.unpack_from("=QQQ", data, i * PAGE + 80) for i in (0, 1)]
    newest = int(data[PAGE + 144] > data[144])
    start = fields[newest][0] * PAGE
    (offset,) = struct.unpack_from("=H", data, start + 16)
    struct.pack_into("=Q", data, start + offset + 8 + 8 + 8, root_of(data))
    whole.write_bytes(data)
    with open_facts(str(whole), "nim", readonly=True) as facts:
        assert len(list(facts.items())) == 1001
    with pytest.raises(FactsError, match="in use twice|out of order"):
        open_facts(str(whole), "nim")


def test_a_large_file_is_checked_before_all_of_it_is_read(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "CHECKED_AT_ONCE", 0)
    data = bytearray(whole.read_bytes())
    swap_leaves(data)
    whole.write_bytes(data)
    with open_facts(str(whole), "nim", readonly=True) as facts:
        assert facts.get(b"0") == 0 and facts.get(b"999") == 5
        assert not facts.is_checked
        with pytest.raises(FactsError, match="it has the number"):
            facts.items()


def test_nothing_is_checked_twice(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_facts(str(whole), "nim", readonly=True) as facts:
        assert facts.is_checked
    monkeypatch.setattr(database, "check_pages", None)
    with open_facts(str(whole), "nim", readonly=True, is_checked=True) as facts:
        assert len(list(facts.items())) == 1001
        if not facts.fork()[0]:
            os._exit(len(list(facts.items())) != 1001)
        assert os.wait()[1] == 0


def test_pages_at_the_end_that_are_free_may_be_missing(lmdb: Any, tmp_path: Path) -> None:
    path = tmp_path / "f"
    with open_facts(str(path), "nim") as facts:
        facts.add_all(lambda: [(b"%d" % i, 0) for i in range(100, 900)])
        for i in range(100):
            facts.add(b"%d" % i, 0)
            facts.flush()
    data = path.read_bytes()
    with open(path, "rb") as stream:
        last = read_meta(stream.fileno()).last_page
    cut = 0
    for pages in range(last, 3, -1):
        path.write_bytes(data[: pages * PAGE])
        with open(path, "rb") as stream:
            try:
                check_pages(stream.fileno(), read_meta(stream.fileno()), True, False)
            except Damaged:
                break
        cut += 1
        with open_facts(str(path), "nim", readonly=True) as facts:
            assert len(dict(facts.items())) == 900
    with pytest.raises(FactsError, match="cut off: page"):
        open_facts(str(path), "nim", readonly=True)


WRITE = """
import time
end = time.monotonic() + 20
with open_facts(path, "nim") as facts:
    print("open")
    for i in range(10**6):
        if time.monotonic() > end:
            break
        for j in range(40):
            facts.add(b"%d|" % (i * 7919 % 100003) + b"%d" % j * (1 + i % 300), j)
        facts.flush()
"""


@pytest.mark.parametrize("limit", [1 << 30, 0])
def test_a_file_that_another_process_grows(
    lmdb: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(database, "CHECKED_AT_ONCE", limit)
    path = tmp_path / "f"
    child = start_child(WRITE, path)
    assert child.stdout is not None and child.stdout.readline() == "open\n"
    try:
        end, opened, last = time.monotonic() + 1.5, 0, 0
        while time.monotonic() < end or opened < 3:
            with open_facts(str(path), "nim", readonly=True) as facts:
                count = sum(1 for _ in facts.items())
                assert count >= last
                last = count
            opened += 1
        assert child.poll() is None and last > 100
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


@pytest.mark.parametrize("changes", [3, 10**6])
def test_a_reader_without_a_lock_checks_again(
    whole: Path, monkeypatch: pytest.MonkeyPatch, changes: int
) -> None:
    """A writer that does not see the reader may use a page again, but then the file has changed."""
    reads = 0

    def read(descriptor: int) -> Meta:
        nonlocal reads
        reads += 1
        found = read_meta(descriptor)
        return found._replace(transaction=found.transaction + 2 * min(reads, changes))

    def check(*arguments: Any) -> None:
        if reads <= changes:
            raise Damaged("page 7: other contents")
        check_pages(*arguments)

    monkeypatch.setattr(database, "read_meta", read)
    monkeypatch.setattr(database, "check_pages", check)
    if changes > 3:
        with pytest.raises(FactsError, match="page 7"):
            open_facts(str(whole), "nim", readonly=True)
        assert reads < 20
    else:
        open_facts(str(whole), "nim", readonly=True).close()


def test_a_refused_lock_file_is_named_once(lmdb: Any, tmp_path: Path) -> None:
    path = tmp_path / "f.lmdb"
    make_database(path, "kayles")
    Path(str(path) + "-lock").unlink()
    Path(str(path) + "-lock").mkdir()
    done = call("grundy.py", "stats", "--game", "kayles", "--db", path)
    assert done.status == 2 and done.errors.count(str(path)) == 1
