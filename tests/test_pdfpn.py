"""PDFPN and SPDFPN: right results with killed processes, no leftovers, logs under stress."""

from __future__ import annotations

import os
import pickle
import random
import signal
import tempfile
import time
from pathlib import Path
from typing import Any, List

import pytest
from helpers.processes import children_of
from helpers.searches import SPROUTS, search_of
from helpers.solver import LONG, contents, needs_lmdb, solve, solve_json, start, wait_for_facts

import pns
from pns.facts import Contradiction, Facts, open_facts
from pns.front.memory import caches_of_process
from pns.game import TooLarge
from pns.parallel import logs
from pns.parallel.logs import OBSERVE_EVERY
from pns.parallel.meter import next_room
from pns.parallel.processes import ParallelSearch, ProcessesDied, first_error
from pns.parallel.shared_state import EXPANSIONS, ROOM, ROOM_UNIT, SharedState
from pns.pdfpn import PdfpnProcess
from pns.positions.exchange import FACT
from pns.search.counted_search import Stopped, StopToken
from pns.search.table import Table
from pns.spdfpn import SpdfpnProcess
from pns.system.machine import NoMemory, total_memory

pytestmark = pytest.mark.search


def parallel(facts: Any = None, game: Any = SPROUTS, **options: Any) -> ParallelSearch:
    facts = Facts(game.name) if facts is None else facts
    options = {"processes": 2, "searcher": PdfpnProcess, **options}
    return ParallelSearch(game=game, facts=facts, capacity=1 << 16, **options)


def assert_no_children() -> None:
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def check_facts(facts: Facts) -> None:
    """Check every fact by a sequential search that starts without facts."""
    search = search_of(SPROUTS, capacity=1 << 18)
    for land, number in facts.items():
        assert search.grundy_number(land) == number, land


@pytest.mark.parametrize("searcher", [PdfpnProcess, SpdfpnProcess])
def test_outcomes_and_facts_are_right(searcher: Any) -> None:
    for spots, wins in enumerate([0, 0, 1, 1, 1, 0], 1):
        search = parallel(processes=1 + spots % 3, searcher=searcher)
        assert search.outcome(SPROUTS.parse("0*%d" % spots)) == bool(wins)
        check_facts(search.facts)
        assert_no_children()
    assert parallel().grundy_number(b"0*4") == 1


@needs_lmdb
@pytest.mark.parametrize(
    "searcher", [PdfpnProcess, pytest.param(SpdfpnProcess, marks=pytest.mark.slow)]
)
def test_random_kills_change_no_result(searcher: Any, tmp_path: Path) -> None:
    rng = random.Random(3)
    killed = 0

    def kill(search: ParallelSearch) -> None:
        nonlocal killed
        if rng.random() < 0.1 and search.replaced < 10:
            killed += 1
            os.kill(rng.choice(list(search.pids)), signal.SIGKILL)

    with open_facts(str(tmp_path / "f"), "sprouts") as facts:
        search = parallel(facts, processes=3, observer=kill, searcher=searcher)
        assert not search.outcome(SPROUTS.parse("0*8"))
        assert 0 < search.replaced <= killed
        assert_no_children()
        assert len(facts) == facts.new > 50
    with open_facts(str(tmp_path / "f"), "sprouts", readonly=True) as facts:
        check_facts(facts)
        again = parallel(Facts("sprouts"))
        for land, number in facts.items():
            again.facts.add(land, number)
        assert not again.outcome(SPROUTS.parse("0*8")) and again.expansions < 20


def test_a_replacement_of_a_process_has_all_facts(tmp_path: Path) -> None:
    """Also without a database, and up to the last fact of the killed process."""
    started = tmp_path / "started"

    class Replacement(PdfpnProcess):
        def outcome(self, lands: Any, heap: int = 0) -> bool:
            if self.process == 1 and self.state.get(1, EXPANSIONS):
                # Process 0 goes on writing, and may not have let the others know the last one yet
                written = [*self.state.records(0, [0, 0])][:-1] + [*self.state.records(1, [0, 0])]
                for _, number, land in written:
                    assert self.couples.numbers[self.couples.land(land)] == number
                started.write_text(str(len(written)))
            return super().outcome(lands, heap)

    def kill(search: ParallelSearch) -> None:
        if not search.replaced and search.facts.new > 40 and search.expansions_of[1] > 100:
            (pid,) = [pid for pid, process in search.pids.items() if process == 1]
            os.kill(pid, signal.SIGKILL)
        if started.exists():
            search.stop.stop("seen")

    search = parallel(observer=kill, searcher=Replacement)
    with pytest.raises(Stopped, match="seen"):
        search.outcome(SPROUTS.parse("0*20"))
    assert search.replaced == 1 and int(started.read_text()) > 40


def test_facts_are_collected_with_their_reasons() -> None:
    """What is collected from several logs is their content at one moment."""

    class Busy(SharedState):
        """Processes 0 and 1 write while the collector is between their logs."""

        written = 2

        def head(self, process: int) -> int:
            if process == 1 and self.written < 2:
                self.written += 1
                self.append(0, FACT, 1, b"reason %d" % self.written, lambda: False)
                self.append(1, FACT, 1, b"result %d" % self.written, lambda: False)
            return super().head(process)

    state = Busy(2)
    state.append(0, FACT, 1, b"first", lambda: False)
    state.written = 0
    positions = [0, 0]
    lands = {land for _, _, land in state.drain(positions)}
    assert b"first" in lands
    for i in range(3):
        assert b"result %d" % i not in lands or b"reason %d" % i in lands
    lands |= {land for _, _, land in state.drain(positions)}
    assert len(lands) == 5


def test_budget_and_stop_token() -> None:
    for processes in (1, 2, 3):
        search = parallel(processes=processes, most_expansions=500)
        with pytest.raises(Stopped, match="expansions"):
            search.outcome(SPROUTS.parse(LONG))
        assert 500 <= search.expansions < 500 + OBSERVE_EVERY * processes
        assert search.expansions == 500 or processes > 1
        assert search.facts.new == len(search.facts)
        assert_no_children()
        with pytest.raises(Stopped):  # the budget is spent
            search.outcome(SPROUTS.parse(LONG))
        assert search.expansions < 500 + OBSERVE_EVERY * processes
    stop = StopToken()
    search = parallel(stop=stop, observer=lambda s: stop.stop("enough"))
    with pytest.raises(Stopped, match="enough"):
        search.outcome(SPROUTS.parse(LONG))
    assert_no_children()


def test_processes_share_the_memory_limit() -> None:
    for processes in (1, 2, 8, 64):
        for gigabytes in (16, 32):
            limit = gigabytes * 10**9
            share = sum(filter(None, caches_of_process(processes, None, limit)))
            assert processes * (share + 80_000_000) < limit
            assert share > 10_000_000
        assert processes * caches_of_process(processes, None, None)[0] <= total_memory() // 2


def test_the_room_follows_what_processes_hold() -> None:
    first, limit = 1 << 30, 4 << 30
    assert next_room(first, first, limit // 2, limit) == first
    assert next_room(first, first, int(0.84 * limit), limit) == first
    room = next_room(first, first, int(0.9 * limit), limit)
    assert room < first == next_room(first - 1, first, 0, limit)
    assert room == next_room(room, first, int(0.84 * limit), limit)
    assert room < next_room(room, first, int(0.5 * limit), limit) < first
    for _ in range(100):
        room = next_room(room, first, limit, limit)
    assert first // 11 < room < first // 9


@pytest.mark.slow
def test_a_process_whose_memory_nears_the_limit_gets_less_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pns.parallel.meter.ROOM_SECONDS", 0.0)
    monkeypatch.setattr("pns.parallel.meter.MEASURE_SECONDS", 0.0)
    monkeypatch.setattr("pns.parallel.meter.MEASURE_SHARE", 0)
    monkeypatch.setattr("pns.parallel.meter.EVICT_AT", 2.0)
    rooms: List[int] = []

    def observe(search: ParallelSearch) -> None:
        search.max_memory = search.memory / 0.9 if search.memory else 1 << 32
        rooms[:] = [search._state.get(i, ROOM) * ROOM_UNIT for i in range(2)]
        if 0 < max(rooms) < 1 << 22:
            search.stop.stop("seen")

    search = parallel(max_memory=1 << 32, max_bytes=1 << 24, observer=observe)
    with pytest.raises(Stopped, match="seen"):
        search.outcome(SPROUTS.parse(LONG))
    changed = [room for room in rooms if room]  # perhaps one process was always the largest
    assert min(changed) >= (1 << 24) // 11 and not search.evicted


@pytest.mark.slow
def test_a_process_obeys_its_room() -> None:
    state = SharedState(1)
    searcher = PdfpnProcess(state, 0, SPROUTS, Facts("sprouts"), Table(1 << 10), max_bytes=1 << 20)
    searcher._observe()
    assert searcher.max_bytes == 1 << 20
    state.set(0, ROOM, 2)
    assert searcher.outcome(SPROUTS.parse("0*8")) is False
    assert searcher.max_bytes == 2 * ROOM_UNIT and searcher._forgotten > 0


def test_a_process_is_evicted_when_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pns.parallel.meter.EVICT_SECONDS", 0.0)
    search = parallel(max_memory=1)

    def observe(_: ParallelSearch) -> None:
        if search.evicted >= 2:
            search.max_memory = 1 << 60
        if search.evicted >= 2 and min(search.expansions_of) > 100:
            search.stop.stop("seen")

    search.observer = observe
    with pytest.raises(Stopped, match="seen"):
        search.outcome(SPROUTS.parse("0*20"))
    assert search.evicted >= 2 and not search.replaced
    check_facts(search.facts)


class Failing:
    """Sprouts whose children raise an error."""

    name = "sprouts"
    decomposes = True
    parse, format, estimate = SPROUTS.parse, SPROUTS.format, SPROUTS.estimate

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def children(self, land: bytes) -> Any:
        raise self.error


def test_errors_of_processes_reach_the_caller(capfd: pytest.CaptureFixture[str]) -> None:
    for error in (TooLarge("too many spots"), Contradiction(b"0*2", 0, 1)):
        with pytest.raises(type(error), match=str(error).replace("*", ".")):
            parallel(game=Failing(error)).outcome((b"0*3",))
    with pytest.raises(ProcessesDied, match="traceback"):
        parallel(game=Failing(KeyError("lost"))).outcome((b"0*3",))
    assert "KeyError: 'lost'" in capfd.readouterr().err
    with pytest.raises(NoMemory, match="processes ran out of memory; given up"):
        parallel(game=Failing(MemoryError())).outcome((b"0*3",))
    assert_no_children()


def test_the_first_of_several_errors_is_reported() -> None:
    """Two processes may fail at the same time: reading must not move the file's position."""
    with tempfile.TemporaryFile() as errors:
        for text in ("first", "second"):
            errors.write(pickle.dumps(TooLarge(text)))
            errors.flush()
            end = os.lseek(errors.fileno(), 0, os.SEEK_CUR)
            assert str(first_error(errors.fileno())) == "first"
            assert os.lseek(errors.fileno(), 0, os.SEEK_CUR) == end


@needs_lmdb
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_no_process_outlives_the_parent(end: int, tmp_path: Path) -> None:
    child = start("--algorithm", "pdfpn", "--processes", 2, "--db", tmp_path / "f", LONG)
    stored = wait_for_facts(tmp_path / "f", child)
    pids = children_of(child.pid)
    assert len(pids) == 2
    child.send_signal(end)
    child.communicate()
    assert child.returncode == (-9 if end == signal.SIGKILL else 130)
    limit = time.monotonic() + 60
    while any([Path("/proc/%d" % pid).exists() for pid in pids]):
        assert time.monotonic() < limit
        time.sleep(0.05)
    assert len(contents(tmp_path / "f")) >= stored


def test_command_line() -> None:
    result = solve_json("--algorithm", "pdfpn", "--processes", 3, "--no-db", "--grundy", "0*5")
    assert (result["grundy_number"], result["processes"], result["replaced"]) == (1, 3, 0)
    assert result["expansions"] > 0 and result["peak_memory_bytes"] > 0
    for arguments in (["--processes", "2"], ["--algorithm", "pdfpn", "--processes", "0"]):
        done = solve(*arguments, "0*3")
        assert done.status == 2 and len(done.errors) == 1 and "--processes" in done.errors[0]
    with pytest.raises(ValueError, match="processes"):
        pns.solve("0*3", processes=2)


def test_logs_under_stress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every record arrives whole and in order, through many turns of a small ring."""
    monkeypatch.setattr(logs, "LOG_BYTES", 4096)
    state = SharedState(1)
    pid = os.fork()
    if not pid:
        for i in range(20_000):
            state.append(0, i % 2, i % 251, b"%d" % i * (i % 9), lambda: False)
        os._exit(0)
    positions, late = [0], [0]
    seen = 0
    while seen < 20_000:
        for kind, number, land in state.drain(positions):
            assert (kind, number, land) == (seen % 2, seen % 251, b"%d" % seen * (seen % 9))
            seen += 1
        if seen % 7 == 0:  # a late reader, which may be overtaken, gets only written records
            for _, number, land in state.records(0, late):
                repeats = [i for i in range(number, 20_000, 251) if land == b"%d" % i * (i % 9)]
                assert repeats, (number, land)
    assert os.waitpid(pid, 0)[1] == 0


def test_a_full_log_waits_for_the_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "LOG_BYTES", 4096)
    state = SharedState(1)
    with pytest.raises(logs.SearchOver):
        for i in range(1000):
            state.append(0, FACT, 1, b"%d" % i, lambda: True)
    first = list(state.drain([0]))
    assert first[0] == (FACT, 1, b"0") and 100 < len(first) < 300
    state.append(0, FACT, 1, b"more", lambda: True)
