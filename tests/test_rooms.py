"""The rooms of the package: every import leads to a room below the one that it is in."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

from helpers.paths import ROOT

from pns.choices import GAMES

ROOMS = """
version checker system choices usage game finding facts positions search sprouts games misere dfpn
tree pn2 pnstree parallel pdfpn spdfpn ppn2 saving proofs jobs front strong master worker leader
distributed local_solvers algorithms solver simulation tools play web pns
cli.common cli.foreign cli.layout cli.parser cli.options cli.knowledge cli.reports
cli.terminal cli.metrics cli.main cli.reference cli.commands __main__
""".split()
"""The folders and files of pns/ and of pns/cli/, from the ground up. `pns` is pns/__init__.py."""


def modules() -> Dict[str, Path]:
    """All modules of the package, with their files."""
    found = {}
    for path in sorted(ROOT.glob("pns/**/*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def room_of(module: str) -> str:
    """The room of a module, with the folders of pns/cli/ apart.

    >>> room_of("pns.dfpn"), room_of("pns.facts.spr"), room_of("pns.cli.options.why")
    ('dfpn', 'facts', 'cli.options')
    """
    parts = module.split(".")[1:] or ["pns"]
    return ".".join(parts[: 2 if parts[0] == "cli" else 1])


def imports(node: ast.AST) -> Iterator[Tuple[str, str]]:
    """(module, name) of each import, wherever it stands; "" for the name of a whole module.

    Imports for types alone are left out.
    """
    if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        return
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield node.module or "", alias.name
    elif isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name, ""
    for child in ast.iter_child_nodes(node):
        yield from imports(child)


def arrows(files: Dict[str, Path]) -> Set[Tuple[str, str]]:
    """(module, module that it imports) within the package."""
    found = set()
    for module, path in files.items():
        for other, name in imports(ast.parse(path.read_text())):
            if other.split(".")[0] == "pns":
                whole = "%s.%s" % (other, name)
                found.add((module, whole if whole in files else other))
    return found


def upward(found: Set[Tuple[str, str]]) -> List[str]:
    """The imports that lead from a room to one above it."""
    rank = {room: i for i, room in enumerate(ROOMS)}
    return [
        "%s imports %s" % (module, other)
        for module, other in sorted(found)
        if rank[room_of(module)] < rank[room_of(other)]
    ]


def test_every_room_is_listed_once() -> None:
    rooms = {room_of(module) for module in modules()}
    assert sorted(ROOMS) == sorted(rooms - {"cli"})


def test_imports_lead_downwards() -> None:
    """With one order of all rooms there is no circle between them, either."""
    assert upward(arrows(modules())) == []


def test_the_checker_imports_nothing_else_of_the_package() -> None:
    """So it shares no code with the search that wrote a certificate."""
    found = [other for module, other in arrows(modules()) if room_of(module) == "checker"]
    assert len(found) > 10
    assert {room_of(other) for other in found} == {"checker"}


NAMED_IN = {
    "pns.choices": "the list of games, the default game, and what command lines say of some games",
    "pns.checker.check": "the default game of the checker",
    "pns.checker.games": "the list of the checker's games",
    "pns.checker.reading": "only certificates of Sprouts have exchanges",
    "pns.cli.main": "the command octal",
    "pns.cli.options.check_game": "an example",
    "pns.cli.options.strong": "an example",
    "pns.simulation.measured": "a small game, whose search shows what messages cost",
    "pns.tools.mcgs": "the list of the games in test files of another solver",
    "pns.web.gallery": "a collection of results of games",
}
"""Modules that may name a game in their code, with the reason."""


def games_named(module: str, path: Path) -> List[str]:
    """The names of games in a module's code, those of its own room left out."""
    code = ast.walk(ast.parse(path.read_text()))
    words = {str(node.value) for node in code if isinstance(node, ast.Constant)}
    own = [name for name in GAMES if (module + ".").startswith(GAMES[name] + ".")]
    return sorted(words & set(GAMES) - set(own))


def test_no_module_names_a_game_of_another_room() -> None:
    """What a game can do is asked of its members: the `Supports...` of the contract."""
    named = {module for module, path in modules().items() if games_named(module, path)}
    assert named == set(NAMED_IN)


def test_a_comparison_with_the_name_of_a_game_is_found(tmp_path: Path) -> None:
    path = tmp_path / "audit.py"
    path.write_text("def f(game):\n    return game.name == 'sprouts'\n")
    assert games_named("pns.proofs.audit", path) == ["sprouts"]
    assert games_named("pns.sprouts.moves", path) == []


def test_an_import_upwards_is_found(tmp_path: Path) -> None:
    path = tmp_path / "dfpn.py"
    path.write_text("def f():\n    from pns.master import Master\n    return Master\n")
    assert upward(arrows({"pns.dfpn": path})) == ["pns.dfpn imports pns.master"]


def test_the_page_on_architecture_lists_every_room() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    table = text[text.index("## Rooms") : text.index("## The contract of a game")]
    names = {room.split(".")[-1] for room in ROOMS} - {"pns", "foreign", "knowledge"}
    names -= {"reference", "__main__"}
    missing = [
        name
        for name in names
        if not {name + "/", name + ".py"} & set(re.findall(r"[\w./]+", table))
    ]
    assert missing == []
