"""Decide who wins a position, and prove it: the facts that the proof rests on are stored."""

import bootstrap  # noqa: F401

from pns.cli.common import run
from pns.cli.solve import main

if __name__ == "__main__":
    run(main, searches=True)
