//! Agents that search by UCT, and the settings that they have in common.

use hatchery_core::wire::WireElement;
use hatchery_core::{FastRng, InvalidValue, StreamRng, WireValue};
use hatchery_search::{
    BudgetGrowth, DepthCap, ExplorationWeight, PlayoutBudget, PlayoutEnd, RootMove, SearchError,
    SearchReport, StopRule, UctParams, UctSearch,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board_game::{BoardTurn, OthelloGame};
use super::effort::SearchEffort;
use super::error::refused_search;
use super::ranking::{MoveRanking, RankedMove};
use crate::rules::{BoardBackend, BoardJob, BoardOps, Position, dispatch};

/// The settings of a search by UCT that do not depend on the agent's depth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, WireValue)]
#[serde(deny_unknown_fields)]
pub struct SearchSettings {
    /// Playouts of a move: exactly as many, at most as many, or those at depth 5, as the reading
    /// says.
    #[schemars(
        range(min = 1, max = 1_000_000),
        extend("x-source" = "ours; Takagi et al. §4.1 give 8 seconds")
    )]
    #[wire(tag = 2)]
    pub playouts: u32,
    /// The meaning of the depth of an agent, which the paper leaves open.
    #[serde(default)]
    #[wire(tag = 3)]
    pub reading: DepthReading,
    /// With `growing-budget`: the number of plies by which a depth grows until its playouts double.
    #[serde(default = "plies_per_doubling")]
    #[schemars(range(min = 0.001, max = 1000), extend("x-source" = "ours"))]
    #[wire(tag = 4)]
    pub plies_per_doubling: f64,
    /// The weight c of exploration in mean + c sqrt(2 ln N / n).
    #[serde(default = "exploration")]
    #[schemars(
        range(min = 0, max = 1000),
        extend("x-source" = "ours, 1/sqrt 2; Takagi et al. print formula (1) without a value")
    )]
    #[wire(tag = 5)]
    pub exploration: f64,
}

/// A meaning of "MCTS with a limit on depth".
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement,
)]
#[serde(rename_all = "kebab-case")]
pub enum DepthReading {
    /// A: the tree does not grow beyond the depth.
    TreeCap,
    /// B: the search ends when a leaf at the depth is reached, or after `playouts`.
    #[default]
    DepthReached,
    /// C: tree and playouts end at the depth, where the player with more discs wins.
    Horizon,
    /// D: as A, with playouts that grow with the depth.
    GrowingBudget,
}

impl DepthReading {
    /// Returns the name, as in a spec.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TreeCap => "tree-cap",
            Self::DepthReached => "depth-reached",
            Self::Horizon => "horizon",
            Self::GrowingBudget => "growing-budget",
        }
    }
}

fn plies_per_doubling() -> f64 {
    4.0
}

/// Returns the default weight of exploration.
pub(crate) fn exploration() -> f64 {
    ExplorationWeight::STANDARD.get()
}

impl SearchSettings {
    /// Returns the parameters of a search with a limit of `depth` plies.
    ///
    /// # Errors
    /// If the depth or a setting is out of range.
    pub fn params(&self, depth: u32) -> Result<UctParams, SearchError> {
        let playouts = PlayoutBudget::new(self.playouts)?;
        // Both are checked with any reading: a value that is not used is a value all the same.
        let growth = BudgetGrowth::new(playouts, self.plies_per_doubling)?;
        let (stop, playout_end, budget) = match self.reading {
            DepthReading::TreeCap => (StopRule::Budget, PlayoutEnd::GameEnd, playouts),
            DepthReading::DepthReached => (StopRule::DepthReached, PlayoutEnd::GameEnd, playouts),
            DepthReading::Horizon => (StopRule::Budget, PlayoutEnd::DepthCap, playouts),
            DepthReading::GrowingBudget => {
                (StopRule::Budget, PlayoutEnd::GameEnd, growth.budget(depth)?)
            }
        };
        Ok(UctParams {
            exploration: ExplorationWeight::new(self.exploration)?,
            depth: DepthCap::new(depth)?,
            budget,
            stop,
            playout_end,
        })
    }
}

/// An agent that takes the first choice of a search by UCT. All values that
/// [`MctsAgent::new`] returns can be searched with.
#[derive(Clone, Copy, Debug, PartialEq, WireValue)]
#[wire(try_from = DepthSearch)]
pub struct MctsAgent {
    depth: u32,
    settings: SearchSettings,
    params: UctParams,
}

/// An [`MctsAgent`] as it is sent and saved.
#[derive(Debug, Serialize, Deserialize, WireValue)]
#[serde(deny_unknown_fields)]
pub(crate) struct DepthSearch {
    #[wire(tag = 1)]
    depth: u32,
    #[wire(flatten = 2)]
    search: SearchSettings,
}

impl From<&MctsAgent> for DepthSearch {
    fn from(agent: &MctsAgent) -> Self {
        Self { depth: agent.depth, search: agent.settings }
    }
}

impl TryFrom<DepthSearch> for MctsAgent {
    type Error = InvalidValue;

    fn try_from(DepthSearch { depth, search }: DepthSearch) -> Result<Self, InvalidValue> {
        Self::new(depth, search).map_err(refused_search)
    }
}

impl MctsAgent {
    /// Returns the agent that searches `depth` plies.
    ///
    /// # Errors
    /// If the depth or a setting is out of range.
    pub fn new(depth: u32, settings: SearchSettings) -> Result<Self, SearchError> {
        Ok(Self { depth, settings, params: settings.params(depth)? })
    }

    /// Returns the limit of the depth, in plies: the strength T of the paper.
    #[must_use]
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns true if each search has this number of playouts or more.
    #[must_use]
    pub fn visits_at_least(&self, playouts: u32) -> bool {
        self.params.stop == StopRule::Budget && playouts <= self.params.budget.get()
    }

    /// Returns the largest number of playouts of a move.
    #[must_use]
    pub fn playouts(&self) -> u32 {
        self.params.budget.get()
    }

    /// Returns the settings.
    #[must_use]
    pub const fn settings(&self) -> &SearchSettings {
        &self.settings
    }
}

/// The means of searches: instructions, and memory that one search takes over from another.
///
/// Results depend on neither.
#[derive(Clone, Debug)]
pub struct AgentSearch {
    search: UctSearch<BoardTurn>,
    backend: BoardBackend,
    effort: SearchEffort,
}

impl AgentSearch {
    /// Returns a search with the instructions of `backend`.
    #[must_use]
    pub fn new(backend: BoardBackend) -> Self {
        Self { search: UctSearch::new(), backend, effort: SearchEffort::default() }
    }

    /// Returns the instructions.
    #[must_use]
    pub const fn backend(&self) -> BoardBackend {
        self.backend
    }

    /// Returns the effort that all searches since the last call took.
    pub fn take_effort(&mut self) -> SearchEffort {
        std::mem::take(&mut self.effort)
    }

    /// Returns the moves of `position`, which has at least one, in the agent's order. All
    /// randomness comes from `stream`.
    ///
    /// # Panics
    /// If the position has no move.
    pub fn rank(
        &mut self,
        position: &Position,
        agent: &MctsAgent,
        stream: &StreamRng,
    ) -> MoveRanking {
        let rng = FastRng::seeded_by(&mut stream.clone());
        let job = UctJob { search: &mut self.search, position, params: &agent.params, rng };
        let report = dispatch(self.backend, job).expect("the position has moves, at most 33");
        self.effort.add(&report);
        MoveRanking::new(report.ranked.iter().filter_map(ranked_move).collect())
    }
}

fn ranked_move(found: &RootMove<BoardTurn>) -> Option<RankedMove> {
    match found.mv {
        BoardTurn::Play(square) => {
            Some(RankedMove { mv: square, visits: found.visits, half_points: found.half_points })
        }
        BoardTurn::Pass => None,
    }
}

struct UctJob<'a> {
    search: &'a mut UctSearch<BoardTurn>,
    position: &'a Position,
    params: &'a UctParams,
    rng: FastRng,
}

impl<'a> BoardJob for UctJob<'a> {
    type Output = Result<SearchReport<'a, BoardTurn>, SearchError>;

    #[inline(always)]
    fn run<B: BoardOps>(mut self) -> Self::Output {
        let game = OthelloGame::<B>::new(self.position);
        self.search.run(&game, self.params, &mut self.rng)
    }
}
