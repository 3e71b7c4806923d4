"""Starts processes for bench_belfry.py, a small one itself: what the system counts as a process's largest memory begins with that of the one that started it.

Reads lines of JSON, arrays of arguments, and answers each with an object: seconds, largest resident MB, exit status, what was written to stderr.
"""
import json
import os
import sys
import time


def run(argv):
    reading, writing = os.pipe()
    nothing = os.open(os.devnull, os.O_RDWR)
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, nothing, 0), (os.POSIX_SPAWN_DUP2, nothing, 1), (os.POSIX_SPAWN_DUP2, writing, 2)])
    os.close(writing)
    os.close(nothing)
    with os.fdopen(reading, encoding="utf-8", errors="replace") as pipe:
        error = pipe.read()
    _, status, usage = os.wait4(pid, 0)
    return {"seconds": time.perf_counter() - start, "memory": usage.ru_maxrss / 1024, "status": os.waitstatus_to_exitcode(status), "error": error}


for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
