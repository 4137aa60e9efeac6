"""Solves combinatorial games by proof-number search with Grundy numbers.

>>> from pns import children, grundy_number, solve, value
>>> grundy_number("0*3")
1
>>> children("0*2")
['0.AB|AB', '1a1a']
>>> result = solve("0*4")
>>> result.outcome, result.winning_move
('win', '0*2.AB|0.AB')
>>> print(solve("0*2").why())
0*2 is a loss:
  after 0.AB|AB answer 0
  after 1a1a answer ABCD|ABCD
"""

from __future__ import annotations

from pns.version import VERSION as __version__

TYPE_CHECKING = False  # importing typing takes longer than all else here
if TYPE_CHECKING:
    from pns.facts import Contradiction, Facts, FactsError, open_facts
    from pns.facts.known import known_facts
    from pns.finding import register
    from pns.front.drawings import PositionDrawing, draw
    from pns.front.memory import TooLittleMemory
    from pns.front.options import OptionError, Options
    from pns.front.request import Solver
    from pns.front.result import Result
    from pns.game import Game, NotationError, TooLarge
    from pns.parallel.processes import ProcessesDied
    from pns.positions.prior import Prior
    from pns.proofs.audit import AuditReport
    from pns.proofs.certificate import Certificate
    from pns.proofs.explain import Why
    from pns.proofs.reader import FactsReader, FactsStatistics, audit_facts, read_facts
    from pns.saving.checkpoint import CheckpointError
    from pns.search.counted_search import SearchFailed, StopToken
    from pns.solver import children, grundy_number, solve, value
    from pns.strong import (
        SolutionError,
        SolutionReport,
        SolutionSlice,
        SolvedMove,
        StrongSolution,
        build_lands,
        build_solution,
        check_solution,
        read_solution,
    )
    from pns.system.machine import NoMemory
    from pns.usage import Distribution, Progress, Usage

__all__ = [
    "AuditReport",
    "Certificate",
    "CheckpointError",
    "Contradiction",
    "Distribution",
    "Facts",
    "FactsError",
    "FactsReader",
    "FactsStatistics",
    "Game",
    "NoMemory",
    "NotationError",
    "OptionError",
    "Options",
    "PositionDrawing",
    "Prior",
    "ProcessesDied",
    "Progress",
    "Result",
    "SearchFailed",
    "SolutionError",
    "SolutionReport",
    "SolutionSlice",
    "SolvedMove",
    "Solver",
    "StopToken",
    "StrongSolution",
    "TooLarge",
    "TooLittleMemory",
    "Usage",
    "Why",
    "__version__",
    "audit_facts",
    "build_lands",
    "build_solution",
    "check_solution",
    "children",
    "draw",
    "grundy_number",
    "known_facts",
    "open_facts",
    "read_facts",
    "read_solution",
    "register",
    "solve",
    "value",
]

_HOMES = {
    "AuditReport": "proofs.audit",
    "Certificate": "proofs.certificate",
    "CheckpointError": "saving.checkpoint",
    "Contradiction": "facts",
    "Distribution": "usage",
    "Facts": "facts",
    "FactsError": "facts",
    "FactsReader": "proofs.reader",
    "FactsStatistics": "proofs.reader",
    "Game": "game",
    "NoMemory": "system.machine",
    "NotationError": "game",
    "OptionError": "front.options",
    "Options": "front.options",
    "PositionDrawing": "front.drawings",
    "Prior": "positions.prior",
    "ProcessesDied": "parallel.processes",
    "Progress": "usage",
    "Result": "front.result",
    "SearchFailed": "search.counted_search",
    "SolutionError": "strong.blocks",
    "SolutionReport": "strong.check",
    "SolutionSlice": "strong.solution",
    "SolvedMove": "strong.solution",
    "Solver": "front.request",
    "StopToken": "search.counted_search",
    "StrongSolution": "strong.solution",
    "TooLarge": "game",
    "TooLittleMemory": "front.memory",
    "Usage": "usage",
    "Why": "proofs.explain",
    "audit_facts": "proofs.reader",
    "build_lands": "strong.build",
    "build_solution": "strong.build",
    "check_solution": "strong.check",
    "children": "solver",
    "draw": "front.drawings",
    "grundy_number": "solver",
    "known_facts": "facts.known",
    "open_facts": "facts",
    "read_facts": "proofs.reader",
    "read_solution": "strong.solution",
    "register": "finding",
    "solve": "solver",
    "value": "solver",
}
"""The module of each public name. It is imported when a name of it is first asked for."""


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # otherwise any name would seem to be here

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError("module 'pns' has no attribute %r" % name)
        from importlib import import_module

        value = globals()[name] = getattr(import_module("pns." + _HOMES[name]), name)
        return value
