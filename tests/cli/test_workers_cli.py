"""solve.py --algorithm pns-pdfpn and worker.py as a person starts them."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List

import pytest
from helpers.masters import Clock, Hand, master_of
from helpers.paths import ROOT
from helpers.processes import children_of
from helpers.solver import LONG, Done, contents, needs_lmdb, solve, solve_json, start
from helpers.solver import command as solver_command

from pns.distributed import local
from pns.distributed.solver import MasterStore
from pns.facts import Contradiction, Facts, FactsError
from pns.machine import shared_memory
from pns.master import Master
from pns.options import DISTRIBUTED as PNS_PDFPN
from pns.options import Options
from pns.parallel.child_store import ChildStore
from pns.parallel.logs import Logs

pytest.importorskip("zmq", reason="pyzmq is missing")

from pns.distributed.transport import Server

LOST = "the player to move loses, whatever the move."
DISTRIBUTED = ("--algorithm", "pns-pdfpn")


def worker_command(*arguments: object) -> List[str]:
    return [sys.executable, str(ROOT / "scripts" / "worker.py"), *map(str, arguments)]


def worker(*arguments: object) -> Done:
    done = subprocess.run(worker_command(*arguments), capture_output=True, text=True, timeout=100)
    return Done(done.returncode, done.stdout.splitlines(), done.stderr.splitlines())


def test_it_starts_its_workers_itself() -> None:
    arguments = ("--workers", 2, "--no-db", "--grundy", "--iterations", 100)
    result = solve_json("0*7", *DISTRIBUTED, *arguments)
    assert (result["outcome"], result["grundy_number"]) == ("loss", 0)
    found = result["distribution"]
    assert found["expansions"] == result["expansions"] > 500
    assert found["joined"] >= 1 and 0 < found["utilisation"] <= 1


@needs_lmdb
def test_the_facts_of_workers_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "facts"
    done = solve("0*6", *DISTRIBUTED, "--workers", 1, "--db", path, "--quiet")
    assert (done.status, done.errors) == (0, []), done
    assert contents(path)[b"0*6"] == 0


def test_workers_that_are_killed_are_started_again_and_all_leave_at_the_end() -> None:
    child = start(LONG, *DISTRIBUTED, "--workers", 2, "--no-db", "--iterations", 50)
    limit = time.monotonic() + 60
    while len(children_of(child.pid)) < 2 and time.monotonic() < limit:
        time.sleep(0.05)
    time.sleep(3.0)
    killed = children_of(child.pid)[0]
    os.kill(killed, signal.SIGKILL)
    while killed in children_of(child.pid) or len(children_of(child.pid)) < 2:
        assert time.monotonic() < limit
        time.sleep(0.05)
    left = children_of(child.pid)
    child.send_signal(signal.SIGTERM)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 130, errors
    assert "stopped by SIGTERM" in errors
    for pid in left:
        assert not os.path.exists("/proc/%d" % pid)


def test_a_worker_from_elsewhere_with_keys(tmp_path: Path) -> None:
    assert worker("keygen", tmp_path).status == 0
    keys = tmp_path / "master.key"
    child = start("0*6", *DISTRIBUTED, "--listen", "0.0.0.0:0", "--keys", keys, "--no-db")
    assert child.stderr
    line = child.stderr.readline()
    assert line.startswith("solve.py: listening at 0.0.0.0:"), line
    address = "127.0.0.1:" + line.strip().rpartition(":")[2]
    done = worker("--connect", address, "--keys", tmp_path / "worker.key", "--name", "far")
    assert done.status == 0 and done.output[0].startswith("far: "), done
    assert done.output[0].endswith("jobs done, then: solved")
    output, _ = child.communicate(timeout=60)
    assert child.returncode == 0 and output.startswith("0*6 is a loss")


@pytest.mark.parametrize(
    "arguments, error",
    [
        (("--workers", 2), "argument --workers: only pns-pdfpn has it, not dfpn"),
        ((*DISTRIBUTED, "--workers", 0), "argument --workers: with none, listen"),
        ((*DISTRIBUTED, "--iterations", 0), "argument --iterations: it must be at least 1"),
        (
            (*DISTRIBUTED, "--epsilon", 0.5),
            "argument --epsilon: only dfpn, pdfpn, spdfpn, pns and pn2 have it",
        ),
        ((*DISTRIBUTED, "--listen", "0.0.0.0:0"), "so it needs keys"),
        ((*DISTRIBUTED, "--listen", "nowhere"), "'nowhere' is no address; write HOST:PORT"),
        ((*DISTRIBUTED, "--keys", "/dev/null"), "/dev/null: not a regular file"),
        (("--grouping", 2), "argument --grouping: only pns-pdfpn has it, not dfpn"),
        (("--check-facts", "all"), "argument --check-facts: only pns-pdfpn has it, not dfpn"),
        ((*DISTRIBUTED, "--check-facts", "most"), "'most' is neither all nor none nor a number"),
        ((*DISTRIBUTED, "--check-facts", "1.5"), "'1.5' is neither all nor none nor a number"),
        (
            (*DISTRIBUTED, "--processes", 0),
            "argument --processes: 0 is out of range; it is 1 to 256",
        ),
    ],
)
def test_refusals(arguments: List[str], error: str) -> None:
    done = solve("0*3", "--no-db", *arguments)
    assert done.status == 2 and len(done.errors) == 1 and error in done.errors[0], done


def test_refusals_of_the_worker(tmp_path: Path) -> None:
    for arguments, error in [
        (("--connect", "here"), "'here' is no address"),
        (("--connect", "127.0.0.1:1", "--keys", tmp_path / "none"), "No such file"),
        (("--connect", "127.0.0.1:1", "--capacity", "0"), "it is at least 1"),
        (("--connect", "127.0.0.1:1", "--shared", "0,0,9"), "argument --shared: no such memory"),
        (("--connect", "127.0.0.1:1", "--shared", "x"), "argument --shared: 'x' is not FD,FD,N"),
        ((), "required: --connect"),
        (("keygen", tmp_path / "none"), "No such file"),
    ]:
        done = worker(*arguments)
        assert done.status == 2 and len(done.errors) == 1 and error in done.errors[0], done


def test_a_worker_without_the_keys_of_its_master_is_told(tmp_path: Path) -> None:
    assert worker("keygen", tmp_path).status == 0
    keys = tmp_path / "master.key"
    child = start("0*6", *DISTRIBUTED, "--listen", "127.0.0.1:0", "--keys", keys, "--no-db")
    try:
        assert child.stderr
        address = child.stderr.readline().split()[-1]
        done = worker("--connect", address)
        error = "worker.py: the master at %s wants keys: name the file worker.key with --keys"
        assert done == (2, [], [error % address])
    finally:
        child.kill()
        child.communicate()


def test_a_worker_that_finds_no_master_says_so_and_obeys_signals() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        for port, error in ((free_port(), "nobody listens"), (silent.getsockname()[1], "says not")):
            command = worker_command("--connect", "127.0.0.1:%d" % port, "--name", "w")
            child = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            assert child.stdout and child.stderr
            assert error in child.stderr.readline()
            child.terminate()
            output, errors = child.communicate(timeout=20)
            assert (child.returncode, output) == (0, "w: 0 jobs done, then: a signal\n")
            assert error in errors and errors.count("\n") == 1


def limited(count: int, command: List[Any]) -> Done:
    """What a program does that may have so many descriptors."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))

    done = subprocess.run(command, capture_output=True, text=True, timeout=100, preexec_fn=limit)
    return Done(done.returncode, done.stdout.splitlines(), done.stderr.splitlines())


@pytest.mark.parametrize("count", (8, 12, 16, 24, 32))
def test_too_few_descriptors_are_refused(count: int) -> None:
    words = (*DISTRIBUTED, "--workers", 2, "--no-db", "0*3")
    commands: List[Any] = [solver_command(*words)]
    if count < 27:
        commands.append(worker_command("--connect", "127.0.0.1:1"))
    for command in commands:
        done = limited(count, command)
        assert (done.status, done.output, len(done.errors)) == (2, [], 1), done
        assert " more file descriptors are needed and " in done.errors[0]


def test_enough_descriptors(tmp_path: Path) -> None:
    words = (*DISTRIBUTED, "--workers", 2, "--processes", 2, "--db", tmp_path / "facts")
    done = limited(48, solver_command("0*5", *words, "--checkpoint", tmp_path / "tree"))
    assert done.status == 0 and done.output[0].startswith("0*5 is a win"), done


def test_a_directory_for_files_that_has_a_long_name(tmp_path: Path) -> None:
    place = tmp_path / ("x" * 120)
    place.mkdir()
    words = (*DISTRIBUTED, "--workers", 1, "--no-db", "--quiet")
    done = solve("0*5", *words, env={**os.environ, "TMPDIR": str(place)})
    assert (done.status, done.errors) == (0, []), done
    assert not list(place.iterdir())


def test_addresses_where_a_master_cannot_listen(tmp_path: Path) -> None:
    assert worker("keygen", tmp_path).status == 0
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        for address, error in [
            ("127.0.0.1:%d" % other.getsockname()[1], "Address already in use"),
            ("192.0.2.1:0", "Cannot assign requested address"),
            ("no.such.host.invalid:0", "cannot find the host"),
        ]:
            words = ("--listen", address, "--keys", tmp_path / "master.key")
            done = solve("0*3", "--no-db", *DISTRIBUTED, *words)
            assert done.status == 2 and len(done.errors) == 1, done
            assert done.errors[0].startswith(
                "solve.py: argument --listen: %s: %s" % (address, error)
            ), done


def test_workers_that_cannot_be_started_end_the_search_after_some_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    said: List[str] = []

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr("subprocess.Popen", refuse)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    workers = local.LocalWorkers(
        master_of("0*3"), Options(PNS_PDFPN), 2, "nowhere", str(tmp_path), [], said.append
    )
    lasted = 0
    while workers.tend():
        lasted += 1
        now[0] += 1.0
    assert lasted == 20
    assert said == 5 * ["cannot start a worker: Too many open files"]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@needs_lmdb
def test_a_master_that_is_killed_again_and_again_is_resumed(tmp_path: Path) -> None:
    """Its workers survive it, what was stored stays stored, and the outcome is right."""
    address = "127.0.0.1:%d" % free_port()
    path, facts = tmp_path / "checkpoint", tmp_path / "facts"
    options = ["--iterations", 100, "--updates", 50, "--no-prior", "--quiet"]
    options += ["--listen", address, "--db", facts, "--checkpoint", path, "--every", 0.1]
    workers = []
    for name in ("one", "two"):
        more = ("--db", tmp_path / "group", "--processes", 2) if name == "one" else ()
        command = worker_command("--connect", address, "--name", name, "--no-prior", *more)
        workers.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    known: Dict[bytes, int] = {}
    for _ in range(3):
        resume = ("--resume", path) if path.exists() else ()
        child = start("0*8", *DISTRIBUTED, *options, *resume)
        begun = tree_in(path)["expansions"] if resume else 0
        while child.poll() is None:  # it may have come to its end between two checkpoints
            if path.exists() and tree_in(path)["expansions"] >= begun + 300:
                child.kill()
                break
            time.sleep(0.05)
        _, errors = child.communicate()
        assert child.returncode in (0, -signal.SIGKILL), errors
        now = contents(facts)
        assert known.items() <= now.items()
        known = now
    assert known
    done = solve("0*8", *DISTRIBUTED, *options, "--resume", path)
    assert (done.status, done.output, done.errors) == (0, ["0*8 is a loss: " + LOST], [])
    assert known.items() <= contents(facts).items()
    for process in workers:
        process.terminate()  # it waits for a master, if it was not there at the end
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 0 and " jobs done, then: " in output


def tree_in(path: Path) -> Any:
    """The state of the master in a checkpoint."""
    with path.open("rb") as stream:
        stream.readline()
        return json.loads(stream.readline())["master"]


@needs_lmdb
def test_workers_of_two_processes_that_share_a_database_and_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each joins, works as long as there are jobs, and leaves; however fast the other is."""
    master, join = master_of("0*7", iterations=200), Master.join
    groups: Dict[str, str] = {}

    def note(master: Master, name: str, game: str, now: float, group: str, place: str) -> Any:
        groups[name] = group
        return join(master, name, game, now, group, place)

    monkeypatch.setattr(Master, "join", note)
    address, memory = "ipc://%s" % (tmp_path / "master"), shared_memory("options", "logs")
    store = ChildStore(4, 1 << 22, memory[0]) if memory else None
    logs = Logs(2, memory[1]) if memory else None
    options = Options(PNS_PDFPN, processes=2, capacity=10_000, grouping=2)
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
    assert (master.outcome, sorted(groups)) == (False, ["local-1", "local-2"])
    assert groups["local-1"] == groups["local-2"] != ""
    shared = contents(tmp_path / "group-0")
    assert len(shared) > 50 and shared.items() <= dict(master.facts.items()).items()
    assert store is None or store.used() > 10_000
    assert logs is None or logs.head(0) == logs.head(1) == 0  # for workers of one process


def test_workers_that_share_memory_with_one_that_was_dropped_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for memory, replaced in ((shared_memory("options"), True), ([], False)):
        if replaced and not memory:
            continue
        master = master_of("0*6")
        workers = local.LocalWorkers(
            master, Options(PNS_PDFPN), 2, "nowhere", str(tmp_path), memory, print
        )
        workers._command = [sys.executable, "-c", "import time; time.sleep(60)"]
        try:
            assert workers.tend()
            for name in ("local-1", "local-2", "other"):
                master.join(name, "sprouts", 0.0)
            workers.start_over("other")
            assert len(master.members) == 3 and workers.any_left()
            workers.start_over("local-1")
            assert list(master.members) == (["other"] if replaced else [*master.members])
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
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "checkpoint"
    said: List[str] = []
    options = Options(PNS_PDFPN, checkpoint=str(path), every=0.0)
    master = master_of("0*6", facts=FullDisk("sprouts"))
    keeper = MasterStore(master, options, said.append)
    path.unlink()
    path.mkdir()
    for _ in range(3):
        keeper.tick()  # reported once a minute
    assert keeper.unsaved == "%s: not a regular file" % path
    assert said == [
        "facts wait in memory: facts: no room",
        "no checkpoint: %s; the one before is kept" % keeper.unsaved,
    ]
    path.rmdir()
    keeper.finish()
    assert not keeper.unsaved and path.exists()


def test_what_ended_a_search_is_stored_before_a_worker_hears_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "checkpoint")
    master, again = master_of("0*6", iterations=50), master_of("0*6")
    MasterStore(master, Options(PNS_PDFPN, checkpoint=path), print)
    worker = Hand(master, "one", Clock())
    while not worker.reason:
        order = worker.take()
        if order:
            worker.do(order)
    MasterStore(again, Options(PNS_PDFPN, resume=path), print)
    assert again.why_done == worker.reason == "solved"


def test_contradictions_are_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    master = master_of("0*6")
    keeper = MasterStore(master, Options(PNS_PDFPN), print)

    def flush() -> None:
        raise Contradiction(b"0", 0, 1)

    monkeypatch.setattr(master.facts, "tick", flush)
    with pytest.raises(Contradiction):
        keeper.tick()
