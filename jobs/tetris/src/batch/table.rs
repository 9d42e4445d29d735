//! Games side by side, grouped by the piece that they wait for.

use super::episode::{Seat, Source};
use super::group::{Group, Values, Waiting};
use super::judge::Judge;
use super::vectors::{N_BOARDS, Rows};
use crate::players::Policy;
use crate::rules::{Piece, Placement, Rules};

/// Games at a time: as many as groups of all pieces have, so that there is a full one as long as walls
/// are of one kind.
const N_SEATS: usize = N_PIECES * N_BOARDS;

/// So many games are faster one by one than in a group.
const ALONE: usize = 2;

/// The kinds of groups: of low walls, of high ones, and of those that no lane holds.
const N_KINDS: usize = 3;

/// The number of pieces.
const N_PIECES: usize = Piece::ALL.len();

/// The episodes to be played.
pub(super) struct Games<'a, 'd> {
    pub(super) policy: &'a Policy,
    pub(super) rules: Rules,
    pub(super) source: &'a mut dyn Source<'d>,
}

impl Seat<'_> {
    /// The queue where it waits for its group.
    #[inline(always)]
    fn queue<Low: Rows, High: Rows>(&self, levels: u32) -> usize {
        // A piece of each level must fit on top; no wall that is looked at is above the board.
        let top = self.episode.board.size().height();
        let height = (self.height + 4 * (levels - 1)).min(top) + 4;
        let kind = usize::from(Low::N_ROWS < height) + usize::from(High::N_ROWS < height);
        kind * N_PIECES + self.piece as usize
    }
}

/// The games that wait, by their numbers.
struct Queues {
    waiting: [Vec<usize>; N_KINDS * N_PIECES],
    /// The queues with enough games for a group, once for each group.
    ready: Vec<usize>,
}

impl Queues {
    fn new() -> Self {
        let waiting = std::array::from_fn(|_| Vec::with_capacity(N_SEATS));
        Self { waiting, ready: Vec::with_capacity(N_SEATS) }
    }

    #[inline(always)]
    fn push(&mut self, queue: usize, game: usize) {
        self.waiting[queue].push(game);
        if self.waiting[queue].len().is_multiple_of(N_BOARDS) {
            self.ready.push(queue);
        }
    }

    /// Moves the next group to `group`: a full one if there is any, and else the largest. Its queue;
    /// none if no game waits.
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

    /// The queue with the most games, where none has enough for a group.
    fn fullest(&self) -> Option<usize> {
        let n_waiting = |queue: usize| self.waiting[queue].len();
        (0..self.waiting.len())
            .max_by_key(|&queue| n_waiting(queue))
            .filter(|&queue| n_waiting(queue) != 0)
    }
}

/// Plays all episodes; see [`super::play_episodes`].
#[inline(always)]
pub(super) fn play<Low, High, J, const FAST: bool>(judge: &J, games: Games<'_, '_>)
where
    Low: Rows,
    High: Rows,
    J: Judge,
{
    let Games { policy, rules, source } = games;
    let levels = if policy.lookahead.is_some() { 2 } else { 1 };
    let mut seats: Vec<Seat<'_>> = Vec::with_capacity(N_SEATS);
    let mut queues = Queues::new();
    while seats.len() < N_SEATS
        && let Some(seat) = Seat::next(source)
    {
        queues.push(seat.queue::<Low, High>(levels), seats.len());
        seats.push(seat);
    }
    let mut low = Group::<Low, FAST>::new(rules, judge.needs_diversity());
    let mut high = Group::<High, FAST>::new(rules, judge.needs_diversity());
    let mut group = Vec::with_capacity(N_BOARDS);
    let (mut low_values, mut high_values) = (Values::new(), Values::new());
    let mut choices = Vec::with_capacity(N_BOARDS);
    let mut moves = Vec::with_capacity(N_BOARDS);
    while let Some(queue) = queues.pop(&mut group) {
        choices.clear();
        moves.clear();
        let piece = Piece::ALL[queue % N_PIECES];
        let waiting = Waiting { piece, seats: &seats, group: &group };
        match (queue / N_PIECES, &policy.lookahead) {
            (0 | 1, None) if group.len() <= ALONE => {
                one_by_one(policy, rules, waiting, &mut moves);
            }
            (0, None) => low.choose(judge, waiting, &mut low_values, &mut choices),
            (1, None) => high.choose(judge, waiting, &mut high_values, &mut choices),
            (0, Some(ahead)) => low.look_ahead(judge, ahead, waiting, &mut low_values, &mut moves),
            (1, Some(ahead)) => {
                high.look_ahead(judge, ahead, waiting, &mut high_values, &mut moves);
            }
            _ => one_by_one(policy, rules, waiting, &mut moves),
        }
        for (&idx, &choice) in group.iter().zip(&choices) {
            if seats[idx].advance_by(choice, rules, source) {
                queues.push(seats[idx].queue::<Low, High>(levels), idx);
            }
        }
        for (&idx, &placement) in group.iter().zip(&moves) {
            if seats[idx].advance(placement, rules, source) {
                queues.push(seats[idx].queue::<Low, High>(levels), idx);
            }
        }
    }
}

/// Appends to `moves` where `policy` puts the piece in each game.
fn one_by_one(policy: &Policy, rules: Rules, waiting: Waiting<'_, '_>, moves: &mut Vec<Placement>) {
    let Waiting { piece, seats, group } = waiting;
    for &seat in group {
        moves.push(policy.choose(&seats[seat].episode.board, piece, rules.overflow));
    }
}
