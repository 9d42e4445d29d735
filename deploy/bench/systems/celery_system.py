"""Celery with Redis as broker and for results; each worker has a pool of `slots` processes."""

import os
import sys
import time

from celery import Celery, exceptions, group

from jobs import work
from speaker import spawn, speak

REDIS = f"redis://127.0.0.1:{os.environ.get('BENCH_REDIS_PORT', 6379)}/0"
app = Celery("celery_system", broker=REDIS, backend=REDIS)
task = app.task(work, name="work")


class System:
    def __init__(self, config):
        celery = [sys.executable, "-m", "celery", "--app", "celery_system", "worker"]
        self.workers = [
            spawn(
                [*celery, "--concurrency", str(config["slots"]), "--hostname", f"w{i}@bench"],
                cwd=os.path.dirname(os.path.abspath(__file__)),
            )
            for i in range(config["workers"])
        ]
        self.submitted = None
        until = time.monotonic() + 60
        while len(app.control.ping(timeout=0.3) or []) < len(self.workers):
            if until < time.monotonic():
                raise TimeoutError("workers do not answer")

    def begin(self, kind, n):
        self.submitted = group(task.s(kind) for _ in range(n)).apply_async()

    def n_done(self):
        return self.submitted.completed_count()

    def results(self, timeout):
        try:
            return self.submitted.get(timeout=timeout)
        except exceptions.TimeoutError:
            return None

    def put(self, n):
        group(task.s("noop") for _ in range(n)).apply_async()

    def pids(self):
        return [worker.pid for worker in self.workers]


if __name__ == "__main__":
    speak(System)
