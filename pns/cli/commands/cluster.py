"""Run a group of workers on each node of a Ray cluster."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from typing import Any, Callable, Dict, List, Optional, Tuple

from pns.choices import MOST_PROCESSES
from pns.cli.common import A_SIGNAL, THEN, die, program, run, warn
from pns.cli.options.cluster import cluster_parser
from pns.search.table import ENTRY_BYTES
from pns.system.backoff import Backoff

POLL_SECONDS, CONNECT_SECONDS = 0.5, 10.0
LEAVE_SECONDS = 60.0
"""How long workers may take to hand in what they found before they leave."""
WAITING_SECONDS = 10.0
"""An actor that has not started after this time is reported to wait for cores."""
TABLE_PART = 4
"""The tables of a node get 1 / TABLE_PART of its memory."""
LONG_LIFE, PAUSE_SECONDS, LONGEST_PAUSE = 60.0, 1.0, 60.0
"""Those of `Backoff`, for the processes and the actors of a node."""

NodeStatus = Tuple[int, int, str, str]
"""The process id, 0 if none runs; the number of starts; why the last process died, "" if none
has; why the search is done, "" while it runs."""


class NodeWorkers:
    """The actor of one node: keeps a process of workers running there.

    Nothing happens by itself: the supervisor calls `tend` again and again. The process ends
    with the actor.
    """

    def __init__(self, command: List[str]) -> None:
        self._command = command
        self._process: Optional["subprocess.Popen[bytes]"] = None
        self._output: Any = None
        self._started = 0
        self._started_at = 0.0
        self._backoff = new_backoff()
        self._last_line = self._done = ""
        self._leaving = False

    def tend(self) -> NodeStatus:
        """Start the process unless it runs, pauses or is no longer wanted."""
        now = time.monotonic()
        if self._process and self._process.poll() is not None:
            self._reap(self._process.returncode, now)
        is_wanted = not (self._process or self._done or self._leaving)
        if is_wanted and self._backoff.may_start(now):
            self._start(now)
        pid = self._process.pid if self._process else 0
        return pid, self._started, self._last_line, self._done

    def _start(self, now: float) -> None:
        self._output = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=self._output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            self._last_line = str(error)
            self._backoff.fail(now, at_least=LONGEST_PAUSE)
        self._started += 1
        self._started_at = now

    def _reap(self, status: int, now: float) -> None:
        """Note why the process ended, and when to start the next."""
        self._process = None
        self._output.seek(0)
        lines = self._output.read().decode("utf-8", "replace").split("\n")
        lines = [line.strip() for line in lines if line.strip()] or [""]
        line = lines[-1]
        self._output.close()
        if status == 0:
            self._done = why_done(lines)
        if self._done:
            return
        self._last_line = "exit status %d%s" % (status, ": " + line[:200] if line else "")
        self._backoff.fail(now, now - self._started_at)

    def leave(self) -> NodeStatus:
        """Let the process hand in its results, and start no other."""
        if not self._leaving and self._process and self._process.poll() is None:
            self._process.terminate()
        self._leaving = True
        return self.tend()


def new_backoff() -> Backoff:
    """The pauses between the starts of a process or an actor, without a limit on their number."""
    return Backoff(PAUSE_SECONDS, LONGEST_PAUSE, LONG_LIFE, float("inf"))


def why_done(lines: List[str]) -> str:
    """Why workers ended with status 0, by the lines that they printed; "" if a signal ended them.

    Those that were at work when the first ended may have been stopped by a signal before the
    master told them why.

    >>> why_done(["a-1: 3 jobs done, then: solved", "a-2: 4 jobs done, then: a signal"])
    'solved'
    """
    found = [line.partition(THEN)[2] for line in lines if THEN in line]
    reasons = [reason for reason in found if reason != A_SIGNAL]
    return (reasons or ["" if found else "the search is done"])[0]


class ClusterNode:
    """A node with its actor, as the supervisor knows it."""

    def __init__(self, label: str, actor: Any) -> None:
        self.label = label
        self.actor = actor
        self.answer: Any = actor.tend.remote()
        self.placed = time.monotonic()
        self.has_started = self.is_reported_late = False
        self.state: NodeStatus = (0, 0, "", "")


class Supervisor:
    """Follows a cluster, and keeps a group of workers on each node that has a core."""

    def __init__(self, ray: Any, args: argparse.Namespace, report: Callable[[str], None]) -> None:
        self._ray = ray
        self._args = args
        self._report = report
        self._nodes: Dict[str, ClusterNode] = {}
        self._leaving = False
        self._backoffs: Dict[str, Backoff] = {}
        """Those of the actors, by node."""
        self.done = ""

    def poll(self) -> None:
        """Follow nodes that join or leave, and receive the states of their groups."""
        alive = {found["NodeID"]: found for found in self._ray.nodes() if found["Alive"]}
        for key in [key for key in self._nodes if key not in alive]:
            self._report("%s: the node is gone" % self._nodes.pop(key).label)
        for key in [key for key in alive if key not in self._nodes]:
            backoff = self._backoffs.setdefault(key, new_backoff())
            has_core = alive[key]["Resources"].get("CPU", 0) >= 1
            if has_core and backoff.may_start(time.monotonic()):
                self._place(key, alive[key])
        for key, node in list(self._nodes.items()):
            self._receive(key, node)

    def _place(self, key: str, found: Dict[str, Any]) -> None:
        """Place an actor on a node, as Ray describes it, with all its cores and memory."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        cores = min(int(found["Resources"]["CPU"]), MOST_PROCESSES)
        memory = int(found["Resources"].get("memory", 0))
        label = "%s-%s" % (found["NodeManagerHostname"][:60], key[:8])
        actor = self._ray.remote(NodeWorkers).options(
            num_cpus=cores,
            memory=memory or None,
            scheduling_strategy=NodeAffinitySchedulingStrategy(key, soft=False),
        )
        command = worker_command(self._args, label, cores, memory)
        self._nodes[key] = ClusterNode(label, actor.remote(command))

    def _receive(self, key: str, node: ClusterNode) -> None:
        """Receive an actor's answer, if it has come, and call it again."""
        if not self._ray.wait([node.answer], timeout=0)[0]:
            late = time.monotonic() - node.placed > WAITING_SECONDS
            if late and not node.is_reported_late and not node.has_started:
                self._report("%s: no actor there yet; are the cores in use?" % node.label)
                node.is_reported_late = True
            return
        try:
            state: NodeStatus = self._ray.get(node.answer)
        except self._ray.exceptions.ActorUnavailableError:  # perhaps only for now
            self._call(node)
            return
        except self._ray.exceptions.RayError as error:
            self._report("%s: the actor died: %s" % (node.label, first_line(error)))
            del self._nodes[key]  # another one is placed
            now = time.monotonic()
            self._backoffs[key].fail(now, now - node.placed)
            return
        pid, started, line, done = state
        self.done = done or self.done
        if line and line != node.state[2]:
            self._report("%s: %s" % (node.label, line))
        if pid and pid != node.state[0]:
            again = " again" if started > 1 else ""
            self._report("%s: workers started%s, process %d" % (node.label, again, pid))
        node.state, node.has_started = state, True
        self._call(node)

    def _call(self, node: ClusterNode) -> None:
        method = node.actor.leave if self._leaving else node.actor.tend
        node.answer = method.remote()

    @property
    def are_running(self) -> bool:
        """Whether any group is known to run."""
        return any([node.state[0] for node in self._nodes.values()])

    @property
    def are_starting(self) -> bool:
        """Whether any actor has been placed but not started yet."""
        return not all([node.has_started for node in self._nodes.values()])

    def leave(self) -> None:
        """Let all groups hand in their results; waits up to LEAVE_SECONDS."""
        self._leaving = True
        for node in self._nodes.values():
            self._call(node)  # actors answer calls in order
        start = time.monotonic()
        while time.monotonic() < start + LEAVE_SECONDS:
            late = time.monotonic() > start + WAITING_SECONDS
            if not self.are_running and (late or not self.are_starting):
                break
            time.sleep(POLL_SECONDS / 5)
            for key, node in list(self._nodes.items()):
                self._receive(key, node)


def first_line(error: Exception) -> str:
    """The first line of an error's text, or its type."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines or [type(error).__name__])[0][:200]


def worker_command(args: argparse.Namespace, name: str, cores: int, memory: int) -> List[str]:
    """The command that starts the workers of a node, and ends them with its standard input."""
    command = [args.python, "-m", "pns.system.lifeline", args.python, "-m", "pns", "worker"]
    if args.directory:
        lifeline = os.path.join(args.directory, "pns", "system", "lifeline.py")
        script = os.path.join(args.directory, "scripts", "worker.py")
        command = [args.python, "-I", lifeline, args.python, script]
    command += ["--connect", args.connect, "--name", name]
    command += ["--keys", args.keys] if args.keys else []
    command += ["--workers", "%d" % cores]
    if memory:
        capacity = memory // TABLE_PART // ENTRY_BYTES // cores
        command += ["--memory", "%d" % memory, "--capacity", "%d" % capacity]
    return [*command, *args.worker_options]


def open_cluster(address: str, option: str = "--address") -> Any:
    """Ray, connected to a cluster whose address an option gives; exits where there is none."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # avoids a warning
    try:
        import ray
    except ImportError:
        die("Ray is missing: on CPython, python3 -m pip install ray")
    host, colon, port = address.rpartition("//")[2].rpartition(":")
    try:
        if colon:  # Ray itself would try for minutes
            socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except Exception as error:  # of many kinds
        die("%s %s: no Ray cluster there: %s" % (option, address, first_line(error)))
    return ray


def supervise(args: argparse.Namespace, report: Callable[[str], None]) -> int:
    """Follow the cluster until the search is done; returns the exit status."""
    signals: List[int] = []
    ray = open_cluster(args.address)
    for number in (signal.SIGINT, signal.SIGTERM):  # after Ray has set its own
        signal.signal(number, lambda number, _: signals.append(number))
    supervisor = Supervisor(ray, args, report)
    try:
        limit = float("inf")
        while not signals and time.monotonic() < limit:
            supervisor.poll()
            if supervisor.done:
                if not supervisor.are_running:
                    break
                limit = min(limit, time.monotonic() + LEAVE_SECONDS)
            time.sleep(POLL_SECONDS)
        supervisor.leave()
    except (ray.exceptions.RayError, ConnectionError) as error:
        warn("the cluster is lost: %s" % first_line(error))
        return 1
    finally:
        ray.shutdown()
    if supervisor.done:
        report("done: %s" % supervisor.done)
    return 0 if supervisor.done else 130


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    options, out = args or cluster_parser(program()).parse_args(sys.argv[1:]), sys.stdout

    def report(line: str) -> None:
        if not options.quiet:
            print(line, file=out, flush=True)

    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):  # where Ray prints reports
        return supervise(options, report)


if __name__ == "__main__":
    run(main)
