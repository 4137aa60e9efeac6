"""A program in place of worker.py."""

from __future__ import annotations

STAND_IN = """\
import os, signal, sys, time
place = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
name = sys.argv[sys.argv.index("--name") + 1]
def leave(*_):
    open(os.path.join(place, "left-" + name), "w").close()
    print(name + ": 3 jobs done, then: a signal", flush=True)
    os._exit(0)
signal.signal(signal.SIGTERM, leave)
with open(os.path.join(place, "log-%s" % name), "a") as log:
    log.write(" ".join([str(os.getpid()), str(os.getppid()), *sys.argv[1:]]) + "\\n")
while not os.path.exists(os.path.join(place, "done")):
    time.sleep(0.05)
print(name + ": 3 jobs done, then: solved")
"""
"""In place of worker.py: logs its start in one file, and ends once another file exists."""
