"""worker.py --workers N --leader: the workers of a machine behind a leader, run from outside."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Tuple

import pytest
from helpers.live import LiveMaster, LiveWorkers, audit, errors_of, make_keys, wait_until
from helpers.processes import children_of, wait_for_children, wait_for_ends
from helpers.solver import LONG, contents, needs_lmdb, run

pytest.importorskip("zmq", reason="pyzmq is missing")

from pns.choices import LED_WORKERS
from pns.cli.options.worker import has_leader, worker_parser

pytestmark = pytest.mark.programs

COUNT = 4


@pytest.fixture
def keys(tmp_path: Path) -> Tuple[Path, Path]:
    return make_keys(tmp_path)


@needs_lmdb
def test_the_master_sees_one_worker_and_the_facts_pass_an_audit(
    tmp_path: Path, keys: Tuple[Path, Path]
) -> None:
    database = tmp_path / "facts"
    words = ("--db", database, "--iterations", 100, "--keys", keys[0], "--check-facts", "all")
    master = LiveMaster(tmp_path, "0*11", *words)
    try:
        with LiveWorkers("--connect", master.address, "--keys", keys[1]) as workers:
            group = workers.start("--workers", COUNT, "--leader")
            result = master.result()
            assert errors_of(group, 120) == "" and group.returncode == 0
    finally:
        master.kill()
    assert result["outcome"] == "win" and result["distribution"]["joined"] == 1
    audit(database, "0*11=win")


@needs_lmdb
@pytest.mark.parametrize("victim, name", [(COUNT, "the leader"), (0, "worker 1")])
def test_one_that_is_killed_is_started_again_and_nothing_is_lost(
    tmp_path: Path, keys: Tuple[Path, Path], victim: int, name: str
) -> None:
    database = tmp_path / "facts"
    master = LiveMaster(tmp_path, "0*12", "--db", database, "--iterations", 30, "--keys", keys[0])
    try:
        with LiveWorkers("--connect", master.address, "--keys", keys[1]) as workers:
            group = workers.start("--workers", COUNT, "--leader", "--name", "box")
            wait_until(lambda: len(contents(database)) > 5, "facts")
            killed = sorted(wait_for_children(group.pid, COUNT + 1))[victim]
            before = contents(database)
            os.kill(killed, signal.SIGKILL)
            wait_until(lambda: killed not in children_of(group.pid), "its end")
            result = master.result()
            assert "%s was killed by signal 9" % name in errors_of(group, 120)
            assert group.returncode == 0
    finally:
        master.kill()
    assert result["outcome"] == "loss"
    assert result["distribution"]["joined"] == (2 if victim == COUNT else 1)
    assert before.items() <= contents(database).items()
    audit(database, "0*12=loss")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_signals_to_the_parent_end_all(
    tmp_path: Path, keys: Tuple[Path, Path], number: int
) -> None:
    """After SIGTERM the leader hands in its job, as the master counts."""
    words = ("--no-db", "--iterations", 20, "--keys", keys[0], "--max-expansions", "1G")
    master = LiveMaster(tmp_path, LONG, *words)
    try:
        with LiveWorkers("--connect", master.address, "--keys", keys[1]) as workers:
            group = workers.start("--workers", 2, "--leader")
            pids = wait_for_children(group.pid, 3)
            wait_until(lambda: "joined" in master.errors(), "the leader has joined")
            group.send_signal(number)
            assert errors_of(group, 120) == ""
            assert group.returncode == (-number if number == signal.SIGKILL else 0)
            wait_for_ends(pids)
    finally:
        master.kill()


def test_when_workers_have_a_leader() -> None:
    def leads(*words: object) -> bool:
        line = ["--connect", "127.0.0.1:1", *map(str, words)]
        return has_leader(worker_parser("worker.py").parse_args(line))

    many = ("--workers", LED_WORKERS)
    assert leads(*many) and leads("--workers", 2, "--leader")
    for words in [(), ("--workers", LED_WORKERS - 1), (*many, "--no-leader")]:
        assert not leads(*words)
    for more in [("--db", "facts"), ("--search", "pns")]:
        assert not leads(*many, *more)
        done = run("worker.py", "--connect", "127.0.0.1:1", *many, "--leader", *more)
        assert done.status == 2 and "argument --leader: allowed only with" in done.errors[0]
