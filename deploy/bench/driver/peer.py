"""A system under measurement: a process that speaks as systems/speaker.py describes."""

import json
import os
import selectors
import subprocess
import time

from . import processes

# How long a system may take to start.
START_S = 120


class PeerError(Exception):
    """A system could not do what it was asked for."""


class Peer:
    def __init__(self, system, config, redis, log):
        environment = dict(os.environ, BENCH_REDIS_PORT=str(redis.port), **system.environment)
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        self.process = processes.start(
            [*system.command, json.dumps({**system.config, **config})],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=environment,
        )
        self.heard = b""
        self.answer(START_S)

    def ask(self, act, within_s, **arguments):
        line = json.dumps({"do": act, **arguments}) + "\n"
        try:
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()
        except OSError as error:
            raise PeerError(f"it is gone: {error}") from error
        return self.answer(within_s)

    def answer(self, within_s):
        until = time.monotonic() + within_s
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.heard:
                if not selector.select(max(0, until - time.monotonic())):
                    raise PeerError(f"no answer within {within_s:.0f} s")
                more = os.read(self.process.stdout.fileno(), 1 << 16)
                if not more:
                    raise PeerError("it ended")
                self.heard += more
        line, _, self.heard = self.heard.partition(b"\n")
        answer = json.loads(line)
        if "error" in answer:
            raise PeerError(answer["error"])
        return answer
