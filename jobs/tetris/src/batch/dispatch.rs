//! The choice of an instruction set at run time.

use super::episode::{ActiveEpisode, EpisodeSource, NewGame, PieceDealer, WholeGames};
use super::evaluator::{BatchEvaluator, ExactLinear, LinearPlayers, NetworkPlayers};
use super::scheduler::{self, BatchInput, GROUPS_PER_BEAT};
use crate::features::WellRule;
use crate::players::{Controller, PlacementPolicy};
use crate::rules::{GameRules, GameScore, PieceCap, Randomizer, Turn};

/// A set of instructions that games can be played with; all play the same games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    /// One game at a time.
    Scalar,
    /// 32 games at once.
    Avx2,
    /// 32 games at once, in wider vectors.
    Avx512,
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
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512cd")
                && is_x86_feature_detected!("avx512bitalg")
                && is_x86_feature_detected!("avx512vpopcntdq")
            {
                paths.push(Self::Avx512);
            }
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
    let mut games = dealers.map(|dealer| NewGame { player: 0, cap, dealer });
    let mut games = WholeGames::new(rules, &mut games);
    play_episodes(&[policy], rules, &mut games, instructions);
    games.scores.into_iter().map(|(_, score)| score).collect()
}

/// Plays all episodes of `source`, each with the policy of its player, unless the source's beat
/// breaks. Episodes of the same tag end in the same way with every instruction set.
///
/// Several policies share the lanes of a vector if [they can](can_share_vectors).
///
/// # Panics
/// If an episode's player is not the index of a policy.
pub fn play_episodes<'d>(
    policies: &[&PlacementPolicy],
    rules: GameRules,
    source: &mut dyn EpisodeSource<'d>,
    instructions: InstructionSet,
) {
    let games = BatchInput { policies, rules, source };
    match policies {
        _ if rules.queue.has_preview() => one_by_one(games),
        [policy] if policy.lookahead.is_some() => look_ahead(policy, games, instructions),
        [first, others @ ..] if others.iter().all(|other| can_share_vectors(first, other)) => {
            play_together(games, instructions);
        }
        _ => one_by_one(games),
    }
}

/// Returns whether vectors can hold games of both policies: neither looks ahead, and they are
/// networks of the same size, or linear with the same rule for wells and without weights of the
/// surface.
pub fn can_share_vectors(a: &PlacementPolicy, b: &PlacementPolicy) -> bool {
    let fit = match (&a.controller, &b.controller) {
        (Controller::Network(a), Controller::Network(b)) => a.shape() == b.shape(),
        (Controller::Linear(a), Controller::Linear(b)) => a.wells() == b.wells(),
        (Controller::Network(_), Controller::Linear(_))
        | (Controller::Linear(_), Controller::Network(_))
        | (Controller::Surface(_), _)
        | (_, Controller::Surface(_)) => false,
    };
    fit && a.lookahead.is_none() && b.lookahead.is_none()
}

/// Plays games with look-ahead for a single policy.
fn look_ahead(policy: &PlacementPolicy, games: BatchInput<'_, '_>, instructions: InstructionSet) {
    if games.rules.queue.randomizer == Randomizer::Bag {
        // The games of a group have different bags.
        return one_by_one(games);
    }
    match &policy.controller {
        Controller::Network(network) => {
            vectors::<_, false>(&mut network.clone(), games, instructions);
        }
        Controller::Linear(linear) => match ExactLinear::new(linear, games.rules.size) {
            Some(mut exact) => linear_vectors(&mut exact, linear.wells(), games, instructions),
            None => one_by_one(games),
        },
        Controller::Surface(_) => one_by_one(games),
    }
}

/// Plays games of policies that can share vectors.
fn play_together(games: BatchInput<'_, '_>, instructions: InstructionSet) {
    let (mut networks, mut linear) = (Vec::new(), Vec::new());
    for policy in games.policies {
        match &policy.controller {
            Controller::Network(network) => networks.push(network),
            Controller::Linear(controller) => linear.push(controller),
            Controller::Surface(_) => return one_by_one(games),
        }
    }
    match linear.first() {
        None => vectors::<_, false>(&mut NetworkPlayers::new(&networks), games, instructions),
        Some(first) => {
            let mut players = LinearPlayers::new(&linear, games.rules.size);
            linear_vectors(&mut players, first.wells(), games, instructions);
        }
    }
}

fn linear_vectors<E: BatchEvaluator>(
    evaluator: &mut E,
    wells: WellRule,
    games: BatchInput<'_, '_>,
    instructions: InstructionSet,
) {
    match wells {
        WellRule::Cumulative => vectors::<_, false>(evaluator, games, instructions),
        WellRule::Fast => vectors::<_, true>(evaluator, games, instructions),
    }
}

fn one_by_one(games: BatchInput<'_, '_>) {
    let BatchInput { policies, rules, source } = games;
    // The search through known pieces takes up to seconds for a move.
    let moves_per_beat = if rules.queue.has_preview() { 1 } else { GROUPS_PER_BEAT };
    let mut n_moves = 0_u32;
    while let Some(mut active) = ActiveEpisode::next(source) {
        loop {
            n_moves = n_moves.wrapping_add(1);
            if n_moves.is_multiple_of(moves_per_beat) && source.beat().is_break() {
                return;
            }
            let (episode, piece) = (&active.episode, active.piece);
            let policy = policies[episode.player];
            let Turn { holds, placement } =
                policy.turn(&episode.board, piece, &episode.supply, rules.overflow);
            if holds {
                active.hold();
            }
            if active.advance(placement, rules, source).is_none() {
                break;
            }
        }
    }
}

fn vectors<E: BatchEvaluator, const FAST: bool>(
    evaluator: &mut E,
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
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the guard has detected the instructions.
        #[expect(unsafe_code, reason = "instructions detected at run time")]
        InstructionSet::Avx512 if InstructionSet::available().contains(&instructions) => unsafe {
            avx512::<E, FAST>(evaluator, games);
        },
        _ => one_by_one(games),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<E: BatchEvaluator, const FAST: bool>(evaluator: &mut E, games: BatchInput<'_, '_>) {
    use super::avx2::{Avx2Rows16, Avx2Rows32};
    scheduler::play::<Avx2Rows16, Avx2Rows32, E, FAST>(evaluator, games);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq")]
#[target_feature(enable = "avx512vl,avx512cd,avx512bitalg,avx512vpopcntdq")]
fn avx512<E: BatchEvaluator, const FAST: bool>(evaluator: &mut E, games: BatchInput<'_, '_>) {
    use super::avx512::{Avx512Rows16, Avx512Rows32};
    scheduler::play::<Avx512Rows16, Avx512Rows32, E, FAST>(evaluator, games);
}
