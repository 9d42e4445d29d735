"""The systems, and how each is started for each measure."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from . import install, measures

HERE = install.HERE

# How many jobs are submitted at a time at most: the client keeps a promise for each.
MOST_JOBS = 300_000
# A run of hatchery is one thing, whatever its number of trials.
MOST_TRIALS = 1_000_000_000

# What BullMQ's documentation advises for short jobs.
BULLMQ_CONCURRENCY = 50

# How many events BullMQ keeps: by default, fewer than a slow listener may lag behind.
BULLMQ_EVENTS = 10_000
BULLMQ_MANY_EVENTS = 2_000_000


@dataclass
class System:
    name: str
    title: str
    # The versions of what it consists of, for people.
    version: str
    command: list
    measures: list
    config: dict = field(default_factory=dict)
    environment: dict = field(default_factory=dict)
    most_jobs: int = MOST_JOBS

    def configured(self, measure):
        """The configuration for a measure: two workers with a slot each, but for backlogs."""
        workers = 0 if measure == "backlog" else measures.WORKERS
        one_by_one = measure in ("latency", "crash")
        concurrency = 1 if one_by_one else BULLMQ_CONCURRENCY
        config = {"workers": workers, "slots": 1, "one_by_one": one_by_one}
        return {**config, "concurrency": concurrency}

    def prepare(self, measure):
        """A command for Redis before the system starts, if it needs one."""

    def measure(self, name):
        if name == "backlog" and self.name == "hatchery":
            return measures.backlog_of_one_run
        return measures.MEASURES[name]


class Hatchery(System):
    def configured(self, measure):
        config = super().configured(measure)
        if measure in ("noop", "burn"):
            # One worker with a slot for each core, as on any machine.
            config.update(workers=1, slots=measures.WORKERS)
        return config


class BullMq(System):
    def configured(self, measure):
        rates = measure in ("noop", "burn")
        events = BULLMQ_MANY_EVENTS if rates else BULLMQ_EVENTS
        return {**super().configured(measure), "events": events}

    def prepare(self, measure):
        events = self.configured(measure)["events"]
        return "HSET", "bull:bench:meta", "opts.maxLenEvents", events


ALL = ["noop", "burn", "latency", "backlog", "crash"]


def hatchery(cache, binary, name, title, job_trials, measured):
    interpreter, client = install.hatchery_client(cache)
    version = install.output([str(binary), "--version"])
    return Hatchery(
        name=name,
        title=title,
        version=version.removeprefix("hatchery "),
        command=[str(interpreter), str(HERE / "systems" / "hatchery_system.py")],
        measures=measured,
        config={"binary": str(Path(binary).resolve()), "job_trials": job_trials},
        environment={"PYTHONPATH": str(client)},
        most_jobs=MOST_TRIALS if job_trials is None else MOST_JOBS,
    )


def of_python(cache, name, title, measured, config=None):
    interpreter = install.python(cache, name)
    package = (HERE / "systems" / f"{name}.txt").read_text().strip()
    return System(
        name=name,
        title=title,
        version=package.rpartition("==")[2],
        command=[str(interpreter), str(HERE / "systems" / f"{name}_system.py")],
        measures=measured,
        config=config or {},
    )


def bullmq_node(cache):
    folder = install.node(cache)
    return BullMq(
        name="bullmq",
        title="BullMQ (Node)",
        version=install.package_version(folder, "bullmq"),
        command=["node", str(folder / "system.mjs")],
        measures=ALL,
    )


def bullmq_rust(cache):
    programs = install.rust(cache)
    return BullMq(
        name="bullmq-rust",
        title="BullMQ (Rust)",
        version=install.locked_version("bullmq-official"),
        command=[str(programs / "bullmq")],
        measures=ALL,
    )


def hyperqueue(cache):
    # Its package runs the workers in its own process: none of them can be killed.
    measured = ["noop", "burn", "latency"]
    config = {"job_program": str(install.rust(cache) / "job")}
    return of_python(cache, "hyperqueue", "HyperQueue", measured, config)


def catalog(cache, binary):
    """What makes each system, in the order in which they are shown."""
    throughput = ["noop", "burn"]
    no_redis = ["noop", "burn", "latency", "crash"]
    one = "hatchery, a trial per job"
    return {
        "hatchery": lambda: hatchery(cache, binary, "hatchery", "hatchery", None, ALL),
        "hatchery-1": lambda: hatchery(cache, binary, "hatchery-1", one, 1, throughput),
        "bullmq-rust": lambda: bullmq_rust(cache),
        "bullmq": lambda: bullmq_node(cache),
        "arq": lambda: of_python(cache, "arq", "arq", ALL),
        "celery": lambda: of_python(cache, "celery", "Celery", ALL),
        "ray": lambda: of_python(cache, "ray", "Ray", no_redis),
        "dask": lambda: of_python(cache, "dask", "Dask", no_redis),
        "hyperqueue": lambda: hyperqueue(cache),
    }


def has_tools():
    """What is missing of what everything needs."""
    return [tool for tool in ("redis-server",) if shutil.which(tool) is None]
