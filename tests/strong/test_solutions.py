"""Strong solutions on the disk: values, moves, counts, going on after a kill, refusals."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import pytest
from helpers.grundy_of import grundy_of
from helpers.outcomes import TIC_TAC_TOE
from helpers.partisan import hex_wins, mnk_value, pentago_value

import pns
from pns.finding import find_game, register
from pns.front.memory import TooLittleMemory
from pns.strong import SolutionError, StrongSolution, build_solution, listed, read_solution
from pns.strong.folder import HEADER, LISTS, PLAN
from pns.strong.listed import ListedPasses
from pns.system import lifeline

pytestmark = pytest.mark.search

TIC_TAC = "3:...|...|..."
NAMES = {1: "win", 0: "draw", -1: "loss"}


def build(path: Path, game: str, position: str, **options: Any) -> StrongSolution:
    build_solution(game, position, str(path), **options)
    return read_solution(str(path))


def contents(path: Path) -> Dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}


PLAIN: Dict[str, Callable[[Tuple[str, ...]], str]] = {
    "mnk": lambda board: NAMES[mnk_value(board, 3, False)],
    "hex": lambda board: "win" if hex_wins(board) else "loss",
    "pentago": lambda board: NAMES[pentago_value(board)],
}


@pytest.mark.parametrize("game, root", [("mnk", TIC_TAC), ("hex", "...|...|...")])
def test_samples_are_those_of_plain_rules(game: str, root: str, tmp_path: Path) -> None:
    choose = random.Random(1)
    with build(tmp_path / "new", game, root) as solution:
        for _ in range(100):
            text = solution.sample(choose)
            try:
                over = not find_game(game).parse(text)
            except ValueError:
                continue
            if not over:
                board = tuple(text.rpartition(":")[2].split("|"))
                assert solution.value(text) == PLAIN[game](board), text


def test_a_list_and_a_ranking_agree(tmp_path: Path) -> None:
    ranked = build(tmp_path / "ranked", "mnk", TIC_TAC)
    listed = build(tmp_path / "listed", "mnk", TIC_TAC, listed=True)
    assert (ranked.kind, listed.kind) == ("ranked", "listed")
    assert ranked.positions == {"loss": 1574, "draw": 1068, "win": 2836}
    choose = random.Random(2)
    known = 0
    for _ in range(300):
        text = ranked.sample(choose)
        found = listed.value(text)
        known += found is not None
        assert found in (ranked.value(text), None)
        land = listed.sample(choose)
        assert listed.get(land.encode()) == ranked.get(land.encode()), land
    assert known > 100


@pytest.mark.parametrize(
    "game, root", [("cram", "...|...|..."), ("sprouts", "0*2"), ("kayles", "9"), ("nim", "3+2")]
)
def test_grundy_numbers_are_those_of_the_definition(game: str, root: str, tmp_path: Path) -> None:
    choose = random.Random(3)
    with build(tmp_path / "new", game, root) as solution:
        assert solution.grundy_number(root) == grundy_of(find_game(game), root)
        for _ in range(40):
            text = "+".join([solution.sample(choose), solution.sample(choose)])
            number = grundy_of(find_game(game), text)
            assert solution.grundy_number(text) == number
            assert solution.value(text) == ("win" if number else "loss")
            best = solution.best_move(text)
            if best is not None:
                assert best.value == solution.value(text)
                if number:
                    assert solution.grundy_number(best.position) == 0


def test_domineering_is_what_a_search_finds(tmp_path: Path) -> None:
    choose = random.Random(4)
    with build(tmp_path / "new", "domineering", "...|...|...") as solution:
        for _ in range(30):
            text = solution.sample(choose)
            assert solution.value(text) == pns.solve(text, "domineering").outcome
            assert [move.value for move in solution.moves(text)][:1] in ([], [solution.value(text)])


@pytest.mark.parametrize(
    "width, height, positions",
    [
        (4, 4, 161_029),
        pytest.param(4, 5, 1_706_255, marks=pytest.mark.slow),
        pytest.param(5, 4, 3_945_711, marks=pytest.mark.slow),
        pytest.param(5, 5, 69_763_700, marks=pytest.mark.slow),
    ],
)
def test_connect_four_is_what_a_search_finds(
    width: int, height: int, positions: int, tmp_path: Path
) -> None:
    choose = random.Random(7)
    with build(tmp_path / "new", "mnk", "4v:" + "|".join(["." * width] * height)) as solution:
        assert sum(solution.positions.values()) == positions
        assert solution.value(solution.position) == "draw"
        for _ in range(25):
            text = solution.sample(choose)
            assert solution.value(text) == pns.value(text, "mnk"), text


@pytest.mark.slow
def test_all_first_moves_of_hex(tmp_path: Path) -> None:
    with build(tmp_path / "new", "hex", "|".join(["...."] * 4)) as solution:
        won = []
        for square in range(16):
            cells = "." * square + "X" + "." * (15 - square)
            text = "|".join([cells[i : i + 4] for i in (0, 4, 8, 12)])
            value = solution.value(text)
            if square < 8:  # the others are images of these
                assert value == pns.solve(text, "hex").outcome, text
            if value == "loss":
                won.append(square)
        assert won == [3, 6, 9, 12]  # the cells of the short diagonal


def test_a_game_of_others_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pns.finding._registered", {})
    register(TIC_TAC_TOE)
    with build(tmp_path / "new", "tic-tac-toe", "xo.........") as solution:
        assert solution.kind == "listed" and solution.value("xo.........") == "draw"
        assert solution.value("xoxx.oo....") == "win"
        best = solution.best_move("xoxx.oo....")
        assert best is not None and (best.position, best.value) == ("ooxxxoo....", "win")


def test_every_move_of_play_by_the_table_keeps_the_value(tmp_path: Path) -> None:
    choose = random.Random(5)
    with build(tmp_path / "new", "mnk", "3v:...|...|...") as solution:
        for _ in range(5):
            position, value, moves = solution.position, solution.value(solution.position), 0
            while True:
                move = solution.best_move(position)
                if move is None:
                    break
                assert move.value == value and solution.value(position) == value
                replies = solution.moves(move.position)
                if not replies:
                    break
                position = choose.choice(replies).position
                value = solution.value(position)
                moves += 1
            assert moves


@pytest.mark.parametrize("root", ["3:X..|.O.|...", "3:.X|..|O.|..", "3v:...|...|X.O"])
def test_lands_are_images_of_positions(root: str, tmp_path: Path) -> None:
    game: Any = find_game("mnk")
    choose = random.Random(6)
    with build(tmp_path / "new", "mnk", root) as solution:
        for _ in range(60):
            text = solution.sample(choose)
            try:
                asked = game.questions(text)
            except ValueError:
                continue
            wins = ["win"], ["win", "draw"]
            for lands, good in zip(asked, wins):
                value = solution.value(text)
                assert [solution.get(land) for land in lands] in ([], [-1 if value in good else 0])


def test_positions_outside_have_no_value(tmp_path: Path) -> None:
    with build(tmp_path / "new", "mnk", "3:X..|.O.|...") as solution:
        assert solution.value("3:X..|.O.|...") and solution.value("3:X..|.OX|...")
        for text in (TIC_TAC, "3:.X.|.O.|...", "4:X..|.O.|...", "3:X...|.O..|...."):
            assert solution.value(text) is None
        assert solution.get(b"3o:...|...|...") == -1
        with pytest.raises(SolutionError, match="is not in"):
            solution.moves(TIC_TAC)
        with pytest.raises(ValueError, match="no Grundy numbers"):
            solution.grundy_number("3:X..|.O.|...")
    with build(tmp_path / "other", "kayles", "5") as solution:
        assert solution.grundy_number("6") is None and solution.value("6") is None


@pytest.mark.parametrize(
    "game, root",
    [
        pytest.param("mnk", "3v:....|....|....", marks=pytest.mark.slow),
        pytest.param("cram", "...|...|...|...", marks=pytest.mark.slow),
        ("mnk", TIC_TAC),
        ("pentago", "OOOXXO|XX...O|X.XXXO|O.OOOO|OX...X|.OXXX."),
    ],
)
def test_a_killed_build_goes_on(game: str, root: str, tmp_path: Path) -> None:
    build(tmp_path / "whole", game, root).close()
    for last in (1, 8, 20):
        path = tmp_path / str(last)
        child, line = lifeline.fork()
        if not child:
            calls = iter(range(last))

            def kill(*_: object, calls: Any = calls) -> None:
                if next(calls, None) is None:
                    os.kill(os.getpid(), signal.SIGKILL)

            build_solution(game, root, str(path), processes=2, observer=kill)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        os.close(line)
        assert os.WIFEXITED(status) or os.WTERMSIG(status) == signal.SIGKILL
        if os.WIFSIGNALED(status):
            assert (path / PLAN).exists() and not (path / HEADER).exists()
            with pytest.raises(SolutionError, match="not a complete strong solution"):
                read_solution(str(path))
        kept = contents(path)
        build(path, game, root).close()
        assert contents(path) == contents(tmp_path / "whole")
        after = contents(path)
        assert [name for name in kept if name[:5] == "slice" and kept[name] != after[name]] == []


def test_a_listing_that_was_stopped_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(Exception):
        pass

    root = "....|....|...."
    with build(tmp_path / "whole", "cram", root) as solution:
        sizes = [found.entries for found in solution.slices]
    game: Any = find_game("cram")
    expanded: List[bytes] = []
    children = game.children

    def counted(land: bytes) -> Any:
        expanded.append(land)
        return children(land)

    def stop(done: int, total: int, before: int, remark: str) -> None:
        assert remark == "listing" and before <= done <= total
        seen.append((done, before))
        if len(seen) == stops[0]:
            raise Stopped

    monkeypatch.setattr(game, "children", counted)
    path = tmp_path / "new"
    stops, kept = [2, 3, 3, 5], 0
    while stops:  # a slice is one block, so it is seen once
        seen: List[Tuple[int, int]] = []
        expanded.clear()
        with pytest.raises(Stopped):
            build_solution("cram", root, str(path), observer=stop)
        last = stops.pop(0)
        assert seen[-1] == (sum(sizes[: last - 1]), sum(sizes[:kept]))
        assert len(expanded) == sum(sizes[kept:last])
        kept = last - 1
    build(path, "cram", root).close()
    assert contents(path) == contents(tmp_path / "whole")


def test_only_its_own_directory_is_used(tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "file").touch()
    with pytest.raises(SolutionError, match="is not empty"):
        build_solution("kayles", "3", str(tmp_path / "used"))
    assert os.listdir(tmp_path / "used") == ["file"]
    build(tmp_path / "done", "kayles", "3").close()
    before = contents(tmp_path / "done")
    build(tmp_path / "done", "kayles", "3").close()
    with pytest.raises(SolutionError, match="has another solution"):
        build_solution("kayles", "4", str(tmp_path / "done"))
    assert contents(tmp_path / "done") == before

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_solution("kayles", "3", str(tmp_path / "begun"), observer=stop)
    with pytest.raises(SolutionError, match="begun for another"):
        build_solution("kayles", "4", str(tmp_path / "begun"))


def test_memory_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(TooLittleMemory, match="MB of memory, and 1 MB are allowed"):
        build_solution("mnk", TIC_TAC, str(tmp_path / "new"), max_memory=1_000_000)
    assert not (tmp_path / "new").exists()
    with pytest.raises(TooLittleMemory, match="MB of memory, and 1 MB are allowed"):
        build_solution("kayles", "9", str(tmp_path / "new"), max_memory=1_000_000)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("bytes_of_a_land", ["SET_BYTES", "LAND_BYTES"])
def test_a_list_stops_where_it_does_not_fit(
    bytes_of_a_land: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listed, bytes_of_a_land, 1_000_000)
    most = ListedPasses(find_game("cram"), [], 1).memory() + 9_000_000
    with pytest.raises(TooLittleMemory, match=r"\d\d lands take \d\d MB, beside \d+ MB"):
        build_solution("cram", "....|....|....", str(tmp_path / "new"), max_memory=most)
    assert not (tmp_path / "new" / LISTS).exists()
    monkeypatch.undo()
    build(tmp_path / "new", "cram", "....|....|....", max_memory=most).close()


def test_positions_without_moves_are_refused(tmp_path: Path) -> None:
    for game, position in (("nim", "!"), ("cram", "#"), ("mnk", "!"), ("hex", "!")):
        with pytest.raises(SolutionError, match="has no moves"):
            build_solution(game, position, str(tmp_path / "none"))
