"""A farm of real processes on this machine, for the measurements beside it."""

import os
import subprocess
import time
from pathlib import Path


class LocalFarm:
    """A Redis and coordinators, and whatever else is started. Ends with the `with` block."""

    def __init__(self, binary, folder, redis_port, first_port, n_coordinators=2,
                 redis_port_of_coordinators=None, options=()):
        self.binary, self.redis_port, self.processes = binary, redis_port, []
        self.start("redis-server", "--port", str(redis_port), "--save", "",
                   "--appendonly", "yes", "--dir", folder)
        time.sleep(0.5)
        ports = range(first_port, first_port + n_coordinators)
        self.addresses = [f"127.0.0.1:{port}" for port in ports]
        self.urls = [f"http://{address}" for address in self.addresses]
        redis_port = redis_port_of_coordinators or redis_port
        self.coordinators = [
            self.start(binary, "coordinator", "--listen", address,
                       "--redis", f"redis://127.0.0.1:{redis_port}/", *options)
            for address in self.addresses
        ]
        time.sleep(2)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.kill()
        for process in self.processes:
            process.wait()

    def start(self, *command):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def add_worker(self, idx):
        """Starts a worker with one slot; consecutive indices take the coordinators by turns."""
        url = self.urls[idx % len(self.urls)]
        self.start(self.binary, "worker", "--slots", "1", "--coordinator", url)

    def redis(self, *command):
        command = ["redis-cli", "-p", str(self.redis_port), *command]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def redis_info(self, section):
        lines = self.redis("INFO", section).splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)

    def n_commands(self):
        return int(self.redis_info("stats")["total_commands_processed"])

    def coordinator_cpu_seconds(self):
        return [cpu_seconds(process) for process in self.coordinators]


def cpu_seconds(process):
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
