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

from pns.version import VERSION as __version__

TYPE_CHECKING = False  # importing typing takes longer than all else here
if TYPE_CHECKING:
    from pns.algorithms import Solver
    from pns.checkpoint import CheckpointError
    from pns.dfpn import SearchFailed, StopToken
    from pns.facts import Contradiction, Facts, FactsError, open_facts
    from pns.game import NotationError, TooLarge
    from pns.machine import NoMemory
    from pns.memory import TooLittleMemory
    from pns.options import OptionError, Options
    from pns.parallel.processes import ProcessesDied
    from pns.prior import Prior
    from pns.solver import Result, children, grundy_number, solve, value
    from pns.usage import Distribution, Progress, Usage

__all__ = [
    "CheckpointError",
    "Contradiction",
    "Distribution",
    "Facts",
    "FactsError",
    "NoMemory",
    "NotationError",
    "OptionError",
    "Options",
    "Prior",
    "ProcessesDied",
    "Progress",
    "Result",
    "SearchFailed",
    "Solver",
    "StopToken",
    "TooLarge",
    "TooLittleMemory",
    "Usage",
    "__version__",
    "children",
    "grundy_number",
    "open_facts",
    "solve",
    "value",
]

_HOMES = {
    "CheckpointError": "checkpoint",
    "Contradiction": "facts",
    "Distribution": "usage",
    "Facts": "facts",
    "FactsError": "facts",
    "NoMemory": "machine",
    "NotationError": "game",
    "OptionError": "options",
    "Options": "options",
    "Prior": "prior",
    "ProcessesDied": "parallel.processes",
    "Progress": "usage",
    "Result": "solver",
    "SearchFailed": "dfpn",
    "Solver": "algorithms",
    "StopToken": "dfpn",
    "TooLarge": "game",
    "TooLittleMemory": "memory",
    "Usage": "usage",
    "children": "solver",
    "grundy_number": "solver",
    "open_facts": "facts",
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
