"""Renew the lock files, from which setup.sh installs: versions with the hashes of their files.

pip resolves the ranges of setup.cfg in a new environment of this interpreter, which has to be
the oldest PyPy that is supported, PyPy 3.9. The hashes of a package that is compiled are those of
the files for all PyPys and processors of PLATFORMS. With --check nothing is resolved, and no
network is needed: the lock files have to name a version in the range of each requirement.
"""

from __future__ import annotations

import bootstrap

import argparse
import configparser
import json
import os
import re
import subprocess
import sys
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Set, Tuple

from pns.cli.common import die, run
from pns.cli.parser import Parser
from pns.system import scratch
from pns.system.files import open_whole

PLACE = os.path.join(bootstrap.ROOT, "scripts", "requirements")
OLDEST = ("pypy", 3, 9)
PLATFORMS = [
    (python, processor) for python in ("39", "310", "311") for processor in ("x86_64", "aarch64")
]
"""The PyPys, by their version of Python, and the processors whose files setup.sh may install."""
FOR_ANY = ("-none-any.whl", ".tar.gz")
"""How the files end that are the same on all platforms."""
ENTRY = re.compile(r"([\w.-]+)==([\w.+!-]+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n")
SETTINGS = {"MSGPACK_PUREPYTHON": "1", "LMDB_FORCE_CFFI": "1"}
"""What setup.sh sets, so that sources need no compiler, or are built for cffi."""
OTHER_PLACES = ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL")
"""Variables that add files to those of the index; their hashes may be nobody else's."""


class Lock(NamedTuple):
    """What a lock file is made from: extras of setup.cfg, and the options of pip in setup.sh."""

    extras: Sequence[str]
    options: Sequence[str]


LOCKS = {
    "build": Lock((), ["--only-binary=:all:"]),
    "main": Lock(("wire", "web", "test"), ["--only-binary=:all:", "--no-binary=msgpack"]),
    "native": Lock(("native",), ["--no-binary=lmdb,psutil"]),
}
"""The lock files by their names; build has what builds packages from their sources."""


def requirements(lock: Lock) -> List[str]:
    """The requirements, with their ranges, of the extras of a lock file, or of the build."""
    if not lock.extras:
        with open(os.path.join(bootstrap.ROOT, "pyproject.toml"), encoding="utf-8") as file:
            (found,) = re.findall(r"^requires = (.*)$", file.read(), re.MULTILINE)
        return list(json.loads(found))
    config = configparser.ConfigParser(interpolation=None)
    config.read(os.path.join(bootstrap.ROOT, "setup.cfg"))
    groups = config["options.extras_require"]
    return [line for extra in lock.extras for line in groups[extra].strip().splitlines()]


def resolve(python: str, place: str, words: Sequence[str]) -> List[Tuple[str, str, str, str]]:
    """(name, version, address, hash) of each file that pip would install; exits where it fails."""
    report = os.path.join(place, "report.json")
    command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--dry-run"]
    environment = {**os.environ, **SETTINGS, "PIP_CONFIG_FILE": os.devnull}
    for name in OTHER_PLACES:
        environment.pop(name, None)
    done = subprocess.run(
        [*command, "--upgrade", "--report", report, *words],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
        die("pip %s: %s" % (" ".join(words), errors[-1] if errors else done.stderr.strip()))
    with open(report, encoding="utf-8") as file:
        items: List[Dict[str, Any]] = json.load(file)["install"]
    os.remove(report)
    found = []
    for item in items:
        download, metadata = item["download_info"], item["metadata"]
        if download["url"].startswith("file:"):
            die("%s comes from %s; expected an index" % (metadata["name"], download["url"]))
        digest = download["archive_info"]["hash"].replace("=", ":")
        found.append((metadata["name"], metadata["version"], download["url"], digest))
    return found


def for_platforms(python: str, place: str, pin: str) -> Iterator[str]:
    """The hashes of the wheels of a pinned package for all platforms; exits where one has none."""
    for version, processor in PLATFORMS:
        words = ["--no-deps", "--only-binary=:all:", "--target", place, "--implementation", "pp"]
        words += ["--python-version", version, "--abi", "pypy%s_pp73" % version]
        for system in ("manylinux_2_28", "manylinux_2_17"):
            words += ["--platform", "%s_%s" % (system, processor)]
        for *_, digest in resolve(python, place, [*words, pin]):
            yield digest


def text(python: str, place: str, lock: Lock) -> str:
    """A lock file of the newest versions in the ranges."""
    words = [*lock.options, *requirements(lock)]
    entries: Dict[str, Set[str]] = {}
    for name, version, address, digest in resolve(python, place, words):
        pin = "%s==%s" % (name, version)
        entries[pin] = {digest}
        if not address.endswith(FOR_ANY):
            entries[pin].update(for_platforms(python, place, pin))
    return "".join(
        " \\\n    --hash=".join([pin, *sorted(entries[pin])]) + "\n"
        for pin in sorted(entries, key=str.lower)
    )


def renew(place: str) -> None:
    """Write all lock files into a directory."""
    found = (sys.implementation.name, *sys.version_info[:2])
    if found != OLDEST:
        die("this is %s %d.%d; expected %s %d.%d" % (*found, *OLDEST))
    with scratch.directory() as temporary:
        environment = os.path.join(temporary, "venv")
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        python = os.path.join(environment, "bin", "python")
        texts = {name: text(python, temporary, lock) for name, lock in LOCKS.items()}
    os.makedirs(place, exist_ok=True)
    for name, lines in texts.items():
        with open_whole(os.path.join(place, name + ".txt")) as file:
            file.write(lines.encode())


def faults(place: str) -> Iterator[str]:
    """What is wrong with the lock files in a directory, as lines; raises OSError."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    for name, lock in LOCKS.items():
        path = os.path.join(place, name + ".txt")
        with open(path, encoding="utf-8") as file:
            content = file.read()
        if ENTRY.sub("", content):
            yield "%s: not written by lock.py: %r" % (path, ENTRY.sub("", content)[:60])
        pins = {canonicalize_name(found[1]): found[2] for found in ENTRY.finditer(content)}
        for line in requirements(lock):
            wanted = Requirement(line)
            version = pins.get(canonicalize_name(wanted.name))
            if version is None or version not in wanted.specifier:
                yield "%s: %s; expected %s" % (path, version or "missing", line)


def main() -> int:
    """Renew or check the lock files; returns the exit status."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="check the files, change nothing")
    parser.add_argument(
        "--out", metavar="DIR", default=PLACE, help="where they are; default: scripts/requirements"
    )
    args = parser.parse_args()
    if not args.check:
        renew(args.out)
    found = list(faults(args.out))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    run(main)
