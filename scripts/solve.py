"""Decide who wins a position, and prove it: the facts that the proof rests on are stored."""

import bootstrap  # noqa: F401

from pns.cli.commands.solve import main
from pns.cli.common import run

if __name__ == "__main__":
    run(main, searches=True)
