//! Scheduling of games side by side, grouped by the piece that they wait for.

use super::episode::{ActiveEpisode, EpisodeIdx, EpisodeSource, EpisodeState};
use super::evaluator::BatchEvaluator;
use super::group::{GroupEvaluator, PlacementValues, WaitingGames};
use super::vectors::{N_BOARDS, RowSets};
use crate::players::PlacementPolicy;
use crate::rules::{BoardSize, GameRules, Piece, Placement};

/// The number of games at a time. With this many games, at least one group is always full, as long
/// as all walls are of the same kind.
const N_EPISODES: usize = N_PIECES * N_BOARDS;

/// The number of groups between two beats. Look-ahead is slowest: there, this many groups take a
/// quarter of a second. For scalar code a move is a group.
pub(super) const GROUPS_PER_BEAT: u32 = 256;

/// Groups of at most this size are played faster game by game.
const SMALL_GROUP: usize = 2;

/// The number of group kinds: groups with low walls, groups with high walls, and groups with walls
/// that no lane can hold.
const N_KINDS: usize = 3;

/// The kind that no lane can hold.
const HIGHEST: usize = N_KINDS - 1;

/// The number of pieces.
const N_PIECES: usize = Piece::ALL.len();

/// The episodes to be played, with their policy and rules.
pub(super) struct BatchInput<'a, 'd> {
    /// The policies: several only without look-ahead.
    pub(super) policies: &'a [&'a PlacementPolicy],
    pub(super) rules: GameRules,
    pub(super) source: &'a mut dyn EpisodeSource<'d>,
}

/// The episodes that wait for a group, by piece and kind of group.
struct PieceQueues {
    waiting: [EpisodeQueue; N_KINDS * N_PIECES],
    /// The highest walls for groups of the kinds with vectors: above, a piece may not fit.
    highest: [u32; HIGHEST],
    /// The queues with enough episodes for a group, one entry for each group.
    ready: Vec<usize>,
}

/// The episodes in a queue. The episodes that came last leave first.
#[derive(Clone, Copy)]
struct EpisodeQueue {
    episodes: [EpisodeIdx; N_EPISODES],
    len: usize,
}

impl PieceQueues {
    /// Creates the queues for boards of `size`, where `levels` pieces are placed.
    fn new<Low: RowSets, High: RowSets>(size: BoardSize, levels: u32) -> Self {
        // Walls above the board are never evaluated.
        let highest = |n_rows: u32| match size.height() + 4 <= n_rows {
            true => size.height(),
            false => n_rows - 4 * levels,
        };
        Self {
            waiting: [EpisodeQueue { episodes: [0; N_EPISODES], len: 0 }; N_KINDS * N_PIECES],
            highest: [highest(Low::N_ROWS), highest(High::N_ROWS)],
            ready: Vec::with_capacity(N_EPISODES),
        }
    }

    #[inline(always)]
    fn push(&mut self, state: EpisodeState, idx: EpisodeIdx) {
        let kind: usize = self.highest.iter().map(|&it| usize::from(it < state.height)).sum();
        let queue = kind * N_PIECES + state.piece as usize;
        let waiting = &mut self.waiting[queue];
        waiting.episodes[waiting.len] = idx;
        waiting.len += 1;
        if waiting.len.is_multiple_of(N_BOARDS) {
            self.ready.push(queue);
        }
    }

    /// Moves the next group to `group`: a full one if there is any, otherwise the largest. Returns
    /// the index of its queue, or `None` if no episode waits.
    #[inline(always)]
    fn pop(&mut self, group: &mut Vec<EpisodeIdx>) -> Option<usize> {
        let queue = self.ready.pop().or_else(|| self.fullest())?;
        let waiting = &mut self.waiting[queue];
        let rest = waiting.len.saturating_sub(N_BOARDS);
        group.clear();
        group.extend_from_slice(&waiting.episodes[rest..waiting.len]);
        waiting.len = rest;
        Some(queue)
    }

    /// Returns the queue with the most episodes, for when none has enough for a group.
    fn fullest(&self) -> Option<usize> {
        let n_waiting = |queue: usize| self.waiting[queue].len;
        (0..self.waiting.len())
            .max_by_key(|&queue| n_waiting(queue))
            .filter(|&queue| n_waiting(queue) != 0)
    }
}

/// Plays all episodes; see [`super::play_episodes`].
#[inline(always)]
pub(super) fn play<Low, High, E, const FAST: bool>(evaluator: &mut E, games: BatchInput<'_, '_>)
where
    Low: RowSets,
    High: RowSets,
    E: BatchEvaluator,
{
    let BatchInput { policies, rules, source } = games;
    let lookahead = policies.first().and_then(|policy| policy.lookahead.as_ref());
    let levels = if E::LOOKS_AHEAD { 2 } else { 1 };
    let mut episodes: Vec<ActiveEpisode<'_>> = Vec::with_capacity(N_EPISODES);
    let mut queues = PieceQueues::new::<Low, High>(rules.size, levels);
    while episodes.len() < N_EPISODES
        && let Some(episode) = ActiveEpisode::next(source)
    {
        let idx = EpisodeIdx::try_from(episodes.len()).expect("below the number of episodes");
        queues.push(episode.state(), idx);
        episodes.push(episode);
    }
    let mut low = GroupEvaluator::<Low, FAST>::new(rules, evaluator.needs_diversity());
    let mut high = GroupEvaluator::<High, FAST>::new(rules, evaluator.needs_diversity());
    let mut group = Vec::with_capacity(N_BOARDS);
    let (mut low_values, mut high_values) = (PlacementValues::new(), PlacementValues::new());
    let mut choices = Vec::with_capacity(N_BOARDS);
    let mut moves = Vec::with_capacity(N_BOARDS);
    let mut n_groups = 0_u32;
    while let Some(queue) = queues.pop(&mut group) {
        n_groups = n_groups.wrapping_add(1);
        if n_groups.is_multiple_of(GROUPS_PER_BEAT) && source.beat().is_break() {
            return;
        }
        choices.clear();
        moves.clear();
        let piece = Piece::ALL[queue % N_PIECES];
        let waiting = WaitingGames { piece, episodes: &episodes, group: &group };
        let kind = queue / N_PIECES;
        let small = !E::LOOKS_AHEAD && group.len() <= SMALL_GROUP;
        if kind == HIGHEST || small {
            one_by_one(policies, rules, waiting, &mut moves);
        } else if E::LOOKS_AHEAD {
            let ahead = lookahead.expect("the only policy looks ahead");
            match kind {
                0 => low.look_ahead(evaluator, ahead, waiting, &mut low_values, &mut moves),
                _ => high.look_ahead(evaluator, ahead, waiting, &mut high_values, &mut moves),
            }
        } else {
            match kind {
                0 => low.choose(evaluator, waiting, &mut low_values, &mut choices),
                _ => high.choose(evaluator, waiting, &mut high_values, &mut choices),
            }
        }
        for (&idx, &choice) in group.iter().zip(&choices) {
            if let Some(state) = episodes[usize::from(idx)].advance_by(choice, rules, source) {
                queues.push(state, idx);
            }
        }
        for (&idx, &placement) in group.iter().zip(&moves) {
            if let Some(state) = episodes[usize::from(idx)].advance(placement, rules, source) {
                queues.push(state, idx);
            }
        }
    }
}

/// Appends to `moves` the placement that its policy chooses in each game.
fn one_by_one(
    policies: &[&PlacementPolicy],
    rules: GameRules,
    waiting: WaitingGames<'_, '_>,
    moves: &mut Vec<Placement>,
) {
    let WaitingGames { piece, episodes, group } = waiting;
    for &idx in group {
        let episode = &episodes[usize::from(idx)].episode;
        moves.push(policies[episode.player].choose(&episode.board, piece, rules.overflow));
    }
}
