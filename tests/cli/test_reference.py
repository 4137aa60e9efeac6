"""Completions and man pages: every option of every parser is in them, and bash completes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import List

import pytest
from helpers.tools import call

from pns.choices import GAMES
from pns.cli.commands import completion
from pns.cli.commands.manual import escaped, page, page_name
from pns.cli.main import COMMANDS
from pns.cli.reference import Command, commands

ALL: List[Command] = commands()


def test_every_command_is_found_once() -> None:
    names = [command.name for command in ALL]
    assert names[0] == "" and len(set(names)) == len(names)
    assert set(COMMANDS) <= set(names) and {"db list", "db why"} <= set(names)
    assert all([command.help for command in ALL[1:]])


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_completions_have_every_option(shell: str) -> None:
    text = "\n".join(getattr(completion, shell)(ALL))
    for command in ALL:
        for option in command.options:
            for flag in option.flags:
                name = flag
                if shell == "fish":
                    name = "-l " + flag[2:] if flag.startswith("--") else "-s " + flag[1:]
                assert name + " " in text or name + "[" in text or name + "'" in text
            for choice in option.choices:
                assert choice in text
        for verb in command.verbs:
            assert verb in text


CASES = [
    (["so"], {"solve"}),
    (["worker", "k"], {"keygen"}),
    (["solve", "--al"], {"--algorithm"}),
    (["solve", "--algorithm", "pns-"], {"pns-tree", "pns-pdfpn"}),
    (["solve", "0*3", "--game", ""], set(GAMES)),
    (["solve", "--capacity", ""], set()),
    (["solve", "--db", "fi"], {"file.lmdb"}),
    (["db", "list", "--li"], {"--lives", "--limit"}),
    (["db", "--db", "x", "list", "--liv"], {"--lives"}),
    (["audit", "fi"], {"file.lmdb"}),
    (["completion", "z"], {"zsh"}),
]
SHOW = '; COMP_WORDS=("${@}"); COMP_CWORD=$(($# - 1)); _pns; printf "%s\\n" "${COMPREPLY[@]}"'


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_completes(tmp_path: Path) -> None:
    done = call("pns", "completion", "bash")
    assert (done.status, done.errors) == (0, "")
    (tmp_path / "pns.bash").write_text(done.output)
    (tmp_path / "file.lmdb").touch()
    for words, expected in CASES:
        command = ["bash", "-c", "source ./pns.bash" + SHOW, "bash", "pns", *words]
        found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert found.stderr == "" and set(found.stdout.split()) == expected, words


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_read_their_scripts(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip("no %s here" % shell)
    script = tmp_path / "script"
    script.write_text("\n".join(getattr(completion, shell)(ALL)) + "\n")
    assert subprocess.run([shell, "-n", str(script)], capture_output=True).stderr == b""


def test_pages_have_every_option(tmp_path: Path) -> None:
    done = call("pns", "manual", tmp_path / "man")
    assert (done.status, done.errors) == (0, "")
    files = {path.name for path in (tmp_path / "man").iterdir()}
    assert files == {page_name(command) + ".1" for command in ALL}
    for command in ALL:
        text = (tmp_path / "man" / (page_name(command) + ".1")).read_text()
        assert text == "".join([line + "\n" for line in page(command, others(command))])
        for option in command.options:
            for flag in option.flags:
                assert "\\fB%s\\fR" % escaped(flag) in text
            assert escaped(option.help) in text
        for verb in command.verbs:
            assert "\n\\fB%s\\fR\n" % escaped(verb) in text
    if shutil.which("man"):
        words = ["man", "--warnings", "-l", str(tmp_path / "man" / "pns-solve.1")]
        shown = subprocess.run(words, capture_output=True, text=True)
        if shown.returncode == 0:  # a man without pages, as in containers, only says so
            assert shown.stderr == "" and "--algorithm {dfpn," in shown.stdout


def others(command: Command) -> List[str]:
    return [page_name(other) for other in ALL if other != command]
