"""Games in misère play: brute force, published outcomes, every algorithm, proofs."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import pytest
from helpers.misere import SPROUTS, is_position_won
from helpers.solver import needs_lmdb

import pns
from pns.choices import GAMES
from pns.facts import Facts, open_facts
from pns.finding import find_game, place_of
from pns.game import Game, NotationError
from pns.games.nim import Nim
from pns.misere.game import MisereGame
from pns.positions.couple import Couples
from pns.positions.wrapped import SmallestFirst
from pns.sprouts.estimate import misere_work
from pns.tools.laws import check_laws

pytestmark = pytest.mark.search

IMPARTIAL = [name for name in GAMES if find_game(name).decomposes]
HEAPS = """
from pns.games.nim import Nim

GAME = Nim()
GAME.name = "heaps"
"""
"""The module of a game of one's own."""
POSITIONS: Dict[str, List[str]] = {
    "nim": ["1", "1+1", "2", "2+2", "1+1+1", "3+2+1", "4+2", "5+5", "7+6+1", "3+3+3"],
    "kayles": ["1", "2", "5", "7", "9", "4+4", "3+5", "2+2+3", "10"],
    "sprouts": ["0", "0*2", "0*3", "1a1a", "0*2+0", "0*2.AB|0.AB", "1a1a.2+0"],
}


def small_sizes(game: Game, size: int) -> MisereGame:
    """The misère play of a game, with other lands replaced by trees."""
    found = MisereGame(game)
    found._most_size = size
    return found


def texts_of(name: str) -> Tuple[str, ...]:
    """Small positions of a game."""
    game = find_game(name)
    texts: List[str] = POSITIONS.get(name) or list(getattr(game, "examples", ()))
    return tuple(
        [text for text in texts if sum([game.estimate(land)[0] for land in game.parse(text)]) < 12]
    )


@pytest.mark.parametrize("name", IMPARTIAL)
@pytest.mark.parametrize("size", [0, 3, 6])
def test_outcomes_are_those_of_brute_force(
    name: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pns.finding._registered", {})
    game = find_game(name)
    misere = small_sizes(game, size)
    texts = texts_of(name)
    assert texts
    for text in texts:
        lands = misere.parse(text)
        wins = pns.solve(misere.format(lands), game_of(misere), facts=Facts(misere.name)).outcome
        assert (wins == "win") == is_position_won(game, game.parse(text)), text


def game_of(game: MisereGame) -> str:
    """A name under which a game with another size is found."""
    game.name = "tried-misere-%d" % game._most_size
    pns.register(game)
    return game.name


@pytest.mark.parametrize("most", [8, pytest.param(11, marks=pytest.mark.slow)])
def test_published_outcomes_of_sprouts(most: int) -> None:
    for spots in range(1, most + 1):
        outcome = pns.solve("0*%d" % spots, "sprouts-misere").outcome
        assert outcome == ("win" if SPROUTS[spots - 1] == "1" else "loss"), spots


def test_nim_is_won_as_in_normal_play_but_for_heaps_of_one() -> None:
    """[bouton1901]"""
    rng = random.Random(3)
    for _ in range(60):
        heaps = [rng.randint(1, 9) for _ in range(rng.randint(1, 4))]
        total = 0
        for heap in heaps:
            total ^= heap
        wins = len(heaps) % 2 == 0 if max(heaps) == 1 else total != 0
        text = "+".join(map(str, heaps))
        assert pns.solve(text, "nim-misere").outcome == ("win" if wins else "loss"), text


@pytest.mark.parametrize("name", IMPARTIAL)
def test_laws(name: str) -> None:
    misere = find_game(name + "-misere")
    assert misere is find_game(name + "-misere") and not misere.decomposes
    for seed, text in enumerate(texts_of(name)):
        lands = misere.parse(text)
        if lands:
            assert check_laws(misere, lands, random.Random(seed)) > 0


@pytest.mark.parametrize("algorithm", ["dfpn", "pdfpn", "spdfpn", "pns", "pn2", "pns-tree"])
def test_every_algorithm(algorithm: str) -> None:
    more: Any = {"processes": 2} if algorithm in ("pdfpn", "spdfpn") else {}
    facts = Facts("sprouts-misere")
    result = pns.solve("0*7", "sprouts-misere", algorithm=algorithm, facts=facts, **more)
    assert result.outcome == "loss" and len(facts)
    misere = find_game("sprouts-misere")
    original = find_game("sprouts")
    for land, number in list(facts.items())[:50]:
        assert number == 0
        assert misere.parse(land.decode()) == (land,)
    assert original.decomposes


@needs_lmdb
def test_a_database_of_misere_play_is_a_proof_and_no_other_game_reads_it(tmp_path: Path) -> None:
    path = str(tmp_path / "sprouts-misere.lmdb")
    with open_facts(path, "sprouts-misere") as facts:
        assert pns.solve("0*8", "sprouts-misere", facts=facts).outcome == "loss"
    report = pns.audit_facts(path, "sprouts-misere", claim=("0*8", False))
    assert report.checked and not report.faults and not report.why_unproved
    with pytest.raises(pns.FactsError, match="sprouts-misere"):
        open_facts(path, "sprouts")


def test_small_positions_are_decided_when_they_are_read() -> None:
    misere = find_game("sprouts-misere")
    assert misere.parse("0*2") == () and misere.parse("0") == (b"*0",)
    assert misere.format(()) == "*1" and misere.parse(" *1 ") == ()
    assert misere.parse("0*9 + 0*2 + *1 + *1") == (b"0*9+*(2)",)
    assert list(misere.children(b"*0")) == [()]


@pytest.mark.parametrize(
    "text, offset", [("0*9+*(1)", 4), ("0*9+x", 4), ("*256", 0), ("0*9+*" + 70 * "(", 4), ("*", 0)]
)
def test_bad_texts_are_refused_where_they_are_wrong(text: str, offset: int) -> None:
    with pytest.raises(NotationError) as caught:
        find_game("sprouts-misere").parse(text)
    assert caught.value.offset == offset


def test_a_game_of_outcomes_has_no_misere_play() -> None:
    with pytest.raises(ValueError, match="hex has no mis"):
        find_game("hex-misere")


def test_bounded_caches_change_nothing() -> None:
    bounded, free = MisereGame(find_game("kayles")), MisereGame(find_game("kayles"))
    bounded.limit_caches(1)
    rng = random.Random(5)
    for _ in range(40):
        text = "+".join([str(rng.randint(1, 14)) for _ in range(3)])
        lands = free.parse(text)
        assert bounded.parse(text) == lands
        for land in lands:
            assert list(bounded.children(land)) == list(free.children(land))


def test_another_process_finds_the_misere_play_of_a_game_at_a_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pns.finding._registered", {})
    monkeypatch.setattr("pns.finding._places", {})
    (tmp_path / "heaps_game.py").write_text(HEAPS)
    monkeypatch.syspath_prepend(str(tmp_path))
    game = find_game("heaps_game:GAME-misere")
    assert game.name == "heaps-misere" and find_game(game.name) is game
    assert place_of(game.name) == "heaps_game:GAME-misere"
    assert place_of("nim-misere") == "nim-misere"


def test_a_game_that_is_registered_again_has_its_own_misere_play(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pns.finding._registered", {})

    for _ in range(2):
        game = Nim()
        game.name = "heaps"
        pns.register(game)
        found = find_game("heaps-misere")
        assert isinstance(found, MisereGame) and found.original is game


@pytest.mark.parametrize("wrap", [lambda game: game, SmallestFirst], ids=["alone", "wrapped"])
def test_initial_numbers_of_sprouts_grow_with_the_moves_left(
    wrap: Callable[[Game], Game],
) -> None:
    """With equal numbers of children, the position that is solved sooner is tried first."""
    game = MisereGame(find_game("sprouts"))
    couples = Couples(wrap(game), Facts(game.name))
    for text in ("0*4", "0*9", "0*5.A|0*3.A+*(2)"):
        [land] = game.parse(text)
        size, branching = game.estimate(land)
        numbers = couples.start_numbers(couples.code((land,)))
        assert numbers == (1, 1 + misere_work(size, branching)) != (1, 1 + branching)


def test_initial_numbers_of_other_games_are_those_of_normal_play() -> None:
    game = MisereGame(find_game("kayles"))
    [land] = game.parse("12+15")
    assert game.work(land) == game.estimate(land)[1]
