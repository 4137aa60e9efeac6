"""What servers for this machine share: a socket on the loopback address, and the names it has.

A page of another site can send requests to such a server under a name of its own (DNS rebinding),
so the servers compare the Host of a request with `own_hosts`.
"""

from __future__ import annotations

import socket
from typing import FrozenSet

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")
HTTP_PORT = 80
"""The port that browsers leave out of Host."""


def own_hosts(port: int) -> FrozenSet[str]:
    """What Host says in requests to an HTTP server at a port of the loopback address.

    >>> sorted(own_hosts(8017))
    ['127.0.0.1:8017', 'localhost:8017']
    >>> sorted(own_hosts(80))
    ['127.0.0.1', '127.0.0.1:80', 'localhost', 'localhost:80']
    """
    hosts = ["%s:%d" % (name, port) for name in NAMES]
    return frozenset([*hosts, *NAMES] if port == HTTP_PORT else hosts)


def listen(port: int) -> socket.socket:
    """A socket that listens at a port of the loopback address, 0 for a free one; raises OSError."""
    listening = socket.socket()
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((LOOPBACK, port))
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening
