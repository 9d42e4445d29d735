"""What is measured, and how: the same for every system. README.md explains each measure."""

import statistics
import time

from .processes import kill_tree

# How many jobs the first, smallest attempt at a rate has, and how much larger the next may be.
FIRST_JOBS = 64
LARGEST_STEP = 40

# How many workers there are, each with a slot, or with as many cores as that.
WORKERS = 2

# The jobs of the measures that do not last for a given time.
LATENCY_JOBS = 300
LATENCY_WARM_UP = 10
LATENCY_PAUSE_S = 0.003
BACKLOG_JOBS = 100_000
BACKLOG_AT_ONCE = 5_000
BACKLOG_S = 20
CRASH_JOBS = 12
CRASH_JOB_S = 0.2
CRASH_AFTER = 2

# After how long a system that has lost a worker is not waited for any more: longer than twice the
# half minute after which BullMQ looks.
CRASH_PATIENCE_S = 70


def rate(peer, kind, seconds, most):
    """Runs more and more jobs, until that takes at least half of `seconds`."""
    n = FIRST_JOBS
    while True:
        done = peer.ask("many", 20 * seconds + 60, kind=kind, n=n)
        per_s = n / done["wall_s"]
        if seconds / 2 <= done["wall_s"] or n == most:
            return {"jobs": n, "jobs_per_s": per_s, **done}
        n = min(most, n * LARGEST_STEP, max(2 * n, round(per_s * seconds)))


def noop(peer, _redis, seconds, most):
    return rate(peer, "noop", seconds, most)


def burn(peer, _redis, seconds, most):
    done = rate(peer, "burn", seconds, most)
    done["efficiency"] = done["burnt_s"] / (done["wall_s"] * WORKERS)
    done["burnt_ms_per_job"] = 1000 * done["burnt_s"] / done["jobs"]
    return done


def latency(peer, _redis, seconds, _most):
    for _ in range(LATENCY_WARM_UP):
        peer.ask("one", 30)
    taken, until = [], time.monotonic() + 2 * seconds
    while len(taken) < LATENCY_JOBS and time.monotonic() < until:
        taken.append(1000 * peer.ask("one", 30)["latency_s"])
        time.sleep(LATENCY_PAUSE_S)
    if len(taken) < 2:
        raise ValueError("not even two jobs in that time")
    cuts = statistics.quantiles(taken, n=100, method="inclusive")
    return {"jobs": len(taken), "p50_ms": cuts[49], "p99_ms": cuts[98], "max_ms": max(taken)}


def backlog(peer, redis, _seconds, _most):
    before, n, until = redis.used_memory(), 0, time.monotonic() + BACKLOG_S
    while n < BACKLOG_JOBS and time.monotonic() < until:
        peer.ask("put", 120, n=BACKLOG_AT_ONCE)
        n += BACKLOG_AT_ONCE
    return {"jobs": n, "bytes_per_job": (redis.used_memory() - before) / n}


def backlog_of_one_run(peer, redis, _seconds, _most):
    """As `backlog`, where what is submitted together is one thing."""
    before = redis.used_memory()
    peer.ask("put", 120, n=BACKLOG_JOBS)
    return {
        "jobs": BACKLOG_JOBS,
        "bytes_per_job": (redis.used_memory() - before) / BACKLOG_JOBS,
    }


def crash(peer, _redis, _seconds, _most):
    peer.ask("begin", 60, kind="hold", n=CRASH_JOBS)
    until = time.monotonic() + 60
    while (done := peer.ask("progress", 60)["done"]) < CRASH_AFTER:
        if until < time.monotonic():
            raise TimeoutError("its workers do nothing")
        time.sleep(0.005)
    victim = peer.ask("pids", 60)["pids"][0]
    killed = time.monotonic()
    kill_tree(victim)
    end = peer.ask("finish", CRASH_PATIENCE_S + 30, timeout=CRASH_PATIENCE_S)
    recovery_s = time.monotonic() - killed
    return {
        "recovered": end["all"],
        "recovery_s": recovery_s if end["all"] else None,
        "waited_s": recovery_s,
        "work_left_s": (CRASH_JOBS - done) * CRASH_JOB_S,
    }


MEASURES = {
    "noop": noop,
    "burn": burn,
    "latency": latency,
    "backlog": backlog,
    "crash": crash,
}

# The number that each measure is about.
FIGURES = {
    "noop": ["jobs_per_s"],
    "burn": ["efficiency"],
    "latency": ["p50_ms", "p99_ms"],
    "backlog": ["bytes_per_job"],
    "crash": ["recovery_s"],
}
