"""Full disks: of databases, checkpoints, TMPDIR and whatever else is written.

For root, the disk is a tmpfs in a mount namespace that ends with the run; a file fills it, and
is removed to make room. For others RLIMIT_FSIZE takes its place. A program has to report that
there is no room, keep the existing data, and go on when there is room.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from typing import Callable, Dict, List, Optional, Tuple

from chaos import tree
from chaos.kills import ALGORITHMS, finish
from chaos.run import Program, Run, file_limit, lines_of
from chaos.truth import POSITIONS, check_database, contents, entries_of, outcome_of, write_entries

CLONE_NEWNS = 0x20000
SIZE = 4 << 20
MOST_LINES = 8
"""Upper bound on the lines on standard error of a program that has no room."""
NO_ROOM = ("No space left on device", "File too large", "no space", "too large", "Input/output")


class Disk:
    """A directory on a tmpfs that can be filled; without permission, an ordinary directory."""

    def __init__(self, run: Run) -> None:
        self.path = run.work / "disk"
        self.path.mkdir(exist_ok=True)
        self.mounted = False
        if os.geteuid() == 0 and ctypes.CDLL(None).unshare(CLONE_NEWNS) == 0:
            private = ["mount", "--make-rprivate", "/"]
            own = ["mount", "-t", "tmpfs", "-o", "size=%d" % SIZE, "none", str(self.path)]
            quiet = subprocess.DEVNULL
            self.mounted = not any([subprocess.call(c, stderr=quiet) for c in (private, own)])

    def fill(self, room: int) -> None:
        """Fill the disk but for `room` bytes."""
        filler = self.path / ".filler"
        left = os.statvfs(str(self.path))
        size = max(0, left.f_bavail * left.f_frsize - room)
        with open(filler, "ab") as stream:
            stream.write(bytes(size))

    def empty(self) -> None:
        """Make room."""
        (self.path / ".filler").unlink()


def run(run: Run) -> None:
    """Some scenarios on one disk."""
    disk = Disk(run)
    run.counts["full disks" if disk.mounted else "limits on files"] += 1
    for _ in range(run.amount(3)):
        chosen: Callable[[Run, Disk], None] = run.rng.choice((solver, solver, tools, temporary))
        for path in disk.path.iterdir():
            path.unlink()
        chosen(run, disk)
    if disk.mounted:
        subprocess.call(["umount", str(disk.path)])


def start(run: Run, disk: Disk, room: int, *words: object, **more: Dict[str, str]) -> Program:
    """Start a program with `room` bytes on the disk."""
    if disk.mounted:
        disk.fill(room)
    run.counts["starts without room"] += 1
    prepare = None if disk.mounted else file_limit(room)
    return run.start(*map(str, words), prepare=prepare, environment=more.get("environment"))


def check_refusal(run: Run, program: Program, *statuses: int) -> int:
    """Check that a program succeeds, or reports in a few lines that there is no room."""
    status = program.expect(0, *statuses)
    lines = lines_of(program.errors())
    if status and (not lines or len(lines) > MOST_LINES):
        run.fail("message", "%s: %d lines: %s" % (program.name, len(lines), lines[:3]))
    if status and not any([text in line for line in lines for text in NO_ROOM]):
        run.fail("message", "%s: nothing about the disk: %s" % (program.name, lines[:3]))
    return status


def solver(run: Run, disk: Disk) -> None:
    """solve.py with database and checkpoint on a full disk, and then with room."""
    rng = run.rng
    algorithm = list(rng.choice(ALGORITHMS))
    position = rng.choice(POSITIONS)
    database, checkpoint = disk.path / "facts.lmdb", disk.path / "tree.pns"
    words: List[object] = ["solve.py", position, "--json", "--quiet", "--algorithm", *algorithm]
    words += ["--db", database]
    if "--every" in algorithm:
        words += ["--checkpoint", checkpoint]
    if rng.random() < 0.3:
        write_entries(database, entries_of(9))
    before = contents(database)
    room = rng.choice((0, 4 << 10, 20 << 10, 30 << 10, rng.randrange(1 << 20)))
    program = start(run, disk, room, *words)
    if disk.mounted and rng.random() < 0.5:
        tree.wait_until(lambda: not program.is_running, rng.uniform(0.5, 4.0))
        disk.empty()
        freed = True
    else:
        freed = False
    status = check_refusal(run, program, 2, 4)  # 4: the facts could not be stored
    if not status and outcome_of(position) not in program.output():
        run.fail("wrong", "%s: %s" % (program.name, program.output()))
    if disk.mounted and not freed:
        disk.empty()
    check_database(run, database)
    after = contents(database)
    if not before.items() <= after.items():
        run.fail("lost", "%s: facts from before the full disk" % program.name)
    if checkpoint.exists():
        words += ["--resume", checkpoint]
    finish(run, run.start(*map(str, words)), position, database)


def tools(run: Run, disk: Disk) -> None:
    """Programs that write files wholly or not at all."""
    rng = run.rng
    database, text, out = disk.path / "facts.lmdb", run.work / "more.spr", disk.path / "out"
    known, more = entries_of(9), entries_of(12)
    write_entries(database, known)
    write_entries(text, more)
    keys = disk.path
    commands: Tuple[Tuple[object, ...], ...] = (
        ("grundy.py", "import", text, "--db", database),
        ("grundy.py", "merge", text, "--db", database),
        ("grundy.py", "merge", text, "--out", out),
        ("grundy.py", "export", out, "--db", database),
        ("grundy.py", "convert", text, out),
        ("grundy.py", "reduce", "0*6", "--db", text, "--out", out, "--cycles", 1, "--quiet"),
        ("audit.py", "certify", "0*12=loss", text, out, "--quiet", "--processes", 1),
        ("worker.py", "keygen", keys),
    )
    command = rng.choice(commands)
    old: Optional[bytes] = None
    if rng.random() < 0.5 and out in command:
        old = b"what was there before\n"
        out.write_bytes(old)
    before = {path.name for path in disk.path.iterdir()}
    status = check_refusal(run, start(run, disk, rng.choice((0, 4096, 8192)), *command), 2)
    if disk.mounted:
        disk.empty()
    check_whole(run, command, status, disk, before, old)
    if contents(database) not in (known, {**known, **more}):
        run.fail("wrong", "%s: neither all nor nothing was stored" % (command,))
    if status:
        run.start(*map(str, command)).expect(0)


def check_whole(
    run: Run,
    command: Tuple[object, ...],
    status: int,
    disk: Disk,
    before: "set[str]",
    old: Optional[bytes],
) -> None:
    """Check that a file that could not be written is unchanged or absent, without leftovers."""
    out = disk.path / "out"
    if status and (out.read_bytes() if out.exists() else None) != old:
        run.fail("wrong", "%s: a file that is neither old nor new" % (command,))
    left = {path.name for path in disk.path.iterdir()} - before
    left -= {"facts.lmdb-lock", ".filler"}
    if status and left:
        run.fail("leftover", "%s: %s" % (command, sorted(left)))


def temporary(run: Run, disk: Disk) -> None:
    """Programs with a full TMPDIR."""
    rng = run.rng
    text = run.work / "more.spr"
    write_entries(text, entries_of(12))
    database = run.work / ("facts-%d.lmdb" % run.counts["programs"])
    search = ("solve.py", "0*7", "--quiet", "--db", database, "--algorithm")
    commands: Tuple[Tuple[object, ...], ...] = (
        ("audit.py", text, "--claim", "0*12=loss", "--quiet", "--processes", 2),
        ("audit.py", text, "--independent", "--sample", 3, "--quiet", "--processes", 1),
        ("grundy.py", "why", "0*12", "--db", text),
        ("grundy.py", "diff", text, text),
        ("grundy.py", "merge", text, text, "--db", database),
        (*search, "pns-pdfpn", "--workers", 1),
        (*search, "pns-pdfpn", "--grouping", 2),
        (*search, "pdfpn", "--processes", 2),
    )
    command = rng.choice(commands)
    place = {"TMPDIR": str(disk.path)}
    room = rng.choice((0, 4096, 16384))
    # 3: workers ended for want of room again and again.
    check_refusal(run, start(run, disk, room, *command, environment=place), 2, 3)
    if disk.mounted:
        disk.empty()
    left = [path.name for path in disk.path.iterdir()]
    if left:
        run.fail("leftover", "%s: %s in TMPDIR" % (command, left))
    run.start(*map(str, command)).expect(0)
