"""Write pns.pyz: the whole package as one file that a bare PyPy or CPython runs.

    pypy3 pns.pyz solve '0*17'

The file has the sources, for any interpreter, and the compiled code of the interpreter that
runs this script, which starts faster.
"""

from __future__ import annotations

import bootstrap

import argparse
import compileall
import os
import shutil
import zipapp
from py_compile import PycInvalidationMode

from pns import scratch
from pns.cli.common import run
from pns.cli.parser import Parser

INTERPRETER = "/usr/bin/env pypy3"
MAIN = "pns.cli.main:main"
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", "py.typed")


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", metavar="FILE", default="pns.pyz", help="default: pns.pyz")
    return parser.parse_args()


def main() -> int:
    """Write the file; returns the exit status."""
    args = parse_arguments()
    with scratch.directory() as place:
        source = os.path.join(place, "source")
        shutil.copytree(
            os.path.join(bootstrap.ROOT, "pns"), os.path.join(source, "pns"), ignore=LEFT_OUT
        )
        mode = PycInvalidationMode.UNCHECKED_HASH
        compileall.compile_dir(
            source, quiet=1, legacy=True, invalidation_mode=mode, stripdir=source
        )
        zipapp.create_archive(source, args.out, INTERPRETER, MAIN, compressed=True)
    print("%s: %d bytes" % (args.out, os.path.getsize(args.out)))
    return 0


if __name__ == "__main__":
    run(main)
