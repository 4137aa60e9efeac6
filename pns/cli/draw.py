"""Draw a Sprouts position as SVG, PNG or lines of Unicode."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from typing import Dict, Optional, Tuple

from pns.cli.common import die, program, warn
from pns.cli.draw_options import draw_parser
from pns.files import open_whole
from pns.sprouts.drawing import draw, draw_move

CONVERTERS: Dict[str, Tuple[str, ...]] = {
    "rsvg-convert": ("--zoom", "2", "--format", "png"),
    "cairosvg": ("-", "--scale", "2", "--format", "png"),
}
"""Programs that turn SVG into PNG, from standard input to standard output."""


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None:
        args = draw_parser(program()).parse_args()
    kind = os.path.splitext(args.output or "")[1] or (".txt" if args.text else ".svg")
    converter = find_converter() if kind == ".png" else ""
    if args.move is None:
        drawing = draw(args.position)
    else:
        drawing = draw_move(args.position, args.move)
    for note in drawing.notes():
        warn(note)
    content = (drawing.text() if kind == ".txt" else drawing.svg()).encode()
    if kind == ".png":
        content = converted(content, converter)
    if args.output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
    else:
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
