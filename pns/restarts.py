"""When a search begins again from its facts alone.

Facts never age, but the numbers of a table or a tree do: they were computed before newer facts,
and where lands are reached in several ways they count the same work several times. So now and
then a search drops them all and starts again at the root, with the facts that it has proved and
the children that it has generated. Each start is `RESTART_GROWTH` times as long as the one before,
so that the last one has a fixed share of all expansions. `docs/lab/restarts.md` has the figures.
"""

from __future__ import annotations

import sys

from pns.choices import RESTART_GROWTH


def next_restart(first: int, expansions: int) -> int:
    """The number of expansions at which a search that has made some restarts next.

    The first start has `first` expansions; with 0 there is only one.

    >>> [next_restart(1000, expansions) for expansions in (0, 999, 1000, 2500)]
    [1000, 1000, 2500, 4750]
    """
    if not first:
        return sys.maxsize
    end = first
    while end <= expansions:
        end = first + int(RESTART_GROWTH * end)
    return end
