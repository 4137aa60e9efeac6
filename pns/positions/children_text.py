"""The children of a land as one text, as caches and shared memory hold them."""

from __future__ import annotations

from typing import List

from pns.game import Sum


def pack(children: List[Sum]) -> bytes:
    """The children of a land as one text, for `unpack`.

    >>> pack([(b"0", b"2"), ()])
    b'0 2\\n'
    """
    return b"\n".join([child[0] if len(child) == 1 else b" ".join(child) for child in children])


def unpack(packed: bytes) -> List[Sum]:
    """The children in a text, of which there is at least one.

    >>> unpack(b'0 2\\n')
    [(b'0', b'2'), ()]
    """
    return [tuple(lands.split(b" ")) if lands else () for lands in packed.split(b"\n")]
