//! Games in the JSON of Catanatron, so that other programs can check them.
//!
//! A game is an object with five of the keys that the encoder of Catanatron 3.2.1 writes:
//!
//! - `tiles`: the map; see [`crate::map::catanatron`]
//! - `colors`: red, blue, orange and white, which sit on seats 1 to 4, as many as there are players
//! - `actions`: the list of actions, each as `[color, type, value]`, with the outcomes of chance as
//!   values
//! - `player_state`: points, awards, cards and pieces of the players at the end; `P0_` is seat 1
//! - `winning_color`: null if the game was stopped
//!
//! A game that ends at other points than ten has `vps_to_win` as well, which is Catanatron's name
//! of these points. Version 3.2.1 knows no friendly robber.
//!
//! The file differs from the game as played in four points. Dice are a pair with the sum that was
//! thrown. The cards that a player discards after a 7 are one action, and players discard in the
//! order of seats. `MOVE_ROBBER` names no victim that has no cards. Version 3.2.1 has no trade
//! among players, so a trade is written as in later versions: an `OFFER_TRADE`, an `ACCEPT_TRADE`
//! and a `CONFIRM_TRADE` with the final terms of the trade. Offers that lead to no trade are left
//! out.

use std::iter::repeat_n;

use serde_json::{Map as JsonMap, Value, json};

use crate::board::Node;
use crate::map::catanatron::{cube, node_ids, resource_word, tiles};
use crate::resource::{Resource, ResourceCards};
use crate::rules::{
    Action, ChanceOutcome, DevelopmentCard, GameMove, GameState, Island, POINTS_TO_WIN, Seat, Trade,
};

/// The colors of the seats, in Catanatron's order.
const COLORS: [&str; Seat::COUNT] = ["RED", "BLUE", "ORANGE", "WHITE"];

/// Catanatron's order of the resources in counts of cards.
const RESOURCES: [Resource; Resource::COUNT] =
    [Resource::Wood, Resource::Brick, Resource::Sheep, Resource::Wheat, Resource::Ore];

/// Slots for given cards in a `MARITIME_TRADE`; those beyond the rate are null.
const SLOTS: usize = 4;

/// A game with its actions so far.
#[derive(Clone, Debug)]
pub struct GameLog<'a> {
    island: &'a Island,
    state: GameState,
    node_ids: [u8; Node::COUNT],
    actions: Vec<Value>,
    /// Cards that were discarded since the roll.
    discarded: [ResourceCards; Seat::COUNT],
}

impl<'a> GameLog<'a> {
    /// Creates the log of a game before its first action.
    #[must_use]
    pub fn new(island: &'a Island) -> Self {
        let (state, discarded) = (GameState::new(island), [ResourceCards::NONE; Seat::COUNT]);
        Self { island, state, node_ids: node_ids(), actions: Vec::new(), discarded }
    }

    /// Adds the next move of the game.
    ///
    /// # Panics
    /// If the move is not legal, in some cases.
    pub fn push(&mut self, step: GameMove) {
        let actor = self.state.actor();
        if let Action::Discard(resource) = step.action {
            let cards = &mut self.discarded[actor.index()];
            *cards = cards.plus(ResourceCards::of(resource, 1));
        } else {
            self.push_discards();
            if let Action::TradeWith(partner) = step.action {
                self.push_trade(partner);
            } else if let Some((kind, value)) = self.action(step) {
                self.actions.push(json!([color(actor), kind, value]));
            }
        }
        self.state.apply(self.island, step);
    }

    /// Returns the file.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.push_discards();
        let lines = |values: Vec<Value>| {
            let lines: Vec<String> = values.iter().map(|value| format!("    {value}")).collect();
            lines.join(",\n")
        };
        let points = match self.state.variant().points_to_win {
            POINTS_TO_WIN => String::new(),
            points => format!(",\n  \"vps_to_win\": {points}"),
        };
        format!(
            "{{\n  \"tiles\": [\n{}\n  ],\n  \"colors\": {},\n  \"actions\": [\n{}\n  ],\n  \
             \"player_state\": {},\n  \"winning_color\": {}{points}\n}}\n",
            lines(tiles(self.island.map())),
            json!(&COLORS[..self.state.seats().len()]),
            lines(self.actions),
            Value::Object(player_state(&self.state)),
            json!(self.state.winner().map(color)),
        )
    }

    /// Returns the type and the value of an action; none for discards and for what leads to trades,
    /// which are other entries.
    fn action(&self, step: GameMove) -> Option<(&'static str, Value)> {
        let node = |node: Node| json!(self.node_ids[node.index()]);
        Some(match step.action {
            Action::Roll => ("ROLL", json!(dice(step.outcome))),
            Action::EndTurn => ("END_TURN", Value::Null),
            Action::Settlement(at) => ("BUILD_SETTLEMENT", node(at)),
            Action::City(at) => ("BUILD_CITY", node(at)),
            Action::Road(edge) => {
                let mut ends = edge.nodes().map(|end| self.node_ids[end.index()]);
                ends.sort_unstable();
                ("BUILD_ROAD", json!(ends))
            }
            Action::BuyCard => ("BUY_DEVELOPMENT_CARD", json!(drawn_card(step.outcome))),
            Action::Knight => ("PLAY_KNIGHT_CARD", Value::Null),
            Action::RoadBuilding => ("PLAY_ROAD_BUILDING", Value::Null),
            Action::YearOfPlenty(a, b) => ("PLAY_YEAR_OF_PLENTY", json!([a, b].map(resource_word))),
            Action::Monopoly(resource) => ("PLAY_MONOPOLY", json!(resource_word(resource))),
            Action::Robber(hex, victim) => {
                let stolen = match step.outcome {
                    ChanceOutcome::Stolen(resource) => Some(resource_word(resource)),
                    _ => None,
                };
                let robbed = stolen.and(victim).map(color);
                ("MOVE_ROBBER", json!([cube(hex.axial()), robbed, stolen]))
            }
            Action::Maritime { give, take } => {
                let rate = usize::from(self.state.rate(self.state.actor(), give));
                let given = (0..SLOTS).map(|slot| (slot < rate).then(|| resource_word(give)));
                let cards: Vec<_> = given.chain([Some(resource_word(take))]).collect();
                ("MARITIME_TRADE", json!(cards))
            }
            Action::Discard(_)
            | Action::Offer(_)
            | Action::Accept
            | Action::Decline
            | Action::Counter(_)
            | Action::TradeWith(_)
            | Action::Withdraw => return None,
        })
    }

    fn push_discards(&mut self) {
        for (seat, cards) in Seat::ALL.into_iter().zip(std::mem::take(&mut self.discarded)) {
            let of = |resource| repeat_n(resource_word(resource), cards.count(resource).into());
            let cards: Vec<_> = RESOURCES.into_iter().flat_map(of).collect();
            if !cards.is_empty() {
                self.actions.push(json!([color(seat), "DISCARD", cards]));
            }
        }
    }

    fn push_trade(&mut self, partner: Seat) {
        let terms = self.state.terms_with(partner);
        let Trade { give, take } = terms.expect("a partner that is chosen has terms");
        let [me, them] = [self.state.actor(), partner].map(color);
        let counts = [give, take].map(|cards| RESOURCES.map(|resource| cards.count(resource)));
        let terms: Vec<Value> = counts.as_flattened().iter().map(|&n| json!(n)).collect();
        let confirmed: Vec<Value> = terms.iter().cloned().chain([json!(them)]).collect();
        self.actions.push(json!([me, "OFFER_TRADE", terms]));
        self.actions.push(json!([them, "ACCEPT_TRADE", terms]));
        self.actions.push(json!([me, "CONFIRM_TRADE", confirmed]));
    }
}

const fn color(seat: Seat) -> &'static str {
    COLORS[seat.index()]
}

/// Returns two dice with the sum that was thrown.
fn dice(outcome: ChanceOutcome) -> [u8; 2] {
    const MOST_PIPS: u8 = 6;
    let ChanceOutcome::Dice(sum) = outcome else { unreachable!("{outcome:?} of a roll") };
    let first = sum.saturating_sub(MOST_PIPS).max(1);
    [first, sum - first]
}

fn drawn_card(outcome: ChanceOutcome) -> &'static str {
    let ChanceOutcome::Card(card) = outcome else { unreachable!("{outcome:?} of a purchase") };
    card_word(card)
}

const fn card_word(card: DevelopmentCard) -> &'static str {
    match card {
        DevelopmentCard::Knight => "KNIGHT",
        DevelopmentCard::VictoryPoint => "VICTORY_POINT",
        DevelopmentCard::RoadBuilding => "ROAD_BUILDING",
        DevelopmentCard::YearOfPlenty => "YEAR_OF_PLENTY",
        DevelopmentCard::Monopoly => "MONOPOLY",
    }
}

fn player_state(state: &GameState) -> JsonMap<String, Value> {
    let mut all = JsonMap::new();
    for &seat in state.seats() {
        let mut put = |key: &str, value: Value| {
            all.insert(format!("P{}_{key}", seat.index()), value);
        };
        put("VICTORY_POINTS", json!(state.visible_points(seat)));
        put("ACTUAL_VICTORY_POINTS", json!(state.points(seat)));
        put("ROADS_AVAILABLE", json!(state.roads_left(seat)));
        put("SETTLEMENTS_AVAILABLE", json!(state.settlements_left(seat)));
        put("CITIES_AVAILABLE", json!(state.cities_left(seat)));
        put("HAS_ROAD", json!(state.longest_road() == Some(seat)));
        put("HAS_ARMY", json!(state.largest_army() == Some(seat)));
        put("PLAYED_KNIGHT", json!(state.knights(seat)));
        for resource in RESOURCES {
            let key = format!("{}_IN_HAND", resource_word(resource));
            put(&key, json!(state.hand(seat).count(resource)));
        }
        for card in DevelopmentCard::ALL {
            put(&format!("{}_IN_HAND", card_word(card)), json!(state.cards(seat).count(card)));
        }
    }
    all
}
