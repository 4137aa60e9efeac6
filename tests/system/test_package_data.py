"""The files of the package where it is in a zip file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pns.web.export import package_zip

PROGRAM = """
import shutil, sys
sys.path.insert(0, %r)
from pns.system.package_data import data_path, find_certificate, read_data
assert __import__("pns").__file__.startswith(sys.path[0])
for _ in range(2):  # as in a copy of the memory, which has no files
    place = data_path("")
    with open(find_certificate("sprouts-2"), "rb") as file:
        assert file.read() == read_data("certificates/sprouts-2.cert.gz")
    shutil.rmtree(place)
print(data_path("") != place)
"""


def test_data_are_unpacked_again_where_they_are_gone(tmp_path: Path) -> None:
    (tmp_path / "pns.zip").write_bytes(package_zip())
    program = PROGRAM % str(tmp_path / "pns.zip")
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
