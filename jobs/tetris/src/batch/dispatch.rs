//! The choice of an instruction set at run time.

use super::episode::{ActiveEpisode, EpisodeSource, PieceDealer, WholeGames};
use super::evaluator::{BatchEvaluator, ExactLinear, QuickLinear};
use super::scheduler::{self, BatchInput, GROUPS_PER_BEAT};
use crate::features::WellRule;
use crate::players::{Controller, LinearController, PlacementPolicy};
use crate::rules::{GameRules, GameScore, PieceCap};

/// A set of instructions that games can be played with; all play the same games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    /// One game at a time.
    Scalar,
    /// 32 games at once.
    Avx2,
}

impl InstructionSet {
    /// Returns the instruction sets of this processor, the fastest last.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let mut paths = vec![Self::Scalar];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
        {
            paths.push(Self::Avx2);
        }
        paths
    }

    /// Returns the fastest instruction set of this processor.
    #[must_use]
    pub fn fastest() -> Self {
        Self::available().pop().unwrap_or(Self::Scalar)
    }
}

/// Plays a game of `policy` with the pieces from each of `dealers` and returns the scores in their
/// order; see [`PlacementPolicy::play`].
pub fn play_all<'d>(
    policy: &PlacementPolicy,
    rules: GameRules,
    cap: PieceCap,
    dealers: &mut dyn Iterator<Item = PieceDealer<'d>>,
    instructions: InstructionSet,
) -> Vec<GameScore> {
    let mut games = WholeGames::new(rules, cap, dealers);
    play_episodes(policy, rules, &mut games, instructions);
    games.scores
}

/// Plays all episodes of `source` with `policy`, unless its beat breaks. Episodes of the same tag
/// end in the same way with every instruction set.
pub fn play_episodes<'d>(
    policy: &PlacementPolicy,
    rules: GameRules,
    source: &mut dyn EpisodeSource<'d>,
    instructions: InstructionSet,
) {
    let games = BatchInput { policy, rules, source };
    match &policy.controller {
        Controller::Network(network) => vectors::<_, false>(network, games, instructions),
        Controller::Linear(linear) if policy.lookahead.is_none() => {
            linear_vectors(&QuickLinear::new(linear, rules.size), linear, games, instructions);
        }
        Controller::Linear(linear) => match ExactLinear::new(linear, rules.size) {
            Some(exact) => linear_vectors(&exact, linear, games, instructions),
            None => one_by_one(games),
        },
    }
}

fn linear_vectors<E: BatchEvaluator>(
    evaluator: &E,
    linear: &LinearController,
    games: BatchInput<'_, '_>,
    instructions: InstructionSet,
) {
    match linear.wells() {
        WellRule::Cumulative => vectors::<_, false>(evaluator, games, instructions),
        WellRule::Fast => vectors::<_, true>(evaluator, games, instructions),
    }
}

fn one_by_one(games: BatchInput<'_, '_>) {
    let BatchInput { policy, rules, source } = games;
    let mut n_moves = 0_u32;
    while let Some(mut active) = ActiveEpisode::next(source) {
        loop {
            n_moves = n_moves.wrapping_add(1);
            if n_moves.is_multiple_of(GROUPS_PER_BEAT) && source.beat().is_break() {
                return;
            }
            let placement = policy.choose(&active.episode.board, active.piece, rules.overflow);
            if !active.advance(placement, rules, source) {
                break;
            }
        }
    }
}

fn vectors<E: BatchEvaluator, const FAST: bool>(
    evaluator: &E,
    games: BatchInput<'_, '_>,
    instructions: InstructionSet,
) {
    match instructions {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the guard has detected the instructions.
        #[expect(unsafe_code, reason = "instructions detected at run time")]
        InstructionSet::Avx2 if InstructionSet::available().contains(&instructions) => unsafe {
            avx2::<E, FAST>(evaluator, games);
        },
        _ => one_by_one(games),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<E: BatchEvaluator, const FAST: bool>(evaluator: &E, games: BatchInput<'_, '_>) {
    use super::avx2::{Avx2Rows16, Avx2Rows32};
    scheduler::play::<Avx2Rows16, Avx2Rows32, E, FAST>(evaluator, games);
}
