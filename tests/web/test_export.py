"""The page as static files, and the transport of the browser, without a browser."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, List

import pytest
from helpers import tools
from helpers.static_page import make_pyodide

from pns.choices import GAMES
from pns.facts.known import known_facts
from pns.system.package_data import data_path
from pns.web import browser, export, npm
from pns.web.export import ExportError
from pns.web.first import start_answers, written


@pytest.fixture
def pyodide(tmp_path: Path) -> str:
    return make_pyodide(tmp_path / "pyodide")


def files_in(place: Path) -> Dict[str, bytes]:
    return {
        path.relative_to(place).as_posix(): path.read_bytes()
        for path in place.rglob("*")
        if path.is_file()
    }


def test_an_export_has_all_that_the_page_loads(tmp_path: Path, pyodide: str) -> None:
    place = tmp_path / "site"
    size = export.export(str(place), "sprouts", "0*5", pyodide)
    files = files_in(place)
    assert sum(map(len, files.values())) == size
    page = files["index.html"].decode()
    assert 'content="browser"' in page and "script-src 'self' 'wasm-unsafe-eval'" in page
    for path in re.findall(r'(?:href|src)="([^"?]+)"', page):
        assert path in files
    for path, content in files.items():
        if path.endswith(".js") and path != "sw.js":
            for name in re.findall(r'(?:from|import\()\s*"(\.[^"]+)"', content.decode()):
                assert (place / path).parent.joinpath(name).exists(), (path, name)
    assert "Mozilla Public License" in files["NOTICE.txt"].decode()


def test_no_address_leads_elsewhere(tmp_path: Path, pyodide: str) -> None:
    """What the page loads lies beside it; only the transport of the server asks a server."""
    export.export(str(tmp_path / "site"), "sprouts", "0*5", pyodide)
    for path, content in files_in(tmp_path / "site").items():
        if path.endswith((".js", ".css", ".html")):
            text = content.decode().replace("http://www.w3.org/", "")
            assert "://" not in text, path
            assert not re.search(r"[\"'`]api/", text) or path == "core/transport-server.js", path


def test_the_service_worker_knows_every_file(tmp_path: Path, pyodide: str) -> None:
    export.export(str(tmp_path / "site"), "sprouts", "0*5", pyodide)
    files = files_in(tmp_path / "site")
    program = files.pop("sw.js").decode()
    found = re.match(r'const FILES = (\{.*?\}), VERSION = "(\w{16})";', program, re.DOTALL)
    assert found
    digests = {path: hashlib.sha256(content).hexdigest() for path, content in files.items()}
    assert json.loads(found[1]) == digests
    assert found[2] == hashlib.sha256(found[1].encode()).hexdigest()[:16]


def test_the_zip_is_the_package_and_always_the_same() -> None:
    packed = export.package_zip()
    assert packed == export.package_zip()
    names = zipfile.ZipFile(io.BytesIO(packed)).namelist()
    assert {"pns/__init__.py", "pns/web/browser.py", "pns/data/sprouts.known.gz"} <= set(names)
    assert not [name for name in names if name.startswith("pns/cli") or "__pycache__" in name]


def test_the_first_questions_have_their_answers(tmp_path: Path, pyodide: str) -> None:
    export.export(str(tmp_path / "site"), "sprouts", "0*5", pyodide)
    first = json.loads((tmp_path / "site" / "first.json").read_text())
    assert first['about [["game","sprouts"]]']["position"] == "0*5"
    assert first['position [["game","sprouts"],["start","0*5"]]']["outcome"] == "win"
    assert '<meta name="pns-game" content="sprouts">' in (tmp_path / "site/index.html").read_text()


def test_the_starts_of_all_games_have_their_answers() -> None:
    """The same ones as the solver gives without facts of a search."""
    starts, ask = start_answers("sprouts"), Asked()
    for spots in (1, 17, 44):
        data = {"game": "sprouts", "start": "0*%d" % spots}
        assert starts[written("position", data)] == ask("position", **data)["answer"]
    for game in GAMES:
        found = ask("games", game=game)["answer"]
        assert starts[written("games", {"game": game})] == found
        sizes = {size["name"]: size["value"] for size in found["games"][0]["sizes"]}
        start: Any = starts[written("start", {"game": game, "sizes": sizes})]
        assert written("position", {"game": game, "start": start["start"]}) in starts


def test_a_memory_belongs_to_what_it_is_made_from(tmp_path: Path, pyodide: str) -> None:
    """Neither the game nor the page changes its digest; Pyodide does."""
    digests = []
    for name, position in (("a", "0*5"), ("b", "0*6"), ("c", "0*6")):
        if name == "c":
            (Path(pyodide) / "python_stdlib.zip").write_bytes(b"another")
        export.export(str(tmp_path / name), "sprouts", position, pyodide)
        digests.append(json.loads((tmp_path / name / "browser.json").read_text())["digest"])
    assert digests[0] == digests[1] != digests[2]


def test_only_an_earlier_export_is_replaced(tmp_path: Path, pyodide: str) -> None:
    place = tmp_path / "site"
    place.mkdir()
    (place / "mine.txt").write_text("mine")
    with pytest.raises(ExportError, match="not empty"):
        export.export(str(place), "sprouts", "0*5", pyodide)
    assert files_in(place) == {"mine.txt": b"mine"}
    (place / "mine.txt").unlink()
    export.export(str(place), "sprouts", "0*5", pyodide)
    (place / "old.js").write_text("of an earlier version")
    export.export(str(place), "sprouts", "0*6", pyodide)
    assert json.loads((place / "browser.json").read_text())["position"] == "0*6"
    assert not (place / "old.js").exists() and {one.name for one in tmp_path.iterdir()} == {
        "site",
        "pyodide",
    }


@pytest.mark.parametrize(
    "words, wrong",
    [
        (["--pyodide", "x"], "argument --pyodide: nothing is exported; expected --export DIR, too"),
        (["--export", "a", "--no-known"], "argument --no-known: --export writes the facts"),
        (["--export", "a", "--pyodide", "none.tgz"], "none.tgz: No such file or directory"),
    ],
)
def test_refusals_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: List[str], wrong: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = tools.call("pns", "explore", *words)
    assert done.status == 2 and wrong in done.errors and done.errors.count("\n") == 1
    assert not list(tmp_path.iterdir())


def package_of(content: bytes) -> npm.NpmPackage:
    digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
    return npm.NpmPackage("some", "1.0", digest)


def archive_with(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("package/" + name)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def test_npm_packages_are_fetched_once_and_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    registry = tmp_path / "registry" / "some" / "-"
    registry.mkdir(parents=True)
    monkeypatch.setenv("npm_config_registry", (tmp_path / "registry").as_uri() + "/")
    content = archive_with("a.js", b"1")
    (registry / "some-1.0.tgz").write_bytes(content)
    path = npm.fetch(package_of(content))
    assert npm.files_of(path, {"a.js": "b"}) == {"b": b"1"}
    (registry / "some-1.0.tgz").write_bytes(b"another")
    assert npm.fetch(package_of(content)) == path
    with pytest.raises(npm.NpmError, match="SHA-512 is another"):
        npm.fetch(package_of(b"what was asked for"))
    (registry / "some-1.0.tgz").unlink()
    with pytest.raises(npm.NpmError, match="cannot fetch some 1.0 from npm"):
        npm.fetch(package_of(b"what was asked for"))


def test_the_registry_is_that_of_npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("npm_config_registry", "NPM_CONFIG_REGISTRY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert npm.registry() == npm.REGISTRY
    (tmp_path / ".npmrc").write_text("fund=false\nregistry = https://npm.example/a/\n")
    assert npm.registry() == "https://npm.example/a"
    monkeypatch.setenv("npm_config_registry", "https://other.example")
    assert npm.registry() == "https://other.example"


class Asked:
    """The transport of the browser, and what it posts."""

    def __init__(self) -> None:
        self.posted: List[Any] = []
        self.answers = browser.PageAnswers(
            "sprouts", "0*5", lambda text: self.posted.append(json.loads(text))
        )

    def __call__(self, name: str, **data: Any) -> Any:
        return json.loads(self.answers.ask(name, json.dumps(data)))


def test_both_transports_answer_the_same_questions() -> None:
    ask = Asked()
    assert ask("position", start="0*17")["answer"]["outcome"] == "win"
    assert ask("drawing", position="0*2")["answer"]["svg"].startswith("<svg")
    assert "error" in ask("position", start="0*x") and "error" in ask("no such")
    about = ask("about")["answer"]
    assert set(about["unavailable"]) == set(about["parallel"])
    refused = ask("search", position="0*5", algorithm="pdfpn", seconds=1)
    assert "a browser has none" in refused["error"]


def test_a_search_of_the_browser_reaches_what_answers() -> None:
    """As the workers do: one answers, the other one searches; facts and states go back."""
    ask, position = Asked(), "0*4.AB|0*3.C|0*2.aCaD|ABD"
    assert ask("position", start=position)["answer"]["outcome"] is None
    ask("search", position=position, seconds=60)
    (wanted,) = [one["search"] for one in ask.posted if "search" in one]
    found: List[Any] = []
    browser.search(json.dumps(wanted), "[]", lambda text: found.append(json.loads(text)))
    facts = [fact for message in found for fact in message["facts"]]
    known = known_facts()
    assert facts and not [land for land, _ in facts if known.get(land.encode()) >= 0]
    for message in found:
        ask.answers.keep("sprouts", json.dumps(message["facts"]))
        ask.answers.take(json.dumps(message["fields"]))
    assert ask.posted[-1]["state"]["past"] == [{"position": position, "outcome": "loss"}]
    assert not ask.posted[-1]["state"]["running"]
    shown = ask("position", start=position)["answer"]
    assert (shown["outcome"], shown["sources"][-1]) == ("loss", "a search on this page")


def test_a_search_of_another_game_reaches_what_answers() -> None:
    ask, other = Asked(), {"game": "nim", "start": "3+4+5"}
    assert ask("position", **other)["answer"]["outcome"] is None
    ask("search", game="nim", position="3+4+5", seconds=60)
    (wanted,) = [one["search"] for one in ask.posted if "search" in one]
    found: List[Any] = []
    browser.search(json.dumps(wanted), "[]", lambda text: found.append(json.loads(text)))
    facts = json.dumps([fact for message in found for fact in message["facts"]])
    visit = Asked()  # the next one, which begins with what is kept
    visit.answers.keep("no such game", facts)
    visit.answers.keep("nim", facts)
    shown = visit("position", **other)["answer"]
    assert (shown["outcome"], shown["sources"]) == ("win", ["a search on this page"])


def test_a_search_of_the_browser_is_stopped_and_the_next_begins() -> None:
    ask = Asked()
    ask("search", position="0*45", seconds=60)
    ask("search", position="0*48", seconds=60)
    ask("stop")
    searches = [one["search"] for one in ask.posted if "search" in one]
    assert [one and one["position"] for one in searches] == ["0*45", None, "0*48"]
    state = ask.posted[-1]["state"]
    assert (state["position"], state["past"][0]["outcome"]) == ("0*48", None)


def checked(ask: Asked, content: bytes) -> Dict[str, Any]:
    """The verdict of a check, question by question."""
    found = ask("check", content=base64.b64encode(content).decode())["answer"]
    while not found["verdict"]:
        found = ask("check", check=found["check"])["answer"]
    return dict(found)


def test_certificates_are_checked() -> None:
    content = Path(data_path("certificates/sprouts-7.cert.gz")).read_bytes()
    ask = Asked()
    found = checked(ask, content)
    assert (found["verdict"], found["position"], found["outcome"]) == ("proved", "0*7", "loss")
    assert found["done"] == found["entries"] > 0
    assert checked(ask, content[:-9])["verdict"] == "refused"
    assert "no longer under way" in ask("check", check=found["check"])["error"]
    assert "base64" in ask("check", content=7)["error"]
