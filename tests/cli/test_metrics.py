"""`--metrics`: figures in Prometheus's text format, served on the loopback address."""

from __future__ import annotations

import math
import os
import re
import signal
import socket
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import pytest
from helpers.http_client import get
from helpers.live import LiveMaster, LiveWorkers, wait_until
from helpers.masters import Clock, LocalLink, master_of, worker_of
from helpers.paths import ROOT
from helpers.processes import children_of
from helpers.solver import LONG, run

pytest.importorskip("zmq", reason="pyzmq is missing")

from pns.cli.metrics.exposition import COUNTER, GAUGE, Metric, exposition
from pns.cli.metrics.master import MasterMetrics, master_metrics
from pns.cli.metrics.worker import METRICS, CountingLink, Counts, worker_metrics
from pns.cli.reports.forecast import Forecast, Forecaster
from pns.distributed.solver import progress_of
from pns.search.bounds import INF

pytestmark = pytest.mark.programs

text_string_to_metric_families: Any = None
with suppress(ImportError):
    parser = import_module("prometheus_client.parser")
    text_string_to_metric_families = parser.text_string_to_metric_families

Figures = Dict[Tuple[str, str], float]
"""Values by the name of the metric and its label `worker`, "" for none."""

NAME = r"[a-z][a-z0-9_]*"
LABELS = r'\{(?:%s="(?:[^"\\\n]|\\["\\n])*",?)*\}' % NAME
SAMPLE = re.compile(r"(%s)(%s)? (\+Inf|[-+.e0-9]+)" % (NAME, LABELS))


def parse(text: bytes) -> Figures:
    """The figures of a text, every line of which must be as the format and its customs say."""
    found: Figures = {}
    lines = text.decode("utf-8").split("\n")
    assert lines.pop() == ""
    seen: List[str] = []
    for line in lines:
        if line.startswith("# HELP "):
            name = line.split(" ")[2]
            assert name not in seen and re.fullmatch(NAME, name) and line.endswith(".")
            seen.append(name)
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name == seen[-1] and kind in (COUNTER, GAUGE)
            assert name.endswith("_total") == (kind == COUNTER), name
        else:
            sample = SAMPLE.fullmatch(line)
            assert sample and sample[1] == seen[-1], line
            label = re.search(r'(?:worker|quantile)="((?:[^"\\]|\\.)*)"', sample[2] or "")
            key = sample[1], label[1] if label else ""
            assert key not in found
            found[key] = float(sample[3])
    if text_string_to_metric_families:
        theirs = {
            (sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(text.decode("utf-8"))
            for sample in family.samples
        }
        assert sorted(theirs.values()) == sorted(found.values())
        assert {name for name, _ in theirs} == {name for name, _ in found}
    return found


def test_the_format() -> None:
    odd = 'a "b"\\\nc'
    metrics = [
        Metric("pns_a_total", COUNTER, "One\\two.", {(("worker", odd), ("x", "é")): 1.5}),
        Metric("pns_b", GAUGE, "None yet.", {}),
        Metric("pns_c", GAUGE, "Large.", {(): math.inf}),
    ]
    text = exposition(metrics)
    assert text.decode().splitlines() == [
        "# HELP pns_a_total One\\\\two.",
        "# TYPE pns_a_total counter",
        'pns_a_total{worker="a \\"b\\"\\\\\\nc",x="é"} 1.5',
        "# HELP pns_b None yet.",
        "# TYPE pns_b gauge",
        "# HELP pns_c Large.",
        "# TYPE pns_c gauge",
        "pns_c +Inf",
    ]
    parsed = parse(text)
    assert list(parsed.values()) == [1.5, math.inf]
    if text_string_to_metric_families:
        (family,) = list(text_string_to_metric_families(text.decode()))[:1]
        assert family.samples[0].labels == {"worker": odd, "x": "é"}


def test_a_wrong_text_is_noticed() -> None:
    for metric in (
        Metric("Bad", GAUGE, "One.", {(): 1}),
        Metric("pns_a", COUNTER, "One.", {(): 1}),
        Metric("pns_a_total", GAUGE, "One.", {(): 1}),
        Metric("pns_a", GAUGE, "One", {(): 1}),
        Metric("pns_a", GAUGE, "One.", {(): math.nan}),
    ):
        with pytest.raises(AssertionError):
            parse(exposition([metric]))


def test_the_figures_of_a_master() -> None:
    clock = Clock()
    master = master_of("0*6", iterations=30)
    worker = worker_of(LocalLink(master, 'a "b"', clock), master.game, pause=clock.wait)
    worker.join()
    labels = (("position", "0*6"),)
    forecast = Forecast(2.0, 3.5, 9.0)
    before = parse(exposition(master_metrics(progress_of(master, 1.0), 1.0, labels)))
    later = parse(exposition(master_metrics(progress_of(master, 1.0), 1.0, labels, forecast)))
    left = {key: later.pop(key) for key in list(later) if key not in before}
    assert left == {
        ("pns_master_left_seconds", quantile): seconds
        for quantile, seconds in zip(("0.25", "0.5", "0.75"), forecast)
    }
    assert later.keys() == before.keys()
    worker._take_turn()
    clock.now = 5.0
    found = parse(exposition(master_metrics(progress_of(master, 5.0, 10), 5.0, labels)))
    assert before.keys() == found.keys()
    jobs = ("given", "submitted", "closed", "lost", "late", "dropped")
    counts = [found["pns_master_jobs_%s_total" % name, ""] for name in jobs]
    assert counts == [1, 1, 0, 0, 0, 0]
    assert found["pns_master_workers", ""] == found["pns_master_info", ""] == 1
    assert found["pns_master_expansions_total", ""] == master.knowledge.expansions > 0
    assert found["pns_master_worker_expansions_total", 'a \\"b\\"'] == master.knowledge.expansions
    assert found["pns_master_worker_silent_seconds", 'a \\"b\\"'] == 5.0
    assert found["pns_master_root_proof_number", ""] == progress_of(master, 5.0).root[0]
    assert (found["pns_master_search_seconds", ""], found["pns_master_memory_bytes", ""]) == (5, 10)
    worker.run()
    found = parse(exposition(master_metrics(progress_of(master, 6.0), 6.0, labels)))
    assert master.knowledge.outcome is False
    assert progress_of(master, 6.0).root == (INF, 0)
    assert found["pns_master_root_proof_number", ""] == math.inf
    assert found["pns_master_root_disproof_number", ""] == 0


def test_the_figures_of_workers_are_those_of_their_master() -> None:
    """Also where a reply to a report says that the master does not know the worker."""
    clock, counts = Clock(), Counts(2)
    master = master_of("0*7", iterations=30, updates=10)
    link = CountingLink(LocalLink(master, "w", clock), counts.row(1))
    worker = worker_of(link, master.game, clock=clock, pause=clock.wait)
    worker.join()
    for _ in range(3):
        worker._take_turn()
    master.lose("w", clock())
    worker.run()
    found = parse(exposition(worker_metrics(("v", "w"), counts, (1, 2), (0, 100))))
    figures = {name: found["pns_worker_" + name, "w"] for _, name, *_ in METRICS}
    assert figures["jobs_total"] == worker.jobs and figures["joins_total"] == 2
    assert figures["expansions_total"] == master.knowledge.expansions > 0
    assert figures["generated_children_total"] == master.generated > 0
    assert figures["reported_facts_total"] >= len(master.knowledge.log) > 0
    assert figures["last_reply_timestamp_seconds"] > 1e9
    assert not any([found["pns_worker_" + name, "v"] for _, name, *_ in METRICS])
    ups = [found["pns_worker_up", name] for name in "vw"]
    starts = [found["pns_worker_starts_total", name] for name in "vw"]
    assert (ups, starts) == ([0, 1], [1, 2])


def port_in(errors: Callable[[], str]) -> int:
    """The port that a program names."""
    found = wait_until(lambda: re.search(r"metrics at http://127.0.0.1:(\d+)/", errors()), "a port")
    return int(found[1])


def test_a_running_master_and_its_workers(tmp_path: Path) -> None:
    assert run("worker.py", "keygen", tmp_path).status == 0
    keys = ("--keys", tmp_path / "worker.key")
    words = ("--no-db", "--iterations", 20, "--keys", tmp_path / "master.key", "--metrics", 0)
    master = LiveMaster(tmp_path, LONG, *words)
    try:
        port = port_in(master.errors)
        with LiveWorkers("--connect", master.address, *keys) as workers:
            group = workers.start("--workers", 2, "--name", "box", "--metrics", 0)
            stream: Any = group.stderr
            own = port_in(lambda: stream.readline().decode())

            def found(port: int, name: str, worker: str = "") -> float:
                return parse(get(port)[1]).get((name, worker), 0.0)

            wait_until(lambda: found(own, "pns_worker_jobs_total", "box-2") > 1, "jobs")
            wait_until(lambda: found(port, "pns_master_jobs_submitted_total") > 2, "jobs")
            wait_until(lambda: found(port, "pns_master_workers") == 2, "two workers")
            done = found(own, "pns_worker_expansions_total", "box-1")
            assert found(own, "pns_worker_memory_bytes", "box-1") > 1e6
            os.kill(min(children_of(group.pid)), signal.SIGKILL)
            wait_until(lambda: found(own, "pns_worker_starts_total", "box-1") == 2, "a start")
            assert found(own, "pns_worker_expansions_total", "box-1") >= done
            group.terminate()
            group.communicate(timeout=60)
            assert group.returncode == 0
        wait_until(lambda: found(port, "pns_master_workers") == 0, "they have left")
    finally:
        master.kill()


def test_the_page_lists_all_metrics() -> None:
    master = master_metrics(progress_of(master_of("0*6"), 1.0), 1.0, ())
    workers = worker_metrics(("v",), Counts(1), (0,), (0,))
    page = (ROOT / "docs" / "cluster.md").read_text("utf-8")
    rows = re.findall(r"^\| `(pns_\w+)` \| (\w+) \| (.+) \|$", page, re.MULTILINE)
    found = [(metric.name, metric.kind, metric.help[:-1]) for metric in [*master, *workers]]
    assert rows == found


def test_refusals() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        solve, worker = ("--algorithm", "pns-pdfpn", "0*3"), ("--connect", "127.0.0.1:1")
        for program, more in (("solve.py", solve), ("worker.py", worker)):
            for port, error in (
                (70000, "argument --metrics: invalid port 70000; expected"),
                (taken, "argument --metrics: %d: Address already in use; 0 chooses a" % taken),
            ):
                done = run(program, *more, "--metrics", port)
                assert done.status == 2 and len(done.errors) == 1 and error in done.errors[0], done
    done = run("solve.py", "0*3", "--metrics", 0)
    assert done.status == 2 and "only pns-pdfpn and ppn2 have it" in done.errors[0], done


def test_what_is_served_before_the_search_has_begun() -> None:
    metrics = MasterMetrics(0, "0*3", "sprouts", "pns-pdfpn", Forecaster(), quiet=True)
    assert metrics.collect() == [] and parse(get(metrics.server.port)[1]) == {}
    metrics.server.close()
