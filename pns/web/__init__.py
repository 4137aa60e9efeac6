"""The web page of `pns explore`: a server on the loopback address, for the person before it.

`serving.py` lets clients in, `app.py` answers requests, `guard.py` refuses those of strangers,
`api.py` is what can be asked, `session.py` what it is asked of. `sheets.py` has the drawings,
`knowledge.py` the facts, `search.py` the one search that runs, in a process of its own
(`searcher.py`). The page itself is in `pns/data/web`.
"""
