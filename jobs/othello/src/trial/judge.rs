//! The judge of a trial: looks at each move of the first agent and says how natural it is.

use hatchery_core::StreamRng;
use hatchery_search::DepthCap;

use super::play::{GameWatcher, WATCHER_PART};
use super::setup::{JudgeSettings, MatchSetup};
use crate::naturalness::{GameNaturalness, JudgeOpinion, LevelChoices, MoveEvidence};
use crate::players::{
    AdjustingAgent, AgentMove, AgentSearch, FIRST_CHOICES, MctsAgent, MoveRanking, OthelloAgent,
    choices,
};
use crate::record::RecordedGame;
use crate::rules::{
    BoardBackend, DiscColor, EndgameSolver, Position, ScoreRule, SolvedPosition, SolverOptions,
    Square,
};

/// The number of nodes after which the judge's solver gives up, and the judge's agent judges
/// instead. Positions with 14 empty squares need a hundredth of this number.
const MAX_SOLVER_NODES: u64 = 50_000_000;

/// The parts of a choice's stream, from [`WATCHER_PART`] on, that the judge's agents draw from.
const JUDGE_PART: u64 = WATCHER_PART;
const REFERENCE_PART: u64 = WATCHER_PART + 1;
const LEVELS_PART: u64 = WATCHER_PART + 2;

/// A judge at work: its search and its solver.
pub(crate) struct MoveJudge<'a> {
    settings: &'a JudgeSettings,
    search: AgentSearch,
    solver: EndgameSolver,
}

/// The values of the legal moves of a position.
pub(crate) enum JudgedPosition {
    /// Exact values.
    Solved(SolvedPosition),
    /// The values of a search.
    Searched(MoveRanking),
}

impl<'a> MoveJudge<'a> {
    pub(crate) fn new(settings: &'a JudgeSettings, backend: BoardBackend) -> Self {
        Self { settings, search: AgentSearch::new(backend), solver: EndgameSolver::new() }
    }

    /// Looks at a position with a legal move. A search draws from `stream`.
    pub(crate) fn look(&mut self, position: &Position, stream: &StreamRng) -> JudgedPosition {
        match self.solve(position) {
            Some(solved) => JudgedPosition::Solved(solved),
            None => {
                let ranking = self.search.rank(position, &self.settings.agent, stream);
                JudgedPosition::Searched(ranking)
            }
        }
    }

    fn solve(&mut self, position: &Position) -> Option<SolvedPosition> {
        if self.settings.empties < position.count().empties() {
            return None;
        }
        let (rule, backend) = (ScoreRule::WinnerTakesEmpties, self.search.backend());
        let options = SolverOptions { rule, max_nodes: MAX_SOLVER_NODES, backend };
        self.solver.solve(position, options).ok()
    }
}

impl JudgedPosition {
    /// Returns the values as evidence.
    pub(crate) fn opinion(&self) -> JudgeOpinion<'_> {
        match self {
            Self::Solved(solved) => JudgeOpinion::Exact(solved),
            Self::Searched(ranking) => JudgeOpinion::Estimated(ranking.moves()),
        }
    }
}

/// A judge, with what it has seen of a trial so far.
pub(crate) struct NaturalnessJudge<'a> {
    judge: MoveJudge<'a>,
    /// The opponent, if it is an agent with one depth: its choices are the reference.
    reference: Option<&'a MctsAgent>,
    adjusting: Option<&'a AdjustingAgent>,
    color: DiscColor,
    opening: usize,
    depths: Vec<DepthCap>,
    game: GameNaturalness,
    trial: Option<GameNaturalness>,
}

impl<'a> NaturalnessJudge<'a> {
    pub(crate) fn new(
        settings: &'a JudgeSettings,
        setup: &'a MatchSetup,
        backend: BoardBackend,
    ) -> Self {
        let [judged, opponent] = &setup.agents;
        Self {
            judge: MoveJudge::new(settings, backend),
            reference: match opponent {
                OthelloAgent::Mcts(agent) => Some(agent),
                _ => None,
            },
            adjusting: match judged {
                OthelloAgent::Adjusting(agent) => Some(agent),
                _ => None,
            },
            color: DiscColor::Black,
            opening: 0,
            depths: Vec::new(),
            game: GameNaturalness::begin(),
            trial: None,
        }
    }

    /// Returns the record for all games.
    pub(crate) fn into_record(self) -> Option<GameNaturalness> {
        self.trial
    }

    /// Returns the first choice of the strongest of the agents of an adjusting agent, and the
    /// choices of those within one step of the one that replied.
    fn levels(
        &mut self,
        position: &Position,
        chosen: &AgentMove,
        stream: &StreamRng,
    ) -> Option<(Square, Vec<Vec<Square>>)> {
        let agents = self.adjusting?.choices.agents();
        let at = agents.iter().position(|agent| Some(agent.depth()) == chosen.depth)?;
        let mut rank = |at: usize| {
            let part = stream.part(LEVELS_PART + at as u64);
            self.judge.search.rank(position, &agents[at], &part)
        };
        let strongest = rank(agents.len() - 1).best().mv;
        let near = at.saturating_sub(1)..=(at + 1).min(agents.len() - 1);
        Some((strongest, near.map(|at| first_choices(&rank(at))).collect()))
    }
}

fn first_choices(ranking: &MoveRanking) -> Vec<Square> {
    ranking.moves().iter().take(FIRST_CHOICES).map(|ranked| ranked.mv).collect()
}

impl GameWatcher for NaturalnessJudge<'_> {
    fn begins(&mut self, opening: &RecordedGame, colors: [DiscColor; 2]) {
        self.color = colors[0];
        self.opening = opening.moves().len();
        self.depths.clear();
        self.game = GameNaturalness::begin();
    }

    fn chose(&mut self, agent: usize, position: &Position, chosen: &AgentMove, stream: &StreamRng) {
        if agent != 0 {
            return;
        }
        let depth = chosen.depth.and_then(|depth| DepthCap::new(depth).ok());
        self.depths.extend(depth);
        let reference = self
            .reference
            .map(|agent| self.judge.search.rank(position, agent, &stream.part(REFERENCE_PART)));
        let levels = self.levels(position, chosen, stream);
        let found = self.judge.look(position, &stream.part(JUDGE_PART));
        let evidence = MoveEvidence {
            position: *position,
            played: chosen.square,
            opinion: found.opinion(),
            own_rank: chosen.rank(),
            reference: reference.as_ref().map(MoveRanking::moves),
            levels: levels
                .as_ref()
                .map(|(strongest, near)| LevelChoices { strongest: *strongest, near }),
        };
        let judgement = evidence.judge().expect("evidence of one position agrees with itself");
        self.game.add(&judgement);
    }

    fn ended(&mut self, game: &RecordedGame) {
        let turns = game.turns().skip(self.opening);
        let own = turns.filter(|turn| turn.position.turn() == self.color);
        let forced = own.filter(|turn| choices(&turn.position).is_none());
        forced.for_each(|_| self.game.add_forced());
        self.game.add_depths(&self.depths);
        match &mut self.trial {
            Some(trial) => trial.absorb(&self.game),
            None => self.trial = Some(self.game.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::{RunSeed, TrialContext};

    use super::*;
    use crate::players::{AgentChoices, DepthReading, MatchingRules, SearchSettings};
    use crate::trial::opening::OpeningRule;
    use crate::trial::play::play_trial;

    #[test]
    fn trials_are_the_same_with_all_instructions() {
        let mcts = |depth, playouts| {
            let exploration = core::f64::consts::FRAC_1_SQRT_2;
            let reading = DepthReading::TreeCap;
            let settings =
                SearchSettings { playouts, reading, plies_per_doubling: 4.0, exploration };
            MctsAgent::new(depth, settings).unwrap()
        };
        let choices = AgentChoices::new(vec![mcts(3, 60), mcts(8, 60)]).unwrap();
        let rules = MatchingRules { carry: true, ..MatchingRules::default() };
        let adjusting = OthelloAgent::Adjusting(AdjustingAgent { choices, rules });
        let judge = JudgeSettings { agent: mcts(60, 100), empties: 9 };
        let agents = [adjusting, OthelloAgent::Mcts(mcts(5, 80))];
        let opening = OpeningRule::random(0, 8).unwrap();
        let setup = MatchSetup { judge: Some(judge), ..MatchSetup::new(agents, opening, 2) };
        let stream = RunSeed::new("play", 1).generation(0).stream("a");
        let trial = |backend| {
            let mut watcher = NaturalnessJudge::new(&judge, &setup, backend);
            let results = play_trial(&setup, backend, &stream, &mut watcher, &TrialContext::ALONE);
            (results, watcher.into_record())
        };
        let found: Vec<_> = BoardBackend::available().into_iter().map(trial).collect();
        assert!(found.windows(2).all(|two| two[0] == two[1]), "{found:?}");
        let (results, record) = &found[0];
        assert_eq!((results.pairs.len(), results.levels.len()), (2, 4));
        assert_eq!(record.as_ref().map(GameNaturalness::games), Some(4));
    }
}
