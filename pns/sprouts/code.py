"""The working form of a land: one bytes object whose bytes compare as canonical order does.

A land is its regions joined by BAR; a region is a count of isolated spots
followed by its other boundaries joined by DOT; a boundary is one byte for each
spot occurrence. The bytes, in ascending order:

======== ============================================================
00 - 30  isolated spots, more of them sorting first: 30 - k for k < 48,
         after one 00 for every further 48
31, 32   a spot of degree 1, of degree 2, that occurs once
33 - 7F  one-region names, scoped to their boundary (77)
80 - F8  two-region names, scoped to the land (121)
FA FB    DOT between boundaries, BAR between regions
======== ============================================================

Lands with more names are left to `pns.sprouts.large`.
"""

from __future__ import annotations

import re
from typing import Tuple

from pns.game import TooLarge

COUNT = 0x30
ONE_LIFE_LESS, TWO_LIVES_LESS = 0x31, 0x32
ONE, TWO, DOT, BAR = 0x33, 0x80, 0xFA, 0xFB
MAX_ONE, MAX_TWO = TWO - ONE, 0xF9 - TWO

SPOT1, SPOT2 = bytes([ONE_LIFE_LESS]), bytes([TWO_LIVES_LESS])
DOTS, BARS = bytes([DOT]), bytes([BAR])
LAND_END = bytes([BAR + 1])
LAST = b"\xff"
"""A byte that sorts after all codes."""
IDENTITY = bytes(range(256))
ANONYMOUS = bytes(ONE if ONE <= c < TWO else TWO if TWO <= c < DOT else c for c in range(256))
"""The translation that makes the names of one class equal."""
NOT_TWO = bytes(c for c in range(256) if not TWO <= c < DOT)
"""All other bytes: bytes.translate(None, NOT_TWO) leaves the two-region names, in order."""
NOT_TWO_OR_BAR = NOT_TWO.replace(BARS, b"")

ONE_LETTERS, TWO_LETTERS = b"abcdefghijkl", b"ABCDEFGHIJKLMNOPQRSTUVWXY"
_LETTERS = bytearray(IDENTITY)
_LETTERS[ONE : ONE + len(ONE_LETTERS)] = ONE_LETTERS
_LETTERS[TWO : TWO + len(TWO_LETTERS)] = TWO_LETTERS
_LETTERS[DOT], _LETTERS[BAR] = ord("."), ord("|")
TO_LETTERS = bytes(_LETTERS)
_CODES = bytearray(IDENTITY)
for _text, _code in ((ONE_LETTERS, ONE), (TWO_LETTERS, TWO)):
    for _i, _c in enumerate(_text):
        _CODES[_c] = _code + _i
_CODES[ord(".")], _CODES[ord("|")] = DOT, BAR
TO_CODES = bytes(_CODES)
_LONG_NAME = re.compile(rb"([mnZ])\(([1-9][0-9]*)\)")


class TooManyNames(TooLarge):
    """A land needs more names than the working form has."""


def count_prefix(spots: int) -> bytes:
    """The prefix of a region with a number of isolated spots."""
    return bytes(spots // 48) + bytes([COUNT - spots % 48])


def split_prefix(region: bytes) -> Tuple[int, bytes]:
    """(isolated spots, the other boundaries) of a region."""
    i = 0
    while region[i] == 0:
        i += 1
    return 48 * i + COUNT - region[i], region[i + 1 :]


def encode(land: bytes) -> bytes:
    """The working form of a land's canonical text (trusted, not checked).

    >>> encode(b"0*2.AB|AB") == b"\\x2e\\x80\\x81\\xfb\\x30\\x80\\x81"
    True
    """
    out = []
    for region in land.split(b"|"):
        if region[:1] != b"0":
            out.append(b"0" + _to_codes(region))
            continue
        head, _, rest = region.partition(b".")
        spots = int(head[2:]) if len(head) > 1 else 1
        out.append(count_prefix(spots) + _to_codes(rest))
    return BARS.join(out)


def _to_codes(text: bytes) -> bytes:
    """The codes of boundaries: letters by translation, numbered names one by one.

    Codes must not be translated again, since some of them are letters, too.
    """
    if b"(" not in text:
        return text.translate(TO_CODES)
    plain, *names = _LONG_NAME.split(text)
    out = plain.translate(TO_CODES)
    for kind, number, plain in zip(names[::3], names[1::3], names[2::3]):
        first, limit = (ONE, MAX_ONE) if kind == b"m" else (TWO, MAX_TWO)
        out += bytes([first + _name_index(int(number) - 1, limit)]) + plain.translate(TO_CODES)
    return out


def _name_index(index: int, limit: int) -> int:
    if index >= limit:
        raise TooManyNames("a land with more than %d names of one kind is too large" % limit)
    return index


def decode(code: bytes) -> bytes:
    """The text of a land in working form, its names as they are.

    >>> decode(encode(b"0.AB|AB"))
    b'0.AB|AB'
    """
    if code.translate(None, _NO_LONG_NAMES):
        return _decode_long(code)
    regions = code.translate(TO_LETTERS).split(b"|")
    return b"|".join(
        [
            (_HEADS_ALONE if len(region) == 1 else _HEADS)[region[0]] + region[1:]
            if region[0]
            else _decode_region(region)
            for region in regions
        ]
    )


def _decode_region(region: bytes) -> bytes:
    """The text of a region whose names and separators are text already."""
    spots, rest = split_prefix(region)
    head = b"0*%d" % spots if spots > 1 else b"0" * spots
    return head + b"." + rest if head and rest else head + rest


def _decode_long(code: bytes) -> bytes:
    """The text of a land with too many names of a kind for letters: all names of it get numbers."""
    names = {c: TO_LETTERS[c : c + 1] for c in range(256)}
    if any([ONE + len(ONE_LETTERS) <= c < TWO for c in code]):
        names.update((ONE + i, b"m(%d)" % (i + 1)) for i in range(MAX_ONE))
    if any([TWO + len(TWO_LETTERS) <= c < DOT for c in code]):
        names.update((TWO + i, b"n(%d)" % (i + 1)) for i in range(MAX_TWO))
    out = []
    for region in code.split(BARS):
        spots, rest = split_prefix(region)
        text = b"".join([names[c] for c in rest])
        out.append(_decode_region(count_prefix(spots) + text))
    return b"|".join(out)


_NO_LONG_NAMES = bytes(
    c
    for c in range(256)
    if not ONE + len(ONE_LETTERS) <= c < TWO and not TWO + len(TWO_LETTERS) <= c < DOT
)
_HEADS_ALONE = [_decode_region(bytes([c])) if 0 < c <= COUNT else b"" for c in range(256)]
_HEADS = [head + b"." if head else b"" for head in _HEADS_ALONE]
