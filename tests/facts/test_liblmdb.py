"""``liblmdb`` against py-lmdb: each test holds for both, so their calls agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def env(lmdb: Any, tmp_path: Path) -> Any:
    environment = lmdb.open(str(tmp_path / "file"), map_size=1 << 20, subdir=False)
    yield environment
    environment.close()


def fill(env: Any, *keys: bytes) -> None:
    with env.begin(write=True) as txn:
        for key in keys:
            assert txn.put(key, b"value of " + key)


def test_get_and_put(env: Any) -> None:
    fill(env, b"a", b"b" * 511)
    with env.begin() as txn:
        assert txn.get(b"a") == b"value of a"
        assert txn.get(b"b" * 511) == b"value of " + b"b" * 511
        assert txn.get(b"c") is None
        assert txn.get(b"a") == b"value of a"


def test_zero_bytes_and_empty_values(env: Any) -> None:
    with env.begin(write=True) as txn:
        txn.put(b"\0a\0", b"")
        txn.put(b"\0a", b"\0\0")
    with env.begin() as txn:
        assert txn.get(b"\0a\0") == b""
        assert txn.get(b"\0a") == b"\0\0"


def test_put_overwrites_only_when_it_may(env: Any) -> None:
    fill(env, b"a")
    with env.begin(write=True) as txn:
        assert not txn.put(b"a", b"other", overwrite=False)
        assert txn.get(b"a") == b"value of a"
        assert txn.put(b"a", b"other")
        assert txn.get(b"a") == b"other"


def test_keys_of_wrong_length(lmdb: Any, env: Any) -> None:
    for key in (b"", b"k" * 512):
        with pytest.raises(lmdb.BadValsizeError), env.begin(write=True) as txn:
            txn.put(key, b"")


def test_cursor(env: Any) -> None:
    fill(env, b"a", b"c", b"e")
    with env.begin() as txn:
        cursor = txn.cursor()
        assert cursor.set_range(b"b")
        assert list(cursor.iternext()) == [(b"c", b"value of c"), (b"e", b"value of e")]
        assert cursor.set_range(b"c")
        assert next(iter(cursor.iternext()))[0] == b"c"
        assert not cursor.set_range(b"f")
        cursor.close()


def test_a_transaction_is_dropped_by_abort_and_by_an_error(lmdb: Any, env: Any) -> None:
    txn = env.begin(write=True)
    txn.put(b"a", b"")
    txn.abort()
    with pytest.raises(ZeroDivisionError), env.begin(write=True) as txn:
        txn.put(b"a", b"")
        raise ZeroDivisionError
    with env.begin() as txn:
        assert txn.get(b"a") is None
    with pytest.raises(lmdb.Error):
        txn.get(b"a")


def test_a_snapshot_does_not_change(env: Any) -> None:
    reader = env.begin()
    fill(env, b"a")
    assert reader.get(b"a") is None
    reader.abort()
    reader = env.begin()
    assert reader.get(b"a") is not None
    reader.abort()


def test_nothing_is_put_by_a_reader(lmdb: Any, env: Any) -> None:
    with pytest.raises(lmdb.ReadonlyError), env.begin() as txn:
        txn.put(b"a", b"")


def test_the_map_fills_and_grows(lmdb: Any, env: Any) -> None:
    def put_much() -> None:
        with env.begin(write=True) as txn:
            for i in range(1000):
                txn.put(b"%d" % i, b"v" * 1500)

    with pytest.raises(lmdb.MapFullError):
        put_much()
    env.set_mapsize(4 * env.info()["map_size"])
    put_much()
    assert env.info()["map_size"] == 4 << 20
    assert env.stat()["entries"] == 1000
    assert env.stat()["psize"] * env.stat()["leaf_pages"] > 1000 * 1500


def test_map_size_zero_is_what_the_file_says(lmdb: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    env = lmdb.open(path, map_size=8 << 20, subdir=False)
    fill(env, b"a")
    env.close()
    env = lmdb.open(path, map_size=0, subdir=False)
    assert env.info()["map_size"] == 8 << 20
    env.set_mapsize(0)
    assert env.info()["map_size"] == 8 << 20
    env.close()


def test_no_reader_is_dead(env: Any) -> None:
    assert env.reader_check() == 0


def test_opening_fails(lmdb: Any, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_bytes(b"no database" * 1000)
    with pytest.raises(lmdb.InvalidError):
        lmdb.open(str(foreign), map_size=0, subdir=False)
    with pytest.raises(lmdb.Error):
        lmdb.open(str(tmp_path / "none"), map_size=0, subdir=False, readonly=True)


def test_read_only_and_without_lock(lmdb: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    env = lmdb.open(path, map_size=0, subdir=False)
    fill(env, b"a")
    env.close()
    (tmp_path / "file-lock").unlink()
    env = lmdb.open(path, map_size=0, subdir=False, readonly=True, lock=False)
    with env.begin() as txn:
        assert txn.get(b"a") == b"value of a"
    with pytest.raises(lmdb.ReadonlyError):
        env.begin(write=True)
    env.close()
    assert not (tmp_path / "file-lock").exists()


def test_a_closed_environment(lmdb: Any, env: Any) -> None:
    env.close()
    with pytest.raises(lmdb.Error):
        env.begin()


def test_the_first_library_that_there_is_is_loaded() -> None:
    liblmdb = pytest.importorskip("pns.facts.liblmdb")
    found = liblmdb.load(("no-such-library.dylib", *liblmdb.NAMES))
    assert found.mdb_strerror(0) != liblmdb.ffi.NULL
    with pytest.raises(ImportError, match="there is no a.so or b.so"):
        liblmdb.load(("a.so", "b.so"))
