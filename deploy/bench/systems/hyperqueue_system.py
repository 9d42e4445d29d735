"""HyperQueue from PyPI: server and workers in this process, and a process for each job."""

import tempfile
from pathlib import Path

from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig

from jobs import BURN_NS
from speaker import speak


class System:
    def __init__(self, config):
        self.scratch = tempfile.TemporaryDirectory()
        self.cluster = LocalCluster(str(Path(self.scratch.name) / "server"))
        for _ in range(config["workers"]):
            self.cluster.start_worker(WorkerConfig(cores=config["slots"]))
        self.client = self.cluster.client()
        self.program = config["job_program"]
        self.kind, self.n, self.submitted = "", 0, None

    def begin(self, kind, n):
        job = Job(self.scratch.name)
        for _ in range(n):
            job.program([self.program, kind, self.scratch.name], stdout=None, stderr=None)
        self.kind, self.n, self.submitted = kind, n, self.client.submit(job)

    def results(self, _timeout):
        failed = self.client.connection.wait_for_jobs([self.submitted.id], lambda _: None)
        if failed:
            raise RuntimeError(f"jobs failed: {self.client.get_failed_tasks(self.submitted)}")
        if self.kind == "start":
            return [int((Path(self.scratch.name) / "started").read_text())]
        # A process burns exactly what it is asked for, by its own clock.
        return [BURN_NS.get(self.kind, 0)] * self.n


if __name__ == "__main__":
    speak(System)
