"""Wrong arguments of the public functions are refused at the door, by what is wrong with them."""

from __future__ import annotations

from typing import Any, Dict

import pytest

import pns

CERTIFICATE = "data/certificates/sprouts-5.cert.gz"
NO_TEXTS = [None, b"0*3", 3, ["0*3"]]


@pytest.mark.parametrize("bad", NO_TEXTS, ids=repr)
def test_what_is_no_text_is_no_position_and_no_game(bad: Any) -> None:
    with pns.read_facts(CERTIFICATE) as facts:
        for ask in (
            pns.solve,
            pns.children,
            pns.grundy_number,
            lambda text: pns.value(text, "mnk"),
            facts.grundy_number,
            facts.outcome,
            facts.why,
        ):
            with pytest.raises(TypeError, match="invalid position"):
                ask(bad)
    with pytest.raises(TypeError, match="invalid game"):
        pns.solve("0*3", bad)


@pytest.mark.parametrize("name", ["options", "facts", "table", "stop", "observer"])
@pytest.mark.parametrize("bad", [0, 1, "x", object()], ids=["0", "1", "x", "object"])
def test_an_argument_of_another_type(name: str, bad: Any) -> None:
    named: Dict[str, Any] = {name: bad}
    with pytest.raises(TypeError, match="invalid %s" % name):
        pns.solve("0*3", **named)


@pytest.mark.parametrize("name", ["grundy", "simplify", "prior", "checkpoint", "resume"])
@pytest.mark.parametrize("bad", [1, b"x", 2.5], ids=repr)
def test_an_option_of_another_type(name: str, bad: Any) -> None:
    named: Dict[str, Any] = {name: bad}
    with pytest.raises(pns.OptionError, match="%s: invalid value" % name):
        pns.solve("0*3", **named)


def test_facts_of_another_game_answer_nothing() -> None:
    facts = pns.Facts("kayles")
    assert pns.grundy_number("5", "kayles") == 4
    pns.solve("5", "kayles", facts=facts, grundy=True)
    with pytest.raises(pns.OptionError, match="facts of kayles; expected those of nim"):
        pns.solve("5", "nim", facts=facts, grundy=True)
    assert pns.grundy_number("5", "nim") == 5


@pytest.mark.parametrize("claim", [("0*5", "loss"), ("0*5", "win"), "0*5", (None, True)], ids=repr)
def test_a_claim_in_words_is_not_taken_for_a_win(claim: Any) -> None:
    with pytest.raises(TypeError, match="invalid claim"):
        pns.audit_facts(CERTIFICATE, claim=claim)
    assert pns.audit_facts(CERTIFICATE, claim=("0*5", False)).why_unproved


@pytest.mark.parametrize("fact", [("3", 3), (b"3", 3.0), (b"3", None)], ids=repr)
def test_what_is_no_fact_is_not_kept(fact: Any) -> None:
    facts = pns.Facts("nim")
    with pytest.raises(TypeError, match="invalid fact"):
        facts.add(*fact)
    assert len(facts) == 0


def test_a_stop_without_a_reason_stops() -> None:
    stop = pns.StopToken()
    stop.stop("")
    found = pns.solve("0*6", stop=stop)
    assert (found.solved, found.outcome, found.stopped_by) == (False, None, "a request")


def test_nothing_has_stopped_a_solved_search() -> None:
    stop = pns.StopToken()
    stop.stop("enough")
    found = pns.solve("0*5", stop=stop, facts=pns.known_facts())
    assert (found.outcome, found.stopped_by) == ("win", None)
