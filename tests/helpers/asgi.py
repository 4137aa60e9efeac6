"""Requests to an ASGI application in the test's own process, without a client library."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Dict, NamedTuple, Optional


class Reply(NamedTuple):
    status: int
    headers: Dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def request(
    app: Any, method: str, path: str, headers: Dict[str, str], body: bytes = b"", query: str = ""
) -> Reply:
    """What the application answers."""
    sent = [{"type": "http.request", "body": body, "more_body": False}]
    got: Dict[str, Any] = {"body": b""}

    async def receive() -> Dict[str, Any]:
        return sent.pop() if sent else {"type": "http.disconnect"}

    async def send(message: Dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            got.update(status=message["status"], headers=message["headers"])
        else:
            got["body"] += message.get("body", b"")

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "scheme": "http",
        "query_string": query.encode(),
        "headers": [(n.lower().encode("latin-1"), v.encode("latin-1")) for n, v in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 1),
    }
    asyncio.run(app(scope, receive, send))
    found = {name.decode(): value.decode() for name, value in got["headers"]}
    return Reply(got["status"], found, got["body"])


class Page:
    """Asks as the page does; `more` are headers that replace the page's own."""

    def __init__(self, app: Any, port: int, token: str) -> None:
        self._app = app
        self._own = {"Host": "127.0.0.1:%d" % port, "X-Pns-Token": token}

    def get(self, path: str, query: str = "", **more: str) -> Reply:
        return request(self._app, "GET", path, {**self._own, **headers_of(more)}, query=query)

    def post(self, name: str, data: Any = None, body: Optional[bytes] = None, **more: str) -> Reply:
        body = json.dumps(data or {}).encode() if body is None else body
        about = {"Content-Length": str(len(body)), "Content-Type": "application/json"}
        headers = {**self._own, **about, **headers_of(more)}
        return request(self._app, "POST", "/api/" + name, headers, body)


def headers_of(named: Dict[str, str]) -> Dict[str, str]:
    """Names of Python as names of headers."""
    return {name.replace("_", "-").title(): value for name, value in named.items()}


def asked(page: Page, name: str, **data: Any) -> Any:
    """The answer to a question of the page."""
    reply = page.post(name, data)
    assert reply.status == 200, reply.body
    return reply.json


def refused(page: Page, name: str, **data: Any) -> str:
    """Why a question of the page is refused: one line."""
    reply = page.post(name, data)
    assert reply.status == 400, reply.body
    text = reply.json["error"]
    assert text and "\n" not in text
    return str(text)
