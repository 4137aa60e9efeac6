"""The keys by which workers and masters know each other (CURVE), and names of endpoints."""

from __future__ import annotations

import json
import os
from typing import List, NamedTuple, Tuple

import zmq

from pns.distributed.messages import WireError
from pns.jobs.addresses import is_file, wrong_address
from pns.system.files import load_json

KEY_LENGTH = 40
MOST_BYTES = 1000


class Keys(NamedTuple):
    """The keys of one end: its own key pair, and the public key of the other end."""

    public: bytes
    secret: bytes
    other: bytes


def make_keys(directory: str) -> Tuple[str, str]:
    """Write the keys of a master and of its workers, readable by the owner only; the two paths.

    The directory is made if it is missing. Both files are written or neither. Raises OSError, also
    if one exists already.
    """
    os.makedirs(directory, mode=0o700, exist_ok=True)
    master, worker = zmq.curve_keypair(), zmq.curve_keypair()
    paths = os.path.join(directory, "master.key"), os.path.join(directory, "worker.key")
    written: List[str] = []
    try:
        for path, own, other in ((paths[0], master, worker[0]), (paths[1], worker, master[0])):
            names = ("public", "secret", "other")
            held = {name: key.decode() for name, key in zip(names, (*own, other))}
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            written.append(path)
            with open(descriptor, "w") as stream:
                stream.write(json.dumps(held) + "\n")
    except BaseException as error:
        for path in written:
            os.remove(path)
        if isinstance(error, OSError) and error.filename is None:
            raise OSError(error.errno, error.strerror, written[-1]) from error
        raise
    return paths


def read_keys(path: str) -> Keys:
    """The keys in a file that `make_keys` wrote; raises WireError, OSError."""
    try:
        held = load_json(path, MOST_BYTES)
        keys = Keys(*[held[name].encode("ascii") for name in Keys._fields])
    except (ValueError, TypeError, KeyError, AttributeError):
        raise WireError("%s: no such key file; make one with pns worker keygen" % path) from None
    if any([len(key) != KEY_LENGTH for key in keys]):
        raise WireError("%s: a damaged key file" % path)
    return keys


def endpoint(address: str) -> str:
    """ZeroMQ's name for HOST:PORT or ipc://PATH; raises WireError."""
    wrong = wrong_address(address)
    if wrong:
        raise WireError(wrong)
    return address if is_file(address) else "tcp://" + address
