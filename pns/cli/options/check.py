"""The command line of `pns check`: that of the checker, and test files."""

from __future__ import annotations

import argparse

from pns.checker.command import make_parser

TEST_FILES = """
With pns, a FILE that ends in .test is a test file of the solver MCGS: its positions are solved, and
differences from what it expects are printed. Status 1 then means that there are some.
"""


def check_parser(prog: str) -> argparse.ArgumentParser:
    """The parser of `pns check`."""
    parser = make_parser(prog)
    parser.description = (parser.description or "") + TEST_FILES
    return parser
