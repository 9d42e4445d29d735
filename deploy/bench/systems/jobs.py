"""The jobs that every system runs, in Python. README.md says what each is for."""

import os
import time

# What a job burns, in nanoseconds of CPU time of its thread.
BURN_NS = {"burn": 1_000_000, "hold": 200_000_000}


def work(kind):
    """Runs one job. Returns what was burnt (`burn`), when it started (`start`: CLOCK_MONOTONIC, in
    nanoseconds), or which process ran it (`hold`)."""
    if kind == "noop":
        return 0
    if kind == "start":
        return time.monotonic_ns()
    began = time.thread_time_ns()
    burnt = 0
    while burnt < BURN_NS[kind]:
        burnt = time.thread_time_ns() - began
    return os.getpid() if kind == "hold" else burnt
