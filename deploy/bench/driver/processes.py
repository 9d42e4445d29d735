"""Processes that end with the bench, whatever happens to it."""

import ctypes
import os
import signal
import socket
import subprocess
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

# How long a server may take to listen.
PATIENCE_S = 10

LIBC = ctypes.CDLL(None, use_errno=True)


def adopt_orphans():
    """Makes this process the parent of orphans below it, so that `kill_all` finds them."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def start(command, **options):
    """Starts a process that is killed when this one dies."""
    return subprocess.Popen(command, preexec_fn=die_with_parent, **options)


def descendants(root):
    """All processes below `root`, the nearest first."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:
                    # The name of the program, in parentheses, may have anything in it.
                    parent = int(stat.read().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found[1:]


def kill_tree(pid):
    """Kills a process and all below it, as the loss of its machine would."""
    for each in [pid, *descendants(pid)]:
        try:
            os.kill(each, signal.SIGKILL)
        except ProcessLookupError:
            pass


def kill_all():
    """Kills and reaps all that this process has started, directly or not."""
    while descendants(os.getpid()):
        for pid in descendants(os.getpid()):
            kill_tree(pid)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.01)


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Redis:
    """A server of its own, with the persistence that hatchery is run with."""

    SETTINGS = ("--save", "", "--appendonly", "yes", "--appendfsync", "everysec")

    def __init__(self, folder):
        self.port = free_port()
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1"]
        command += ["--dir", str(folder), *self.SETTINGS]
        self.process = start(command, stdout=subprocess.DEVNULL)
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                self.ask("PING")
                return
            except OSError:
                if until < time.monotonic():
                    raise
                time.sleep(0.01)

    def ask(self, *words):
        """The answer to a command, as text of Redis's protocol."""
        words = [str(word).encode() for word in words]
        parts = [b"*%d\r\n" % len(words)]
        parts += [b"$%d\r\n%s\r\n" % (len(word), word) for word in words]
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S) as link:
            link.sendall(b"".join(parts))
            answer = link.recv(1 << 16)
            if answer.startswith(b"$"):
                length = int(answer[1 : answer.index(b"\r\n")])
                while len(answer) < length:
                    answer += link.recv(1 << 16)
        return answer.decode()

    def used_memory(self):
        for line in self.ask("INFO", "memory").splitlines():
            if line.startswith("used_memory:"):
                return int(line.partition(":")[2])
        raise ValueError("Redis does not say what it uses")
