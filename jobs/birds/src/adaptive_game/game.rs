//! The game: its levels, and the shots in them.

use std::ops::ControlFlow;

use hatchery_core::{InvalidValue, RunSeed, SceneSink, TrialContext};

use super::error::AdaptiveGameError;
use crate::adaptation::{AdaptationSettings, AdaptationStep, PlayCounts};
use crate::evolution::fitness::{IdealCounts, PigTerm};
use crate::level::Level;
use crate::trial::scene;
use crate::trial::settled_level::{EvolvedSettledLevel, SettledLevel};
use crate::trial::setup::{EvolutionGoal, StudyRules};
use crate::world::ballistics::{LAUNCH_SPEED, LaunchVelocity};
use crate::world::playout::{LevelPlayout, PlayoutPhase};

/// The most levels of a game. It bounds the time that a saved game takes to be repeated.
pub(super) const MAX_LEVELS: usize = 100;

/// The share that a speed may exceed the highest speed by, to allow for rounding.
const SPEED_ROUNDING: f64 = 1e-6;

/// The name of the seed's tree. With another one, saved games would be other games.
const SEED_NAME: &str = "birds-adaptive-game";

/// The rules of a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AdaptiveRules {
    /// The rules of worlds, evolutions and fitness.
    pub study: StudyRules,
    /// The adaptation, of whose alphas the first one counts.
    pub adaptation: AdaptationSettings,
}

/// A game of levels that adapt to a person.
///
/// Two games are equal if their seeds, rules and shots are. Each level evolves with the numbers of
/// a stream of its own.
#[derive(Clone, Debug)]
pub struct AdaptiveGame {
    seed: u64,
    rules: AdaptiveRules,
    /// The shots in the levels that are over and were followed by another.
    finished: Vec<Vec<LaunchVelocity>>,
    ideal: IdealCounts,
    settled: SettledLevel,
    playout: LevelPlayout,
}

impl AdaptiveRules {
    /// Checks that all settings are in range and fit together.
    ///
    /// # Errors
    /// If they do not; keys begin with `adaptation`, `physics`, `evolution` or `fitness`.
    pub fn check(&self) -> Result<(), InvalidValue> {
        self.study.check()?;
        self.adaptation.check(&self.study.fitness).map_err(|error| error.under("adaptation"))
    }
}

impl AdaptiveGame {
    /// Returns a game at the beginning of its first level.
    ///
    /// # Errors
    /// [`AdaptiveGameError::Rules`]
    pub fn begin(seed: u64, rules: AdaptiveRules) -> Result<Self, AdaptiveGameError> {
        rules.check()?;
        let ideal = rules.adaptation.first();
        let (settled, playout) = evolve(seed, &rules, 0, ideal);
        Ok(Self { seed, rules, finished: Vec::new(), ideal, settled, playout })
    }

    /// Returns the seed.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the ideal numbers of pigs and blocks for which the level was made.
    #[must_use]
    pub const fn ideal(&self) -> IdealCounts {
        self.ideal
    }

    /// Returns the level, before it has settled.
    #[must_use]
    pub const fn level(&self) -> &Level {
        &self.settled.level
    }

    /// Returns the play-out of the level up to now. Its phase is never
    /// [`PlayoutPhase::Flying`].
    #[must_use]
    pub const fn playout(&self) -> &LevelPlayout {
        &self.playout
    }

    /// Iterates over the shots in each level. The last level is the one that is played.
    pub fn shots(&self) -> impl Iterator<Item = &[LaunchVelocity]> {
        self.finished.iter().map(Vec::as_slice).chain([self.playout.shots()])
    }

    /// Launches a bird, lets the world come to rest, and returns the phase that follows.
    ///
    /// # Errors
    /// [`AdaptiveGameError::Velocity`] or [`AdaptiveGameError::Over`]; the game is unchanged.
    pub fn shoot(&mut self, velocity: LaunchVelocity) -> Result<PlayoutPhase, AdaptiveGameError> {
        if !(0.0..=1.0 + SPEED_ROUNDING).contains(&velocity.stretch()) {
            return Err(AdaptiveGameError::Velocity { velocity, max: LAUNCH_SPEED });
        }
        if self.playout.phase() != PlayoutPhase::Aiming {
            return Err(AdaptiveGameError::Over);
        }
        Ok(self.playout.shoot(velocity))
    }

    /// Adapts the ideal numbers to the play-out of this level, begins the next level, and returns
    /// what followed.
    ///
    /// # Errors
    /// [`AdaptiveGameError::NotOver`] or [`AdaptiveGameError::TooManyLevels`]; the game is
    /// unchanged.
    pub fn begin_next_level(&mut self) -> Result<AdaptationStep, AdaptiveGameError> {
        if self.playout.phase() != PlayoutPhase::Over {
            return Err(AdaptiveGameError::NotOver);
        }
        let number = self.finished.len() + 1;
        if MAX_LEVELS <= number {
            return Err(AdaptiveGameError::TooManyLevels { max: MAX_LEVELS });
        }
        let AdaptiveRules { study, adaptation } = &self.rules;
        let alpha = adaptation.alphas.first().copied().unwrap_or_default();
        let result = self.playout.result();
        let counts = PlayCounts {
            birds: result.birds_used + result.birds_left,
            birds_left: result.birds_left,
            pigs: result.pigs_killed + result.pigs_left,
            pigs_left: result.pigs_left,
        };
        let step = adaptation.next(alpha, self.ideal, counts, &study.fitness);
        self.finished.push(self.playout.shots().to_vec());
        self.ideal = step.ideal;
        (self.settled, self.playout) = evolve(self.seed, &self.rules, number, self.ideal);
        Ok(step)
    }

    /// Shows the play-out of the level up to now, as [`scene::replay`] does.
    ///
    /// # Errors
    /// Breaks when the sink wants no more.
    pub fn show(&self, sink: &mut dyn SceneSink) -> ControlFlow<()> {
        let SettledLevel { level, world, .. } = &self.settled;
        scene::replay(level, world.clone(), self.playout.shots(), sink)
    }
}

impl PartialEq for AdaptiveGame {
    fn eq(&self, other: &Self) -> bool {
        self.seed == other.seed && self.rules == other.rules && self.shots().eq(other.shots())
    }
}

/// Returns level `number`, counted from 0, before its first shot.
fn evolve(
    seed: u64,
    rules: &AdaptiveRules,
    number: usize,
    ideal: IdealCounts,
) -> (SettledLevel, LevelPlayout) {
    let goal = EvolutionGoal { ideal, pig_term: PigTerm::Proposed };
    let stream = RunSeed::new(SEED_NAME, seed).generation(0).stream("levels").part(number as u64);
    let evolved = EvolvedSettledLevel::new(&rules.study, goal, &stream, &TrialContext::ALONE);
    let settled = evolved.continue_value().expect("nobody stops it").settled;
    let playout = LevelPlayout::new(settled.world.clone());
    (settled, playout)
}
