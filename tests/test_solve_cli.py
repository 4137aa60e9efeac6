"""scripts/solve.py, driven from outside."""

from __future__ import annotations

import json
import os
import pty
import resource
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

import pytest
from processes import ROOT

import pns
from pns import database
from pns.facts import Contradiction, FactsError, open_facts

LONG = "0*60"
"""A position that no test here solves."""

needs_lmdb = pytest.mark.skipif(database.LMDB is None, reason="no LMDB here")


class Done(NamedTuple):
    status: int
    output: List[str]
    errors: List[str]


def command(*arguments: object) -> List[bytes]:
    """As bytes: where the locale is POSIX, other characters cannot be passed as text."""
    words = [sys.executable, ROOT / "scripts" / "solve.py", *arguments]
    return [str(word).encode() for word in words]


def solve(*arguments: object, **options: Any) -> Done:
    """Exit status, lines of standard output, lines of standard error."""
    done = subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=200, **options
    )
    return Done(done.returncode, done.stdout.splitlines(), done.stderr.splitlines())


def start(*arguments: object, **options: Any) -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    return subprocess.Popen(command(*arguments), stdout=pipe, stderr=pipe, text=True, **options)


def solve_json(*arguments: object, status: int = 0) -> Dict[str, Any]:
    """The one object that --json prints."""
    done = solve("--json", *arguments)
    assert done.status == status, done
    (line,) = done.output
    result = json.loads(line)
    assert isinstance(result, dict)
    return result


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's data directory, which is not there yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def contents(path: Path) -> Dict[bytes, int]:
    with open_facts(str(path), "sprouts", readonly=True) as facts:
        return dict(facts.items())


def wait_for_facts(path: Path, child: "subprocess.Popen[str]") -> int:
    """How many facts a solver has stored, once it stored some."""
    while child.poll() is None:
        try:
            with open_facts(str(path), "sprouts", readonly=True) as facts:
                if len(facts):
                    return len(facts)
        except FactsError:
            pass  # not begun yet
        time.sleep(0.02)
    raise AssertionError(child.communicate())


# --- what it says ----------------------------------------------------------------


def test_a_win() -> None:
    done = solve("--no-db", "0*4")
    assert (done.status, done.errors) == (0, [])
    sentence, move, statistics = done.output
    assert sentence == "0*4 is a win: the player to move wins."
    lost = move[len("A winning move leads to ") :]
    assert lost in pns.children("0*4")
    assert pns.solve(lost).outcome == "loss"
    for word in ("expansions", "children", "facts", "table entries", " s", "MB"):
        assert word in statistics


def test_a_loss() -> None:
    done = solve("--no-db", "0*2")
    assert (done.status, done.errors) == (0, [])
    assert done.output[:2] == [
        "0*2 is a loss: the player to move loses, whatever the move.",
        "Its Grundy number is 0.",
    ]


def test_the_grundy_number_quietly() -> None:
    assert solve("--no-db", "--grundy", "--quiet", "--game", "nim", "3+5+5+7") == (
        0,
        ["3+5+5+7 is a win: the player to move wins.", "Its Grundy number is 4."],
        [],
    )
    sentence = "0*2 is a loss: the player to move loses, whatever the move."
    assert solve("--no-db", "--quiet", "0*2") == (0, [sentence], [])


def test_version() -> None:
    assert solve("--version") == (0, ["pns " + pns.__version__], [])


TEXT, NUMBER = (str,), (int, type(None))
KEYS = {
    "position": TEXT,
    "canonical": TEXT,
    "game": TEXT,
    "algorithm": TEXT,
    "solved": (bool,),
    "outcome": (str, type(None)),
    "grundy_number": NUMBER,
    "winning_move": (str, type(None)),
    "expansions": (int,),
    "children_generated": (int,),
    "facts_known": (int,),
    "facts_new": (int,),
    "table_entries": (int,),
    "seconds": (float,),
    "peak_memory_bytes": (int,),
    "version": TEXT,
}


def check_types(result: Dict[str, Any]) -> None:
    for key, types in KEYS.items():
        assert type(result[key]) in types, key
    assert result["outcome"] in ("win", "loss", None)
    assert (result["algorithm"], result["version"]) == ("dfpn", pns.__version__)


def test_json() -> None:
    done = solve("--no-db", "--json", "--grundy", "AB|0.AB")
    assert (done.status, len(done.output), done.errors) == (0, 1, [])
    result = json.loads(done.output[0])
    check_types(result)
    assert (result["position"], result["canonical"]) == ("AB|0.AB", "0.AB|AB")
    assert (result["solved"], result["game"]) == (True, "sprouts")
    assert (result["outcome"], result["grundy_number"]) == ("win", pns.grundy_number("AB|0.AB"))
    assert pns.solve(result["winning_move"]).outcome == "loss"
    assert 0 < result["facts_new"] == result["facts_known"]


# --- budgets -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "option, budget", [("expansions", "100"), ("seconds", "0.5"), ("memory", "1M")]
)
def test_a_budget(option: str, budget: str) -> None:
    done = solve("--no-db", "--json", "--max-" + option, budget, LONG)
    assert (done.status, len(done.output)) == (3, 1)
    assert done.errors == [
        "%s is not solved: stopped by the budget of %s." % (LONG, option),
        "Facts known: %d, lost with this run, as they were in no database."
        % json.loads(done.output[0])["facts_known"],
    ]
    result = json.loads(done.output[0])
    check_types(result)
    assert (result["solved"], result["stopped_by"]) == (False, option)
    assert (result["outcome"], result["grundy_number"]) == (None, None)
    if option == "expansions":
        assert result["expansions"] == 100
    elif option == "seconds":
        assert 0.5 <= result["seconds"] < 10


def test_no_expansions_at_all() -> None:
    result = solve_json("--no-db", "--max-expansions", 0, "0*3", status=3)
    assert (result["expansions"], result["stopped_by"]) == (0, "expansions")
    result = solve_json("--no-db", "--max-expansions", 0, "0*3+0*3")
    assert (result["expansions"], result["outcome"]) == (0, "loss")


def test_an_outcome_without_the_grundy_number() -> None:
    whole = solve_json("--no-db", "0*5")
    budget = whole["expansions"] + 1
    done = solve("--no-db", "--grundy", "--max-expansions", budget, "0*5")
    assert done.status == 3
    assert done.output[0] == "0*5 is a win: the player to move wins."
    assert done.errors[0] == "Its Grundy number is not known: stopped by the budget of expansions."


# --- the database ------------------------------------------------------------------


@needs_lmdb
def test_the_default_database(home: Path) -> None:
    assert solve("--no-db", "0*2").status == 0
    assert not home.exists()
    first = solve_json("0*5")
    path = home / "pns" / "sprouts.lmdb"
    assert first["facts_new"] == first["facts_known"] == len(contents(path)) > 0
    again = solve_json("0*5")
    for key in ("outcome", "winning_move", "facts_known"):
        assert again[key] == first[key]
    assert again["expansions"] < 5 and again["facts_new"] == 0


@needs_lmdb
def test_going_on_after_a_budget(tmp_path: Path) -> None:
    db = tmp_path / "f"
    whole = solve_json("--no-db", "0*7")
    part = solve("--db", db, "0*7", "--max-expansions", whole["expansions"] * 2 // 3)
    assert (part.status, part.output[:-1]) == (3, [])
    kept = len(contents(db))
    assert part.errors[-1] == (
        "Facts known: %d, stored in %s; the same command goes on from there." % (kept, db)
    )
    rest = solve_json("--db", db, "0*7")
    assert rest["facts_known"] - rest["facts_new"] == kept > 0
    assert (rest["outcome"], rest["grundy_number"]) == ("loss", 0)
    assert rest["expansions"] < whole["expansions"]
    assert solve_json("--db", db, "0*7")["expansions"] == 0


@needs_lmdb
@pytest.mark.parametrize("name, reason", [("SIGINT", "Ctrl-C"), ("SIGTERM", "SIGTERM")])
def test_stopped_by_a_signal(tmp_path: Path, name: str, reason: str) -> None:
    db = tmp_path / "f"
    child = start("--db", db, "--json", LONG)
    seen = wait_for_facts(db, child)
    begin = time.monotonic()
    child.send_signal(getattr(signal, name))
    output, errors = child.communicate(timeout=60)
    assert time.monotonic() - begin < 5
    assert child.returncode == 130
    result = json.loads(output)
    check_types(result)
    assert output.count("\n") == 1
    assert (result["solved"], result["stopped_by"]) == (False, reason)
    stored = contents(db)
    assert seen <= len(stored) == result["facts_known"]
    assert errors.splitlines()[-2:] == [
        "%s is not solved: stopped by %s." % (LONG, reason),
        "Facts known: %d, stored in %s; the same command goes on from there." % (len(stored), db),
    ]
    lands = [land.decode() for land in stored][:20]
    grundy = [sys.executable, str(ROOT / "scripts" / "grundy.py"), "get", "--db", str(db)]
    found = subprocess.check_output(grundy + lands, text=True).splitlines()
    assert found == ["%s %d" % (land, stored[land.encode()]) for land in lands]

    on = solve_json("--db", db, LONG, "--max-expansions", 200, status=3)
    assert on["facts_known"] - on["facts_new"] == len(stored)


@needs_lmdb
def test_kill_9(tmp_path: Path) -> None:
    db = tmp_path / "f"
    seen = 0
    for _ in range(2):
        child = start("--db", db, "--quiet", LONG)
        while wait_for_facts(db, child) <= seen:
            time.sleep(0.05)
        child.kill()
        assert child.communicate() == ("", "")
        stored = contents(db)
        assert len(stored) > seen
        seen = len(stored)
    small = [land for land in stored if len(land) <= 8]
    assert small
    for land in small:
        assert pns.grundy_number(land.decode()) == stored[land]


@needs_lmdb
def test_two_at_once(tmp_path: Path) -> None:
    db = tmp_path / "f"
    expected = {"0*6": "loss", "0*9": "win"}
    children = {text: start("--db", db, "--json", text) for text in expected}
    for text, child in children.items():
        output, errors = child.communicate(timeout=200)
        assert (child.returncode, json.loads(output)["outcome"]) == (0, expected[text]), errors
    stored = contents(db)
    assert stored[b"0*6"] == 0
    for text in expected:
        assert solve_json("--db", db, text)["expansions"] < 5


@needs_lmdb
def test_a_contradiction(tmp_path: Path) -> None:
    """A wrong fact comes from elsewhere while the solver runs; it cannot write meanwhile."""
    pytest.importorskip("rich")
    db = tmp_path / "f"
    open_facts(str(db), "sprouts").close()

    def wrong() -> Iterator[Tuple[bytes, int]]:
        nonlocal child, terminal
        if child is None:
            child, terminal = on_terminal(command("--db", db, "0*8"))
            while b"expansions" not in os.read(terminal, 10000):
                pass  # the panel is drawn, so the search has begun
        yield b"0*8", 5

    child: Any = None
    terminal = -1
    with open_facts(str(db), "sprouts") as facts:
        facts.add_all(wrong)
    drawn = read_terminal(child, terminal)
    output, _ = child.communicate()
    assert (child.returncode, output) == (1, b"")
    message = "solve.py: %s" % Contradiction(b"0*8", 5, 0)
    assert message in drawn
    assert contents(db)[b"0*8"] == 5


def limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (32768, 32768))


@needs_lmdb
def test_a_full_disk(tmp_path: Path) -> None:
    db = tmp_path / "f"
    open_facts(str(db), "sprouts").close()  # its lock file is larger than the limit
    done = solve("--db", db, "--json", "0*22", preexec_fn=limit_files)
    assert (done.status, done.output) == (2, [])
    assert done.errors[-1].startswith("solve.py: %s: " % db) and "has room" in done.errors[-1]
    stored = contents(db)
    assert stored
    on = solve_json("--db", db, "0*22", "--max-expansions", 200, status=3)
    assert on["facts_known"] - on["facts_new"] == len(stored)


# --- bad input ---------------------------------------------------------------------

BAD_POSITIONS = [
    "",
    "abc",
    "A",
    "aaa",
    "A|A|A",
    "0*",
    "0*-1",
    "0*3 1",
    "0*3;0*4",
    "00",
    "ZZ",
    "#0",
    "n(0)",
    "n(x)",
    "0*99999999999999",
    "0\u00b73",
    "\u0660*3",
    "0*3\n",
    "junk+" * 26_000,
]


@pytest.mark.parametrize("text", BAD_POSITIONS, ids=lambda text: ascii(text[:20]))
def test_bad_position(home: Path, text: str) -> None:
    done = solve(text)
    assert (done.status, done.output) == (2, [])
    assert done.errors[0].startswith("solve.py: offset ") and len(done.errors[0]) < 200
    assert [line.strip() for line in done.errors[2:]] == ["^"]
    assert not home.exists()


def test_bytes_that_are_no_text(home: Path) -> None:
    done = subprocess.run([*command(), b"0*3\xff\xfe"], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"solve.py: offset 3: ")
    assert not home.exists()


BAD_ARGUMENTS = [
    [],
    ["0*3", "0*4"],
    ["0*3", "--capacity", "0"],
    ["0*3", "--capacity=-1"],
    ["0*3", "--capacity", "1e6"],
    ["0*3", "--capacity", "900000G"],
    ["0*3", "--epsilon=-0.5"],
    ["0*3", "--epsilon", "nan"],
    ["0*3", "--epsilon", "inf"],
    ["0*3", "--seed", "x"],
    ["0*3", "--max-expansions=-1"],
    ["0*3", "--max-seconds", "soon"],
    ["0*3", "--max-memory", "2GB"],
    ["0*3", "--algorithm", "magic"],
    ["0*3", "--game", "chess"],
    ["3x", "--game", "nim"],
    ["0*3", "--db", "f", "--no-db"],
    ["0*3", "--db", ""],
    ["0*3", "--db", "directory"],
    ["0*3", "--db", "foreign"],
    ["0*3", "--db", "foreign/below"],
    ["0*3", "--db", "/proc/pns/f"],
    ["0*3", "--db", os.devnull],
    ["0*3", "--db", "other.lmdb"],
    ["0*3", "--db", "cut.lmdb"],
]


@needs_lmdb
@pytest.mark.parametrize("arguments", BAD_ARGUMENTS, ids=" ".join)
def test_bad_arguments(tmp_path: Path, arguments: List[str]) -> None:
    place = tmp_path / "place"
    (place / "directory").mkdir(parents=True)
    (place / "foreign").write_text("a letter to a friend, not a database\n")
    with open_facts(str(place / "other.lmdb"), "nim") as facts:
        facts.add(b"3", 3)
    (place / "cut.lmdb").write_bytes((place / "other.lmdb").read_bytes()[:5000])
    (place / "other.lmdb-lock").unlink()
    before = snapshot(tmp_path)
    done = solve(*arguments, cwd=place)
    assert (done.status, done.output) == (2, [])
    assert done.errors[0].startswith("solve.py: ") and len(done.errors[0]) < 300
    assert len(done.errors) == (3 if arguments[0:1] == ["3x"] else 1)
    assert snapshot(tmp_path) == before


def snapshot(place: Path) -> List[Tuple[str, bytes]]:
    """Every file below a place, and what it holds."""
    paths = [path for path in sorted(place.rglob("*")) if not path.name.endswith("-lock")]
    return [(str(path), path.read_bytes() if path.is_file() else b"") for path in paths]


# --- output and progress -----------------------------------------------------------


def test_output_that_cannot_be_written() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command("--no-db", "0*2"), stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (
        2,
        b"solve.py: standard output: No space left on device\n",
    )
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command("--no-db", "0*2"), stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_closed_streams(tmp_path: Path) -> None:
    line = '"$@" >&-'
    closed = subprocess.run(["sh", "-c", line, "sh", *command("0*2")], capture_output=True)
    assert (closed.returncode, closed.stderr) == (2, b"solve.py: standard output is closed\n")
    line = '"$@" 2>&- <&-'
    closed = subprocess.run(
        ["sh", "-c", line, "sh", *command("0*5", "--quiet")], capture_output=True
    )
    assert closed.returncode == 0
    assert closed.stdout == b"0*5 is a win: the player to move wins.\n"


def on_terminal(arguments: List[bytes]) -> Tuple["subprocess.Popen[bytes]", int]:
    """A program whose standard error is a terminal, and the terminal's other end."""
    try:
        master, slave = pty.openpty()
    except OSError as error:
        pytest.skip("no pseudo-terminal here: %s" % error)
    environment = dict(os.environ, TERM="xterm", COLUMNS="100", LINES="30")
    child = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=slave, env=environment)
    os.close(slave)
    return child, master


def read_terminal(child: "subprocess.Popen[bytes]", terminal: int) -> str:
    """All that a program draws until it ends."""
    drawn = b""
    limit = time.monotonic() + 200
    while time.monotonic() < limit:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:  # EIO: nobody has the other end any more
            part = b""
        if not part:
            break
        drawn += part
    os.close(terminal)
    return drawn.decode()


def test_a_panel_on_a_terminal() -> None:
    pytest.importorskip("rich")
    child, terminal = on_terminal(command("--no-db", "--max-seconds", "6", LONG))
    drawn = read_terminal(child, terminal)
    assert child.communicate()[0].count(b"expansions") == 1
    assert child.returncode == 3
    for name in ("time", "root", "expansions", "facts", "table", "memory", "line"):
        assert name in drawn
    assert "pn " in drawn and "/s" in drawn and LONG + " > " in drawn
    before, shown, after = drawn.rpartition("\x1b[?25h")
    assert shown and "\x1b[?25l" in before  # the cursor is back
    assert after.count("\x1b[2K") >= 7  # the panel is wiped
    reason, _ = after.rpartition("\x1b[2K")[2].splitlines()
    assert reason == LONG + " is not solved: stopped by the budget of seconds."


BLOCKED = """
import sys
for name in sys.argv[1].split():
    sys.modules[name] = None
sys.argv[:2] = []
sys.path.insert(0, sys.argv[0].rpartition("/")[0])
import runpy
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def without(names: str, *arguments: object) -> List[bytes]:
    """The command of a solver that cannot import some modules."""
    python, *script = command(*arguments)
    return [python, b"-c", BLOCKED.encode(), names.encode(), *script]


def test_a_terminal_without_rich() -> None:
    child, terminal = on_terminal(without("rich", "--no-db", "0*3"))
    drawn = read_terminal(child, terminal).splitlines()
    assert b"0*3 is a win" in child.communicate()[0]
    assert child.returncode == 0
    (line,) = drawn
    assert line.startswith("solve.py: rich is missing") and "setup.sh" in line


def test_a_bare_interpreter(home: Path) -> None:
    names = "rich lmdb pns.liblmdb psutil"
    child, terminal = on_terminal(without(names, "0*3"))
    drawn = read_terminal(child, terminal).splitlines()
    output, _ = child.communicate()
    assert (child.returncode, output.startswith(b"0*3 is a win")) == (0, True)
    (line,) = drawn
    for word in ("solve.py: ", "liblmdb0", "in memory only", "rich"):
        assert word in line
    done = subprocess.run(without(names, "0*3"), capture_output=True, text=True)
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == 1 and "rich" not in done.stderr
    done = subprocess.run(without(names, "--no-db", "0*3"), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    done = subprocess.run(without(names, "--db", "f", "0*3"), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "liblmdb0" in done.stderr
    assert not home.exists()


def test_a_plain_line_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import progress

    clock = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    missing: List[str] = []
    search: Any = None

    def observe(now: pns.Search) -> None:
        nonlocal search
        search = now

    pns.solve("0*4", observer=observe)
    search.expansions = 5000
    with progress.open_progress(False, missing) as show:
        for tenths in range(1, 250):
            clock[0] = 100.0 + tenths / 10
            show(search)
    with progress.open_progress(True, missing) as show:
        clock[0] += 100.0
        show(search)
    output, errors = capsys.readouterr()
    lines = errors.splitlines()
    assert (output, missing) == ("", [])
    assert [line.split(";")[0] for line in lines] == ["time 10 s", "time 20 s"]
    assert "expansions 5000, 500/s" in lines[0] and "expansions 5000, 0/s" in lines[1]
    for name in ("root pn ", "facts ", "table ", "memory ", "line "):
        assert name in lines[0]
    assert progress.shortened("x" * 1000, 100) == "x" * 33 + " … " + "x" * 63
