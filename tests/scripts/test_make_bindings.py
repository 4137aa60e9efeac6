"""scripts/make_bindings.py: what it writes is what the package has."""

from __future__ import annotations

import pytest
from helpers.paths import ROOT

pytest.importorskip("cffi")


def test_the_bindings_are_those_of_the_declarations() -> None:
    import make_bindings

    assert (ROOT / "pns" / "system" / "bindings.py").read_text() == make_bindings.bindings()
