"""Run the cells of a notebook, and store what they print and show in it.

It needs no Jupyter. The cells run in this process, in the current directory, one after another.
"""

from __future__ import annotations

import bootstrap

import argparse
import ast
import json
from contextlib import redirect_stdout
from io import StringIO
from typing import Any, Dict, List

from pns.cli.common import run
from pns.cli.parser import Parser
from pns.system.files import open_whole

__all__ = ["bootstrap", "outputs_of"]

Cell = Dict[str, Any]
Output = Dict[str, Any]


def outputs_of(cells: List[Cell]) -> List[List[Output]]:
    """Run all code cells; returns the outputs of each, as the format of notebooks has them."""
    names: Dict[str, Any] = {"__name__": "__main__"}
    found = []
    for number, cell in enumerate([cell for cell in cells if cell["cell_type"] == "code"], 1):
        found.append(_outputs_of("".join(cell["source"]), number, names))
    return found


def _outputs_of(source: str, number: int, names: Dict[str, Any]) -> List[Output]:
    """Run one cell; its last line, if an expression, is shown unless it is None."""
    place = "<cell %d>" % number
    tree = ast.parse(source, place)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, place, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), place, "eval"), names)
    outputs: List[Output] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        for kind, name in (("image/svg+xml", "_repr_svg_"), ("text/html", "_repr_html_")):
            if hasattr(value, name):
                data = {kind: getattr(value, name)().splitlines(keepends=True)}
        shown = {"execution_count": number, "metadata": {}, "data": data}
        outputs.append({"output_type": "execute_result", **shown})
    return outputs


def main() -> int:
    """Run a notebook and write it again; returns the exit status."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", metavar="FILE.ipynb")
    path = parser.parse_args().path
    with open(path, encoding="utf-8") as stream:
        notebook = json.load(stream)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, outputs) in enumerate(zip(code, outputs_of(notebook["cells"])), 1):
        cell.update(execution_count=number, outputs=outputs)
    with open_whole(path) as file:
        file.write((json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode())
    return 0


if __name__ == "__main__":
    run(main)
