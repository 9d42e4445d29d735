//! Players: they decide what a seat does.

mod agent;
mod planner;
mod pool;
mod random;
mod search;
mod value;
mod weighted;

pub use agent::{Agent, AnyPlayer};
pub use planner::{HandsSeen, PlannerOpening, PlannerParams, PlannerPlayer, PlannerVariant};
pub use pool::{AgentPool, SeatingOrder};
pub use random::RandomPlayer;
pub use search::{MctsParams, MctsPlayer};
pub use value::ValuePlayer;
pub use weighted::WeightedPlayer;

use crate::rules::{Action, GameMove, GameState, Island, LegalActions, Seat};
use crate::streams::FastRng;

/// A player of one seat.
pub trait Player {
    /// Chooses what the seat to act does: one of the `legal` actions, or an offer or counter-offer
    /// that the state allows. The state shows hidden cards too; a fair player looks only at its
    /// own. Random numbers come only from `stream`, which belongs to the seat.
    fn act(
        &mut self,
        island: &Island,
        state: &GameState,
        legal: &LegalActions,
        stream: &mut FastRng,
    ) -> Action;

    /// Returns true if the player needs to be told of every move by [`Player::observe`].
    fn observes(&self) -> bool {
        false
    }

    /// Tells the player at `seat` of a move, whoever made it, with the states before and after it.
    /// A fair player looks only at what its seat can see.
    fn observe(&mut self, seat: Seat, before: &GameState, step: GameMove, after: &GameState) {
        let _ = (seat, before, step, after);
    }
}
