"""The addresses of masters: HOST:PORT, or ipc://PATH on one machine. This imports no transport."""

from __future__ import annotations

MOST_PORT = 65535
NEEDS_KEYS = (
    "%s can be reached from other machines, so it needs keys: make them with pns worker keygen"
)


def is_file(address: str) -> bool:
    return address.startswith("ipc://")


def wrong_address(address: str) -> str:
    """Why a text is not an address, "" if it is one.

    >>> wrong_address("127.0.0.1:5000")
    ''
    >>> wrong_address("nope")
    "invalid address 'nope'; expected HOST:PORT such as 127.0.0.1:5555, a port up to 65535"
    """
    host, _, port = address.rpartition(":")
    is_port = port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= MOST_PORT
    if is_file(address) or (host and is_port):
        return ""
    wrong = "invalid address %s; expected HOST:PORT such as 127.0.0.1:5555, a port up to %d"
    return wrong % (ascii(address[:60]), MOST_PORT)


def is_local(address: str) -> bool:
    """Whether only programs on this machine can reach an address.

    >>> is_local("127.0.0.1:5000"), is_local("[::1]:5000"), is_local("0.0.0.0:5000")
    (True, True, False)
    """
    if is_file(address):
        return True
    import ipaddress  # it takes long, above all in a browser

    host = address.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
