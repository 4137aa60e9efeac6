"""Requests of strangers are refused: wrong hosts, origins, tokens, sizes, methods, paths."""

from __future__ import annotations

from typing import Any, Dict

import pytest

pytest.importorskip("starlette")
from helpers.asgi import Page, Reply, request
from starlette.responses import JSONResponse

from pns.web.api import CHANGING
from pns.web.app import make_app
from pns.web.guard import MOST_BYTES, Guard
from pns.web.session import WebSession

PORT, TOKEN = 8017, "t" * 32


@pytest.fixture(scope="module")
def app() -> Any:
    session = WebSession("sprouts", "sprouts-2", True, "0*2")
    made = make_app(session, PORT, TOKEN)
    Page(made, PORT, TOKEN).post("about")  # starts the thread that answers
    yield made
    session.close()


@pytest.fixture
def page(app: Any) -> Page:
    return Page(app, PORT, TOKEN)


def is_refused(reply: Reply, status: int = 403) -> bool:
    return reply.status == status and list(reply.json) == ["error"]


def test_the_page_and_its_files_are_served(page: Page) -> None:
    index = page.get("/")
    assert index.status == 200 and b"main.js" in index.body
    policy = index.headers["content-security-policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy
    assert b"http://" not in index.body and b"https://" not in index.body
    for path in ("/main.js", "/core/api.js", "/boards/scene.js", "/style/boards.css"):
        assert page.get(path).status == 200
    assert TOKEN.encode() not in index.body


def test_no_other_path_is_served(page: Page) -> None:
    for path in ("/../setup.cfg", "/%2e%2e/setup.cfg", "//etc/passwd", "/index.html", "/api/"):
        assert page.get(path).status == 404
    assert page.get("/api/position").status == 405
    assert page.post("nothing").status == 404


@pytest.mark.parametrize(
    "host", ["evil.example:8017", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8017.evil.example", ""]
)
def test_another_host_is_refused(page: Page, host: str) -> None:
    assert is_refused(page.get("/", host=host))
    assert is_refused(page.post("about", host=host))


def test_the_name_localhost_is_accepted(page: Page) -> None:
    own = "http://localhost:8017"
    assert page.post("about", host="localhost:8017", origin=own).status == 200


def test_at_the_port_of_http_a_host_needs_no_port() -> None:
    page = Page(Guard(JSONResponse({}), 80, TOKEN, ()), 80, TOKEN)
    for host in ("127.0.0.1", "localhost", "127.0.0.1:80"):
        assert page.get("/", host=host).status == 200
        assert page.post("about", host=host, origin="http://" + host).status == 200
        assert is_refused(page.post("about", host=host, origin="http://evil.example"))
    for host in ("evil.example", "127.0.0.1:8017", "127.0.0.1.evil.example", ""):
        assert is_refused(page.get("/", host=host))


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8017", ""])
def test_another_origin_is_refused(page: Page, origin: str) -> None:
    assert is_refused(page.post("about", origin=origin))
    assert is_refused(page.get("/api/events", origin=origin))


def test_requests_that_other_sites_send_are_refused(page: Page) -> None:
    assert is_refused(page.get("/api/drawing", "position=0*3", sec_fetch_site="cross-site"))
    assert is_refused(page.get("/", sec_fetch_site="cross-site"))
    followed = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
    assert page.get("/", **followed).status == 200
    assert is_refused(page.get("/api/drawing", **followed))


@pytest.mark.parametrize("token", ["", "t" * 31, "t" * 33, "u" * 32, "\xe9" * 32])
def test_what_changes_something_needs_the_token(page: Page, token: str) -> None:
    assert CHANGING == {"search", "stop", "forget"}
    for name in CHANGING:
        for data in ({"position": "0*2"}, {"position": "3+4", "game": "nim"}):
            reply = page.post(name, data, x_pns_token=token)
            assert is_refused(reply) and "only looks" in reply.json["error"]


@pytest.mark.parametrize("token", ["", "t" * 31, "\xe9" * 32])
def test_to_look_needs_no_token(page: Page, token: str) -> None:
    looking = {
        "position": {"start": "0*2"},
        "why": {"position": "0*2"},
        "facts": {},
        "statistics": {},
        "games": {},
        "start": {"game": "cram"},
        "about": {"game": "nim"},
    }
    assert not set(looking) & CHANGING
    for name, data in looking.items():
        assert page.post(name, data, x_pns_token=token).status == 200
    assert page.get("/api/drawing", "position=0*2", x_pns_token=token).status == 200


@pytest.mark.parametrize(
    "more",
    [
        {"host": "evil.example:8017"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_other_sites_cannot_look(page: Page, more: Dict[str, str]) -> None:
    """Their requests carry such headers, and other names do not lead here."""
    assert is_refused(page.post("about", None, None, x_pns_token="", **more))


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded"])
def test_what_is_posted_says_that_it_is_json(page: Page, kind: str) -> None:
    """A form of another site cannot say so, whatever headers its browser leaves out."""
    assert is_refused(page.post("about", content_type=kind), 415)
    assert page.post("about", content_type="application/json; charset=utf-8").status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Length": str(MOST_BYTES + 1)}, 413),
        ({"Content-Length": "9" * 30}, 411),
        ({"Content-Length": "-1"}, 411),
        ({}, 411),
    ],
)
def test_lengths_are_checked_before_anything_is_read(
    app: Any, headers: Dict[str, str], status: int
) -> None:
    own = {"Host": "127.0.0.1:8017", "X-Pns-Token": TOKEN, **headers}
    assert is_refused(request(app, "POST", "/api/about", own), status)


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"3", b"{", b"\xff", b"[" * 60_000, b'{"start": ' * 5000],
)
def test_what_is_no_json_object_is_refused(page: Page, body: bytes) -> None:
    assert is_refused(page.post("position", body=body), 400)


def test_a_body_longer_than_announced_is_not_read(page: Page) -> None:
    body = b'{"start": "%s"}' % (b"0" * MOST_BYTES)
    assert is_refused(page.post("position", body=body, content_length="10"), 400)


def test_other_methods_are_refused(app: Any) -> None:
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE"):
        assert is_refused(request(app, method, "/", {"Host": "127.0.0.1:8017"}), 405)
