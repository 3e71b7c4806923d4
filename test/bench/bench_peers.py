"""The peers: each a process of its own that is asked for a measurement when its turn comes, so that none pays for its start.

A peer script is started as `peer_….py ROW EPOCHS THREADS [MORE…]`. It prints a JSON line with its version when it is ready, then one line for each line
that it reads: {"seconds": of a step}. `serve` is its side of that, `Peer` the other.
"""
import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class Peer:
    """Raises RuntimeError with the last line of the peer's errors where it can't do a row."""

    def __init__(self, python, script, row, epochs, threads, *more):
        command = [python, os.path.join(HERE, script), row.name, epochs, threads, *more]
        self.process = subprocess.Popen([str(a) for a in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": str(threads)})
        self.version = self.read()["version"]

    def read(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                return json.loads(line)
        lines = [l for l in self.process.stderr.read().strip().splitlines() if l.strip()]
        raise RuntimeError(lines[-1][:300] if lines else f"exit status {self.process.wait()}")

    def measure(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return self.read()["seconds"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


def serve(version, measure):
    """`measure` gives the seconds of a step; it has run once, to compile and to warm up, when this is called."""
    print(json.dumps({"version": version}), flush=True)
    for _ in sys.stdin:
        print(json.dumps({"seconds": measure()}), flush=True)


def time_calls(call, count):
    """Median seconds of a call."""
    seconds = []
    for _ in range(count):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)
