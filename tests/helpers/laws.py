"""Checks the laws of the game contract by random play."""

from __future__ import annotations

import random
import re

from pns.game import Game, Sum

MOST_MOVES = 10_000


def check_laws(game: Game, position: Sum, rng: random.Random) -> int:
    """Check every land on a random line of play from a position; return the number of moves."""
    moves = 0
    while position:
        check_position(game, position)
        land = rng.choice(position)
        children = check_land(game, land)
        if not children:
            position = tuple([other for other in position if other != land])
            continue
        child = rng.choice(children)
        rest = list(position)
        rest.remove(land)
        position = tuple(sorted(tuple(rest) + child))
        moves += 1
        assert moves <= MOST_MOVES, "%s: a line of play without end" % game.name
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
    children = list(game.children(land))
    assert len(set(children)) == len(children), land
    assert children == list(game.children(land)), "%r: the children change from call to call" % land
    for child in children:
        assert isinstance(child, tuple) and child == tuple(sorted(child)), land
        assert sum([game.estimate(part)[0] for part in child]) < size, (land, child)
        for part in child:
            assert game.parse(game.format((part,))) == (part,), (land, part)
    return children
