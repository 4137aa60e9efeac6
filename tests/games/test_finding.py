"""Games by name, by place and installed; `pns check-game`; the place that a worker is given."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path
from typing import Any, List

import pytest
from helpers.processes import run_python

from pns.choices import GAMES, SMALLEST
from pns.cli import main
from pns.cli.commands import check_game
from pns.finding import find_game, game_names, register
from pns.game import prior_file
from pns.positions import prior
from pns.positions.interned import hash_key
from pns.positions.wrapped import WrappedGame, ordered

pytestmark = pytest.mark.search

GAME = '''
class Take:
    """Take one or two: gn(n) = n mod 3."""

    name = "take"
    decomposes = True
    examples = ("5", "3+4")

    def parse(self, text):
        from pns.games.numbers import parse_numbers
        return tuple(sorted([b"%d" % n for n in parse_numbers(text, 1000, "heap")]))

    def format(self, lands):
        from pns.games.numbers import format_numbers
        return format_numbers(lands)

    def children(self, land):
        n = int(land)
        return [(b"%d" % (n - k),) if n > k else () for k in (1, 2) if k <= n]

    def estimate(self, land):
        return int(land), 2


class Endless(Take):
    name = "endless"
    examples = ()

    def children(self, land):
        return [(land,)]


GAME, ENDLESS, NUMBER = Take(), Endless(), 7
TWIN = Take()
TWIN.name = "nim"
NAMELESS = Take()
NAMELESS.name = "a/b"
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module of games in the current directory, which is not on the path."""
    (tmp_path / "own_games.py").write_text(GAME)
    (tmp_path / "broken_games.py").write_text("GAME = (")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    for name in ("own_games", "broken_games"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return "own_games"


def test_a_game_at_a_place(module: str) -> None:
    game = find_game("own_games:GAME")
    assert game.name == "take" and find_game("take") is game
    assert find_game("pns.games.nim:GAME") is find_game("nim")


WRONG = [
    ("own_games:NUMBER", "int is not a game; it lacks name, decomposes, parse, format, children,"),
    ("own_games:MISSING", "own_games:MISSING: AttributeError"),
    ("no_such_module:GAME", "No module named 'no_such_module'"),
    ("broken_games:GAME", "SyntaxError"),
    ("own_games:TWIN", "'nim' belongs to a game of the package"),
    ("own_games:NAMELESS", "invalid name of a game"),
    (":", "no_such|ValueError"),
    ("own_games", "unknown game 'own_games'"),
]


@pytest.mark.parametrize("place, why", WRONG)
def test_what_is_no_game_is_refused_in_one_line(module: str, place: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        find_game(place)
    assert "\n" not in str(caught.value)


def test_installed_games(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        metadata.EntryPoint("take", "own_games:GAME", "pns.games"),
        metadata.EntryPoint("wrong", "own_games:ENDLESS", "pns.games"),
    ]
    found: Any = {"pns.games": points}
    monkeypatch.setattr(metadata, "entry_points", lambda: found)
    monkeypatch.setattr("pns.finding._registered", {})
    assert set(game_names()) == {*GAMES, "take", "wrong"}
    assert "own_games" not in sys.modules
    assert find_game("take").name == "take"
    with pytest.raises(ValueError, match="installed as wrong calls itself endless"):
        find_game("wrong")


def test_a_registered_game_replaces_none_of_the_package() -> None:
    with pytest.raises(ValueError, match="'nim' belongs to a game of the package"):
        register(find_game("nim"))


def test_a_game_brings_its_prior(tmp_path: Path) -> None:
    file = str(tmp_path / "take.prior")
    prior.save(prior.build({hash_key(b"3"): 0}, 8), "kayles", file)

    class Kayles(WrappedGame):
        pass

    game = Kayles(find_game("kayles"))
    assert prior_file(game) == ""
    game.prior_file = file
    wrapped = ordered(game, SMALLEST)
    assert prior_file(wrapped) == file
    assert prior.load(wrapped.name, prior_file(wrapped)).expected(hash_key(b"3")) == 0


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["pns check-game", *words])
    return check_game.main()


def test_check_game(module: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    assert run(monkeypatch, "own_games:GAME", "--times", "5") == 0
    lines: List[str] = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["5", "3+4"]
    assert all(line.endswith("moves in 5 games, all laws hold") for line in lines)
    assert run(monkeypatch, "nim", "4+5", "--times", "2", "--seed", "1") == 0
    capsys.readouterr()
    assert run(monkeypatch, "own_games:ENDLESS", "4") == 1
    assert "endless, from 4: the size of '4' is 4" in capsys.readouterr().out
    for words, why in (
        (["own_games:ENDLESS"], "endless has no examples; give a position"),
        (["chess"], "argument GAME: invalid choice 'chess'; expected one of clobber, cram,"),
    ):
        with pytest.raises(SystemExit, match="2"):
            run(monkeypatch, *words)
        assert why in capsys.readouterr().err


HELP = """
import sys
from pns.cli import main
sys.argv = ["pns", "--help"]
try:
    main.main()
finally:
    sys.stderr.write(" ".join(name for name in sys.modules if name.startswith("pns")))
"""


def test_help_imports_no_game() -> None:
    loaded = run_python(HELP).stderr.split()
    assert not [name for name in loaded if "game" in name]
    assert "check-game" in main.COMMANDS
