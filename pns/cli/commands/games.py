"""List the games, with what a move is and an example of each."""

from __future__ import annotations

import argparse
import json
import re
import sys
from typing import Iterator, NamedTuple, Optional

from pns.choices import DEFAULT_GAME
from pns.cli.common import program, warn
from pns.cli.options.games import games_parser
from pns.finding import find_game, game_names
from pns.game import first_example

HOW = """
Solve a position, or play it:
  pns solve --game kayles '3+8+8'
  pns play --game ultimate"""
CITATION = re.compile(r" ?\[[\w-]+\]")


class Entry(NamedTuple):
    """A line of the list."""

    name: str
    about: str
    """The first line of the documentation of the game's module, without what it cites."""
    example: str
    """A small position, "" if the game has no examples."""
    has_grundy_numbers: bool


def entries() -> Iterator[Entry]:
    """All games by name, the default one first.

    One that cannot be imported is left out, with a warning.
    """
    for name in sorted(game_names(), key=lambda name: (name != DEFAULT_GAME, name)):
        try:
            game = find_game(name)
        except ValueError as error:
            warn(str(error))
            continue
        text = sys.modules[type(game).__module__].__doc__ or ""
        about = CITATION.sub("", text.strip().partition("\n")[0])
        yield Entry(name, about, first_example(game), game.decomposes)


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Print the list; returns the exit status."""
    if args is None:
        args = games_parser(program()).parse_args()
    for entry in entries():
        if args.json:
            print(json.dumps(entry._asdict()))
            continue
        print("%-12s  %s" % (entry.name, entry.about))
        if entry.example:
            print("%12s  '%s'" % ("", entry.example))
    if not args.json:
        print(HOW)
    return 0
