//! The games that are judged, and their judgements.

use serde::{Deserialize, Serialize};

use crate::trial::review::GameReview;

/// The games of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GamesState {
    /// The judged games, in ascending order: their numbers among the games of the spec's players.
    pub sample: Vec<u32>,
    /// The judgement of each game; empty before the games are judged.
    pub reviews: Vec<GameReview>,
}
