"""Solves combinatorial games by proof-number search with Grundy numbers.

>>> from pns import children, grundy_number, solve
>>> grundy_number("0*3")
1
>>> children("0*2")
['0.AB|AB', '1a1a']
>>> result = solve("0*4")
>>> result.outcome, result.winning_move
('win', '0*2.AB|0.AB')
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Callable, List, Optional

from pns.couple import HEAP, Couples
from pns.dfpn import Search, Stopped, StopToken
from pns.facts import Facts
from pns.game import NotationError, Sum, find_game, options
from pns.machine import peak_memory, total_memory, used_memory
from pns.table import ENTRY_BYTES, Table

__version__ = "0.1.0"
__all__ = ["NotationError", "Result", "Search", "StopToken", "children", "grundy_number", "solve"]

DEFAULT_CAPACITY = 2_000_000
ALGORITHMS = ("dfpn",)
CACHE_SHARE = 0.6
"""The part of the memory limit that interned positions may take."""
BYTES_PER_CELL = 80
"""Memory for each cell that a search counts, measured on PyPy with Sprouts."""
DEFAULT_CACHE_BYTES = 600_000_000


@dataclass(frozen=True)
class Result:
    """What a search found, and what it took; None where it is not known."""

    position: str
    canonical: str
    game: str
    algorithm: str
    solved: bool
    outcome: Optional[str]
    """"win" or "loss" for the player to move."""
    grundy_number: Optional[int]
    winning_move: Optional[str]
    """The position after a move that wins."""
    stopped_by: Optional[str]
    """What ended an unsolved search: "expansions", "seconds", "memory", or a caller's word."""
    expansions: int
    children_generated: int
    facts_known: int
    facts_new: int
    table_entries: int
    seconds: float
    peak_memory_bytes: int
    version: str


def children(text: str, game: str = "sprouts") -> List[str]:
    """The options of a position: canonical texts, sorted, distinct; raises NotationError.

    >>> children("0*3")
    ['0*2.AB|AB', '0.1a1a', '0.AB|0.AB']
    """
    rules = find_game(game)
    return sorted({rules.format(child) for child in options(rules, rules.parse(text))})


def grundy_number(text: str, game: str = "sprouts") -> int:
    """The Grundy number of a position; raises NotationError.

    >>> grundy_number("3+5", game="nim")
    6
    """
    result = solve(text, game, grundy=True)
    assert result.grundy_number is not None
    return result.grundy_number


def solve(
    text: str,
    game: str = "sprouts",
    *,
    algorithm: str = "dfpn",
    facts: Optional[Facts] = None,
    grundy: bool = False,
    capacity: int = DEFAULT_CAPACITY,
    epsilon: float = 0.0,
    seed: int = 0,
    max_expansions: Optional[int] = None,
    max_seconds: Optional[float] = None,
    max_memory: Optional[int] = None,
    stop: Optional[StopToken] = None,
    observer: Optional[Callable[[Search], None]] = None,
) -> Result:
    """Who wins a position, the player to move or the other; with grundy, its Grundy number.

    Facts are read from and added to `facts`, which stays open; without it they
    live in memory for this call. capacity counts entries of the transposition
    table, epsilon is that of the 1+ε rule, seed 0 keeps the order of children
    and another seed shuffles it. A budget (expansions, seconds, bytes of
    memory) that runs out and the stop token end the search: `solved` is then
    false. The observer sees the search every few expansions.

    Raises NotationError for a text that is no position, ValueError for an
    argument out of range, Contradiction when facts disagree.

    >>> solve("0*5").outcome
    'win'
    >>> solve("1+2+3", game="nim").outcome
    'loss'
    """
    start = time.monotonic()
    rules = find_game(game)
    lands = rules.parse(text)
    if algorithm not in ALGORITHMS:
        raise ValueError("no algorithm %r; there are %s" % (algorithm, ", ".join(ALGORITHMS)))
    check_capacity(capacity)
    if facts is None:
        facts = Facts(game)
    couples = Couples(rules, facts, seed)
    stop = stop or StopToken()

    def observe(search: Search) -> None:
        if max_seconds is not None and time.monotonic() - start >= max_seconds:
            search.stop.stop("seconds")
        if max_memory is not None and used_memory() >= max_memory:
            search.stop.stop("memory")
        if observer:
            observer(search)

    cache = DEFAULT_CACHE_BYTES if max_memory is None else int(max_memory * CACHE_SHARE)
    search = Search(
        couples,
        Table(capacity),
        epsilon=epsilon,
        stop=stop,
        observer=observe,
        most_expansions=max_expansions,
        most_cells=cache // BYTES_PER_CELL,
    )
    wins: Optional[bool] = None
    number: Optional[int] = None
    try:
        wins = search.outcome(lands)
        if not wins:
            number = 0
        elif grundy:
            number = _grundy_number(search, lands)
    except Stopped:
        pass
    if wins and number is None and couples.code(lands) <= HEAP:
        number = couples.code(lands)
    facts.flush()
    return Result(
        position=text,
        canonical=rules.format(lands),
        game=game,
        algorithm=algorithm,
        solved=wins is not None and not (grundy and number is None),
        outcome=None if wins is None else "win" if wins else "loss",
        grundy_number=number,
        winning_move=_winning_move(couples, lands) if wins else None,
        stopped_by=stop.reason or None,
        expansions=search.expansions,
        children_generated=couples.children_generated,
        facts_known=len(facts),
        facts_new=facts.new,
        table_entries=search.table.used,
        seconds=time.monotonic() - start,
        peak_memory_bytes=peak_memory(),
        version=__version__,
    )


def check_capacity(capacity: int) -> None:
    """Raise ValueError for a table that is empty or larger than the machine's memory."""
    if capacity < 1:
        raise ValueError("a table needs a capacity of at least 1 entry")
    if capacity * ENTRY_BYTES > total_memory():
        most = total_memory() // ENTRY_BYTES
        raise ValueError("%d entries are more than memory holds, %d at most" % (capacity, most))


def _grundy_number(search: Search, lands: Sum) -> int:
    number = 0
    for land in lands:
        if lands.count(land) % 2:
            number ^= search.grundy_number(land)
    return number


def _winning_move(couples: Couples, lands: Sum) -> Optional[str]:
    """The first option of a won position that facts show to be lost, if they show one."""
    for option in options(couples.game, lands):
        if couples.code(option) == 0:
            return couples.game.format(option)
    return None
