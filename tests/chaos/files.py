"""Damaged files: refused in one line, or read correctly; never a crash, a hang or wrong content.

They are read in the process of the run, but each database in a process of its own, which may
crash. `chaos.readers` gives damaged files to the programs.
"""

from __future__ import annotations

import io
import json
import os
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Callable, Dict, Optional, Tuple, Type

import check_certificate
import damage
from helpers.paths import CERTIFICATES

import pns
from chaos import tree
from chaos.damage import damaged, damaged_certificate, damaged_lines, damaged_pages
from chaos.run import Run
from chaos.truth import (
    RULES,
    SPROUTS,
    Entries,
    certificate_of,
    entries_of,
    number_of,
    outcome_of,
    write_entries,
)
from pns.facts import FactsError, open_facts
from pns.facts.spr import SprError, read_spr
from pns.positions import prior
from pns.proofs.audit import audit
from pns.proofs.certificate import parse_claim, write_certificate
from pns.proofs.check import Checker
from pns.proofs.sources import open_source
from pns.saving.checkpoint import CheckpointError

READ_SECONDS = 120.0
Refusals = Tuple[Type[BaseException], ...]


def run(run: Run) -> None:
    """Read damaged files of some kinds."""
    kinds: Dict[Callable[[Run], None], int] = {
        databases: 3,
        texts: 2,
        certificates: 3,
        trees: 2,
        tables: 2,
        priors: 1,
        keys: 1,
        logs: 1,
    }
    for kind in run.rng.choices(list(kinds), list(kinds.values()), k=run.amount(3)):
        kind(run)


def write_damaged(
    run: Run, data: bytes, path: Path, change: Callable[..., bytes] = damaged
) -> bytes:
    """Write damaged bytes to a path, and return them."""
    found = change(data, run.rng)
    path.write_bytes(found)
    run.counts["damaged files"] += 1
    return found


def attempt(run: Run, name: str, call: Callable[[], Any], refusals: Refusals) -> Any:
    """The value of a call, None if it raises a refusal; another exception is a failure."""
    began = time.monotonic()
    try:
        return call()
    except refusals as error:
        run.counts["refused"] += 1
        if not str(error) or "\n" in str(error).strip():
            run.fail("message", "%s: refused by %r" % (name, str(error)))
    except Exception as error:
        keep_file(run, name)
        run.fail("traceback", "%s: %s: %s" % (name, type(error).__name__, error))
    if time.monotonic() - began > READ_SECONDS:
        run.fail("hang", "%s: %.0f s" % (name, time.monotonic() - began))
    return None


def keep_file(run: Run, name: str) -> None:
    """Copy the file of that name for the report, since later ones overwrite it."""
    path = run.work / name.split()[0]
    if path.exists():
        (run.place / ("%s-%d" % (path.name, len(run.failures)))).write_bytes(path.read_bytes())


def check_entries(run: Run, found: Entries, original: Entries, name: str) -> bool:
    """Check that the audit finds a fault in wrong entries; whether it finds none."""
    run.counts["entries"] += len(found)
    changed = {land: n for land, n in found.items() if original.get(land) != n}
    if not changed:
        return True
    checker = Checker(RULES, lambda land: found.get(land, -1), cancel=True)
    for land, number in found.items():
        try:
            if land not in SPROUTS.parse(land.decode("ascii")) or checker.why_bad(land, number):
                run.counts["found by the audit"] += 1
                return False
        except ValueError:
            run.counts["found by the audit"] += 1
            return False
    for land, number in changed.items():
        if number_of(land) != number:
            keep_file(run, name)
            run.fail(
                "wrong", "%s: %r is not %d, and the audit finds no fault" % (name, land, number)
            )
    return True


def databases(run: Run) -> None:
    """Databases: iteration, look-ups and writes, in a process that may crash."""
    path, original = run.work / "good.lmdb", entries_of(run.rng.choice((9, 12)))
    write_entries(path, original)
    data = path.read_bytes()
    for i in range(run.amount(25)):
        bad = run.work / "bad.lmdb"
        for leftover in run.work.glob("bad.lmdb*"):
            leftover.unlink()
        write_damaged(run, data, bad, damaged_pages)
        found = read_apart(run, bad)
        if found is not None:
            check_entries(run, found, original, "bad.lmdb %d" % i)
        else:
            run.counts["refused"] += 1


def read_apart(run: Run, path: Path) -> Optional[Entries]:
    """The entries of a database, read in a process of its own; None if it is refused."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reader)
        answer: Any = None
        try:
            with open_facts(str(path), "sprouts", run.seed % 2 == 0) as facts:
                found = dict(facts.items())
                for land in found:
                    facts.get(land)
                if run.seed % 2:
                    facts.add(b"0*2", 0)
            answer = [[land.decode("latin-1"), number] for land, number in found.items()]
        except FactsError:
            pass
        except BaseException as error:
            answer = "%s: %s" % (type(error).__name__, error)
        with open(writer, "wb") as stream:
            stream.write(json.dumps(answer).encode())
        os._exit(0)
    os.close(writer)
    finished = tree.wait_until(lambda: not tree.command_line(pid), READ_SECONDS, 0.002)
    if not finished:
        tree.kill(pid)
    with open(reader, "rb") as stream:
        data = stream.read()
    status = os.waitpid(pid, 0)[1]
    if not finished or os.WIFSIGNALED(status):
        sort, why = ("crash", "signal %d" % os.WTERMSIG(status)) if finished else ("hang", "hangs")
        keep_file(run, path.name)
        run.fail(sort, "%s: %s" % (path.name, why))
        return None
    answer = json.loads(data)
    if isinstance(answer, str):
        keep_file(run, path.name)
        run.fail("traceback", "%s: %s" % (path.name, answer))
        return None
    return None if answer is None else {land.encode("latin-1"): n for land, n in answer}


def texts(run: Run) -> None:
    """.spr files."""
    path, bad = run.work / "good.spr", run.work / "bad.spr"
    original = entries_of(9)
    write_entries(path, original)
    data = path.read_bytes()
    for i in range(run.amount(100)):
        write_damaged(run, data, bad, damaged_lines)
        name = "bad.spr %d" % i
        call = lambda: dict(read_spr(str(bad), SPROUTS))  # noqa: E731
        found = attempt(run, name, call, (SprError, OSError))
        if found is not None:
            check_entries(run, found, original, name)


def certificates(run: Run) -> None:
    """Certificates, by `pns audit` and by the stand-alone checker, whose verdicts must agree.

    Both count texts of isomorphic lands as the same land (docs/certificates.md, "What is checked").
    """
    spots = run.rng.choice((2, 3, 4, 5, 6, 9))
    good = CERTIFICATES / ("sprouts-%d.cert.gz" % spots)
    bad = run.work / "bad.cert.gz"
    claim, original = certificate_of(spots)
    for i in range(run.amount(60)):
        if run.rng.random() < 0.3:
            change_entry(run, bad, claim, original)
        else:
            write_damaged(run, good.read_bytes(), bad, damaged_certificate)
        run.counts["certificates"] += 1
        name = "bad.cert.gz %d" % i
        verdict = proves(run, bad, name)
        alone = check_alone(run, bad, name)
        if alone is not None and alone != verdict:
            keep_file(run, name)
            run.fail("wrong", "%s: one checker says %s, the other %s" % (name, verdict, alone))


def proves(run: Run, bad: Path, name: str) -> bool:
    """Whether `pns audit` accepts a certificate; if so, its claim must be true."""
    report = attempt(run, name, lambda: audit(open_source(str(bad), None)), (SprError, OSError))
    if report is None or report.faults or report.why_unproved or report.game != "sprouts":
        return False
    position, wins = report.claim
    if outcome_of(position) != ("win" if wins else "loss"):
        keep_file(run, name)
        run.fail("wrong", "%s: accepts a false claim about %s" % (name, position))
    return True


def change_entry(run: Run, bad: Path, claim: str, original: Entries) -> None:
    """Write a well-formed certificate with one entry changed."""
    position, wins = parse_claim(claim)
    _, entries = damage.damaged(original, run.rng)
    write_certificate(str(bad), "sprouts", position, wins, entries, "chaos")
    run.counts["damaged files"] += 1


def check_alone(run: Run, bad: Path, name: str) -> Optional[bool]:
    """The verdict of check_certificate.py, None if it refuses the file."""
    with redirect_stdout(io.StringIO()):
        call = lambda: check_certificate.check(str(bad), None, 0)  # noqa: E731
        return attempt(run, name, call, (OSError, ValueError))  # type: ignore[no-any-return]


def trees(run: Run) -> None:
    """Checkpoints of trees."""
    checkpoints(run, "pns", 150)


def tables(run: Run) -> None:
    """Checkpoints of tables."""
    checkpoints(run, "dfpn", 100)


def checkpoints(run: Run, algorithm: str, expansions: int) -> None:
    """Checkpoints of an algorithm that was stopped after some expansions."""
    path, bad, position = run.work / "tree.pns", run.work / "bad.pns", "0*9"
    path.unlink(missing_ok=True)
    pns.solve(position, algorithm=algorithm, max_expansions=expansions, checkpoint=str(path))
    data = path.read_bytes()
    for i in range(run.amount(30)):
        write_damaged(run, data, bad)
        name = "bad.pns %d" % i
        call = lambda: pns.solve(position, algorithm=algorithm, resume=str(bad))  # noqa: E731
        found = attempt(run, name, call, (CheckpointError, OSError))
        if found is not None:
            run.fail("wrong", "%s: a damaged checkpoint is accepted" % name)
            keep_file(run, name)


def priors(run: Run) -> None:
    """Priors: refused, or harmless."""
    data, bad = Path(prior.path("sprouts")).read_bytes(), run.work / "bad.prior"
    for i in range(run.amount(20)):
        write_damaged(run, data, bad)
        name = "bad.prior %d" % i
        call = lambda: prior.load("sprouts", str(bad))  # noqa: E731
        found = attempt(run, name, call, (prior.PriorError,))
        if found is not None and i % 4 == 0:
            position = run.rng.choice(("0*4", "0*5", "0*6"))
            if pns.solve(position, prior=found).outcome != outcome_of(position):
                run.fail("wrong", "%s: %s" % (name, position))
                keep_file(run, name)


def keys(run: Run) -> None:
    """Key files: refused when read, or when a client uses them."""
    from pns.distributed.client import Client
    from pns.distributed.keys import make_keys, read_keys
    from pns.distributed.messages import WireError

    directory = run.work / "keys"
    directory.mkdir(exist_ok=True)
    good = directory / "worker.key"
    if not good.exists():
        make_keys(str(directory))
    bad = run.work / "bad.key"

    def connect() -> bool:
        found = read_keys(str(bad))
        Client("127.0.0.1:1", "w", found).disconnect()
        return True

    for i in range(run.amount(60)):
        write_damaged(run, good.read_bytes(), bad)
        attempt(run, "bad.key %d" % i, connect, (WireError, OSError))


def logs(run: Run) -> None:
    """Logs of stopped audits: the audit finds what it finds without a log."""
    path, directory = run.work / "good.spr", run.work / "audits"
    write_entries(path, entries_of(9))
    source = open_source(str(path), None)

    def checked(stop_after: int) -> Any:
        def observer(progress: Any) -> None:
            if progress.checked >= stop_after:
                raise KeyboardInterrupt

        return audit(
            source,
            independent=False,
            processes=1,
            sample=None,
            seed=0,
            claim=("0*9", True),
            log_directory=str(directory),
            observer=observer,
        )

    for i in range(run.amount(8)):
        try:
            checked(1)
        except KeyboardInterrupt:
            pass
        logs_left = list(directory.iterdir())
        for log in logs_left:
            write_damaged(run, log.read_bytes(), log)
            (run.work / "log").write_bytes(log.read_bytes())
        found = attempt(run, "log %d" % i, lambda: checked(1 << 30), (OSError, ValueError))
        if found is not None and (found.faults or found.why_unproved):
            run.fail("wrong", "log %d: %s" % (i, found.faults or found.why_unproved))
            keep_file(run, "log")
        for log in directory.iterdir():
            log.unlink()
