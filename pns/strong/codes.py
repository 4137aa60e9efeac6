"""Codes of values: outcomes in two bits (`pns.positions.ranking`), Grundy numbers in a byte.

The code of the Grundy number n is n + 1. Code 0 stands for no position in both.
"""

from __future__ import annotations

from typing import Dict, Iterable, Sequence

OUTCOMES = ("", "loss", "draw", "win")
"""The names of the codes of outcomes."""
OUTCOME, GRUNDY_NUMBER = "outcome", "grundy_number"
"""What the values of a solution are."""
MOST_GRUNDY_NUMBER = 250


def value_name(code: int, values: str) -> str:
    """The value that a code other than 0 stands for, as it is written.

    >>> value_name(3, OUTCOME), value_name(1, GRUNDY_NUMBER)
    ('win', '0')
    """
    return OUTCOMES[code] if values == OUTCOME else str(code - 1)


def by_value(counts: Sequence[int], values: str) -> Dict[str, int]:
    """Counts by code as counts by value, without those of no position.

    >>> by_value([5, 2, 0, 1], OUTCOME)
    {'loss': 2, 'win': 1}
    """
    return {value_name(code, values): n for code, n in enumerate(counts) if n and code}


def summed(parts: Iterable[Dict[str, int]]) -> Dict[str, int]:
    """Counts by value added up, in the order of codes.

    >>> summed([{"win": 1}, {"loss": 2, "win": 3}])
    {'loss': 2, 'win': 4}
    """
    found: Dict[str, int] = {}
    for part in parts:
        for value, count in part.items():
            found[value] = found.get(value, 0) + count
    order = {name: code for code, name in enumerate(OUTCOMES)}
    return dict(sorted(found.items(), key=lambda item: order.get(item[0]) or int(item[0])))
