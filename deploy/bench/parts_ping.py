"""Measures how long another client of Redis waits while large parts are on their way: PING during a
run whose states are parts of 65 MB and whose trials write parts of 60 MB. README.md says how it is
run."""

import argparse
import json
import os
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from local_farm import LocalFarm

REDIS_PORT, FIRST_PORT = 7424, 7450

# The pause between two PINGs: many in a second, and no load of their own.
PING_EVERY_S = 0.002

# The PINGs in a row that count as one window, and the bytes that coordinators move in a window in
# which parts are on their way.
WINDOW, WINDOW_BYTES = 20, 1_000_000

# The longest time for the run.
RUN_S = 600

# The most bytes that burn makes of a part; the state, which is one part too, can have more.
MAX_PART_BYTES = 60_000_000


class Farm(LocalFarm):
    def submit(self, n_generations, n_bytes):
        """Runs trials that read a part of the state and write a new one, to the end."""
        settings = ["trials=2", "rounds=1000", f"generations={n_generations}", "parts=2",
                    f"part_bytes={min(n_bytes, MAX_PART_BYTES)}", "new_parts=2",
                    f"state_bytes={n_bytes}"]
        sets = [word for setting in settings for word in ("--set", setting)]
        command = [self.binary, "submit", "burn/smoke", *sets, "--wait", "--output", "json",
                   "--coordinator", self.urls[0]]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=RUN_S)
        if ended.returncode:
            raise SystemExit(ended.stderr)
        return json.loads(ended.stdout)


    def n_bytes(self):
        """Returns the bytes that the coordinators have read and written, anywhere."""
        tables = [Path(f"/proc/{process.pid}/io").read_text() for process in self.coordinators]
        fields = [line.split(": ") for table in tables for line in table.splitlines()]
        return sum(int(number) for name, number in fields if name in ("rchar", "wchar"))


class Pinger(threading.Thread):
    """Asks Redis for a sign of life, again and again."""

    def __init__(self, n_bytes):
        super().__init__(daemon=True)
        self.n_bytes, self.ended = n_bytes, threading.Event()
        self.waits_ms, self.waits_in_flight_ms = [], []

    def run(self):
        with socket.create_connection(("127.0.0.1", REDIS_PORT)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while not self.ended.is_set():
                before = self.n_bytes()
                window = [self.ping(connection) for _ in range(WINDOW)]
                self.waits_ms += window
                if WINDOW_BYTES < self.n_bytes() - before:
                    self.waits_in_flight_ms += window

    def ping(self, connection):
        begun = time.perf_counter()
        connection.sendall(b"PING\r\n")
        connection.recv(64)
        wait_ms = 1000 * (time.perf_counter() - begun)
        time.sleep(PING_EVERY_S)
        return wait_ms

    def stop(self):
        self.ended.set()
        self.join()


def told(waits_ms):
    waits = sorted(waits_ms)
    if not waits:
        return "none"
    shares = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)]
    parts = [f"{name} {waits[int(share * len(waits))]:.2f} ms" for name, share in shares]
    return f"{', '.join(parts)}, longest {waits[-1]:.1f} ms of {len(waits)}"


def measure(given, place):
    with tempfile.TemporaryDirectory() as folder:
        redis_folder, part_folder = os.path.join(folder, "redis"), os.path.join(folder, "parts")
        os.mkdir(redis_folder)
        os.mkdir(part_folder)
        options = ["--parts", "redis" if place == "redis" else part_folder]
        with Farm(given.hatchery, redis_folder, REDIS_PORT, FIRST_PORT, options=options) as farm:
            for idx in range(given.workers):
                farm.add_worker(idx)
            time.sleep(3)
            idle, busy = Pinger(farm.n_bytes), Pinger(farm.n_bytes)
            idle.start()
            time.sleep(3)
            idle.stop()
            print(f"parts in {place}, idle: {told(idle.waits_ms)}", flush=True)
            begun, bytes_before = time.time(), redis_bytes(farm)
            busy.start()
            farm.submit(given.generations, given.bytes)
            busy.stop()
            seconds, moved = time.time() - begun, redis_bytes(farm) - bytes_before
            print(f"parts in {place}, run of {seconds:.1f} s, {moved / 1e6:.0f} MB to and from "
                  f"Redis: {told(busy.waits_ms)}", flush=True)
            print(f"parts in {place}, on their way: {told(busy.waits_in_flight_ms)}", flush=True)


def redis_bytes(farm):
    stats = farm.redis_info("stats")
    return int(stats["total_net_input_bytes"]) + int(stats["total_net_output_bytes"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hatchery", required=True, metavar="BIN", help="the binary")
    parser.add_argument("--bytes", type=int, default=65_000_000, help="bytes of a part (65000000)")
    parser.add_argument("--generations", type=int, default=3, help="generations (3)")
    parser.add_argument("--workers", type=int, default=2, help="workers of one slot (2)")
    given = parser.parse_args()
    for place in ["redis", "directory"]:
        measure(given, place)


if __name__ == "__main__":
    main()
