"""Pieces per CPU second of tetris-gymnasium 0.3.1, which values all placements of a piece in Python.

    python3 -m venv peer && peer/bin/pip install tetris-gymnasium==0.3.1
    peer/bin/python jobs/tetris/benches/peer.py greedy

`greedy` plays the best of all placements on a 10x10 board by a weighted sum of the package's features
(column heights, their maximum, holes, bumpiness); `boards` has it make the boards that all placements
lead to, and takes any.
"""

import sys
import time

import numpy as np
from tetris_gymnasium.components.tetromino_randomizer import TrueRandomizer
from tetris_gymnasium.envs.tetris import Tetris
from tetris_gymnasium.wrappers.grouped import GroupedActionsObservations
from tetris_gymnasium.wrappers.observation import FeatureVectorObservation

WARM_UP_SECONDS = 1.0
SECONDS = 15.0

# Any that keep the wall low.
WEIGHTS = np.array([-0.51] * 10 + [0.0, -3.6, -1.8])


def main() -> None:
    if sys.argv[1:] not in (["greedy"], ["boards"]):
        sys.exit("usage: peer.py greedy|boards")
    greedy = sys.argv[1] == "greedy"
    env = Tetris(width=10, height=10, gravity=False)
    # All pieces equally often, as in the benchmark.
    env.randomizer = env.queue.randomizer = TrueRandomizer(7)
    features = [FeatureVectorObservation(env)] if greedy else None
    grouped = GroupedActionsObservations(env, observation_wrappers=features)
    play(grouped, greedy, WARM_UP_SECONDS)
    print(f"{play(grouped, greedy, SECONDS):.1f} pieces per CPU second")


def play(env: GroupedActionsObservations, greedy: bool, seconds: float) -> float:
    """Pieces per CPU second."""
    rng = np.random.default_rng(1)
    observation, info = env.reset(seed=1)
    pieces = 0
    started = time.process_time()
    while time.process_time() - started < seconds:
        is_legal = info["action_mask"] > 0
        if greedy:
            values = np.where(is_legal, observation.astype(np.float64) @ WEIGHTS, -np.inf)
            action = int(np.argmax(values))
        else:
            action = int(rng.choice(np.flatnonzero(is_legal)))
        observation, _, is_over, _, info = env.step(action)
        pieces += 1
        if is_over:
            observation, info = env.reset()
    return pieces / (time.process_time() - started)


main()
