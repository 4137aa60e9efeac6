"""The server: static files, questions as JSON, events of the search."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from functools import partial
from typing import AsyncIterator, Callable, Dict, Iterator, Optional, Tuple, Type

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from pns.strong.blocks import SolutionError
from pns.system.files import parse_json
from pns.system.machine import NoMemory
from pns.system.package_data import data_files
from pns.web import api
from pns.web.guard import Guard
from pns.web.positions import drawing
from pns.web.reading import Json
from pns.web.session import WebSession
from pns.web.warmth import warm_up

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
IS_PYPY = sys.implementation.name == "pypy"
MOST_WAITING = 32
"""Requests that may wait for the one thread that answers them."""
REFUSALS: Tuple[Type[Exception], ...] = (*api.REFUSALS, NoMemory, SolutionError)
"""What is answered with its reason."""
PAUSE = 0.4
"""Seconds between two looks at the search."""


def static_files() -> Dict[str, Tuple[bytes, str]]:
    """(content, type) of the files of the page, by the path of their request."""
    files: Dict[str, Tuple[bytes, str]] = {}
    for path, content in data_files("web").items():
        kind = TYPES.get(os.path.splitext(path)[1])
        if kind is not None:
            files["/" if path == "index.html" else "/" + path] = content, kind
    return files


class WebServer:
    """Answers requests about a session, one after another, in its thread."""

    def __init__(self, session: WebSession) -> None:
        self._session = session
        self._waiting = 0
        self._warming: Optional["asyncio.Task[None]"] = None

    def routes(self) -> "list[Route]":
        """All paths that are answered."""
        routes = [
            Route(path, partial(self._file, *file), methods=["GET"])
            for path, file in static_files().items()
        ]
        routes += [
            Route("/api/" + name, partial(self._answer, question), methods=["POST"])
            for name, question in api.QUESTIONS.items()
        ]
        routes.append(Route("/api/drawing", self._drawing, methods=["GET"]))
        routes.append(Route("/api/events", self._events, methods=["GET"]))
        return routes

    async def _file(self, content: bytes, kind: str, request: Request) -> Response:
        return Response(content, media_type=kind)

    async def _answer(
        self, question: Callable[[WebSession, Json], Json], request: Request
    ) -> Response:
        try:
            data = parse_json(await request.body())
        except (ValueError, ClientDisconnect):
            return JSONResponse({"error": "not JSON"}, 400)
        if not isinstance(data, dict):
            return JSONResponse({"error": "not a JSON object"}, 400)
        answer = await self._run(lambda: JSONResponse(question(self._session, data)))
        if self._warming is None and IS_PYPY:
            self._warming = asyncio.ensure_future(self._warm(warm_up(self._session)))
        return answer

    async def _warm(self, steps: Iterator[None]) -> None:
        """Take steps while nobody waits."""
        loop = asyncio.get_running_loop()
        while True:
            while self._waiting:
                await asyncio.sleep(PAUSE / 4)
            if await loop.run_in_executor(self._session.thread, next, steps, self) is self:
                return

    async def _drawing(self, request: Request) -> Response:
        text, game = [request.query_params.get(name, "") for name in ("position", "game")]
        return await self._run(
            lambda: Response(drawing(self._session, text, game), media_type="image/svg+xml")
        )

    async def _run(self, answer: Callable[[], Response]) -> Response:
        """The answer, or why there is none."""
        if self._waiting >= MOST_WAITING:
            return JSONResponse({"error": "too many requests wait; try again"}, 503)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._session.thread, answer)
        except REFUSALS as error:
            return JSONResponse({"error": str(error)}, 400)
        finally:
            self._waiting -= 1

    async def _events(self, request: Request) -> Response:
        return StreamingResponse(self._states(request), media_type="text/event-stream")

    async def _states(self, request: Request) -> AsyncIterator[str]:
        """The states of the search, each as it comes, for as long as somebody listens."""
        search, seen = self._session.search, -1
        while not await request.is_disconnected():
            if search.serial != seen:
                seen = search.serial
                yield "data: %s\n\n" % json.dumps(search.state)
            await asyncio.sleep(PAUSE)


def make_app(session: WebSession, port: int, token: str) -> ASGIApp:
    """The application, which answers at a port of the loopback address.

    It changes something only for those who have the token.
    """
    changing = ["/api/" + name for name in api.CHANGING]
    return Guard(Starlette(routes=WebServer(session).routes()), port, token, changing)
