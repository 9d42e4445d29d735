"""arq: asyncio workers over Redis; `slots` of 1 means one job at a time, else its default."""

import asyncio
import os
import sys
import time

from arq import create_pool
from arq.connections import RedisSettings

import jobs
from speaker import spawn, speak

REDIS = RedisSettings(host="127.0.0.1", port=int(os.environ.get("BENCH_REDIS_PORT", 6379)))

# How many jobs are submitted, and how many results are asked for, at the same time.
AT_ONCE = 500

# How often a result is looked for that is not there yet: by default, every half second.
POLL_S = 0.01


async def work(_context, kind):
    return jobs.work(kind)


class WorkerSettings:
    functions = [work]
    redis_settings = REDIS
    max_jobs = int(os.environ.get("BENCH_MAX_JOBS", 10))


class System:
    def __init__(self, config):
        environment = dict(os.environ)
        if config["one_by_one"]:
            environment["BENCH_MAX_JOBS"] = "1"
        self.loop = asyncio.new_event_loop()
        self.pool = self.loop.run_until_complete(create_pool(REDIS))
        self.workers = [
            spawn(
                [sys.executable, "-m", "arq", "arq_system.WorkerSettings"],
                cwd=os.path.dirname(os.path.abspath(__file__)),
                env=environment,
            )
            for _ in range(config["workers"])
        ]
        self.submitted = []
        if self.workers:
            self.begin("noop", 50)
            if self.results(60) is None:
                raise TimeoutError("workers do not work")

    def begin(self, kind, n):
        self.submitted = self.loop.run_until_complete(self.submit(kind, n))

    async def submit(self, kind, n):
        submitted = []
        for start in range(0, n, AT_ONCE):
            some = range(start, min(n, start + AT_ONCE))
            submitted += await asyncio.gather(
                *(self.pool.enqueue_job("work", kind) for _ in some)
            )
        return submitted

    def n_done(self):
        async def count():
            statuses = await asyncio.gather(*(job.status() for job in self.submitted))
            return sum(status.value == "complete" for status in statuses)

        return self.loop.run_until_complete(count())

    def results(self, timeout):
        until = None if timeout is None else time.monotonic() + timeout

        async def wait(job):
            left = None if until is None else max(0.01, until - time.monotonic())
            return await job.result(timeout=left, poll_delay=POLL_S)

        async def wait_all():
            results = []
            for start in range(0, len(self.submitted), AT_ONCE):
                some = self.submitted[start : start + AT_ONCE]
                results += await asyncio.gather(*(wait(job) for job in some))
            return results

        try:
            return self.loop.run_until_complete(wait_all())
        except (TimeoutError, asyncio.TimeoutError):
            return None

    def put(self, n):
        self.loop.run_until_complete(self.submit("noop", n))

    def pids(self):
        return [worker.pid for worker in self.workers]


if __name__ == "__main__":
    speak(System)
