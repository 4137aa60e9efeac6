"""What a search found: to read, to explain, to certify."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from pns.facts import Facts
from pns.finding import find_game
from pns.game import Game, Sum, SupportsDraws
from pns.usage import Usage

if TYPE_CHECKING:  # a search imports no proofs
    from pns.proofs.certificate import Certificate
    from pns.proofs.explain import Why

_LEFT = 'style="text-align: left"'
_ROW = '<tr><th scope="row" %s>%%s</th><td %s>%%s</td></tr>' % (_LEFT, _LEFT)


@dataclass(frozen=True)
class Result:
    """What a search found, and what it used; fields are None where unknown."""

    position: str
    canonical: str
    """The canonical text of the position. In a game with draws it asks one question: the last one
    that was searched, which a certificate of the result answers."""
    game: str
    algorithm: str
    solved: bool
    outcome: Optional[str]
    """ "win", "draw" or "loss" for the player to move."""
    grundy_number: Optional[int]
    winning_move: Optional[str]
    """The position after a winning move."""
    stopped_by: Optional[str]
    """What ended an unsolved search: "expansions", "seconds", "memory", with pns-tree "capacity",
    or the reason given to the stop token."""
    unsaved: Optional[str]
    """Why the last checkpoint of an unsolved search could not be written."""
    usage: Usage
    version: str
    from_table: bool = False
    """Whether the strong solution that the search was given had the answer at once."""
    simplify: bool = False
    """Whether simpler positions stood in place of children, so that the proof rests on them."""
    possible: Tuple[str, ...] = ("win", "loss")
    """The outcomes that nothing excludes, the best first: of a solved position the outcome, of a
    game with draws ("draw", "loss") after a search that excluded only a win."""
    drawing_move: Optional[str] = None
    """The position after a move that keeps a draw; None unless the outcome is a draw."""
    facts: Optional[Facts] = field(default=None, repr=False, compare=False)
    """The facts that the search used and proved; None in a copy that was pickled."""

    @property
    def name(self) -> str:
        """What to call the position: its canonical text, or in a game with draws the text given."""
        has_draws = isinstance(find_game(self.game), SupportsDraws)
        return self.position if has_draws else self.canonical

    @property
    def claim(self) -> Optional[str]:
        """ "win" or "loss": the answer to the question of `canonical`; None where unknown."""
        return "win" if self.outcome == "draw" else self.outcome

    @property
    def move(self) -> Optional[str]:
        """The position after the move that wins or keeps a draw, None if none is known."""
        return self.winning_move if self.drawing_move is None else self.drawing_move

    def as_dict(self) -> Dict[str, Any]:
        """All of it but the facts in one flat dictionary, as the commands print it in JSON."""
        flat = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "facts"}
        usage = asdict(flat.pop("usage"))
        distribution = usage.pop("distribution")
        version = flat.pop("version")
        more = {"distribution": distribution} if distribution else {}
        return {**flat, **usage, "version": version, **more}

    def why(self) -> Why:
        """The winning move and what follows, or the answers to all moves; nothing is searched.

        For a draw this shows that the player to move gets at least a draw.
        Raises ValueError for an unsolved position, and FactsError where the facts are in a
        database that has been closed since; `read_facts` opens it again.
        """
        from pns.proofs.explain import Why

        game, lands = self._game()
        move = None if self.move is None else game.parse(self.move)
        return Why(game, self._facts().get, lands, move)

    def certificate(self, path: str, cycles: int = 0) -> Certificate:
        """Write a small proof to a file, as `pns certify` does; returns the file's header.

        `scripts/check_certificate.py` checks it, with rules of its own for the impartial games that
        it names. Each of the `cycles` looks for a smaller proof. Facts that the proof needs and the
        search did not are searched for. After a search with simpler positions the certificate lists
        what they exchange. In a game with draws it answers the question of `canonical`; of a draw,
        at least a draw. Raises ValueError for an unsolved position or a proof that
        is too large, FactsError as `why` does, and OSError.
        """
        from pns.proofs.certify import certify

        game, lands = self._game()
        return certify(path, game, lands, self._facts(), cycles, self.simplify)

    def _game(self) -> Tuple[Game, Sum]:
        if self.outcome is None:
            raise ValueError("%s was not solved: nothing is proved about it" % self.canonical)
        game = find_game(self.game)
        return game, game.parse(self.canonical)

    def _facts(self) -> Facts:
        if self.facts is None:
            raise ValueError("a pickled copy has no facts")
        return self.facts

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "facts": None}

    @cached_property
    def _drawing(self) -> str:
        """The SVG of the position, if it can with the move that was found; "" where there is none.

        There is none of an unsolved position, nor in a game without pictures. A notebook asks for
        it twice.
        """
        from pns.front.drawings import draw  # a search imports no drawings

        for move in (self.move, None) if self.outcome else ():
            try:
                return draw(self.position, self.game, move).svg
            except ValueError:  # of a draw the move may answer another question than the position
                continue
        return ""

    def _repr_svg_(self) -> Optional[str]:
        """The picture of a solved position with its move, above the verdict."""
        from pns.front.drawings import captioned

        verdict = "%s: %s for the player to move" % (self.game, self.outcome)
        return captioned(self._drawing, verdict) if self._drawing else None

    def _repr_html_(self) -> str:
        """A small table for notebooks, in the colours of the page, with a picture if any."""
        rows = [
            ("position", "<b>%s</b>" % escape(self.canonical)),
            ("game", escape(self.game)),
            ("outcome", self.outcome or "unknown: stopped by %s" % escape(str(self.stopped_by))),
        ]
        if self.grundy_number is not None:
            rows.append(("Grundy number", str(self.grundy_number)))
        if self.winning_move is not None:
            rows.append(("winning move", escape(self.winning_move)))
        if self.drawing_move is not None:
            rows.append(("drawing move", escape(self.drawing_move)))
        took = "%s: %d expansions, %.2f s" % (
            escape(self.algorithm),
            self.usage.expansions,
            self.usage.seconds,
        )
        rows.append(("search", took))
        facts = "%d known, %d of them new" % (self.usage.facts_known, self.usage.facts_new)
        rows.append(("facts", facts))
        if self._drawing:
            rows.append(("picture", self._drawing))
        return '<table style="color: inherit; background: transparent">%s</table>' % "".join(
            [_ROW % row for row in rows]
        )
