"""Work for a master, here or on another machine."""

import bootstrap  # noqa: F401

from pns.cli.common import run
from pns.cli.worker import main

if __name__ == "__main__":
    run(main, searches=True)
