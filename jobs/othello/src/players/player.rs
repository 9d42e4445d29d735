//! Agents at play: what they choose, and what they learn.

use hatchery_core::{FastRng, StreamRng};

use super::agent::{AdjustingAgent, AgentChoices, OthelloAgent};
use super::board_game::choices;
use super::effort::SearchEffort;
use super::estimate::{StrengthEstimate, StrengthMatch};
use super::mcts::{AgentSearch, MctsAgent};
use super::ranking::MoveRanking;
use super::softmax::StrengthIndex;
use crate::rules::{
    BoardBackend, EndgameSolver, Position, ScoreRule, SolverOptions, Square, SquareSet,
};

/// The number of nodes after which an agent's solver gives up, and the agent searches instead.
/// Positions with 16 empty squares need less than a tenth of this number.
const MAX_SOLVER_NODES: u64 = 50_000_000;

/// An agent at play, with the memory of its searches and of the games so far.
#[derive(Debug)]
pub struct AgentPlayer {
    agent: OthelloAgent,
    search: AgentSearch,
    /// Only of an agent that solves: its table takes 3 MiB.
    solver: Option<EndgameSolver>,
    estimate: StrengthEstimate,
    index: Option<StrengthIndex>,
}

/// The knowledge of an agent: all of its past that its choices depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgentMemory {
    /// The estimate of the opponent's strength.
    pub estimate: StrengthEstimate,
    /// The strength index of a softmax agent; `None` of others.
    pub index: Option<StrengthIndex>,
}

/// A move that an agent chose.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentMove {
    /// The square.
    pub square: Square,
    /// The moves in the order of the agent that chose; `None` if it has no order.
    pub ranking: Option<MoveRanking>,
    /// The depth of the agent that chose, in plies; `None` if it does not search.
    pub depth: Option<u32>,
    /// The strength index z that a softmax agent used for its choice; `None` for other agents.
    pub z: Option<f64>,
}

/// A move of the opponent that an adjusting agent observed.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedMove {
    /// The choices of every agent, in the order of the agents' depths: all legal moves, the best
    /// first.
    pub rankings: Vec<MoveRanking>,
    /// The depth that counts, T; `None` if the move is not counted.
    pub matched: Option<StrengthMatch>,
    /// The estimate with this move, T_s.
    pub estimate: StrengthEstimate,
}

impl AgentPlayer {
    /// Returns a player that has not played yet and searches with the instructions of `backend`.
    #[must_use]
    pub fn new(agent: OthelloAgent, backend: BoardBackend) -> Self {
        let AgentMemory { estimate, index } = AgentMemory::new(&agent);
        Self { agent, search: AgentSearch::new(backend), solver: None, estimate, index }
    }

    /// Returns what the player has learned.
    #[must_use]
    pub const fn memory(&self) -> AgentMemory {
        AgentMemory { estimate: self.estimate, index: self.index }
    }

    /// Replaces what the player has learned by `memory`, that of a player with the same agent.
    pub fn restore(&mut self, memory: AgentMemory) {
        AgentMemory { estimate: self.estimate, index: self.index } = memory;
    }

    /// Returns the agent.
    #[must_use]
    pub const fn agent(&self) -> &OthelloAgent {
        &self.agent
    }

    /// Returns the estimate of the opponent's strength.
    #[must_use]
    pub const fn estimate(&self) -> &StrengthEstimate {
        &self.estimate
    }

    /// Returns the strength index of a softmax agent.
    #[must_use]
    pub const fn index(&self) -> Option<&StrengthIndex> {
        self.index.as_ref()
    }

    /// Returns the effort since the last call.
    pub fn take_effort(&mut self) -> SearchEffort {
        self.search.take_effort()
    }

    /// Starts a game.
    pub fn begin_game(&mut self) {
        match (&self.agent, &mut self.index) {
            (OthelloAgent::Adjusting(agent), _) if !agent.rules.carry => {
                self.estimate = StrengthEstimate::default();
            }
            (OthelloAgent::Softmax { settings, .. }, Some(index)) => index.game_begins(settings),
            _ => {}
        }
    }

    /// Ends a game. `half_points` is the player's result in half points: 0, 1 or 2.
    pub fn end_game(&mut self, half_points: u32) {
        if let (OthelloAgent::Softmax { settings, .. }, Some(index)) =
            (&self.agent, &mut self.index)
        {
            index.game_ended(settings, half_points);
        }
    }

    /// Chooses a move in `position`, where the player to move has at least two moves. All
    /// randomness comes from `stream`.
    pub fn choose(&mut self, position: &Position, stream: &StreamRng) -> AgentMove {
        let Self { agent, search, solver, estimate, index } = self;
        let mut first_choice = |agent: &MctsAgent, stream: &StreamRng| {
            AgentMove::first(agent, search.rank(position, agent, stream))
        };
        match agent {
            OthelloAgent::Random => {
                let legal = position.legal_moves();
                let square = nth(legal, stream.clone().below(legal.len().max(1)));
                AgentMove { square, ranking: None, depth: None, z: None }
            }
            OthelloAgent::Mcts(agent) => first_choice(agent, stream),
            OthelloAgent::Adjusting(AdjustingAgent { choices, rules }) => {
                let at = estimate.reply(choices.depths(), rules);
                first_choice(&choices.agents()[at], &agent_stream(stream, at))
            }
            OthelloAgent::RandomAgent(choices) => {
                let n = u32::try_from(choices.agents().len()).unwrap_or(u32::MAX);
                let at = stream.clone().below(n) as usize;
                first_choice(&choices.agents()[at], &agent_stream(stream, at))
            }
            OthelloAgent::Dynamic { search: agent, settings } => {
                let first = first_choice(agent, stream);
                first.replaced(|ranking| settings.choose(ranking).mv)
            }
            OthelloAgent::Softmax { search: agent, settings } => {
                let first = first_choice(agent, stream);
                let mut rng = FastRng::seeded_by(&mut stream.part(CHOICE_PART));
                let index = index.get_or_insert_with(|| StrengthIndex::new(settings));
                let chosen = first.replaced(|ranking| index.choose(settings, ranking, &mut rng).mv);
                AgentMove { z: Some(index.z()), ..chosen }
            }
            OthelloAgent::Solver { search: agent, empties } => {
                let solver = solver.get_or_insert_with(EndgameSolver::new);
                let solved = solve(solver, position, *empties, search.backend());
                solved.unwrap_or_else(|| {
                    AgentMove::first(agent, search.rank(position, agent, stream))
                })
            }
        }
    }

    /// Sees the opponent make the move `square` in `position`. All randomness comes from `stream`.
    /// Returns what an adjusting agent observed; `None` of other agents and of moves that are not
    /// observed.
    pub fn observe(
        &mut self,
        position: &Position,
        square: Square,
        stream: &StreamRng,
    ) -> Option<ObservedMove> {
        let OthelloAgent::Adjusting(AdjustingAgent { choices: agents, rules }) = &self.agent else {
            return None;
        };
        if choices(position).is_none() && !rules.forced {
            return None;
        }
        let rankings = rank_all(&mut self.search, agents, position, stream);
        let choice =
            |agent: usize, place: usize| rankings[agent].moves().get(place).map(|ranked| ranked.mv);
        let matched = self.estimate.matched(agents.depths(), rules, square, choice);
        if let Some(matched) = matched {
            self.estimate.observe(matched.depth);
        }
        Some(ObservedMove { rankings, matched, estimate: self.estimate })
    }
}

impl AgentMemory {
    /// Returns the memory that an agent has before its first game.
    #[must_use]
    pub fn new(agent: &OthelloAgent) -> Self {
        let index = match agent {
            OthelloAgent::Softmax { settings, .. } => Some(StrengthIndex::new(settings)),
            _ => None,
        };
        Self { estimate: StrengthEstimate::default(), index }
    }
}

/// The part of a stream from which an agent draws its choice among the moves that it searched.
const CHOICE_PART: u64 = 1 << 32;

/// Returns the rankings by all agents. Each agent draws from its own part of `stream`, so that the
/// order of the searches does not matter.
pub(crate) fn rank_all(
    search: &mut AgentSearch,
    agents: &AgentChoices,
    position: &Position,
    stream: &StreamRng,
) -> Vec<MoveRanking> {
    let agents = agents.agents().iter().enumerate();
    agents.map(|(at, agent)| search.rank(position, agent, &agent_stream(stream, at))).collect()
}

/// Returns the part of `stream` that belongs to agent number `at`.
fn agent_stream(stream: &StreamRng, at: usize) -> StreamRng {
    stream.part(at as u64)
}

fn nth(squares: SquareSet, n: u32) -> Square {
    squares.iter().nth(n as usize).expect("a player that chooses has a move")
}

/// Returns the perfect move, if there are few enough empty squares; of several, the lowest.
fn solve(
    solver: &mut EndgameSolver,
    position: &Position,
    empties: u32,
    backend: BoardBackend,
) -> Option<AgentMove> {
    if empties < position.count().empties() {
        return None;
    }
    let rule = ScoreRule::WinnerTakesEmpties;
    let options = SolverOptions { rule, max_nodes: MAX_SOLVER_NODES, backend };
    let solved = solver.solve(position, options).ok()?;
    let square = solved.moves.first()?.square;
    Some(AgentMove { square, ranking: None, depth: None, z: None })
}

impl AgentMove {
    /// Returns the first choice of an agent.
    fn first(agent: &MctsAgent, ranking: MoveRanking) -> Self {
        let square = ranking.best().mv;
        Self { square, ranking: Some(ranking), depth: Some(agent.depth()), z: None }
    }

    /// Returns the move with another square, chosen from the ranking.
    fn replaced(mut self, choose: impl FnOnce(&MoveRanking) -> Square) -> Self {
        if let Some(ranking) = &self.ranking {
            self.square = choose(ranking);
        }
        self
    }

    /// Returns the rank of the move in the order of the agent that chose, from 1.
    #[must_use]
    pub fn rank(&self) -> Option<u32> {
        self.ranking.as_ref().and_then(|ranking| ranking.rank(self.square))
    }
}
