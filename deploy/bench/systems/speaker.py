"""How a system and the driver speak: a line of JSON on stdin, a line of JSON on stdout.

A system is an object with
  begin(kind, n)    submits n jobs of that kind
  n_done()          how many of them have a result
  results(timeout)  waits for all; None if that takes longer than `timeout` seconds
  put(n)            submits n jobs that nobody will run
  pids()            its workers
It may have `many` and `one` of its own.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
import traceback


PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


def spawn(command, **options):
    """Starts a process that is killed when this one dies."""
    die = lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # noqa: E731
    return subprocess.Popen(command, preexec_fn=die, **options)


class Speaker:
    def __init__(self, system):
        self.system = system

    def many(self, kind, n):
        if hasattr(self.system, "many"):
            return self.system.many(kind, n)
        began = time.monotonic()
        self.system.begin(kind, n)
        results = self.system.results(None)
        wall_s = time.monotonic() - began
        if len(results) != n:
            raise RuntimeError(f"{len(results)} results of {n} jobs")
        return {"wall_s": wall_s, "burnt_s": sum(results) / 1e9 if kind == "burn" else 0}

    def one(self):
        if hasattr(self.system, "one"):
            return {"latency_s": self.system.one()}
        began = time.monotonic_ns()
        self.system.begin("start", 1)
        [started] = self.system.results(None)
        return {"latency_s": (started - began) / 1e9}

    def begin(self, kind, n):
        self.system.begin(kind, n)
        return {}

    def progress(self):
        return {"done": self.system.n_done()}

    def finish(self, timeout):
        results = self.system.results(timeout)
        return {"all": results is not None, "done": self.system.n_done()}

    def put(self, n):
        self.system.put(n)
        return {}

    def pids(self):
        return {"pids": self.system.pids()}


def speak(make):
    """Makes the system of the configuration in the first argument, and does what is asked."""
    # What libraries print is no answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(what):
        print(json.dumps(what), file=answers, flush=True)

    def attempt(act, **arguments):
        try:
            return act(**arguments)
        except Exception as error:  # noqa: BLE001: whatever it is, the driver writes it down
            traceback.print_exc()
            return {"error": f"{type(error).__name__}: {error}"}

    system = attempt(make, config=json.loads(sys.argv[1]))
    if isinstance(system, dict):
        return answer(system)
    speaker = Speaker(system)
    answer({"ready": True})
    for line in sys.stdin:
        asked = json.loads(line)
        answer(attempt(getattr(speaker, asked.pop("do")), **asked))
