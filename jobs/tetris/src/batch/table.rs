//! Games side by side, grouped by the piece that they wait for.

use super::episode::{Seat, Source};
use super::group::Group;
use super::judge::Judge;
use super::lanes::Lanes;
use crate::players::Policy;
use crate::rules::{Piece, Rules};

/// Games at a time: of so many, 18 wait for the same piece on average.
const N_SEATS: usize = 128;

/// So many games are faster one by one than in a group.
const ALONE: usize = 3;

/// More lanes than any group has.
const MAX_LANES: usize = 64;

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
    fn queue<Low: Lanes, High: Lanes>(&self, levels: u32) -> usize {
        // A piece of each level must fit on top.
        let height = self.height + 4 * levels;
        let kind = usize::from(Low::BITS < height) + usize::from(High::BITS < height);
        kind * N_PIECES + self.piece as usize
    }
}

/// The games that wait, by their numbers.
struct Queues {
    waiting: [Vec<usize>; N_KINDS * N_PIECES],
    /// The number of lanes of each kind of group.
    lanes: [usize; N_KINDS],
    /// The queues with enough games for a group, once for each group.
    ready: Vec<usize>,
}

impl Queues {
    fn new(lanes: [usize; N_KINDS]) -> Self {
        let waiting = std::array::from_fn(|_| Vec::with_capacity(N_SEATS));
        Self { waiting, lanes, ready: Vec::with_capacity(N_SEATS) }
    }

    #[inline(always)]
    fn push(&mut self, queue: usize, game: usize) {
        self.waiting[queue].push(game);
        // Numbers of lanes are powers of two.
        if self.waiting[queue].len() & (self.lanes[queue / N_PIECES] - 1) == 0 {
            self.ready.push(queue);
        }
    }

    /// Moves the next group to `group`: a full one if there is any, and else that with the fewest
    /// idle lanes. Its queue; none if no game waits.
    #[inline(always)]
    fn pop(&mut self, group: &mut Vec<usize>) -> Option<usize> {
        let queue = self.ready.pop().or_else(|| self.fullest())?;
        let waiting = &mut self.waiting[queue];
        let rest = waiting.len().saturating_sub(self.lanes[queue / N_PIECES]);
        group.clear();
        group.extend_from_slice(&waiting[rest..]);
        waiting.truncate(rest);
        Some(queue)
    }

    /// The queue whose group has the fewest idle lanes, where none has enough games.
    fn fullest(&self) -> Option<usize> {
        let share = |queue: usize| {
            let n_lanes = self.lanes[queue / N_PIECES];
            self.waiting[queue].len() * MAX_LANES / n_lanes
        };
        let queues = 0..self.waiting.len();
        queues.max_by_key(|&queue| share(queue)).filter(|&queue| share(queue) != 0)
    }
}

/// Plays all episodes; see [`super::play_episodes`].
#[inline(always)]
pub(super) fn play<Low, High, J, const FAST: bool, const DIVERSITY: bool>(
    judge: &J,
    games: Games<'_, '_>,
) where
    Low: Lanes,
    High: Lanes,
    J: Judge,
{
    let Games { policy, rules, source } = games;
    let levels = if policy.lookahead.is_some() { 2 } else { 1 };
    let mut seats: Vec<Seat<'_>> = Vec::with_capacity(N_SEATS);
    let mut queues = Queues::new([Low::N, High::N, 1]);
    while seats.len() < N_SEATS
        && let Some(seat) = Seat::next(source)
    {
        queues.push(seat.queue::<Low, High>(levels), seats.len());
        seats.push(seat);
    }
    let mut low = Group::<Low, FAST, DIVERSITY>::new(rules);
    let mut high = Group::<High, FAST, DIVERSITY>::new(rules);
    let mut group = Vec::with_capacity(N_SEATS);
    let mut moves = Vec::with_capacity(N_SEATS);
    while let Some(queue) = queues.pop(&mut group) {
        moves.clear();
        let piece = Piece::ALL[queue % N_PIECES];
        match (queue / N_PIECES, &policy.lookahead) {
            (0, None) if ALONE < group.len() => {
                low.choose(judge, piece, &seats, &group, &mut moves);
            }
            (1, None) if ALONE < group.len() => {
                high.choose(judge, piece, &seats, &group, &mut moves);
            }
            (0, Some(ahead)) => low.look_ahead(judge, ahead, piece, &seats, &group, &mut moves),
            (1, Some(ahead)) => high.look_ahead(judge, ahead, piece, &seats, &group, &mut moves),
            _ => {
                let board = |&game: &usize| &seats[game].episode.board;
                let choose = |board| policy.choose(board, piece, rules.overflow);
                moves.extend(group.iter().map(board).map(choose));
            }
        }
        for (&idx, &placement) in group.iter().zip(&moves) {
            if seats[idx].advance(placement, rules, source) {
                queues.push(seats[idx].queue::<Low, High>(levels), idx);
            }
        }
    }
}
