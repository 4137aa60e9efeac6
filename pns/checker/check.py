"""The check of a certificate: each entry, then the claim."""

from __future__ import annotations

import json
import random
import sys
import time
from itertools import chain
from typing import Dict, Iterator, List, Optional, Sequence, Set, Tuple

from pns.checker.games import GAMES
from pns.checker.reading import read_certificate, work_for
from pns.checker.sprouts_tails import proposals
from pns.checker.work import TooMuchWork


def is_proved(game: str, tail: str, other: str) -> bool:
    """Whether an exchange is one, by play."""
    try:
        return GAMES[game].holds(tail, other)
    except TooMuchWork:
        raise
    except ValueError:  # one of them is not a tail
        return False


class Checker:
    """The entries by the canonical texts of their lands, and what follows from them."""

    def __init__(
        self,
        entries: List[Tuple[str, int]],
        game: str = "sprouts",
        exchanges: Sequence[Tuple[str, str]] = (),
    ) -> None:
        self.rules = GAMES[game]
        self.bad_exchanges: List[Tuple[str, str]] = []
        with work_for("exchanges of", game):
            self.bad_exchanges = [pair for pair in exchanges if not is_proved(game, *pair)]
            self.proposals = proposals([p for p in exchanges if p not in self.bad_exchanges])
        self.numbers: Dict[str, int] = {}
        self.profiles: Set[int] = set()
        """Profiles of all entries; a land with another profile is not an entry."""
        self.option_numbers: Dict[str, Set[int]] = {}
        """Numbers that options of a land are known to have."""
        self.complete: Set[str] = set()
        """Lands whose options have all been examined for that."""
        for text, number in entries:
            with work_for("entry", text):
                land = self.rules.canonical(text)
                if "+" in land or land == "!" and not self.rules.decides_small_lands:
                    raise ValueError("several lands or none; expected one")
                if self.numbers.setdefault(land, number) != number:
                    raise ValueError(
                        "conflicting numbers; expected one number for all texts of a land"
                    )
                self.profiles.add(self.rules.profile(text))

    def simpler(self, position: str) -> List[str]:
        """Other positions of the same Grundy number, by exchanges."""
        return self.rules.simpler_texts(position, self.proposals) if self.proposals else []

    def known(self, position: str) -> Optional[int]:
        """The Grundy number of a position, as far as it follows from entries; else None."""
        for text in chain((position,), self.simpler(position)):
            number = self.known_as_is(text)
            if number is not None:
                return number
        return None

    def known_as_is(self, position: str) -> Optional[int]:
        """The xor of the entries of the lands, or None if one is missing."""
        number = 0
        for land in position.split("+") if position != "!" else []:
            if land not in self.numbers:
                return None
            number ^= self.numbers[land]
        return number

    def texts_that_may_be_known(self, land: str) -> Iterator[str]:
        """Those of a land's children, and of simpler positions, whose lands may all be entries."""
        if self.proposals:
            return self.rules.familiar_texts(land, self.proposals, self.profiles)
        return self.rules.child_texts(land, self.profiles)

    def land_has_option(self, land: str, number: int) -> bool:
        """Whether some option of a land has known = number."""
        option_numbers = self.option_numbers.setdefault(land, set())
        if number not in option_numbers and land not in self.complete:
            for child in self.texts_that_may_be_known(land):
                known = self.known_as_is(child)
                if known is not None:
                    option_numbers.add(known)
                    if known == number:
                        break
            else:
                self.complete.add(land)
        return number in option_numbers

    def has_option(self, position: str, number: int) -> bool:
        """Whether some option of a position, or of a simpler one, has known = number."""
        texts = chain((position,), self.simpler(position))
        return any(self.has_option_as_is(text, number) for text in texts)

    def has_option_as_is(self, position: str, number: int) -> bool:
        """Whether some option of a position has known = number.

        A move changes one land; the others must be known, and so must the option of
        that land, with the number that makes the xor right.
        """
        parts = position.split("+") if position != "!" else []
        for i, land in enumerate(parts):
            others = self.known_as_is("+".join(parts[:i] + parts[i + 1 :]) or "!")
            if others is not None and self.land_has_option(land, number ^ others):
                return True
        return False

    def why_bad(self, land: str, number: int) -> str:
        """Why the entry land -> number does not hold; empty if it does."""
        found = set()
        unanswered = ""
        for child in set(self.rules.child_texts(self.rules.canonical(land))):
            known = self.known(child)
            if known == number:
                return "its option %s has this number too" % child
            if known is not None:
                found.add(known)
            elif not unanswered and not self.has_option(child, number):
                unanswered = child
        for i in range(number):
            if i not in found:
                return "no option is known to have Grundy number %d" % i
        return "its option %s is not known and has no answer" % unanswered if unanswered else ""

    def proves(self, position: str, wins: bool) -> bool:
        """Whether the claim follows from the entries."""
        position = self.rules.canonical(position)
        return self.has_option(position, 0) if wins else self.known(position) == 0


def check(path: str, sample: Optional[int], seed: int, as_json: bool = False) -> bool:
    """Check one file and print what was found; returns whether all that was checked holds."""
    start = shown = time.monotonic()
    certificate = read_certificate(path)
    checker = Checker(certificate.entries, certificate.game, certificate.exchanges)
    chosen = certificate.entries
    if sample is not None and sample < len(chosen):
        chosen = random.Random(seed).sample(chosen, sample)
    bad: List[Dict[str, object]] = []
    for pair in checker.bad_exchanges:
        bad.append({"exchange": pair, "why": "play does not show it"})
        if not as_json:
            print("%s: bad: exchange %a %a: play does not show it" % (path, *pair))
    for i, (land, number) in enumerate(chosen):
        with work_for("entry", land):
            why = checker.why_bad(land, number)
        if why:
            bad.append({"land": land, "grundy_number": number, "why": why})
            if not as_json:
                print("%s: bad: %s %d: %s" % (path, land, number, why))
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            print("%s: %d of %d" % (path, i + 1, len(chosen)), file=sys.stderr, flush=True)
    with work_for("the claim", certificate.position):
        proved = checker.proves(certificate.position, certificate.wins)
    wholly = len(chosen) == len(certificate.entries)
    outcome = "win" if certificate.wins else "loss"
    claim = "%s is a %s" % (certificate.position, outcome)
    seconds = time.monotonic() - start
    if bad or not proved:
        verdict = "NOT PROVED"
    else:
        verdict = "proved" if wholly else "a sample holds"
    if as_json:
        found = {
            "path": path,
            "position": certificate.position,
            "outcome": outcome,
            "claim_follows": proved,
            "checked": len(chosen),
            "entries": len(certificate.entries),
            "bad": bad,
            "seconds": seconds,
        }
        print(json.dumps(found))
        return proved and not bad
    print(
        "%s: %s: %s. %d of %d entries checked, %d bad, %.0f s."
        % (
            path,
            claim,
            verdict,
            len(chosen),
            len(certificate.entries),
            len(bad),
            seconds,
        )
    )
    return proved and not bad
