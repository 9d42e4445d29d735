"""Measures what large values cost: the bytes that are kept of a long run whose states have parts, and
what a coordinator and Redis do while many workers fetch a part. README.md says how it is run."""

import argparse
import json
import re
import subprocess
import tempfile
import time
from pathlib import Path

from local_farm import LocalFarm

REDIS_PORT, FIRST_PORT = 7451, 7460

# 50 generations with a state of 40 parts of a megabyte, of which each generation replaces four.
STATES = {"generations": 50, "parts": 40, "part_bytes": 1_000_000, "new_parts": 4, "trials": 1,
          "rounds": 1000, "shared_bytes": 0}

# A part as large as a network's weights, and trials of 25 ms for each worker.
FETCH = {"parts": 1, "part_bytes": 12_000_000, "rounds": 12_000_000, "shared_bytes": 0}
TRIALS_PER_WORKER = 8

MEGABYTE = 1_000_000


def flags(params):
    return [flag for key, value in params.items() for flag in ("--set", f"{key}={value}")]


def submit(farm, params):
    """Submits a run and returns the process that waits for its end."""
    command = [farm.binary, "submit", "burn/smoke", *flags(params), "--wait", "--output", "json",
               "--coordinator", farm.urls[0]]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def used_memory(farm):
    return int(farm.redis_info("memory")["used_memory"]) / MEGABYTE


def peak_memory(process):
    """The most memory that a process had, in megabytes."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024 / MEGABYTE


def measure_states(binary, folder):
    out = Path(folder) / "run"
    subprocess.run([binary, "run", "burn/smoke", *flags(STATES), "--out", out, "--output", "quiet"],
                   check=True, stderr=subprocess.DEVNULL)
    size = (out / "run.redb").stat().st_size / MEGABYTE
    print(f"run.redb after 50 generations of 40 MB, a tenth of them new: {size:.0f} MB", flush=True)
    with LocalFarm(binary, folder, REDIS_PORT, FIRST_PORT, n_coordinators=1) as farm:
        farm.add_worker(0)
        before, most, waiting = used_memory(farm), 0, submit(farm, STATES)
        while waiting.poll() is None:
            most = max(most, used_memory(farm))
            time.sleep(0.05)
        done = used_memory(farm)
        print(f"Redis: {most - before:.0f} MB at most, {done - before:.0f} MB when it is done")


def measure_fetch(binary, folder, n_workers):
    with LocalFarm(binary, folder, REDIS_PORT, FIRST_PORT, n_coordinators=1) as farm:
        for idx in range(n_workers):
            farm.add_worker(idx)
        until = time.monotonic() + 300
        while n_connected(farm) < n_workers and time.monotonic() < until:
            time.sleep(1)
        before = read_from_redis(farm)
        params = {**FETCH, "trials": TRIALS_PER_WORKER * n_workers}
        begun = time.monotonic()
        submit(farm, params).wait()
        took = time.monotonic() - begun
        read = read_from_redis(farm) - before
        memory = peak_memory(farm.coordinators[0])
        print(f"{n_workers} workers with a part of 12 MB, in {took:.0f} s: the coordinator had "
              f"{memory:.0f} MB at most, and read {read:.0f} MB from Redis")


def n_connected(farm):
    command = [farm.binary, "workers", "--output", "json", "--coordinator", farm.urls[0]]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return len(json.loads(listed)["workers"])


def read_from_redis(farm):
    return int(farm.redis_info("stats")["total_net_output_bytes"]) / MEGABYTE


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hatchery", required=True, metavar="BIN", help="the binary")
    parser.add_argument("--workers", type=int, default=100, help="workers that fetch a part (100)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure_states(given.hatchery, folder)
    with tempfile.TemporaryDirectory() as folder:
        measure_fetch(given.hatchery, folder, given.workers)


if __name__ == "__main__":
    main()
