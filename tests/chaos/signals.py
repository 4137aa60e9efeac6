"""SIGTERM and SIGINT at random moments: exit status, time, and stored data.

A signal before the first line of the program is the responsibility of the interpreter.
"""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path
from typing import List, Sequence, Tuple

from helpers.paths import CERTIFICATES

from chaos.kills import ALGORITHMS, dismiss, finish, listening, start_solver, wait_for_work
from chaos.run import TRACEBACK, Program, Run
from chaos.truth import POSITIONS, check_kept, contents, entries_of, write_entries

STOP_SECONDS, LEAVE_SECONDS = 60.0, 120.0
"""Upper bounds on the time to stop on a busy machine, without and with workers."""


def run(run: Run) -> None:
    """Run some scenarios."""
    for _ in range(run.amount(2)):
        run.rng.choices((solver, worker, tools), (4, 2, 3))[0](run)


def send_signals(run: Run, program: Program, files: Sequence[Path] = ()) -> bool:
    """Send one to three signals at a random moment; whether the program was still running."""
    rng = run.rng
    wait_for_work(run, program, files)
    number = rng.choice((signal.SIGTERM, signal.SIGINT))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if not program.is_running:
            break
        run.counts["signals"] += 1
        if number == signal.SIGINT and rng.random() < 0.5:
            program.signalled = True
            os.killpg(program.pid, number)  # as a terminal does
        else:
            program.send(number)
        time.sleep(rng.choice((0.0, 0.01, 0.3)))
    return program.signalled


FRAME = re.compile(r'File "[^"]*/(?:scripts|pns)/[^"]*", line \d+, in (.*)')


def is_early(program: Program) -> bool:
    """Whether a program was interrupted in its interpreter or its first imports."""
    frames = FRAME.findall(program.errors())
    return not program.output() and frames in ([], ["<module>"])


def wait_for_stop(run: Run, program: Program, seconds: float, *statuses: int) -> int:
    """Wait for a program that was signalled; its exit status, -15 if it had not started."""
    status = program.wait_quietly(seconds)
    errors = program.errors()
    if status in (1, 130, -signal.SIGINT, -signal.SIGTERM) and is_early(program):
        if not errors.strip() or TRACEBACK.search(errors):
            run.counts["signals before the first line"] += 1
            return -signal.SIGTERM
    program.check(status)
    if status not in statuses and status >= 0:
        run.fail("status", "%s: exit status %d: %s" % (program.name, status, errors[-300:]))
    return status


def solver(run: Run) -> None:
    """solve.py stops with status 130, keeps what it reports as stored, and goes on later."""
    rng = run.rng
    algorithm = list(rng.choice(ALGORITHMS))
    position = rng.choice(POSITIONS)
    database, checkpoint = run.work / "facts.lmdb", run.work / "tree.pns"
    for path in (database, checkpoint, Path(str(database) + "-lock")):
        if path.exists():
            path.unlink()
    saves = checkpoint if "--every" in algorithm else None
    words: List[object] = [position, "--json", "--db", database, "--algorithm", *algorithm]
    seconds = LEAVE_SECONDS if algorithm[0] == "pns-pdfpn" else STOP_SECONDS
    for _ in range(2):
        before = contents(database)
        program = start_solver(run, words, saves)
        was_running = send_signals(run, program, (database,))
        status = wait_for_stop(run, program, seconds, 0, 130) if was_running else program.expect(0)
        after = contents(database)
        check_kept(run, before, after, program.name)
        if status == 130:
            check_promise(run, program, len(after), saves)
    finish(run, start_solver(run, words, saves), position, database)


def check_promise(run: Run, program: Program, stored: int, saves: "Path | None") -> None:
    """Check that the facts and the checkpoint that a stopped search reports as stored exist."""
    known = re.search(r"Facts known: (\d+), stored in ", program.errors())
    if known and int(known[1]) > stored:
        run.fail("lost", "%s: reports %s stored facts, has %d" % (program.name, known[1], stored))
    if not known and "Traceback" not in program.errors() and program.errors().strip():
        run.fail("message", "%s: %s" % (program.name, program.errors()[-300:]))
    if saves and "Search saved" in program.errors() and not saves.exists():
        run.fail("lost", "%s: no checkpoint was saved" % program.name)


def worker(run: Run) -> None:
    """worker.py hands in its job and ends with status 0; its master goes on with another one."""
    rng = run.rng
    position, database = rng.choice(POSITIONS), run.work / ("%d.lmdb" % run.counts["programs"])
    words: List[object] = [position, "--json", "--db", database, "--algorithm", "pns-pdfpn"]
    words += ["--iterations", rng.choice((20, 10_000))]
    master = start_solver(run, [*words, "--workers", 0, "--listen", "127.0.0.1:0"], None)
    address = listening(master)
    more: Tuple[object, ...] = rng.choice(((), ("--processes", 2), ("--db", run.work / "group")))
    connect = ("--connect", address, "--capacity", 100_000)
    for _ in range(2):
        helper = run.start("worker.py", *connect, *more)
        send_signals(run, helper, (database,))
        if helper.signalled:
            wait_for_stop(run, helper, LEAVE_SECONDS, 0, 130)
        else:
            dismiss(run, [helper])
    last = [run.start("worker.py", *connect)] if master.is_running else []
    finish(run, master, position, database)
    dismiss(run, last)


def tools(run: Run) -> None:
    """The other programs end with 130 or 0, and leave whole files."""
    rng = run.rng
    directory = run.work / ("tools-%d" % run.counts["programs"])
    directory.mkdir()
    database, text, out = directory / "facts.lmdb", directory / "more.spr", directory / "out.spr"
    known, more = entries_of(9), entries_of(12)
    write_entries(database, known)
    write_entries(text, more)
    commands: Tuple[Tuple[object, ...], ...] = (
        ("grundy.py", "import", text, "--db", database),
        ("grundy.py", "merge", text, "--db", database),
        ("grundy.py", "export", out, "--db", database),
        ("grundy.py", "convert", text, out),
        ("grundy.py", "check", text),
        ("grundy.py", "stats", "--db", database),
        ("grundy.py", "reduce", "0*9", "--db", database, "--out", out, "--cycles", 100_000),
        ("grundy.py", "why", "0*12", "--db", text, "--to-the-end"),
        ("audit.py", text, "--claim", "0*12=loss", "--processes", 2, "--quiet"),
        ("audit.py", text, "--independent", "--processes", 1, "--quiet"),
        ("audit.py", "certify", "0*12=loss", text, out, "--quiet"),
        ("simulate.py", "--cores", "1,4", "--iterations", 50, "0*7"),
        ("check_certificate.py", CERTIFICATES / "sprouts-12.cert.gz"),
    )
    program = run.start(*map(str, rng.choice(commands)))
    before = set(directory.iterdir())
    was_running = send_signals(run, program, (directory,))
    statuses: Tuple[int, ...] = (0, 130)
    if program.words[1].endswith("check_certificate.py"):
        statuses = (0, 130, -signal.SIGTERM)
    status = (
        wait_for_stop(run, program, STOP_SECONDS, *statuses) if was_running else program.expect(0)
    )
    after = contents(database)
    if after not in (known, {**known, **more}):
        run.fail("wrong", "%s: neither all nor nothing was stored" % program.name)
    left = set(directory.iterdir()) - before - {out, Path(str(database) + "-lock")}
    if left and status != -signal.SIGTERM:
        run.fail("leftover", "%s: %s" % (program.name, sorted(left)))
    if status == 130 and "audit.py" in program.words[1] and "certify" not in program.words:
        run.start("audit.py", *program.words[2:]).expect(0)
