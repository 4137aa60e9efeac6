"""Draw a position as SVG, PNG or lines of Unicode; on a terminal as the latter."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from typing import Dict, Optional, Tuple

from pns.choices import DRAWN_GAMES
from pns.cli.common import die, program, warn
from pns.cli.options.draw import draw_parser
from pns.finding import find_game
from pns.front.pictures import picture_of
from pns.game import Picture
from pns.sprouts.drawing import IllegalMove, draw, draw_move
from pns.system.files import open_whole

CONVERTERS: Dict[str, Tuple[str, ...]] = {
    "rsvg-convert": ("--zoom", "2", "--format", "png"),
    "cairosvg": ("-", "--scale", "2", "--format", "png"),
}
"""Programs that turn SVG into PNG, from standard input to standard output."""


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None:
        args = draw_parser(program()).parse_args()
    is_text = args.text or sys.stdout.isatty()
    kind = os.path.splitext(args.out or "")[1] or (".txt" if is_text else ".svg")
    converter = find_converter() if kind == ".png" else ""
    found = sprouts(args) if args.game in DRAWN_GAMES else board(args)
    content = (found.text if kind == ".txt" else found.svg).encode()
    if kind == ".png":
        content = converted(content, converter)
    if args.out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
    else:
        with open_whole(args.out) as stream:
            stream.write(content)
    return 0


def sprouts(args: argparse.Namespace) -> Picture:
    """A position or a move of Sprouts; what was chosen is said."""
    if args.move is None:
        drawing = draw(args.position)
    else:
        try:
            drawing = draw_move(args.position, args.move)
        except IllegalMove as error:
            die("argument --move: %s" % error)
    for note in drawing.notes():
        warn(note)
    return Picture(drawing.svg(), drawing.text())


def board(args: argparse.Namespace) -> Picture:
    """A position of another game; exits if it has no drawings."""
    game = find_game(args.game)
    found = picture_of(game, game.parse(args.position))
    if found is None:
        die("argument --game: positions of %s cannot be drawn" % game.name)
    return found


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
