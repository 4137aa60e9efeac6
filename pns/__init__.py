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
from pns.solver import Result, children, grundy_number, solve
from pns.usage import Distribution, Progress, Usage
from pns.version import VERSION as __version__

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
]


def __dir__() -> list[str]:
    return __all__
