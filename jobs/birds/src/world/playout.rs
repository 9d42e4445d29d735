//! Play-outs: birds are shot at a level until no pig or no bird is left.

use super::ballistics::LaunchVelocity;
use super::{ElementId, LevelWorld, WorldEvent, WorldEventKind};

/// The seconds from a bird's first hit to the first test if it rests (Science Birds).
const REST_TEST_DELAY: u32 = 3;

/// The speed below which a bird rests (Science Birds).
const REST_SPEED: f32 = 0.001;

/// A level that is being played.
///
/// ```text
///            launch                  at rest, a pig and a bird left
///   Aiming -----------> Flying -------------------------------------> Aiming
///                          | no pig left, or at rest without a bird
///                          `-----------------------------------------> Over
/// ```
#[derive(Clone, Debug)]
pub struct LevelPlayout {
    world: LevelWorld,
    flight: Option<BirdFlight>,
    shots: Vec<LaunchVelocity>,
    events: Vec<WorldEvent>,
    n_pigs_at_start: u32,
    first_step: u32,
}

/// The bird that was launched last, while the world is not at rest.
#[derive(Clone, Copy, Debug)]
struct BirdFlight {
    bird: ElementId,
    launch_step: u32,
    first_hit_step: Option<u32>,
}

/// The phase of a play-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayoutPhase {
    /// A bird can be launched.
    Aiming,
    /// A bird flies, or things still move.
    Flying,
    /// No pig is left, or no bird.
    Over,
}

/// The numbers of a play-out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayoutResult {
    /// The verdict.
    pub outcome: PlayoutOutcome,
    /// The birds launched.
    pub birds_used: u32,
    /// The birds that were not launched.
    pub birds_left: u32,
    /// The pigs that died since the first launch. Pigs that died before, while the level settled,
    /// count nowhere.
    pub pigs_killed: u32,
    /// The pigs that are left.
    pub pigs_left: u32,
    /// The time steps since the first launch.
    pub n_steps: u32,
    /// The seconds that these steps stand for.
    pub seconds: f64,
}

/// The verdict on a play-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayoutOutcome {
    /// All pigs are dead.
    Cleared,
    /// Pigs are left.
    NotCleared,
    /// There was no pig before the first bird: nothing can be said of the player.
    Unplayable,
}

impl LevelPlayout {
    /// Returns the play-out of a world, which should be settled, before its first bird.
    #[must_use]
    pub fn new(world: LevelWorld) -> Self {
        Self {
            n_pigs_at_start: n_pigs(&world),
            first_step: world.n_steps(),
            world,
            flight: None,
            shots: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Returns the phase.
    #[must_use]
    pub fn phase(&self) -> PlayoutPhase {
        if self.world.pigs().next().is_none() {
            return PlayoutPhase::Over;
        }
        match (self.flight, self.world.next_bird()) {
            (Some(_), _) => PlayoutPhase::Flying,
            (None, Some(_)) => PlayoutPhase::Aiming,
            (None, None) => PlayoutPhase::Over,
        }
    }

    /// Launches the next bird. A no-op unless the phase is [`PlayoutPhase::Aiming`].
    pub fn launch(&mut self, velocity: LaunchVelocity) {
        if self.phase() != PlayoutPhase::Aiming {
            return;
        }
        let n_before = self.world.events().len();
        if let Some(bird) = self.world.launch(velocity) {
            let launch_step = self.world.n_steps();
            self.flight = Some(BirdFlight { bird, launch_step, first_hit_step: None });
            self.shots.push(velocity);
            self.events.extend_from_slice(&self.world.events()[n_before..]);
        }
    }

    /// Makes a time step, and returns the phase after it. A no-op unless the phase is
    /// [`PlayoutPhase::Flying`].
    pub fn step(&mut self) -> PlayoutPhase {
        let before = self.phase();
        let (PlayoutPhase::Flying, Some(mut flight)) = (before, self.flight) else { return before };
        self.world.step();
        let now = self.world.n_steps();
        let is_hit = |event: &WorldEvent| match event.kind {
            WorldEventKind::Hit { bird, .. } => bird == flight.bird,
            _ => false,
        };
        if flight.first_hit_step.is_none() && self.world.events().iter().any(is_hit) {
            flight.first_hit_step = Some(now);
        }
        let is_late = self.world.settings().shot_steps() <= now - flight.launch_step;
        if is_late || self.is_resting(&flight) {
            self.world.retire(flight.bird);
        }
        let is_gone = self.world.element(flight.bird).is_none();
        let is_over = is_late || (is_gone && self.world.is_at_rest());
        self.flight = (!is_over).then_some(flight);
        self.events.extend_from_slice(self.world.events());
        self.phase()
    }

    /// Launches the next bird and makes time steps until the next one can be launched or the
    /// play-out is over, and returns which.
    pub fn shoot(&mut self, velocity: LaunchVelocity) -> PlayoutPhase {
        self.launch(velocity);
        while self.step() == PlayoutPhase::Flying {}
        self.phase()
    }

    /// Returns the numbers up to now.
    #[must_use]
    pub fn result(&self) -> PlayoutResult {
        let (pigs_left, n_steps) = (n_pigs(&self.world), self.world.n_steps() - self.first_step);
        let outcome = match (self.n_pigs_at_start, pigs_left) {
            (0, _) => PlayoutOutcome::Unplayable,
            (_, 0) => PlayoutOutcome::Cleared,
            _ => PlayoutOutcome::NotCleared,
        };
        PlayoutResult {
            outcome,
            birds_used: u32::try_from(self.shots.len()).unwrap_or(u32::MAX),
            birds_left: u32::try_from(self.world.birds_left().len()).unwrap_or(u32::MAX),
            pigs_killed: self.n_pigs_at_start - pigs_left,
            pigs_left,
            n_steps,
            seconds: self.world.settings().seconds(n_steps),
        }
    }

    /// Returns the world as it is now.
    #[must_use]
    pub const fn world(&self) -> &LevelWorld {
        &self.world
    }

    /// Returns the velocities of the birds launched, in their order.
    #[must_use]
    pub fn shots(&self) -> &[LaunchVelocity] {
        &self.shots
    }

    /// Returns the events since the first launch, in their order.
    #[must_use]
    pub fn events(&self) -> &[WorldEvent] {
        &self.events
    }

    /// Returns true if the rest of the bird is tested in this step, and it rests: from 3 s after
    /// its first hit, once in a second.
    fn is_resting(&self, flight: &BirdFlight) -> bool {
        let Some(hit) = flight.first_hit_step else { return false };
        let per_second = self.world.settings().steps_per_second();
        let since = self.world.n_steps() - hit;
        since.is_multiple_of(per_second)
            && REST_TEST_DELAY * per_second <= since
            && self.world.element(flight.bird).is_some_and(|bird| bird.speed() < REST_SPEED)
    }
}

fn n_pigs(world: &LevelWorld) -> u32 {
    u32::try_from(world.pigs().count()).unwrap_or(u32::MAX)
}
