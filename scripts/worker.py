"""Work for a master, here or on another machine."""

import bootstrap  # noqa: F401

from pns.cli.commands.worker import main
from pns.cli.common import run

if __name__ == "__main__":
    run(main, searches=True)
