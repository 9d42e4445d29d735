"""CPU time of a step of reinforcement learning in PyTorch and here, by turns, one thread each.

    python3 -m venv peer && peer/bin/pip install torch
    cargo bench -p hatchery-nets --bench reinforcement --no-run
    peer/bin/python jobs/nets/benches/torch_reinforcement.py BINARY

The second command prints the path of the binary, in target/release/deps. A step is that of `reinforcement.rs`: 32
transitions with 30 next actions each, double Q-learning with distributions over 51 bins, noise on
the weights of the last layer, factorized, with another draw for each row, and Adam. PyTorch gets
ready rows in which the state is copied before each action, as Kono et al. have it (7.4.2); its next
actions are one long batch, or a loop over the transitions.
"""

import sys

import torch
from torch.nn.functional import relu, softmax
from torch_peer import N_TURNS, time_ours, time_steps

N_TRANSITIONS, N_NEXT, N_INPUTS, N_BINS = 32, 30, 5411 + 238, 51
SHARE_OF_INPUTS = (2600 + 70) / N_INPUTS
DISCOUNT, NOISE = 0.999, 0.5


class Learner:
    """A network with a noisy last layer, its target, and one minibatch."""

    def __init__(self, hidden: list[int], fused: bool) -> None:
        torch.manual_seed(1)
        self.online, self.target = self.parameters(hidden), self.parameters(hidden)
        self.optimizer = torch.optim.Adam(self.online, lr=3e-4, fused=fused)
        self.rows = inputs(N_TRANSITIONS)
        self.next_rows = inputs(N_TRANSITIONS * N_NEXT)
        self.bins = torch.linspace(0, 1, N_BINS)

    def parameters(self, hidden: list[int]) -> list[torch.Tensor]:
        sizes = [N_INPUTS, *hidden, N_BINS]
        layers = [torch.nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])]
        last = layers[-1]
        deviation = NOISE / sizes[-2] ** 0.5
        deviations = [torch.full_like(it, deviation) for it in (last.weight, last.bias)]
        tensors = [tensor for layer in layers for tensor in (layer.weight, layer.bias)]
        return [tensor.detach().requires_grad_() for tensor in tensors + deviations]

    def outputs(self, tensors: list[torch.Tensor], rows: torch.Tensor) -> torch.Tensor:
        layers = tensors
        while 4 < len(layers):
            weight, bias, *layers = layers
            rows = relu(torch.addmm(bias, rows, weight.T))
        weight, bias, weight_deviation, bias_deviation = layers
        noisy_rows = rows * scaled_noise(rows.shape)
        added = torch.addmm(bias_deviation, noisy_rows, weight_deviation.T)
        return torch.addmm(bias, rows, weight.T) + added * scaled_noise(added.shape)

    @torch.no_grad()
    def next_means(self, loop: bool) -> torch.Tensor:
        batches = self.next_rows.split(N_NEXT) if loop else [self.next_rows]
        means = [softmax(self.outputs(self.online, rows), 1) @ self.bins for rows in batches]
        return torch.cat(means).view(N_TRANSITIONS, N_NEXT)

    @torch.no_grad()
    def targets(self, best: torch.Tensor) -> torch.Tensor:
        rows = self.next_rows[torch.arange(N_TRANSITIONS) * N_NEXT + best]
        shares = softmax(self.outputs(self.target, rows), 1)
        at = (DISCOUNT * self.bins * (N_BINS - 1)).clamp(0, N_BINS - 1)
        low = at.floor().long()
        high = (low + 1).clamp(max=N_BINS - 1)
        to = torch.zeros_like(shares)
        to.index_add_(1, low, shares * (1 - (at - low)))
        return to.index_add_(1, high, shares * (at - low))

    def step(self, loop: bool = False) -> None:
        targets = self.targets(self.next_means(loop).argmax(1))
        self.optimizer.zero_grad()
        outputs = self.outputs(self.online, self.rows)
        torch.nn.functional.cross_entropy(outputs, targets).backward()
        self.optimizer.step()


def scaled_noise(shape: torch.Size) -> torch.Tensor:
    """Normal numbers after the function of Fortunato et al. (2018)."""
    noise = torch.randn(shape)
    return noise.sign() * noise.abs().sqrt()


def inputs(n_rows: int) -> torch.Tensor:
    return torch.rand(n_rows, N_INPUTS) * (torch.rand(n_rows, N_INPUTS) < SHARE_OF_INPUTS)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: torch_reinforcement.py REINFORCEMENT_BINARY")
    torch.set_num_threads(1)
    for name, n_ours, n_peer in [("64-32", 200, 10), ("256", 50, 5)]:
        hidden = [int(units) for units in name.split("-")]
        eager, fused = Learner(hidden, False), Learner(hidden, True)
        times = {
            "here": lambda: time_ours(n_ours, name),
            "PyTorch": lambda: time_steps(eager.step, n_peer),
            "PyTorch, fused Adam": lambda: time_steps(fused.step, n_peer),
            "PyTorch, fused Adam, loop": lambda: time_steps(lambda: fused.step(True), n_peer),
        }
        least = {key: float("inf") for key in times}
        for _ in range(N_TURNS):
            for key, time in times.items():
                least[key] = min(least[key], time())
        for key, ms in least.items():
            print(f"{name:8} {key:28} {ms:8.2f} ms ({ms / least['here']:.1f} x)", flush=True)


if __name__ == "__main__":
    main()
