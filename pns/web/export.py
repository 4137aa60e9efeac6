"""The page as static files, which any web server serves: everything runs in the browser.

Pyodide (CPython as WebAssembly) comes from npm when the files are written, never from elsewhere
when the page is open. Written are the page, Pyodide, the package as a zip, the answers to the first
questions, and a service worker with the digests of all files.
"""

from __future__ import annotations

import hashlib
import html
import io
import json
import os
import re
import shutil
import zipfile
from typing import Dict, Iterator, List, Optional, Tuple

from pns.system.package_data import data_files
from pns.system.start import ROOT
from pns.version import VERSION
from pns.web import npm
from pns.web.first import first_answers, start_answers

MARK = "browser.json"
"""The file by which an earlier export is known."""
SERVICE_WORKER, INDEX, NOTICE = "sw.js", "index.html", "NOTICE.txt"
PYODIDE_FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
LEFT_OUT = re.compile(
    r"pns/(?:cli|distributed|simulation|master|worker|tools|web/(?:app|guard|serving|export|first|npm)\.py"
    r"|data/(?:web|report|paper-scaling|known-outcomes)|__main__)"
)
"""What a browser has no use for: the commands, the cluster, the server."""
NOT_EARLY = re.compile("^browser/(?!kept)|transport-server")
"""Modules that the page does not load itself."""
POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'"
)
NOTICE_TEXT = """\
This folder is the page of pns %s as static files. pns is under the MIT License; its sources are
in pns.zip.

The folder pyodide has files of Pyodide %s, unchanged, as the package pyodide of npm has them:
CPython and its standard library as WebAssembly. Pyodide is under the Mozilla Public License 2.0
(https://www.mozilla.org/MPL/2.0/), and its sources are at https://github.com/pyodide/pyodide.
CPython is under the license of the Python Software Foundation (https://docs.python.org/3/license.html).
"""
DATE = (1980, 1, 1, 0, 0, 0)
"""The date of all files of the zip, so that the same sources make the same zip."""


class ExportError(Exception):
    """The page cannot be written; the message says why."""


def export(place: str, game: str, position: str, pyodide: Optional[str] = None) -> int:
    """Write the page, which begins with a position, into a directory; returns its size in bytes.

    `pyodide` is the archive of npm's package, or a directory with its files; by default it is
    fetched. Raises ExportError, NpmError, OSError and NotationError; before anything is written,
    unless the disk fails.
    """
    require_free(place)
    files = dict(all_files(game, position, pyodide))
    old = place + ".old"
    new = place + ".new"
    shutil.rmtree(new, ignore_errors=True)
    for path, content in files.items():
        full = os.path.join(new, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(content)
    if os.path.isdir(place):
        shutil.rmtree(old, ignore_errors=True)
        os.replace(place, old)
    os.replace(new, place)
    shutil.rmtree(old, ignore_errors=True)
    return sum([len(content) for content in files.values()])


def require_free(place: str) -> None:
    """Raise ExportError unless a directory is new, empty, or an earlier export."""
    if os.path.lexists(place) and not os.path.isdir(place):
        raise ExportError("%s is not a directory; expected a new one" % place)
    if os.path.isdir(place) and os.listdir(place):
        if not os.path.isfile(os.path.join(place, MARK)):
            raise ExportError(
                "%s is not empty, and not an earlier export; expected a new directory" % place
            )


def all_files(game: str, position: str, pyodide: Optional[str]) -> Iterator[Tuple[str, bytes]]:
    """(path, content) of each file of the export."""
    files: Dict[str, bytes] = {"pyodide/" + n: c for n, c in pyodide_files(pyodide).items()}
    files.update(data_files("web"))
    files["pns.zip"] = package_zip()
    loaded = sum([len(files["pyodide/" + name]) for name in PYODIDE_FILES if "asm.mjs" not in name])
    loaded += len(files["pns.zip"]) - len(files["pyodide/pyodide.mjs"])
    start = {"game": game, "position": position, "digest": digest_of(files)}
    files[MARK] = json.dumps({**start, "version": VERSION}).encode()
    files["first.json"] = json.dumps(first_answers(game, position)).encode()
    files["starts.json"] = json.dumps(start_answers(game)).encode()
    facts = {"transport": "browser", "game": game, "bytes": str(loaded)}
    files[INDEX] = index_of(files[INDEX].decode(), sorted(files), facts).encode()
    files[NOTICE] = (NOTICE_TEXT % (VERSION, npm.PYODIDE.version)).encode()
    template = files.pop("browser/" + SERVICE_WORKER).decode()
    yield from files.items()
    yield SERVICE_WORKER, service_worker(template, files).encode()


def digest_of(files: Dict[str, bytes]) -> str:
    """The SHA-256 of what Python's memory is made from: Pyodide, and the package."""
    digest = hashlib.sha256()
    for name in (*["pyodide/" + name for name in PYODIDE_FILES], "pns.zip"):
        digest.update(hashlib.sha256(files[name]).digest())
    return digest.hexdigest()


def pyodide_files(place: Optional[str]) -> Dict[str, bytes]:
    """The files of Pyodide that a page needs, by their names."""
    if place is None or not os.path.isdir(place):
        path = npm.fetch(npm.PYODIDE) if place is None else place
        npm.check(path, npm.PYODIDE)
        return npm.files_of(path, {name: name for name in PYODIDE_FILES})
    found: Dict[str, bytes] = {}
    for name in PYODIDE_FILES:
        with open(os.path.join(place, name), "rb") as file:
            found[name] = file.read()
    return found


def package_zip() -> bytes:
    """The package as a browser needs it: modules and data, no commands, no server."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in _sources(ROOT):
            with open(os.path.join(ROOT, path), "rb") as file:
                archive.writestr(zipfile.ZipInfo(path, DATE), file.read(), zipfile.ZIP_DEFLATED, 9)
    return packed.getvalue()


def _sources(root: str) -> List[str]:
    """The paths of the package's files, from its parent directory, sorted."""
    found = []
    for folder, _, names in os.walk(os.path.join(root, "pns")):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
            if "__pycache__" not in path and not LEFT_OUT.match(path):
                found.append(path)
    return sorted(found)


def index_of(text: str, paths: List[str], facts: Dict[str, str]) -> str:
    """index.html with what the transport has to know, its policy, and what is loaded early."""
    modules = [path for path in paths if path.endswith(".js") and not NOT_EARLY.search(path)]
    policy = html.escape(POLICY, quote=False)
    lines = [
        '<meta http-equiv="Content-Security-Policy" content="%s">' % policy,
        *['<meta name="pns-%s" content="%s">' % pair for pair in facts.items()],
        '<link rel="stylesheet" href="style/loading.css">',
        *['<link rel="modulepreload" href="%s">' % path for path in modules],
    ]
    return text.replace("<title>", "\n".join(lines) + "\n<title>", 1)


def service_worker(template: str, files: Dict[str, bytes]) -> str:
    """The service worker that keeps these files."""
    digests = {path: hashlib.sha256(content).hexdigest() for path, content in files.items()}
    listed = json.dumps(digests, indent=0, sort_keys=True)
    version = hashlib.sha256(listed.encode()).hexdigest()[:16]
    return 'const FILES = %s, VERSION = "%s";\n%s' % (listed, version, template)
