"""A Ray cluster on this machine, for tests whose nodes join, leave and die."""

from __future__ import annotations

from typing import Any, Iterator


def open_cluster(**head: Any) -> Iterator[Any]:
    """A cluster whose head has no core and soon notices nodes that are gone."""
    import ray.cluster_utils

    quickly = {
        "health_check_initial_delay_ms": 0,
        "health_check_period_ms": 500,
        "health_check_failure_threshold": 10,
    }
    found = ray.cluster_utils.Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 0,
            "include_dashboard": False,
            "_system_config": quickly,
            **head,
        },
    )
    yield found
    found.shutdown()


def for_one_test(cluster: Any) -> Iterator[Any]:
    """The cluster, without the nodes that a test leaves."""
    yield cluster
    for node in list(cluster.worker_nodes):
        cluster.remove_node(node)
