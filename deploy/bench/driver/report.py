"""What was measured, as JSON for machines and as a table for docs/PERFORMANCE.md."""

import platform
import statistics

from . import install
from .measures import FIGURES
from .processes import Redis

SCHEMA = 1


def conditions():
    """The machine, and what everything runs on."""
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        lines = cpuinfo.read().splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    versions = {"python": platform.python_version()}
    for name, command in {
        "redis": ["redis-server", "--version"],
        "node": ["node", "--version"],
        "rustc": ["rustc", "--version"],
    }.items():
        try:
            versions[name] = install.output(command)
        except (OSError, ValueError) as error:
            versions[name] = f"not there: {error}"
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": len(models),
        "kernel": platform.release(),
        "redis_settings": " ".join(word or '""' for word in Redis.SETTINGS),
        "versions": versions,
    }


def summary(system, runs):
    """The median and the range of each figure of a system."""
    measured = {}
    for measure, rounds in runs.items():
        done = [run for run in rounds if "error" not in run]
        errors = [run["error"] for run in rounds if "error" in run]
        figures = {}
        for figure in FIGURES[measure]:
            values = [run[figure] for run in done if run[figure] is not None]
            if values:
                figures[figure] = {
                    "median": statistics.median(values),
                    "min": min(values),
                    "max": max(values),
                    "n": len(values),
                }
        measured[measure] = {"figures": figures, "errors": errors, "rounds": rounds}
    return {"title": system.title, "version": system.version, "measures": measured}


def cell(summary_of_system, measure, figure, show):
    """One figure: its median, and its range where there is one."""
    measured = summary_of_system.get("measures", {}).get(measure)
    if measured is None:
        return "-"
    of_figure = measured["figures"].get(figure)
    if of_figure is None:
        return "failed" if measured["errors"] else "-"
    text = show(of_figure["median"])
    if 1 < of_figure["n"]:
        text += f" ({show(of_figure['min'])} to {show(of_figure['max'])})"
    return text


def recovery(summary_of_system):
    """The cell of `crash`, which may not have come to an end."""
    rounds = summary_of_system.get("measures", {}).get("crash", {}).get("rounds", [])
    waited = [run["waited_s"] for run in rounds if run.get("recovered") is False]
    if waited:
        return f"not within {min(waited):.0f}"
    return cell(summary_of_system, "crash", "recovery_s", lambda value: f"{value:.1f}")


def significant(value):
    """Three digits of a number, or all before its point, with the thousands apart."""
    digits = len(str(int(value)))
    return f"{round(round(value, min(0, 3 - digits))):,}"


def memory(value):
    return f"{value:.1f}" if value < 100 else significant(value)


COLUMNS = {
    "no-op jobs/s": lambda s: cell(s, "noop", "jobs_per_s", significant),
    "1 ms jobs, efficiency": lambda s: cell(s, "burn", "efficiency", lambda v: f"{100 * v:.1f} %"),
    "start p50, ms": lambda s: cell(s, "latency", "p50_ms", lambda v: f"{v:.2f}"),
    "start p99, ms": lambda s: cell(s, "latency", "p99_ms", lambda v: f"{v:.2f}"),
    "bytes per queued job": lambda s: cell(s, "backlog", "bytes_per_job", memory),
    "recovery, s": recovery,
}


def table(document):
    """The table, and what was measured on."""
    rows = [["system", *COLUMNS], ["---"] * (1 + len(COLUMNS))]
    notes = []
    for name, system in document["systems"].items():
        if "error" in system:
            notes.append(f"{name} is missing: {system['error'].splitlines()[-1]}")
            continue
        title = f"{system['title']} {system['version']}"
        rows.append([title, *(show(system) for show in COLUMNS.values())])
        for measure, measured in system["measures"].items():
            # The same failure in each round is one.
            errors = dict.fromkeys(measured["errors"])
            notes += [f"{name}, {measure}: {error}" for error in errors]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    machine, settings = document["conditions"], document["settings"]
    load = document["load"]
    lines += [
        "",
        f"{machine['cpu']}, {machine['cores']} cores; {settings['rounds']} rounds of "
        f"{settings['seconds']} seconds, all systems in turn: medians and ranges. Load average "
        f"before: {load['before'][0]:.2f}. Redis: `{machine['redis_settings']}`.",
    ]
    return "\n".join(lines + [f"- {note}" for note in notes]) + "\n"
