//! Players: they decide what a seat does.

mod agent;
pub(crate) mod agent_name;
mod card_counter;
mod planner;
mod pool;
mod random;
mod search;
mod value;
mod weighted;

pub use agent::{Agent, AnyPlayer};
pub use card_counter::CardCounter;
pub use planner::{HandVisibility, PlannerOpening, PlannerParams, PlannerPlayer, PlannerVariant};
pub use pool::{AgentPool, SeatingOrder};
pub use random::RandomPlayer;
pub use search::{MctsParams, MctsPlayer};
pub use value::ValuePlayer;
pub use weighted::WeightedPlayer;

use crate::rules::{Action, GameState, Island, LegalActions};
use crate::streams::FastRng;

/// A player, which chooses what a single seat does.
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

    /// Returns the player's counter of cards, which is told of every move of the game; `None` if
    /// the player counts no cards.
    fn card_counter(&mut self) -> Option<&mut CardCounter> {
        None
    }
}
