//! Climbs from a level: up to the next one, or down.

use super::config::SplittingConfig;
use super::streams::LevelEntry;
use crate::batch::{ANY_HEIGHT, Episode, EpisodeEnd, EpisodeSource, PieceDealer};
use crate::rules::GameScore;

/// A climb of more pieces than this counts as down: it has reached nothing.
const LONGEST_CLIMB: u64 = 1_000_000;

/// All climbs from one level: equally many from each board that reached it.
pub(super) struct ClimbEpisodes<'a, 'd> {
    splitting: &'a SplittingConfig,
    entries: &'a [LevelEntry],
    /// The height of the next level; `None` beyond the last one, where only the game's end counts.
    goal: Option<u32>,
    dealer: &'a dyn Fn(u64) -> PieceDealer<'d>,
    /// Every climb's state when it reached its goal, if it did.
    reached: Vec<Option<LevelEntry>>,
    next: usize,
    n_pieces: u64,
}

impl<'a, 'd> ClimbEpisodes<'a, 'd> {
    pub(super) fn new(
        splitting: &'a SplittingConfig,
        entries: &'a [LevelEntry],
        level: usize,
        goal: Option<u32>,
        dealer: &'a dyn Fn(u64) -> PieceDealer<'d>,
    ) -> Self {
        let n_each = (splitting.climbs.at(level) as usize).div_ceil(entries.len());
        let reached = vec![None; n_each * entries.len()];
        Self { splitting, entries, goal, dealer, reached, next: 0, n_pieces: 0 }
    }

    pub(super) fn n_begun(&self) -> u64 {
        self.reached.len() as u64
    }

    pub(super) fn n_pieces(&self) -> u64 {
        self.n_pieces
    }

    /// Returns the states at the goal, in the order of the climbs.
    pub(super) fn reached(self) -> Vec<LevelEntry> {
        self.reached.into_iter().flatten().collect()
    }
}

impl<'d> EpisodeSource<'d> for ClimbEpisodes<'_, 'd> {
    fn next(&mut self) -> Option<Episode<'d>> {
        while self.next < self.reached.len() {
            let tag = self.next;
            self.next += 1;
            let entry = self.entries[tag % self.entries.len()];
            match (entry, self.goal) {
                (LevelEntry::InPlay(board, supply), goal)
                    if goal.is_none_or(|goal| board.wall_height() < goal) =>
                {
                    let end = goal.unwrap_or(ANY_HEIGHT.end);
                    return Some(Episode {
                        tag,
                        player: 0,
                        board,
                        supply,
                        dealer: (self.dealer)(tag as u64),
                        cap: LONGEST_CLIMB,
                        heights: self.splitting.down + 1..end,
                    });
                }
                // The entry has reached the goal already.
                _ => self.reached[tag] = Some(entry),
            }
        }
        None
    }

    fn ended(&mut self, episode: &mut Episode<'d>, score: GameScore, end: EpisodeEnd) -> bool {
        self.n_pieces += score.pieces;
        self.reached[episode.tag] = match end {
            EpisodeEnd::High => Some(LevelEntry::InPlay(episode.board, episode.supply)),
            EpisodeEnd::Over => Some(LevelEntry::over(&episode.board)),
            EpisodeEnd::Low | EpisodeEnd::Capped => None,
        };
        false
    }
}
