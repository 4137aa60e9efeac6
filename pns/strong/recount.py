"""Checks the files of the slices of a strong solution against its header, and their values counted.

A ranked position counts each of its images, which the codes do not show. So of rankings only the
values that occur are compared, and `check_solution` counts with the passes if that is asked.
"""

from __future__ import annotations

import os
import re
from typing import Any, Dict, Iterator, List, Set, Tuple

from pns.positions.ranking import NONE, packed_bytes
from pns.strong.blocks import BlockFile, SolutionError
from pns.strong.codes import OUTCOME, OUTCOMES, by_value
from pns.strong.folder import HEADER, SLICE, Folder
from pns.strong.kinds import LISTED
from pns.strong.lands import LANDS_OF_BLOCK, read_block
from pns.strong.manifest import invalid
from pns.strong.ranked import PART

SHIFTS = (0, 2, 4, 6)
"""Of the codes in a byte."""


def slice_faults(folder: Folder, header: Dict[str, Any], number: int) -> Tuple[int, List[str]]:
    """The number of blocks of a slice that are as they were written, and what is wrong with it."""
    record = header["slices"][number]
    reader = _Reader(header)
    try:
        file = folder.open(SLICE, number, record["digest"])
        try:
            for block in file:
                reader.add(file, block)
        finally:
            file.close()
        known = folder.record(number)
    except SolutionError as error:
        return reader.blocks, [str(error)]
    faults = []
    for name in [*record, *[name for name in known if name not in record]]:
        if record.get(name) != known.get(name):
            field = "slices[%d].%s" % (number, name)
            expected = "%s, as %s says" % (ascii(known.get(name)), os.path.basename(file.path))
            wrong = invalid(field, record.get(name), expected)
            faults.append("%s: %s" % (os.path.join(folder.path, HEADER), wrong))
    wrong = reader.fault(file)
    if wrong and not faults:
        faults.append("%s: %s" % (file.path, wrong))
    return reader.blocks, faults


def surplus_files(folder: Folder, slices: int) -> Iterator[str]:
    """The files of slices that the header does not have."""
    known = {os.path.basename(folder.name(SLICE, number)) for number in range(slices)}
    for name in sorted(os.listdir(folder.path)):
        if re.fullmatch(SLICE + r"-.*\.pns", name) and name not in known:
            yield "%s: slice is not in the header; expected %d slices" % (
                os.path.join(folder.path, name),
                slices,
            )


class _Reader:
    """Counts what the blocks of a slice have."""

    def __init__(self, header: Dict[str, Any]) -> None:
        self.blocks = 0
        self._is_listed = header["kind"] == LISTED
        self._values = header["values"]
        self._counts = [0] * 256
        self._firsts: List[str] = []
        self._last = b""
        self._lengths: List[int] = []
        self._seen: Set[int] = {NONE}
        self._known = self._made_of_seen()

    def add(self, file: BlockFile, block: bytes) -> None:
        """Count a block; raises SolutionError for one of another form."""
        self.blocks += 1
        if not self._is_listed:
            self._lengths.append(len(block))
            rest = block.translate(None, self._known)
            if rest:
                self._seen.update([byte >> shift & 3 for byte in set(rest) for shift in SHIFTS])
                self._known = self._made_of_seen()
            return
        try:
            lands, codes = read_block(block)
            if any([low >= high for low, high in zip([self._last, *lands], lands)]):
                raise ValueError("its lands are not sorted")
            self._firsts.append(lands[0].decode("ascii"))
        except ValueError as error:
            wrong = "%s: block %d: %s"
            raise SolutionError(wrong % (file.path, self.blocks, error)) from None
        self._last = lands[-1]
        self._lengths.append(len(lands))
        for code in codes:
            self._counts[code] += 1

    def _made_of_seen(self) -> bytes:
        """The bytes whose codes were all seen before."""
        seen = self._seen
        return bytes([b for b in range(256) if all([b >> s & 3 in seen for s in SHIFTS])])

    def fault(self, file: BlockFile) -> str:
        """What the head of the file has otherwise, "" for nothing."""
        about = file.about
        positions, entries = about["positions"], about["entries"]
        if self._is_listed:
            if self._lengths != _parts(entries, LANDS_OF_BLOCK):
                return invalid("entries", entries, "%d, as its blocks have" % sum(self._lengths))
            if about["firsts"] != self._firsts:
                return invalid("firsts", about["firsts"], "the first land of each block")
            most = len(OUTCOMES) if self._values == OUTCOME else len(self._counts)
            found = by_value(self._counts[:most], self._values)
            if positions != found:
                return invalid("positions", positions, "%s, as its values are" % ascii(found))
            return ""
        if self._lengths != [packed_bytes(size) for size in _parts(entries, PART)]:
            return invalid("entries", entries, "as many as its blocks have")
        names = [OUTCOMES[code] for code in sorted(self._seen) if code]
        if set(names) != set(positions):
            return invalid("positions", positions, "counts of %s" % (", ".join(names) or "nothing"))
        return ""


def _parts(entries: int, most: int) -> List[int]:
    """The entries of each block."""
    return [min(most, entries - start) for start in range(0, entries, most)]
