"""Games per CPU second of catanatron 3.2.1, the version on PyPI, by players of one kind.

    python3 -m venv peer && peer/bin/pip install catanatron==3.2.1
    peer/bin/python jobs/catan/benches/peer.py random

`random` takes any legal action, `weighted` prefers cities, settlements and cards. The package on PyPI
has no player that values positions, and its players offer no trades.
"""

import random
import sys
import time

from catanatron import Color, Game, RandomPlayer
from catanatron.players.weighted_random import WeightedRandomPlayer

PLAYERS = {"random": RandomPlayer, "weighted": WeightedRandomPlayer}
WARM_UP_SECONDS = 2.0
SECONDS = 20.0


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1] not in PLAYERS:
        sys.exit("usage: peer.py random|weighted")
    player = PLAYERS[sys.argv[1]]
    play(player, WARM_UP_SECONDS)
    rate, turns = play(player, SECONDS)
    print(f"{rate:.1f} games per CPU second, {turns:.0f} turns")


def play(player: type, seconds: float) -> tuple[float, float]:
    """Games per CPU second, and turns of all players per game."""
    random.seed(1)
    games = turns = 0
    started = time.process_time()
    while time.process_time() - started < seconds:
        # A game draws a map of its own.
        game = Game([player(color) for color in Color])
        game.play()
        games += 1
        turns += game.state.num_turns
    return games / (time.process_time() - started), turns / games


main()
