//! The colors of the seats, and the marks of their settlements.

use hatchery_figures::{BoardMark, Color, HexCell};

use crate::board::Node;
use crate::rules::Seat;

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
