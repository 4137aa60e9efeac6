"""Look into databases of Grundy numbers, and make them smaller, larger or others."""

import bootstrap  # noqa: F401

from pns.cli.commands.database import main
from pns.cli.common import run

if __name__ == "__main__":
    run(main)
