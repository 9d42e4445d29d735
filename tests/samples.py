"""Reads what a document tells its reader to do, and compares its samples with what was printed.

`samples.py split DOCUMENT FOLDER` writes a folder for each step, in order:

- a line `$ COMMAND` of a `console` block becomes `command`;
- a `toml` or `python` block whose first line is `# FILE` becomes `files/FILE`;
- a `text` block is the sample of the last command before it, and becomes its `sample`.

`samples.py compare STEP` compares `sample` and `output` in such a folder, line by line. A line
`...` stands for any lines. Durations, rates, ids, dates, the numbers of jobs, workers and slots,
and the width of columns may differ; all other words and numbers are the same. A line of progress
in the middle of a run comes at any time, and its measures are those of `generations.csv`.

`samples.py await PID` waits until a process that was started in the background listens or, if it
is a worker, is connected.
"""

import contextlib
import csv
import difflib
import pathlib
import os
import re
import sys
import time

# `tests/run` is the check that runs this program.
LEFT_OUT = {"tests/run"}

# Seconds for a process to start, on any machine.
PATIENCE = 600
# The states of sockets in /proc/net/tcp.
ESTABLISHED, LISTENING = "01", "0A"
RELEASE_BUILD = "cargo run --release -- "

# A time span (`10s`, `1h20m`) or a number with its unit (`12.3 s`).
TIME = r"\b(?:\d+[dhm])?\d+(?:\.\d+)?(?:ms|[smhd])\b|\d+(?:\.\d+)? (?:ms|s|min|h)\b"
MAY_DIFFER = [
    (r"\b01[0-9A-HJKMNP-TV-Z]{24}\b", "ID"),
    (r"(\bruns/[\w-]+)-[0-9a-z]{6}\b", r"\1-ID"),
    (r"\bhatchery (open|replay|verify) [0-9a-z]{6}\b", r"hatchery \1 ID"),
    (rf" · (?:{TIME}) to (?:{TIME}) left", ""),
    (r" · [\d,.]+ trials/s", ""),
    (r"[\d,.]+ per CPU second", "N per CPU second"),
    (r"\b[\d,]+ (worker|slot|job)s?\b", r"N \1s"),
    (r"\b\d+ with N slots?; \d+ can", "N with N slots; N can"),
    (r"\b[\d,]+ sampled of N jobs \([\d,]+ trials\)", "N sampled of N jobs (N trials)"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "DATE"),
    (TIME, "TIME"),
    (r" +", " "),
]
PROGRESS = re.compile(r"generation (\d+)/(\d+) · ")
FOLDER = re.compile(r"^run \S+ in (.+)$", re.MULTILINE)


def split(document, folder):
    steps = []
    for kind, lines in blocks(pathlib.Path(document).read_text()):
        if kind == "console":
            commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
            steps += [{"command": program(it)} for it in commands if it not in LEFT_OUT]
        elif kind in ("toml", "python") and lines[0].startswith("# "):
            steps.append({f"files/{lines[0].removeprefix('# ')}": "\n".join(lines)})
        elif kind == "text":
            assert "command" in steps[-1] and "sample" not in steps[-1], f"whose sample? {lines[0]}"
            steps[-1]["sample"] = "\n".join(lines)
    assert any("command" in step for step in steps), f"{document} has no commands"
    for number, step in enumerate(steps):
        for name, text in step.items():
            path = pathlib.Path(folder) / f"{number:03}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n")


def blocks(text):
    """Yields the kind and the lines of each fenced block."""
    for kind, body in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield kind, body.splitlines()


def program(command):
    """Returns the command with the installed program in place of cargo's."""
    if command.startswith(RELEASE_BUILD):
        return f"hatchery {command.removeprefix(RELEASE_BUILD)}"
    return command


def compare(step):
    sample = (step / "sample").read_text()
    output = (step / "output").read_text()
    for line in sample.splitlines():
        if in_the_middle(line):
            check_progress(line, FOLDER.search(output))
    wanted, printed = lasting(sample), lasting(output)
    if not matches(wanted, printed):
        difference = difflib.unified_diff(wanted, printed, "sample", "printed", lineterm="", n=0)
        sys.exit("\n".join(["the sample is wrong:", *difference]))
    print("(as in the sample)")


def in_the_middle(line):
    """Returns whether the line is of progress between the first generation and the last."""
    progress = PROGRESS.match(line)
    return bool(progress) and 0 < int(progress[1]) < int(progress[2])


def check_progress(line, folder):
    """Compares the measures of a line of progress with the run's table."""
    generation = int(PROGRESS.match(line)[1])
    with open(pathlib.Path(folder[1]) / "generations.csv", encoding="utf-8") as table:
        row = list(csv.DictReader(table))[generation - 1]
    _, elapsed, *measures, workers = common(line).split(" · ")
    assert (elapsed, workers) == ("TIME elapsed", "N workers, N slots"), line
    for measure in measures:
        name, number, decimals = re.match(r"([a-z ]+) ([\d,]+(?:\.(\d+))?)", measure).groups()
        exact = float(row[name.replace(" ", "_")])
        difference = abs(float(number.replace(",", "")) - exact)
        assert difference <= 10 ** -len(decimals or "") / 2, f"{measure}: the table has {exact}"


def lasting(text):
    """Returns the lines that every run prints."""
    return [common(line) for line in text.splitlines() if not in_the_middle(line)]


def common(line):
    """Returns the line without what may differ."""
    for pattern, instead in MAY_DIFFER:
        line = re.sub(pattern, instead, line)
    return line.rstrip()


def matches(wanted, printed):
    """Returns whether the lines are the same, where `...` stands for any."""
    if not wanted or not printed:
        return all(line == "..." for line in wanted) and not printed
    if wanted[0] == "...":
        return matches(wanted[1:], printed) or matches(wanted, printed[1:])
    return wanted[0] == printed[0] and matches(wanted[1:], printed[1:])


def is_there(pid):
    """Returns whether a process serves, or whether it has a server if it is a worker."""
    process = pathlib.Path("/proc", pid)
    words = process.joinpath("cmdline").read_bytes().split(b"\0")
    state = ESTABLISHED if b"worker" in words else LISTENING
    sockets = set()
    for file in process.joinpath("fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            sockets.add(os.readlink(file))
    lines = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in process.joinpath("net", table).read_text().splitlines()[1:]
    ]
    return any(f"socket:[{line[9]}]" in sockets for line in lines if line[3] == state)


def wait_for(pid):
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            if is_there(pid):
                return
        except (FileNotFoundError, PermissionError):
            sys.exit(f"process {pid} ended before it had a connection")
        if deadline < time.monotonic():
            sys.exit(f"process {pid} has no connection after {PATIENCE} s")
        time.sleep(0.05)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["split", document, folder]:
            split(document, folder)
        case ["compare", step]:
            compare(pathlib.Path(step))
        case ["await", pid]:
            wait_for(pid)
        case _:
            sys.exit(__doc__)
