"""Packages of npm that are needed to build something: fetched once, and checked by their digest.

Nothing of npm has to be installed. The registry is npm's own, or the one that the environment or
~/.npmrc names, as npm itself finds it.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import tarfile
from typing import Dict, NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

from pns.system.files import open_whole

REGISTRY = "https://registry.npmjs.org"
SECONDS = 60.0
"""The longest wait for the registry."""
MOST_BYTES = 100_000_000
SETTING = re.compile(r"^\s*registry\s*=\s*(\S+)\s*$", re.MULTILINE)


class NpmPackage(NamedTuple):
    """A package of one version, by the SHA-512 of its archive in base64."""

    name: str
    version: str
    sha512: str

    @property
    def archive(self) -> str:
        return "%s-%s.tgz" % (self.name, self.version)


PYODIDE = NpmPackage(
    "pyodide",
    "314.0.7",
    "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A==",
)


class NpmError(Exception):
    """A package cannot be had, or is another one; the message says why."""


def registry() -> str:
    """The address of the registry, without a slash at its end."""
    for name in ("npm_config_registry", "NPM_CONFIG_REGISTRY"):
        if os.environ.get(name):
            return os.environ[name].rstrip("/")
    try:
        with open(os.path.expanduser("~/.npmrc"), encoding="utf-8", errors="replace") as file:
            found = SETTING.search(file.read())
    except OSError:
        found = None
    return (found.group(1) if found else REGISTRY).rstrip("/")


def cache_directory() -> str:
    """Where fetched archives are kept: pns in the user's directory for caches."""
    place = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(place, "pns")


def fetch(package: NpmPackage) -> str:
    """The path of the archive of a package, which is fetched unless it is kept; raises NpmError."""
    path = os.path.join(cache_directory(), package.archive)
    try:
        check(path, package)
        return path
    except (OSError, NpmError):
        pass
    address = "%s/%s/-/%s" % (registry(), package.name, package.archive)
    try:
        with urlopen(address, timeout=SECONDS) as answer:
            content = answer.read(MOST_BYTES + 1)
    except (URLError, OSError, ValueError) as error:
        raise NpmError(
            "cannot fetch %s %s from npm: %s"
            % (package.name, package.version, getattr(error, "reason", error))
        ) from error
    _check_digest(content, package, "the answer of npm")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open_whole(path) as file:
        file.write(content)
    return path


def check(path: str, package: NpmPackage) -> None:
    """Raise NpmError unless a file is the archive of a package, OSError if it cannot be read."""
    with open(path, "rb") as file:
        _check_digest(file.read(MOST_BYTES + 1), package, path)


def _check_digest(content: bytes, package: NpmPackage, what: str) -> None:
    if base64.b64encode(hashlib.sha512(content).digest()).decode() != package.sha512:
        wrong = "%s is not the archive of %s %s: its SHA-512 is another"
        raise NpmError(wrong % (what, package.name, package.version))


def files_of(path: str, names: Dict[str, str]) -> Dict[str, bytes]:
    """Files of an archive: `names` has what each is called in the answer. Raises NpmError."""
    with tarfile.open(path) as archive:
        try:
            found = {new: archive.extractfile("package/" + name) for name, new in names.items()}
        except KeyError as error:
            raise NpmError("%s: %s" % (path, error.args[0])) from error
        return {new: file.read() for new, file in found.items() if file is not None}
