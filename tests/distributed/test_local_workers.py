"""Workers that a master starts on its machine, and what it stores while they work."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from subprocess import DEVNULL, PIPE, run
from types import SimpleNamespace
from typing import Any, Dict, List

import pytest
from helpers.masters import Clock, ManualWorker, master_of
from helpers.solver import contents, needs_lmdb

from pns.choices import DISTRIBUTED
from pns.distributed import local
from pns.distributed.solver import MasterStore
from pns.facts import Contradiction, Facts, FactsError
from pns.front.options import Options
from pns.jobs.setup import WorkerPlace, WorkerSetup, to_text
from pns.master import Master
from pns.parallel.child_store import ChildStore
from pns.parallel.logs import Logs
from pns.system.backoff import LONG_LIFE
from pns.system.machine import shared_memory
from pns.system.start import environment

pytest.importorskip("zmq", reason="pyzmq is missing")

from pns.distributed.transport import Server


def test_workers_that_cannot_be_started_end_the_search_after_some_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    warnings: List[str] = []

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr("subprocess.Popen", refuse)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    workers = local.LocalWorkers(
        master_of("0*3"), Options(DISTRIBUTED), 2, "nowhere", str(tmp_path), [], warnings.append
    )
    seconds = 0
    while workers.tend():
        seconds += 1
        now[0] += 1.0
    assert seconds == 20
    assert warnings == 5 * ["cannot start a worker: Too many open files"]


def test_workers_that_refuse_to_begin_end_the_search_however_slowly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As without room for a group's database; each prints the reason."""
    now = [0.0]
    started: List[object] = []

    class Refusal:
        def __init__(self, *_: Any, **__: Any) -> None:
            started.append(self)

        def poll(self) -> int:
            return local.REFUSED

    monkeypatch.setattr("subprocess.Popen", Refusal)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    workers = local.LocalWorkers(
        master_of("0*3"), Options(DISTRIBUTED), 1, "nowhere", str(tmp_path), [], print
    )
    while workers.tend():
        now[0] += 2 * LONG_LIFE
    assert len(started) == 3


@pytest.mark.parametrize("status, lines", [(-6, 1), (0, 0), (1, 0)])
def test_a_worker_that_dies_of_a_signal_is_reported_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, lines: int
) -> None:
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: SimpleNamespace(poll=lambda: status))
    warnings: List[str] = []
    workers = local.LocalWorkers(
        master_of("0*3"), Options(DISTRIBUTED), 1, "nowhere", str(tmp_path), [], warnings.append
    )
    assert workers.tend() and not workers.any_left()
    assert warnings == lines * ["worker local-1 died: Aborted"]


def test_a_started_worker_without_its_shared_memory_refuses_in_a_line() -> None:
    place = WorkerPlace("127.0.0.1:1", "local-1", memory=(0, 0, 9))
    command = [sys.executable, "-m", local.MODULE, to_text(WorkerSetup("sprouts"), place)]
    done = run(command, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, env=environment(), text=True)
    assert (done.returncode, done.stdout) == (local.REFUSED, "")
    assert done.stderr == "worker.py: the memory of the workers here cannot be opened\n"


@needs_lmdb
@pytest.mark.search
def test_workers_of_two_processes_that_share_a_database_and_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each joins, works while there are jobs, and leaves, however fast the other is."""
    master, join = master_of("0*7", iterations=200), Master.join
    groups: Dict[str, str] = {}

    def note(master: Master, name: str, game: str, now: float, group: str, *more: Any) -> Any:
        groups[name] = group
        return join(master, name, game, now, group, *more)

    monkeypatch.setattr(Master, "join", note)
    address, memory = "ipc://%s" % (tmp_path / "master"), shared_memory("options", "logs")
    store = ChildStore(4, 1 << 22, memory[0]) if memory else None
    logs = Logs(2, memory[1]) if memory else None
    options = Options(DISTRIBUTED, processes=2, capacity=10_000, grouping=2)
    server = Server(master, [address])
    place = str(tmp_path)
    workers = local.LocalWorkers(master, options, 2, address, place, memory, print)
    try:
        assert workers.tend()
        while workers.any_left():
            server.serve(0.1)
    finally:
        workers.end()
        server.close()
    assert (master.knowledge.outcome, sorted(groups)) == (False, ["local-1", "local-2"])
    assert groups["local-1"] == groups["local-2"] != ""
    shared = contents(tmp_path / "group-0")
    assert len(shared) > 50 and shared.items() <= dict(master.facts.items()).items()
    assert store is None or store.used() > 10_000
    assert logs is None or logs.head(0) == logs.head(1) == 0  # for workers of one process


def test_workers_that_share_memory_with_one_that_was_dropped_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sleeper.py").write_text("import time; time.sleep(60)")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(local, "MODULE", "sleeper")
    for memory, replaced in ((shared_memory("options", "logs"), True), ([], False)):
        if replaced and not memory:
            continue
        master = master_of("0*6")
        workers = local.LocalWorkers(
            master, Options(DISTRIBUTED), 2, "nowhere", str(tmp_path), memory, print
        )
        try:
            assert workers.tend()
            for name in ("local-1", "local-2", "other"):
                master.join(name, "sprouts", 0.0)
            workers.start_over("other")
            assert len(master.workers) == 3 and workers.any_left()
            workers.start_over("local-1")
            assert list(master.workers) == (["other"] if replaced else [*master.workers])
            assert workers.any_left() != replaced and workers.tend()
        finally:
            workers.end()


class FullDisk(Facts):
    """Facts that cannot be stored."""

    def flush(self) -> None:
        raise FactsError("facts: no room")

    def tick(self) -> None:
        self.try_flush()


def test_a_full_disk_is_reported_and_the_search_goes_on(
    tmp_path: Path,
) -> None:
    path = tmp_path / "checkpoint"
    warnings: List[str] = []
    options = Options(DISTRIBUTED, checkpoint=str(path), every=0.001)
    master = master_of("0*6", facts=FullDisk("sprouts"))
    store = MasterStore(master, options, warnings.append)
    path.unlink()
    path.mkdir()
    while not store.unsaved:
        store.tick()
    store.finish()  # a fault is reported once a minute
    assert store.unsaved == "%s: not a regular file" % path
    assert warnings == [
        "facts wait in memory: facts: no room",
        "checkpoint not written: %s; the previous one is kept" % store.unsaved,
    ]
    path.rmdir()
    store.finish()
    assert not store.unsaved and path.exists()


def test_the_end_of_a_search_is_stored_before_a_worker_receives_it(tmp_path: Path) -> None:
    path = str(tmp_path / "checkpoint")
    master, again = master_of("0*6", iterations=50), master_of("0*6")
    MasterStore(master, Options(DISTRIBUTED, checkpoint=path), print)
    worker = ManualWorker(master, "one", Clock())
    while not worker.reason:
        spec = worker.take()
        if spec:
            worker.do(spec)
    MasterStore(again, Options(DISTRIBUTED, resume=path), print)
    assert again.why_done == worker.reason == "solved"


def test_contradictions_are_raised_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    master = master_of("0*6")
    store = MasterStore(master, Options(DISTRIBUTED), print)

    def flush() -> None:
        raise Contradiction(b"0", 0, 1)

    monkeypatch.setattr(master.facts, "tick", flush)
    with pytest.raises(Contradiction):
        store.tick()
