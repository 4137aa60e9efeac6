"""A search between network namespaces of this machine, as between machines.

Their links are cut, slow and lossy, apart for up to a minute, or gone with the machine.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from pathlib import Path
from typing import Dict, Iterator, List

import pytest
from helpers.live import LiveMaster, LiveWorkers, audit, wait_until
from helpers.solver import contents, needs_lmdb

import pns

pytest.importorskip("zmq", reason="pyzmq is missing")
from pns.distributed.keys import make_keys

HOSTS = 2


def ip(*words: object) -> None:
    subprocess.run(["ip", *map(str, words)], check=True, capture_output=True, timeout=60)


NETEM = "netem delay 40ms 20ms loss 5% duplicate 2%"
"""See tc-netem(8), which not every kernel has."""
TBF = "tbf rate 200kbit burst 8kb latency 200ms"
"""A slow link; see tc-tbf(8)."""


class NotPermitted(Exception):
    """The system lacks a queueing discipline."""


class Network:
    """A namespace for the master, and HOSTS others, each joined to it by a link."""

    def __init__(self) -> None:
        self.prefix = "pns%d" % os.getpid()
        self.master = self.prefix + "m"
        self.hosts = ["%s%d" % (self.prefix, i) for i in range(HOSTS)]

    def make(self) -> None:
        ip("netns", "add", self.master)
        for i, host in enumerate(self.hosts):
            ip("netns", "add", host)
            ends = "port%d" % i, "eth0"
            pair = ("link", "add", ends[0], "netns", self.master, "type", "veth")
            ip(*pair, "peer", "name", ends[1], "netns", host)
            for place, end, last in ((self.master, ends[0], 1), (host, ends[1], 2)):
                ip("-n", place, "address", "add", "10.77.%d.%d/24" % (i, last), "dev", end)
                ip("-n", place, "link", "set", end, "up")

    def remove(self) -> None:
        for name in [self.master, *self.hosts]:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, timeout=60)

    def inside(self, name: str) -> List[str]:
        return ["ip", "netns", "exec", name]

    def cut(self, i: int, is_cut: bool) -> None:
        """Cut the link between a host and the master, or restore it."""
        state = "down" if is_cut else "up"
        ip("-n", self.hosts[i], "link", "set", "eth0", state)

    def slow(self, i: int, *ways: str) -> None:
        """Make a host's link slow by the first of some queueing disciplines that the system has."""
        for words in ways:
            command = [*self.inside(self.hosts[i]), *"tc qdisc add dev eth0 root".split()]
            done = subprocess.run([*command, *words.split()], capture_output=True, timeout=60)
            if done.returncode == 0:
                return
        raise NotPermitted(done.stderr.decode().strip())


@pytest.fixture
def network() -> Iterator[Network]:
    if not (shutil.which("ip") and shutil.which("tc")):
        pytest.skip("ip and tc are missing: iproute2")
    found = Network()
    try:
        found.make()
    except (OSError, subprocess.SubprocessError) as error:
        found.remove()
        pytest.skip("network namespaces are not permitted here: %s" % error)
    yield found
    found.remove()


class Run:
    """A master in its namespace, and a worker in that of each host.

    The worker of host 1 has proved some facts when that of host 0 is started.
    """

    def __init__(self, network: Network, place: Path, position: str) -> None:
        self.position = position
        master_key, worker_key = make_keys(str(place))
        self.database = place / "facts"
        words = ("--db", self.database, "--iterations", 20, "--keys", master_key)
        inside = network.inside(network.master)
        self.master = LiveMaster(place, position, *words, listen="0.0.0.0:0", before=inside)
        self.workers = LiveWorkers("--keys", worker_key)
        port = self.master.address.rpartition(":")[2]
        for i in (1, 0):
            self.workers.before = network.inside(network.hosts[i])
            self.workers.start("--connect", "10.77.%d.1:%s" % (i, port), "--name", "host %d" % i)
            wait_until(lambda: len(self.facts()) > 5, "facts")

    def facts(self) -> Dict[bytes, int]:
        """What is stored."""
        return dict(contents(self.database))

    def check(self, before: Dict[bytes, int]) -> None:
        """Wait for the result: it is right, and no fact of `before` was lost."""
        result = self.master.result()
        outcome = result["outcome"]
        assert outcome == pns.solve(self.position).outcome
        assert before.items() <= self.facts().items()
        assert not self.workers.reap()
        audit(self.database, "%s=%s" % (self.position, outcome))

    def __enter__(self) -> "Run":
        self.workers.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.workers.__exit__(*error)
        self.master.kill()


@needs_lmdb
@pytest.mark.slow
def test_cut_and_slow_links(network: Network, tmp_path: Path) -> None:
    try:
        network.slow(1, NETEM, TBF)
    except NotPermitted as error:
        pytest.skip("links cannot be slow here: %s" % error)
    rng, cuts = random.Random(8), 0
    with Run(network, tmp_path, "0*12") as run:
        before, i = run.facts(), 0
        while run.master.is_running:
            network.cut(i, True)
            time.sleep(rng.uniform(0.1, 1.5))
            network.cut(i, False)
            time.sleep(rng.uniform(0.5, 2.0))
            i, cuts = rng.randrange(HOSTS), cuts + 1
        run.check(before)
    assert cuts > 0


@needs_lmdb
@pytest.mark.parametrize("link", ["delay 1ms", "delay 20ms", "delay 20ms loss 1%"])
def test_far_machines(network: Network, tmp_path: Path, link: str) -> None:
    try:
        for i in range(HOSTS):
            network.slow(i, "netem " + link)
    except NotPermitted as error:
        pytest.skip("the kernel has no netem: %s" % error)
    with Run(network, tmp_path, "0*7") as run:
        run.check(run.facts())


@needs_lmdb
@pytest.mark.search
@pytest.mark.parametrize("seconds", [6, pytest.param(60, marks=pytest.mark.slow)])
def test_a_partition(network: Network, tmp_path: Path, seconds: float) -> None:
    """All links are cut for a time, in which the master can only wait."""
    with Run(network, tmp_path, "0*11") as run:
        for i in range(HOSTS):
            network.cut(i, True)
        before = run.facts()
        time.sleep(seconds)
        assert run.master.is_running
        for i in range(HOSTS):
            network.cut(i, False)
        run.check(before)


@needs_lmdb
@pytest.mark.search
@pytest.mark.slow
def test_a_machine_that_dies(network: Network, tmp_path: Path) -> None:
    """Its job is given out again after a minute, as nobody says that it is gone."""
    with Run(network, tmp_path, "0*11") as run:
        network.cut(1, True)
        run.workers.kill(run.workers.running[0])
        run.check(run.facts())
