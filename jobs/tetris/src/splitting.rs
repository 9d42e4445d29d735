//! Multilevel splitting: how long games are that hardly ever end.
//!
//! A good controller's wall is low nearly all the time; now and then it rises to a *level*, and once
//! in many thousands of times it goes on to the top. Games that are played one after the other end,
//! in the long run, once per mean game length. That rate is taken apart: how often a wall that was
//! down rises to the first level, and which share of those that reached a level also reach the next
//! one, or the end, before they are down again. Each share is measured from the boards on which the
//! level was reached, several times from each (fixed-effort splitting; Glasserman, Heidelberger,
//! Shahabuddin & Zajic, "Multilevel Splitting for Estimating Rare Event Probabilities", Operations
//! Research 47, 1999). The product of all is an unbiased estimate of the rate, since every board
//! that reached a level is gone on from equally often.

mod climbs;
mod streams;

use climbs::Climbs;
use serde::{Deserialize, Serialize};
use streams::Streams;

use crate::batch::{Dealer, Path, Source, play_episodes};
use crate::players::Policy;
use crate::rules::{Board, BoardSize, Rules};

/// A stretch that is longer than this many pieces counts as down: it leads nowhere.
const LONGEST_CLIMB: u64 = 1_000_000;

/// The most levels: no board has more rows.
pub const MAX_LEVELS: usize = 32;

/// How the rate is taken apart, and how much is played for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Splitting {
    /// A wall of at most this height is down: below `first_level`.
    pub down: u32,
    /// The height of the first level: at most that of the board.
    pub first_level: u32,
    /// The rows from one level to the next, at least 1; the board's height is always one.
    pub step: u32,
    /// Stretches played from each level, at least.
    pub climbs: u32,
    /// Streams of games in which the first level is waited for.
    pub streams: u32,
    /// The pieces at the beginning of each stream that do not count: its game has just begun.
    pub burn_in: u32,
    /// The pieces of each stream that count.
    pub pieces: u32,
}

impl Default for Splitting {
    /// A replicate of a million pieces on 10x20.
    fn default() -> Self {
        Self {
            down: 5,
            first_level: 8,
            step: 2,
            climbs: 4000,
            streams: 128,
            burn_in: 500,
            pieces: 2000,
        }
    }
}

/// What one replicate came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// The pieces of the streams that count.
    pub pieces: u64,
    /// How often the first level was reached meanwhile.
    pub rises: u64,
    /// For each level how many stretches began there, and how many of them reached the next one; of
    /// the last, how many reached the game's end. It stops where none did.
    pub levels: Vec<Level>,
    /// The full cells of the boards on which games ended.
    pub cells: u64,
    /// All pieces that were played.
    pub work: u64,
}

/// The stretches that began at a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// How many.
    pub begun: u64,
    /// How many reached the next level, or the end.
    pub reached: u64,
}

/// What a level was reached with.
#[derive(Clone, Copy)]
enum Entry {
    /// This board.
    Board(Board),
    /// The game was over before: it has passed all levels. The full cells of its board.
    Over(u64),
}

impl Entry {
    fn over(board: &Board) -> Self {
        Self::Over(board.columns().iter().map(|column| u64::from(column.count_ones())).sum())
    }
}

impl Splitting {
    /// The heights of the levels on a board of `size`.
    #[must_use]
    pub fn levels(&self, size: BoardSize) -> Vec<u32> {
        let below = (self.first_level..size.height()).step_by(self.step as usize);
        below.chain([size.height()]).collect()
    }

    /// A replicate: `dealer` gives what deals the pieces of each part of it, by the part's number.
    #[must_use]
    pub fn replicate<'d>(
        &self,
        policy: &Policy,
        rules: Rules,
        dealer: &dyn Fn(u64) -> Dealer<'d>,
        path: Path,
    ) -> Split {
        let play = |source: &mut dyn Source<'d>| play_episodes(policy, rules, source, path);
        let mut streams = Streams::new(*self, rules.size, dealer);
        play(&mut streams);
        let mut split = Split {
            pieces: u64::from(self.streams) * u64::from(self.pieces),
            work: streams.n_pieces(),
            ..Split::default()
        };
        let mut entries = streams.rises();
        split.rises = entries.len() as u64;
        let levels = self.levels(rules.size);
        let goals = levels.iter().skip(1).copied().map(Some).chain([None]);
        for (goal, level) in goals.zip(1_u64..) {
            if entries.is_empty() {
                return split;
            }
            let part = move |climb: u64| dealer(level << 32 | climb);
            let mut climbs = Climbs::new(*self, &entries, goal, &part);
            play(&mut climbs);
            let begun = climbs.n_begun();
            split.work += climbs.n_pieces();
            entries = climbs.reached();
            split.levels.push(Level { begun, reached: entries.len() as u64 });
        }
        let cells = |entry: &Entry| if let Entry::Over(cells) = entry { *cells } else { 0 };
        split.cells = entries.iter().map(cells).sum();
        split
    }
}

impl Split {
    /// The estimate of the rate at which games end, per piece: 0 if none did.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    pub fn hazard(&self) -> f64 {
        let rate = self.rises as f64 / self.pieces.max(1) as f64;
        self.levels
            .iter()
            .fold(rate, |rate, level| rate * (level.reached as f64 / level.begun.max(1) as f64))
    }

    /// As [`hazard`](Self::hazard), but where no stretch went on half a one did: no rate is 0. It
    /// is for comparisons, which an unbiased estimate of 0 would be of no use to.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    pub fn positive_hazard(&self) -> f64 {
        let share = |reached: u64, begun: u64| {
            let reached = if reached == 0 { 0.5 } else { reached as f64 };
            reached / begun.max(1) as f64
        };
        let rate = share(self.rises, self.pieces);
        self.levels.iter().fold(rate, |rate, level| rate * share(level.reached, level.begun))
    }

    /// The number of games whose end was seen.
    #[must_use]
    pub fn n_ends(&self) -> u64 {
        // Where levels are missing, nothing went on from the last.
        self.levels.last().map_or(0, |level| level.reached)
    }
}

/// The mean rows of a game whose mean length in pieces is `pieces` on a board of `width`, with
/// `cells` full cells left at its end: each piece has four cells, each row `width`.
#[must_use]
pub fn mean_lines(pieces: f64, width: u32, cells: f64) -> f64 {
    ((4.0 * pieces - cells) / f64::from(width)).max(0.0)
}
