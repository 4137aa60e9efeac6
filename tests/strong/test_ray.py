"""Strong solutions by a Ray cluster on this machine: the same bytes, and nodes that die."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Dict, Iterator, List, Optional, Tuple

import pytest
from helpers.inprocess import Caller
from helpers.paths import ROOT
from helpers.ray_nodes import for_one_test, open_cluster

from pns.cli.commands import strong
from pns.front.memory import TooLittleMemory
from pns.parallel.processes import ProcessesDied
from pns.strong import SolutionError, build_solution, ranked
from pns.strong.ray_passes import do_part, ranking_for

try:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray.cluster_utils
except ImportError:
    ray = None

needs_ray = pytest.mark.skipif(ray is None, reason="Ray is missing: pip install ray")
GAMES = [
    ("mnk", "3v:....|....|...."),
    ("pentago", "OOOXXO|XX...O|X.XXXO|O.OOOO|OX...X|.OXXX."),
    ("hex", "...|...|..."),
]
STORE_BYTES = 80_000_000
"""The least object store that Ray takes."""
NODE = {"CPU": 1.0, "memory": 1e12, "object_store_memory": 1e9}


@pytest.fixture
def call(capsys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Caller:
    monkeypatch.chdir(tmp_path)
    return Caller(capsys, monkeypatch, "pns strong")


def contents(path: Path) -> Dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}


class NodesHere:
    """Stands in for the module of Ray: the nodes are this process, the last part is done first."""

    class exceptions:
        class RayError(Exception):
            """Ray gave up."""

        class RayTaskError(RayError):
            """A part raised something."""

    def __init__(self, *resources: Dict[str, float]) -> None:
        self.resources = list(resources)
        self.parts = 0
        self.dies_after = -1
        self.failure: Optional[Exception] = None
        self._answers: Dict[int, Any] = {}

    def nodes(self) -> List[Dict[str, Any]]:
        gone = {"Alive": False, "Resources": NODE}
        found = [
            {"Alive": True, "NodeManagerHostname": "n%d" % number, "Resources": resources}
            for number, resources in enumerate(self.resources)
        ]
        return [*found, gone]

    def cluster_resources(self) -> Dict[str, float]:
        return {"CPU": sum([found["CPU"] for found in self.resources])}

    def put(self, value: Any) -> bytes:
        return bytes(value.raw())

    def remote(self, function: Any) -> Any:
        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=self._do))

    def _do(self, *words: Any) -> int:
        if self.parts == self.dies_after:
            self.resources.clear()
        self.parts += 1
        self._answers[self.parts] = do_part(*words)
        return self.parts

    def wait(self, given: List[int], timeout: float) -> Tuple[List[int], List[int]]:
        return (given[-1:], given[:-1]) if self.resources else ([], given)

    def get(self, ready: int) -> Any:
        if self.failure:
            raise self.failure
        return self._answers.pop(ready)


@pytest.fixture
def short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts so short that small games have several."""
    monkeypatch.setattr(ranked, "PART", 256)


@pytest.mark.parametrize("game, root", GAMES)
def test_answers_in_any_order_make_the_same_bytes(
    game: str, root: str, tmp_path: Path, short_parts: None
) -> None:
    build_solution(game, root, str(tmp_path / "here"))
    nodes = NodesHere(NODE, NODE)
    build_solution(game, root, str(tmp_path / "there"), ray=nodes)
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    assert nodes.parts > 15


@pytest.mark.slow
def test_sections_have_the_same_bytes(tmp_path: Path) -> None:
    root = "....|....|....|...."
    build_solution("pentago", root, str(tmp_path / "here"), sections=True)
    build_solution("pentago", root, str(tmp_path / "there"), sections=True, ray=NodesHere(NODE))
    assert contents(tmp_path / "there") == contents(tmp_path / "here")


def test_what_is_finished_stays_when_the_cluster_dies(tmp_path: Path, short_parts: None) -> None:
    game, root = GAMES[0]
    build_solution(game, root, str(tmp_path / "here"))
    path = tmp_path / "there"
    nodes = NodesHere(NODE)
    nodes.dies_after = 60
    with pytest.raises(ProcessesDied, match="no node of the cluster is left"):
        build_solution(game, root, str(path), ray=nodes)
    kept = contents(path)
    assert any([name.startswith("slice") for name in kept])
    nodes = NodesHere(NODE)
    nodes.failure = nodes.exceptions.RayError("two\nlines")
    with pytest.raises(ProcessesDied, match="Ray gave up a part: two lines"):
        build_solution(game, root, str(path), ray=nodes)
    nodes.failure = nodes.exceptions.RayTaskError("a trace\nOops: a fault\n")
    with pytest.raises(SolutionError, match="a node cannot do its part: Oops: a fault$"):
        build_solution(game, root, str(path), ray=nodes)
    build_solution(game, root, str(path), processes=2)  # without the cluster
    assert contents(path) == contents(tmp_path / "here")
    assert {name: data for name, data in kept.items() if name.startswith("slice")}.items() <= (
        contents(path).items()
    )


@pytest.mark.parametrize(
    "node, why",
    [
        ({**NODE, "CPU": 0.0}, "no node of the cluster has a core and 1.. MB of memory"),
        ({**NODE, "memory": 1e7}, "no node of the cluster has a core and 1.. MB of memory"),
        ({**NODE, "object_store_memory": 9.0}, "object store, and that of n0 has 0 MB"),
    ],
)
def test_nodes_that_are_too_small_are_refused(
    node: Dict[str, float], why: str, tmp_path: Path
) -> None:
    with pytest.raises(TooLittleMemory, match=why):
        build_solution(*GAMES[0], str(tmp_path / "new"), ray=NodesHere(node))
    assert not (tmp_path / "new").exists()


def test_another_version_is_refused() -> None:
    with pytest.raises(SolutionError, match="pns is .* here, and 0.0 where"):
        ranking_for(("0.0", "mnk", "3:...|...|...", "ranked"))


def test_lists_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SolutionError, match="a cluster does parts of ranked positions only"):
        build_solution("cram", "...", str(tmp_path / "new"), ray=NodesHere(NODE))
    assert not (tmp_path / "new").exists()


@pytest.fixture(scope="module")
def head() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        yield from open_cluster(object_store_memory=STORE_BYTES)


@pytest.fixture
def cluster(head: Any) -> Iterator[Any]:
    yield from for_one_test(head)


@needs_ray
def test_two_nodes_of_which_one_is_killed(
    cluster: Any, tmp_path: Path, short_parts: None, call: Caller
) -> None:
    game, root = GAMES[0]
    build_solution(game, root, str(tmp_path / "here"))
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES) for _ in range(2)]
    done = []

    def kill(*_: object) -> None:
        done.append(1)
        if len(done) == 40:
            cluster.remove_node(nodes.pop(), allow_graceful=False)

    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    try:
        build_solution(game, root, str(tmp_path / "there"), observer=kill, ray=ray)
    finally:
        ray.shutdown()
    assert len(nodes) == 1 and len(done) > 60
    assert contents(tmp_path / "there") == contents(tmp_path / "here")

    words = ("build", game, root, "new", "--quiet", "--json", "--ray", cluster.address)
    built = call(strong.main, *words)
    assert built.status == 0 and json.loads(built.output[-1])["game"] == game, built
    assert contents(tmp_path / "new") == contents(tmp_path / "here")
