//! A run with what is computed once for its report.

use super::arms::ArmCurve;
use crate::studies::selfplay::spec::CheckedSelfplay;
use crate::studies::selfplay::state::SelfplayState;

/// The opponent that the numbers to read first are against, if it is one.
const YARDSTICK: &str = "standard";

/// A run as its findings see it.
#[derive(Clone, Copy)]
pub(super) struct RunView<'a> {
    pub(super) checked: &'a CheckedSelfplay,
    pub(super) state: &'a SelfplayState,
    /// The looks at each arm.
    pub(super) curves: &'a [ArmCurve<'a>],
}

impl RunView<'_> {
    /// Returns true after the first period of learning.
    pub(super) fn has_learned(&self) -> bool {
        self.state.networks.iter().any(|network| !network.periods.is_empty())
    }

    /// Returns the index of the opponent that the numbers to read first are against.
    pub(super) fn yardstick(&self) -> usize {
        let opponents = &self.checked.opponents;
        let at = opponents.iter().position(|opponent| opponent.name == YARDSTICK);
        at.unwrap_or_else(|| opponents.len().saturating_sub(1))
    }
}
