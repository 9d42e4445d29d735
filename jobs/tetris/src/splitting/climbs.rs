//! Stretches from a level: up to the next one, or down.

use super::{Entry, LONGEST_CLIMB, Splitting};
use crate::batch::{ANY_HEIGHT, Dealer, End, Episode, Source};
use crate::rules::Score;

/// All stretches from one level: equally many from each board that it was reached with.
pub(super) struct Climbs<'a, 'd> {
    splitting: Splitting,
    entries: &'a [Entry],
    /// The height of the next level; behind the last one only the game's end counts.
    goal: Option<u32>,
    dealer: &'a dyn Fn(u64) -> Dealer<'d>,
    /// What each stretch reached its goal with, if it did.
    reached: Vec<Option<Entry>>,
    next: usize,
    n_pieces: u64,
}

impl<'a, 'd> Climbs<'a, 'd> {
    pub(super) fn new(
        splitting: Splitting,
        entries: &'a [Entry],
        goal: Option<u32>,
        dealer: &'a dyn Fn(u64) -> Dealer<'d>,
    ) -> Self {
        let n_each = (splitting.climbs as usize).div_ceil(entries.len());
        let reached = vec![None; n_each * entries.len()];
        Self { splitting, entries, goal, dealer, reached, next: 0, n_pieces: 0 }
    }

    pub(super) fn n_begun(&self) -> u64 {
        self.reached.len() as u64
    }

    pub(super) fn n_pieces(&self) -> u64 {
        self.n_pieces
    }

    /// What the goal was reached with, in the order of the stretches.
    pub(super) fn reached(self) -> Vec<Entry> {
        self.reached.into_iter().flatten().collect()
    }
}

impl<'d> Source<'d> for Climbs<'_, 'd> {
    fn next(&mut self) -> Option<Episode<'d>> {
        while self.next < self.reached.len() {
            let tag = self.next;
            self.next += 1;
            let entry = self.entries[tag % self.entries.len()];
            match (entry, self.goal) {
                (Entry::Board(board), goal)
                    if goal.is_none_or(|goal| board.wall_height() < goal) =>
                {
                    let end = goal.unwrap_or(ANY_HEIGHT.end);
                    return Some(Episode {
                        tag,
                        board,
                        dealer: (self.dealer)(tag as u64),
                        cap: LONGEST_CLIMB,
                        heights: self.splitting.down + 1..end,
                    });
                }
                // It is there already.
                _ => self.reached[tag] = Some(entry),
            }
        }
        None
    }

    fn ended(&mut self, episode: &mut Episode<'d>, score: Score, end: End) -> bool {
        self.n_pieces += score.pieces;
        self.reached[episode.tag] = match end {
            End::High => Some(Entry::Board(episode.board)),
            End::Over => Some(Entry::over(&episode.board)),
            End::Low | End::Capped => None,
        };
        false
    }
}
