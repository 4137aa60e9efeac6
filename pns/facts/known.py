"""The facts that come with the package, so that nobody has to search for them again.

They are the entries of its certificates, which prove one another. `scripts/make_known.py`
collects them in `pns/data/GAME.known.gz`, a `.spr` file packed by gzip.
"""

from __future__ import annotations

import io
import zlib
from typing import Iterable

from pns.choices import DEFAULT_GAME
from pns.facts.database import FactsError
from pns.facts.spr import TITLE, write_facts
from pns.facts.store import Fact, Facts
from pns.system.files import open_whole
from pns.system.package_data import data_path, read_data

GZIP = 31
"""What zlib calls the format of gzip, whose checksum finds any damage."""


def file_name(game: str) -> str:
    """The file of a game in pns/data; it need not exist."""
    return game + ".known.gz"


def known_facts(game: str = DEFAULT_GAME) -> Facts:
    """The facts of a game that come with the package, in memory; none for most games.

    A search that is given them adds its own to them. `new` counts those that are added.
    Raises FactsError if the file is damaged.

    >>> facts = known_facts()
    >>> facts.get(b"0*2.AB|AB"), facts.new
    (2, 0)
    """
    facts = Facts(game)
    packed = read_data(file_name(game))
    if packed is None:
        return facts
    try:
        title, *lines = zlib.decompress(packed, GZIP).splitlines()
        if title + b"\n" != TITLE:
            raise ValueError("it is not a .spr file")
        facts.supply((land, int(number)) for land, number in (line.split() for line in lines))
    except (ValueError, zlib.error) as error:
        raise FactsError("%s is damaged: %s" % (data_path(file_name(game)), error)) from error
    return facts


def write_known(path: str, facts: Iterable[Fact]) -> int:
    """Write facts sorted by land as a file of this kind; returns their number.

    Raises OSError, and ValueError if they are not sorted.
    """
    text = io.BytesIO()
    number = write_facts(text, facts)
    packer = zlib.compressobj(9, zlib.DEFLATED, GZIP)
    with open_whole(path) as file:
        file.write(packer.compress(text.getvalue()) + packer.flush())
    return number
