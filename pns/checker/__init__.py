"""A checker of certificates that shares no code with the search, and imports nothing else from pns.

`scripts/check_certificate.py` is one file made of these modules, by `scripts/make_checker.py`. The
audits use the rules of Sprouts here as a second implementation.
"""
