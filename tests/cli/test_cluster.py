"""scripts/cluster.py on a Ray cluster on this machine, whose nodes join, leave and die."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import pytest
from helpers.live import LiveMaster, program, wait_until
from helpers.paths import ROOT
from helpers.processes import is_alive
from helpers.ray_nodes import for_one_test, open_cluster
from helpers.stand_in import STAND_IN
from helpers.tools import call

from pns.cli.commands.cluster import why_done, worker_command
from pns.cli.options.cluster import cluster_parser

try:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray.cluster_utils
except ImportError:
    ray = None

needs_ray = pytest.mark.skipif(ray is None, reason="Ray is missing: pip install ray")


def test_refusals() -> None:
    missing = "Ray is missing: on CPython, python3 -m pip install ray"
    nobody = "--address 127.0.0.1:9: no Ray cluster there: [Errno 111] Connection refused"
    for arguments, error in [
        ((), "required: --connect"),
        (("--connect", "here"), "invalid address 'here'; expected HOST:PORT"),
        (("--connect", "h:1", "--address", "127.0.0.1:9"), nobody if ray else missing),
    ]:
        done = call("cluster.py", *arguments)
        assert done.status == 2 and error in done.errors, done
        assert done.errors.count("\n") == 1 and not done.output


def test_a_worker_without_a_clone_is_the_installed_package() -> None:
    words = ["--connect", "h:1", "--keys", "k", "--", "--game", "nim"]
    args = cluster_parser("pns cluster").parse_args(words)
    args.directory = None  # as where pns is installed
    pns = ["pypy3", "-m", "pns", "worker", "--connect", "h:1", "--name", "n", "--keys", "k"]
    wanted = ["pypy3", "-m", "pns.system.lifeline", *pns, "--workers", "2", "--game", "nim"]
    assert worker_command(args, "n", 2, 0) == wanted
    args.directory = "/clone"
    assert worker_command(args, "n", 2, 0)[2:5] == [
        "/clone/pns/system/lifeline.py",
        "pypy3",
        "/clone/scripts/worker.py",
    ]


def test_why_workers_have_ended() -> None:
    solved, signal_ = "a-1: 3 jobs done, then: solved", "a-2: 0 jobs done, then: a signal"
    assert why_done([solved, signal_]) == why_done([signal_, solved]) == "solved"
    assert why_done([signal_, signal_]) == ""
    assert why_done([""]) == why_done(["no program listens"]) == "the search is done"


class Run:
    """cluster.py on a cluster, with stand-ins for workers that write logs in `place`."""

    def __init__(self, place: Path, address: str, *arguments: object) -> None:
        self.place = place
        for name in ("scripts", "pns/system"):
            (place / name).mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "pns" / "system" / "lifeline.py", place / "pns" / "system")
        (place / "scripts" / "worker.py").write_text(STAND_IN)
        command = program("cluster.py", "--address", address, "--python", sys.executable)
        with open(place / "out", "w") as out:
            self.process = subprocess.Popen(
                [*command, *map(str, arguments)], stdout=out, stderr=subprocess.STDOUT
            )

    def output(self) -> List[str]:
        return (self.place / "out").read_text().splitlines()

    def wait_for(self, condition: Callable[[], Any], what: str) -> Any:
        def check() -> Any:
            assert self.process.poll() is None, self.output()
            return condition()

        return wait_until(check, what)

    def starts(self) -> Dict[str, List[List[str]]]:
        """The starts of each group: process, parent, arguments."""
        found: Dict[str, List[List[str]]] = {}
        for path in sorted(self.place.glob("log-*")):
            found[path.name[4:]] = [line.split() for line in path.read_text().splitlines()]
        return found

    def group(self, count: int, but: str = "") -> str:
        """Wait for a group, other than `but`, that was started `count` times; returns its name."""

        def find() -> str:
            names = [name for name, lines in self.starts().items() if len(lines) >= count]
            return ([name for name in names if name != but] or [""])[0]

        return str(self.wait_for(find, "start number %d" % count))


@pytest.fixture(scope="module")
def head() -> Iterator[Any]:
    yield from open_cluster()


@pytest.fixture
def cluster(head: Any) -> Iterator[Any]:
    yield from for_one_test(head)


@needs_ray
def test_nodes_and_workers_join_leave_and_die(cluster: Any, tmp_path: Path) -> None:
    first = cluster.add_node(num_cpus=2, memory=2 * 10**9)
    words = ("--connect", "192.0.2.1:5000", "--keys", "k", "--directory", tmp_path)
    run = Run(tmp_path, cluster.address, *words, "--", "--game", "nim")
    try:
        a = run.group(1)
        process, actor, *arguments = run.starts()[a][0]
        wanted = "--connect 192.0.2.1:5000 --name %s --keys k --workers 2"
        memory = " --memory 2000000000 --capacity 12500000"
        assert " ".join(arguments) == wanted % a + memory + " --game nim"
        assert list(run.starts()) == [a]  # the head has no core

        os.kill(int(process), signal.SIGKILL)
        assert run.group(2) == a
        run.wait_for(lambda: "%s: exit status -9" % a in run.output(), "the death is reported")
        process, again, *_ = run.starts()[a][1]
        assert again == actor and is_alive(int(process))

        os.kill(int(actor), signal.SIGKILL)
        assert run.group(3) == a
        wait_until(lambda: not is_alive(int(process)), "workers whose actor died end")

        cluster.add_node(num_cpus=1, memory=10**9)
        b = run.group(1, but=a)
        process = run.starts()[a][2][0]
        cluster.remove_node(first, allow_graceful=False)
        run.wait_for(lambda: "%s: the node is gone" % a in run.output(), "the node goes")
        wait_until(lambda: not is_alive(int(process)), "workers whose node died end")
        assert list(run.starts()) == sorted([a, b]) and is_alive(int(run.starts()[b][0][0]))

        (tmp_path / "done").touch()
        assert run.process.wait(100) == 0
        assert run.output()[-1] == "done: solved"
    finally:
        run.process.kill()
        run.process.wait()


@needs_ray
def test_a_signal_lets_the_workers_leave(cluster: Any, tmp_path: Path) -> None:
    node = cluster.add_node(num_cpus=1, memory=10**9)
    run = Run(tmp_path, cluster.address, "--connect", "h:1", "--directory", tmp_path)
    name = run.group(1)
    run.process.terminate()
    assert run.process.wait(100) == 130, run.output()
    assert (tmp_path / ("left-%s" % name)).exists()
    assert not [line for line in run.output() if "again" in line]
    cluster.remove_node(node)


@needs_ray
def test_a_real_search(cluster: Any, tmp_path: Path) -> None:
    pytest.importorskip("zmq", reason="pyzmq is missing")
    cluster.add_node(num_cpus=1, memory=10**9)
    master = LiveMaster(tmp_path, "0*7", "--no-db", "--iterations", 200)
    run = Run(tmp_path, cluster.address, "--connect", master.address, "--directory", ROOT)
    try:
        assert master.result()["outcome"] == "loss"
        assert run.process.wait(100) == 0
        assert run.output()[-1] == "done: solved", run.output()
    finally:
        run.process.kill()
        master.kill()


@needs_ray
def test_a_leader_on_each_of_several_nodes(cluster: Any, tmp_path: Path) -> None:
    pytest.importorskip("zmq", reason="pyzmq is missing")
    for _ in range(2):
        cluster.add_node(num_cpus=2, memory=10**9)
    master = LiveMaster(tmp_path, "0*33", "--no-db", "--iterations", 200)  # longer than any test
    reach = "--connect", master.address, "--directory", ROOT
    run = Run(tmp_path, cluster.address, *reach, "--", "--leader")

    def joined() -> List[str]:
        lines = re.findall(r": (.*) joined;", master.errors())
        return sorted([name for line in lines for name in line.split(", ")])

    try:
        wait_until(lambda: len(joined()) > 1, "both leaders have joined")
        master.process.send_signal(signal.SIGINT)
        assert run.process.wait(100) == 0
        *groups, last = run.output()
        assert last.startswith("done: "), run.output()
        assert joined() == sorted([line.split(":")[0] for line in groups])  # no worker
    finally:
        run.process.kill()
        master.kill()
