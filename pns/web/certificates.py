"""What the page can ask about a certificate that a person brings: the verdict of the checker.

A check goes on a little with each question, so that others are answered between.
"""

from __future__ import annotations

import binascii

from pns.web.checks import CertificateCheck
from pns.web.reading import BadRequest, Json, number_in
from pns.web.session import WebSession

MOST_BYTES = 4_000_000
"""The longest certificate, as it is sent: in base64."""
SLICE = 0.2
"""Seconds of one question, or a little more: an entry is checked as a whole."""


def check(session: WebSession, data: Json) -> Json:
    """Begin the check of a certificate, `content` in base64, or go on with the `check` of a number.

    `done` of `entries` have been checked. The `verdict` is "" until the end, then "proved" or
    "not proved"; `bad` are the first faults. It is "refused" for what is no certificate, with a
    `reason`.
    """
    checks = session.checks
    try:
        if "content" in data:
            number = checks.begin(CertificateCheck(_content_in(data)))
        else:
            number = number_in(data, "check", 1, 1 << 53)
        found = checks.at(number).go_on(SLICE)
    except BadRequest:
        raise
    except KeyError as error:
        raise BadRequest("check: it is no longer under way; give the file again") from error
    except (ValueError, OSError) as error:
        return {"verdict": "refused", "reason": str(error)}
    if found["verdict"]:
        checks.end(number)
    return {"check": number, **found}


def _content_in(data: Json) -> bytes:
    text = data["content"]
    if not isinstance(text, str) or len(text) > MOST_BYTES:
        raise BadRequest("content: not base64 of at most %d letters" % MOST_BYTES)
    try:
        return binascii.a2b_base64(text)
    except ValueError as error:
        raise BadRequest("content: not base64") from error
