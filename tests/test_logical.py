"""PDFPN by logical processes: right, the same in every run, and as DFPN when there is one."""

from __future__ import annotations

from typing import Any, List

import pytest
from test_dfpn import brute_grundy
from trees import TreeGame

from pns.board import DEPTH, EXPANSIONS, Board
from pns.couple import Couples
from pns.dfpn import Search, Stopped
from pns.facts import Contradiction, Facts
from pns.game import find_game
from pns.logical import LogicalSearch
from pns.pdfpn import Member
from pns.table import Table

SPROUTS = find_game("sprouts")


def logical(processes: int, **options: Any) -> LogicalSearch:
    capacity = options.pop("capacity", 1 << 16)
    return LogicalSearch(processes, SPROUTS, Facts("sprouts"), capacity, **options)


@pytest.mark.parametrize("options", [{}, {"capacity": 4}, {"most_cells": 3000}, {"epsilon": 0.25}])
def test_outcomes_and_facts_are_right(options: Any) -> None:
    for processes in (2, 5):
        for spots, wins in enumerate([0, 0, 1, 1, 1], 1):
            search = logical(processes, seed=spots, **options)
            assert search.outcome(SPROUTS.parse("0*%d" % spots)) == bool(wins)
            for land, number in search.facts.items():
                assert number == brute_grundy(land), land


def test_sixty_four_processes() -> None:
    search = logical(64, seed=1)
    assert search.outcome(SPROUTS.parse("0*5"))
    assert len([member for member in search.members if member.expansions]) > 32
    for land, number in search.facts.items():
        assert number == brute_grundy(land), land


def test_trees_against_brute_force() -> None:
    for seed in range(30):
        game = TreeGame(seed, 5, 3)
        search = LogicalSearch(3, game, Facts(game.name), 1 << 12, seed=seed, turn=1 + seed % 5)
        assert search.outcome((b"r", b"s")) == (game.grundy((b"r", b"s")) != 0)


def test_one_process_expands_what_dfpn_expands() -> None:
    for spots in (6, 7, 9):
        facts = Facts("sprouts")
        search = Search(Couples(SPROUTS, facts), Table(1 << 16))
        alone = logical(1)
        lands = SPROUTS.parse("0*%d" % spots)
        assert alone.outcome(lands) == search.outcome(lands)
        assert alone.expansions == alone.longest == search.expansions
        assert dict(alone.facts.items()) == dict(facts.items())


def test_a_seed_replays_and_another_does_not() -> None:
    runs = []
    for seed in (1, 1, 2):
        search = logical(3, seed=seed)
        assert not search.outcome(SPROUTS.parse("0*7"))
        runs.append([member.expansions for member in search.members])
    assert runs[0] == runs[1] != runs[2]


def test_work_is_divided() -> None:
    search = logical(4)
    assert search.outcome(SPROUTS.parse("0*9"))
    told = [search.board.get(i, EXPANSIONS) for i in range(4)]
    assert min(told) > search.expansions / 8 and sum(told) <= search.expansions
    lines = [set(member.line) for member in search.members]
    assert lines and max([search.board.get(i, DEPTH) for i in range(4)]) < 100


def test_virtual_numbers_move_the_choice() -> None:
    """A process goes to another child, or leaves it earlier, where others are below the best."""

    class Visits(Member):
        visits: List[Any] = []

        def _visit(self, code: int, *numbers: int) -> Any:
            self.visits.append((code, *numbers))
            return super()._visit(code, *numbers)

    land = SPROUTS.parse("0*3")[0]
    seconds = []
    for others in ((), (1,), (1, 2)):
        board = Board(3)
        member = Visits(board, 0, SPROUTS, Facts("sprouts"), Table(64), most_expansions=2)
        member.visits = []
        children = member.couples.children(member.couples.land(land), 0)
        best, second = sorted(children, key=lambda child: member.numbers(child)[1])[:2]
        assert member.numbers(second)[1] == member.numbers(best)[1] + 1
        for process in others:
            board.enter(process, 0, member.couples.keys[best >> 8])
        with pytest.raises(Stopped):
            member.outcome((land,))
        seconds.append(member.visits[1])
    assert [visit[0] for visit in seconds] == [best, best, second]
    assert seconds[1][2] == seconds[0][2] - 1


def test_budget() -> None:
    search = logical(3, most_expansions=300)
    with pytest.raises(Stopped, match="expansions"):
        search.outcome(SPROUTS.parse("0*9"))
    assert 300 <= search.expansions < 350
    assert len(search.facts)


def test_a_contradiction_ends_all() -> None:
    search = logical(3)
    lands = SPROUTS.parse("0*4")
    search.members[0].facts.add(b"0*9", 1)
    search.members[1].facts.add(b"0*9", 2)
    with pytest.raises(Contradiction):
        search.outcome(lands)
