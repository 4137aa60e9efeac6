"""The report of a run as one page of HTML that needs nothing else."""

from __future__ import annotations

import argparse
import platform
import shlex
import sys
import time
from html import escape
from string import Template
from typing import Iterator, List, NamedTuple, Optional, Sequence

from pns import Result
from pns.choices import DRAWN_GAMES
from pns.cli.common import program
from pns.cli.layout import LabelledText, count, size
from pns.cli.parser import check_output
from pns.cli.reports.chart import Chart, Point, plot
from pns.cli.reports.report import figures, how_to_resume, report
from pns.cli.reports.series import Sample, Series
from pns.finding import find_game
from pns.game import Game, Sum, children_of
from pns.proofs.why import Explainer
from pns.search.bounds import INF
from pns.sprouts.drawing import Drawing, draw, draw_move
from pns.sprouts.drawing.svg import STYLE
from pns.system.files import open_whole
from pns.system.machine import physical_cores, total_memory
from pns.system.package_data import find_certificate, read_data

HIDDEN = ("report", "json", "quiet", "draw", "version")
"""Options that do not affect the search."""
MOST_POSITIONS = 12
"""Positions of the principal line."""
MOST_CHILDREN = 3000
"""Children of a position above which the line ends."""
LINE_SECONDS = 10.0
"""The line ends where it takes longer than that to find and to draw."""

RATE_WINDOWS = 40
"""A rate is that of at least the time of the search divided by this."""


class LineStep(NamedTuple):
    """A position of the principal line, who moved there, and what is known about the move."""

    position: Sum
    who: str
    remark: str


def check_path(path: str) -> None:
    """Exit unless a report can be written there."""
    check_output("--report", path, (".html", ".htm"))


def write(path: str, args: argparse.Namespace, result: Result, series: Series) -> None:
    """Write the page, wholly or not at all; raises OSError."""
    text = page(args, result, series)
    with open_whole(path) as stream:
        stream.write(text.encode())


def page(args: argparse.Namespace, result: Result, series: Series) -> str:
    """The report of a run that these options began, whose facts are still open."""
    series.finish(result)
    facts = result.facts
    database = facts.path if facts else None
    sentences = sentences_of(args, result, database)
    known = {name: value for name, value in vars(args).items() if name not in HIDDEN}
    template = Template((read_data("report.html") or b"").decode())
    return template.substitute(
        title=escape("%s: %s" % (result.name, result.outcome or "not solved")),
        sentences="\n".join(["<p>%s</p>" % escape(sentence) for sentence in sentences]),
        drawing_style=drawing_style(result.game),
        answer=answer(result),
        figures=table([*root_numbers(series), *figures(result, database)]),
        line=principal_line(result),
        plots=plots(series.samples),
        command=escape(command()),
        again=again(result, database),
        options=table(
            [
                (name.replace("_", "-"), said(value))
                for name, value in sorted(known.items())
                if given(value)
            ]
        ),
        machine=table(machine(result)),
    )


def sentences_of(args: argparse.Namespace, result: Result, database: Optional[str]) -> List[str]:
    """Who wins, or why that is unknown, as the command prints it."""
    lines = report(result, database)
    sentences = lines[: lines.index("")] if "" in lines else []
    if not result.solved:
        sentences += how_to_resume(result, database, args.checkpoint, False)
    return sentences


def given(value: object) -> bool:
    """Whether an option was given or has a default of its own."""
    return value is not None and value is not False


def said(value: object) -> str:
    """The value of an option.

    >>> said(True), said(2.0), said("dfpn")
    ('yes', '2', 'dfpn')
    """
    if isinstance(value, float):
        return "%g" % value
    return "yes" if value is True else str(value)


def table(rows: Sequence[LabelledText]) -> str:
    """Names and texts as a table."""
    row = '<tr><th scope="row">%s</th><td>%s</td></tr>'
    lines = [row % (escape(name), escape(text)) for name, text in rows]
    return "<table>\n%s\n</table>" % "\n".join(lines)


def root_numbers(series: Series) -> Iterator[LabelledText]:
    """The last numbers of the root."""
    if series.samples:
        last = series.samples[-1]
        yield "proof number", "∞" if last.pn >= INF else count(last.pn)
        yield "disproof number", "∞" if last.dn >= INF else count(last.dn)


def drawing_style(game: str) -> str:
    """The style sheet of all drawings, which they then need not repeat."""
    if game not in DRAWN_GAMES:
        return ""
    return STYLE


def bare(drawing: Drawing) -> str:
    """A drawing as an SVG element without its style sheet."""
    head, _, rest = drawing.svg().partition("<style>")
    return head + rest.partition("</style>\n")[2]


def answer(result: Result) -> str:
    """The position drawn, with the winning move where there is one; "" for other games."""
    if result.game not in DRAWN_GAMES:
        return ""
    move = result.winning_move
    picture = bare(draw(result.canonical) if move is None else draw_move(result.canonical, move))
    words = "The winning move, highlighted." if move else "The position."
    caption = "<figcaption>%s</figcaption>" % words
    return '<figure class="answer">\n%s%s\n</figure>' % (picture, caption)


def principal_line(result: Result) -> str:
    """A section with the winning move, and a game that follows; "" where nothing is known."""
    if result.outcome is None or result.facts is None:
        return ""
    game = find_game(result.game)
    lands = game.parse(result.canonical)
    move = None if result.move is None else game.parse(result.move)
    explainer = Explainer(game, result.facts.get)
    deadline = time.monotonic() + LINE_SECONDS
    items = []
    drawn: Optional[Drawing] = None
    for step in steps(game, explainer, lands, move, result.claim == "win"):
        text = game.format(step.position)
        if result.game in DRAWN_GAMES:
            drawn = (drawn or draw(result.canonical)).played(text)
        picture = bare(drawn) if drawn else ""
        words = '<div class="who">%s</div><code>%s</code>' % (step.who, escape(text))
        remark = '<div class="who">%s</div>' % step.remark if step.remark else ""
        items.append("<li>%s%s%s</li>" % (picture, words, remark))
        if time.monotonic() > deadline:
            break
    if not items:
        return ""
    head = '<section aria-labelledby="line">\n<h2 id="line">A line of play</h2>\n'
    words = "The winner plays moves that the facts prove; the loser, the move with most left."
    return '%s<p class="faint">%s</p>\n<ol class="line">\n%s\n</ol>\n</section>' % (
        head,
        words,
        "\n".join(items),
    )


def steps(
    game: Game, explainer: Explainer, lands: Sum, move: Optional[Sum], wins: bool
) -> Iterator[LineStep]:
    """The positions after each move: the winner's by the facts, the loser's the largest ones."""
    for number in range(1, MOST_POSITIONS + 1):
        if wins:
            move = move or explainer.winning_move(lands)
            if move is None:
                return
            yield LineStep(move, "%d. the winner moves to" % number, "a loss: its number is 0")
            lands, move = move, None
        else:
            children = children_of(game, lands)
            if not children or len(children) > MOST_CHILDREN:
                return
            lands = max(
                children, key=lambda child: (sum([game.estimate(k)[0] for k in child]), child)
            )
            yield LineStep(lands, "%d. the loser moves to" % number, moves(len(children)))
        wins = not wins


def moves(number: int) -> str:
    """How many moves there were."""
    return "the only move" if number == 1 else "one of %s moves" % count(number)


def plots(samples: Sequence[Sample]) -> str:
    """Root numbers, rate, memory and facts over time."""
    if len(samples) < 2:
        return '<p class="faint">The search was too short to be plotted.</p>'
    unit, seconds = next(
        (name, length)
        for name, length in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0), ("s", 1.0))
        if samples[-1].seconds >= 3 * length or name == "s"
    )
    label = "seconds" if unit == "s" else unit
    times = [sample.seconds / seconds for sample in samples]
    known = list(zip(times, samples))
    root = {
        "proof number": [(x, float(s.pn)) for x, s in known if s.pn < INF],
        "disproof number": [(x, float(s.dn)) for x, s in known if s.dn < INF],
    }
    charts = [
        Chart("Numbers of the root", label, "", root, log_y=True),
        Chart("Expansions per second", label, "", {"": rates(samples, seconds)}),
        Chart("Memory, MB", label, "", {"": [(x, s.memory / 1e6) for x, s in known]}),
        Chart("Facts", label, "", {"": [(x, float(s.facts)) for x, s in known]}),
    ]
    figures = ["<figure>%s</figure>" % plot(chart) for chart in charts]
    return '<div class="plots">\n%s\n</div>' % "\n".join(figures)


def rates(samples: Sequence[Sample], unit: float) -> List[Point]:
    """(time, expansions for each second of the window that ends then)."""
    window = samples[-1].seconds / RATE_WINDOWS
    found, first = [], 0
    for i, after in enumerate(samples):
        while samples[first + 1].seconds < after.seconds - window:
            first += 1
        before = samples[first]
        passed = after.seconds - before.seconds
        if i and passed > 0:
            done = after.expansions - before.expansions
            found.append((after.seconds / unit, max(done, 0) / passed))
    return found


def command() -> str:
    """The command line of this run."""
    name = program()
    python = "pypy3" if sys.implementation.name == "pypy" else "python3"
    front = "%s scripts/%s" % (python, name) if name.endswith(".py") else name
    return "%s %s" % (front, shlex.join(sys.argv[1:]))


def again(result: Result, database: Optional[str]) -> str:
    """What else can be done with the run: a certificate to check, or to be made."""
    notes = []
    if database and result.solved:
        notes.append("<p>The database now has the answer; --no-db --no-known searches again.</p>")
    name = "%s-%s" % (result.game, result.canonical[2:])
    path = find_certificate(name)
    if result.canonical[:2] == "0*" and path != name:
        words = "A certificate of this position comes with the package. It is checked by"
        notes.append("<p>%s</p>\n<pre>pns check %s</pre>" % (words, escape(name)))
    elif database and result.solved:
        claim = "%s=%s" % (result.canonical, result.claim)
        words = shlex.join(["--game", result.game, claim, database, "FILE.cert.gz"])
        notes.append("<p>A certificate is made by</p>\n<pre>pns certify %s</pre>" % escape(words))
    return "\n".join(notes)


def machine(result: Result) -> List[LabelledText]:
    """The program, the interpreter, the system, and what the machine has."""
    python = "%s %s" % (platform.python_implementation(), platform.python_version())
    if sys.implementation.name == "pypy":
        python = "PyPy %d.%d.%d, Python %s" % (
            *sys.implementation.version[:3],
            platform.python_version(),
        )
    return [
        ("pns", result.version),
        ("interpreter", python),
        ("system", platform.platform()),
        ("processor", platform.machine()),
        ("physical cores", str(physical_cores())),
        ("memory of the machine", size(total_memory())),
        ("written", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())),
    ]
