"""Draw a Sprouts position: spots with a point for each life, lines that cross nothing.

A text does not have the dead parts of a drawing, and fixes neither on which side of a line a
region lies nor which region is outside; what was chosen is said on standard error.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from typing import Dict, Tuple

import pns
from pns.cli.common import Parser, die, program, warn
from pns.files import open_whole
from pns.sprouts.drawing import draw, draw_move

CONVERTERS: Dict[str, Tuple[str, ...]] = {
    "rsvg-convert": ("--zoom", "2", "--format", "png"),
    "cairosvg": ("-", "--scale", "2", "--format", "png"),
}
"""Programs that turn SVG into PNG, from standard input to standard output."""
FORMATS = (".svg", ".png", ".txt")


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = Parser(
        prog=program(),
        description=__doc__,
        epilog="exit status: 0, 1 when play outgrows what texts can represent, 2 after bad input",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("position", metavar="POSITION", help="like '0*8.AB|0*8.AB'")
    add("--move", metavar="POSITION", help="draw the move that leads there, highlighted")
    add("-o", "--output", metavar="FILE", help="a file that ends in .svg, .png or .txt")
    add("--text", action="store_true", help="lines of Unicode instead of SVG")
    add("--version", action="version", version="pns " + pns.__version__)
    args = parser.parse_args()
    if args.output is not None:
        if args.text:
            parser.error("argument --text: a file that ends in .txt has the text")
        if os.path.splitext(args.output)[1] not in FORMATS:
            parser.error("argument -o: %s does not end in .svg, .png or .txt" % ascii(args.output))
    return args


def main() -> int:
    """Run the program; returns its exit status."""
    args = parse_arguments()
    kind = os.path.splitext(args.output or "")[1] or (".txt" if args.text else ".svg")
    converter = find_converter() if kind == ".png" else ""
    if args.move is None:
        drawing = draw(args.position)
    else:
        drawing = draw_move(args.position, args.move)
    for note in drawing.notes():
        warn(note)
    picture = drawing.text() if kind == ".txt" else drawing.svg()
    if args.output is None:
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
        sys.stdout.write(picture)
        return 0
    content = picture.encode()
    if kind == ".png":
        content = converted(content, converter)
    with open_whole(args.output) as stream:
        stream.write(content)
    return 0


def find_converter() -> str:
    """The first program of CONVERTERS that is installed; exits if there is none."""
    for name in CONVERTERS:
        if shutil.which(name):
            return name
    die("PNG needs one of the programs %s; write .svg instead" % ", ".join(CONVERTERS))


def converted(picture: bytes, converter: str) -> bytes:
    """An SVG picture as PNG, in twice its size; exits if the converter fails."""
    command = [converter, *CONVERTERS[converter]]
    done = subprocess.run(command, input=picture, stdout=subprocess.PIPE, check=False)
    if done.returncode or not done.stdout:
        die("%s failed with status %d" % (converter, done.returncode))
    return done.stdout
