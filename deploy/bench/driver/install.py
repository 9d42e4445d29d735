"""Installs what is measured, from its registry, into a folder that stays."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
PROTO = HERE.parent.parent / "proto"

# How long one system may take to install.
PATIENCE_S = 900


class InstallError(Exception):
    """A system could not be installed."""


def run(command, **options):
    try:
        subprocess.run(
            command, check=True, timeout=PATIENCE_S, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options,
        )
    except subprocess.CalledProcessError as error:
        raise InstallError(f"{command[0]}: {error.stdout.strip()[-500:]}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InstallError(str(error)) from error


def once(folder, wanted, install):
    """Installs into `folder`, unless what is there was installed for the same text."""
    stamp = folder / "installed.txt"
    if not (stamp.exists() and stamp.read_text() == wanted):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        install()
        stamp.write_text(wanted)


def python(cache, name):
    """An environment of its own, with the packages of systems/NAME.txt."""
    packages, folder = HERE / "systems" / f"{name}.txt", cache / name
    interpreter = folder / "bin" / "python"

    def install():
        run([sys.executable, "-m", "venv", str(folder)])
        pip = [str(interpreter), "-m", "pip", "install", "--disable-pip-version-check"]
        run([*pip, "--quiet", "--only-binary", ":all:", "--requirement", str(packages)])

    once(folder, packages.read_text(), install)
    return interpreter


def hatchery_client(cache):
    """A Python client of hatchery's gRPC interface: the interpreter, and the folder of its code."""
    interpreter = python(cache, "hatchery")
    protos = ["hatchery/v1/worker.proto", "hatchery/v1/control.proto"]
    folder = cache / "hatchery-client"

    def install():
        compiler = [str(interpreter), "-m", "grpc_tools.protoc", f"--proto_path={PROTO}"]
        out = [f"--python_out={folder}", f"--grpc_python_out={folder}"]
        run([*compiler, *out, *protos])

    once(folder, "".join((PROTO / proto).read_text() for proto in protos), install)
    return interpreter, folder


def node(cache):
    """The folder of BullMQ's system, with its packages."""
    source, folder = HERE / "bullmq", cache / "bullmq"
    texts = [(source / name).read_text() for name in sorted(os.listdir(source))]

    def install():
        shutil.copytree(source, folder, dirs_exist_ok=True)
        run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder)

    once(folder, "".join(texts), install)
    return folder


def rust(cache):
    """The folder of the programs of rust/."""
    source, target = HERE / "rust", cache / "rust"
    manifest = ["--manifest-path", str(source / "Cargo.toml")]
    cargo = ["cargo", "build", "--quiet", "--release", "--locked", *manifest]
    run(cargo, env=dict(os.environ, CARGO_TARGET_DIR=str(target)))
    return target / "release"


def output(command):
    """What a command says, on one line."""
    said = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, timeout=30)
    return said.stdout.strip()


def package_version(folder, name):
    """The version of a package of npm."""
    return json.loads((folder / "node_modules" / name / "package.json").read_text())["version"]


def locked_version(name):
    """The version of a crate in rust/."""
    lock = tomllib.loads((HERE / "rust" / "Cargo.lock").read_text())
    return next(package["version"] for package in lock["package"] if package["name"] == name)
