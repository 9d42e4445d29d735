//! The results of trials: what was evolved, how it settled, and how it was played.
//!
//! All numbers are integers: fitness and speeds in millionths, times in milliseconds.

use std::cmp::Reverse;
use std::fmt::Display;

use hatchery_core::{InvalidValue, Tally, WireValue};

use crate::evolution::fitness::LevelFitness;
use crate::evolution::{EvolutionStop, EvolvedLevel, GenerationFitness};
use crate::level::{Level, LevelSurroundings};
use crate::world::LevelSettling;
use crate::world::ballistics::{LAUNCH_SPEED, LaunchVelocity};
use crate::world::playout::LevelPlayout;

/// The number of millionths in 1.
pub const MILLION: f64 = 1e6;

/// The names of the terms of a fitness in tables, in their order.
pub(crate) const FITNESS_TERMS: [&str; 4] =
    ["stability_term", "block_term", "pig_term", "other_terms"];

/// The results of a single series, in the order of its trials.
#[derive(Clone, Debug, PartialEq, WireValue)]
pub struct LevelResults {
    /// The results, trial by trial.
    #[wire(tag = 1, length(min = 1))]
    pub trials: Vec<LevelResult>,
}

/// The result of a trial.
#[derive(Clone, Debug, PartialEq, WireValue)]
#[wire(check)]
pub struct LevelResult {
    /// The number of blocks.
    #[wire(tag = 1, range(max = MAX_ELEMENTS))]
    pub blocks: u32,
    /// The number of pigs, before the level settles.
    #[wire(tag = 2)]
    pub pigs: u32,
    /// The motion before the first bird.
    #[wire(tag = 3)]
    pub settled: SettlingRecord,
    /// The evolution; `None` of a level that was given.
    #[wire(tag = 4)]
    pub evolution: Option<EvolutionRecord>,
    /// The play-out; `None` if nobody played.
    #[wire(tag = 5)]
    pub play: Option<PlayRecord>,
    /// The level, if it was asked for.
    #[wire(tag = 6)]
    pub level: Option<Level>,
    /// The simulated time of the evaluations and the play-out together.
    #[wire(tag = 7)]
    pub simulated_ms: u32,
}

/// The motion of a level before the first bird.
#[derive(Clone, Copy, Debug, PartialEq, Eq, WireValue)]
pub struct SettlingRecord {
    /// The mean speed of blocks and pigs, from 0 to 1, in millionths.
    #[wire(tag = 1, range(max = 1_000_000))]
    pub speed: u32,
    /// The blocks and pigs that [have moved](crate::world::ElementSettling::has_moved).
    #[wire(tag = 2)]
    pub moved: u32,
    /// The blocks and pigs that do not move any more.
    #[wire(tag = 3)]
    pub asleep: u32,
    /// The pigs that are left.
    #[wire(tag = 4)]
    pub pigs_left: u32,
}

/// An evolution, in numbers.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
#[wire(check)]
pub struct EvolutionRecord {
    /// The generations, the random first one included.
    #[wire(tag = 1, range(min = 1, max = MOST_EVALUATIONS))]
    pub generations: u32,
    /// The levels that were evaluated.
    #[wire(tag = 2, range(max = MOST_EVALUATIONS))]
    pub evaluations: u32,
    /// The individuals whose genome was known.
    #[wire(tag = 3, range(max = MOST_EVALUATIONS))]
    pub cached: u32,
    /// True if the best fitness did not change any more, false if the generations were used up.
    #[wire(tag = 4)]
    pub has_settled: bool,
    /// The fitness of the best level; `None` if no level with blocks or pigs was found.
    #[wire(tag = 5)]
    pub fitness: Option<FitnessTerms>,
    /// The fitness in the first generations, at most [`MAX_HISTORY`](Self::MAX_HISTORY).
    #[wire(tag = 6)]
    pub history: Vec<PopulationRecord>,
}

/// The terms of a fitness in millionths: stability, blocks, pigs, and others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, WireValue)]
pub struct FitnessTerms {
    /// The terms.
    #[wire(flatten = 1, inner(range(max = MOST_MILLIONTHS)))]
    pub terms: [u64; 4],
}

/// The fitness of the population in a generation of an evolution, in millionths; `None` if all
/// levels are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, WireValue)]
pub struct PopulationRecord {
    /// The best fitness.
    #[wire(tag = 1, range(max = MOST_MILLIONTHS))]
    pub best: Option<u64>,
    /// The mean fitness of the levels that are not empty.
    #[wire(tag = 2, range(max = MOST_MILLIONTHS))]
    pub mean: Option<u64>,
}

/// A play-out, which [repeats](LevelPlayout::shoot) from its shots.
#[derive(Clone, Debug, PartialEq, WireValue)]
#[wire(check)]
pub struct PlayRecord {
    /// The birds at the start.
    #[wire(tag = 1, range(min = 1, max = MAX_BIRDS))]
    pub birds: u32,
    /// The pigs at the first shot.
    #[wire(tag = 2)]
    pub pigs: u32,
    /// The pigs at the end.
    #[wire(tag = 3)]
    pub pigs_left: u32,
    /// The horizontal velocities of the birds, in the order of their launch.
    #[wire(tag = 4, inner(range(min = -MOST_SPEED, max = MOST_SPEED)))]
    pub shots_x: Vec<f32>,
    /// The vertical velocities of the birds, in the order of their launch.
    #[wire(tag = 5, inner(range(min = -MOST_SPEED, max = MOST_SPEED)))]
    pub shots_y: Vec<f32>,
}

/// The most generations of an evolution, and evaluations in it.
const MOST_EVALUATIONS: u32 = 1_000_000_000;

/// The most millionths of a term: that of any number is less.
const MOST_MILLIONTHS: u64 = 1_000_000_000_000_000;

#[expect(clippy::cast_possible_truncation, reason = "a thousand")]
const MAX_ELEMENTS: u32 = Level::MAX_ELEMENTS as u32;

#[expect(clippy::cast_possible_truncation, reason = "some birds")]
const MAX_BIRDS: u32 = LevelSurroundings::MAX_BIRDS as u32;

/// The most of either part of a velocity, with room for rounding.
#[expect(clippy::cast_possible_truncation, reason = "a small number")]
const MOST_SPEED: f32 = 1.01 * LAUNCH_SPEED as f32;

impl Tally for LevelResults {
    fn n_trials(&self) -> u64 {
        self.trials.len() as u64
    }

    fn absorb(&mut self, later: Self) {
        self.trials.extend(later.trials);
    }
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
        let fitness = Some(FitnessTerms { terms: [stability, blocks, pigs, other] });
        Self { fitness, ..Self::numbers(evolved) }
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

    fn check(&self) -> Result<(), InvalidValue> {
        let n_recorded = Self::MAX_HISTORY.min(self.generations as usize);
        check_equal("history", self.history.len(), n_recorded)
    }

    /// Returns the whole fitness in millionths; `None` if it is infinite.
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        self.fitness.map(|it| it.terms.iter().sum())
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
            shots_x: playout.shots().iter().map(|shot| shot.x).collect(),
            shots_y: playout.shots().iter().map(|shot| shot.y).collect(),
        }
    }

    fn check(&self) -> Result<(), InvalidValue> {
        InvalidValue::check_range("pigs_left", &self.pigs_left, &0, &self.pigs)?;
        // The play-out of a level goes on while there are pigs and birds.
        let (least, most) = match (self.pigs, self.pigs_left) {
            (0, _) => (0, 0),
            (_, 0) => (1, self.birds as usize),
            _ => (self.birds as usize, self.birds as usize),
        };
        InvalidValue::check_range("shots_x", &self.shots_x.len(), &least, &most)?;
        check_equal("shots_y", self.shots_y.len(), self.shots_x.len())
    }

    /// Returns the velocities of the birds launched.
    pub fn shots(&self) -> impl Iterator<Item = LaunchVelocity> {
        self.shots_x.iter().zip(&self.shots_y).map(|(&x, &y)| LaunchVelocity { x, y })
    }

    /// Returns the number of birds launched.
    #[must_use]
    pub fn birds_used(&self) -> u32 {
        count(self.shots_x.len())
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

fn check_equal<T: Copy + PartialEq + Display>(
    key: &str,
    n: T,
    expected: T,
) -> Result<(), InvalidValue> {
    if n == expected { Ok(()) } else { Err(InvalidValue::new(key, &n, expected.to_string())) }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

impl LevelResult {
    fn check(&self) -> Result<(), InvalidValue> {
        let Self { blocks, pigs, settled, play, level, .. } = self;
        InvalidValue::check_range("pigs", pigs, &0, &(MAX_ELEMENTS - blocks))?;
        let n_elements = blocks + pigs;
        InvalidValue::check_range("settled.moved", &settled.moved, &0, &n_elements)?;
        InvalidValue::check_range("settled.asleep", &settled.asleep, &0, &n_elements)?;
        InvalidValue::check_range("settled.pigs_left", &settled.pigs_left, &0, pigs)?;
        if let Some(play) = play {
            check_equal("play.pigs", play.pigs, settled.pigs_left)?;
        }
        if let Some(level) = level {
            check_equal("level.blocks", level.blocks().len(), *blocks as usize)?;
            check_equal("level.pigs", level.pigs().len(), *pigs as usize)?;
        }
        Ok(())
    }

    /// Returns the number of levels that were evaluated: the levels of the evolution, and the level
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

    /// Returns the share of `n` blocks and pigs among the blocks and pigs of the level; `None` if
    /// the level has neither.
    #[must_use]
    pub fn share(&self, n: u32) -> Option<f64> {
        let all = self.blocks + self.pigs;
        (all != 0).then(|| f64::from(n) / f64::from(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::LevelElements;

    /// Returns the result of a level that was evolved for two generations and played with one bird.
    fn result() -> LevelResult {
        let generation = PopulationRecord { best: Some(0), mean: None };
        let (shots_x, shots_y) = (vec![-10.0], vec![0.5]);
        LevelResult {
            blocks: 3,
            pigs: 2,
            settled: SettlingRecord { speed: 1_000_000, moved: 5, asleep: 0, pigs_left: 1 },
            evolution: Some(EvolutionRecord {
                generations: 2,
                evaluations: 40,
                cached: 0,
                has_settled: true,
                fitness: Some(FitnessTerms { terms: [0, 1, 2, 3] }),
                history: vec![generation; 2],
            }),
            play: Some(PlayRecord { birds: 1, pigs: 1, pigs_left: 1, shots_x, shots_y }),
            level: None,
            simulated_ms: 9,
        }
    }

    fn evolution(it: &mut LevelResult) -> &mut EvolutionRecord {
        it.evolution.as_mut().unwrap()
    }

    fn play(it: &mut LevelResult) -> &mut PlayRecord {
        it.play.as_mut().unwrap()
    }

    #[test]
    fn bytes_of_results_that_contradict_themselves_are_refused() {
        let check = |change: fn(&mut LevelResult), expected: &str| {
            let mut results = LevelResults { trials: vec![result()] };
            assert_eq!(LevelResults::decode(&results.encode()).unwrap(), results);
            change(&mut results.trials[0]);
            let error = LevelResults::decode(&results.encode()).unwrap_err().to_string();
            assert_eq!(error.strip_prefix("trials.0."), Some(expected), "{error}");
        };
        check(|it| it.blocks = 1001, "blocks is 1001, but must be at most 1000");
        check(|it| it.blocks = 999, "pigs is 2, but must be from 0 to 1");
        check(|it| it.settled.asleep = 6, "settled.asleep is 6, but must be from 0 to 5");
        check(|it| it.settled.pigs_left = 3, "settled.pigs_left is 3, but must be from 0 to 2");
        check(|it| it.settled.pigs_left = 2, "play.pigs is 1, but must be 2");
        let level = |it: &mut LevelResult| {
            let level = Level::new(LevelSurroundings::with_red_birds(1), LevelElements::default());
            it.level = level.ok();
        };
        check(level, "level.blocks is 0, but must be 3");
        check(|it| evolution(it).generations = 3, "evolution.history is 2, but must be 3");
        let terms = "evolution.fitness.terms.3 is 1000000000000001, but must be at most \
                     1000000000000000";
        check(|it| evolution(it).fitness.as_mut().unwrap().terms[3] = MOST_MILLIONTHS + 1, terms);
        check(|it| play(it).pigs_left = 2, "play.pigs_left is 2, but must be from 0 to 1");
        check(|it| play(it).shots_x.push(0.0), "play.shots_x is 2, but must be from 1 to 1");
        check(|it| play(it).shots_y.push(0.0), "play.shots_y is 2, but must be 1");
        let fast = "play.shots_y.0 is 10.2, but must be from -10.1 to 10.1";
        check(|it| play(it).shots_y[0] = 10.2, fast);
    }
}
