"""Check databases and certificates of Grundy numbers, and write certificates."""

import bootstrap  # noqa: F401

from pns.cli.commands.audit import main
from pns.cli.common import run

if __name__ == "__main__":
    run(main)
