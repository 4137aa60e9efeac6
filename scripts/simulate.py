"""Search with many workers on a virtual clock."""

import bootstrap  # noqa: F401

from pns.cli.commands.simulate import main
from pns.cli.common import run

if __name__ == "__main__":
    run(main)
