"""Fixtures that several tests share."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Iterator

import pytest

from pns import database


@pytest.fixture(params=["lmdb", "pns.liblmdb"])
def lmdb(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module by which the test's facts reach LMDB; each test runs with both."""
    try:
        module = import_module(request.param)
    except Exception as error:
        pytest.skip("%s cannot be imported here: %s" % (request.param, error))
    monkeypatch.setattr(database, "LMDB", module)
    yield module
