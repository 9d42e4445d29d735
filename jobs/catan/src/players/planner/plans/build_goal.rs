//! Goals that a player works toward, and the time until they are reached.

use crate::board::{Edge, Node};
use crate::players::planner::estimates::win_eta::with_roads;
use crate::resource::ResourceCards;
use crate::rules::{Action, CARD_COST, CITY_COST, ROAD_COST, SETTLEMENT_COST};

/// A goal that a player works toward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuildGoal {
    /// A settlement, and the roads to it.
    Settlement {
        node: Node,
        n_roads: usize,
        /// The first of the roads.
        first: Option<Edge>,
    },
    City(Node),
    /// Roads for their own sake.
    Roads {
        n_roads: u8,
        first: Edge,
    },
    /// A development card.
    Card,
}

/// A goal, and the time until it can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BuildPlan {
    pub(crate) goal: BuildGoal,
    /// Throws until the whole goal is paid for, including trade with the bank, but not with
    /// players.
    pub(crate) throws: u16,
}

impl BuildGoal {
    /// Returns the action that builds the first piece.
    pub(crate) const fn first_piece(self) -> Action {
        match self {
            Self::Settlement { first: Some(first), .. } | Self::Roads { first, .. } => {
                Action::Road(first)
            }
            Self::Settlement { node, .. } => Action::Settlement(node),
            Self::City(node) => Action::City(node),
            Self::Card => Action::BuyCard,
        }
    }

    /// Returns the cost of the first piece.
    pub(crate) const fn first_piece_cost(self) -> ResourceCards {
        match self {
            Self::Settlement { first: Some(_), .. } | Self::Roads { .. } => ROAD_COST,
            Self::Settlement { .. } => SETTLEMENT_COST,
            Self::City(_) => CITY_COST,
            Self::Card => CARD_COST,
        }
    }

    /// Returns the cost of the whole goal.
    pub(crate) fn cost(self) -> ResourceCards {
        match self {
            Self::Settlement { n_roads, .. } => with_roads(SETTLEMENT_COST, n_roads),
            Self::Roads { n_roads, .. } => with_roads(ResourceCards::NONE, usize::from(n_roads)),
            Self::City(_) => CITY_COST,
            Self::Card => CARD_COST,
        }
    }

    /// Returns the number of roads that the goal needs.
    pub(crate) fn n_roads(self) -> usize {
        match self {
            Self::Settlement { n_roads, .. } => n_roads,
            Self::Roads { n_roads, .. } => usize::from(n_roads),
            Self::City(_) | Self::Card => 0,
        }
    }
}
