"""Dask: a local cluster with a process for each worker, and a nanny that starts it again."""

import dask.distributed as dask

from jobs import work
from speaker import speak


class System:
    def __init__(self, config):
        self.cluster = dask.LocalCluster(
            n_workers=config["workers"],
            threads_per_worker=config["slots"],
            processes=True,
            dashboard_address=None,
        )
        self.client = dask.Client(self.cluster)
        self.submitted = []

    def begin(self, kind, n):
        # Not pure: each call is a job, although all are equal.
        self.submitted = self.client.map(lambda _, kind=kind: work(kind), range(n), pure=False)

    def n_done(self):
        return sum(future.done() for future in self.submitted)

    def results(self, timeout):
        try:
            dask.wait(self.submitted, timeout=timeout)
        except TimeoutError:
            return None
        return self.client.gather(self.submitted)

    def pids(self):
        return [worker.pid for worker in self.cluster.workers.values()]


if __name__ == "__main__":
    speak(System)
