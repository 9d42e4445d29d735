"""Measures what workers, jobs and generations cost Redis and the coordinators: the coefficients of
docs/SCALING.md. Starts real processes; README.md says how it is run."""

import argparse
import json
import subprocess
import tempfile
import time

from local_farm import LocalFarm

REDIS_PORT, FIRST_PORT = 7423, 7440

# The settling time of a farm, the measuring time, and the limit for all workers to join.
SETTLE_S, MEASURE_S, JOIN_S = 8, 20, 300

# The workers that are started between two waits: a start takes a core for some milliseconds.
WORKERS_AT_ONCE = 50


class Farm(LocalFarm):
    """A farm whose workers are waited for."""

    def add_workers(self, idxs):
        for n_started, idx in enumerate(idxs, start=1):
            self.add_worker(idx)
            if n_started % WORKERS_AT_ONCE == 0:
                time.sleep(1)

    def await_workers(self, n_workers):
        begun = time.time()
        while time.time() < begun + JOIN_S:
            listed = json.loads(self.hatchery("workers", "--output", "json"))
            if len(listed["workers"]) == n_workers:
                return
            time.sleep(1)
        raise SystemExit(f"{n_workers} workers have not joined in {JOIN_S} s")

    def hatchery(self, *command):
        command = [self.binary, *command, "--coordinator", self.urls[0]]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def used(farm):
    """Returns the resources used so far."""
    stats, cpu = farm.redis_info("stats"), farm.redis_info("cpu")
    return {
        "seconds": time.time(),
        "commands": int(stats["total_commands_processed"]),
        "bytes in": int(stats["total_net_input_bytes"]),
        "bytes out": int(stats["total_net_output_bytes"]),
        "redis us": 1e6 * (float(cpu["used_cpu_user"]) + float(cpu["used_cpu_sys"])),
        "coordinator us": 1e6 * sum(farm.coordinator_cpu_seconds()),
    }


def difference(before, after):
    return {key: after[key] - before[key] for key in before}


def shown(title, use, by):
    parts = ", ".join(f"{value / by:,.1f} {key}" for key, value in use.items() if key != "seconds")
    print(f"{title}: {parts}", flush=True)


def watch(farm, seconds):
    time.sleep(SETTLE_S)
    before = used(farm)
    time.sleep(seconds)
    return difference(before, used(farm))


def submit(farm, *command):
    """Runs one run to its end, and returns what it used, its jobs and its generations."""
    before = used(farm)
    farm.hatchery("submit", *command, "--wait", "--output", "json")
    use = difference(before, used(farm))
    status = json.loads(farm.hatchery("show", "last", "--output", "json"))
    return use, status


def measure(farm, n_workers):
    shown("idle, without workers, each second", watch(farm, MEASURE_S), MEASURE_S)
    n_joined = 0
    for n_more in n_workers:
        begun = time.time()
        farm.add_workers(range(n_joined, n_more))
        n_joined = n_more
        farm.await_workers(n_joined)
        print(f"{n_joined} workers have joined in {time.time() - begun:.0f} s")
        shown(f"idle, {n_joined} workers, each second", watch(farm, MEASURE_S), MEASURE_S)
    # A thousand trials in each job, so the number of jobs is known.
    use, status = submit(farm, "burn/quick", "--set", "trials=10000000", "--set", "rounds=1")
    n_jobs = status["trials_total"] / 1000
    shown(f"a run of {n_jobs:,.0f} jobs in {use['seconds']:.1f} s, each job", use, n_jobs)
    use, status = submit(farm, "tetris-evolve/smoke", "--set", "generations=400")
    n_generations = status["generation"]
    title = f"a run of {n_generations} generations in {use['seconds']:.1f} s, each generation"
    shown(title, use, n_generations)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hatchery", required=True, metavar="BIN", help="the binary")
    parser.add_argument("--workers", type=int, nargs="+", default=[100, 500, 2000], metavar="N",
                        help="numbers of workers, ascending (100 500 2000)")
    parser.add_argument("--coordinators", type=int, default=2, metavar="N", help="number of coordinators (2)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        options = ["--job-trials", "1000"]
        with Farm(given.hatchery, folder, REDIS_PORT, FIRST_PORT, given.coordinators,
                  options=options) as farm:
            measure(farm, given.workers)


if __name__ == "__main__":
    main()
