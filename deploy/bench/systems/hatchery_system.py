"""hatchery: a coordinator over Redis and its workers, asked over its public gRPC interface.

A job of the other systems is a trial of the experiment `burn` here. How many trials go into a job
is the coordinator's choice, unless `job_trials` says otherwise.
"""

import json
import os
import tempfile
import time
from datetime import datetime
from pathlib import Path

import grpc
from hatchery.v1 import control_pb2 as v1
from hatchery.v1.control_pb2_grpc import ControlStub

from jobs import BURN_NS
from speaker import spawn, speak

# What is run to see how long a round of `burn` takes here.
PROBE_TRIALS, PROBE_ROUNDS = 64, 1_000_000

ENDED = (v1.STATE_DONE, v1.STATE_FAILED, v1.STATE_CANCELLED)

# How long workers may take to come, and a run without workers to be planned.
PATIENCE_S = 30


class System:
    def __init__(self, config):
        self.folder = tempfile.TemporaryDirectory()
        self.scratch = Path(self.folder.name)
        address = self.coordinator(config)
        numbers = range(config["workers"])
        self.workers = [self.worker(f"http://{address}", i, config) for i in numbers]
        # Last: a process that is forked beside the threads of gRPC may never start.
        self.control = ControlStub(grpc.insecure_channel(address))
        self.submitted, self.ns_per_round = "", None
        if self.workers:
            self.wait_for_workers()
            self.submit(PROBE_TRIALS, PROBE_ROUNDS)
            burnt = self.burnt_ns(None)
            self.ns_per_round = burnt / PROBE_TRIALS / PROBE_ROUNDS
            # Workers are checked by their first results; this run has nothing to do with that.
            self.many("noop", 10_000)

    def coordinator(self, config):
        redis = f"redis://127.0.0.1:{os.environ['BENCH_REDIS_PORT']}/"
        command = [config["binary"], "coordinator", "--listen", "127.0.0.1:0", "--redis", redis]
        if config["job_trials"]:
            command += ["--job-trials", str(config["job_trials"])]
        log = self.scratch / "coordinator.log"
        with open(log, "wb") as file:
            process = spawn(command, stderr=file)
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until and process.poll() is None:
            for line in log.read_text().splitlines():
                if "listens on http://" in line:
                    return line.split("http://")[1].strip()
            time.sleep(0.02)
        raise RuntimeError(f"the coordinator does not listen: {log.read_text()[-500:]}")

    def worker(self, coordinator, number, config):
        command = [config["binary"], "--log-format", "json", "worker", "--name", f"w{number}"]
        command += ["--coordinator", coordinator, "--slots", str(config["slots"])]
        environment = dict(os.environ)
        if config["one_by_one"]:
            # Says when each job starts; left off where throughput is measured.
            environment["HATCHERY_LOG"] = "info,hatchery_worker=debug"
        with open(self.scratch / f"worker-{number}.log", "wb") as file:
            return spawn(command, stderr=file, env=environment)

    def wait_for_workers(self):
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            # Those that may have jobs: they have done the self-test.
            here = self.control.ListWorkers(v1.ListWorkersRequest()).workers
            ready = [w for w in here if any(e.startswith("burn@") for e in w.experiments)]
            if len(self.workers) <= len(ready):
                return
            time.sleep(0.05)
        raise TimeoutError("the workers do not come")

    def submit(self, trials, rounds):
        params = f"[params]\ntrials = {trials}\nrounds = {rounds}\n"
        spec = f'experiment = "burn"\nseed = 1\n{params}'
        self.submitted = self.control.Submit(v1.SubmitRequest(spec=spec)).run

    def burnt_ns(self, timeout):
        """The CPU time of all trials, by the worker's clock, once the run has ended."""
        cpu_ns, end = 0, None
        request = v1.WatchRunRequest(run=self.submitted)
        for update in self.control.WatchRun(request, timeout=timeout):
            if update.HasField("event"):
                cpu_ns += json.loads(update.event.json).get("cpu_ns", 0)
            elif update.status.state in ENDED:
                end = update.status
        if end is None or end.state != v1.STATE_DONE:
            raise RuntimeError(f"the run did not come to its end: {end}")
        return cpu_ns

    def rounds(self, kind):
        return round(BURN_NS[kind] / self.ns_per_round) if kind in BURN_NS else 0

    def many(self, kind, n):
        rounds = self.rounds(kind)
        began = time.monotonic()
        self.submit(n, rounds)
        burnt_ns = self.burnt_ns(None)
        return {"wall_s": time.monotonic() - began, "burnt_s": burnt_ns / 1e9}

    def one(self):
        began = time.time()
        self.submit(1, 0)
        submitted = self.submitted
        self.burnt_ns(None)
        return self.starts(submitted)[0] - began

    def starts(self, run):
        """When jobs of the run started, by the clock of the system."""
        starts = []
        for log in self.scratch.glob("worker-*.log"):
            for line in log.read_text().splitlines():
                # Lines that are cut off, or no JSON, say when something else happened.
                if f'"job":"{run}/' in line and '"started"' in line and line.endswith("}"):
                    starts.append(datetime.fromisoformat(json.loads(line)["timestamp"]).timestamp())
        return sorted(starts)

    def begin(self, kind, n):
        self.submit(n, self.rounds(kind))

    def n_done(self):
        # Each worker is at the job that it started last.
        return max(0, len(self.starts(self.submitted)) - len(self.workers))

    def results(self, timeout):
        try:
            self.burnt_ns(timeout)
        except grpc.RpcError as error:
            if error.code() == grpc.StatusCode.DEADLINE_EXCEEDED:
                return None
            raise
        return []

    def put(self, n):
        self.submit(n, 0)
        until = time.monotonic() + PATIENCE_S
        while self.control.GetRun(v1.GetRunRequest(run=self.submitted)).trials != n:
            if until < time.monotonic():
                raise TimeoutError("the run is not planned")
            time.sleep(0.05)

    def pids(self):
        return [worker.pid for worker in self.workers]


if __name__ == "__main__":
    speak(System)
