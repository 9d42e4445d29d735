"""CPU time of a learning step in PyTorch and here, by turns, with one thread each.

    python3 -m venv peer && peer/bin/pip install torch
    cargo bench -p hatchery-nets --bench networks --no-run
    peer/bin/python jobs/nets/benches/torch_peer.py target/release/deps/networks-<hash>

The second command prints the path of the binary. Networks, batches and optimizer are those of
`networks.rs`: inputs of which a third is not 0, 256 hidden outputs, cross entropy of 51 columns,
Adam. PyTorch gets ready rows of floats; here a step also turns sparse rows into them, and four
batches take turns. Its time is that of its process; ours is the difference between runs of few and
of many steps. Three turns, the least of each is printed.
"""

import resource
import subprocess
import sys
import time

import torch

N_TURNS = 3

# A work of networks.rs, its inputs, its rows, and the steps that are timed.
STEPS = [
    ("step-1200-32", 1200, 32, 100),
    ("step-1200-320", 1200, 320, 30),
    ("step-5649-32", 5649, 32, 40),
    ("step-5649-320", 5649, 320, 10),
    ("step-5649-320-gathered", 5649, 320, 10),
    ("step-5649-320-shared-6", 5649, 320, 20),
    ("step-5649-320-shared-10", 5649, 320, 20),
    ("step-5649-320-shared-24", 5649, 320, 20),
    ("step-74564-320", 74564, 320, 3),
    ("step-74564-320-gathered", 74564, 320, 10),
    ("step-74564-320-shared-6", 74564, 320, 10),
]

# Works that have no peer, with the repetitions that are timed.
DECISIONS = [
    ("decision-60", 300),
    ("decision-60-copied", 40),
    ("decision-60-copied-gathered", 40),
    ("long-batch", 40),
    ("long-batch-loop", 40),
    ("long-batch-copied", 5),
    ("long-batch-copied-loop", 5),
]


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: torch_peer.py NETWORKS_BINARY [plain|avx2|avx512]")
    torch.set_num_threads(1)
    peers = {}
    for name, n_inputs, n_rows, n_steps in STEPS:
        n_outputs = 1 if n_inputs == 74564 else 51
        key = (n_inputs, n_rows)
        ours, eager, fused = [], [], []
        for _ in range(N_TURNS):
            ours.append(time_ours(n_steps, name))
            if key not in peers:
                eager.append(time_peer(n_inputs, n_rows, n_outputs, n_steps, False))
                fused.append(time_peer(n_inputs, n_rows, n_outputs, n_steps, True))
        if key not in peers:
            peers[key] = (min(eager), min(fused))
        eager_ms, fused_ms = peers[key]
        ours_ms = min(ours)
        print(
            f"{name:26} {ours_ms:8.2f} ms   PyTorch {eager_ms:8.2f} ms ({eager_ms / ours_ms:.2f} x)"
            f"   fused Adam {fused_ms:8.2f} ms ({fused_ms / ours_ms:.2f} x)",
            flush=True,
        )
    for name, n_times in DECISIONS:
        ours_ms = min(time_ours(n_times, name) for _ in range(N_TURNS))
        print(f"{name:28} {ours_ms:8.3f} ms", flush=True)


def time_ours(n_times: int, work: str) -> float:
    """Milliseconds of CPU time of a repetition of `work` by the binary of the command line."""
    few, many = (children_seconds(work, 4), children_seconds(work, 4 + n_times))
    return (many - few) / n_times * 1000


def children_seconds(work: str, n_times: int) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.argv[1], "repeat", work, str(n_times), *sys.argv[2:]], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def time_peer(n_inputs: int, n_rows: int, n_outputs: int, n_steps: int, fused: bool) -> float:
    """Milliseconds of CPU time of a step in PyTorch."""
    torch.manual_seed(1)
    model = torch.nn.Sequential(
        torch.nn.Linear(n_inputs, 256), torch.nn.ReLU(), torch.nn.Linear(256, n_outputs)
    )
    inputs = torch.rand(n_rows, n_inputs) * (torch.rand(n_rows, n_inputs) < 0.33)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, fused=fused)
    if n_outputs == 1:
        targets = (torch.arange(n_rows) % 6 == 0).float().unsqueeze(1)
        loss = torch.nn.BCEWithLogitsLoss()
    else:
        targets = torch.arange(n_rows) % n_outputs
        loss = torch.nn.CrossEntropyLoss()

    def step() -> None:
        optimizer.zero_grad()
        loss(model(inputs), targets).backward()
        optimizer.step()

    return time_steps(step, n_steps)


def time_steps(step, n_steps: int) -> float:
    """Milliseconds of CPU time of a call of `step`."""
    step()
    step()
    started = time.process_time()
    for _ in range(n_steps):
        step()
    return (time.process_time() - started) / n_steps * 1000


if __name__ == "__main__":
    main()
