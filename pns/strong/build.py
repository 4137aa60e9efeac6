"""Builds a strong solution: decides how, predicts the memory, and runs the passes."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Union

from pns.finding import find_game
from pns.front.draws import questions
from pns.front.memory import TooLittleMemory
from pns.game import Game, Land, SupportsSmallLands
from pns.strong.blocks import SolutionError
from pns.strong.codes import OUTCOME, summed
from pns.strong.folder import BuildObserver, Folder, unobserved
from pns.strong.kinds import LISTED, RANKED, SECTIONS, ranking_of
from pns.strong.listed import ListedPasses
from pns.strong.ranked import RankedPasses
from pns.strong.ray_passes import RayPasses
from pns.system.machine import total_memory
from pns.version import VERSION

Passes = Union[RankedPasses, ListedPasses]


def build_solution(
    game: str,
    position: str,
    path: str,
    processes: int = 1,
    max_memory: Optional[int] = None,
    listed: bool = False,
    observer: BuildObserver = unobserved,
    sections: bool = False,
    ray: Any = None,
) -> None:
    """Find the values of all positions that play from a position can reach, and write them.

    `path` is a new directory, or one in which the same build was begun: finished slices are kept,
    and the rest is computed. With `listed`, positions are listed even if the game can rank them.
    With `sections`, positions of Pentago are ranked by sections.
    `max_memory` is the limit in bytes of all processes together, by default the machine's memory.
    A ranking that does not fit raises an error before anything is written; a list stops when it
    no longer fits.
    `ray` is the module of that name, connected to a cluster. The cluster then computes the parts
    of a ranking's slices, and `max_memory` is the limit of this process.

    Raises NotationError, TooLittleMemory, NoMemory, SolutionError for another directory or an
    unsuitable position, ProcessesDied, and OSError.
    """
    rules = find_game(game)
    roots = questions(rules, position)
    if not any(roots):
        raise SolutionError("%s has no moves" % position)
    kind = LISTED if listed else SECTIONS if sections else RANKED
    ranking = ranking_of(rules, position, kind)
    if kind == SECTIONS and ranking is None:
        raise SolutionError("%s has no sections from %s on" % (rules.name, position))
    if ranking is None and ray is not None:
        wrong = "%s is listed from %s on, and a cluster does parts of ranked positions only"
        raise SolutionError(wrong % (rules.name, position))
    most = total_memory() if max_memory is None else max_memory
    folder = Folder(path)
    if ranking is not None:
        text = ranking.text(0, 0)
    else:
        text = position if len(roots) > 1 else rules.format(roots[0])
    plan = {"game": rules.name, "position": text, "kind": LISTED if ranking is None else kind}
    if _is_there(folder, plan):
        return
    passes: Passes
    if ranking is not None:
        passes = RankedPasses(ranking, processes)
        if ray is not None:
            passes = RayPasses(ranking, rules.name, text, kind, ray)
            passes.require_nodes()
        _require(passes.memory(), most)
        with folder.building(plan):
            passes.run(folder, observer)
            _complete(folder, plan, OUTCOME, passes.slices)
    else:
        lands = [land for root in roots for land in root]
        _list(rules, lands, plan, folder, processes, most, observer)


def build_lands(
    game: str,
    lives: int,
    path: str,
    processes: int = 1,
    max_memory: Optional[int] = None,
    observer: BuildObserver = unobserved,
) -> None:
    """Find the values of all lands of at most `lives` lives, and write them, as `build_solution`.

    Raises what that raises, and ValueError for a game that does not list its small lands, or for
    a number of lives for which it does not.
    """
    rules = find_game(game)
    if not isinstance(rules, SupportsSmallLands):
        raise SolutionError("%s does not list its small lands" % rules.name)
    lands = rules.small_lands(lives)
    text = rules.format((lands[0],))
    plan = {"game": rules.name, "position": text, "kind": LISTED, "lives": lives}
    folder = Folder(path)
    if not _is_there(folder, plan):
        most = total_memory() if max_memory is None else max_memory
        _list(rules, lands, plan, folder, processes, most, observer)


def _is_there(folder: Folder, plan: Dict[str, Any]) -> bool:
    """Whether a solution is complete; raises SolutionError if another one is."""
    if not folder.is_complete:
        return False
    header = folder.header()
    if any([header.get(key) != plan.get(key) for key in ("game", "position", "kind", "lives")]):
        raise SolutionError("%s has another solution" % folder.path)
    return True


def _list(
    rules: Game,
    lands: List[Land],
    plan: Dict[str, Any],
    folder: Folder,
    processes: int,
    most: int,
    observer: BuildObserver,
) -> None:
    """Solve all lands that play from some lands reaches."""
    passes = ListedPasses(rules, lands, processes)
    _require(passes.memory(), most)
    with folder.building(plan):
        passes.run(folder, observer, most)
        _complete(folder, plan, passes.values, len(passes.slices))


def _require(needed: int, most: int) -> None:
    if needed > most:
        wrong = "this takes %d MB of memory, and %d MB are allowed"
        raise TooLittleMemory(wrong % (-(-needed // 10**6), most // 10**6))


def _complete(folder: Folder, plan: Dict[str, Any], values: str, slices: int) -> None:
    records = [folder.record(number) for number in range(slices)]
    positions = summed([record["positions"] for record in records])
    entries = sum([record["entries"] for record in records])
    folder.complete(
        {
            "version": VERSION,
            **plan,
            "values": values,
            "entries": entries,
            "positions": positions,
            "slices": records,
        }
    )
