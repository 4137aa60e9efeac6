"""A search between network namespaces of this machine, whose links are cut, slow and lossy."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from pathlib import Path
from typing import Iterator, List

import pytest
from helpers.live import LiveMaster, LiveWorkers, audit, wait_until
from helpers.solver import contents, needs_lmdb

pytest.importorskip("zmq", reason="pyzmq is missing")
from pns.distributed.keys import make_keys

HOSTS = 2


def ip(*words: object) -> None:
    subprocess.run(["ip", *map(str, words)], check=True, capture_output=True, timeout=60)


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

    def slow(self, i: int) -> None:
        """Make a host's link slow by tc-tbf(8), or slow and lossy where there is tc-netem(8)."""
        netem = "netem delay 40ms 20ms loss 5% duplicate 2%"
        tbf = "tbf rate 200kbit burst 8kb latency 200ms"
        for words in (netem, tbf):
            command = [*self.inside(self.hosts[i]), *"tc qdisc add dev eth0 root".split()]
            done = subprocess.run([*command, *words.split()], capture_output=True, timeout=60)
            if done.returncode == 0:
                return
        done.check_returncode()


@pytest.fixture
def network() -> Iterator[Network]:
    if not (shutil.which("ip") and shutil.which("tc")):
        pytest.skip("ip and tc are missing: iproute2")
    found = Network()
    try:
        found.make()
        found.slow(1)
    except (OSError, subprocess.SubprocessError) as error:
        found.remove()
        pytest.skip("network namespaces are not permitted here: %s" % error)
    yield found
    found.remove()


@needs_lmdb
def test_cut_and_slow_links(network: Network, tmp_path: Path) -> None:
    master_key, worker_key = make_keys(str(tmp_path))
    database, rng = tmp_path / "facts", random.Random(8)
    words = ("--db", database, "--iterations", 20, "--keys", master_key)
    inside = network.inside(network.master)
    master = LiveMaster(tmp_path, "0*7", *words, listen="0.0.0.0:0", before=inside)
    port = master.address.rpartition(":")[2]
    try:
        with LiveWorkers("--keys", worker_key) as workers:
            for i in (1, 0):  # first the one whose link is slow
                workers.before = network.inside(network.hosts[i])
                workers.start("--connect", "10.77.%d.1:%s" % (i, port), "--name", "host %d" % i)
                wait_until(lambda: len(contents(database)) > 5, "facts")
            i = cuts = 0
            while master.is_running:
                network.cut(i, True)
                time.sleep(rng.uniform(0.1, 1.5))
                network.cut(i, False)
                time.sleep(rng.uniform(0.5, 2.0))
                i, cuts = rng.randrange(HOSTS), cuts + 1
            result = master.result()
            assert not workers.reap()
    finally:
        master.kill()
    print("%d cuts, %s" % (cuts, result["distribution"]))
    assert result["outcome"] == "loss" and cuts > 0
    audit(database, "0*7=loss")
