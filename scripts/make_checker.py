"""Writes `scripts/check_certificate.py`, one file that needs only Python, from `pns/checker/`.

    pypy3 scripts/make_checker.py

Its docstring is that of the last module. Each module follows as it is written, below its own
docstring as a comment. Imports of the standard library are put together at the top, and those of
other modules of `pns/checker/` are left out, since their names stand above.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path
from typing import Dict, List, Set, Tuple, Union

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "pns" / "checker"
TARGET = ROOT / "scripts" / "check_certificate.py"
MODULES = (
    "work sprouts sprouts_tails reduced_games misere_tails misere sums boards nogo node_kayles"
    " octal games reading check command"
).split()
"""The parts in their order: each imports from parts before it only."""
WIDTH = 100
NOTICE = "# Made by scripts/make_checker.py from the modules of pns/checker/: change those.\n"


def combined(parts: Dict[str, str]) -> str:
    """One program from the texts of modules, by name, in order.

    Raises ValueError for a name that has two meanings, and for an import under another name or of
    a module that is neither above nor in the standard library.
    """
    whole: Set[str] = set()
    names: Dict[str, Set[str]] = {}
    bodies: List[str] = []
    above: List[str] = []
    docstring = ""
    for module, text in parts.items():
        tree = ast.parse(text)
        docstring = ast.get_docstring(tree) or ""
        start = 1 + max(node.end_lineno or 0 for node in tree.body[:1])
        for node in tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                start = 1 + (node.end_lineno or 0)
                note_import(node, module, above, whole, names)
        body = "\n".join(text.split("\n")[start - 1 :]).strip("\n")
        title = docstring if module != list(parts)[-1] else ""
        blank = "\n\n\n" if body.startswith(("def ", "class ", "@")) else "\n\n"
        bodies.append(heading(module, title) + blank + body)
        above.append(module)
    check_names(
        [
            *[name for text in parts.values() for name in defined(ast.parse(text))],
            *whole.union(*names.values()),
        ]
    )
    head = '"""%s\n"""\n\n%s\nfrom __future__ import annotations\n\n%s\n'
    return head % (docstring, NOTICE, import_lines(whole, names)) + "\n\n\n".join(bodies) + "\n"


def note_import(
    node: Union[ast.Import, ast.ImportFrom],
    module: str,
    above: List[str],
    whole: Set[str],
    names: Dict[str, Set[str]],
) -> None:
    """Add an import of a module to those of all."""
    text = "%s: %s" % (module, ast.unparse(node))
    if any(alias.asname for alias in node.names):
        raise ValueError("%s: an import under another name" % text)
    source = (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name) or ""
    if source.split(".")[0] == "pns":
        if source.rpartition("pns.checker.")[2] not in above:
            raise ValueError("%s: not a module above" % text)
    elif isinstance(node, ast.Import):
        whole.update(alias.name for alias in node.names)
    elif source != "__future__":
        names.setdefault(source, set()).update(alias.name for alias in node.names)


def defined(tree: ast.Module) -> List[str]:
    """The names that a module defines at its top."""
    found: List[str] = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.append(node.name)
        elif isinstance(node, ast.Assign):
            targets = [name for target in node.targets for name in ast.walk(target)]
            found += [name.id for name in targets if isinstance(name, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.append(node.target.id)
    return found


def check_names(names: List[str]) -> None:
    """Raise ValueError for a name that occurs twice: one would replace the other."""
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise ValueError("defined twice: %s" % ", ".join(twice))


def heading(module: str, docstring: str) -> str:
    """The title of a part, and its docstring as a comment."""
    title = ("# %s " % module.replace("_", " ").capitalize()).ljust(77, "-")
    lines = [("# " + line).rstrip() for line in docstring.strip().split("\n") if docstring]
    return "\n".join([title, "#", *lines] if lines else [title])


def import_lines(whole: Set[str], names: Dict[str, Set[str]]) -> str:
    """The imports of the standard library, sorted as a linter wants them."""
    lines = ["import %s\n" % name for name in sorted(whole)]
    for module, some in sorted(names.items()):
        order = sorted(some, key=kind_and_name)
        line = "from %s import %s\n" % (module, ", ".join(order))
        if len(line) > WIDTH + 1:
            line = "from %s import (\n%s)\n" % (module, "".join("    %s,\n" % n for n in order))
        lines.append(line)
    return "".join(lines)


def kind_and_name(name: str) -> Tuple[int, str]:
    """Constants come first, then classes, then functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def make() -> str:
    """The text of the checker."""
    return combined({name: (SOURCE / (name + ".py")).read_text("utf-8") for name in MODULES})


if __name__ == "__main__":
    TARGET.write_text(make(), "utf-8")
