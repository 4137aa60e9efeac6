"""How games are found: by name, in installed packages, at a place, or registered by a program."""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache
from importlib import import_module
from typing import Dict, List, Optional

from pns.choices import GAMES, MISERE, MISERE_SUFFIX, normal_name
from pns.game import Game

ENTRY_POINTS = "pns.games"
"""The group of entry points by which installed packages offer games: NAME = "module:GAME"."""
REQUIRED = ("name", "decomposes", "parse", "format", "children", "estimate")

_registered: Dict[str, Game] = {}
_places: Dict[str, str] = {}
"""The places of games that were loaded from one, as MODULE:GAME, by name."""


def register(game: Game) -> None:
    """Register a game under its name, in this process and in processes forked from it.

    This replaces a game registered earlier under the same name. Raises ValueError for an object
    that is not a game, and for the name of a game of the package.
    """
    missing = [member for member in REQUIRED if not hasattr(game, member)]
    if missing:
        raise ValueError(
            "%s is not a game; it lacks %s" % (type(game).__name__, ", ".join(missing))
        )
    name = game.name
    if not isinstance(name, str) or not re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]{0,59}", name):
        wrong = "invalid name of a game %s; expected letters, digits, '.', '_' and '-'"
        raise ValueError(wrong % ascii(name))
    if name in GAMES:
        raise ValueError("the name %r belongs to a game of the package; choose another" % name)
    _registered[name] = game
    _places.pop(name, None)
    _misere.cache_clear()


def installed_games() -> Dict[str, str]:
    """The places, as MODULE:GAME, of the games that installed packages offer, by name."""
    from importlib.metadata import entry_points

    groups = entry_points()  # a dictionary before Python 3.10
    select = getattr(groups, "select", None)
    found = select(group=ENTRY_POINTS) if select else groups.get(ENTRY_POINTS, ())
    return {point.name: point.value for point in found if point.name not in GAMES}


def game_names() -> List[str]:
    """The names of all games, of this package and installed."""
    return sorted([*GAMES, *installed_games()])


def find_game(name: str) -> Game:
    """The game with a name, or at a place written MODULE:GAME; raises ValueError.

    A game loaded from a place can be found by its own name from then on. Its module is searched
    in the current directory after all other places. Only the module of the game is imported.
    Raises TypeError for a name that is not a string.
    """
    if not isinstance(name, str):
        raise TypeError("invalid game %a; expected its name, such as 'sprouts'" % (name,))
    if name in _registered:
        return _registered[name]
    if name in GAMES:
        game: Game = import_module(GAMES[name]).GAME
        return game
    if name.endswith(MISERE_SUFFIX):
        return _misere(find_game(normal_name(name)).name)
    if ":" in name:
        return _load(name)
    installed = installed_games()
    if name not in installed:
        known = ", ".join(sorted([*GAMES, *installed, *_registered]))
        wrong = "unknown game %s; expected one of %s, or MODULE:GAME"
        raise ValueError(wrong % (ascii(name[:60]), known))
    game = _load(installed[name])
    if game.name != name:
        raise ValueError("the game installed as %s calls itself %s" % (name, game.name))
    return game


@lru_cache(maxsize=None)
def _misere(name: str) -> Game:
    """The misère play of the game with a name; raises ValueError."""
    game: Game = import_module(MISERE).misere_game(find_game(name))
    return game


def misere_name(name: str) -> str:
    """The name, or place, of the misère play of a game; of misère play it is the name itself.

    >>> misere_name("nim"), misere_name("nim-misere")
    ('nim-misere', 'nim-misere')
    """
    return name if name.endswith(MISERE_SUFFIX) else name + MISERE_SUFFIX


def named_game(name: str) -> Game:
    """The game with a name that was read from a file, which must not say what to import.

    Raises ValueError, also for a place.
    """
    if ":" in name:
        raise ValueError("invalid name of a game %s" % ascii(name[:60]))
    return find_game(name)


def place_of(name: str) -> str:
    """The words by which another process finds the game that is found here under a name."""
    if name in _registered or not name.endswith(MISERE_SUFFIX):
        return _places.get(name, name)
    return place_of(normal_name(name)) + MISERE_SUFFIX


def _load(place: str) -> Game:
    """The game at a place MODULE:GAME; raises ValueError."""
    module, _, attribute = place.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        game: Game = getattr(import_module(module), attribute)
        if game is not _known(game):
            register(game)
            _places[game.name] = place
    except Exception as error:  # whatever a module may raise
        reason = " ".join(str(error).split())
        raise ValueError("%s: %s: %s" % (place, type(error).__name__, reason)) from error
    return game


def _known(game: Game) -> Optional[Game]:
    """The game of the package that has the name of a game."""
    name = getattr(game, "name", None)
    return find_game(name) if name in GAMES else None
