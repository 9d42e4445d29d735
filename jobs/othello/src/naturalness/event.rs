//! The events that are counted of moves.

/// Something that a judged move is or does; a move can be several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MoveEvent {
    /// A corner was among the legal moves.
    CornerChance,
    /// A corner was among the legal moves, and the move is on no corner.
    CornerLeft,
    /// [`CornerLeft`](Self::CornerLeft), and the move loses at least
    /// [`LossZone::corner_loss`](super::LossZone::corner_loss).
    CornerDeclined,
    /// After the move the opponent can play on a corner where it could not have played instead of
    /// the move.
    CornerOpened,
    /// [`CornerOpened`](Self::CornerOpened), and some other move opens no corner and loses less, by
    /// at least [`LossZone::corner_loss`](super::LossZone::corner_loss).
    CornerGiven,
    /// The move is on the diagonal neighbor of an empty corner: b2, g2, b7 or g7.
    XSquare,
    /// The move is beside an empty corner, on the edge: a2, b1, g1, h2, a7, b8, g8 or h7.
    CSquare,
    /// The exact result of the game, won, drawn or lost, is worse after the move than before.
    ResultFlip,
    /// The agent that chose the move ranks moves.
    Ranked,
    /// The move is not the first choice of the agent that chose it.
    OutsideFirst,
    /// The move is not among the first three choices of the agent that chose it.
    OutsideThird,
    /// The ranking of a reference agent is known.
    Compared,
    /// The move is the first choice of the reference agent.
    Agreed,
    /// The choices of the strongest agent and of those near the estimate are known.
    Leveled,
    /// The move is the first choice of the strongest agent, and not among the first three choices
    /// of any agent near the estimate.
    TooAdvanced,
}

impl MoveEvent {
    /// All events, in order.
    pub const ALL: [Self; 15] = [
        Self::CornerChance,
        Self::CornerLeft,
        Self::CornerDeclined,
        Self::CornerOpened,
        Self::CornerGiven,
        Self::XSquare,
        Self::CSquare,
        Self::ResultFlip,
        Self::Ranked,
        Self::OutsideFirst,
        Self::OutsideThird,
        Self::Compared,
        Self::Agreed,
        Self::Leveled,
        Self::TooAdvanced,
    ];

    /// Returns the event's name in `snake_case`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CornerChance => "corner_chance",
            Self::CornerLeft => "corner_left",
            Self::CornerDeclined => "corner_declined",
            Self::CornerOpened => "corner_opened",
            Self::CornerGiven => "corner_given",
            Self::XSquare => "x_square",
            Self::CSquare => "c_square",
            Self::ResultFlip => "result_flip",
            Self::Ranked => "ranked",
            Self::OutsideFirst => "outside_first",
            Self::OutsideThird => "outside_third",
            Self::Compared => "compared",
            Self::Agreed => "agreed",
            Self::Leveled => "leveled",
            Self::TooAdvanced => "too_advanced",
        }
    }

    /// Returns the event's place in [`ALL`](Self::ALL).
    pub(super) const fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_listed_in_order() {
        for (index, event) in MoveEvent::ALL.into_iter().enumerate() {
            assert_eq!(event.index(), index, "{}", event.name());
        }
    }
}
