"""Requests to servers of the loopback address."""

from __future__ import annotations

import http.client
from typing import Any, Tuple


def get(
    port: int, path: str = "/metrics", method: str = "GET", **headers: str
) -> Tuple[int, bytes, Any]:
    """(status, body, headers) of a request."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        link.request(method, path, headers=headers)
        answer = link.getresponse()
        return answer.status, answer.read(), answer.headers
    finally:
        link.close()
