"""Facts in memory and in LMDB: what is stored, and which files are refused."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import pytest
from helpers.processes import run_child

from pns.facts import (
    Contradiction,
    Facts,
    FactsError,
    LmdbMissing,
    database,
    default_path,
    lmdb_facts,
    open_facts,
)


def some_facts(count: int, seed: int = 1) -> Dict[bytes, int]:
    """Facts under texts of all lengths, those too long for a key among them."""
    rng = random.Random(seed)
    lengths = [1, 2, 3, 10, 40, 510, 511, 512, 513, 2000]
    return {
        bytes(rng.choices(b"0123ABab|.*", k=rng.choice(lengths))): rng.randrange(251)
        for _ in range(count)
    }


def tree(directory: Path) -> Dict[str, bytes]:
    """The contents of every file below a directory."""
    return {str(path): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_memory() -> None:
    with Facts("nim") as store:
        known = some_facts(300)
        for land, number in known.items():
            store.add(land, number)
        assert {land: store.get(land) for land in known} == known
        assert store.get(b"other") == -1
        assert list(store.items()) == sorted(known.items())
        store.tick()
        store.flush()
        assert (len(store), store.new, store.stored) == (len(known), len(known), 0)


def test_every_store_refuses_a_contradiction(lmdb: Any, tmp_path: Path) -> None:
    for store in (Facts("nim"), open_facts(str(tmp_path / "f"), "nim")):
        long = b"0" * 600
        store.add(b"0*5", 1)
        store.add(long, 2)
        for _ in range(2):
            store.add(b"0*5", 1)
            store.add(long, 2)
            store.flush()
        for land, known in ((b"0*5", 1), (long, 2)):
            with pytest.raises(Contradiction) as caught:
                store.add(land, 3)
            assert (caught.value.land, caught.value.known, caught.value.number) == (land, known, 3)
            assert store.get(land) == known
        assert store.new == 2
        for number in (-1, 251):
            with pytest.raises(FactsError, match="0 to 250"):
                store.add(b"0*6", number)
        store.close()


def test_facts_are_withdrawn(lmdb: Any, tmp_path: Path) -> None:
    """Only if they have the given numbers, whether they are stored or wait."""
    path, long = str(tmp_path / "f"), b"0" * 600
    for store in (Facts("nim"), open_facts(path, "nim")):
        for land, number in ((b"1", 1), (b"2", 2), (long, 3), (b"4", 4)):
            store.add(land, number)
        store.flush()
        store.add(b"5", 5)
        store.add(b"6", 6)
        store.withdraw([(b"2", 2), (b"4", 0), (long, 3), (b"6", 6), (b"7", 7)])
        assert dict(store.items()) == {b"1": 1, b"4": 4, b"5": 5}
        assert (store.get(b"2"), store.get(long), store.new) == (-1, -1, 3)
        store.close()
    with open_facts(path, "nim", readonly=True) as store:
        assert len(store) == 3


def test_waiting_facts_are_dropped_after_a_contradiction(lmdb: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "f")
    with open_facts(path, "nim") as store:
        store.add(b"1", 1)
        store.flush()
        store.add(b"2", 2)
        with pytest.raises(Contradiction):
            store.add(b"1", 3)
    with open_facts(path, "nim") as store:
        assert list(store.items()) == [(b"1", 1)]


def test_facts_are_stored_and_read_back(lmdb: Any, tmp_path: Path) -> None:
    path, known = str(tmp_path / "new" / "directories" / "f.lmdb"), some_facts(3000)
    (tmp_path / "new" / "directories").mkdir(parents=True)
    with open_facts(path, "nim") as store:
        assert store.get(b"0") == -1
        for i, (land, number) in enumerate(known.items()):
            store.add(land, number)
            assert store.get(land) == number
            if i % 1000 == 700:
                store.flush()
        assert len(store) == store.new == len(known)
        assert 1000 < store.stored < len(known)
    assert store.stored == len(known)
    for readonly in (False, True):
        with open_facts(path, "nim", readonly) as store:
            assert {land: store.get(land) for land in known} == known
            assert (len(store), store.new, store.stored) == (len(known), 0, 0)
            assert list(store.items()) == sorted(known.items())
            assert store.get(b"other") == store.get(b"other" * 200) == -1


def test_items_go_on_while_facts_are_added(
    lmdb: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "CHUNK", 7)
    known = some_facts(50)
    with open_facts(str(tmp_path / "f"), "nim") as store:
        for land, number in known.items():
            store.add(land, number)
        seen: List[bytes] = []
        for land, number in store.items():
            assert known[land] == number
            seen.append(land)
            store.add(b"\x21%d" % len(seen), 0)  # below all that is still to come
            store.flush()
        assert seen == sorted(known)


def test_tick_flushes_once_a_second(
    lmdb: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(lmdb_facts, "monotonic", lambda: now)
    with open_facts(str(tmp_path / "f"), "nim") as store:
        store.add(b"1", 1)
        now += 0.9
        store.tick()
        assert store.stored == 0
        now += 0.1
        store.tick()
        assert store.stored == 1
        store.add(b"2", 2)
        store.tick()
        assert store.stored == 1


def test_lands_with_one_digest_are_distinguished(
    lmdb: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lmdb_facts, "long_key", lambda land: b"\x01the same for all")
    with open_facts(str(tmp_path / "f"), "nim") as store:
        store.add(b"a" * 512, 1)
        store.flush()
        assert store.get(b"a" * 512) == 1
        with pytest.raises(FactsError, match="digest is that of another land"):
            store.get(b"b" * 512)


def test_the_map_grows(lmdb: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "f")
    with open_facts(path, "nim") as store:
        for i in range(20000):
            store.add(b"%d|" % i + b"0" * 200, i % 5)
    with open_facts(path, "nim", readonly=True) as store:
        assert len(store) == 20000
        assert all(store.get(b"%d|" % i + b"0" * 200) == i % 5 for i in range(20000))


def test_add_all_is_all_or_nothing(lmdb: Any, tmp_path: Path) -> None:
    path, known = str(tmp_path / "f"), some_facts(9000)
    with open_facts(path, "nim") as store:
        store.add(b"zz", 7)
        with pytest.raises(Contradiction) as caught:
            store.add_all(lambda: [*known.items(), (b"zz", 8)])
        assert (caught.value.known, caught.value.number) == (7, 8)
        with pytest.raises(ZeroDivisionError):
            store.add_all(lambda: ((land, 1 // 0) for land in known))
        assert list(store.items()) == [(b"zz", 7)]
        assert store.add_all(lambda: [*known.items(), (b"zz", 7)]) == len(known)
        assert store.add_all(lambda: known.items()) == 0
        assert store.new == store.stored == len(store) == len(known) + 1


def test_read_only(lmdb: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "f")
    with open_facts(path, "nim") as store:
        store.add(b"1", 1)
    with open_facts(path, "nim", readonly=True) as store:
        assert store.get(b"1") == 1
        with pytest.raises(FactsError, match="reading only"):
            store.add(b"2", 2)
        store.flush()
        store.tick()


def test_a_directory_with_lmdb_in_it(lmdb: Any, tmp_path: Path) -> None:
    place = tmp_path / "directory"
    place.mkdir()
    lmdb.open(str(place), map_size=0).close()
    with open_facts(str(place), "nim") as store:
        store.add(b"1", 1)
    assert store.path == str(place / "data.mdb")
    with open_facts(str(place), "nim", readonly=True) as store:
        assert store.get(b"1") == 1
    assert sorted(os.listdir(place)) == ["data.mdb", "lock.mdb"]


def test_a_process_opens_a_file_only_once(lmdb: Any, tmp_path: Path) -> None:
    path, link = tmp_path / "f", tmp_path / "link"
    with open_facts(str(path), "nim") as store:
        link.symlink_to(path)
        for name in (path, link):
            with pytest.raises(FactsError, match="open in this process"):
                open_facts(str(name), "nim", readonly=True)
    store.close()
    with pytest.raises(FactsError, match="closed"):
        store.flush()
    open_facts(str(link), "nim").close()


def test_a_store_is_not_used_after_a_fork(lmdb: Any, tmp_path: Path) -> None:
    code = """
import os
facts = open_facts(path, "nim")
facts.add(b"1", 1)
if os.fork() == 0:
    try:
        facts.flush()
    except FactsError as error:
        print(error)
    facts.close()
    os._exit(0)
os.wait()
facts.add(b"2", 2)
facts.close()
print(list(open_facts(path, "nim").items()))
"""
    refused, items = run_child(code, tmp_path / "f").splitlines()
    assert "fork" in refused
    assert items == "[(b'1', 1), (b'2', 2)]"


def other_lmdb(path: Path, key: bytes, value: bytes) -> None:
    """An LMDB file with one record."""
    env = database.LMDB.open(str(path), map_size=0, subdir=False)
    with env.begin(write=True) as txn:
        txn.put(key, value)
    env.close()
    Path(str(path) + "-lock").unlink()


def header(**fields: object) -> Callable[[Path], None]:
    return lambda path: other_lmdb(path, database.HEADER, json.dumps(fields).encode())


REFUSED: Dict[str, Tuple[Callable[[Path], object], str]] = {
    "text": (lambda path: path.write_bytes(b"a text\n"), "not an LMDB"),
    "zeros": (lambda path: path.write_bytes(bytes(8192)), "not an LMDB"),
    "short": (lambda path: path.write_bytes(bytes(16) + database.MAGIC), "cut off"),
    "directory": (lambda path: path.mkdir(), "directory without an LMDB"),
    "pipe": (os.mkfifo, "not a regular file"),
    "other game": (header(format=1, game="chess"), "facts of chess, not of nim"),
    "other format": (header(format=2, game="nim"), "format 2"),
    "other header": (header(version=1), "not one of facts"),
    "no header": (lambda path: other_lmdb(path, b"key", b"value"), "not one of facts"),
    "header of text": (lambda path: other_lmdb(path, database.HEADER, b"x"), "not one of facts"),
}


@pytest.mark.parametrize("readonly", [False, True])
@pytest.mark.parametrize("kind", REFUSED)
def test_other_files_are_refused_and_left_alone(
    lmdb: Any, tmp_path: Path, kind: str, readonly: bool
) -> None:
    path = tmp_path / "f"
    make, wrong = REFUSED[kind]
    make(path)
    before = tree(tmp_path)
    with pytest.raises(FactsError, match=wrong) as caught:
        open_facts(str(path), "nim", readonly)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert tree(tmp_path) == before


def test_a_file_that_is_cut_off(lmdb: Any, tmp_path: Path) -> None:
    whole, part = tmp_path / "whole", tmp_path / "part"
    with open_facts(str(whole), "nim") as store:
        store.add_all(lambda: some_facts(3000).items())
    shutil.copy(whole, part)
    os.truncate(part, part.stat().st_size // 8192 * 4096)
    for readonly in (False, True):
        with pytest.raises(FactsError, match="cut off"):
            open_facts(str(part), "nim", readonly)


def test_missing_and_empty_files(lmdb: Any, tmp_path: Path) -> None:
    with pytest.raises(FactsError, match="no such database"):
        open_facts(str(tmp_path / "none"), "nim", readonly=True)
    assert not any(tmp_path.iterdir())
    empty = tmp_path / "empty"
    empty.touch()
    with pytest.raises(FactsError, match="empty"):
        open_facts(str(empty), "nim", readonly=True)
    assert empty.read_bytes() == b""
    open_facts(str(empty), "nim").close()
    open_facts(str(empty), "nim", readonly=True).close()


@pytest.mark.parametrize("path", ["file/below", "a\0b", "n" * 300, "/proc/none/f"])
def test_impossible_paths(lmdb: Any, tmp_path: Path, path: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FactsError):
        open_facts(str(tmp_path / path), "nim")


def test_without_lmdb(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(database, "LMDB", None)
    with pytest.raises(LmdbMissing, match="apt-get install liblmdb0"):
        open_facts(str(tmp_path / "f"), "nim")


def test_a_broken_module_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> str:
        if name == "lmdb":
            raise AttributeError("a wheel for another interpreter")
        return name

    monkeypatch.setattr(database, "import_module", broken)
    assert database.find_lmdb() == "pns.facts.liblmdb"

    def missing(name: str) -> str:
        raise ImportError(name)

    monkeypatch.setattr(database, "import_module", missing)
    assert database.find_lmdb() is None


def test_default_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_path("nim") == "/data/pns/nim.lmdb"
    monkeypatch.setenv("HOME", "/home/u")
    for unusable in ("", "relative"):
        monkeypatch.setenv("XDG_DATA_HOME", unusable)
        assert default_path("nim") == "/home/u/.local/share/pns/nim.lmdb"
