"""Refuses requests that do not come from the page: other hosts, other origins, no token.

The names in Host and Origin are compared with those of the server (`pns.system.loopback`), so that
no other page can ask, and no other name leads here. To look needs nothing else: a link works in
every browser of this machine. What changes something needs a token, which only the address has that
was printed. What is posted says that it is JSON, which a page elsewhere cannot say unasked.
"""

from __future__ import annotations

import hmac
from typing import Collection, Dict, Optional, Tuple

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pns.system.loopback import own_hosts
from pns.web.certificates import MOST_BYTES as MOST_CERTIFICATE

MOST_BYTES = 1 << 16
"""The longest body of a request."""
MOST_BYTES_OF = {"/api/check": (1 << 16) + MOST_CERTIFICATE}
"""That of a path that takes more."""
TOKEN_HEADER = "x-pns-token"
JSON_TYPE = "application/json"
HEADERS = (
    (b"content-security-policy", b"default-src 'self'; style-src 'self' 'unsafe-inline'; "
     b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)  # fmt: skip


def most_bytes(path: str) -> int:
    """The longest body of a request of a path."""
    return MOST_BYTES_OF.get(path, MOST_BYTES)


class Guard:
    """Middleware: lets requests of the page pass, and refuses all others with one line."""

    def __init__(self, app: ASGIApp, port: int, token: str, changing: Collection[str]) -> None:
        """`changing` are the paths that need the token."""
        self._app = app
        self._changing = frozenset(changing)
        self._hosts = own_hosts(port)
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *HEADERS]}
            await send(message)

        names = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        refusal = self.refusal(scope["method"], scope["path"], names)
        if refusal is not None:
            status, text = refusal
            await JSONResponse({"error": text}, status)(scope, receive, send_guarded)
            return
        left = most_bytes(scope["path"])

        async def receive_some() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            return {"type": "http.disconnect"} if left < 0 else message

        await self._app(scope, receive_some, send_guarded)

    def refusal(self, method: str, path: str, headers: Dict[str, str]) -> Optional[Tuple[int, str]]:
        """(status, reason) for a request that is refused, None for others."""
        host = headers.get("host", "")
        if host not in self._hosts:
            return 403, "the host is not that of this server"
        if headers.get("origin", "http://" + host) != "http://" + host:
            return 403, "a request of another origin"
        followed = path == "/" and headers.get("sec-fetch-mode") == "navigate"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not followed:
            return 403, "a request of another site"
        if method not in ("GET", "POST"):
            return 405, "only GET and POST"
        if method == "POST":
            if path in self._changing and not self._has_token(headers):
                return 403, "this link only looks: open the address that pns explore printed"
            length = headers.get("content-length", "")
            if not (length.isascii() and length.isdigit() and len(length) < 9):
                return 411, "the length is missing"
            if int(length) > most_bytes(path):
                return 413, "more than %d bytes" % most_bytes(path)
            if headers.get("content-type", "").partition(";")[0].strip().lower() != JSON_TYPE:
                return 415, "not said to be JSON"
        return None

    def _has_token(self, headers: Dict[str, str]) -> bool:
        token = headers.get(TOKEN_HEADER, "")
        return hmac.compare_digest(token.encode("latin-1"), self._token.encode())
