"""A leader as a process: how it answers its workers while it waits, and lets them leave."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread
from typing import List

import pytest

pytest.importorskip("zmq", reason="pyzmq is missing")
from helpers.servers import work

from pns.distributed.client import Client, NoAnswer
from pns.distributed.leader import ServedWorkers
from pns.jobs.jobsearch import JobSearch
from pns.jobs.policy import DEFAULT_JOBS
from pns.jobs.setup import WorkerSetup
from pns.search.counted_search import StopToken
from pns.worker import Worker


def served(tmp_path: Path, stop: StopToken) -> ServedWorkers:
    """A leader's workers, which may connect to the socket in a directory."""
    address = "ipc://%s" % (tmp_path / "leader")
    workers = ServedWorkers(WorkerSetup("sprouts"), DEFAULT_JOBS, address, stop)
    workers.listen()
    return workers


def test_workers_are_answered_until_the_master_has(tmp_path: Path) -> None:
    import zmq

    workers, over = served(tmp_path, StopToken()), Event()
    with zmq.Context() as context, context.socket(zmq.PAIR) as own:
        own.bind("inproc://master")

        def join() -> None:
            """Join the leader, after whose reply its master replies, too."""
            client = Client("ipc://%s" % (tmp_path / "leader"), "w", given_up=over.is_set)
            try:
                client.join("sprouts")
                with context.socket(zmq.PAIR) as master:
                    master.connect("inproc://master")
                    master.send(b"a reply")
            except NoAnswer:
                pass
            client.disconnect()

        thread = Thread(target=join)
        thread.start()
        try:
            assert workers.poll(own, 100.0)
            assert list(workers.searcher.master.workers) == ["w"]
        finally:
            over.set()
            thread.join()
            workers.close()


def test_workers_leave_when_the_search_of_their_leader_ends(tmp_path: Path) -> None:
    workers = served(tmp_path, StopToken())
    found: List[Worker] = []
    master = workers.searcher.master
    thread = Thread(target=lambda: found.append(work("ipc://%s" % (tmp_path / "leader"))))
    thread.start()
    try:
        while not master.workers:
            workers.pause(0.1)
        workers.searcher.close()
        assert not master.workers
    finally:
        thread.join()
        workers.close()
    assert found[0].reason == "its leader's search is done"


def test_a_leader_that_is_stopped_looks_at_its_job_at_once(tmp_path: Path) -> None:
    stop = StopToken()
    observed: List[JobSearch] = []
    workers = served(tmp_path, stop)
    search = workers.searcher.search

    def observe(search: JobSearch) -> None:
        """End the job, as `Worker` does."""
        observed.append(search)
        search.job_ends = 0

    workers.searcher.observer = observe
    stop.stop("a signal")
    with pytest.raises(Exception, match="the job's end"):
        search.outcome((b"0*6",))
    workers.close()
    assert observed == [search]
