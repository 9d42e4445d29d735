//! Moves in words.

use std::fmt;

use crate::resource::{Cards, Resource};
use crate::rules::{Action, Development, Move, Outcome, Seat, Trade};

/// What a seat did, as a sentence without its subject, such as `rolls 8`. Places are named by their
/// numbers in [`Hex::ALL`](crate::Hex::ALL), [`Node::ALL`](crate::Node::ALL) and
/// [`Edge::ALL`](crate::Edge::ALL).
impl fmt::Display for Move {
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
                write!(f, "moves the robber to hex {} and robs {}", hex.index(), named(victim))?;
            }
            Action::Maritime { give, take } => write!(f, "trades {give} for {take} by sea")?,
            Action::Offer(offer) => write!(f, "offers {}", terms(offer.trade))?,
            Action::Accept => f.write_str("accepts")?,
            Action::Decline => f.write_str("declines")?,
            Action::Counter(trade) => write!(f, "declines, but would give {}", terms(trade))?,
            Action::TradeWith(seat) => write!(f, "trades with {}", named(seat))?,
            Action::Withdraw => f.write_str("trades with nobody")?,
        }
        match self.outcome {
            Outcome::Certain => Ok(()),
            Outcome::Dice(sum) => write!(f, " {sum}"),
            Outcome::Card(card) => write!(f, " {}", card_name(card)),
            Outcome::Stolen(resource) => write!(f, " of {resource}"),
        }
    }
}

fn named(seat: Seat) -> String {
    format!("seat {}", seat.index() + 1)
}

fn terms(trade: Trade) -> String {
    format!("{} for {}", listed(trade.give), listed(trade.take))
}

/// Cards such as `2 ore, 1 wood`.
fn listed(cards: Cards) -> String {
    let held = Resource::ALL.into_iter().filter(|&resource| cards.count(resource) != 0);
    let parts = held.map(|resource| format!("{} {resource}", cards.count(resource)));
    parts.collect::<Vec<_>>().join(", ")
}

const fn card_name(card: Development) -> &'static str {
    match card {
        Development::Knight => "knight",
        Development::VictoryPoint => "victory point",
        Development::RoadBuilding => "road building",
        Development::YearOfPlenty => "year of plenty",
        Development::Monopoly => "monopoly",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Hex, Node};
    use crate::rules::{Offer, Seats};

    #[test]
    fn moves_are_sentences() {
        let check = |action, outcome, expected: &str| {
            assert_eq!(Move { action, outcome }.to_string(), expected);
        };
        check(Action::Roll, Outcome::Dice(8), "rolls 8");
        check(Action::Settlement(Node::ALL[7]), Outcome::Certain, "settles on node 7");
        check(
            Action::Robber(Hex::ALL[3], Some(Seat::Second)),
            Outcome::Stolen(Resource::Ore),
            "moves the robber to hex 3 and robs seat 2 of ore",
        );
        let trade = Trade {
            give: Cards::of(Resource::Ore, 2).plus(Cards::of(Resource::Wood, 1)),
            take: Cards::of(Resource::Brick, 1),
        };
        let offer = Offer { trade, to: Seats::all_but(Seat::First) };
        check(Action::Offer(offer), Outcome::Certain, "offers 2 ore, 1 wood for 1 brick");
        let card = Outcome::Card(Development::VictoryPoint);
        check(Action::BuyCard, card, "buys a card: victory point");
    }
}
