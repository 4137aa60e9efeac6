"""The public functions of ``pns``: solve, grundy_number, children."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Dict, List
from xml.etree import ElementTree

import pytest
from helpers.paths import ROOT, TEST_DATA
from helpers.processes import run_python

import pns
from pns import NotationError, Result, StopToken, children, grundy_number, solve
from pns.facts import Contradiction, Facts
from pns.front.memory import COMPILED_BYTES, LEAST_ROOM
from pns.game import limit_caches
from pns.sprouts import GAME as SPROUTS
from pns.sprouts import canonical
from pns.system.machine import used_memory

CHECKER = ROOT / "scripts" / "check_certificate.py"
LONG = "0*60"
"""A position that no test here solves."""


# --- solve -------------------------------------------------------------------------


def test_a_win() -> None:
    result = solve("0*4")
    assert isinstance(result, Result)
    assert (result.position, result.canonical, result.game) == ("0*4", "0*4", "sprouts")
    assert (result.solved, result.outcome, result.stopped_by) == (True, "win", None)
    assert result.winning_move in children("0*4")
    assert solve(result.winning_move or "").outcome == "loss"
    assert 0 < result.usage.facts_new == result.usage.facts_known
    usage = result.usage
    assert min(usage.expansions, usage.children_generated, usage.table_entries) > 0
    assert 0 < result.usage.seconds < 60 and 10**6 < result.usage.peak_memory_bytes < 10**11
    assert result.version == pns.__version__


def test_a_loss_has_the_grundy_number_0_and_no_winning_move() -> None:
    result = solve("0*2")
    assert (result.outcome, result.grundy_number, result.winning_move) == ("loss", 0, None)
    result = solve("!")
    assert (result.outcome, result.grundy_number, result.usage.expansions) == ("loss", 0, 0)


def test_a_result_does_not_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        solve("!").solved = False  # type: ignore[misc]


def test_the_result_has_the_canonical_text() -> None:
    result = solve("AB|0.AB", grundy=True)
    assert (result.position, result.canonical) == ("AB|0.AB", "0.AB|AB")
    assert result.grundy_number == grundy_number("0.AB|AB")


@pytest.mark.parametrize("game, text", [("nim", "3+5+7+7"), ("kayles", "5+9+1")])
def test_other_games(game: str, text: str) -> None:
    result = solve(text, game, grundy=True)
    assert (result.game, result.outcome, result.solved) == (game, "win", True)
    assert result.winning_move in children(text, game)
    assert grundy_number(text, game) == result.grundy_number != 0
    assert grundy_number(result.winning_move or "", game) == 0


OPTIONS: List[Dict[str, Any]] = [
    {"capacity": 1},
    {"capacity": 100, "seed": 7},
    {"epsilon": 0.25},
    {"epsilon": 10, "seed": 1},
    {"algorithm": "dfpn"},
    {"max_expansions": 10**9, "max_seconds": 1e6, "max_memory": 10**13},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options_do_not_change_the_result(options: Dict[str, Any]) -> None:
    result = solve("0*4", grundy=True, **options)
    assert (result.outcome, result.grundy_number, result.solved) == ("win", 1, True)


@pytest.mark.parametrize("text, number", [("0*%d" % n, int(n > 2)) for n in range(1, 6)])
def test_grundy_numbers(text: str, number: int) -> None:
    assert grundy_number(text) == number


def test_the_grundy_number_of_a_sum() -> None:
    assert grundy_number("0*2+0*3") == 1
    assert grundy_number("0*3+0*4") == 0
    assert solve("0*7+0*7").usage.expansions == 0


# --- ends ---------------------------------------------------------------------------


def test_max_expansions_is_exact() -> None:
    for budget in (0, 1, 63, 64, 65, 200):
        result = solve(LONG, max_expansions=budget)
        assert (result.usage.expansions, result.stopped_by) == (budget, "expansions")
        assert (result.solved, result.outcome, result.winning_move) == (False, None, None)
    whole = solve("0*4").usage.expansions
    assert solve("0*4", max_expansions=whole).solved
    assert not solve("0*4", max_expansions=whole - 1).solved


def test_max_seconds() -> None:
    result = solve(LONG, max_seconds=0.2)
    assert (result.solved, result.stopped_by) == (False, "seconds")
    assert 0.2 <= result.usage.seconds < 10


def test_max_memory() -> None:
    result = solve(LONG, max_memory=10**6)
    assert (result.solved, result.stopped_by) == (False, "memory")


def test_a_memory_limit_leaves_room_for_a_tree() -> None:
    for algorithm in ("pns", "pn2"):
        with pytest.raises(pns.TooLittleMemory, match=r"at least \d+ MB"):
            solve("0*3", algorithm=algorithm, max_memory=10**6)
    limit = used_memory() + 2 * (COMPILED_BYTES + LEAST_ROOM)
    low = solve("0*8", algorithm="pns", max_memory=limit)
    free = solve("0*8", algorithm="pns")
    assert low.outcome == "loss" and low.usage.expansions == free.usage.expansions


@pytest.mark.parametrize("algorithm", ["dfpn", "pdfpn"])
def test_a_memory_limit_bounds_the_caches_of_the_game(algorithm: str) -> None:
    """In a program of its own, since the memory of this one depends on earlier tests."""
    processes = 1 if algorithm == "pdfpn" else None
    done = run_python(LIMITED % {"options": {"algorithm": algorithm, "processes": processes}})
    assert (done.returncode, done.stderr) == (0, "")


LIMITED = """
import pns
from pns.system.machine import used_memory
from pns.sprouts import canonical
options = %(options)r
limit = used_memory() + 300_000_000
assert pns.solve("0*3", max_memory=limit, **options).solved
assert 1000 < canonical.most_entries < canonical.CACHE_ENTRIES
assert pns.solve("0*3", **options).solved
assert canonical.most_entries == canonical.CACHE_ENTRIES
"""


@pytest.mark.search
def test_small_caches_of_a_game_change_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = solve("0*8").usage.expansions
    limit_caches(SPROUTS, 6_000)
    monkeypatch.setattr("pns.algorithms.limit_caches", lambda game, most_bytes: None)
    try:
        assert len(list(SPROUTS.children(b"0*9"))) == len(children("0*9"))
        assert solve("0*8").usage.expansions == whole
        assert 0 < len(canonical._texts) <= 10
    finally:
        limit_caches(SPROUTS, None)
    assert canonical.most_entries == canonical.CACHE_ENTRIES


def test_a_stop_token() -> None:
    stop = StopToken()
    stop.stop("lunch")
    stop.stop("tea")
    result = solve(LONG, stop=stop)
    assert (result.solved, result.stopped_by, result.usage.expansions) == (False, "lunch", 0)

    stop = StopToken()
    timer = threading.Timer(0.3, stop.stop, ["timer"])
    timer.start()
    result = solve(LONG, stop=stop)
    timer.join()
    assert result.stopped_by == "timer" and 0.2 < result.usage.seconds < 10


def test_an_observer() -> None:
    seen: List[int] = []

    def observe(solver: pns.Solver) -> None:
        found = solver.progress()
        seen.append(solver.expansions)
        assert found.lines[0][1] and min(found.root) > 0 and found.expansions == seen[-1]
        if len(seen) == 5:
            solver.stop("observer")

    result = solve(LONG, observer=observe)
    assert seen == sorted(set(seen)) and len(seen) == 5
    assert (result.solved, result.stopped_by) == (False, "observer")


def test_an_observer_that_fails_ends_the_search() -> None:
    def observe(solver: pns.Solver) -> None:
        raise KeyError("observer")

    with pytest.raises(KeyError):
        solve(LONG, observer=observe)


# --- facts --------------------------------------------------------------------------


def test_facts_are_used_and_extended() -> None:
    facts = Facts("sprouts")
    part = solve("0*6", facts=facts, max_expansions=300)
    assert not part.solved and 0 < part.usage.facts_known == len(facts)
    rest = solve("0*6", facts=facts)
    assert rest.solved and rest.usage.facts_known == len(facts) > part.usage.facts_known
    assert rest.usage.expansions < solve("0*6").usage.expansions
    again = solve("0*6", facts=facts)
    assert (again.outcome, again.usage.expansions) == (rest.outcome, 0)
    assert facts.get(b"0*6") == 0


def test_facts_are_trusted() -> None:
    facts = Facts("nim")
    facts.add(b"9", 4)
    result = solve("9", "nim", facts=facts, grundy=True)
    assert (result.grundy_number, result.usage.expansions) == (4, 0)


def test_a_contradiction_is_not_hidden() -> None:
    facts = Facts("sprouts")

    def observe(solver: pns.Solver) -> None:
        if facts.get(b"0*6") < 0:
            facts.add(b"0*6", 3)  # as by another process

    with pytest.raises(Contradiction) as info:
        solve("0*6", facts=facts, observer=observe)
    assert (info.value.land, info.value.known, info.value.number) == (b"0*6", 3, 0)


# --- children -----------------------------------------------------------------------


def test_children_agree_with_other_solvers() -> None:
    for line in (TEST_DATA / "children.tsv").read_text().splitlines():
        if not line.startswith("#"):
            text, count, *expected = line.split("\t")
            assert children(text) == expected == sorted(set(expected)), text
            assert len(expected) == int(count)


def test_children_of_a_sum() -> None:
    assert children("!") == []
    assert children("3+3", game="nim") == ["1+3", "2+3", "3"]
    found = children("0*2+0*3")
    assert found == sorted(set(found))
    assert "0*3+1a1a" in found and len(found) == len(children("0*2")) + len(children("0*3"))
    assert [solve(text, max_expansions=0).canonical for text in found] == found


# --- refusals -----------------------------------------------------------------------

REFUSED: List[Dict[str, Any]] = [
    {"game": "chess"},
    {"algorithm": "magic"},
    {"capacity": 0},
    {"capacity": -1},
    {"capacity": 10**15},
]


@pytest.mark.parametrize("options", REFUSED, ids=str)
def test_bad_options_are_refused(options: Dict[str, Any]) -> None:
    with pytest.raises(ValueError) as info:
        solve("0*3", **options)
    assert "\n" not in str(info.value) and not isinstance(info.value, NotationError)


@pytest.mark.parametrize("call", [solve, grundy_number, children])
def test_bad_texts_are_refused(call: Any) -> None:
    for text in ("", "abc", "A|A|A", "0*3 1", "0*99999999999999", "0\u00b73", "0*3\ud800"):
        with pytest.raises(NotationError) as info:
            call(text)
        assert str(info.value).isascii() and "\n" not in str(info.value)
    with pytest.raises(NotationError):
        call("3+x", game="nim")
    with pytest.raises(ValueError):
        call("0*3", game="chess")


JUNK = ["junk+", "0", "0.", "A|", "0*9", "(", "\u00e9", "0*2.AB|AB+", "9+", "\n"]


@pytest.mark.parametrize("junk", JUNK, ids=ascii)
def test_a_megabyte_of_junk_is_refused_quickly(junk: str) -> None:
    text = (junk * 10**6)[: 10**6]
    for game in ("sprouts", "nim", "kayles"):
        begin = time.monotonic()
        with pytest.raises(NotationError) as info:
            solve(text, game)
        assert time.monotonic() - begin < 5
        assert len(str(info.value)) < 300


# --- what a result gives -----------------------------------------------------------


def test_a_result_explains_itself() -> None:
    result = solve("0*4")
    assert result.why().move == result.winning_move
    assert str(result.why()).startswith("0*4 is a win: move to 0*2.AB|0.AB.\n")
    assert solve("0*2").why().answers == {"0.AB|AB": "0", "1a1a": "ABCD|ABCD"}


def test_a_certificate_of_a_result(tmp_path: Path) -> None:
    path = tmp_path / "claim"
    header = solve("0*3+0*2").certificate(str(path), cycles=1)
    assert header.claim() == "0*3+0*2=win"
    words = [sys.executable, str(CHECKER), str(path)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    assert "0*3+0*2 is a win: proved" in done.stdout
    assert header.entries == pns.audit_facts(str(path)).checked


def test_an_unsolved_result_proves_nothing(tmp_path: Path) -> None:
    result = solve(LONG, max_expansions=5)
    with pytest.raises(ValueError, match=r"0\*60 was not solved"):
        result.why()
    with pytest.raises(ValueError, match=r"0\*60 was not solved"):
        result.certificate(str(tmp_path / "claim"))
    assert "unknown: stopped by expansions" in result._repr_html_()
    assert result._repr_svg_() is None and "<svg" not in result._repr_html_()
    assert list(tmp_path.iterdir()) == []


def test_a_result_is_compared_printed_and_pickled_without_its_facts() -> None:
    result = solve("0*3")
    assert "facts" not in result.as_dict() and "Facts" not in repr(result)
    copy = pickle.loads(pickle.dumps(result))
    assert copy == result and copy.as_dict() == result.as_dict()
    assert result.facts is not None and copy.facts is None
    with pytest.raises(ValueError, match="a pickled copy has no facts"):
        copy.why()


def test_a_closed_database_explains_nothing(lmdb: Any, tmp_path: Path) -> None:
    with pns.open_facts(str(tmp_path / "facts"), "sprouts") as facts:
        result = solve("0*3", facts=facts)
        assert result.why().outcome == "win"
    with pytest.raises(pns.FactsError, match="cannot be read any more"):
        result.why()
    with pns.read_facts(str(tmp_path / "facts")) as again:
        assert again.why("0*3").outcome == "win"


def test_the_table_of_a_notebook() -> None:
    page = solve("0*2")._repr_html_()
    tree = ElementTree.fromstring(page)
    cells = {row[0].text: "".join(row[1].itertext()) for row in tree}
    assert (cells["position"], cells["outcome"], cells["Grundy number"]) == ("0*2", "loss", "0")
    assert "<svg" not in dataclasses.replace(solve("0*2"), position="0*x")._repr_html_()
    odd = dataclasses.replace(solve("0*3"), canonical="<b>&", winning_move="</td><script>")
    tree = ElementTree.fromstring(odd._repr_html_())
    assert not list(tree.iter("script"))
    texts = ["".join(row[1].itertext()) for row in tree]
    assert "<b>&" in texts and "</td><script>" in texts


@pytest.mark.parametrize(
    ("game", "position", "verdict", "mark"),
    [
        ("sprouts", "0*3", "sprouts: win for the player to move", 'class="line new"'),
        ("cram", "..|..", "cram: loss for the player to move", "<rect"),
        ("mnk", "3:...|...|...", "mnk: draw for the player to move", "<circle"),
    ],
)
def test_the_picture_of_a_notebook(game: str, position: str, verdict: str, mark: str) -> None:
    found = solve(position, game=game)
    picture = str(found._repr_svg_())
    tree = ElementTree.fromstring(picture)
    assert tree.tag.endswith("svg") and "".join(tree[-1].itertext()) == verdict
    assert mark in picture and mark in found._repr_html_()


def test_a_game_of_the_package_keeps_its_name() -> None:
    with pytest.raises(ValueError, match="'sprouts' belongs to a game of the package"):
        pns.register(SPROUTS)


def test_all_public_names_are_there() -> None:
    for name in pns.__all__:
        value = getattr(pns, name)
        assert name == "__version__" or value.__doc__, name
