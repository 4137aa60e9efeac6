"""Samples of a strong solution as text, by which others can verify theirs.

    [Strong solution samples 1]
    game NAME
    root POSITION
    POSITION VALUE              as many lines as there are samples
    sha256 DIGEST               of all lines before, each with its LF, in hexadecimal

A value is "win", "draw" or "loss" for the player to move, or a Grundy number. Of a list it is that
of the land.
"""

from __future__ import annotations

from hashlib import sha256
from random import Random
from typing import Iterator, List, NamedTuple, Tuple

from pns.game import NotationError
from pns.strong.solution import StrongSolution
from pns.system.files import read_some, require_regular

TITLE = "[Strong solution samples 1]"
MOST_BYTES = 1 << 30
"""The largest file that is read."""


class SamplesError(ValueError):
    """A text is not a list of samples; the message says where and what is wrong."""


class Samples(NamedTuple):
    """What a file of samples says."""

    game: str
    root: str
    values: List[Tuple[str, str]]
    """(position, value)."""


def digest_of(text: str) -> str:
    """The digest of the lines of samples."""
    return sha256(text.encode("ascii")).hexdigest()


def samples_text(solution: StrongSolution, count: int, seed: int) -> str:
    """Some positions of a solution with their values; the same ones for the same seed."""
    random = Random(seed)
    lines = [TITLE, "game " + solution.game, "root " + solution.position]
    for _ in range(count):
        position = solution.sample(random)
        lines.append("%s %s" % (position, solution.stored(position)))
    text = "".join([line + "\n" for line in lines])
    return "%ssha256 %s\n" % (text, digest_of(text))


def read_samples(path: str) -> Samples:
    """Read samples; raises SamplesError for a text of another kind or damage, and OSError."""
    require_regular(path)
    with open(path, "rb") as stream:
        data = read_some(stream, MOST_BYTES)
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        raise SamplesError("%s: not a text of samples" % path) from None
    body, mark, end = text.rpartition("sha256 ")
    lines = body.split("\n")
    if not text.startswith(TITLE + "\n"):
        raise SamplesError("%s:1: invalid first line; expected %s" % (path, TITLE))
    if not mark or not body.endswith("\n"):
        raise SamplesError("%s: it does not end in a line with sha256" % path)
    if end != digest_of(body) + "\n":
        raise SamplesError("%s: the digest of its lines is wrong" % path)
    fields: List[Tuple[str, str]] = []
    for number, line in enumerate(lines[1:-1], 2):
        first, _, second = line.partition(" ")
        if not first or not second or " " in second:
            raise SamplesError("%s:%d: expected two words" % (path, number))
        fields.append((first, second))
    if [name for name, _ in fields[:2]] != ["game", "root"]:
        raise SamplesError("%s:2: the game and the root are missing" % path)
    return Samples(fields[0][1], fields[1][1], fields[2:])


def disagreements(solution: StrongSolution, samples: Samples) -> Iterator[str]:
    """What a solution says otherwise; raises SamplesError for samples of another game."""
    if samples.game != solution.game:
        wrong = "samples of %s, and a solution of %s"
        raise SamplesError(wrong % (samples.game, solution.game))
    for position, value in samples.values:
        try:
            found = solution.stored(position)
        except NotationError as error:
            yield "invalid position %s in the samples: %s" % (position, error)
            continue
        if found != value:
            known = "has value %s" % found if found else "is not in the solution"
            yield "%s %s, by the samples %s" % (position, known, value)
