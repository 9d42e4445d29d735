"""Makes the fixtures of jobs/nets/tests/nets/torch.rs with PyTorch; run by hand.

    python -m venv venv && venv/bin/pip install torch numpy safetensors
    venv/bin/python jobs/nets/benches/torch_fixtures.py jobs/nets/tests/fixtures

Weights are stored as hatchery has them: a row for each input, the transpose of `Linear`.
"""

import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch.nn.functional import binary_cross_entropy_with_logits, log_softmax

STATE_LEN, ACTION_LEN, HIDDEN = 9, 5, [8, 6]
STATE_OF = [0, 0, 0, 1, 2, 2, 3, 3, 3, 3, 4, 4]
RATE, DECAY, STEPS = 0.01, 0.02, 100


def network(n_outputs):
    sizes = [STATE_LEN + ACTION_LEN, *HIDDEN]
    layers = []
    for inputs, outputs in zip(sizes, HIDDEN):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(sizes[-1], n_outputs))


def sparse(rows, columns):
    values = torch.randn(rows, columns)
    return values * (torch.rand(rows, columns) < 0.5)


def layer_tensors(name, linears, pick):
    tensors = {}
    for at, linear in enumerate(linears):
        tensors[f"{name}layers.{at}.weight"] = pick(linear.weight).detach().T.contiguous()
        tensors[f"{name}layers.{at}.bias"] = pick(linear.bias).detach().clone()
    return tensors


def curve(net, initial, optimizer, loss):
    net.load_state_dict(initial)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        losses.append(value.item())
    return torch.tensor(losses)


def fixture(name, n_outputs, targets, loss_of):
    """The network `name`: its values, gradients, steps and curves for one loss."""
    net = network(n_outputs)
    linears = [layer for layer in net if isinstance(layer, torch.nn.Linear)]
    initial = {key: value.clone() for key, value in net.state_dict().items()}
    states, actions = sparse(max(STATE_OF) + 1, STATE_LEN), sparse(len(STATE_OF), ACTION_LEN)
    actions.requires_grad_()
    inputs = lambda: torch.cat([states[torch.tensor(STATE_OF)], actions], dim=1)
    loss = lambda: loss_of(net(inputs()), targets)

    file = layer_tensors(f"{name}.", linears, lambda it: it.clone())
    outputs = net(inputs())
    loss_of(outputs, targets).backward()
    file |= {
        f"{name}.states": states,
        f"{name}.actions": actions.detach().clone(),
        f"{name}.targets": targets,
        f"{name}.outputs": outputs.detach(),
        f"{name}.action_gradient": actions.grad.clone(),
    }
    file |= layer_tensors(f"{name}.gradient.", linears, lambda it: it.grad)
    for kind, decay in [("plain", 0.0), ("decay", DECAY)]:
        net.load_state_dict(initial)
        adam = torch.optim.Adam(net.parameters(), lr=RATE, weight_decay=decay)
        adam.zero_grad()
        loss().backward()
        adam.step()
        file |= layer_tensors(f"{name}.{kind}.", linears, lambda it: it.clone())
        adam = torch.optim.Adam(net.parameters(), lr=RATE, weight_decay=decay)
        file[f"{name}.{kind}.curve"] = curve(net, initial, adam, loss)
    return file


def cross_entropy(outputs, targets):
    return -(targets * log_softmax(outputs, dim=1)).sum(1).mean()


def mixed(outputs, targets):
    """Outputs 0 and 1 by squares, 2 to 4 by softmax times 0.5, 5 and 6 by odds times 2."""
    squares = ((outputs[:, :2] - targets[:, :2]) ** 2).sum(1).mean()
    events = cross_entropy(outputs[:, 2:5], targets[:, 2:5])
    odds = binary_cross_entropy_with_logits(
        outputs[:, 5:], targets[:, 5:], reduction="none"
    ).sum(1).mean()
    return squares + 0.5 * events + 2 * odds


def main(folder):
    torch.manual_seed(22)
    torch.set_num_threads(1)
    rows = len(STATE_OF)
    binary = (torch.rand(rows, 1) < 0.4).float()
    bins = torch.softmax(2 * torch.randn(rows, 5), dim=1)
    kinds = torch.eye(3)[torch.randint(3, (rows,))]
    mixture = torch.cat([torch.randn(rows, 2), kinds, (torch.rand(rows, 2) < 0.5).float()], dim=1)
    file = fixture("binary", 1, binary, binary_cross_entropy_with_logits)
    file |= fixture("bins", 5, bins, cross_entropy)
    file |= fixture("mixed", 7, mixture, mixed)
    save_file(file, Path(folder) / "torch.safetensors", {"torch": torch.__version__})
    small = {"b": torch.tensor([1.5, -2.0]), "a.c": torch.tensor([[0.1], [3e-40], [7.0]])}
    small["scalar"] = torch.tensor(0.25)
    save_file(small, Path(folder) / "small.safetensors", {"kind": "\"small\" file, é"})


main(sys.argv[1])
