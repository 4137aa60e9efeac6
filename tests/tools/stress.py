"""The chaos suite: disturbs programs at random, and checks their results and files.

    python tests/tools/stress.py --seconds 3600 --seed 1 [--only KIND,...] [--jobs N]
    python tests/tools/stress.py --rounds 1 --scale 0.05
    python tests/tools/stress.py --replay KIND:SEED

Programs are killed, interrupted, limited, given damaged files and false claims. The kinds are
the modules of tests/chaos/; docs/robustness.md lists the promises that they check. Each run is
a forked process with a seed, a directory and a TMPDIR of its own. Totals are printed every
minute and at the end. A failed run keeps its files and prints the command that repeats it. The
exit status is 1 if a run failed.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, NamedTuple, Tuple

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "scripts")]

import bootstrap  # noqa: E402, F401

from chaos import tree, truth  # noqa: E402
from chaos.run import SORTS, Run  # noqa: E402

from pns.system.jit import tune_jit  # noqa: E402

KINDS: Dict[str, float] = {
    "kills": 5.0,
    "forks": 3.0,
    "signals": 2.0,
    "disk": 2.0,
    "limits": 2.0,
    "files": 1.5,
    "readers": 1.5,
    "wire": 2.0,
    "liars": 1.0,
    "leaders": 1.0,
}
"""The relative share of time of each kind."""
RUN_SECONDS = 1200.0
"""A run that takes longer is taken to hang."""
WARM_FROM = 300.0
"""With at least this much time, what most runs need is computed in advance."""
PRINT_SECONDS = 60.0


class Report(NamedTuple):
    """The counts and failures of a run."""

    counts: Dict[str, int]
    failures: List[Tuple[str, str]]


class LiveRun(NamedTuple):
    """A run that has not ended."""

    kind: str
    seed: int
    place: Path
    pid: int
    pipe: int
    began: float
    data: List[bytes]


class Suite:
    """Runs of kinds, several at a time."""

    def __init__(self, kinds: List[str], base: Path, scale: float) -> None:
        self.kinds, self.base, self.scale = kinds, base, scale
        self.spent: Dict[str, float] = dict.fromkeys(kinds, 0.0)
        self.runs: "Counter[str]" = Counter()
        self.counts: "Counter[str]" = Counter()
        self.failed: "Counter[str]" = Counter()
        self.failed_runs: List[str] = []
        self.live: List[LiveRun] = []
        self.began = time.monotonic()
        tree.become_reaper()

    def next_kind(self) -> str:
        """The kind that has used the least of its share of time."""
        now = time.monotonic()
        spent = dict(self.spent)
        for run in self.live:
            spent[run.kind] += now - run.began + 1.0
        return min(self.kinds, key=lambda kind: spent[kind] / KINDS[kind])

    def start(self, kind: str, seed: int) -> None:
        """Fork a run."""
        place = self.base / ("%s-%d" % (kind, seed))
        sys.stdout.flush()
        reader, writer = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(reader)
            for run in self.live:
                os.close(run.pipe)
            live(kind, seed, place, self.scale, writer)
        os.close(writer)
        self.runs[kind] += 1
        self.live.append(LiveRun(kind, seed, place, pid, reader, time.monotonic(), []))

    def wait(self, seconds: float) -> None:
        """Wait up to a time for reports of runs."""
        ready = select.select([run.pipe for run in self.live], [], [], seconds)[0]
        now = time.monotonic()
        for run in list(self.live):
            data = os.read(run.pipe, 1 << 16) if run.pipe in ready else b"-"
            if run.pipe in ready and data:
                run.data.append(data)
            elif not data:
                self.end(run, "crash", "the run itself died")
            elif now - run.began > RUN_SECONDS:
                tree.kill(run.pid, signal.SIGUSR1)
                time.sleep(1.0)
                for pid in [run.pid, *tree.descendants(run.pid)]:
                    tree.kill(pid)
                self.end(run, "hang", "the run took %.0f s" % RUN_SECONDS)

    def end(self, run: LiveRun, sort: str, why: str) -> None:
        """Count the report of a run, which fails if its report is not whole."""
        self.live.remove(run)
        os.close(run.pipe)
        _, status = os.waitpid(run.pid, 0)
        self.spent[run.kind] += time.monotonic() - run.began
        try:
            report = Report(*json.loads(b"".join(run.data)))
        except ValueError:
            log = run.place / "log"
            tail = log.read_text(errors="replace")[-600:] if log.exists() else ""
            report = Report({}, [(sort, "%s, status %d: %s" % (why, status, tail))])
        self.counts.update(report.counts)
        if not self.live:
            for pid in tree.descendants(os.getpid()):  # of runs that died
                tree.kill(pid)
            tree.reap()
        if report.failures:
            self.failed.update([sort for sort, _ in report.failures])
            self.failed_runs.append("%s:%d" % (run.kind, run.seed))
            print("FAILED %s:%d, files in %s" % (run.kind, run.seed, run.place))
            for sort, text in report.failures[:20]:
                print("  %s: %s" % (sort, text))
            if len(report.failures) > 20:
                print("  and %d more" % (len(report.failures) - 20))
            scale = "" if self.scale == 1.0 else " --scale %g" % self.scale
            print(
                "  again: python tests/tools/stress.py --replay %s:%d%s"
                % (run.kind, run.seed, scale)
            )
            sys.stdout.flush()

    def print_totals(self) -> None:
        """Print the counts and failures so far."""
        print("%.0f s" % (time.monotonic() - self.began))
        pairs = sorted(self.counts.items())
        print("  runs: %s" % _listed(self.runs.items()))
        print("  seconds: %s" % _listed([(kind, round(s)) for kind, s in self.spent.items()]))
        print("  done: %s" % _listed(pairs))
        print(
            "  failures: %s; runs that failed: %d%s"
            % (
                _listed([(sort, self.failed[sort]) for sort in SORTS]),
                len(self.failed_runs),
                "".join([" " + name for name in self.failed_runs[-20:]]),
            )
        )
        sys.stdout.flush()

    def stop(self) -> None:
        """Kill all running runs."""
        for run in self.live:
            for pid in [run.pid, *tree.descendants(run.pid)]:
                tree.kill(pid)
            os.waitpid(run.pid, 0)


def _listed(pairs: Iterable[Tuple[str, int]]) -> str:
    return ", ".join(["%s %s" % (name, format(n, ",")) for name, n in pairs])


def live(kind: str, seed: int, place: Path, scale: float, writer: int) -> None:
    """The body of a forked run, which writes its report to a pipe; does not return."""
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        tree.become_reaper()
        run = Run(kind, seed, place, scale)
        log = os.open(str(place / "log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(log, 1)
        os.dup2(log, 2)
        faulthandler.register(signal.SIGUSR1, file=log)  # shows where a run hangs
        try:
            import_module("chaos." + kind).run(run)
        except BaseException:
            run.fail("broken", traceback.format_exc()[-1500:])
            tree.kill_all(os.getpid())
        run.check_leftovers()
        report = json.dumps(Report(run.counts, run.failures)).encode()
        if not run.failures:
            run.clear()
        while report:
            report = report[os.write(writer, report) :]
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def schedule(args: argparse.Namespace, suite: Suite) -> Iterator[Tuple[str, int]]:
    """(kind, seed) of the runs to start."""
    if args.replay:
        kind, _, seed = args.replay.partition(":")
        yield kind, int(seed)
    elif args.rounds:
        for seed in range(args.rounds):
            for kind in suite.kinds:
                yield kind, args.seed * 1_000_000 + seed
    else:
        seeds = dict.fromkeys(suite.kinds, args.seed * 1_000_000)
        while time.monotonic() < suite.began + args.seconds:
            kind = suite.next_kind()
            yield kind, seeds[kind]
            seeds[kind] += 1


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    add = parser.add_argument
    add("--seconds", type=float, default=600.0, help="no run starts later; default: 600")
    add("--rounds", type=int, help="make this number of runs of each kind instead")
    add("--seed", type=int, default=1, help="default: 1")
    add("--only", metavar="KIND,...", help="among " + ", ".join(KINDS))
    add("--jobs", type=int, default=2, help="runs at a time; default: 2")
    add("--scale", type=float, default=1.0, help="multiplies the volume of each run; default: 1")
    add("--replay", metavar="KIND:SEED", help="repeat one run")
    add("--keep", metavar="DIRECTORY", help="directory for the files of runs; default: in TMPDIR")
    args = parser.parse_args()
    args.kinds = args.only.split(",") if args.only else list(KINDS)
    if args.replay:
        args.kinds = [args.replay.partition(":")[0]]
    for kind in args.kinds:
        if kind not in KINDS:
            parser.error("no kind %s; there are %s" % (kind, ", ".join(KINDS)))
    return args


def main() -> int:
    """Run as the command line says; the exit status."""
    args = parse_arguments()
    tune_jit()
    base = Path(args.keep or tempfile.mkdtemp(prefix="pns-chaos-"))
    base.mkdir(parents=True, exist_ok=True)
    if not args.rounds and not args.replay and args.seconds >= WARM_FROM:
        truth.warm_up()
    suite = Suite(args.kinds, base, args.scale)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    printed = suite.began
    runs = schedule(args, suite)
    try:
        while True:
            while len(suite.live) < args.jobs:
                following = next(runs, None)
                if following is None:
                    break
                suite.start(*following)
            if not suite.live:
                break
            suite.wait(1.0)
            if time.monotonic() - printed >= PRINT_SECONDS:
                printed = time.monotonic()
                suite.print_totals()
    except KeyboardInterrupt:
        print("stopped while running %s" % ", ".join(["%s:%d" % run[:2] for run in suite.live]))
        suite.stop()
    suite.print_totals()
    if not suite.failed_runs and not args.keep:
        shutil.rmtree(str(base), ignore_errors=True)
    return 1 if suite.failed_runs else 0


if __name__ == "__main__":
    sys.exit(main())
