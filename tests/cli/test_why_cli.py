"""`pns why`: text, JSON and DOT, what is refused, and the pager."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import List

import pytest
from helpers.inprocess import Answer, Caller
from helpers.paths import CERTIFICATES

from pns import children
from pns.cli.commands.why import main
from pns.cli.terminal import pager
from pns.facts.spr import TITLE
from pns.proofs.certificate import read_certificate

FOUR = CERTIFICATES / "sprouts-4.cert.gz"
ENTRIES = {land.decode() for land in read_certificate(str(FOUR))[1]}


class Why:
    """`pns why` by a source alone, by default the certificate of 0*4."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def __call__(self, *words: object, db: Path = FOUR) -> Answer:
        return self._caller(main, *words, "--no-known", "--db", db)


@pytest.fixture
def why(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Why:
    return Why(Caller(capsys, monkeypatch, "pns why"))


@pytest.fixture
def partial(tmp_path: Path) -> Path:
    path = tmp_path / "f.spr"
    path.write_bytes(TITLE + b"0*2 0\n0*3 1\n0 0\n")
    return path


def test_a_loss(why: Why) -> None:
    loss = "0*2 is a loss; the answers to its moves:"
    heading = "  move     number  answer"
    answer = why("0*2")
    assert answer.output[:3] == [loss, heading, "  0.AB|AB       ?  0"]
    assert (answer.status, answer.errors) == (0, [])
    assert answer.output[3:] == ["  1a1a          ?  ABCD|ABCD"]
    assert why("!").output == ["! is a loss: there is no move."]
    assert "Its Grundy number is 0, as equal lands cancel." in why("0*3+0*3").output


def test_a_win(why: Why) -> None:
    answer = why("0*4")
    assert answer.status == 0 and answer.output[0] == "0*4 is a win: move to 0*2.AB|0.AB"
    assert answer.output[2:] == [
        "  0*2.AB|0.AB       0  wins",
        "  and 2 more: --all lists them",
    ]
    every = why("0*4", "--all").output
    assert sorted([line.split()[0] for line in every[2:]]) == children("0*4")


def test_what_the_entries_do_not_show(why: Why, partial: Path) -> None:
    assert why("0*7")[:2] == (1, ["0*7: it is not known who wins."])
    answer = why("0*2", db=partial)
    assert answer.status == 1 and answer.output[-1].endswith("no answer is known")
    answer = why("0*3", db=partial)
    assert answer.output[0] == "0*3 is a win; it is not known by which move."
    assert (answer.status, answer.output[1]) == (1, "Its Grundy number is 1.")
    answer = why("0*3", "--to-the-end", db=partial)
    assert answer.status == 1
    assert [line for line in answer.output if line.endswith(": no answer is known")]
    answer = why("0*7", "--to-the-end", db=partial)
    assert answer[:2] == (1, ["0*7: it is not known who wins."])


def test_to_the_end_each_land_is_printed_once(why: Why) -> None:
    output = why("0*4", "--to-the-end").output
    heads = [re.fullmatch(r"\[(\d+)\] (\S+) = (\d+)", line) for line in output]
    found = [match.groups() for match in heads if match]
    assert [int(number) for number, *_ in found] == list(range(1, len(found) + 1))
    assert {land for _, land, _ in found} == ENTRIES and len(found) == len(ENTRIES)
    references = {int(text) for text in re.findall(r"\[(\d+)\]", "\n".join(output))}
    assert references == set(range(1, len(found) + 1))
    assert output[0] == "0*4 is a win: move to 0*2.AB|0.AB [1]"
    assert output[1] == "Below are %d lands on which it rests." % len(ENTRIES)


def test_depth(why: Why) -> None:
    output = why("0*4", "--depth", 2).output
    assert [line for line in output if line.startswith("[")] == ["[1] 0*2.AB|0.AB = 0"]
    assert "[2]" not in "\n".join(output)


def test_a_long_proof_is_refused_before_it_is_printed(why: Why) -> None:
    status, output, errors = why("0*4", "--to-the-end", "--most", 20)
    assert (status, output, len(errors)) == (2, [], 1)
    assert re.search(r"more than 20 lines: \d lands, then at least \d+ more, of 13 ", errors[0])
    assert "--most 0" in errors[0] and "--depth" in errors[0]
    assert why("0*4", "--to-the-end", "--most", 0).status == 0


def test_json_of_a_position(why: Why) -> None:
    (line,) = why("0*2", "--json").output
    found = json.loads(line)
    assert {found[key] for key in ("position", "outcome", "grundy_number")} == {"0*2", "loss", 0}
    assert {pair["move"] for pair in found["answers"]} == set(children("0*2"))
    for pair in found["answers"]:
        assert pair["answer"] in children(pair["move"])
    assert why("0*2", "--format", "json").output == [line]
    every = json.loads(why("0*2", "--json", "--all").output[0])["answers"]
    for pair in every:
        assert pair["answer"] in pair["answers"] and set(pair["answers"]) <= set(
            children(pair["move"])
        )


def test_json_of_a_proof(why: Why) -> None:
    root, *lands = map(json.loads, why("0*4", "--to-the-end", "--json").output)
    assert (root["outcome"], root["rests_on"]) == ("win", [root["move"]])
    assert {step["position"] for step in lands} == ENTRIES
    for step in lands:
        assert {move["move"] for move in step["moves"]} == set(children(step["position"]))
        assert set(step["rests_on"]) <= ENTRIES


def test_dot(why: Why) -> None:
    output = why("0*4", "--to-the-end", "--format", "dot").output
    assert (output[0], output[-1]) == ("digraph why {", "}")
    arrows = [re.fullmatch(r'  (\S+) -> "(\S+)"( \[style=\w+\])?;', line) for line in output]
    targets = {match.group(2) for match in arrows if match}
    named = {match.group(1) for match in arrows if match}
    assert targets == ENTRIES and "root" in named


def test_refusals(why: Why, tmp_path: Path) -> None:
    for words in (
        ["0*4", "--depth", 0],
        ["0*4", "--depth", 2, "--to-the-end"],
        ["0*4", "--all", "--depth", 2],
        ["0*4", "--format", "svg"],
    ):
        status, output, errors = why(*words)
        assert (status, output, len(errors)) == (2, [], 1), words
    missing = why("0*4", db=tmp_path / "none")
    assert missing.status == 2 and "no such database" in missing.errors[0]


def test_the_pager_gets_what_does_not_fit(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("LINES", "5")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PAGER", "tee %s" % out)
    lines: List[str] = ["line %d" % i for i in range(9)]
    pager.page(lines[:3])
    assert not out.exists()
    pager.page(lines)
    assert out.read_text().splitlines() == lines
    out.unlink()
    pager.page(lines, wanted=False)
    monkeypatch.setenv("PAGER", "cat")
    pager.page(lines)
    monkeypatch.setenv("PAGER", "no-such-program")
    pager.page(lines)
    assert not out.exists()
    assert capfd.readouterr().out.splitlines() == [*lines[:3], *lines * 4]


@pytest.mark.parametrize("letter, how", [("", "loss"), ("o", "loss"), ("x", "win")])
def test_of_a_game_with_draws_the_question_is_named(
    why: Why, tmp_path: Path, letter: str, how: str
) -> None:
    path = tmp_path / "f.spr"
    path.write_bytes(TITLE)
    text = "3%s:...|...|..." % letter
    answer = why(text, "--game", "mnk", db=path)
    asked = "In 3%s:...|...|... a draw counts as a %s of the player to move."
    assert answer.output[0] == asked % (letter or "o", how)
    assert "counts" not in why("0*2").output[0]
