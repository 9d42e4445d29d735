//! The results of trials: what was evolved, how it settled, and how it was played.
//!
//! All numbers are integers: fitness and speeds in millionths, times in milliseconds.

use std::cmp::Reverse;

use crate::ballistics::LaunchVelocity;
use crate::evolution::{EvolutionStop, EvolvedLevel, GenerationFitness};
use crate::fitness::LevelFitness;
use crate::level::Level;
use crate::playout::LevelPlayout;
use crate::world::LevelSettling;

/// The number of millionths in 1.
pub const MILLION: f64 = 1e6;

/// The names of the terms of a fitness in tables, in their order.
pub(crate) const FITNESS_TERMS: [&str; 4] =
    ["stability_term", "block_term", "pig_term", "other_terms"];

/// The results of the trials of one series, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelResults(pub Vec<LevelResult>);

/// The result of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelResult {
    /// The number of blocks.
    pub blocks: u32,
    /// The number of pigs, before the level settles.
    pub pigs: u32,
    /// The motion before the first bird.
    pub settled: SettlingRecord,
    /// The evolution; `None` of a level that was given.
    pub evolution: Option<EvolutionRecord>,
    /// The play-out; `None` if nobody played.
    pub play: Option<PlayRecord>,
    /// The level, if it was asked for.
    pub level: Option<Level>,
    /// The simulated time of all evaluations and of the play-out.
    pub simulated_ms: u32,
}

/// The motion of a level before the first bird.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettlingRecord {
    /// The mean speed of blocks and pigs, from 0 to 1, in millionths.
    pub speed: u32,
    /// The blocks and pigs that [have moved](crate::world::ElementSettling::has_moved).
    pub moved: u32,
    /// The blocks and pigs that do not move any more.
    pub asleep: u32,
    /// The pigs that are left.
    pub pigs_left: u32,
}

/// An evolution, in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvolutionRecord {
    /// The generations, the random first one included.
    pub generations: u32,
    /// The levels that were evaluated.
    pub evaluations: u32,
    /// The individuals whose genome was known.
    pub cached: u32,
    /// True if the best fitness did not change any more, false if the generations were used up.
    pub has_settled: bool,
    /// The terms of the best level's fitness in millionths: stability, blocks, pigs, and others;
    /// `None` if no level with blocks or pigs was found.
    pub fitness: Option<[u64; 4]>,
    /// The fitness in the first generations, at most [`MAX_HISTORY`](Self::MAX_HISTORY).
    pub history: Vec<PopulationRecord>,
}

/// The fitness of the population in a generation of an evolution, in millionths; `None` if all
/// levels are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PopulationRecord {
    /// The best fitness.
    pub best: Option<u64>,
    /// The mean fitness of the levels that are not empty.
    pub mean: Option<u64>,
}

/// A play-out, which [repeats](LevelPlayout::shoot) from its shots.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayRecord {
    /// The birds at the start.
    pub birds: u32,
    /// The pigs at the first shot.
    pub pigs: u32,
    /// The pigs at the end.
    pub pigs_left: u32,
    /// The velocities of the birds launched.
    pub shots: Vec<LaunchVelocity>,
}

impl EvolutionRecord {
    /// The most generations whose fitness is recorded.
    pub const MAX_HISTORY: usize = 300;

    /// Returns the record of `evolved`.
    #[must_use]
    pub fn of(evolved: &EvolvedLevel) -> Self {
        let LevelFitness { stability, blocks, pigs, other } = evolved.fitness;
        let terms = [stability, blocks, pigs, other].map(millionths);
        let [Some(stability), Some(blocks), Some(pigs), Some(other)] = terms else {
            return Self { fitness: None, ..Self::numbers(evolved) };
        };
        Self { fitness: Some([stability, blocks, pigs, other]), ..Self::numbers(evolved) }
    }

    fn numbers(evolved: &EvolvedLevel) -> Self {
        let history = evolved.history.iter().take(Self::MAX_HISTORY);
        Self {
            generations: count(evolved.history.len()),
            evaluations: evolved.n_evaluations,
            cached: evolved.n_cached,
            has_settled: evolved.stop == EvolutionStop::EqualBests,
            fitness: None,
            history: history.map(PopulationRecord::of).collect(),
        }
    }

    /// Returns the whole fitness in millionths; `None` if it is infinite.
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        self.fitness.map(|terms| terms.iter().sum())
    }
}

impl PopulationRecord {
    fn of(generation: &GenerationFitness) -> Self {
        Self { best: millionths(generation.best), mean: millionths(generation.mean) }
    }
}

impl SettlingRecord {
    /// Returns the record of `settling`.
    #[must_use]
    pub fn of(settling: &LevelSettling) -> Self {
        let n_moved = settling.elements.iter().filter(|element| element.has_moved()).count();
        let n_asleep = settling.elements.iter().filter(|element| element.is_asleep()).count();
        let speed = settling.mean_speed().and_then(millionths).unwrap_or(0);
        Self {
            speed: u32::try_from(speed).unwrap_or(u32::MAX),
            moved: count(n_moved),
            asleep: count(n_asleep),
            pigs_left: count(settling.n_pigs_left()),
        }
    }

    /// Returns the mean speed of blocks and pigs, from 0 to 1.
    #[must_use]
    pub fn mean_speed(self) -> f64 {
        from_millionths(self.speed.into())
    }
}

impl PlayRecord {
    /// Returns the record of a play-out with `birds` at its start.
    #[must_use]
    pub fn of(playout: &LevelPlayout, birds: usize) -> Self {
        let result = playout.result();
        Self {
            birds: count(birds),
            pigs: result.pigs_killed + result.pigs_left,
            pigs_left: result.pigs_left,
            shots: playout.shots().to_vec(),
        }
    }

    /// Returns the number of birds launched.
    #[must_use]
    pub fn birds_used(&self) -> u32 {
        count(self.shots.len())
    }

    /// Returns the success of the player, which is larger the better: whether all pigs were killed,
    /// how many pigs were, and how few birds that took.
    #[must_use]
    pub fn success(&self) -> (bool, u32, Reverse<u32>) {
        let killed = self.pigs.saturating_sub(self.pigs_left);
        (self.is_cleared() && self.pigs != 0, killed, Reverse(self.birds_used()))
    }

    /// Returns true if there were pigs, and none is left.
    #[must_use]
    pub const fn is_cleared(&self) -> bool {
        self.pigs != 0 && self.pigs_left == 0
    }
}

/// Returns a number that is not negative in millionths; `None` if it is infinite or none.
fn millionths(number: f64) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1e15")]
    number.is_finite().then(|| libm::round(MILLION * number.clamp(0.0, 1e9)) as u64)
}

/// Returns millionths as a number.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "at most 1e15")]
pub fn from_millionths(millionths: u64) -> f64 {
    millionths as f64 / MILLION
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

impl LevelResult {
    /// Returns the number of levels that were evaluated: those of the evolution, and the level
    /// itself.
    #[must_use]
    pub fn n_evaluations(&self) -> u64 {
        1 + self.evolution.as_ref().map_or(0, |record| u64::from(record.evaluations))
    }

    /// Returns the fitness of an evolved level; `None` of others, and if it is infinite.
    #[must_use]
    pub fn fitness(&self) -> Option<f64> {
        self.evolution.as_ref()?.total().map(from_millionths)
    }

    /// Returns the share that `n` blocks and pigs are of all; `None` if there are none.
    #[must_use]
    pub fn share(&self, n: u32) -> Option<f64> {
        let all = self.blocks + self.pigs;
        (all != 0).then(|| f64::from(n) / f64::from(all))
    }
}
