"""Databases used by several processes, and failures: kill -9, full and read-only disks."""

from __future__ import annotations

import errno
import os
import random
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Iterator

import pytest
from helpers.processes import run_child, run_python, start_child

from pns.facts import Contradiction, FactsError, LmdbFacts, database, lmdb_facts, open_facts

NOBODY = 65534

WRITE = """
start, stop, size = map(int, arguments)
facts = open_facts(path, "nim")
for i in range(start, stop):
    facts.add(b"%d|" % i + b"0" * size, i % 251)
    if i % 50 == 49:
        facts.flush()
        print(start + facts.stored)
facts.close()
"""


def check_facts(store: LmdbFacts, count: int, size: int) -> None:
    """Check that the first ``count`` facts of WRITE are stored, and only facts of WRITE."""
    for i in range(count):
        assert store.get(b"%d|" % i + b"0" * size) == i % 251
    for land, number in store.items():
        assert number == int(land.partition(b"|")[0]) % 251


def test_kill_9_loses_nothing_that_was_stored(lmdb: Any, tmp_path: Path) -> None:
    path, stored, size, rng = tmp_path / "f", 0, 30, random.Random(9)
    for _ in range(8):
        child = start_child(WRITE, path, stored, 10**9, size)
        assert child.stdout is not None
        before, stored = stored, int(child.stdout.readline())
        time.sleep(rng.random() * 0.1)
        child.kill()
        for line in child.stdout.read().splitlines(keepends=True):
            if line.endswith("\n"):
                stored = int(line)
        assert child.wait() == -9
        with open_facts(str(path), "nim", readonly=True) as store:
            for i in range(before, stored):
                assert store.get(b"%d|" % i + b"0" * size) == i % 251
    with open_facts(str(path), "nim", readonly=True) as store:
        check_facts(store, stored, size)


def test_a_file_that_grows_while_it_is_opened(
    lmdb: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "f")
    with open_facts(path, "nim") as store:
        store.add(b"1", 1)
    really_open, times = lmdb.open, 0

    def grown(*arguments: Any, **options: Any) -> Any:
        nonlocal times
        times += 1
        if times % 2:
            raise lmdb.MapResizedError("mdb_txn_begin")
        return really_open(*arguments, **options)

    monkeypatch.setattr(lmdb, "open", grown)
    for readonly in (False, True):
        with open_facts(path, "nim", readonly=readonly) as store:
            assert store.get(b"1") == 1
    assert times >= 6


def test_two_writers(lmdb: Any, tmp_path: Path) -> None:
    path, size = tmp_path / "f", 300
    ranges = [(0, 6000), (4000, 10000)]
    children = [start_child(WRITE, path, start, stop, size) for start, stop in ranges]
    while not (path.exists() and path.stat().st_size):
        time.sleep(0.01)
    reads = 0
    while any([child.poll() is None for child in children]):
        try:
            with open_facts(str(path), "nim", readonly=True) as store:
                check_facts(store, 0, size)
                reads += 1
        except FactsError as error:
            assert "empty" in str(error)
    for child in children:
        child.communicate()
        assert child.returncode == 0
    assert reads
    with open_facts(str(path), "nim") as store:
        check_facts(store, 10000, size)
        assert len(store) == 10000


def test_facts_of_others_are_read_and_their_map_adopted(
    lmdb: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, size = tmp_path / "f", 300
    monkeypatch.setattr(lmdb_facts, "COMMIT_SECONDS", 0.0)
    with open_facts(str(path), "nim") as store:
        store.add(b"0|" + b"0" * size, 0)
        store.flush()
        run_child(WRITE, path, 0, 9000, size)
        assert store.get(b"1|" + b"0" * size) == -1
        store.tick()
        check_facts(store, 9000, size)
        store.add(b"9000|" + b"0" * size, 9000 % 251)
        store.flush()
        check_facts(store, 9001, size)
        assert len(store) == 9001


def test_a_contradiction_between_processes(lmdb: Any, tmp_path: Path) -> None:
    path = tmp_path / "f"
    with open_facts(str(path), "nim") as store:
        run_child("facts = open_facts(path, 'nim'); facts.add(b'7', 7); facts.close()", path)
        store.add(b"7", 3)
        store.add(b"8", 8)
        with pytest.raises(Contradiction) as caught:
            store.flush()
        assert (caught.value.land, caught.value.known, caught.value.number) == (b"7", 7, 3)
        assert store.get(b"7") == 7
    with open_facts(str(path), "nim") as store:
        assert list(store.items()) == [(b"7", 7)]


def test_py_lmdb_and_liblmdb_share_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    try:
        py_lmdb, liblmdb = import_module("lmdb"), import_module("pns.facts.liblmdb")
    except Exception as error:
        pytest.skip("not both are here: %s" % error)
    monkeypatch.setattr(database, "LMDB", py_lmdb)
    with open_facts(str(path), "nim") as store:
        check_facts(store, 0, 300)
        with monkeypatch.context() as other:
            other.setattr(database, "LMDB", liblmdb)
            run_child(WRITE, path, 0, 9000, 300)
        store.flush()
        check_facts(store, 9000, 300)


FILE_LIMIT = """
import os, resource
facts = open_facts(path, "nim")
facts.add(b"1", 1)
facts.flush()
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(path) + 100_000, hard))
i = 2
while True:
    for i in range(i, i + 100):
        facts.add(b"%d|" % i + b"0" * 200, i % 251)
    try:
        facts.flush()
    except FactsError as error:
        print(error)
        break
print(facts.stored, facts.new)
assert all(facts.get(b"%d|" % j + b"0" * 200) == j % 251 for j in range(2, i + 1))
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
facts.close()
print(facts.stored)
"""


def test_a_file_that_may_not_grow(lmdb: Any, tmp_path: Path) -> None:
    path = tmp_path / "f"
    message, before, after = run_child(FILE_LIMIT, path).splitlines()
    assert message.startswith(str(path)) and "has room" in message
    stored, new = map(int, before.split())
    assert 1 < stored < new == int(after)
    with open_facts(str(path), "nim", readonly=True) as store:
        assert len(store) == new


@contextmanager
def small_disk(place: Path) -> Iterator[None]:
    """Mount a file system of 400 kB at ``place``; skips the test without the right to."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "none", str(place)]
    place.mkdir()
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no right to mount a file system here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk(lmdb: Any, tmp_path: Path) -> None:
    place = tmp_path / "disk"
    with small_disk(place):
        path, count = str(place / "f"), 0
        with open_facts(path, "nim") as store:
            with pytest.raises(FactsError, match="has room"):
                while True:
                    for i in range(count, count + 100):
                        store.add(b"%d|" % i, i % 251)
                    count += 100
                    store.flush()
            stored = store.stored
            assert 0 < stored < store.new
            subprocess.run(["mount", "-o", "remount,size=8m", str(place)], check=True)
            store.flush()
            assert stored < store.stored == store.new
            check_facts(store, count, 0)
        with open_facts(path, "nim") as store:
            check_facts(store, count, 0)


def test_a_file_system_mounted_read_only(lmdb: Any, tmp_path: Path) -> None:
    place = tmp_path / "disk"
    with small_disk(place):
        path = str(place / "f")
        with open_facts(path, "nim") as store:
            store.add(b"1", 1)
        os.remove(path + "-lock")
        (place / "directory").mkdir()
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        with open_facts(path, "nim", readonly=True) as store:
            assert store.get(b"1") == 1
        for name in (path, str(place / "new"), str(place / "directory" / "new")):
            with pytest.raises(FactsError, match="Read-only file system.*writable"):
                open_facts(name, "nim")


UNPRIVILEGED = """
import errno
import os
import tempfile
if os.getuid() == 0:
    with tempfile.TemporaryDirectory() as place:  # while all modules can be read
        open_facts(os.path.join(place, "f"), "nim").close()
    os.setuid(int(*arguments))
with open_facts(path, "nim", readonly=True) as facts:
    print(facts.get(b"1"))
for name in (path, path + "-new"):
    try:
        open_facts(name, "nim")
    except FactsError as error:
        print(error)
"""


@pytest.mark.parametrize("lock", ["with a lock file", "without a lock file"])
def test_a_directory_without_write_permission(lmdb: Any, lock: str) -> None:
    place = Path(tempfile.mkdtemp())  # tmp_path is closed to other users
    try:
        path = place / "f"
        with open_facts(str(path), "nim") as store:
            store.add(b"1", 1)
        if lock.startswith("without"):
            os.remove(str(path) + "-lock")
        for name in os.listdir(place):
            (place / name).chmod(0o444)
        place.chmod(0o555)
        number, at_file, at_new = run_child(UNPRIVILEGED, path, NOBODY).splitlines()
        assert number == "1"
        assert at_file.startswith(str(path)) and "writable" in at_file
        assert at_new.startswith(str(path) + "-new") and "writable" in at_new
    finally:
        place.chmod(0o755)
        shutil.rmtree(place)


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="no way to fill a file")
def test_a_lock_file_has_no_holes(lmdb: Any, tmp_path: Path, monkeypatch: Any) -> None:
    """On a full disk a write to a hole of it, which LMDB maps, ends the process (SIGBUS)."""
    path = tmp_path / "f"
    with open_facts(str(path), "nim") as store:
        store.add(b"1", 1)
    found = os.stat(str(path) + "-lock")
    assert found.st_blocks * 512 >= found.st_size > 60_000


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="no way to fill a file")
@pytest.mark.parametrize("raises", [True, False])
def test_no_room_for_a_lock_file(
    lmdb: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raises: bool
) -> None:
    """A writer needs one; a reader does without."""
    path = str(tmp_path / "f")
    with open_facts(path, "nim") as store:
        store.add(b"1", 1)
    os.remove(path + "-lock")

    def full(*_: int) -> int:
        if raises:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return errno.ENOSPC  # as PyPy has it

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(FactsError, match="No space left on device"):
        open_facts(path, "nim")
    with open_facts(path, "nim", readonly=True) as store:
        assert store.get(b"1") == 1


FULL_DISK = """
import ctypes, os, subprocess, sys
if ctypes.CDLL(None).unshare(0x20000) or subprocess.call(["mount", "--make-rprivate", "/"]):
    sys.exit(77)
if subprocess.call(["mount", "-t", "tmpfs", "-o", "size=1m", "none", sys.argv[1]]):
    sys.exit(77)
from pns.facts import FactsError, open_facts
path = os.path.join(sys.argv[1], "f")
if sys.argv[2] == "old":
    open_facts(path, "nim").close()
    os.remove(path + "-lock")
with open(os.path.join(sys.argv[1], "filler"), "wb", buffering=0) as filler:
    try:
        while filler.write(bytes(4096)):
            pass
    except OSError:
        pass
try:
    open_facts(path, "nim", readonly=sys.argv[3] == "read")
except FactsError as error:
    print(error)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
@pytest.mark.parametrize("age, use", [("new", "write"), ("old", "write"), ("old", "read")])
def test_a_disk_without_any_room(tmp_path: Path, age: str, use: str) -> None:
    """LMDB would map a lock file without blocks, and writing to it would end the process."""
    done = run_python(FULL_DISK, tmp_path, age, use)
    if done.returncode == 77:
        pytest.skip("no mount namespaces here")
    assert (done.returncode, done.stderr) == (0, "")
    assert ("No space left on device" in done.stdout) == (use == "write")
