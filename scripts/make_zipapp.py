"""Write pns.pyz: the whole package as one file that a bare PyPy or CPython runs.

    pypy3 pns.pyz solve '0*17'

The file has the sources, for any interpreter, and the compiled code of the interpreter that
runs this script, which starts faster. It also has what `pns explore` needs, with its licences,
if this interpreter has it.
"""

from __future__ import annotations

import bootstrap

import argparse
import compileall
import os
import re
import shutil
import zipapp
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from py_compile import PycInvalidationMode
from typing import Dict, Sequence

from pns.cli.common import how_to_install, run
from pns.cli.parser import Parser
from pns.system import scratch

INTERPRETER = "/usr/bin/env pypy3"
MAIN = "pns.cli.main:main"
OF_THE_PAGE = ("starlette", "uvicorn")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", "py.typed")


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", metavar="FILE", default="pns.pyz", help="default: pns.pyz")
    return parser.parse_args()


def with_requirements(names: Sequence[str]) -> Dict[str, Distribution]:
    """The installed packages of these names, and all that they require; without those missing."""
    found: Dict[str, Distribution] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        try:
            package = distribution(name)
        except PackageNotFoundError:  # such as one that only another interpreter needs
            continue
        if package.metadata["Name"] not in found:
            found[package.metadata["Name"]] = package
            lines = [line for line in package.requires or () if "extra ==" not in line]
            waiting += [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in lines]
    return found


def copy_package(package: Distribution, place: str) -> None:
    """Copy the modules and the metadata of an installed package, without its programs."""
    for file in package.files or ():
        if ".." not in file.parts and file.suffix != ".pyc":
            target = os.path.join(place, file)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(str(file.locate()), target)


def main() -> int:
    """Write the file; returns the exit status."""
    args = parse_arguments()
    with scratch.directory() as place:
        source = os.path.join(place, "source")
        shutil.copytree(
            os.path.join(bootstrap.ROOT, "pns"), os.path.join(source, "pns"), ignore=LEFT_OUT
        )
        packages = with_requirements(OF_THE_PAGE)
        for package in packages.values():
            copy_package(package, source)
        mode = PycInvalidationMode.UNCHECKED_HASH
        compileall.compile_dir(
            source, quiet=1, legacy=True, invalidation_mode=mode, stripdir=source
        )
        zipapp.create_archive(source, args.out, INTERPRETER, MAIN, compressed=True)
    print("%s: %d bytes" % (args.out, os.path.getsize(args.out)))
    if not packages.keys() >= set(OF_THE_PAGE):
        print("%s is without the page of pns explore: %s" % (args.out, how_to_install("web")))
    return 0


if __name__ == "__main__":
    run(main)
