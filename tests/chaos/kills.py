"""Programs whose processes are killed by SIGKILL at random moments, and started again.

The last program runs undisturbed, and its result and files are checked. No fact that was in
the database before a kill may be missing.
"""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Callable, Dict, List, Sequence, Tuple

from chaos import tree
from chaos.run import Program, Run
from chaos.truth import (
    POSITIONS,
    Entries,
    check_contents,
    check_database,
    check_kept,
    contents,
    entries_of,
    outcome_of,
    write_entries,
)
from pns.facts.spr import read_spr

ALGORITHMS: Tuple[Tuple[str, ...], ...] = (
    ("dfpn",),
    ("dfpn", "--every", "0.2"),
    ("pdfpn", "--processes", "2"),
    ("pdfpn", "--processes", "3", "--every", "0.2"),
    ("spdfpn", "--processes", "2", "--every", "0.2"),
    ("spdfpn", "--processes", "3"),
    ("pns", "--every", "0.2"),
    ("pn2", "--every", "0.2"),
    ("pns", "--every", "0.2", "--capacity", "1k", "--when-full", "dfpn"),
    ("pns-pdfpn", "--workers", "2", "--every", "0.2"),
    ("pns-pdfpn", "--workers", "1", "--processes", "2", "--every", "0.2"),
    ("pns-pdfpn", "--workers", "2", "--processes", "2", "--every", "0.3"),
    ("pns-pdfpn", "--workers", "2", "--grouping", "2", "--every", "0.2"),
)
MOST_STARTS = 6
LEAVE_SECONDS = 30.0
MOST_WORKERS_KILLED = 3
"""Per master, which gives up after five early deaths."""


def run(run: Run) -> None:
    """Run one scenario."""
    weights: Dict[Callable[[Run], None], int] = {solver: 6, cluster: 2, audit: 2, tools: 3}
    run.rng.choices(list(weights), list(weights.values()))[0](run)


def moment(run: Run) -> float:
    """Seconds until the next kill, often less than half a second."""
    rng = run.rng
    return rng.uniform(0.0, 0.5) if rng.random() < 0.4 else rng.uniform(0.5, 4.0)


def wait_for_work(run: Run, program: Program, files: Sequence[Path]) -> None:
    """Wait until a random moment, or in half of the cases until one of the files is written to."""
    if not files or run.rng.random() < 0.5:
        tree.wait_until(lambda: not program.is_running, moment(run), 0.005)
        return
    times = [written(path) for path in files]

    def is_writing() -> bool:
        return not program.is_running or [written(path) for path in files] != times

    tree.wait_until(is_writing, 60.0, 0.005)
    time.sleep(run.rng.expovariate(2.0))


def written(path: Path) -> float:
    """The time of the last write to a file, 0 if it does not exist."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def strike(run: Run, program: Program, most: int, root: float, files: Sequence[Path] = ()) -> bool:
    """Kill up to `most` processes of a program until it ends; whether it was itself killed.

    `root` is the probability that the victim is the program's main process, `files` are those
    that it writes.
    """
    rng, kills = run.rng, 0
    wait_for_work(run, program, files)
    due = time.monotonic()
    limit = time.monotonic() + 60.0
    while program.is_running and kills < most and time.monotonic() < limit:
        if time.monotonic() < due:
            time.sleep(0.005)
            continue
        due = time.monotonic() + rng.expovariate(2.0)
        living = [pid for pid in program.processes() if tree.command_line(pid)]
        run.note_memory(living)
        below = [pid for pid in living if pid != program.pid]
        if not below and not root:
            continue
        victim = program.pid if not below or rng.random() < root else rng.choice(below)
        role = tree.role(victim)
        database = next((path for path in files if path.suffix == ".lmdb"), None)
        stored: Entries = {}
        if victim == program.pid:
            program.signalled = True
            stored = contents(database) if database else {}
        if not program.is_running or not tree.kill(victim):
            continue
        kills += 1
        run.counts["kills of " + role] += 1
        if victim == program.pid:
            program.wait()
            if database:
                check_kept(run, stored, contents(database), "%s after a kill" % program.name)
            return True
    return False


def solver(run: Run) -> None:
    """solve.py by any algorithm, with a database, and with a checkpoint if there can be one."""
    rng = run.rng
    algorithm = list(rng.choice(ALGORITHMS))
    position = rng.choice(POSITIONS)
    database, checkpoint = run.work / "facts.lmdb", run.work / "tree.pns"
    saves = "--every" in algorithm
    words: List[object] = [position, "--json", "--db", database, "--algorithm", *algorithm]
    words += ["--seed", rng.randrange(3)]
    most = MOST_WORKERS_KILLED if algorithm[0] == "pns-pdfpn" else 6
    starts = max(2, run.amount(MOST_STARTS))
    for i in range(starts):
        program = start_solver(run, words, checkpoint if saves else None)
        spared = i == starts - 1
        root = 0.0 if spared else rng.choice((0.2, 0.7, 1.0))
        if not strike(run, program, most, root, (database,)):
            break
        if rng.random() < 0.5:
            run.wait_for_orphans()
    finish(run, program, position, database)
    if saves and checkpoint.exists():
        part = Path(str(checkpoint) + ".part")
        if part.exists():
            run.fail("leftover", "%s beside a whole checkpoint" % part.name)


def start_solver(run: Run, words: List[object], checkpoint: "Path | None") -> Program:
    """Start solve.py, which resumes from its checkpoint if there is one."""
    words = list(words)
    if checkpoint:
        words += ["--checkpoint", checkpoint]
        if checkpoint.exists():
            words += ["--resume", checkpoint]
            run.counts["resumes"] += 1
    run.counts["starts"] += 1
    return run.start("solve.py", *words)


def finish(run: Run, program: Program, position: str, database: Path) -> None:
    """Check the outcome, that the database proves it, and that a second search is immediate."""
    result = program.result()
    if not result:
        return
    if result["outcome"] != outcome_of(position):
        run.fail("wrong", "%s: found a %s" % (program.name, result["outcome"]))
    check_database(run, database, position)
    again = run.start("solve.py", "--json", "--db", database, position)
    result = again.result()
    if result and result["outcome"] != outcome_of(position):
        run.fail("wrong", "%s: found a %s" % (again.name, result["outcome"]))
    if result and (result["expansions"] > 1 or result["facts_new"]):  # one finds the winning move
        run.fail("lost", "%s: %d expansions" % (again.name, result["expansions"]))


def master_words(run: Run, position: str, database: Path) -> List[object]:
    """The words of a search by a master without workers of its own."""
    words: List[object] = [position, "--json", "--algorithm", "pns-pdfpn", "--workers", 0]
    iterations = run.rng.choice((20, 200, 10_000))
    return [*words, "--db", database, "--every", 0.2, "--iterations", iterations]


def kill_master(run: Run, master: Program, database: Path) -> None:
    """Kill a master, and check that its database keeps what it had."""
    before = contents(database)
    master.signalled = True
    run.counts["kills of master"] += tree.kill(master.pid)
    master.wait()
    check_kept(run, before, contents(database), "%s after a kill" % master.name)


def cluster(run: Run) -> None:
    """A listening master and remote workers, some with several processes or in a group."""
    rng = run.rng
    position = rng.choice(POSITIONS)
    database, checkpoint = run.work / "facts.lmdb", run.work / "tree.pns"
    words = master_words(run, position, database)
    kinds: List[List[object]] = [[], ["--processes", 2], ["--db", run.work / "group.lmdb"]]
    address = "127.0.0.1:0"
    workers: List[Program] = []
    for i in range(3):
        listen = [*words, "--listen", address]
        master = start_solver(run, listen, checkpoint)
        address = listening(master) or address
        if not master.is_running:
            break
        for _ in range(rng.randint(2, 8)):
            for worker in [worker for worker in workers if not worker.is_running]:
                worker.expect(0)
                workers.remove(worker)
            if not master.is_running:
                break
            while len(workers) < 2:
                capacity = ("--connect", address, "--capacity", 100_000, "--quiet")
                workers.append(run.start("worker.py", *capacity, *rng.choice(kinds)))
            wait_for_work(run, master, (database,))
            if master.is_running:
                worker = rng.choice(workers)
                if strike(run, worker, 1, 0.6):
                    workers.remove(worker)
        if i < 2 and master.is_running and rng.random() < 0.7:
            kill_master(run, master, database)
        else:
            break
    if not workers:
        workers.append(run.start("worker.py", "--connect", address, "--quiet"))
    if master.signalled:
        master = start_solver(run, [*words, "--listen", address], checkpoint)
    finish(run, master, position, database)
    dismiss(run, workers)


def dismiss(run: Run, workers: Sequence[Program], *statuses: int) -> None:
    """Wait for workers to end; SIGTERM for those that their dead master could not dismiss."""
    tree.wait_until(lambda: not any([worker.is_running for worker in workers]), LEAVE_SECONDS)
    for worker in workers:
        if worker.is_running:
            run.counts["workers sent SIGTERM"] += 1
            worker.send(signal.SIGTERM)
    for worker in workers:
        worker.expect(0, 130, *statuses)


def listening(master: Program) -> str:
    """The address of a master, "" if it has ended."""

    def is_ready() -> bool:
        return "listening at" in master.errors() or not master.is_running

    tree.wait_until(is_ready, 120.0)
    for line in master.errors().splitlines(keepends=True):
        if "listening at " in line and line.endswith("\n"):
            return line.split()[-1]
    return ""


def audit(run: Run) -> None:
    """An audit that is killed, or loses a process, resumes and comes to its end."""
    rng = run.rng
    spots, claim = rng.choice(((9, "0*9=win"), (12, "0*12=loss")))
    entries = entries_of(spots)
    path = run.work / rng.choice(("entries.spr", "entries.lmdb"))
    write_entries(path, entries)
    processes = rng.randint(1, 3)
    logs = run.place / "pns" / "audits"
    words = [path, "--claim", claim, "--processes", processes, "--json", "--quiet"]
    for _ in range(run.amount(rng.randint(1, 3))):
        program = run.start("audit.py", *words)
        if strike(run, program, rng.randint(1, 2), rng.choice((0.2, 1.0)), (logs,)):
            if rng.random() < 0.5:
                run.wait_for_orphans()
            continue
        program.expect(0, 130)
    found = run.start("audit.py", *words).result()
    run.counts["audits"] += 1
    if found and (found["bad"] or not found["claim_follows"] or found["checked"] != len(entries)):
        run.fail("wrong", "the audit: %s" % found)


def tools(run: Run) -> None:
    """grundy.py is killed while it stores or writes: the files are the old or the new ones."""
    rng = run.rng
    known, more = entries_of(9), entries_of(12)
    database, text = run.work / "facts.lmdb", run.work / "more.spr"
    other, out = run.work / "other.lmdb", run.work / "out.spr"
    write_entries(database, known)
    write_entries(text, more)
    write_entries(other, more)
    merged = {**known, **more}
    verbs: Tuple[Tuple[Tuple[object, ...], Dict[bytes, int]], ...] = (
        (("import", text), {}),
        (("merge", text), {}),
        (("merge", other, text), {}),
        (("merge", text, other, "--out", out), more),
        (("export", out), {}),
        (("convert", text, out), more),
        (("reduce", "0*9", "--out", out, "--cycles", 30, "--quiet"), {}),
        (("certify",), {}),
    )
    for _ in range(run.amount(3)):
        verb, wanted = rng.choice(verbs)
        before, was = contents(database), out.read_bytes() if out.exists() else None
        if verb[0] == "certify":
            small = run.work / "known.spr"
            write_entries(small, known)
            program = run.start("audit.py", "certify", "0*9=win", small, out, "--quiet")
        else:
            program = run.start("grundy.py", *verb, "--db", database)
        killed = strike(run, program, 1, 1.0, (database, run.work))
        after = contents(database)
        if after not in (before, merged):
            run.fail("wrong", "%s: neither all nor nothing was stored" % program.name)
        check_kept(run, before, after, program.name)
        if not killed:
            program.expect(0)
        if out.exists() and out.read_bytes() != was and verb[0] != "certify":
            written = dict(read_spr(str(out), None))
            if verb[0] == "reduce":
                check_contents(run, written, out.name)
            elif written != (wanted or after):
                run.fail("wrong", "%s: a file of %d facts" % (program.name, len(written)))
        elif out.exists() and out.read_bytes() != was:
            run.start("check_certificate.py", out).expect(0)
            run.counts["certificates"] += 1
            out.unlink()
        elif not killed and verb[0] in ("export", "convert", "reduce") and not out.exists():
            run.fail("lost", "%s: no file" % program.name)
    run.start("grundy.py", "import", text, "--db", database).expect(0)
    if contents(database) != merged:
        run.fail("lost", "the import after the kills")
