"""The passes over a ranking with the parts of its slices as tasks of a Ray cluster.

A part needs the codes of the slice next to it, which Ray brings to each node once, and what was
marked in itself. The directory and two whole slices stay with the process that builds. So a node
that dies takes along no more than the parts that it was given, and Ray gives these to others.
"""

from __future__ import annotations

import pickle
from functools import lru_cache
from typing import Any, Dict, Iterable, Iterator, List, Tuple

from pns.finding import find_game, place_of
from pns.front.memory import TooLittleMemory
from pns.parallel.processes import ProcessesDied
from pns.positions.ranking import Ranking, packed_bytes
from pns.strong.blocks import SolutionError, compressed, decompressed
from pns.strong.folder import MARKS, SLICE
from pns.strong.kinds import ranking_of
from pns.strong.ranked import PassAnswer, PassPart, PassRunner, RankedPasses, compute
from pns.system.machine import reserve
from pns.system.views import bytes_of
from pns.version import VERSION

WAIT_SECONDS = 10.0
"""After this time without an answer it is asked whether the cluster has a core left."""
TASKS_PER_CORE = 2
"""So that a core has another part while an answer travels."""

Plan = Tuple[str, str, str, str]
"""The version; the words by which a process finds the game, the root, and the kind of ranking."""


class RayPasses(RankedPasses):
    """The passes of a ranking in a cluster; `ray` is the module, connected."""

    def __init__(self, ranking: Ranking, game: str, position: str, kind: str, ray: Any) -> None:
        super().__init__(ranking, 1)
        self.plan: Plan = VERSION, place_of(game), position, kind
        self.ray = ray

    def pool(self) -> PassRunner:
        return RayTasks(self)

    def require_nodes(self) -> None:
        """Raise TooLittleMemory unless every node has room for slices, and one for a part."""
        needed = sum(self.slice_bytes())
        for node in living(self.ray):
            store = int(node["Resources"].get("object_store_memory", 0))
            if store < needed:
                wrong = "slices take %d MB of a node's object store, and that of %s has %d MB"
                name = node["NodeManagerHostname"]
                raise TooLittleMemory(wrong % (-(-needed // 10**6), name, store // 10**6))
        if not self.has_node():
            wrong = "no node of the cluster has a core and %d MB of memory"
            raise TooLittleMemory(wrong % -(-self.process_bytes() // 10**6))

    def has_node(self) -> bool:
        """Whether a node of the cluster can do a part."""
        found = [node["Resources"] for node in living(self.ray)]
        needed = self.process_bytes()
        return any([node.get("CPU", 0) >= 1 and node.get("memory", 0) >= needed for node in found])


class RayTasks:
    """Gives parts of a slice to the cluster, and keeps their codes here."""

    def __init__(self, passes: RayPasses) -> None:
        self._passes = passes
        self._ray = passes.ray
        self._part = passes.ray.remote(do_part).options(num_cpus=1, memory=passes.process_bytes())

    def run(self, tasks: Iterable[PassPart]) -> Iterator[PassAnswer]:
        """The answers to the parts of a slice, in their order.

        Raises ProcessesDied where no node can do a part, or Ray gave one up, and SolutionError
        where a node has no pns or another version.
        """
        parts = list(tasks)
        beside = self._share_next(parts[0]) if parts else None
        most_given = TASKS_PER_CORE * max(1, int(self._ray.cluster_resources().get("CPU", 0)))
        given: Dict[Any, int] = {}
        done: Dict[int, PassAnswer] = {}
        sent = due = 0
        while due < len(parts):
            for part in parts[sent : sent + most_given - len(given)]:
                given[self._give(part, beside)] = sent
                sent += 1
            for ready in self._wait(list(given)):
                done[given.pop(ready)] = self._answer(ready)
            while due in done:
                answer = done.pop(due)
                self._passes.set_codes(parts[due], decompressed(answer[2]))
                yield answer
                due += 1

    def _share_next(self, task: PassPart) -> Any:
        """Put the codes of the slice that a part needs where all nodes find them."""
        kind, number, _, _ = task
        number += -1 if kind == MARKS else 1
        return self._ray.put(pickle.PickleBuffer(self._passes.view(number)))

    def _give(self, task: PassPart, beside: Any) -> Any:
        is_marked = self._passes.ranking.needs_marks and task[0] == SLICE
        marks = self._passes.codes_of(task) if is_marked else b""
        return self._part.remote(self._passes.plan, task, beside, marks)

    def _wait(self, given: List[Any]) -> List[Any]:
        """Those parts that are done, at least one."""
        while True:
            ready: List[Any] = self._ray.wait(given, timeout=WAIT_SECONDS)[0]
            if ready:
                return ready
            if not self._passes.has_node():
                raise ProcessesDied("no node of the cluster is left")

    def _answer(self, ready: Any) -> PassAnswer:
        try:
            answer: PassAnswer = self._ray.get(ready)
        except self._ray.exceptions.RayTaskError as error:  # the part raised something
            last = [line.strip() for line in str(error).splitlines() if line.strip()][-1]
            raise SolutionError("a node cannot do its part: %s" % last[:300]) from error
        except self._ray.exceptions.RayError as error:
            reason = " ".join(str(error).split())[:300]
            raise ProcessesDied("Ray gave up a part: %s" % reason) from error
        return answer

    def __enter__(self) -> "RayTasks":
        return self

    def __exit__(self, *exception: object) -> None:
        """What was given and is not needed is dropped with this object."""


def living(ray: Any) -> List[Dict[str, Any]]:
    """The nodes of a cluster as Ray describes them, without those that are gone."""
    return [node for node in ray.nodes() if node["Alive"]]


@lru_cache(maxsize=1)
def ranking_for(plan: Plan) -> Ranking:
    """The ranking of a plan, in the process of a node."""
    version, place, position, kind = plan
    if version != VERSION:
        raise SolutionError(
            "pns is %s here, and %s where the solution is built" % (VERSION, version)
        )
    ranking = ranking_of(find_game(place), position, kind)
    assert ranking is not None
    return ranking


def do_part(plan: Plan, task: PassPart, beside: Any, marks: bytes) -> PassAnswer:
    """Do a part on a node, by the packed codes of the slice next to it and its own marks."""
    _, _, start, stop = task
    place = slice(start >> 2, packed_bytes(stop))
    memory = reserve(packed_bytes(stop), "a part", "a smaller position")
    if marks:
        memory[place] = marks
    counts = compute(ranking_for(plan), task, memoryview(beside).cast("B"), bytes_of(memory))
    return stop - start, counts, compressed(memory[place])
