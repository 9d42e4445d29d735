//! Scheduling of games side by side, grouped by the piece that they wait for.

use super::episode::{ActiveEpisode, EpisodeSource};
use super::evaluator::BatchEvaluator;
use super::group::{GroupEvaluator, PlacementValues, WaitingGames};
use super::vectors::{N_BOARDS, RowSets};
use crate::players::PlacementPolicy;
use crate::rules::{GameRules, Piece, Placement};

/// The number of games at a time: with so many, one group is always full, as long as all walls are
/// of one kind.
const N_EPISODES: usize = N_PIECES * N_BOARDS;

/// The groups from one beat to the next: with look-ahead, the slowest of all, a quarter of a
/// second. For scalar code a move is a group.
pub(super) const GROUPS_PER_BEAT: u32 = 256;

/// Groups of at most this size are played faster game by game.
const SMALL_GROUP: usize = 2;

/// The kinds of groups: with low walls, with high ones, and with those that no lane can hold.
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

impl ActiveEpisode<'_> {
    /// Returns the index of the queue in which the episode waits for a group.
    #[inline(always)]
    fn queue<Low: RowSets, High: RowSets>(&self, levels: u32) -> usize {
        // A piece of each level must fit on top; walls above the board are never evaluated.
        let top = self.episode.board.size().height();
        let height = (self.height() + 4 * (levels - 1)).min(top) + 4;
        let kind = usize::from(Low::N_ROWS < height) + usize::from(High::N_ROWS < height);
        kind * N_PIECES + self.piece as usize
    }
}

/// The indices of the waiting games, by queue.
struct PieceQueues {
    waiting: [Vec<usize>; N_KINDS * N_PIECES],
    /// The queues with enough games for a group, one entry for each group.
    ready: Vec<usize>,
}

impl PieceQueues {
    fn new() -> Self {
        let waiting = std::array::from_fn(|_| Vec::with_capacity(N_EPISODES));
        Self { waiting, ready: Vec::with_capacity(N_EPISODES) }
    }

    #[inline(always)]
    fn push(&mut self, queue: usize, game: usize) {
        self.waiting[queue].push(game);
        if self.waiting[queue].len().is_multiple_of(N_BOARDS) {
            self.ready.push(queue);
        }
    }

    /// Moves the next group to `group`: a full one if there is any, otherwise the largest. Returns
    /// the index of its queue, or `None` if no game waits.
    #[inline(always)]
    fn pop(&mut self, group: &mut Vec<usize>) -> Option<usize> {
        let queue = self.ready.pop().or_else(|| self.fullest())?;
        let waiting = &mut self.waiting[queue];
        let rest = waiting.len().saturating_sub(N_BOARDS);
        group.clear();
        group.extend_from_slice(&waiting[rest..]);
        waiting.truncate(rest);
        Some(queue)
    }

    /// Returns the queue with the most games, for when none has enough for a group.
    fn fullest(&self) -> Option<usize> {
        let n_waiting = |queue: usize| self.waiting[queue].len();
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
    let mut queues = PieceQueues::new();
    while episodes.len() < N_EPISODES
        && let Some(episode) = ActiveEpisode::next(source)
    {
        queues.push(episode.queue::<Low, High>(levels), episodes.len());
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
            if episodes[idx].advance_by(choice, rules, source) {
                queues.push(episodes[idx].queue::<Low, High>(levels), idx);
            }
        }
        for (&idx, &placement) in group.iter().zip(&moves) {
            if episodes[idx].advance(placement, rules, source) {
                queues.push(episodes[idx].queue::<Low, High>(levels), idx);
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
        let episode = &episodes[idx].episode;
        moves.push(policies[episode.player].choose(&episode.board, piece, rules.overflow));
    }
}
