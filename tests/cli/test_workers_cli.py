"""solve.py --algorithm pns-pdfpn and ppn2, and worker.py, run from outside."""

from __future__ import annotations

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
from helpers.paths import ROOT
from helpers.processes import children_of
from helpers.solver import LONG, Done, contents, needs_lmdb, run, solve, solve_json, start
from helpers.solver import command as solver_command

pytest.importorskip("zmq", reason="pyzmq is missing")

LOST = "the player to move loses, whatever the move."
DISTRIBUTED = ("--algorithm", "pns-pdfpn")


def worker_command(*arguments: object) -> List[str]:
    return [sys.executable, str(ROOT / "scripts" / "worker.py"), *map(str, arguments)]


def worker(*arguments: object) -> Done:
    return run("worker.py", *arguments)


def test_a_master_starts_its_workers() -> None:
    arguments = ("--workers", 2, "--no-db", "--grundy", "--iterations", 100)
    result = solve_json("0*7", *DISTRIBUTED, *arguments)
    assert (result["outcome"], result["grundy_number"]) == ("loss", 0)
    found = result["distribution"]
    assert found["expansions"] == result["expansions"] > 500
    assert found["joined"] >= 1 and 0 < found["utilisation"] <= 1


@pytest.mark.parametrize(
    "level, grouping",
    [
        pytest.param(0, 1, marks=pytest.mark.slow),
        pytest.param(1, 1, marks=pytest.mark.slow),
        (1, 2),
    ],
)
@pytest.mark.search
def test_workers_of_ppn2(level: int, grouping: int) -> None:
    arguments = ("--algorithm", "ppn2", "--workers", 2, "--no-db", "--iterations", 100)
    result = solve_json("0*6", *arguments, "--state-level", level, "--grouping", grouping)
    assert (result["algorithm"], result["outcome"]) == ("ppn2", "loss")
    found = result["distribution"]
    assert found["expansions"] == result["expansions"] > 100
    assert found["master_nodes"] == result["nodes"] > 10 and found["worker_nodes"] > 0


@needs_lmdb
def test_the_facts_of_workers_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "facts"
    done = solve("0*6", *DISTRIBUTED, "--workers", 1, "--db", path, "--quiet")
    assert (done.status, done.errors) == (0, []), done
    assert contents(path)[b"0*6"] == 0


@pytest.mark.parametrize("algorithm", ["pns-pdfpn", "ppn2"])
def test_workers_that_are_killed_are_replaced_and_all_end_with_the_master(algorithm: str) -> None:
    child = start(LONG, "--algorithm", algorithm, "--workers", 2, "--no-db", "--iterations", 50)
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


def test_a_worker_of_another_machine_with_keys(tmp_path: Path) -> None:
    assert worker("keygen", tmp_path).status == 0
    keys = tmp_path / "master.key"
    child = start("0*6", *DISTRIBUTED, "--listen", "0.0.0.0:0", "--keys", keys, "--no-db")
    assert child.stderr
    line = child.stderr.readline()
    assert line.startswith("solve.py: listening at 0.0.0.0:"), line
    address = "127.0.0.1:" + line.strip().rpartition(":")[2]
    done = worker("--connect", address, "--keys", tmp_path / "worker.key", "--name", "far")
    assert (done.status, done.errors) == (0, []), done
    joined, end = done.output
    assert joined.startswith("far: joined the master at %s, for sprouts; Ctrl-C " % address)
    assert end.startswith("far: ") and end.endswith("jobs done, then: solved")
    output, _ = child.communicate(timeout=60)
    assert child.returncode == 0 and output.startswith("0*6 is a loss")


def test_a_master_says_which_workers_join_and_leave() -> None:
    child = start(
        LONG,
        *DISTRIBUTED,
        "--listen",
        "127.0.0.1:0",
        "--workers",
        0,
        "--no-db",
        "--max-seconds",
        120,
    )
    assert child.stderr
    address = child.stderr.readline().split()[-1]
    words = worker_command("--connect", address, "--name", "far", "--quiet")
    far = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert next_event(child) == "solve.py: far joined; workers now: 1\n"
    far.send_signal(signal.SIGINT)
    assert next_event(child) == "solve.py: far left; workers now: 0\n"
    assert far.communicate(timeout=60) == ("", "")
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=60)


def next_event(master: "subprocess.Popen[str]") -> str:
    """The next line of a master that is not a line of progress."""
    assert master.stderr
    return next(line for line in master.stderr if not line.startswith("time "))


@pytest.mark.parametrize(
    "arguments, error",
    [
        (("--workers", 2), "argument --workers: only pns-pdfpn and ppn2 have it, not dfpn"),
        ((*DISTRIBUTED, "--workers", 0), "argument --workers: invalid count 0"),
        ((*DISTRIBUTED, "--iterations", 0), "argument --iterations: invalid count '0'"),
        (
            (*DISTRIBUTED, "--when-full", "dfpn"),
            "argument --when-full: only pns has it, not pns-pdfpn",
        ),
        ((*DISTRIBUTED, "--listen", "0.0.0.0:0"), "so it needs keys"),
        ((*DISTRIBUTED, "--listen", "nowhere"), "invalid address 'nowhere'; expected HOST:PORT"),
        ((*DISTRIBUTED, "--keys", "/dev/null"), "/dev/null: not a regular file"),
        (("--grouping", 2), "argument --grouping: only pns-pdfpn and ppn2 have it, not dfpn"),
        (
            ("--check-facts", "all"),
            "argument --check-facts: only pns-pdfpn and ppn2 have it, not dfpn",
        ),
        (
            (*DISTRIBUTED, "--check-facts", "most"),
            "invalid share 'most'; expected all, none or a number",
        ),
        (
            (*DISTRIBUTED, "--check-facts", "1.5"),
            "invalid share '1.5'; expected all, none or a number",
        ),
        (
            ("--algorithm", "ppn2", "--state-level", 2),
            "argument --state-level: workers of ppn2 keep no table; expected 0 or 1",
        ),
        (
            ("--algorithm", "ppn2", "--processes", 2),
            "argument --processes: only pdfpn, spdfpn and pns-pdfpn have it, not ppn2",
        ),
        (
            (*DISTRIBUTED, "--processes", 0),
            "argument --processes: invalid count 0; expected a whole number from 1 to 256",
        ),
    ],
)
def test_refusals(arguments: List[str], error: str) -> None:
    done = solve("0*3", "--no-db", *arguments)
    assert done.status == 2 and len(done.errors) == 1 and error in done.errors[0], done


def test_refusals_of_the_worker(tmp_path: Path) -> None:
    for arguments, error in [
        (("--connect", "here"), "invalid address 'here'"),
        (("--connect", "127.0.0.1:1", "--keys", tmp_path / "none"), "No such file"),
        (("--connect", "127.0.0.1:1", "--capacity", "0"), "of at least 1"),
        (("--connect", "127.0.0.1:1", "--search", "pns", "--processes", 2), "only --search dfpn"),
        ((), "required: --connect"),
        (("keygen", Path(__file__) / "none"), "Not a directory"),
    ]:
        done = worker(*arguments)
        assert done.status == 2 and len(done.errors) == 1 and error in done.errors[0], done


def test_keygen_makes_its_directory(tmp_path: Path) -> None:
    assert worker("keygen", tmp_path / "new").status == 0
    assert {path.name for path in (tmp_path / "new").iterdir()} == {"master.key", "worker.key"}
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0


def test_a_worker_without_the_keys_of_its_master_is_refused(tmp_path: Path) -> None:
    assert worker("keygen", tmp_path).status == 0
    keys = tmp_path / "master.key"
    child = start("0*6", *DISTRIBUTED, "--listen", "127.0.0.1:0", "--keys", keys, "--no-db")
    try:
        assert child.stderr
        address = next(line for line in child.stderr if " listening at " in line).split()[-1]
        done = worker("--connect", address)
        error = "worker.py: the master at %s requires keys; set --keys to the file worker.key"
        assert done == (2, [], [error % address])
    finally:
        child.kill()
        child.communicate()


def test_a_worker_that_finds_no_master_says_so_and_obeys_signals() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        for port, error in (
            (free_port(), "no program listens"),
            (silent.getsockname()[1], "no reply"),
        ):
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
    """Run a program with a limit of `count` open files."""

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


def test_a_temporary_directory_with_a_long_name(tmp_path: Path) -> None:
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


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@needs_lmdb
@pytest.mark.search
def test_a_master_that_is_killed_again_and_again_is_resumed(tmp_path: Path) -> None:
    """Its workers survive, what was stored stays stored, and the outcome is right."""
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
    for _ in range(2):
        resume = ("--resume", path) if path.exists() else ()
        child = start("0*8", *DISTRIBUTED, *options, *resume)
        begun = tree_in(path)["expansions"] if resume else 0
        while child.poll() is None:  # it may end between two checkpoints
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
        process.terminate()  # it waits for a master if it missed the end
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 0 and " jobs done, then: " in output


def tree_in(path: Path) -> Any:
    """The state of the master in a checkpoint."""
    with path.open("rb") as stream:
        stream.readline()
        return json.loads(stream.readline())["master"]
