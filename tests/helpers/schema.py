"""Checks values against the JSON Schemas of docs/schemas, in the part of the language they use."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List

from helpers.paths import ROOT

SCHEMAS = ROOT / "docs" / "schemas"
TYPES: Dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
NOTES = {"$schema", "title", "description"}
KEYWORDS = {
    *NOTES,
    *("type", "enum", "const", "anyOf"),
    *("properties", "required", "additionalProperties", "items"),
}


def load(name: str) -> Dict[str, Any]:
    """The schema with a name."""
    found: Dict[str, Any] = json.loads((SCHEMAS / (name + ".json")).read_text())
    return found


def faults(  # noqa: C901  (a case for each keyword)
    value: Any, schema: Dict[str, Any], place: str = ""
) -> Iterator[str]:
    """What is wrong with a value, and where; nothing if it fits the schema."""
    assert set(schema) <= KEYWORDS, set(schema) - KEYWORDS
    kinds: List[str] = [schema["type"]] if isinstance(schema.get("type"), str) else []
    kinds = kinds or schema.get("type", [])
    if kinds and not any([is_of(value, kind) for kind in kinds]):
        yield "%s: %r is no %s" % (place, value, " or ".join(kinds))
        return
    if "enum" in schema and value not in schema["enum"]:
        yield "%s: %r is not among %r" % (place, value, schema["enum"])
    if "const" in schema and value != schema["const"]:
        yield "%s: %r is not %r" % (place, value, schema["const"])
    if "anyOf" in schema:
        branches = [list(faults(value, branch, place)) for branch in schema["anyOf"]]
        if all(branches):
            yield from [fault for branch in branches for fault in branch]
    if isinstance(value, dict):
        known, more = schema.get("properties", {}), schema.get("additionalProperties", {})
        for key in schema.get("required", []):
            if key not in value:
                yield "%s: %s is missing" % (place, key)
        for key, item in value.items():
            if key not in known and more is False:
                yield "%s: %s is not in the schema" % (place, key)
            else:
                yield from faults(item, known.get(key, more), "%s.%s" % (place, key))
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from faults(item, schema.get("items", {}), "%s[%d]" % (place, i))


def is_of(value: Any, kind: str) -> bool:
    """Whether a value has a type of JSON; true and false are no numbers."""
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, TYPES[kind])
