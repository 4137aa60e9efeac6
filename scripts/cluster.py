"""Keep workers on every node of a Ray cluster."""

import bootstrap  # noqa: F401

from pns.cli.commands.cluster import main
from pns.cli.common import run

if __name__ == "__main__":
    run(main)
