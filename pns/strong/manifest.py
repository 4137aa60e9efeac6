"""The shapes of what a strong solution says of itself: `solution.json` and the heads of its files.

A digest shows that a file was not damaged, not that its writer was right. So each field is checked
where it is read. The functions return what is wrong in a line that names the field, "" for nothing.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Iterator, List, NamedTuple

from pns.strong.codes import GRUNDY_NUMBER, MOST_GRUNDY_NUMBER, OUTCOME, OUTCOMES, summed
from pns.strong.kinds import LISTED, RANKED, SECTIONS

MOST = 1 << 62
"""The largest number in a file."""
LONGEST_SHOWN = 60


class Shape(NamedTuple):
    """What a value has to be."""

    fits: Callable[[Any], bool]
    expected: str
    """The same in words."""


Fields = Dict[str, Shape]


def whole(least: int) -> Shape:
    """Whole numbers from `least` on; True and False are none."""
    return Shape(
        lambda value: type(value) is int and least <= value <= MOST,
        "a whole number from %d on" % least,
    )


def one_of(*names: str) -> Shape:
    """One of some words."""
    return Shape(lambda value: type(value) is str and value in names, " or ".join(map(repr, names)))


def digest(size: int) -> Shape:
    """A digest of `size` bytes, in hexadecimal."""
    form = re.compile("[0-9a-f]{%d}" % (2 * size))
    return Shape(
        lambda value: type(value) is str and form.fullmatch(value) is not None,
        "%d hexadecimal digits" % (2 * size),
    )


def list_of(shape: Shape, many: str, least: int = 1) -> Shape:
    """A list of values of a shape, with a least length."""
    return Shape(
        lambda value: type(value) is list and len(value) >= least and all(map(shape.fits, value)),
        "a list of " + many,
    )


def is_text(value: Any) -> bool:
    return type(value) is str and value != "" and value.isprintable()


def is_block(value: Any) -> bool:
    """Whether a value is the length of a block and its digest."""
    return (
        type(value) is list
        and len(value) == 2
        and whole(1).fits(value[0])
        and digest(16).fits(value[1])
    )


def is_counts(value: Any) -> bool:
    """Whether a value is an object of numbers from 1 on, whose keys are those of one coding."""
    if type(value) is not dict or not all(map(whole(1).fits, value.values())):
        return False
    return any(value.keys() <= names for names in VALUE_NAMES.values())


VALUE_NAMES = {
    OUTCOME: frozenset(OUTCOMES[1:]),
    GRUNDY_NUMBER: frozenset(map(str, range(MOST_GRUNDY_NUMBER + 1))),
}
TEXT = Shape(is_text, "a text of printable characters")
COUNTS = Shape(is_counts, "numbers from 1 on by value, such as {'win': 2} or {'0': 2}")
DIGEST = digest(32)
HEADER_FIELDS: Fields = {
    "format": whole(1),
    "version": TEXT,
    "game": TEXT,
    "position": TEXT,
    "kind": one_of(RANKED, SECTIONS, LISTED),
    "values": one_of(OUTCOME, GRUNDY_NUMBER),
    "entries": whole(1),
    "positions": COUNTS,
    "slices": list_of(Shape(lambda value: type(value) is dict, "an object"), "objects"),
}
LIVES: Fields = {"lives": whole(1)}
"""Of a list of all small lands."""
SLICE_FIELDS: Fields = {"slice": whole(0), "entries": whole(0)}
SOLVED: Fields = {"positions": COUNTS}
SIZE: Fields = {"size": whole(0)}
"""Of a list."""
FIRSTS: Fields = {"firsts": list_of(TEXT, "texts", 0)}
"""Of a file of a list: the first land of each block."""
FILE: Fields = {"digest": DIGEST, "bytes": whole(1)}
HEAD_FIELDS: Fields = {
    "about": Shape(lambda value: type(value) is dict, "an object"),
    "blocks": list_of(Shape(is_block, "a block"), "lengths and digests of blocks", 0),
}
LISTS_FIELDS: Fields = {"format": whole(1), "lands": list_of(whole(1), "whole numbers from 1 on")}


def invalid(name: str, value: Any, expected: str) -> str:
    """What is wrong with the value of a field.

    >>> invalid("slices[0].size", True, "a whole number from 0 on")
    'invalid slices[0].size True; expected a whole number from 0 on'
    """
    shown = ascii(value)
    if len(shown) > LONGEST_SHOWN:
        shown = shown[:LONGEST_SHOWN] + "..."
    return "invalid %s %s; expected %s" % (name, shown, expected)


def fields_fault(found: Dict[str, Any], fields: Fields, before: str = "") -> str:
    """What is wrong with the fields of an object, of which none may be missing or more.

    `before` stands before their names in the message.
    """
    for name, shape in fields.items():
        if name not in found:
            return "no field %s%s; expected %s" % (before, name, shape.expected)
        if not shape.fits(found[name]):
            return invalid(before + name, found[name], shape.expected)
    for name in found:
        if name not in fields:
            return invalid(before + "field", name, "no more than " + ", ".join(fields))
    return ""


def header_fault(header: Dict[str, Any]) -> str:
    """What is wrong with the header of a solution, as far as that needs no rules of the game."""
    is_listed = header.get("kind") == LISTED
    lives = LIVES if is_listed and "lives" in header else {}
    fault = fields_fault(header, {**HEADER_FIELDS, **lives})
    if fault:
        return fault
    fields = {**SLICE_FIELDS, **SOLVED, **(SIZE if is_listed else {}), **FILE}
    for number, record in enumerate(header["slices"]):
        fault = fields_fault(record, fields, "slices[%d]." % number)
        if fault:
            return fault
    return next(_contradictions(header), "")


def _contradictions(header: Dict[str, Any]) -> Iterator[str]:
    """The fields that contradict others."""
    records: List[Dict[str, Any]] = header["slices"]
    kind, values = header["kind"], header["values"]
    if kind != LISTED and values != OUTCOME:
        yield invalid("values", values, "%r in a solution that is %s" % (OUTCOME, kind))
    for number, record in enumerate(records):
        name = "slices[%d]." % number
        if record["slice"] != number:
            yield invalid(name + "slice", record["slice"], "%d" % number)
        positions = record["positions"]
        if not positions.keys() <= VALUE_NAMES[values]:
            yield invalid(name + "positions", positions, "values that are %ss" % values)
        if kind != LISTED:
            continue
        if sum(positions.values()) != record["entries"]:
            expected = "%d in all, as entries says" % record["entries"]
            yield invalid(name + "positions", positions, expected)
        if number and record["size"] >= records[number - 1]["size"]:
            expected = "less than the %d before" % records[number - 1]["size"]
            yield invalid(name + "size", record["size"], expected)
    lives = header.get("lives")
    if lives is not None and lives != records[0]["size"]:
        yield invalid("lives", lives, "%d, the size of the largest lands" % records[0]["size"])
    entries = sum([record["entries"] for record in records])
    if header["entries"] != entries:
        yield invalid("entries", header["entries"], "%d, the sum of those of the slices" % entries)
    positions = summed([record["positions"] for record in records])
    if header["positions"] != positions:
        yield invalid(
            "positions", header["positions"], "%s, the sums of the slices" % ascii(positions)
        )


def about_fault(about: Dict[str, Any], is_solved: bool) -> str:
    """What is wrong with what the head of a slice's file says; `is_solved` if that has values."""
    listed = {**SIZE, **FIRSTS} if "size" in about or "firsts" in about else {}
    return fields_fault(about, {**SLICE_FIELDS, **listed, **(SOLVED if is_solved else {})})
