//! Moves as text.

use std::fmt;

use crate::resource::{Resource, ResourceCards};
use crate::rules::{Action, ChanceOutcome, DevelopmentCard, GameMove, Seat, Trade};

/// Writes a move as a sentence without its subject, such as `rolls 8`. Hexes, nodes and edges are
/// named by their numbers in [`Hex::ALL`](crate::Hex::ALL), [`Node::ALL`](crate::Node::ALL) and
/// [`Edge::ALL`](crate::Edge::ALL).
impl fmt::Display for GameMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.action {
            Action::Roll => f.write_str("rolls")?,
            Action::EndTurn => f.write_str("ends the turn")?,
            Action::Settlement(node) => write!(f, "settles on node {}", node.index())?,
            Action::Road(edge) => write!(f, "lays a road on edge {}", edge.index())?,
            Action::City(node) => write!(f, "raises a city on node {}", node.index())?,
            Action::BuyCard => f.write_str("buys a card:")?,
            Action::Knight => f.write_str("plays a knight")?,
            Action::RoadBuilding => f.write_str("plays road building")?,
            Action::YearOfPlenty(a, b) => write!(f, "plays year of plenty for {a} and {b}")?,
            Action::Monopoly(resource) => write!(f, "plays monopoly on {resource}")?,
            Action::Discard(resource) => write!(f, "discards {resource}")?,
            Action::Robber(hex, None) => write!(f, "moves the robber to hex {}", hex.index())?,
            Action::Robber(hex, Some(victim)) => {
                write!(
                    f,
                    "moves the robber to hex {} and robs {}",
                    hex.index(),
                    seat_name(victim)
                )?;
            }
            Action::Maritime { give, take } => write!(f, "trades {give} for {take} by sea")?,
            Action::Offer(offer) => write!(f, "offers {}", trade_text(offer.trade))?,
            Action::Accept => f.write_str("accepts")?,
            Action::Decline => f.write_str("declines")?,
            Action::Counter(trade) => write!(f, "declines, but would give {}", trade_text(trade))?,
            Action::TradeWith(seat) => write!(f, "trades with {}", seat_name(seat))?,
            Action::Withdraw => f.write_str("trades with nobody")?,
        }
        match self.outcome {
            ChanceOutcome::Certain => Ok(()),
            ChanceOutcome::Dice(sum) => write!(f, " {sum}"),
            ChanceOutcome::Card(card) => write!(f, " {}", card_name(card)),
            ChanceOutcome::Stolen(resource) => write!(f, " of {resource}"),
        }
    }
}

fn seat_name(seat: Seat) -> String {
    format!("seat {}", seat.index() + 1)
}

fn trade_text(trade: Trade) -> String {
    format!("{} for {}", card_list(trade.give), card_list(trade.take))
}

/// Lists cards, such as `2 ore, 1 wood`.
fn card_list(cards: ResourceCards) -> String {
    let held = Resource::ALL.into_iter().filter(|&resource| cards.count(resource) != 0);
    let parts = held.map(|resource| format!("{} {resource}", cards.count(resource)));
    parts.collect::<Vec<_>>().join(", ")
}

const fn card_name(card: DevelopmentCard) -> &'static str {
    match card {
        DevelopmentCard::Knight => "knight",
        DevelopmentCard::VictoryPoint => "victory point",
        DevelopmentCard::RoadBuilding => "road building",
        DevelopmentCard::YearOfPlenty => "year of plenty",
        DevelopmentCard::Monopoly => "monopoly",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Hex, Node};
    use crate::rules::{SeatSet, TradeOffer};

    #[test]
    fn moves_are_sentences() {
        let check = |action, outcome, expected: &str| {
            assert_eq!(GameMove { action, outcome }.to_string(), expected);
        };
        check(Action::Roll, ChanceOutcome::Dice(8), "rolls 8");
        check(Action::Settlement(Node::ALL[7]), ChanceOutcome::Certain, "settles on node 7");
        check(
            Action::Robber(Hex::ALL[3], Some(Seat::Second)),
            ChanceOutcome::Stolen(Resource::Ore),
            "moves the robber to hex 3 and robs seat 2 of ore",
        );
        let trade = Trade {
            give: ResourceCards::of(Resource::Ore, 2).plus(ResourceCards::of(Resource::Wood, 1)),
            take: ResourceCards::of(Resource::Brick, 1),
        };
        let offer = TradeOffer { trade, to: SeatSet::NONE.with(Seat::Second) };
        check(Action::Offer(offer), ChanceOutcome::Certain, "offers 2 ore, 1 wood for 1 brick");
        let card = ChanceOutcome::Card(DevelopmentCard::VictoryPoint);
        check(Action::BuyCard, card, "buys a card: victory point");
    }
}
