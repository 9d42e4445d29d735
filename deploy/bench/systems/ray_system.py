"""Ray: tasks on a local cluster of one node, with a CPU for each worker."""

import ray

from jobs import work
from speaker import speak


@ray.remote
def task(kind):
    return work(kind)


class System:
    def __init__(self, config):
        cpus = config["workers"] * config["slots"]
        ray.init(num_cpus=cpus, include_dashboard=False, log_to_driver=False)
        self.submitted = []
        # A worker is a process that Ray starts when it has use for it.
        ray.get([task.remote("burn") for _ in range(50 * cpus)])

    def begin(self, kind, n):
        self.submitted = [task.remote(kind) for _ in range(n)]

    def done(self):
        n = len(self.submitted)
        return ray.wait(self.submitted, num_returns=n, timeout=0)[0]

    def n_done(self):
        return len(self.done())

    def results(self, timeout):
        try:
            return ray.get(self.submitted, timeout=timeout)
        except ray.exceptions.GetTimeoutError:
            return None

    def pids(self):
        # Those that have run a `hold` job.
        return sorted(set(ray.get(self.done())))


if __name__ == "__main__":
    speak(System)
