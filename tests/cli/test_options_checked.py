"""Options are checked before anything is answered, although the answer is known."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set, Tuple

import pytest
from helpers.solver import needs_lmdb
from helpers.tools import call

import pns
from pns import OptionError, Options
from pns.cli.main import COMMANDS
from pns.cli.reference import commands
from pns.facts import open_facts

pytestmark = pytest.mark.programs

MASTER = "--algorithm pns-pdfpn --workers 1 "
MISSING = "no/such/file"
FLOATS = ("nan", "inf", "-inf", "-1", "1e400", "x", "")
COUNTS = ("nan", "-1", "0.5", "1e3", "x", "")
SOLVE: Dict[str, Tuple[str, ...]] = {
    "--epsilon": FLOATS,
    "--max-seconds": FLOATS,
    "--max-expansions": COUNTS,
    "--max-memory": COUNTS,
    "--capacity": (*COUNTS, "0", "900000G"),
    "--seed": COUNTS,
    "--batch": COUNTS,
    "--restart": COUNTS,
    "--checkpoint run.cp --every": (*FLOATS, "0"),
    "--checkpoint": ("", MISSING, "directory", "file/below", "text"),
    "--resume": ("", MISSING, "directory", "text"),
    "--db": ("", MISSING, "directory", "text", "file/below", "/dev/null"),
    "--table": ("", MISSING, "text"),
    "--report": ("", "a.pdf", "a", MISSING + ".html", "directory.html", "/dev/null"),
    "--algorithm pdfpn --processes": (*COUNTS, "0", "257"),
    "--algorithm pdfpn --process-weight": (*COUNTS, "1048577"),
    "--algorithm spdfpn --work-limit": (*COUNTS, "0"),
    "--algorithm pns --max-memory": ("1k",),
    MASTER + "--workers": (*COUNTS, "0", "257"),
    MASTER + "--iterations": (*COUNTS, "0"),
    MASTER + "--updates": (*COUNTS, "0"),
    MASTER + "--grouping": (*COUNTS, "0"),
    MASTER + "--state-level": ("3", "x", ""),
    MASTER + "--check-facts": (*FLOATS, "2"),
    MASTER + "--listen": ("", "nope", "127.0.0.1:99999", "127.0.0.1:", ":5", "0.0.0.0:0"),
    MASTER + "--keys": ("", MISSING, "directory", "text"),
    MASTER + "--statistics": ("", "a", "a.txt", MISSING + ".csv", "text.csv", "directory.json"),
    MASTER + "--metrics": ("nan", "-1", "65536", ""),
    MASTER + "--timeline": ("", "a.png", "a", MISSING + ".svg", "directory.svg"),
}
"""Bad values of the options of `pns solve`."""
OTHERS: Dict[str, Dict[str, Tuple[str, ...]]] = {
    "simulate 0*3 --cores 1": {
        "--max-seconds": (*FLOATS, "0"),
        "--max-overhead": (*FLOATS, "0", "1e308"),
        "--max-slowdown": (*FLOATS, "0", "1e308"),
        "--costs": ("child=nan", "child=inf", "child=-1", "child", "x=1"),
        "--cores": (*COUNTS, "0", "1,"),
        "--processes": (*COUNTS, "0"),
        "--iterations": (*COUNTS, "0"),
        "--grouping": (*COUNTS, "0"),
        "--updates": (*COUNTS, "0"),
        "--capacity": (*COUNTS, "0", "900000G"),
        "--memory": COUNTS,
        "--seeds": ("x", "-1", ""),
        "--epsilon": FLOATS,
        "--batch": COUNTS,
        "--save": ("", "a", "a.png", MISSING + ".json", "directory.json"),
        "--draw": ("", "a", "a.png", MISSING + ".svg", "directory.svg"),
        "--timeline": ("", "a", "a.png", MISSING + ".svg", "directory.svg"),
        "--load": ("", MISSING, "directory", "text"),
    },
    "worker --connect 127.0.0.1:9": {
        "--connect": ("", "nope", "127.0.0.1:99999", ":5"),
        "--keys": ("", MISSING, "directory", "text"),
        "--workers": (*COUNTS, "0", "257"),
        "--processes": (*COUNTS, "0", "257"),
        "--capacity": (*COUNTS, "0", "900000G"),
        "--memory": COUNTS,
        "--db": ("", MISSING, "directory", "text"),
        "--epsilon": FLOATS,
        "--seed": COUNTS,
        "--batch": COUNTS,
        "--process-weight": COUNTS,
        "--metrics": ("nan", "-1", "65536", ""),
        "--name": ("", "x" * 200, "a\nb"),
    },
    "cluster --address 127.0.0.1:9": {
        "--connect": ("", "nope", "127.0.0.1:99999", ":5"),
    },
    "draw 0*3": {
        "--move": ("", "0*9", "0*2.1a1a", "x"),
        "-o": ("", "a", "a.pdf", MISSING + ".svg", "directory.svg"),
    },
    "play 0*3": {
        "--seconds": FLOATS,
        "--record": ("", MISSING, "directory"),
        "--db": ("", MISSING, "text"),
    },
    "explore 0*3 --no-browser": {
        "--port": ("nan", "-1", "65536", "x", ""),
        "--db": ("", MISSING, "text"),
        "--table": ("", MISSING, "text"),
        "--pyodide": ("a.tgz",),
    },
    "explore 0*3 --export site --pyodide text": {
        "--export": ("", "directory", "text"),
        "--pyodide": ("", MISSING, "directory", "text"),
    },
    "db list --db good.spr": {
        "--lives": ("9-4", "x", "", "-", "4-", "-1", "1" * 30),
        "--number": ("9-4", "x", ""),
        "--spots": ("9-4", "x", ""),
        "--match": ("(", "["),
        "--limit": COUNTS,
        "--db": ("", MISSING, "text"),
    },
    "db table --db good.spr": {"--spots": ("9-4", "x", "")},
    "db conjecture --db good.spr": {"--spots": ("9-4", "x", "")},
    "db reduce 0*2 --db good.spr --quiet --out out.spr": {
        "--out": ("", MISSING, "directory"),
        "--cycles": COUNTS,
        "--max-seconds": FLOATS,
        "--seed": COUNTS,
        "--start": ("", MISSING, "text"),
    },
    "db certify --db good.spr": {"": ("", "file", "file/below")},
    "db certify new --db good.spr --quiet": {
        "--spots": ("9-4", "x", ""),
        "--cycles": COUNTS,
        "--max-seconds": FLOATS,
    },
    "db extend 0*2 --db good.lmdb --quiet": {
        "--processes": (*COUNTS, "0"),
        "--capacity": (*COUNTS, "0", "900000G"),
        "--seed": COUNTS,
        "--db": ("", MISSING, "text"),
    },
    "db merge good.spr": {"--out": ("", MISSING, "directory")},
    "db export --db good.spr": {"": ("", MISSING, "directory")},
    "db convert good.spr": {"": ("", MISSING, "directory")},
    "why 0*2 --db good.spr": {
        "--depth": (*COUNTS, "0"),
        "--most": COUNTS,
        "--format": ("", "x"),
        "--db": ("", MISSING, "text"),
    },
    "db why 0*2 --db good.spr": {"--depth": (*COUNTS, "0"), "--most": COUNTS},
    "audit good.spr --processes 1 --quiet": {
        "--sample": (*COUNTS, "0"),
        "--seed": COUNTS,
        "--processes": (*COUNTS, "0", "1001"),
        "--claim": ("", "x", "0*2=draw"),
    },
    "certify 0*2=loss good.spr": {"": ("", MISSING, "directory")},
    "check good.cert.gz": {"--sample": (*COUNTS, "0"), "--seed": ("x", "nan", "0.5")},
    "check-game nim": {"--times": (*COUNTS, "0"), "--seed": COUNTS},
    "octal 0.77": {"--most": COUNTS},
    "estimate 0*2": {
        "--samples": (*COUNTS, "0"),
        "--seed": COUNTS,
        "--mean-number": (*FLOATS, "251"),
    },
    "strong lands nim 2": {"": ("", "file/below"), "lands": ("",), "--memory": COUNTS},
    "strong build mnk 3:...|...|... new": {"--memory": COUNTS},
    "strong check ttt": {
        "--samples": (*COUNTS, "0"),
        "--search": (*COUNTS, "0"),
        "--seed": COUNTS,
        "--against": ("", MISSING, "directory"),
        "--processes": (*COUNTS, "0", "257"),
    },
    "strong count pentago --board 4x4": {"--machines": (*COUNTS, "0")},
    "strong samples ttt": {"--count": (*COUNTS, "0"), "--seed": COUNTS},
}
"""Bad values of the options of the other commands; "" is an argument without a flag."""
CASES = [
    (command, option, values)
    for command, options in {"solve 0*5 --quiet": SOLVE, **OTHERS}.items()
    for option, values in options.items()
]
ANY_TEXT = {
    "--game",
    "--contains",
    "--address",
    "--directory",
    "--python",
    "--ray",
    "--db",
    "--keys",
    "--table",
}
"""Options of which any text may be right, or that are tried with one command only."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory with files of each kind; the programs are imported before they are forked."""
    for _, function, _ in COMMANDS.values():
        with suppress(ImportError):
            import_module("pns.cli." + function.partition(":")[0])
    place = tmp_path_factory.mktemp("place")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("home")))
        patch.chdir(place)
        for name in ("directory", "directory.html", "directory.svg", "directory.json"):
            Path(name).mkdir()
        for name in ("text", "text.csv", "file"):
            Path(name).write_text("a letter to a friend\n")
        reduce = "db reduce 0*2 --db sprouts-2 --out good.spr"
        assert call("pns", *reduce.split()).status == 0
        with open_facts("good.lmdb", "sprouts") as held:
            held.add(b"0", 0)
        words = ("certify", "0*2=loss", "good.spr", "good.cert.gz", "--processes", 1)
        assert call("pns", *words).status == 0
        assert call("pns", "strong", "build", "mnk", "3:...|...|...", "ttt").status == 0
        yield place


def names_in(place: Path) -> Set[str]:
    """All names below a directory, but those of LMDB's locks."""
    return {str(path) for path in place.rglob("*") if not path.name.endswith("-lock")}


@needs_lmdb
@pytest.mark.parametrize("command, option, values", CASES, ids=lambda part: str(part)[:60])
def test_bad_values_are_refused_by_a_line(
    place: Path, command: str, option: str, values: Tuple[str, ...]
) -> None:
    if "pns-pdfpn" in option or command.startswith("worker"):
        pytest.importorskip("zmq")
        pytest.importorskip("msgpack")
    before = names_in(place)
    *first, last = option.split() or [""]
    for value in values:
        end = [value] if not last.startswith("-") else [last, value]
        if last.startswith("--"):
            end = ["%s=%s" % (last, value)]
        done = call("pns", *command.split(), *first, *end)
        assert (done.status, done.output) == (2, ""), (end, done)
        assert done.errors.startswith("pns " + command.split()[0]), (end, done)
        is_notation = "offset" in done.errors
        assert done.errors.count("\n") == (3 if is_notation else 1), (end, done)
        assert names_in(place) == before, end


def test_every_option_with_a_number_or_an_output_is_tried() -> None:
    tried: Dict[str, Set[str]] = {}
    for command, option, _ in CASES:
        words = command.split()
        name = " ".join(words[:2] if words[0] in ("db", "strong") else words[:1])
        tried.setdefault(name, set()).add((option.split() or [""])[-1])
    missing: List[Tuple[str, str]] = []
    shared = {*SOLVE, *[option.split()[-1] for option in SOLVE]}
    for found in commands():
        known = tried.get(found.name, set()) | ANY_TEXT | shared
        for entry in found.options:
            takes_any = entry.flags and entry.value and not entry.choices
            if takes_any and not known & set(entry.flags):
                missing.append((found.name, entry.flags[0]))
    assert not missing, missing


BAD: List[Dict[str, Any]] = [
    *[
        {name: value}
        for name in ("epsilon", "max_seconds", "every")
        for value in (float("nan"), float("inf"), -1.0, "1")
    ],
    *[
        {name: value}
        for name in ("max_expansions", "max_memory", "capacity", "seed", "batch", "restart")
        for value in (float("nan"), float("inf"), 0.5, -1, "1")
    ],
    {"every": 0, "checkpoint": "run.cp"},
    {"checkpoint": ""},
    {"resume": ""},
]
BAD_OF_MASTERS: List[Dict[str, Any]] = [
    *[{"check_facts": value} for value in (float("nan"), float("inf"), -0.1, 1.1)],
    *[{"listen": value} for value in ("", "nope", "127.0.0.1:99999", "0.0.0.0:0")],
    {"keys": ""},
]


@pytest.mark.parametrize("named", [*BAD, *BAD_OF_MASTERS], ids=str)
def test_the_library_refuses_them_too(named: Dict[str, Any]) -> None:
    algorithm = "pns-pdfpn" if named in BAD_OF_MASTERS else "dfpn"
    with pytest.raises(OptionError, match="invalid|needs keys"):
        Options(algorithm, **named).check()
    with pytest.raises(OptionError) as refused:
        pns.solve("0", algorithm=algorithm, **named)
    assert refused.value.option == next(iter(named))


def test_places_are_tried_although_nothing_is_searched(tmp_path: Path) -> None:
    for algorithm in ("dfpn", "pdfpn", "pns", "pn2"):
        with pytest.raises(OSError):
            pns.solve("0", algorithm=algorithm, checkpoint=str(tmp_path / "no" / "cp"))
        with pytest.raises(OSError):
            pns.solve("0", algorithm=algorithm, resume=str(tmp_path / "cp"))
    zmq = pytest.importorskip("zmq")
    with pytest.raises(OSError):
        pns.solve("0", algorithm="pns-pdfpn", keys=str(tmp_path / "none.key"))
    context = zmq.Context()
    socket = context.socket(zmq.ROUTER)
    try:
        address = "127.0.0.1:%d" % socket.bind_to_random_port("tcp://127.0.0.1")
        with pytest.raises(OptionError, match="listen: .*Address already in use"):
            pns.solve("0", algorithm="pns-pdfpn", listen=address)
    finally:
        socket.close()
        context.term()
