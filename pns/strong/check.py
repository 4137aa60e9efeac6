"""Checks a strong solution: the digests of all bytes, each value by the moves, and samples.

A value is consistent if it follows from those of the children. A solution all of whose values are
consistent is right, by induction on the number of moves left. The full pass computes each slice
again from the stored one after it, as it was built. A sample is compared with its children under
the rules of the game itself, which know nothing of rankings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import xor
from random import Random
from typing import Iterator, List, Optional

from pns.finding import named_game
from pns.front.draws import questions
from pns.game import Game, Land, SupportsSmallLands
from pns.proofs.check import Lookup
from pns.strong.blocks import SolutionError
from pns.strong.folder import BuildObserver, Folder, unobserved
from pns.strong.kinds import LISTED, ranking_of
from pns.strong.listed import ListedPasses
from pns.strong.ranked import RankedPasses
from pns.strong.recount import slice_faults, surplus_files
from pns.strong.samples import disagreements, read_samples
from pns.strong.searched import Searcher
from pns.strong.solution import StrongSolution
from pns.system import scratch


@dataclass
class SolutionReport:
    """What was found."""

    damage: List[str] = field(default_factory=list)
    """The files that are not as they were written, or whose fields are wrong."""
    faults: List[str] = field(default_factory=list)
    """The values that do not follow."""
    blocks: int = 0
    """Blocks whose digests were checked."""
    recomputed: int = 0
    """Entries that were computed again."""
    samples: int = 0
    """Positions that were compared with their children under the rules."""
    searched: int = 0
    """Positions whose values a search found, too."""
    undecided: int = 0
    """Positions that took the search too long."""
    compared: int = 0
    """Samples of others that were looked up."""

    @property
    def holds(self) -> bool:
        return not self.damage and not self.faults


def check_solution(
    path: str,
    processes: int = 1,
    consistency: bool = False,
    samples: int = 0,
    seed: int = 0,
    observer: BuildObserver = unobserved,
    searches: int = 0,
    against: Optional[str] = None,
) -> SolutionReport:
    """Check all files and the root; with `consistency` all values; and random samples.

    The files are checked by their digests and fields. `samples` is the number of random positions
    to compare with the rules, and `searches` the number to compare with a search by DFPN, which
    gives up at `pns.strong.searched.MOST_EXPANSIONS` expansions. `against` is a file of samples
    printed by `pns strong samples`. If files are damaged, none of these comparisons are made.
    Raises SolutionError unless there is a complete solution, ValueError for an unknown game or a
    bad file of samples, ProcessesDied and OSError.
    """
    others = None if against is None else read_samples(against)
    report = SolutionReport()
    folder = Folder(path)
    if not folder.is_complete:
        folder.header()
    try:
        header = folder.header()
        solution = StrongSolution(path)
    except SolutionError as error:
        report.damage.append(str(error))
        return report
    with solution:
        for number in range(len(solution.slices)):
            blocks, wrong = slice_faults(folder, header, number)
            report.blocks += blocks
            report.damage += wrong
        report.damage += surplus_files(folder, len(solution.slices))
        if report.damage:
            return report
        if solution.value(solution.position) is None:
            report.faults.append("the root %s is not in the solution" % solution.position)
        else:
            report.faults += faults_of(solution, solution.position)
    if consistency:
        report.faults += differences(path, processes, observer)
        report.recomputed = header["entries"]
    if samples:
        random = Random(seed)
        with StrongSolution(path) as solution:
            for _ in range(samples):
                report.faults += faults_of(solution, solution.sample(random))
                report.samples += 1
    if searches:
        random = Random(seed)
        with StrongSolution(path) as solution:
            searcher = Searcher(solution)
            for _ in range(searches):
                search_one(report, solution, searcher, solution.sample(random))
    if others is not None:
        with StrongSolution(path) as solution:
            report.faults += disagreements(solution, others)
        report.compared = len(others.values)
    return report


def search_one(
    report: SolutionReport, solution: StrongSolution, searcher: Searcher, position: str
) -> None:
    """Compare the value of a position with what a search finds."""
    found, stored = searcher.value(position), solution.stored(position)
    if found is None:
        report.undecided += 1
        return
    report.searched += 1
    if found != stored:
        report.faults.append("%s has value %s, by a search %s" % (position, stored, found))


def differences(path: str, processes: int, observer: BuildObserver) -> List[str]:
    """What does not follow in a solution without damage."""
    folder = Folder(path)
    header = folder.header()
    rules = named_game(header["game"])
    if header["kind"] == LISTED:
        passes = ListedPasses(rules, [], processes)
        found = list(passes.differences(folder, observer))
        if "lives" in header:
            assert isinstance(rules, SupportsSmallLands)
            lands = rules.small_lands(header["lives"])
            if rules.format((lands[0],)) != header["position"]:
                found.append("the root is %s, not that of small lands" % header["position"])
            missing = [land for land in lands if not passes.has(land)]
            found += ["%s is missing" % land.decode("ascii") for land in missing]
        return found
    ranking = ranking_of(rules, header["position"], header["kind"])
    assert ranking is not None
    with scratch.directory() as place:
        return list(RankedPasses(ranking, processes).differences(folder, Folder(place), observer))


def faults_of(solution: StrongSolution, position: str) -> Iterator[str]:
    """The questions about a position whose answer does not follow under the rules."""
    game = named_game(solution.game)
    asked = [game.parse(position)] if solution.kind == LISTED else questions(game, position)
    for land in {land for lands in asked for land in lands}:
        if not follows(game, land, solution.get):
            yield "the value of %s does not follow" % land.decode("ascii")


def follows(game: Game, land: Land, get: Lookup) -> bool:
    """Whether the number of a land follows from those of its children; -1 stands for a win."""
    children = game.children(land)
    if not game.decomposes:
        return any([not child or get(child[0]) == 0 for child in children]) == (get(land) != 0)
    numbers = {reduce(xor, map(get, child), 0) for child in children}
    return get(land) not in numbers and numbers.issuperset(range(get(land)))
