"""Checks that a game keeps the laws of its contract, from any of its positions."""

from __future__ import annotations

import random
import re

from pns.game import Game, Sum

MOST_MOVES = 10_000


def check_laws(game: Game, position: Sum, rng: random.Random) -> int:
    """Play a random game from a position, checking each land on the way; the moves made."""
    moves = 0
    while position:
        check_position(game, position)
        land = rng.choice(position)
        options = check_land(game, land)
        if not options:
            position = tuple([other for other in position if other != land])
            continue
        option = rng.choice(options)
        rest = list(position)
        rest.remove(land)
        position = tuple(sorted(tuple(rest) + option))
        moves += 1
        assert moves <= MOST_MOVES, "%s: a game without end" % game.name
    check_position(game, position)
    return moves


def check_position(game: Game, position: Sum) -> None:
    assert position == tuple(sorted(position))
    text = game.format(position)
    assert text and "\n" not in text
    assert game.parse(text) == position, text


def check_land(game: Game, land: bytes) -> list[Sum]:
    assert isinstance(land, bytes) and re.fullmatch(rb"[!-~]+", land), land
    size, branching = game.estimate(land)
    assert size >= 0 and branching >= 0
    options = list(game.children(land))
    assert len(set(options)) == len(options), land
    assert options == list(game.children(land)), "%r: not the same options twice" % land
    for option in options:
        assert isinstance(option, tuple) and option == tuple(sorted(option)), land
        assert sum([game.estimate(part)[0] for part in option]) < size, (land, option)
        for part in option:
            assert game.parse(game.format((part,))) == (part,), (land, part)
    return options
