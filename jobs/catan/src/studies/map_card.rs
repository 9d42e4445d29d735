//! Cards of maps: the map with the first settlements, and how often each seat wins; the colors of
//! the seats.

use hatchery_core::findings::{CardVerdict, FindingBlock, FindingCard, RichText};
use hatchery_core::text::counted;
use hatchery_figures::{
    BoardMark, Color, ForestChart, ForestRow, HexCell, Quantity, ReferenceValue,
};

use super::openings::CommonOpening;
use crate::board::Node;
use crate::map::Map;
use crate::rules::Seat;
use crate::trial::seat_balance::{SeatBalance, estimate_in_points, percentage_points};

/// The most cards on a page.
pub(super) const MAX_CARDS: usize = 20;

/// Returns the win rate of every seat in percent if `n_seats` seats win equally often.
#[expect(clippy::cast_precision_loss, reason = "two to four seats")]
pub(super) fn even_rate(n_seats: usize) -> f64 {
    100.0 / n_seats as f64
}

/// The card of a map, before its pictures are drawn.
#[derive(Clone, Debug)]
pub(super) struct MapCard<'a> {
    pub(super) title: String,
    pub(super) note: RichText,
    pub(super) verdict: Option<CardVerdict>,
    pub(super) map: &'a Map,
    /// The balance of the games shown; none without decided games.
    pub(super) balance: Option<SeatBalance>,
    /// The first settlements; none if no trial was played again.
    pub(super) opening: Option<CommonOpening>,
}

/// Returns what explains the cards, and the cards; nothing without cards.
pub(super) fn blocks(cards: Vec<MapCard<'_>>) -> Vec<FindingBlock> {
    if cards.is_empty() {
        return Vec::new();
    }
    let n_games = cards.iter().filter_map(|card| Some(card.opening.as_ref()?.n_games)).max();
    let rates = "Win rates are percents of decided games, with their intervals; all cards have \
                 the same axis.";
    let words = match n_games {
        None => rates.to_owned(),
        Some(n) => format!(
            "Numbers on nodes are the seats that settle there in the setup, in the first {} on the \
             map; where games differ, the most frequent settlements are shown. {rates}",
            counted(n, "game")
        ),
    };
    let balances = || cards.iter().filter_map(|card| card.balance.as_ref());
    let highest = balances().flat_map(|balance| balance.rates.iter());
    let highest = highest.map(|rate| percentage_points(rate.high));
    let highest = highest.chain(balances().map(|balance| even_rate(balance.rates.len())));
    let highest = highest.fold(0.0, f64::max);
    let cards = cards.into_iter().map(|card| card.finding(highest)).collect();
    vec![FindingBlock::text(words), FindingBlock::Cards(cards)]
}

impl MapCard<'_> {
    /// Returns the card with an axis of win rates up to `highest` percent.
    fn finding(self, highest: f64) -> FindingCard {
        let Self { title, note, verdict, map, balance, opening } = self;
        let settlements = opening.as_ref().map_or(&[][..], |opening| &opening.settlements);
        let marks = settlements.iter().map(|&(seat, node)| settlement(seat, node));
        let mut pictures = vec![map.card_picture(&title, marks)];
        pictures.extend(balance.map(|balance| rates_chart(&title, &balance, highest).picture()));
        let differing = opening.filter(|opening| opening.n_same < opening.n_games);
        let opening = differing.map(|CommonOpening { n_same, n_games, .. }| {
            let games = counted(n_games, "game");
            format!("; these settlements in {n_same} of {games}")
        });
        let note = note.soft(opening.unwrap_or_default());
        FindingCard { title, note, verdict, pictures }
    }
}

fn rates_chart(title: &str, balance: &SeatBalance, highest: f64) -> ForestChart {
    let row = |(seat, &rate): (usize, _)| ForestRow {
        name: format!("seat {seat}"),
        quantity: Quantity::from(estimate_in_points(rate)),
    };
    ForestChart {
        title: format!("Win rates of the seats on {title}"),
        x_label: "wins, %".to_owned(),
        x_shown: vec![0.0, highest],
        reference: Some(ReferenceValue {
            name: "even".to_owned(),
            value: even_rate(balance.rates.len()),
        }),
        rows: (1..).zip(balance.rates.iter()).map(row).collect(),
    }
}

/// The colors of the seats: the first four of Okabe and Ito that figures have on light paper. White
/// text on them has a contrast of 3:1 at least.
pub(super) const SEAT_COLORS: [Color; Seat::COUNT] = [
    Color::rgb(0x00, 0x72, 0xb2),
    Color::rgb(0xd5, 0x5e, 0x00),
    Color::rgb(0x00, 0x80, 0x5c),
    Color::rgb(0xa8, 0x46, 0x7f),
];

const WHITE: Color = Color::rgb(0xff, 0xff, 0xff);

/// Returns a disk with the seat's number at a corner of a hex that the node touches.
pub(super) fn settlement(seat: Seat, node: Node) -> HexCell {
    let hex = node.hexes()[0];
    let corner = hex.nodes().iter().position(|&other| other == node).unwrap_or(0);
    let fill = SEAT_COLORS[seat.index()];
    let text = (seat.index() + 1).to_string();
    let mark = BoardMark::CornerDisk { corner, fill, ink: WHITE, text };
    HexCell { q: hex.axial().q.into(), r: hex.axial().r.into(), marks: vec![mark] }
}
