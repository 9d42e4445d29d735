"""Replays games of `hatchery replay --export` with Catanatron 3.2.1 and compares the results.

    python3 -m venv peer && peer/bin/pip install catanatron==3.2.1
    peer/bin/python tests/peer/check_game.py game.json

Catanatron must allow every action, and points, cards and pieces at the end must be the same. Where
this version departs from the rulebook, the check goes by the rulebook:

- It misses some longest roads. The check measures them by trying all trails.
- It pays a resource of which the bank has too little to nobody, even if only one player is owed it.
- It lets go of a second free road that could not be paid for.
- It lists no card but knights before the roll, and no victim without cards where another has some.
- It lets a card be played in the turn in which it was bought. The check does not.
- It does not check which cards are discarded. The check does.
- It knows no trade among players. The check moves the cards.
"""

import json
import sys
from collections import Counter, defaultdict

import catanatron.state
from catanatron import Color
from catanatron.game import Game
from catanatron.models.actions import generate_playable_actions
from catanatron.models.enums import RESOURCES, Action, ActionPrompt, ActionType
from catanatron.models.map import BASE_MAP_TEMPLATE, CatanMap, LandTile, initialize_tiles
from catanatron.models.player import SimplePlayer
from catanatron.state import apply_action
from catanatron.state_functions import (
    player_freqdeck_add,
    player_key,
    player_num_resource_cards,
)

CARD_PLAYED_BY = {
    ActionType.PLAY_KNIGHT_CARD: "KNIGHT",
    ActionType.PLAY_ROAD_BUILDING: "ROAD_BUILDING",
    ActionType.PLAY_YEAR_OF_PLENTY: "YEAR_OF_PLENTY",
    ActionType.PLAY_MONOPOLY: "MONOPOLY",
}
LEAST_ROAD = 5


class Difference(Exception):
    """A difference between a file and what Catanatron and the rulebook make of it."""


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("usage: check_game.py FILE...")
    catanatron.state.yield_resources = payout
    n_different = 0
    for path in sys.argv[1:]:
        with open(path) as file:
            export = json.load(file)
        try:
            check = GameCheck(export)
            check.run()
            winner = export["winning_color"] or "nobody"
            note = "" if check.agrees_on_longest_road() else "; Catanatron misses a longest road"
            print(f"{path}: {len(export['actions'])} actions, {winner} wins{note}")
        # Catanatron raises errors of many kinds.
        except Exception as error:
            n_different += 1
            print(f"{path}: {error!r}")
    sys.exit(n_different != 0)


class GameCheck:
    """A game that is replayed."""

    def __init__(self, export: dict) -> None:
        self.export = export
        self.state = new_game(export).state
        self.longest_road = None
        # The cards that were bought in this turn.
        self.bought = Counter()

    def run(self) -> None:
        actions = iter(self.export["actions"])
        for number, (color, kind, value) in enumerate(actions):
            try:
                if kind == "OFFER_TRADE":
                    self.trade(Color[color], value, [next(actions), next(actions)])
                else:
                    self.play(Color[color], ActionType[kind], value)
            except Exception as error:
                raise Difference(f"action {number}, {color} {kind} {value}: {error}") from error
        self.compare_ends()

    def play(self, color: Color, kind: ActionType, value: object) -> None:
        """Plays an action that must be allowed: chance plays no part in what is."""
        state = self.state
        value = tuple(value) if isinstance(value, list) else value
        wanted = value
        if kind is ActionType.MOVE_ROBBER:
            coordinate, robbed, stolen = value
            wanted = (tuple(coordinate), robbed and Color[robbed], None)
            value = (*wanted[:2], stolen)
        elif kind in (ActionType.ROLL, ActionType.DISCARD, ActionType.BUY_DEVELOPMENT_CARD):
            wanted = None
        if not self.is_left_out(color, kind, value):
            if Action(color, kind, wanted) not in state.playable_actions:
                raise Difference(f"not among {state.playable_actions}")
        if kind is ActionType.DISCARD:
            self.check_discard(color, value)
        has_second = state.is_road_building and state.free_roads_available == 2
        apply_action(state, Action(color, kind, value))
        if kind is ActionType.BUILD_ROAD and has_second and self.free_roads(color):
            state.is_road_building = True
            state.playable_actions = generate_playable_actions(state)
        if kind in (ActionType.BUILD_ROAD, ActionType.BUILD_SETTLEMENT):
            self.longest_road = self.holder_of_longest_road()
        if kind is ActionType.BUY_DEVELOPMENT_CARD:
            self.bought[value] += 1
        if kind is ActionType.END_TURN:
            self.bought.clear()

    def is_left_out(self, color: Color, kind: ActionType, value: object) -> bool:
        """Returns true if the rules allow an action that Catanatron may not list."""
        state = self.state
        if color is not state.current_color():
            return False
        if kind in CARD_PLAYED_BY:
            # That no card was played before in this turn is checked as it is applied.
            card = CARD_PLAYED_BY[kind]
            held = state.player_state[f"{player_key(state, color)}_{card}_IN_HAND"]
            is_free = state.current_prompt is ActionPrompt.PLAY_TURN and not state.is_road_building
            return is_free and self.bought[card] < held
        if kind is ActionType.BUILD_ROAD and state.is_road_building:
            return value in self.free_roads(color)
        if kind is ActionType.MOVE_ROBBER and value[1] is None:
            return value[0] != state.board.robber_coordinate and any(
                player_num_resource_cards(state, other) == 0
                for other in self.players_at(value[0]) - {color}
            )
        return False

    def players_at(self, coordinate: tuple) -> set:
        nodes = self.state.board.map.land_tiles[coordinate].nodes.values()
        buildings = self.state.board.buildings
        return {buildings[node][0] for node in nodes if node in buildings}

    def free_roads(self, color: Color) -> list:
        state = self.state
        if state.player_state[f"{player_key(state, color)}_ROADS_AVAILABLE"] == 0:
            return []
        return [tuple(sorted(edge)) for edge in state.board.buildable_edges(color)]

    def check_discard(self, color: Color, cards: tuple) -> None:
        if len(cards) != player_num_resource_cards(self.state, color) // 2:
            raise Difference("half of the cards are to be discarded")
        if any(self.in_hand(color, name) < n for name, n in Counter(cards).items()):
            raise Difference("the player lacks the cards")

    def in_hand(self, color: Color, resource: str) -> int:
        return self.state.player_state[f"{player_key(self.state, color)}_{resource}_IN_HAND"]

    def trade(self, color: Color, terms: list, answers: list) -> None:
        """Plays an offer, its acceptance and its confirmation."""
        state, partner = self.state, answers[0][0]
        expected = [[partner, "ACCEPT_TRADE", terms]]
        expected.append([color.value, "CONFIRM_TRADE", [*terms, partner]])
        if answers != expected:
            raise Difference(f"it should be followed by {expected}")
        if Action(color, ActionType.END_TURN, None) not in state.playable_actions:
            raise Difference("this player cannot trade now")
        give, take = terms[:5], terms[5:]
        if not any(give) or not any(take) or any(map(min, give, take)) or len(take) != 5:
            raise Difference("each side must give cards, and of other resources")
        gain = [more - less for more, less in zip(take, give)]
        player_freqdeck_add(state, color, gain)
        player_freqdeck_add(state, Color[partner], [-cards for cards in gain])
        for trader in (color, Color[partner]):
            if any(self.in_hand(trader, name) < 0 for name in RESOURCES):
                raise Difference(f"{trader.value} lacks the cards")
        state.playable_actions = generate_playable_actions(state)

    def holder_of_longest_road(self) -> Color | None:
        lengths = {color: self.longest_trail(color) for color in self.state.colors}
        longest = max(lengths.values())
        if longest < LEAST_ROAD:
            return None
        if self.longest_road is not None and lengths[self.longest_road] == longest:
            return self.longest_road
        holders = [color for color, length in lengths.items() if length == longest]
        return holders[0] if len(holders) == 1 else None

    def agrees_on_longest_road(self) -> bool:
        state = self.state
        holders = [
            color
            for index, color in enumerate(state.colors)
            if state.player_state[f"P{index}_HAS_ROAD"]
        ]
        return holders == ([] if self.longest_road is None else [self.longest_road])

    def longest_trail(self, color: Color) -> int:
        board, at = self.state.board, defaultdict(list)
        for edge in {tuple(sorted(edge)) for edge, owner in board.roads.items() if owner == color}:
            for here, there in (edge, edge[::-1]):
                at[here].append((there, edge))
        blocked = {node for node, (owner, _) in board.buildings.items() if owner != color}

        def extend(node: int, used: frozenset) -> int:
            if used and node in blocked:
                return len(used)
            ways = [extend(there, used | {edge}) for there, edge in at[node] if edge not in used]
            return max(ways, default=len(used))

        return max((extend(node, frozenset()) for node in list(at)), default=0)

    def compare_ends(self) -> None:
        found = dict(self.state.player_state)
        for index, color in enumerate(self.state.colors):
            has_road = color == self.longest_road
            more = 2 * (has_road - found[f"P{index}_HAS_ROAD"])
            found[f"P{index}_HAS_ROAD"] = has_road
            found[f"P{index}_VICTORY_POINTS"] += more
            found[f"P{index}_ACTUAL_VICTORY_POINTS"] += more
        for key, value in self.export["player_state"].items():
            if found[key] != value:
                raise Difference(f"{key} is {value}, but {found[key]} by Catanatron")
        current = self.state.current_turn_index
        has_won = vps_to_win(self.export) <= found[f"P{current}_ACTUAL_VICTORY_POINTS"]
        winner = self.export["colors"][current] if has_won else None
        if winner != self.export["winning_color"]:
            raise Difference(f"{self.export['winning_color']} wins, but {winner} by Catanatron")


def vps_to_win(export: dict) -> int:
    """Returns the points that win, which an export names unless they are the usual ones."""
    return export.get("vps_to_win", 10)


def new_game(export: dict) -> Game:
    players = [SimplePlayer(Color[name]) for name in export["colors"]]
    game = Game(players, vps_to_win=vps_to_win(export), catan_map=board(export["tiles"]))
    state = game.state
    # It seats the players at random.
    state.players = players
    state.colors = tuple(player.color for player in players)
    state.color_to_index = {color: index for index, color in enumerate(state.colors)}
    state.playable_actions = generate_playable_actions(state)
    return game


def board(tiles: list) -> CatanMap:
    """Returns the map, by way of the lists from which Catanatron takes the last item first."""
    tile_at = {tuple(entry["coordinate"]): entry["tile"] for entry in tiles}
    resources, numbers, ports = [], [], []
    for coordinate, kind in BASE_MAP_TEMPLATE.topology.items():
        tile = tile_at[coordinate]
        if kind is LandTile:
            resources.append(tile.get("resource"))
            if tile["type"] != "DESERT":
                numbers.append(tile["number"])
        elif isinstance(kind, tuple):
            ports.append(tile["resource"])
    lists = [items[::-1] for items in (numbers, ports, resources)]
    return CatanMap.from_tiles(initialize_tiles(BASE_MAP_TEMPLATE, *lists))


def payout(board, bank: list, number: int) -> tuple:
    """Returns the cards that each player gets, and the resources that the bank cannot pay."""
    owed = defaultdict(lambda: defaultdict(int))
    for coordinate, tile in board.map.land_tiles.items():
        if tile.number == number and board.robber_coordinate != coordinate:
            for node in tile.nodes.values():
                color, building = board.buildings.get(node, (None, None))
                if color is not None:
                    owed[tile.resource][color] += 1 if building == "SETTLEMENT" else 2
    paid, short = defaultdict(lambda: [0] * len(RESOURCES)), []
    for resource, cards in owed.items():
        index = RESOURCES.index(resource)
        if bank[index] < sum(cards.values()):
            short.append(resource)
            if 1 < len(cards):
                continue
        for color, n_cards in cards.items():
            paid[color][index] = min(n_cards, bank[index])
    return paid, short


main()
