"""The passes over a game whose lands are listed: they need no code of the game.

Slices are the lands of equal size (`Game.estimate`), which is less for every child. The forward
pass takes the slices from the root on: one is complete when all of larger lands are, and its
children go to later ones. What lands a slice leads to first is written, too, so that a pass that
was stopped goes on after the last whole slice. The backward pass gives each land its value from
those of its children. In both, processes generate the children of 1024 lands at a time.
"""

from __future__ import annotations

from itertools import count
from typing import Any, Dict, Iterable, Iterator, List, Optional, Set, Tuple

from pns.front.memory import BYTES_PER_PROCESS, TooLittleMemory
from pns.game import Game, Land, limit_caches
from pns.parallel.tasks import TaskPool
from pns.positions.ranking import LOSS, NONE, WIN
from pns.strong.blocks import BlockFile, SolutionError, compressed
from pns.strong.codes import GRUNDY_NUMBER, MOST_GRUNDY_NUMBER, OUTCOME, by_value
from pns.strong.folder import FOUND, MARKS, SLICE, BuildObserver, Folder
from pns.strong.lands import (
    LAND_BYTES,
    LANDS_OF_BLOCK,
    EqualHashes,
    LandCodes,
    land_block,
    read_block,
)

MOST_REPORTED = 100_000
"""Lands that a process remembers to have reported."""
SET_BYTES = 120
"""About the memory of a land in a set, beside its text."""
CACHE_BYTES = 50_000_000
"""The bound of the game's caches in each process."""
PROCESS_BYTES = BYTES_PER_PROCESS + CACHE_BYTES + 200 * MOST_REPORTED
SALTS = (b"", b"1", b"2", b"3")
SliceBlock = Tuple[int, int]
"""A slice and a block of it."""


def held_by(lands: List[Land]) -> int:
    """About the bytes that lands take in a set."""
    return SET_BYTES * len(lands) + sum(map(len, lands))


class ListedPasses:
    """The forward and the backward pass over all lands that play from some lands reaches."""

    def __init__(self, game: Game, roots: Iterable[Land], processes: int) -> None:
        self.game = game
        self.values = GRUNDY_NUMBER if game.decomposes else OUTCOME
        self.processes = processes
        self._roots = set(roots)
        self._reported: Set[Land] = set()
        self._file: Optional[Tuple[int, BlockFile]] = None
        self.slices: List[int] = []
        """The number of lands in each slice."""

    def memory(self) -> int:
        """About the bytes that the processes take, without the lands."""
        return PROCESS_BYTES * (1 + (self.processes if self.processes > 1 else 0))

    def run(self, folder: Folder, observe: BuildObserver, most_memory: int) -> None:
        """Do what is left of both passes.

        Raises ProcessesDied, TooLittleMemory, NoMemory, SolutionError and OSError.
        """
        self._folder, self._observe = folder, observe
        self._room = most_memory - self.memory()
        limit_caches(self.game, CACHE_BYTES)
        try:
            self._list()
            lands = sum(self.slices)
            self._require(lands * LAND_BYTES, lands)
            numbers = range(len(self.slices) - 1, -1, -1)
            filled = folder.finished(SLICE, numbers)
            self.load(folder, filled)
            with TaskPool(self.processes, self._solve) as pool:
                for number in numbers[len(filled) :]:
                    self._fill(pool, number)
        finally:
            limit_caches(self.game, None)

    def _require(self, size: int, lands: int) -> None:
        """Raise TooLittleMemory unless `size` bytes fit beside the processes."""
        if size > self._room:
            beside = self.memory()
            figures = [-(-size // 10**6), beside // 10**6, (self._room + beside) // 10**6]
            wrong = "%d lands take %d MB, beside %d MB for the processes; %d MB are allowed in all"
            raise TooLittleMemory(wrong % (lands, *figures))

    # --- forward -----------------------------------------------------------------------------

    def _list(self) -> None:
        """Write all lands, slice by slice, as far as that is not done."""
        found = self._folder.lists()
        if found is not None:
            self.slices = found
            return
        kept = self._folder.finished(MARKS, self._folder.finished(FOUND, count()))
        pending: Dict[int, Set[Land]] = {}
        for root in self._roots:
            pending.setdefault(self._size(root), set()).add(root)
        held, done, before = held_by(list(self._roots)), 0, 0
        with TaskPool(self.processes, self._expand) as pool:
            while pending:
                size = max(pending)
                lands = sorted(pending.pop(size))
                number = len(self.slices)
                self.slices.append(len(lands))
                if number in kept:
                    steps = self._kept_children(number)
                else:
                    self._write_lands(MARKS, number, size, lands)
                    blocks = range(-(-len(lands) // LANDS_OF_BLOCK))
                    steps = pool.run([(number, block) for block in blocks])
                first_met: List[Land] = []
                for children in steps:
                    new = self._add(pending, size, children)
                    first_met += new
                    held += held_by(new)
                    left = sum(map(len, pending.values()))
                    known = sum(self.slices) + left
                    self._require(held, left)
                    self._require(known * LAND_BYTES, known)  # the backward pass takes this
                    self._observe(done, 2 * known, before, "listing")
                done += len(lands)
                if number in kept:
                    before = done
                else:
                    self._write_lands(FOUND, number, size, sorted(first_met))
                held -= held_by(lands)
        self._folder.write_lists(self.slices)

    def _add(
        self, pending: Dict[int, Set[Land]], size: int, children: Dict[int, List[Land]]
    ) -> List[Land]:
        """Add the children of lands of a size; returns those that were not there."""
        found: List[Land] = []
        for smaller, lands in children.items():
            if smaller >= size:
                wrong = "%s breaks its contract: a child is as large as its parent"
                raise SolutionError(wrong % self.game.name)
            known = pending.setdefault(smaller, set())
            new = [land for land in lands if land not in known]
            known.update(new)
            found += new
        return found

    def _write_lands(self, kind: str, number: int, size: int, lands: List[Land]) -> None:
        parts = range(0, len(lands), LANDS_OF_BLOCK)
        blocks = (compressed(land_block(lands[i : i + LANDS_OF_BLOCK])) for i in parts)
        firsts = [lands[i].decode("ascii") for i in parts]
        about = {"slice": number, "size": size, "entries": len(lands), "firsts": firsts}
        self._folder.write(kind, number, blocks, about)

    def _kept_children(self, number: int) -> Iterator[Dict[int, List[Land]]]:
        """What an earlier run found from a slice, as `_expand` has it."""
        file = self._folder.open(FOUND, number)
        try:
            for block in file:
                found: Dict[int, List[Land]] = {}
                for land in read_block(block)[0]:
                    found.setdefault(self._size(land), []).append(land)
                yield found
        finally:
            file.close()

    def _expand(self, task: SliceBlock) -> Dict[int, List[Land]]:
        """The lands of the children of a block, by size, without those reported before."""
        if len(self._reported) > MOST_REPORTED:
            self._reported.clear()
        reported = self._reported
        found: Dict[int, List[Land]] = {}
        for land in self._lands(task):
            for child in self.game.children(land):
                for part in child:
                    if part not in reported:
                        reported.add(part)
                        found.setdefault(self._size(part), []).append(part)
        return found

    def _size(self, land: Land) -> int:
        return self.game.estimate(land)[0]

    def _lands(self, task: SliceBlock) -> List[Land]:
        """The lands of a block of the forward pass."""
        number, block = task
        if self._file is None or self._file[0] != number:
            if self._file is not None:
                self._file[1].close()
            self._file = number, self._folder.open(MARKS, number)
        return read_block(self._file[1].read(block))[0]

    # --- backward ----------------------------------------------------------------------------

    def load(self, folder: Folder, filled: List[int]) -> None:
        """Keep the lands of all slices, with the codes of those that are filled."""
        for salt in SALTS:
            self._codes = LandCodes(sum(self.slices), salt)
            try:
                for number in range(len(self.slices)):
                    self._load_slice(folder, SLICE if number in filled else MARKS, number)
                return
            except EqualHashes:
                pass
        raise SolutionError("some lands have equal hashes")

    def _load_slice(self, folder: Folder, kind: str, number: int) -> None:
        file = folder.open(kind, number)
        try:
            for block in file:
                lands, codes = read_block(block)
                for land, code in zip(lands, codes or bytes(len(lands))):
                    self._codes.add(land, code)
        finally:
            file.close()

    def _fill(self, pool: TaskPool, number: int) -> None:
        """Find the values of a slice, and write it."""
        file = self._folder.open(MARKS, number)
        file.close()
        about = dict(file.about)
        tasks = [(number, block) for block in range(len(file))]
        self._folder.write(SLICE, number, self._blocks(pool, tasks, about), about)

    def _blocks(
        self, pool: TaskPool, tasks: List[SliceBlock], about: Dict[str, Any]
    ) -> Iterator[bytes]:
        """The compressed blocks of a slice; adds its counts to what is said of it."""
        counts = [0] * 256
        total = sum(self.slices)
        done = total + sum(self.slices[about["slice"] + 1 :])
        before = done
        for codes, block in pool.run(tasks):
            for code in codes:
                counts[code] += 1
            done += len(codes)
            remark = "slice %d of %d" % (about["slice"], len(self.slices))
            self._observe(done, 2 * total, before, remark)
            yield block
        about["positions"] = by_value(counts, self.values)

    def _solve(self, task: SliceBlock) -> Tuple[bytes, bytes]:
        """The codes of the lands of a block, which are kept, and the block with them."""
        lands = self._lands(task)
        codes = bytes(map(self._code_of, lands))
        if NONE in codes:
            land = lands[codes.index(NONE)].decode("ascii")
            wrong = "%s breaks its contract: the children of %s vary"
            raise SolutionError(wrong % (self.game.name, land))
        for found, code in zip(lands, codes):
            self._codes.set(found, code)
        return codes, compressed(land_block(lands, codes))

    def _code_of(self, land: Land) -> int:
        """The code of a land by those of its children, NONE if one of these has none."""
        get = self._codes.get
        if not self.game.decomposes:
            is_known = True
            for child in self.game.children(land):
                code = get(child[0]) if child else LOSS
                if code == LOSS:
                    return WIN
                is_known &= code != NONE
            return LOSS if is_known else NONE
        seen = set()
        for child in self.game.children(land):
            number = 0
            for part in child:
                code = get(part)
                if code == NONE:
                    return NONE
                number ^= code - 1
            seen.add(number)
        number = 0
        while number in seen:
            number += 1
        if number > MOST_GRUNDY_NUMBER:
            raise SolutionError("a Grundy number above %d" % MOST_GRUNDY_NUMBER)
        return number + 1

    # --- again -------------------------------------------------------------------------------

    def differences(self, folder: Folder, observe: BuildObserver) -> Iterator[str]:
        """The values of a complete solution that do not follow from those of the children."""
        records = folder.header()["slices"]
        self._folder = folder
        self.slices = [record["entries"] for record in records]
        self.load(folder, [record["slice"] for record in records])
        done = 0
        with TaskPool(self.processes, self._compare) as pool:
            for number, entries in enumerate(self.slices):
                tasks = [(number, i) for i in range(-(-entries // LANDS_OF_BLOCK))]
                for checked, wrong in pool.run(tasks):
                    done += checked
                    observe(done, sum(self.slices), 0, "slice %d" % number)
                    yield from wrong

    def has(self, land: Land) -> bool:
        """Whether a land is among those that `differences` has loaded."""
        return self._codes.get(land) != NONE

    def _compare(self, task: SliceBlock) -> Tuple[int, List[str]]:
        """The number of lands of a block, and what is wrong with them."""
        number, block = task
        file = self._folder.open(SLICE, number)
        try:
            lands, codes = read_block(file.read(block))
        finally:
            file.close()
        pairs = zip(lands, codes)
        wrong = [land.decode("ascii") for land, code in pairs if self._code_of(land) != code]
        return len(lands), ["the value of %s does not follow" % land for land in wrong]
