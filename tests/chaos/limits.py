"""Limits on memory and descriptors: a program succeeds, or reports an error in a few lines."""

from __future__ import annotations

import resource
import subprocess
import sys
from typing import Callable, List, Tuple

from helpers.paths import CERTIFICATES

from chaos.kills import ALGORITHMS
from chaos.run import Program, Run, limit_of, lines_of
from chaos.truth import POSITIONS, check_database, entries_of, outcome_of, write_entries

MOST_LINES = 8
LONGEST_LINE = 500
MEGABYTE = 1 << 20


def run(run: Run) -> None:
    """Run some programs, each under a limit."""
    for _ in range(run.amount(3)):
        prepare, name = limit(run)
        run.rng.choice((solver, solver, tools))(run, prepare, name)


def limit(run: Run) -> Tuple[Callable[[], None], str]:
    """A random limit under which the interpreter itself can start."""
    rng = run.rng
    while True:
        if rng.random() < 0.5:
            most = rng.choice((rng.randint(3, 64), rng.randint(3, 16)))
            prepare, name = limit_of(resource.RLIMIT_NOFILE, most), "-n %d" % most
        else:
            most = rng.choice((rng.randint(50, 600), rng.randint(100, 3000)))
            prepare, name = limit_of(resource.RLIMIT_AS, most * MEGABYTE), "-v %d MB" % most
        bare = [sys.executable, "-c", "import subprocess, json, argparse, multiprocessing"]
        quiet = subprocess.DEVNULL
        if not subprocess.call(bare, preexec_fn=prepare, stdout=quiet, stderr=quiet):
            return prepare, name
        run.counts["limits too low for the interpreter"] += 1


def check(run: Run, program: Program, name: str, *statuses: int) -> int:
    """Check that a program succeeds, or reports an error in a few lines."""
    run.counts["starts under a limit"] += 1
    status = program.expect(*statuses)
    lines = lines_of(program.errors())
    if status and not lines:
        run.fail("message", "%s, %s: status %d without a message" % (program.name, name, status))
    if status and (len(lines) > MOST_LINES or max(map(len, lines), default=0) > LONGEST_LINE):
        text = "%s, %s: %d lines: %s" % (program.name, name, len(lines), lines[:4])
        run.fail("message", text)
    return status


def solver(run: Run, prepare: Callable[[], None], name: str) -> None:
    """solve.py under a limit, and again without one with the same database."""
    rng = run.rng
    position = rng.choice(POSITIONS)
    database = run.work / ("facts-%d.lmdb" % run.counts["programs"])
    words: List[object] = [position, "--json", "--quiet", "--db", database]
    words += ["--algorithm", *rng.choice(ALGORITHMS)]
    if "--every" in words:
        words += ["--checkpoint", run.work / ("tree-%d.pns" % run.counts["programs"])]
    program = run.start("solve.py", *words, prepare=prepare)
    # 1: processes ran out of memory again and again; 3: the budget of memory is spent.
    status = check(run, program, name, 0, 1, 2, 3)
    if status == 0 and '"outcome": "%s"' % outcome_of(position) not in program.output():
        run.fail("wrong", "%s: %s" % (program.name, program.output()))
    check_database(run, database, position if status == 0 else "")
    result = run.start("solve.py", position, "--json", "--db", database).result()
    if result and result["outcome"] != outcome_of(position):
        run.fail("wrong", "%s after a limit: found a %s" % (position, result["outcome"]))


def tools(run: Run, prepare: Callable[[], None], name: str) -> None:
    """The other programs."""
    directory = run.work / ("tools-%d" % run.counts["programs"])
    directory.mkdir()
    database, text, out = directory / "facts.lmdb", directory / "more.spr", directory / "out.spr"
    write_entries(database, entries_of(9))
    write_entries(text, entries_of(12))
    commands: Tuple[Tuple[object, ...], ...] = (
        ("grundy.py", "import", text, "--db", database),
        ("grundy.py", "merge", text, "--db", database),
        ("grundy.py", "export", out, "--db", database),
        ("grundy.py", "convert", text, out),
        ("grundy.py", "check", text),
        ("grundy.py", "stats", "--db", database),
        ("grundy.py", "reduce", "0*6", "--db", text, "--out", out, "--cycles", 3, "--quiet"),
        ("grundy.py", "why", "0*12", "--db", text),
        ("audit.py", text, "--claim", "0*12=loss", "--processes", 2, "--quiet"),
        ("audit.py", "certify", "0*12=loss", text, out, "--quiet"),
        ("worker.py", "keygen", directory),
        ("check_certificate.py", CERTIFICATES / "sprouts-9.cert.gz"),
    )
    command = list(map(str, run.rng.choice(commands)))
    program = run.start(*command, prepare=prepare)
    statuses = (0, 2, 130) if command[0] == "audit.py" else (0, 2)
    before = {path.name for path in directory.iterdir()}
    if check(run, program, name, *statuses):
        left = {path.name for path in directory.iterdir()} - before - {"facts.lmdb-lock"}
        if left:
            run.fail("leftover", "%s: %s" % (program.name, sorted(left)))
        run.start(*command).expect(0)
    check_database(run, database)
