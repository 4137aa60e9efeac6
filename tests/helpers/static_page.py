"""The page as static files for tests: written once, and served by a plain web server."""

from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from pns.web.export import PYODIDE_FILES
from pns.web.npm import NpmError, NpmPackage, fetch, files_of

AXE = NpmPackage(
    "axe-core",
    "4.14.1",
    "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
)
"""Finds faults of accessibility."""


def axe() -> str:
    """The program of axe; raises NpmError."""
    return files_of(fetch(AXE), {"axe.min.js": "axe"})["axe"].decode()


def make_pyodide(place: Path) -> str:
    """A new directory with files of the names that Pyodide has, which do nothing; its path."""
    place.mkdir()
    for name in PYODIDE_FILES:
        (place / name).write_bytes(b"stands for " + name.encode())
    return str(place)


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files, and prints nothing."""

    def log_message(self, *_: Any) -> None:
        pass


class StaticPage:
    """A web server of a directory on a free port; the page lies in a folder of it."""

    def __init__(self, directory: Path, folder: str) -> None:
        handler = partial(QuietHandler, directory=str(directory))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.origin = "http://127.0.0.1:%d/" % self._server.server_port
        self._folder = folder

    def address(self, query: str = "") -> str:
        """The page with a query that says what it shows."""
        return "%s%s/%s" % (self.origin, self._folder, query and "?" + query)

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


__all__ = ["AXE", "NpmError", "StaticPage", "axe", "make_pyodide"]
