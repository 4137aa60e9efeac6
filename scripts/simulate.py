"""Search with many workers on a virtual clock."""

import bootstrap  # noqa: F401

from pns.cli.common import run
from pns.cli.simulate import main

if __name__ == "__main__":
    run(main)
