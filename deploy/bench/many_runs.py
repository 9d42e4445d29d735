"""Measures a farm of two coordinators with many small runs: the time until all are done, or,
without workers, what waiting runs cost. README.md says how it is run."""

import argparse
import asyncio
import multiprocessing
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
from hatchery.v1 import control_pb2 as v1
from hatchery.v1.control_pb2_grpc import ControlStub

from local_farm import LocalFarm

SPEC = Path(__file__).parent.parent.parent / "jobs/pig/specs/smoke.toml"
REDIS_PORT, PROXY_PORT, FIRST_PORT = 7421, 7422, 7430

# Settling time and measuring time of waiting runs.
SETTLE_S, IDLE_S = 25, 20

COUNT_DONE = """
local n = 0
for _, run in ipairs(redis.call('ZRANGE', 'ht:runs', 0, -1)) do
  if redis.call('HGET', 'ht:{' .. run .. '}:ctl', 'state') == 'done' then n = n + 1 end
end
return n"""


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


class Farm(LocalFarm):
    """A farm that is given many runs of one small spec."""

    def __init__(self, binary, folder, n_workers, delay_s):
        self.proxy = multiprocessing.Process(target=serve_proxy, args=(delay_s,), daemon=True)
        if delay_s:
            self.proxy.start()
        super().__init__(binary, folder, REDIS_PORT, FIRST_PORT,
                         redis_port_of_coordinators=PROXY_PORT if delay_s else REDIS_PORT)
        for idx in range(n_workers):
            self.add_worker(idx)
        time.sleep(3)
        channels = [grpc.insecure_channel(address) for address in self.addresses]
        self.clients = [ControlStub(channel) for channel in channels]

    def __exit__(self, *_):
        if self.proxy.is_alive():
            self.proxy.kill()
        super().__exit__()

    def submit(self, idx):
        spec = SPEC.read_text().replace("seed = 1", f"seed = {idx + 1}")
        return self.clients[idx % len(self.clients)].Submit(v1.SubmitRequest(spec=spec)).run


def measure(farm, n_runs, n_workers):
    begun = time.time()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(farm.submit, range(n_runs)))
    submitted = time.time()
    print(f"{n_runs} runs submitted in {submitted - begun:.1f} s", flush=True)
    if n_workers == 0:
        time.sleep(SETTLE_S)
        commands, cpu = farm.n_commands(), farm.coordinator_cpu_seconds()
        time.sleep(IDLE_S)
        rate = (farm.n_commands() - commands) / IDLE_S
        used = [now - before for now, before in zip(farm.coordinator_cpu_seconds(), cpu)]
        shares = ", ".join(f"{100 * seconds / IDLE_S:.2f} %" for seconds in used)
        return print(f"waiting: {rate:.0f} Redis commands/s; coordinators: {shares} of a core")
    while int(farm.redis("EVAL", COUNT_DONE, "0")) != n_runs:
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
        delay_s = given.redis_delay_ms / 1000
        with Farm(given.hatchery, folder, given.workers, delay_s) as farm:
            measure(farm, given.runs, given.workers)


if __name__ == "__main__":
    main()
