"""Show positions in the browser, by a server on the loopback address."""

from __future__ import annotations

import argparse
import secrets
import webbrowser
from typing import Optional

from pns.cli.common import die, first_position, how_to_install, listen, program, warn
from pns.cli.options.explore import explore_parser
from pns.cli.options.solutions import open_solution
from pns.facts import default_path
from pns.finding import find_game
from pns.system.loopback import LOOPBACK
from pns.system.package_data import find_certificate


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None:
        args = explore_parser(program()).parse_args()
    if args.export is not None:
        return export_page(args)
    try:
        from pns.web.app import make_app
        from pns.web.serving import serve
    except ImportError as error:
        die("%s is missing: %s" % (error.name, how_to_install("web")))
    from pns.strong.late import LateValues
    from pns.web.session import WebSession, standard_start

    own = args.db is None
    path = default_path(args.game) if own else find_certificate(args.db)
    game = find_game(args.game)
    solution = open_solution(args.table, game.name)
    first = solution.position if solution else standard_start(game) or first_position(game)
    late = LateValues(game) if args.late else None
    position = args.position or first
    session = WebSession(args.game, path, not own, position, solution, not args.no_known, late=late)
    if args.position is None and session.own.claim:
        session.position = session.own.claim[0]
    try:
        with listen(args.port, "--port") as listening:
            port = listening.getsockname()[1]
            token = secrets.token_urlsafe(24)
            address = "http://%s:%d/#token=%s" % (LOOPBACK, port, token)
            warn("serving %s until Ctrl-C" % address)
            if not args.no_browser:
                webbrowser.open(address)
            serve(make_app(session, port, token), listening, warn)
    finally:
        session.close()
    return 0


def export_page(args: argparse.Namespace) -> int:
    """Write the page as static files; returns the exit status."""
    from pns.web.export import ExportError, export
    from pns.web.npm import NpmError

    position = args.position or first_position(find_game(args.game))
    try:
        size = export(args.export, args.game, position, args.pyodide)
    except ExportError as error:
        die("argument --export: %s" % error)
    except NpmError as error:
        die("%s; give a copy of it with --pyodide FILE.tgz or --pyodide DIR" % error)
    print("%s: %.1f MB; serve it with any web server" % (args.export, size / 1e6))
    return 0
