"""Write the reference of the Python API, from the signatures and docstrings of what pns exports.

The text is Markdown, on standard output. The documentation site makes the page in the same way.
"""

from __future__ import annotations

import bootstrap

import ast
import inspect
import re
from pathlib import Path
from typing import Any, Dict, Iterator, Optional, Tuple

import pns
from pns.choices import DEFAULT_GAME
from pns.cli.common import run
from pns.cli.parser import Parser

__all__ = ["GROUPS", "api_page", "bootstrap"]

GROUPS: Dict[str, Tuple[str, ...]] = {
    "Solve": (
        "solve",
        "Options",
        "Result",
        "Usage",
        "Distribution",
        "grundy_number",
        "value",
        "children",
    ),
    "Watch and stop a search": ("Solver", "Progress", "StopToken", "Prior"),
    "Proofs": ("Why", "Certificate", "audit_facts", "AuditReport"),
    "Facts": ("read_facts", "FactsReader", "FactsStatistics", "Facts", "open_facts", "known_facts"),
    "Strong solutions": (
        "build_solution",
        "build_lands",
        "read_solution",
        "StrongSolution",
        "SolvedMove",
        "SolutionSlice",
        "check_solution",
        "SolutionReport",
    ),
    "Drawings": ("draw", "PositionDrawing"),
    "Games": ("Game", "register"),
    "Errors": (
        "NotationError",
        "OptionError",
        "FactsError",
        "Contradiction",
        "CheckpointError",
        "SolutionError",
        "SearchFailed",
        "ProcessesDied",
        "TooLarge",
        "NoMemory",
        "TooLittleMemory",
    ),
}
"""All public names of pns but the version, in the order of the page."""
INTRODUCTION = """\
# Python API

Everything here is imported from `pns`: `import pns`, then `pns.solve(...)`. Other names of the
package may change at any time. `docs/guides/python.md` shows how to use it.

`pns.__version__` is the version of the package.
"""
EXAMPLE = re.compile(r"^>>> .*?(?=^\s*$|\Z)", re.MULTILINE | re.DOTALL)
Definition = Any
"""The syntax tree of a class or a function."""


def api_page() -> str:
    """The page, in Markdown."""
    return "\n".join([INTRODUCTION, *_groups()])


def _groups() -> Iterator[str]:
    for title, names in GROUPS.items():
        yield "## %s\n" % title
        for name in names:
            yield "### %s\n" % name
            node = _definition(name)
            if isinstance(node, ast.FunctionDef):
                yield _code(_signature(node))
                yield _prose(ast.get_docstring(node) or "")
            else:
                yield from _class(node, getattr(pns, name))


def _definition(name: str) -> Definition:
    """The syntax tree of what pns exports under a name."""
    value = getattr(pns, name)
    path = Path(str(inspect.getsourcefile(value)))
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == value.__name__:
            return node
    raise LookupError("%s does not define %s" % (path, name))


def _class(node: ast.ClassDef, value: object) -> Iterator[str]:
    """The docstring of a class, then its public members."""
    bases = [ast.unparse(base) for base in node.bases]
    yield _code("class %s%s" % (node.name, "(%s)" % ", ".join(bases) if bases else ""))
    yield _prose(ast.get_docstring(node) or "")
    for signature, text in _members(node, value):
        yield "**`%s`**\n" % signature
        if text:
            yield _prose(text)


def _members(node: ast.ClassDef, value: object) -> Iterator[Tuple[str, str]]:
    """(signature, docstring) of each public attribute, property and method of a class."""
    for item, following in zip(node.body, [*node.body[1:], None]):
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            if isinstance(item.value, ast.Name):  # a constant: show its value
                item.value = ast.Constant(getattr(value, item.target.id))
            elif isinstance(item.value, ast.Call):  # of dataclasses.field
                item.value = None
            if not item.target.id.startswith("_"):
                yield ast.unparse(item), _text(following)
        elif isinstance(item, ast.FunctionDef) and item.name == "__init__":
            yield from _attributes(item)
        elif isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
            text = ast.get_docstring(item) or ""
            if "property" in [ast.unparse(decorator) for decorator in item.decorator_list]:
                yield "%s: %s" % (item.name, ast.unparse(item.returns or ast.Constant(None))), text
            else:
                yield _signature(item), text


def _attributes(node: ast.FunctionDef) -> Iterator[Tuple[str, str]]:
    """(name, docstring) of each public attribute that a constructor documents."""
    for item, following in zip(node.body, [*node.body[1:], None]):
        if isinstance(item, (ast.Assign, ast.AnnAssign)) and _text(following):
            target = item.targets[0] if isinstance(item, ast.Assign) else item.target
            if isinstance(target, ast.Attribute) and not target.attr.startswith("_"):
                kind = (
                    ": " + ast.unparse(item.annotation) if isinstance(item, ast.AnnAssign) else ""
                )
                yield target.attr + kind, _text(following)


def _text(node: Optional[ast.stmt]) -> str:
    """The text of a statement that is only a string, else ""."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        if isinstance(node.value.value, str):
            return inspect.cleandoc(node.value.value).strip()
    return ""


def _signature(node: ast.FunctionDef) -> str:
    """A function as it is called, without `self`."""
    parameters = re.sub(r"^(self|cls)(, |$)", "", ast.unparse(node.args))
    parameters = parameters.replace("DEFAULT_GAME", repr(DEFAULT_GAME))
    result = " -> %s" % ast.unparse(node.returns) if node.returns else ""
    return "%s(%s)%s" % (node.name, parameters, result)


def _code(text: str) -> str:
    return "```python\n%s\n```\n" % text


def _prose(text: str) -> str:
    """A docstring in Markdown: its examples become blocks of code."""
    return EXAMPLE.sub(lambda match: "```pycon\n%s\n```" % match.group().rstrip(), text) + "\n"


def main() -> int:
    """Print the page; returns the exit status."""
    Parser(description=__doc__).parse_args()
    print(api_page(), end="")
    return 0


if __name__ == "__main__":
    run(main)
