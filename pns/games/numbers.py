"""Texts of games whose lands are numbers, like 3+5."""

from __future__ import annotations

import re
from typing import List

from pns.game import NotationError, Sum

MAX_TERMS = 1000
EMPTY = "!"


def parse_numbers(text: str, limit: int, noun: str) -> List[int]:
    """The positive numbers of a text, none for `!`; raises NotationError.

    Spaces may stand around + and around the text.

    >>> parse_numbers(" 3 + 5", 9, "heap")
    [3, 5]
    """
    if text.strip(" ") == EMPTY:
        return []
    if text.count("+") >= MAX_TERMS:
        raise NotationError(text, 0, "the text is too long", "write at most %d numbers" % MAX_TERMS)
    numbers: List[int] = []
    offset = 0
    for word in text.split("+"):
        term = word.strip(" ")
        if not re.fullmatch("[0-9]+", term, re.ASCII):
            wrong = "invalid number %s" % ascii(term[:20]) if term else "a number is missing"
            where = offset + len(word) - len(word.lstrip(" ")) if term else offset
            raise NotationError(text, where, wrong, "write each %s as a number, like 3+5" % noun)
        if int(term[:9]) > limit or len(term) > 9:
            wrong = "%s is too large" % term[:20]
            raise NotationError(text, offset, wrong, "a %s has at most %d" % (noun, limit))
        if int(term):
            numbers.append(int(term))
        offset += len(word) + 1
    return numbers


def format_numbers(lands: Sum) -> str:
    """The numbers in ascending order.

    >>> format_numbers((b"10", b"4"))
    '4+10'
    """
    return "+".join(["%d" % number for number in sorted([int(land) for land in lands])]) or EMPTY
