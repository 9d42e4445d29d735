"""Measures a farm of two coordinators with many small runs: the time until all are done, or,
without workers, what waiting runs cost. README.md says how it is run."""

import argparse
import asyncio
import multiprocessing
import os
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
from hatchery.v1 import control_pb2 as v1
from hatchery.v1.control_pb2_grpc import ControlStub

SPEC = Path(__file__).parent.parent.parent / "jobs/pig/specs/smoke.toml"
REDIS_PORT, PROXY_PORT, FIRST_PORT = 7421, 7422, 7430
N_COORDINATORS = 2

# Settling time and measuring time of waiting runs.
SETTLE_S, IDLE_S = 25, 20

COUNT_DONE = """
local n = 0
for _, run in ipairs(redis.call('ZRANGE', 'ht:runs', 0, -1)) do
  if redis.call('HGET', 'ht:{' .. run .. '}:ctl', 'state') == 'done' then n = n + 1 end
end
return n"""


def redis(*command):
    command = ["redis-cli", "-p", str(REDIS_PORT), *command]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def n_commands():
    stats = dict(line.split(":") for line in redis("INFO", "stats").splitlines() if ":" in line)
    return int(stats["total_commands_processed"])


def cpu_seconds(process):
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def pass_on(reader, writer, delay_s):
    """Passes bytes on after the delay, in their order."""
    queue = asyncio.Queue()

    async def read():
        while piece := await reader.read(1 << 16):
            await queue.put((asyncio.get_running_loop().time() + delay_s, piece))
        await queue.put((0, b""))

    reading = asyncio.ensure_future(read())
    while True:
        due, piece = await queue.get()
        if not piece:
            break
        await asyncio.sleep(max(0, due - asyncio.get_running_loop().time()))
        writer.write(piece)
        await writer.drain()
    writer.close()
    await reading


def serve_proxy(delay_s):
    """Serves Redis over a network that takes `delay_s` in each direction."""
    async def connected(reader, writer):
        redis_reader, redis_writer = await asyncio.open_connection("127.0.0.1", REDIS_PORT)
        await asyncio.gather(pass_on(reader, redis_writer, delay_s),
                             pass_on(redis_reader, writer, delay_s), return_exceptions=True)

    async def serve():
        server = await asyncio.start_server(connected, "127.0.0.1", PROXY_PORT)
        await server.serve_forever()

    asyncio.run(serve())


class Farm:
    def __init__(self, binary, n_workers, delay_s, folder):
        self.processes = []
        self.redis = self.start("redis-server", "--port", str(REDIS_PORT), "--save", "",
                                "--appendonly", "yes", "--dir", folder)
        redis_port = PROXY_PORT if delay_s else REDIS_PORT
        self.proxy = multiprocessing.Process(target=serve_proxy, args=(delay_s,), daemon=True)
        if delay_s:
            self.proxy.start()
        time.sleep(0.5)
        ports = range(FIRST_PORT, FIRST_PORT + N_COORDINATORS)
        self.coordinators = [
            self.start(binary, "coordinator", "--listen", f"127.0.0.1:{port}",
                       "--redis", f"redis://127.0.0.1:{redis_port}/")
            for port in ports
        ]
        time.sleep(1.5)
        for idx in range(n_workers):
            url = f"http://127.0.0.1:{FIRST_PORT + idx % N_COORDINATORS}"
            self.start(binary, "worker", "--coordinator", url, "--slots", "1")
        time.sleep(3)
        self.clients = [ControlStub(grpc.insecure_channel(f"127.0.0.1:{port}")) for port in ports]

    def start(self, *command):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def submit(self, idx):
        spec = SPEC.read_text().replace("seed = 1", f"seed = {idx + 1}")
        return self.clients[idx % N_COORDINATORS].Submit(v1.SubmitRequest(spec=spec)).run

    def end(self):
        if self.proxy.is_alive():
            self.proxy.kill()
        for process in self.processes:
            process.kill()
            process.wait()


def measure(farm, n_runs, n_workers):
    begun = time.time()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(farm.submit, range(n_runs)))
    submitted = time.time()
    print(f"{n_runs} runs submitted in {submitted - begun:.1f} s", flush=True)
    if n_workers == 0:
        time.sleep(SETTLE_S)
        commands = n_commands()
        cpu = [cpu_seconds(process) for process in farm.coordinators]
        time.sleep(IDLE_S)
        rate = (n_commands() - commands) / IDLE_S
        used = [cpu_seconds(p) - before for p, before in zip(farm.coordinators, cpu)]
        shares = ", ".join(f"{100 * seconds / IDLE_S:.2f} %" for seconds in used)
        return print(f"waiting: {rate:.0f} Redis commands/s; coordinators: {shares} of a core")
    while int(redis("EVAL", COUNT_DONE, "0")) != n_runs:
        time.sleep(0.5)
    ended = time.time()
    rate = n_runs / (ended - begun)
    print(f"done {ended - submitted:.1f} s after the last submission: {rate:.0f} runs/s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hatchery", required=True, metavar="BIN", help="the binary")
    parser.add_argument("--runs", type=int, default=3000, help="number of runs (3000)")
    parser.add_argument("--workers", type=int, default=2, help="workers of one slot (2)")
    parser.add_argument("--redis-delay-ms", type=float, default=0, metavar="MS",
                        help="delay of the network to Redis, in each direction (0)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        farm = Farm(given.hatchery, given.workers, given.redis_delay_ms / 1000, folder)
        try:
            measure(farm, given.runs, given.workers)
        finally:
            farm.end()


if __name__ == "__main__":
    main()
