"""Checks the laws of the contract of a game (`pns.game.Game`) by random play."""

from __future__ import annotations

import random
import re
from typing import Iterable, List
from xml.etree import ElementTree

from pns.game import (
    Game,
    Land,
    NotationError,
    Picture,
    Sum,
    SupportsDraw,
    check_land,
    is_surely_land,
    limit_caches,
    shortened,
)

MOST_MOVES = 10_000
SVG = "{http://www.w3.org/2000/svg}svg"
MUTATIONS = 3
"""Changed texts that the parser is given for each position."""
LETTERS = "01289.|+#XOxo*-!~AZaz \n\u0663"
LITTLE = 1000
"""A bound for caches, in bytes, under which children must stay the same."""


class LawBroken(AssertionError):
    """A game breaks the contract; says how."""


def require(holds: bool, text: str, *values: object) -> None:
    """Raise LawBroken with a text and values for it unless a law holds."""
    if not holds:
        raise LawBroken(text % values)


def check_laws(game: Game, position: Sum, rng: random.Random) -> int:
    """Check every land on a random line of play from a position; return the number of moves.

    Raises LawBroken.
    """
    moves = 0
    while position:
        check_position(game, position)
        check_parser(game, game.format(position), rng)
        land = rng.choice(position)
        children = check_children(game, land)
        if not children:
            position = tuple([other for other in position if other != land])
            continue
        child = rng.choice(children)
        rest = list(position)
        rest.remove(land)
        position = tuple(sorted(tuple(rest) + child))
        moves += 1
        require(moves <= MOST_MOVES, "a line of play goes on after %d moves", MOST_MOVES)
    check_position(game, position)
    return moves


def check_position(game: Game, position: Sum) -> None:
    """Check that a position is sorted, and that its text is read back."""
    require(position == tuple(sorted(position)), "the lands %r are not sorted", position)
    require(game.decomposes or len(position) <= 1, "it does not decompose: %r", position)
    text = game.format(position)
    require(bool(text) and "\n" not in text, "the text %r is not one line", text)
    try:
        again = game.parse(text)
    except NotationError as error:
        raise LawBroken("the text %r of a position is refused: %s" % (text, error)) from error
    require(again == position, "%r is read as %r, not as %r", text, again, position)


def check_parser(game: Game, text: str, rng: random.Random) -> None:
    """Check that changed texts are refused by a NotationError, or denote positions."""
    for _ in range(MUTATIONS):
        i, length = rng.randrange(len(text) + 1), rng.randrange(3)
        changed = text[:i] + rng.choice(LETTERS) * rng.randrange(3) + text[i + length :]
        try:
            position = game.parse(changed)
        except NotationError as error:
            inside = 0 <= error.offset <= len(changed)
            require(inside, "the error for %r is at offset %d", changed, error.offset)
        except Exception as error:
            wrong = "parse(%r) raises %s: %s" % (changed, type(error).__name__, error)
            raise LawBroken(wrong) from error
        else:
            check_position(game, position)


def check_children(game: Game, land: Land) -> List[Sum]:
    """Check a land and its children; return these."""
    is_key = isinstance(land, bytes) and re.fullmatch(rb"[!-~]+", land)
    require(bool(is_key), "the land %r is not printable ASCII bytes", land)
    name = shortened(land)
    try:
        check_land(game, land)
        if is_surely_land(game, land):
            require(game.parse(land.decode()) == (land,), "is_land is wrong about %s", name)
    except ValueError as error:
        raise LawBroken("the text of a land does not denote it: %s" % error) from error
    if isinstance(game, SupportsDraw):
        check_picture(name, game.draw(land))
    size, branching = game.estimate(land)
    require(size >= 0 and branching >= 0, "the estimate of %s is negative", name)
    children = list(game.children(land))
    check_again(game, land, children)
    for child in children:
        is_sum = isinstance(child, tuple) and child == tuple(sorted(child))
        require(is_sum, "a child of %s is not a sorted tuple: %r", name, child)
        require(
            game.decomposes or len(child) <= 1,
            "the game does not decompose, but a child of %s does: %r",
            name,
            child,
        )
        left = sum([game.estimate(part)[0] for part in child])
        require(
            left < size, "the size of %s is %d, that of its child %r %d", name, size, child, left
        )
        check_position(game, child)
    return children


def check_picture(name: str, picture: Picture) -> None:
    """Check that the picture of a land is one SVG element with a size, and lines of text."""
    try:
        element = ElementTree.fromstring(picture.svg)
    except ElementTree.ParseError as error:
        raise LawBroken("the picture of %s is not XML: %s" % (name, error)) from error
    require(element.tag == SVG, "the picture of %s is not an SVG element: %s", name, element.tag)
    sizes = [element.get(side, "") for side in ("width", "height")]
    is_sized = all([size.isdigit() for size in sizes]) and picture.svg.startswith("<svg ")
    require(is_sized, "the picture of %s does not begin with its size: %s", name, picture.svg[:40])
    require(picture.text.endswith("\n"), "the text of %s does not end its line", name)


def check_again(game: Game, land: Land, children: Iterable[Sum]) -> None:
    """Check that children are distinct, and the same whenever they are generated."""
    first, name = list(children), shortened(land)
    require(len(set(first)) == len(first), "%s has a child twice", name)
    require(first == list(game.children(land)), "the children of %s change", name)
    limit_caches(game, LITTLE)
    require(first == list(game.children(land)), "the children of %s depend on caches", name)
    limit_caches(game, None)
