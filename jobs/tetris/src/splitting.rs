//! Multilevel splitting: estimates of the length of games that hardly ever end.
//!
//! A good controller's wall is low nearly all the time. Now and then it rises to a *level*, and
//! once in many thousands of times it rises further, to the top. Games that are played one after
//! the other end, in the long run, once per mean game length. That rate is split into factors: the
//! rate at which a low wall rises to the first level, and for each level the share of *climbs* from
//! it that reach the next level, or the game's end, before the wall is low again. Each share is
//! measured from the boards on which the level was reached, several times from each (fixed-effort
//! splitting; Glasserman, Heidelberger, Shahabuddin & Zajic, "Multilevel Splitting for Estimating
//! Rare Event Probabilities", Operations Research 47, 1999). The product of these factors is an
//! unbiased estimate of the rate, because equally many climbs start from every board that reached
//! a level. With a board, its climbs have the same rest of the bag, known next pieces and held
//! piece.

mod climbs;
mod config;
mod streams;

use std::convert::Infallible;
use std::ops::ControlFlow;

use hatchery_core::{InvalidValue, TrialPulse, WireValue};
use serde::{Deserialize, Serialize};

use crate::batch::{BeatingEpisodes, EpisodeSource, InstructionSet, PieceDealer, play_episodes};
use crate::players::PlacementPolicy;
use crate::rules::GameRules;

use climbs::ClimbEpisodes;
use streams::{LevelEntry, StreamEpisodes};

pub use config::{LevelClimbs, MAX_LEVELS, SplittingConfig};

/// The most pieces of a trial, on average: ten hours of a core. The pieces from 10^8 trials, the
/// most trials in a series, fit into 64 bits.
pub(crate) const MAX_PIECES: u64 = u64::MAX / 100_000_000;

/// The counts from one replicate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, WireValue)]
#[wire(try_from = SplitMessage)]
pub struct SplittingReplicate {
    /// The pieces of the streams that count.
    pub pieces: u64,
    /// The number of times that the first level was reached during these pieces.
    pub rises: u64,
    /// Two numbers for every level: how many climbs began there, and how many climbs reached the
    /// next level. At the last level, the second number counts climbs to the game's end. The list
    /// ends at the level where no climb reached further.
    pub levels: Vec<LevelCounts>,
    /// The full cells of the boards on which games ended.
    pub cells: u64,
    /// All pieces that were played.
    pub work: u64,
}

/// The climbs from a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelCounts {
    /// The number of climbs that began.
    pub begun: u64,
    /// The number of climbs that reached the next level, or the end.
    pub reached: u64,
}

/// A [`SplittingReplicate`] on the wire.
#[derive(WireValue)]
struct SplitMessage {
    #[wire(tag = 1, range(min = 1))]
    pieces: u64,
    #[wire(tag = 2)]
    rises: u64,
    /// The numbers of climbs begun and reached, level by level.
    #[wire(tag = 3)]
    levels: Vec<u64>,
    #[wire(tag = 4, range(max = MAX_PIECES))]
    cells: u64,
    #[wire(tag = 5, range(max = MAX_PIECES))]
    work: u64,
}

impl From<&SplittingReplicate> for SplitMessage {
    fn from(replicate: &SplittingReplicate) -> Self {
        let SplittingReplicate { pieces, rises, ref levels, cells, work } = *replicate;
        let levels = levels.iter().flat_map(|level| [level.begun, level.reached]).collect();
        Self { pieces, rises, levels, cells, work }
    }
}

impl TryFrom<SplitMessage> for SplittingReplicate {
    type Error = InvalidValue;

    fn try_from(message: SplitMessage) -> Result<Self, InvalidValue> {
        let SplitMessage { pieces, rises, levels, cells, work } = message;
        let (pairs, rest) = levels.as_chunks::<2>();
        let is_sound =
            pairs.iter().all(|[begun, reached]| reached <= begun && *begun <= MAX_PIECES);
        if !is_sound || !rest.is_empty() || MAX_LEVELS < pairs.len() {
            let expected = "pairs of begun and reached";
            return Err(InvalidValue::new("levels", &levels.len(), expected));
        }
        if pieces < rises || work < pieces {
            return Err(InvalidValue::new("rises", &rises, "at most one per piece"));
        }
        let levels = pairs.iter().map(|&[begun, reached]| LevelCounts { begun, reached }).collect();
        Ok(Self { pieces, rises, levels, cells, work })
    }
}

impl SplittingConfig {
    /// Runs a replicate. `dealer` returns the dealer for a part of the replicate, by the part's
    /// number.
    #[must_use]
    pub fn replicate<'d>(
        &self,
        policy: &PlacementPolicy,
        rules: GameRules,
        dealer: &dyn Fn(u64) -> PieceDealer<'d>,
        instructions: InstructionSet,
    ) -> SplittingReplicate {
        let play = |source: &mut dyn EpisodeSource<'d>| {
            play_episodes(&[policy], rules, source, instructions);
            ControlFlow::<Infallible>::Continue(())
        };
        let ControlFlow::Continue(split) = self.replicate_by(rules, dealer, play);
        split
    }

    /// Runs a replicate with the pulse of its trial; breaks if that does.
    pub(crate) fn beating_replicate<'d>(
        &self,
        policy: &PlacementPolicy,
        rules: GameRules,
        dealer: &dyn Fn(u64) -> PieceDealer<'d>,
        pulse: &mut TrialPulse<'_>,
    ) -> ControlFlow<(), SplittingReplicate> {
        self.replicate_by(rules, dealer, |source| {
            let mut source = BeatingEpisodes { source, pulse };
            play_episodes(&[policy], rules, &mut source, InstructionSet::fastest());
            pulse.flow()
        })
    }

    /// Runs a replicate, whose episodes are played by `play`; breaks if that does.
    fn replicate_by<'d, B>(
        &self,
        rules: GameRules,
        dealer: &dyn Fn(u64) -> PieceDealer<'d>,
        mut play: impl FnMut(&mut dyn EpisodeSource<'d>) -> ControlFlow<B>,
    ) -> ControlFlow<B, SplittingReplicate> {
        let mut streams = StreamEpisodes::new(self, rules, dealer);
        play(&mut streams)?;
        let mut split = SplittingReplicate {
            pieces: u64::from(self.streams) * u64::from(self.pieces),
            work: streams.n_pieces(),
            ..SplittingReplicate::default()
        };
        let mut entries = streams.rises();
        split.rises = entries.len() as u64;
        let levels = self.levels(rules.size);
        let goals = levels.iter().skip(1).copied().map(Some).chain([None]);
        for (idx, goal) in goals.enumerate() {
            if entries.is_empty() {
                return ControlFlow::Continue(split);
            }
            let part = move |climb: u64| dealer((idx as u64 + 1) << 32 | climb);
            let mut climbs = ClimbEpisodes::new(self, &entries, idx, goal, &part);
            play(&mut climbs)?;
            let begun = climbs.n_begun();
            split.work += climbs.n_pieces();
            entries = climbs.reached();
            split.levels.push(LevelCounts { begun, reached: entries.len() as u64 });
        }
        let cells =
            |entry: &LevelEntry| if let LevelEntry::Over(cells) = entry { *cells } else { 0 };
        split.cells = entries.iter().map(cells).sum();
        ControlFlow::Continue(split)
    }
}

impl SplittingReplicate {
    /// Returns the estimate of the rate at which games end, per piece: 0 if no game ended.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    pub fn hazard(&self) -> f64 {
        let rate = self.rises as f64 / self.pieces.max(1) as f64;
        self.levels
            .iter()
            .fold(rate, |rate, level| rate * (level.reached as f64 / level.begun.max(1) as f64))
    }

    /// Like [`hazard`](Self::hazard), but counts half a climb where none went on, so that the rate
    /// is never 0. For comparisons, for which an unbiased estimate of 0 would be useless.
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

    /// Returns the number of games that ended.
    #[must_use]
    pub fn n_ends(&self) -> u64 {
        // If levels are missing, no climb went on from the last one.
        self.levels.last().map_or(0, |level| level.reached)
    }
}

/// Returns the mean rows of a game whose mean length in pieces is `pieces` on a board of `width`,
/// with `cells` full cells left at its end: each piece has four cells, each row `width`.
#[must_use]
pub fn mean_lines(pieces: f64, width: u32, cells: f64) -> f64 {
    ((4.0 * pieces - cells) / f64::from(width)).max(0.0)
}
