"""worker.py --workers: several workers of one machine that share memory, run from outside."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import pytest
from helpers.live import LiveMaster, LiveWorkers, audit, errors_of, make_keys, wait_until
from helpers.processes import children_of, wait_for_children, wait_for_ends
from helpers.solver import LONG, contents, needs_lmdb, run

pytest.importorskip("zmq", reason="pyzmq is missing")

from pns.cli.common import STOPPED, warn
from pns.distributed.group import WorkerGroup
from pns.distributed.worker import START_OVER
from pns.jobs.peers import LocalPeers
from pns.positions.exchange import FACT
from pns.system.backoff import MOST_FAILURES

pytestmark = pytest.mark.programs


@pytest.fixture
def keys(tmp_path: Path) -> Tuple[Path, Path]:
    return make_keys(tmp_path)


def handles_sigterm(pid: int) -> bool:
    """Whether a worker, which first leads a session and has no handler, has set one."""
    caught = re.search(r"^SigCgt:\t(.*)$", Path("/proc/%d/status" % pid).read_text(), re.M)
    mask = int(caught[1], 16) if caught else 0
    return os.getsid(pid) == pid and bool(mask >> signal.SIGTERM - 1 & 1)


@needs_lmdb
@pytest.mark.parametrize("more", [(), ("--processes", 2)])
@pytest.mark.slow
def test_one_that_is_killed_is_started_again_and_nothing_is_lost(
    tmp_path: Path, keys: Tuple[Path, Path], more: Tuple[object, ...]
) -> None:
    database = tmp_path / "facts"
    words = ("--db", database, "--iterations", 30, "--keys", keys[0])
    master = LiveMaster(tmp_path, "0*12", *words)
    try:
        with LiveWorkers("--connect", master.address, "--keys", keys[1]) as workers:
            group = workers.start("--workers", 2, "--name", "box", "--db", tmp_path / "own", *more)
            wait_until(lambda: len(contents(database)) > 5, "facts")
            killed = children_of(group.pid)[0]
            before = contents(database)
            os.kill(killed, signal.SIGKILL)
            wait_until(lambda: killed not in children_of(group.pid), "its end")
            result = master.result()
            assert b"killed by signal 9" in group.communicate(timeout=60)[1]
            assert group.returncode == 0
    finally:
        master.kill()
    assert result["outcome"] == "loss" and result["distribution"]["joined"] == 3
    assert before.items() <= contents(database).items()
    audit(database, "0*12=loss")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_signals_to_the_parent_end_all(
    tmp_path: Path, keys: Tuple[Path, Path], number: int
) -> None:
    master = LiveMaster(tmp_path, LONG, "--no-db", "--iterations", 20, "--keys", keys[0])
    try:
        with LiveWorkers("--connect", master.address, "--keys", keys[1]) as workers:
            group = workers.start("--workers", 2, "--processes", 2)
            pids = wait_for_children(group.pid, 2)
            pids += [pid for child in pids for pid in wait_for_children(child, 2)]
            group.send_signal(number)
            assert errors_of(group, 60) == ""
            assert group.returncode == (-number if number == signal.SIGKILL else 0)
            wait_for_ends(pids)
    finally:
        master.kill()


def test_a_signal_to_one_ends_all(tmp_path: Path, keys: Tuple[Path, Path]) -> None:
    master = LiveMaster(tmp_path, LONG, "--no-db", "--keys", keys[0])
    try:
        with LiveWorkers("--connect", master.address, "--keys", keys[1]) as workers:
            group = workers.start("--workers", 2)
            first, second = wait_for_children(group.pid, 2)
            wait_until(lambda: handles_sigterm(first), "it handles signals itself")
            os.kill(first, signal.SIGTERM)
            assert errors_of(group, 60) == ""
            assert group.returncode in (0, STOPPED)  # it may not have begun to work
            wait_for_ends([second])
    finally:
        master.kill()


@needs_lmdb
@pytest.mark.slow
def test_a_master_that_is_killed_and_resumed(tmp_path: Path, keys: Tuple[Path, Path]) -> None:
    """Its workers wait, say so once for all of them, and go on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % found.getsockname()[1]
    database, path = tmp_path / "facts", tmp_path / "tree"
    words: List[object] = ["--db", database, "--iterations", 30, "--keys", keys[0]]
    words += ["--checkpoint", path, "--every", 0.1]
    with LiveWorkers("--connect", address, "--keys", keys[1], "--workers", 2) as workers:
        group = workers.start()
        assert group.stderr
        assert b"no program listens" in group.stderr.readline()
        master = LiveMaster(tmp_path, "0*12", *words, listen=address)
        try:
            wait_until(lambda: path.exists() and len(contents(database)) > 20, "facts")
            master.kill()
            before = contents(database)
            master = LiveMaster(tmp_path, "0*12", *words, "--resume", path, listen=address)
            result = master.result()
        finally:
            master.kill()
        group.terminate()  # it waits for a master if it missed the end
        text = errors_of(group, 60)
        assert group.returncode == 0 and text.count("answers") <= 1, text
    assert result["outcome"] == "loss"
    assert before.items() <= contents(database).items()
    audit(database, "0*12=loss")


def test_refusals_are_printed_once(tmp_path: Path, keys: Tuple[Path, Path]) -> None:
    master = LiveMaster(tmp_path, LONG, "--no-db", "--keys", keys[0])
    here = ("--connect", master.address)
    try:
        for arguments, error in [
            ((*here, "--workers", 2), "requires keys; set --keys to the file worker.key"),
            ((*here, "--workers", 2, "--keys", tmp_path / "no"), "No such file"),
            (("--connect", "here", "--workers", 2), "invalid address 'here'"),
            ((*here, "--workers", 0), "invalid count '0'; expected"),
            ((*here, "--workers", 257), "argument --workers: invalid count 257"),
            ((*here, "--workers", 2, "--capacity", 0), "of at least 1"),
        ]:
            done = run("worker.py", *arguments)
            assert done.status == 2 and len(done.errors) == 1 and error in done.errors[0], done
    finally:
        master.kill()


def statuses(tmp_path: Path, body: Callable[[int, LocalPeers, int], int]) -> Tuple[int, List[str]]:
    """Run a group of two; its status, and what its workers noted: `body` gets the start's number.

    The second worker sleeps as long as it may.
    """
    log = tmp_path / "log"
    log.touch()

    def do(place: int, machine: LocalPeers) -> int:
        if place == 1:
            time.sleep(60.0)
        start = len(log.read_text().splitlines())
        with log.open("a") as stream:
            stream.write("%s\n" % machine.logs.heads())
        return body(place, machine, start)

    return WorkerGroup(2, 1, 1 << 20, do, warn).run(), log.read_text().splitlines()


def test_one_whose_memory_is_stale_replaces_all_and_the_memory(tmp_path: Path) -> None:
    def body(place: int, machine: LocalPeers, start: int) -> int:
        machine.logs.broadcast(place, FACT, 0, b"1a1a")
        return START_OVER if start < 2 else 0

    status, heads = statuses(tmp_path, body)
    assert (status, heads) == (0, 3 * ["[0, 0]"])


def test_one_that_is_killed_again_and_again_ends_the_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    monkeypatch.setattr("pns.distributed.group.PAUSE_SECONDS", 0.01)

    def body(place: int, machine: LocalPeers, start: int) -> int:
        machine.logs.broadcast(place, FACT, 0, b"1a1a")
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    status, heads = statuses(tmp_path, body)
    assert status == 1 and len(heads) == len(set(heads)) == MOST_FAILURES
    assert "too many workers died in a row" in capfd.readouterr().err


@pytest.mark.parametrize("status", [0, 1, 2])
def test_the_first_end_gives_the_status(tmp_path: Path, status: int) -> None:
    assert statuses(tmp_path, lambda *_: status)[0] == status


def test_lines_are_printed_once(tmp_path: Path, capfd: Any) -> None:
    def body(place: int, machine: LocalPeers) -> int:
        for line in ("same", "own %d" % place, "same"):
            print(line, file=sys.stderr, flush=True)
        time.sleep(1.0)
        return 0

    assert WorkerGroup(2, 1, 1 << 20, body, warn).run() == 0
    found: Dict[str, int] = {}
    for line in capfd.readouterr().err.splitlines():
        found[line] = found.get(line, 0) + 1
    assert found == {"same": 1, "own 0": 1, "own 1": 1}
