"""Programs that read damaged files: success, or a message and exit status 1 or 2."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from resource import RLIMIT_AS
from typing import Tuple

from helpers.paths import CERTIFICATES

import pns
from chaos.damage import damaged_certificate, damaged_lines, damaged_pages
from chaos.files import check_entries, write_damaged
from chaos.run import Run, limit_of, lines_of
from chaos.truth import check_kept, contents, entries_of, write_entries

MOST_LINES = 4
"""Upper bound on the lines of an error, with an excerpt or a warning."""
BOMB_MEMBER, BOMB_MEMBERS = 1 << 24, 256
"""Unpacked bytes of each member of a gzip file, and the number of members: 4 GB in all."""
PROGRESS = re.compile(r"[\x1b\r]|\d+ of \d+ \(")
"""How lines begin that are no messages: of panels, and of programs that go on for 10 s."""


def run(run: Run) -> None:
    """Run some programs, each with damaged files of every kind."""
    rng, work = run.rng, run.work
    bad_lmdb, bad_spr = work / "program.lmdb", work / "program.spr"
    bad_cert, bad_tree = work / "program.cert.gz", work / "program.pns"
    bad_table, good_table = work / "program.table", work / "whole.table"
    bad_key, other = work / "program.key", work / "program.whole.lmdb"
    good_lmdb, good_spr, good_tree = work / "whole.lmdb", work / "whole.spr", work / "whole.pns"
    if not good_lmdb.exists():
        write_entries(good_lmdb, entries_of(9))
        write_entries(good_spr, entries_of(9))
        pns.solve("0*7", algorithm="pns", max_expansions=300, checkpoint=str(good_tree))
        pns.solve("0*9", max_expansions=300, checkpoint=str(good_table))
    certificate = (CERTIFICATES / "sprouts-9.cert.gz").read_bytes()
    for _ in range(run.amount(4)):
        for leftover in work.glob("program.*"):
            leftover.unlink()
        write_damaged(run, good_lmdb.read_bytes(), bad_lmdb, damaged_pages)
        write_damaged(run, good_spr.read_bytes(), bad_spr, damaged_lines)
        write_damaged(run, certificate, bad_cert, damaged_certificate)
        write_damaged(run, good_tree.read_bytes(), bad_tree)
        write_damaged(run, good_table.read_bytes(), bad_table)
        other.write_bytes(good_lmdb.read_bytes())
        bad_key.write_bytes(rng.randbytes(rng.randrange(300)))
        commands: Tuple[Tuple[object, ...], ...] = (
            ("solve.py", "0*7", "--db", bad_lmdb),
            ("solve.py", "0*7", "--db", bad_lmdb, "--algorithm", "pdfpn", "--processes", 2),
            ("solve.py", "0*7", "--db", bad_lmdb, "--algorithm", "pns-pdfpn", "--workers", 1),
            ("solve.py", "0*7", "--no-db", "--algorithm", "pns", "--resume", bad_tree),
            ("solve.py", "0*7", "--no-db", "--algorithm", "pns-pdfpn", "--resume", bad_tree),
            ("solve.py", "0*9", "--no-db", "--resume", bad_table),
            ("solve.py", "0*9", "--no-db", "--algorithm", "spdfpn", "--resume", bad_table),
            ("grundy.py", "stats", "--db", bad_lmdb),
            ("grundy.py", "list", "--db", bad_lmdb),
            ("grundy.py", "export", work / "out.spr", "--db", bad_lmdb),
            ("grundy.py", "import", bad_spr, "--db", bad_lmdb),
            ("grundy.py", "import", bad_spr, "--db", work / "new.lmdb"),
            ("grundy.py", "import", bad_spr, "--db", other),
            ("grundy.py", "merge", bad_spr, bad_cert, "--db", other),
            ("grundy.py", "merge", bad_lmdb, "--db", other),
            ("grundy.py", "merge", bad_spr, bad_lmdb, bad_cert, "--out", work / "out.spr"),
            ("grundy.py", "diff", bad_spr, bad_cert),
            ("grundy.py", "check", bad_spr),
            ("grundy.py", "repair", bad_spr),
            ("grundy.py", "convert", bad_spr, work / "out.spr"),
            ("grundy.py", "why", "0*9", "--db", bad_lmdb, "--to-the-end"),
            ("grundy.py", "why", "0*9", "--db", bad_cert),
            ("grundy.py", "reduce", "0*5", "--db", bad_spr, "--out", work / "o.spr", "--cycles", 1),
            ("audit.py", bad_lmdb, "--claim", "0*9=win", "--processes", rng.randint(1, 2)),
            ("audit.py", bad_spr, "--processes", 1),
            ("audit.py", bad_cert, "--processes", 1),
            ("check_certificate.py", bad_cert),
            ("worker.py", "--connect", "127.0.0.1:1", "--keys", bad_key),
            ("solve.py", "0*5", "--algorithm", "pns-pdfpn", "--workers", 1, "--keys", bad_key),
        )
        check_program(run, rng.choice(commands), bad_lmdb)
        check_kept(run, entries_of(9), contents(other), "program.whole.lmdb")
    if rng.random() < 0.3:
        bomb(run)


def check_program(run: Run, command: Tuple[object, ...], database: Path) -> None:
    """Check the exit status and messages of a program, and what an audit accepts."""
    program = run.start(*map(str, command))
    statuses = (0, 2) if command[0] == "worker.py" else (0, 1, 2)
    status = program.expect(*statuses)
    lines = [line for line in lines_of(program.errors()) if not PROGRESS.match(line)]
    output = lines_of(program.output())
    if status and not lines and not output:
        run.fail("message", "%s: status %d without a message" % (program.name, status))
    if status == 2 and not 1 <= len(lines) <= MOST_LINES:
        run.fail("message", "%s: %s" % (program.name, lines[:4]))
    if command[0] == "audit.py" and not status and str(database) in map(str, command):
        check_entries(run, contents(database), entries_of(9), program.name)


def bomb(run: Run) -> None:
    """A small certificate that unpacks to gigabytes is refused within 3 GB of address space."""
    path = run.work / "bomb.cert.gz"
    part = run.rng.choice((b"\0", b"0 0\n", b"a" * 64 + b" "))
    member = gzip.compress(part * (BOMB_MEMBER // len(part)), 9, mtime=0)
    whole = (CERTIFICATES / "sprouts-2.cert.gz").read_bytes()
    start = run.rng.choice((b"", whole, gzip.compress(gzip.decompress(whole)[:120])))
    path.write_bytes(start + member * BOMB_MEMBERS)
    run.counts["bombs"] += 1
    script = run.rng.choice(("audit.py", "check_certificate.py"))
    more = ("--quiet", "--processes", "1") if script == "audit.py" else ()
    run.start(script, path, *more, prepare=limit_of(RLIMIT_AS, 3 << 30)).expect(1, 2)
    path.unlink()
