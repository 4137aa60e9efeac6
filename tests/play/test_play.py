"""Games against the solver: it keeps every win, moves are undone, records are read back."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path
from typing import Dict, List, Optional

import pytest
from helpers.boards import Board
from helpers.partisan import has_line, mnk_value, mover
from helpers.searches import brute_grundy

import pns
from pns.facts import Facts
from pns.finding import find_game
from pns.game import Sum, children_of
from pns.play.engine import BOUNDS, FACTS, SEARCH, Engine
from pns.play.record import RecordError, format_record, parse_record, read_record, write_record
from pns.play.session import RESULTS, PlayError, Session

STARTS = {"nim": "1+2+4", "kayles": "2+4+6", "sprouts": "0*4"}
LONG = 600.0
"""Seconds that no judgement here needs."""


@lru_cache(maxsize=None)
def is_won(name: str, lands: Sum) -> bool:
    """Who wins, by brute force: for Sprouts by a table made by other rules."""
    if name == "sprouts":
        number = 0
        for land in lands:
            number ^= brute_grundy(land)
        return number > 0
    return any([not is_won(name, child) for child in children_of(find_game(name), lands)])


@pytest.mark.parametrize("name", STARTS)
def test_the_solver_keeps_every_win(name: str) -> None:
    game = find_game(name)
    engine = Engine(game, seconds=LONG)
    chance = random.Random(7)
    won = lost = 0
    for _ in range(25):
        session = Session(game, STARTS[name], chance.randrange(2))
        while session.winner is None:
            if session.is_persons_turn:
                session.play(chance.choice(session.moves))
                continue
            judgement = engine.judge(session.position)
            assert judgement.wins == is_won(name, session.position)
            assert judgement.source != BOUNDS and judgement.move is not None
            session.play(judgement.move)
            assert is_won(name, session.position) != judgement.wins
            won, lost = won + bool(judgement.wins), lost + (not judgement.wins)
    assert won > 20 and lost > 0


def test_what_is_known_is_not_searched() -> None:
    game = find_game("sprouts")
    facts = pns.known_facts()
    engine = Engine(game, facts, seconds=0.0)
    for text, source in (("0*4", FACTS), ("0*2", FACTS), ("0*3+0*2", FACTS), ("!", FACTS)):
        judgement = engine.judge(game.parse(text))
        assert judgement.source == source
        assert judgement.wins == is_won("sprouts", game.parse(text))
    assert judgement.move is None


def won() -> Facts:
    """Facts that know the number of 0*3 alone."""
    facts = Facts("sprouts")
    facts.add(b"0*3", 1)
    return facts


def test_a_win_by_its_number_alone_is_searched_for_its_move() -> None:
    game = find_game("sprouts")
    start = game.parse("0*3")
    judgement = Engine(game, won(), seconds=LONG).judge(start)
    assert (judgement.wins, judgement.source) == (True, SEARCH)
    assert judgement.move is not None and not is_won("sprouts", judgement.move)
    judgement = Engine(game, won(), seconds=0.0).judge(start)
    assert (judgement.wins, judgement.source) == (True, BOUNDS)
    assert judgement.move in children_of(game, start)


def test_without_time_bounds_choose() -> None:
    game = find_game("sprouts")
    start = game.parse("0*8")
    engine = Engine(game, seconds=LONG, expansions=40)
    judgement = engine.judge(start)
    assert (judgement.wins, judgement.source) == (None, BOUNDS)
    assert min(judgement.numbers) > 0
    best = {child: engine._numbers(child)[1] for child in children_of(game, start)}
    assert judgement.move is not None and best[judgement.move] == min(best.values())
    assert len(set(best.values())) > 1
    assert judgement.numbers[0] == min(best.values())


def played(name: str, chance: random.Random, most: Optional[int] = None) -> Session:
    """A game of random moves, perhaps cut short."""
    game = find_game(name)
    session = Session(game, STARTS[name], chance.randrange(2))
    while session.winner is None and (most is None or len(session.positions) <= most):
        session.play(chance.choice(session.moves))
    return session


def test_moves_are_taken_back() -> None:
    chance = random.Random(1)
    for name in STARTS:
        session = played(name, chance)
        before = list(session.positions)
        while session.last_move:
            position = session.last_move[0]
            session.take_back()
            assert session.position == position and session.is_persons_turn
            assert session.moves == children_of(session.game, position)
            assert session.positions == before[: len(session.positions)]
        assert len(session.positions) == 1 + session.person
        with pytest.raises(PlayError, match="no move to take back"):
            session.take_back()


def test_a_resignation_is_taken_back() -> None:
    session = played("nim", random.Random(1), 2)
    positions = list(session.positions)
    session.resign()
    assert session.winner == 1 - session.person
    with pytest.raises(PlayError, match="over"):
        session.play(session.moves[0])
    with pytest.raises(PlayError, match="over"):
        session.resign()
    session.take_back()
    assert session.winner is None and session.positions == positions
    with pytest.raises(PlayError, match="no move leads to 9"):
        session.play((b"9",))


def test_records_are_read_back(tmp_path: Path) -> None:
    chance = random.Random(3)
    seen: Dict[str, int] = {}
    path = str(tmp_path / "game.txt")
    for i in range(60):
        session = played(chance.choice(list(STARTS)), chance, chance.randrange(9))
        if session.winner is None and i % 2:
            session.resign()
        write_record(session, path)
        found = read_record(path)
        for name in ("positions", "person", "resigned", "result", "winner"):
            assert getattr(found, name) == getattr(session, name), name
        assert found.game.name == session.game.name
        seen[found.result] = seen.get(found.result, 0) + 1
    assert set(seen) == set(RESULTS) - {"a draw"}


GOOD = """[Game record 1]
game: nim
start: 1+2
first: person
second: solver
result: first wins

1. 1+1
2. 1
3. 0
"""


@pytest.mark.parametrize(
    "old, new, line, wrong",
    [
        ("[Game record 1]", "[Positions+Nimber]", 1, "not a record of a game"),
        ("game: nim", "game: chess", 2, "unknown game 'chess'"),
        ("game: nim\n", "", 2, "game: is missing"),
        ("start: 1+2", "start: x", 3, "invalid number 'x'"),
        ("start: 1+2", "start:", 3, "start: is missing"),
        ("first: person", "first: solver", 4, "expected person for one player"),
        ("second: solver", "second: nobody", 4, "expected person for one player"),
        ("result: first wins", "result: draw", 6, "invalid result 'draw'"),
        (
            "result: first wins",
            "result: second wins",
            6,
            "the result does not follow from the moves; expected first wins",
        ),
        (
            "first wins",
            "first wins by resignation",
            6,
            "the result does not follow from the moves; expected first wins",
        ),
        (
            "first wins",
            "unfinished",
            6,
            "the result does not follow from the moves; expected first wins",
        ),
        ("3. 0\n", "", 6, "the result does not follow from the moves; expected unfinished"),
        ("1. 1+1", "1. 2+2", 8, "no move leads to 2+2"),
        ("2. 1", "4. 1", 9, "expected '2. POSITION'"),
        ("2. 1", "one", 9, "invalid move 'one'"),
        ("2. 1", "2. y", 9, "invalid number 'y'"),
        ("3. 0\n", "3. 0\n4. 0\n", 11, "the game is over"),
    ],
)
def test_bad_records(old: str, new: str, line: int, wrong: str) -> None:
    assert parse_record(GOOD, "g.txt").result == "first wins"
    assert parse_record(GOOD.replace("\n", "\r\n"), "g.txt").positions[-1] == ()
    assert old in GOOD
    with pytest.raises(RecordError) as found:
        parse_record(GOOD.replace(old, new, 1), "g.txt")
    assert str(found.value).startswith("g.txt: line %d: " % line), found.value
    assert wrong in str(found.value) and "\n" not in str(found.value)


def test_a_record_that_is_cut_off_anywhere_is_refused() -> None:
    lines: List[str] = format_record(played("sprouts", random.Random(5))).splitlines(True)
    for end in range(len(lines)):
        with pytest.raises(RecordError):
            parse_record("".join(lines[:end]), "g.txt")


def test_other_files_are_not_replaced(tmp_path: Path) -> None:
    session = played("nim", random.Random(1))
    path = tmp_path / "notes.txt"
    path.write_text("notes")
    with pytest.raises(RecordError, match="not replaced"):
        write_record(session, str(path))
    assert path.read_text() == "notes"
    path.write_bytes(b"\xff\n" * 600_000)
    with pytest.raises(RecordError, match="at most 1000000 bytes"):
        read_record(str(path))
    path.write_bytes(b"\xff")
    with pytest.raises(RecordError, match="not a record of a game"):
        read_record(str(path))
    with pytest.raises(OSError):
        write_record(session, str(tmp_path))


# --- games with draws ------------------------------------------------------------------------

EMPTY = "3:...|...|..."
NAMES = {1: "win", 0: "draw", -1: "loss"}
RESULT_FOR = {1: "first wins", 0: "a draw", -1: "second wins"}


def value_of(board: Board, k: int) -> int:
    """1, 0 or -1 for the player to move, by plain search."""
    other = "XO".replace(mover(board), "")
    return -1 if has_line(board, other, k) else mnk_value(board, k, False)


def board_of(session: Session) -> Board:
    """The board of a position, as the one given or an image of it."""
    return tuple(session.game.format(session.position).partition(":")[2].split("|"))


@pytest.mark.parametrize("start, k", [(EMPTY, 3), ("2:...|...", 2), ("3:X..|...|..O", 3)])
def test_the_solver_keeps_every_win_and_draw(start: str, k: int) -> None:
    game = find_game("mnk")
    engine = Engine(game, seconds=LONG, with_draws=True)
    chance = random.Random(11)
    ends = set()
    for _ in range(12):
        session = Session(game, start, chance.randrange(2))
        while not session.is_over:
            value = value_of(board_of(session), k)
            judgement = engine.judge(session.position)
            judged = "draw" if judgement.draws else "win" if judgement.wins else "loss"
            assert judged == NAMES[value] and judgement.source != BOUNDS
            assert judgement.move is not None
            before = session.player
            keeps = chance.random() < 0.6 or session.player != session.person
            session.play(judgement.move if keeps else chance.choice(session.moves))
            if keeps and session.position:
                assert value_of(board_of(session), k) == -value
            elif keeps:
                assert value == 1 and session.winner == before
        assert session.result in RESULT_FOR.values()
        ends.add(session.result)
        if session.result == "a draw":
            assert value_of(board_of(session), k) == 0 and session.winner is None
    assert ends <= set(RESULT_FOR.values()) and (start != EMPTY or len(ends) > 1)


def test_best_play_ends_with_the_value() -> None:
    game = find_game("mnk")
    engine = Engine(game, seconds=LONG, with_draws=True)
    for start in ("3:...|...|...", "3:X..|...|...", "3:XO.|...|...", "3:XX.|OO.|...", "2:...|..."):
        session = Session(game, start)
        value = value_of(board_of(session), int(start[0]))
        while not session.is_over:
            move = engine.judge(session.position).move
            assert move is not None
            session.play(move)
        assert session.result == RESULT_FOR[value], start


def test_a_question_is_played_without_draws() -> None:
    game = find_game("mnk")
    session = Session(game, "3o:XOX|XOO|O.X")
    assert not session.rules.with_draws
    assert session.result == "second wins"  # X cannot win any more
    assert Session(game, "3:XOX|XOO|O.X").result == "a draw"


def test_a_move_is_found_by_its_text_with_or_without_the_letter() -> None:
    session = Session(find_game("mnk"), "3:...|...|...")
    for text in ("3:X..|...|...", "3o:..X|...|...", "3x:...|...|X.."):
        lands, is_move = session.rules.find(text, session.moves)
        assert is_move and lands in session.moves
    assert not session.rules.find("3:XO.|...|...", session.moves)[1]


def test_the_record_of_a_draw_is_read_back() -> None:
    game = find_game("mnk")
    session = Session(game, "3:XO.|...|...", 1)
    engine = Engine(game, seconds=LONG, with_draws=True)
    while session.result != "a draw":
        moves = [move for move in session.moves if move]
        kept = [move for move in moves if engine.judge(move).draws]
        session.play((kept or moves)[0])
    text = format_record(session)
    assert "start: 3:XO.|...|...\n" in text and "result: a draw\n" in text
    found = parse_record(text, "x")
    assert (found.positions, found.result) == (session.positions, "a draw")
    with pytest.raises(
        RecordError, match="the result does not follow from the moves; expected a draw"
    ):
        parse_record(text.replace("result: a draw", "result: first wins"), "x")


def test_a_draw_is_not_decided_without_time() -> None:
    game = find_game("mnk")
    board = "4v:" + "|".join(["......."] * 6)
    judgement = Engine(game, seconds=0.0, with_draws=True).judge(Session(game, board).position)
    assert (judgement.wins, judgement.draws, judgement.source) == (None, False, BOUNDS)
    assert judgement.move in Session(game, board).moves
