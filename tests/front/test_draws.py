"""Wins, draws and losses against plain search; a search that was stopped says nothing false."""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterator, List, Tuple

import pytest
from helpers.boards import squares
from helpers.partisan import has_line, mnk_value, mover, pentago_value, random_line

import pns
from pns.facts import Facts
from pns.strong import build_solution

pytestmark = pytest.mark.search

NAMES = {1: "win", 0: "draw", -1: "loss"}
EMPTY = "3:...|...|..."
ORDER = ("win", "draw", "loss")


def boards(rows: int, columns: int, k: int, falls: bool) -> Iterator[Tuple[str, str]]:
    """(text, value) of every position that play on a board reaches."""
    seen = set()
    waiting = [tuple(["." * columns] * rows)]
    while waiting:
        board = waiting.pop()
        if board in seen:
            continue
        seen.add(board)
        letter = mover(board)
        is_over = has_line(board, "XO".replace(letter, ""), k)
        text = "%d%s:%s" % (k, "v" * falls, "|".join(board))
        yield text, NAMES[-1 if is_over else mnk_value(board, k, falls)]
        free = 0 if is_over else len(squares(board, "."))
        waiting += [random_line(board, 1, (i,), falls) for i in range(free)]


SMALL = [(1, 3, 2, False), (2, 2, 2, True), (2, 3, 3, False), (3, 2, 3, True), (2, 3, 2, False)]


@pytest.mark.parametrize("rows, columns, k, falls", SMALL)
def test_every_position_of_small_boards(rows: int, columns: int, k: int, falls: bool) -> None:
    facts = Facts("mnk")
    for text, expected in boards(rows, columns, k, falls):
        assert pns.value(text, "mnk", facts=facts) == expected, text
        found = pns.solve(text, "mnk", facts=facts)
        assert (found.solved, found.outcome, found.possible) == (True, expected, (expected,))
        assert (found.drawing_move is not None) == (expected == "draw"), text
        assert (found.winning_move is not None) == (expected == "win"), text


@pytest.mark.parametrize("text", [EMPTY, "3:X..|...|..O", "3:X..|.O.|...", "3v:XO.|XO.|OX."])
def test_a_stopped_search_excludes_only_what_it_has_shown(text: str) -> None:
    whole = pns.solve(text, "mnk")
    most, seen = whole.usage.expansions, set()
    for budget in range(0, most + 1, max(1, most // 40)):
        found = pns.solve(text, "mnk", max_expansions=budget)
        assert found.usage.expansions <= budget
        assert whole.outcome in found.possible and list(found.possible) == sorted(
            found.possible, key=ORDER.index
        )
        assert pns.value(text, "mnk", max_expansions=budget) == found.outcome
        assert found.outcome in (None, whole.outcome)
        assert found.solved == (found.outcome is not None) == (found.stopped_by is None)
        seen.add(found.possible)
    assert pns.value(text, "mnk", max_expansions=most) == whole.outcome
    assert ORDER in seen


def test_a_win_that_is_excluded_stays_excluded() -> None:
    first = pns.solve("3o:...|...|...", "mnk").usage.expansions
    found = pns.solve(EMPTY, "mnk", max_expansions=first)
    assert (found.outcome, found.possible) == (None, ("draw", "loss"))
    assert found.canonical == "3x:...|...|..."
    with pytest.raises(ValueError, match="not solved"):
        found.why()


@pytest.mark.parametrize("algorithm", ["dfpn", "pdfpn", "spdfpn", "pns", "pn2", "pns-tree"])
def test_one_budget_is_for_both_questions(algorithm: str) -> None:
    whole = pns.solve(EMPTY, "mnk", algorithm=algorithm)
    assert whole.outcome == "draw"
    found = pns.solve(EMPTY, "mnk", algorithm=algorithm, max_expansions=20)
    assert (found.outcome, found.possible) == (None, ORDER)
    assert pns.value(EMPTY, "mnk", algorithm=algorithm, max_expansions=20) is None


BUDGETS: List[Dict[str, Any]] = [{"max_expansions": 1}, {"max_expansions": 0}, {"max_seconds": 0}]


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_no_budget_makes_a_loss(budget: Dict[str, Any]) -> None:
    board = "4v:" + "|".join(["." * 7] * 6)
    assert pns.value(board, "mnk", **budget) is None
    assert pns.value("|".join(["." * 4] * 4), "pentago", **budget) is None
    assert pns.value("X*:" + "|".join(["." * 9] * 9), "ultimate", **budget) is None


def test_a_stop_token_ends_both_questions() -> None:
    stop = pns.StopToken()
    stop.stop("enough")
    assert pns.value(EMPTY, "mnk", stop=stop) is None
    found = pns.solve(EMPTY, "mnk", stop=stop)
    assert (found.outcome, found.stopped_by, found.usage.expansions) == (None, "enough", 0)


def test_a_text_that_says_for_whom_a_draw_counts_asks_one_question() -> None:
    for letter, outcome in (("o", "loss"), ("x", "win")):
        text = EMPTY.replace(":", letter + ":")
        found = pns.solve(text, "mnk")
        assert (found.outcome, found.possible, found.canonical) == (outcome, (outcome,), text)
        assert pns.value(text, "mnk") == "draw"
    late = "X..X|.OO.|OXXO|XO.X"
    for head in ("x:", "o:"):
        assert pns.solve(head + late, "pentago").outcome in ("win", "loss")
    expected = NAMES[pentago_value(tuple(late.split("|")))]
    assert pns.solve(late, "pentago").outcome == pns.value(late, "pentago") == expected


def test_why_and_certificate_of_a_draw_show_at_least_a_draw(tmp_path: Any) -> None:
    found = pns.solve(EMPTY, "mnk")
    assert found.why().outcome == found.claim == "win" and found.why().move == found.drawing_move
    certificate = found.certificate(str(tmp_path / "draw.cert.gz"))
    assert (certificate.position, certificate.wins) == ("3x:...|...|...", True)
    assert "draw" in found._repr_html_()


def test_a_table_answers_both_questions(tmp_path: Any) -> None:
    build_solution("mnk", "2:.|.|.", str(tmp_path / "table"), processes=1)
    with pns.read_solution(str(tmp_path / "table")) as table:
        for text in ("2:.|.|.", "2:X|O|.", "2:.|X|."):
            found = pns.solve(text, "mnk", table=table)
            assert found.outcome == table.value(text) == pns.value(text, "mnk"), text
            assert found.from_table


def test_a_resumed_search_goes_on_with_the_second_question(tmp_path: Any) -> None:
    first = pns.solve("3o:...|...|...", "mnk").usage.expansions
    for algorithm, number in itertools.product(("dfpn", "pns"), (first // 2, first + 5)):
        path = str(tmp_path / ("%s-%d" % (algorithm, number)))
        found = pns.solve(EMPTY, "mnk", algorithm=algorithm, max_expansions=number, checkpoint=path)
        if found.outcome is None:
            assert pns.solve(EMPTY, "mnk", algorithm=algorithm, resume=path).outcome == "draw"


def test_masters_answer_one_question() -> None:
    with pytest.raises(pns.OptionError, match="ppn2 answers one question; give 3o:"):
        pns.solve(EMPTY, "mnk", algorithm="ppn2")


def test_a_grundy_number_that_memory_keeps_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_out(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("pns.local_solvers.LocalSolver.grundy_number", run_out)
    with pytest.raises(pns.NoMemory, match="memory ran out"):
        pns.grundy_number("0*3")
