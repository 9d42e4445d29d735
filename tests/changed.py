#!/usr/bin/env python3
"""Prints which parts of the check a change needs, as variables for tests/run.

`tests/changed.py [BASE]` looks at the files that differ from the commit BASE (default: HEAD), those
that git does not know yet included. The variables:

    changed=PACKAGE ...     packages with a changed file
    packages=PACKAGE ...    those, and the packages that depend on them, without the root package
    test_programs=NAME ...  test programs of those packages
    root_tests=NAME ...     test programs of the root package
    steps=STEP ...          other steps: deploy, documents, peer, pages
    everything=1            a file changed that all packages depend on: run the whole check
"""

import json
import os
import re
import shlex
import subprocess
import sys

# The root package's test programs that a change anywhere needs.
ALWAYS = ["architecture", "golden", "tidy"]

# Files that all packages depend on.
COMMON = ("Cargo.toml", "Cargo.lock", "build.rs", "clippy.toml", "rustfmt.toml", ".cargo/", ".config/")

# Beginnings of paths, and what a change below them needs beside its own package.
FARM = ["control", "farm", "first_run", "own_game", "plane", "simulation", "worker"]
ROOT_TESTS = {
    **dict.fromkeys(["coordinator/", "worker/", "proto/", "server/", "src/", "meters/"], FARM),
    "tests/redis/": FARM,
    # Modules that several test programs have.
    "tests/golden/references": ["farm", "first_run"],
    "tests/first_run/terminal.rs": ["farm"],
}
STEPS = {
    "README.md": ["documents"],
    "docs/USING.md": ["documents"],
    "docs/RUNNING.md": ["documents"],
    "docs/pictures/": ["documents"],
    "tests/run": ["deploy"],
    "tests/venv": ["deploy"],
    "tests/readme": ["deploy", "documents"],
    "tests/alone": ["deploy", "documents"],
    "tests/samples.py": ["documents"],
    "src/": ["documents"],
    "deploy/": ["deploy"],
    "tests/deploy/": ["deploy"],
    "src/metrics": ["deploy"],
    "jobs/catan/": ["peer"],
    "tests/peer/": ["peer"],
    "jobs/figures/": ["pages"],
    "src/report": ["pages"],
    "src/html": ["pages"],
    "src/scene_player": ["pages"],
    "tests/web/": ["pages"],
}


def printed(*command):
    """What a command prints; where the command fails, it has said why."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    return done.stdout if done.returncode == 0 else sys.exit(done.returncode)


def changed_files(base):
    """The paths that differ from where HEAD left `base`, from the root of the repository."""
    base = printed("git", "merge-base", base, "HEAD").strip()
    known = printed("git", "diff", "--name-only", "--no-renames", "-z", base, "--")
    new = printed("git", "ls-files", "--others", "--exclude-standard", "-z")
    return sorted(path for path in (known + new).split("\0") if path)


def workspace():
    """For each package of the workspace: its folder, what it depends on, and its test programs."""
    command = ["cargo", "metadata", "--no-deps", "--locked", "--format-version", "1"]
    metadata = json.loads(printed(*command))
    root = metadata["workspace_root"]
    folders, needs, programs = {}, {}, {}
    for package in metadata["packages"]:
        folder = os.path.relpath(os.path.dirname(package["manifest_path"]), root)
        folders[package["name"]] = "" if folder == "." else folder + "/"
        needs[package["name"]] = {dependency["name"] for dependency in package["dependencies"]}
        targets = package["targets"]
        programs[package["name"]] = {it["name"] for it in targets if "test" in it["kind"]}
    return folders, needs, programs


def includes():
    """For each file that code includes as text: the paths of that code."""
    readers = {}
    for line in printed("git", "grep", "-E", r'include_(str|bytes)!\("', "--", "*.rs").splitlines():
        path, code = line.split(":", 1)
        for included in re.findall(r'include_(?:str|bytes)!\("([^"]+)"', code):
            read = os.path.normpath(os.path.join(os.path.dirname(path), included))
            readers.setdefault(read, []).append(path)
    return readers


def package_of(path, folders):
    """The package with the deepest folder around `path`; that of the root has everything else."""
    around = [name for name, folder in folders.items() if path.startswith(folder)]
    return max(around, key=lambda name: len(folders[name]))


def dependents(packages, needs):
    """`packages`, and all that depend on one of them, directly or not."""
    found = set(packages)
    while True:
        more = {name for name, needed in needs.items() if needed & found} - found
        if not more:
            return found
        found |= more


def needed(table, paths):
    """What `table` says of the beginnings of `paths`."""
    said = [names for begin, names in table.items() if any(p.startswith(begin) for p in paths)]
    return {name for names in said for name in names}


def main():
    os.chdir(os.path.join(os.path.dirname(__file__), ".."))
    paths = changed_files(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
    readers = includes()
    paths = sorted({*paths, *(reader for path in paths for reader in readers.get(path, []))})
    folders, needs, programs = workspace()
    root = next(name for name, folder in folders.items() if not folder)
    changed = {package_of(path, folders) for path in paths if not path.endswith(".md")}
    tests = set(ALWAYS) | needed(ROOT_TESTS, paths)
    # A test program of the root package, or a module of one.
    tests |= {path.split("/")[1].removesuffix(".rs") for path in paths
              if path.startswith("tests/") and path.endswith(".rs")} & programs[root]
    steps = needed(STEPS, paths)
    if any("/specs/" in path for path in paths):
        steps.add("documents")
    packages = dependents(changed - {root}, needs) - {root}
    values = {
        "changed": changed,
        "packages": packages,
        "test_programs": {name for package in packages for name in programs[package]},
        "root_tests": tests,
        "steps": steps,
    }
    for name, words in values.items():
        print(f"{name}={shlex.quote(' '.join(sorted(words)))}")
    print(f"everything={'1' if any(path.startswith(COMMON) for path in paths) else ''}")


if __name__ == "__main__":
    main()
