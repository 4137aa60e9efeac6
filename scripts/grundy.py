"""Look into databases of Grundy numbers, and make them smaller, larger or others."""

import bootstrap  # noqa: F401

from pns.cli.common import run
from pns.cli.database import main

if __name__ == "__main__":
    run(main)
