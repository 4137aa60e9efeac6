"""`pns play`: whole games through a pipe, the dialogue of a terminal, and what is refused."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any, List, Optional

import pytest
from helpers.inprocess import Answer, Caller
from helpers.paths import CERTIFICATES
from helpers.tools import call

from pns.cli.commands import play as commands_play
from pns.cli.commands.play import main
from pns.cli.terminal.dialogue import Dialogue
from pns.facts import Contradiction, Fact
from pns.finding import find_game
from pns.play.engine import Engine
from pns.play.record import read_record
from pns.play.session import Session
from pns.strong.late import LateValues
from pns.system.machine import NoMemory

pytestmark = pytest.mark.programs

FOUR = CERTIFICATES / "sprouts-4.cert.gz"


class Play:
    """`pns play` with lines of standard input, and without the user's database."""

    def __init__(self, capsys: Any, monkeypatch: pytest.MonkeyPatch, directory: Path) -> None:
        self._caller = Caller(capsys, monkeypatch, "pns play")
        self._patch = monkeypatch
        monkeypatch.setenv("XDG_DATA_HOME", str(directory))

    def __call__(self, lines: str, *words: object) -> Answer:
        typed = io.TextIOWrapper(io.BytesIO(lines.encode("latin-1")), "utf-8")
        self._patch.setattr(sys, "stdin", typed)
        return self._caller(main, *words)


@pytest.fixture
def play(capsys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Play:
    return Play(capsys, monkeypatch, tmp_path)


def test_a_whole_game(play: Play, tmp_path: Path) -> None:
    record = tmp_path / "game.txt"
    answer = play("1+1\n!\n", "--game", "nim", "1+2", "--record", record, "--seconds", "600")
    assert (answer.status, answer.errors) == (0, [])
    assert answer.output == [
        "Position 1+2: you have 3 moves.",
        "The solver moves to 1.",
        "All moves lose, so you can win: this is known.",
        "Position 1: you have one move.",
        "The game is over: you win.",
    ]
    assert read_record(str(record)).result == "first wins"


def test_late_positions_are_solved_in_play(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    solved = []

    class Recorded(LateValues):
        def solve(self, position: str) -> List[Fact]:
            solved.append(position)
            return super().solve(position)

    monkeypatch.setattr(commands_play, "LateValues", Recorded)
    board = ".XOX|OXX.|O..X|XOO."
    words = ("--game", "pentago", board, "--second", "--no-known", "--seconds", "600")
    assert play("", *words).status == 0 and not solved
    answer = play("", *words, "--late")
    assert answer.status == 0 and "this is known" in " ".join(answer.output)
    assert solved

    def refuse(size: int, what: str, less: str) -> None:
        raise NoMemory("no memory for " + what)

    monkeypatch.setattr("pns.strong.late.reserve", refuse)
    answer = play("", *words, "--late")
    assert (answer.status, answer.errors) == (1, ["pns play: no memory for a slice"])


def test_the_solver_begins_and_wins(play: Play) -> None:
    answer = play("#1\n", "--game", "nim", "1+2", "--second", "--seconds", "600")
    assert answer.status == 0
    assert answer.output[:2] == [
        "The solver moves to 1+1.",
        "The solver can win by it: this is known.",
    ]
    assert answer.output[-1] == "The game is over: the solver wins."


def test_a_certificate_names_the_position(play: Play) -> None:
    answer = play("hint\nshow\nquit\nnonsense\n", "--db", FOUR, "--seconds", "0")
    assert (answer.status, answer.errors) == (0, [])
    assert answer.output[:3] == [
        "Position 0*4: you have 3 moves.",
        "Move to 0*2.AB|0.AB.",
        "You can win by it: this is known from the certificate %s." % FOUR,
    ]
    assert answer.output[-3].startswith("1\u00b3: spot 1") and len(answer.output) > 6


@pytest.mark.parametrize(
    "lines, wrong",
    [
        ("\n9\n", "line 2: no move leads to 9; type moves for a list"),
        ("#9\n", "line 1: invalid move #9; expected #1 to #3"),
        ("hnt\n", "line 1: unknown move or command 'hnt'; did you mean hint?"),
        ("\xff\n", "line 1: offset 0: invalid number '"),
        ("back\n", "line 1: there is no move to take back"),
        ("why\n", "line 1: you have not moved yet; type why MOVE, or hint"),
        ("more\n", "line 1: there are no more moves to list"),
        ("moves 7\n", "line 1: no move has '7' in its text"),
        ("resign\nhint\n", "line 2: the game is over"),
        ("resign\n2\n", "line 2: the game is over"),
        ("save\n", "line 1: the name of a file is missing; type save FILE"),
        ("load /no/such\n", "line 1: /no/such: No such file or directory"),
        ("save /no/such/a\n", "line 1: /no/such/a: No such file or directory"),
    ],
)
def test_a_bad_line_of_a_pipe_ends_the_game(play: Play, lines: str, wrong: str) -> None:
    answer = play(lines, "--game", "nim", "1+2", "--seconds", "600")
    assert answer.status == 2
    assert answer.errors[0].startswith("pns play: " + wrong), answer.errors


@pytest.mark.parametrize(
    "words, wrong",
    [
        (["0*"], "offset 2: "),
        (["--first", "--second"], "argument --second: not allowed with argument --first"),
        (["--seconds", "-1"], "argument --seconds: invalid number '-1'; expected a number from 0"),
        (["--db", "/no/such"], "/no/such"),
        (
            ["--game", "nim", "--db", FOUR],
            "%s: a certificate for sprouts; expected one for nim" % FOUR,
        ),
        (["--late"], "argument --late: sprouts has no late positions to solve; expected pentago"),
        (["--record", FOUR], "%s: line 1: not a record of a game" % FOUR),
    ],
)
def test_refusals(words: List[Any], wrong: str, tmp_path: Path) -> None:
    done = call("pns", "play", *words, env={"XDG_DATA_HOME": str(tmp_path)})
    assert (done.status, done.output) == (2, "")
    assert done.errors.startswith("pns play: " + wrong), done.errors


def test_interrupts_and_contradictions(
    play: Play, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    record = tmp_path / "game.txt"
    words = ("--game", "nim", "1+2", "--record", record)
    errors = [(KeyboardInterrupt(), 130), (Contradiction(b"1", 1, 2), 1)]
    for error, status in errors:

        def judge(*_: object, error: BaseException = error) -> None:
            raise error

        monkeypatch.setattr(Engine, "judge", judge)
        answer = play("2\n", *words)
        assert answer.status == status and len(answer.errors) == (status == 1)
        assert read_record(str(record)).positions == [(b"1", b"2"), (b"2",)]


def talk(
    capsys: Any, lines: List[str], game: str, start: str, record: Optional[str] = None
) -> List[str]:
    """What a terminal shows after these lines."""
    rules = find_game(game)
    session = Session(rules, start)
    Dialogue(Engine(rules, seconds=600.0), session, record, True).run(iter(lines))
    shown: str = capsys.readouterr().out
    return shown.splitlines()


def test_a_terminal_explains_and_goes_on(capsys: Any) -> None:
    shown = talk(capsys, ["x", "+", "moves", "more", "more", "help", "5+6"], "kayles", "50")
    assert "offset 0: invalid number 'x'; write each row as a number, like 3+5" in shown
    left = [line for line in shown if line.endswith(": more, or type a part of the text")]
    assert [line.split(":")[0] for line in left] == ["  and 28", "  and 30", "  and 10"]
    assert "   #1  1+47" in shown and "  #50  49" in shown
    assert any([line.startswith("  take back") for line in shown])
    assert shown[-1] == "no move leads to 5+6; type moves for a list"


def test_a_part_of_a_text_lists_moves(capsys: Any) -> None:
    shown = talk(capsys, ["AB|", "0*2", "#2"], "sprouts", "0*3")
    assert shown.count("  #1  0*2.AB|AB") == 2 and "  #3  0.AB|0.AB" in shown
    assert shown.count("1\u00b3: spot 1 with 3 lives; \u25e6: dead") == 2
    assert [line for line in shown if line.startswith("The solver moves to ")]


def test_a_drawing_keeps_its_shape(capsys: Any) -> None:
    rules = find_game("sprouts")
    talk_to = Dialogue(Engine(rules, seconds=600.0), Session(rules, "0*3"), None, True)
    talk_to.run(iter(["0*2.AB|AB"]))
    first = [drawing.lands[0].board for _, drawing in talk_to._drawings._drawn]
    assert all(first) and [len(board.paths) for board in first if board] == [0, 2, 4]
    talk_to.run(iter(["take back", "0*2.AB|AB"]))
    again = [drawing.lands[0].board for _, drawing in talk_to._drawings._drawn]
    assert again[0] is first[0] and len(again) == 3
    assert talk_to._drawings._drawn[-1][0] == talk_to._session.position


def test_a_line_is_named_by_its_spots(capsys: Any) -> None:
    rules = find_game("sprouts")
    session = Session(rules, "0*4")
    dialogue = Dialogue(Engine(rules, seconds=600.0), session, None, True)
    dialogue.run(iter(["9-9", "0-1", "1-2 3", "1-2 2.3", "1-1 2", "a-b"]))
    shown = capsys.readouterr().out.splitlines()
    assert shown.count("unknown spot; expected one of the drawing") == 2
    assert "no line joins these spots like that" in shown
    assert any([line.startswith("offset ") for line in shown])  # spots of two lands
    texts = [rules.format(position) for position in session.positions]
    assert texts[1] == "0*2.AB|0.AB"
    board = dialogue._drawings._drawn[1][1].lands[0].board
    assert board and sorted(board.map.origin) == [0, 0, 4, 4]  # a loop at spot 1
    assert session.positions[-1] == dialogue._drawings._drawn[-1][0]


def test_lines_that_differ_are_listed(capsys: Any) -> None:
    shown = talk(capsys, ["1-2", "1-2 3", "3-4 z", "quit"], "sprouts", "1a1a.1a1a")
    head = shown.index("Several lines do that; choose one of these, or name spots beside the line:")
    assert shown[head + 1 : head + 3] == ["  #3  1a1a.1AB|AB", "  #6  1a1a.AB|1AB"]
    assert shown[head + 3] == "no line joins these spots like that"


def test_a_pipe_draws_lines_that_are_clear(play: Play) -> None:
    answer = play("1-2\n1-1\n", "1a1a.1a1a", "--seconds", "0")
    assert (answer.status, answer.output) == (2, ["Position 1a1a.1a1a: you have 8 moves."])
    assert answer.errors == ["pns play: line 1: several lines do that: #3, #6"]


def test_why_names_the_refutation(capsys: Any) -> None:
    shown = talk(capsys, ["why 1", "why 1+1", "2", "why", "take back"], "nim", "1+2")
    assert shown[2:] == [
        "The move to 1 loses: the answer is !.",
        "Then no move is left.",
        "The move to 1+1 would win.",
        "The move to 1+1 wins.",
        "Whatever follows, you can answer:",
        "  move  answer",
        "  1     !",
        "The solver moves to !.",
        "The solver can win by it: this is known.",
        "The game is over: the solver wins.",
        "take back, why, save FILE and load FILE still work; quit leaves.",
        "The move to 2 loses: the answer is !.",
        "Then no move is left.",
        "The move to 1+1 would win.",
        "Position 1+2: you have 3 moves.",
    ]


def test_records_are_saved_and_loaded(capsys: Any, tmp_path: Path) -> None:
    path, other = str(tmp_path / "game.txt"), str(tmp_path / "other.txt")
    talk(capsys, ["1+1", "save " + path, "resign"], "nim", "1+2", other)
    assert read_record(path).result == "unfinished"
    assert read_record(other).result == "second wins by resignation"
    shown = talk(capsys, ["load " + path, "!", "quit"], "nim", "7")
    assert shown[2:4] == ["Position 1: you have one move.", "The game is over: you win."]
    shown = talk(capsys, ["load " + path], "kayles", "7")
    assert shown[-1] == "%s: line 2: a game of nim" % path
