//! Who decides.

mod agent;
mod planner;
mod pool;
mod random;
mod search;
mod value;
mod weighted;

pub use agent::{Agent, AnyPlayer};
pub use planner::{Opening, Planner, SeatedPlanner, Variant};
pub use pool::{Pool, Seating};
pub use random::Random;
pub use search::{Mcts, Search};
pub use value::Value;
pub use weighted::Weighted;

use crate::rules::{Action, GameState, Island, LegalActions};
use crate::streams::Stream;

/// A player of one seat.
pub trait Player {
    /// What the seat that acts does: one of `options`, or an offer or counter-offer that the state
    /// allows. The state shows hidden cards too; a fair player looks only at his own. Random
    /// numbers come from `stream` alone, which is the seat's own.
    fn act(
        &mut self,
        island: &Island,
        state: &GameState,
        legal: &LegalActions,
        stream: &mut Stream,
    ) -> Action;
}
