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
import shlex
import subprocess
import sys

# The root package's test programs that a change anywhere needs.
ALWAYS = ["architecture", "golden", "tidy"]

# Files that all packages depend on.
COMMON = ("Cargo.toml", "Cargo.lock", "build.rs", "clippy.toml", "rustfmt.toml", ".cargo/")

# Beginnings of paths, and what a change below them needs beside its own package.
FARM = ["control", "farm", "first_run", "plane", "simulation", "worker"]
ROOT_TESTS = {
    **dict.fromkeys(["coordinator/", "worker/", "proto/", "src/", "meters/"], FARM),
    "tests/redis/": FARM,
}
STEPS = {
    "README.md": ["documents"],
    "docs/OPERATING.md": ["documents"],
    "docs/pictures/": ["documents"],
    "tests/readme": ["documents"],
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
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def changed_files(base):
    """The paths that differ from `base`, from the root of the repository."""
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
    paths = changed_files(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
    folders, needs, programs = workspace()
    root = next(name for name, folder in folders.items() if not folder)
    code = [path for path in paths if path.endswith((".rs", ".toml", ".proto", ".txt", ".json"))]
    changed = {package_of(path, folders) for path in code}
    tests = set(ALWAYS) | needed(ROOT_TESTS, paths)
    # A test program of the root package, or a module of one.
    tests |= {path.split("/")[1].removesuffix(".rs") for path in paths
              if path.startswith("tests/") and path.endswith(".rs")} - {"redis"}
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
