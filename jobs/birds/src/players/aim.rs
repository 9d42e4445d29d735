//! The choice of a shot.

use std::cmp::Ordering;
use std::f64::consts::FRAC_PI_4;

use hatchery_core::StreamRng;
use hatchery_evolve::normal::normal;

use super::skill::{PlayerSkill, TargetPolicy};
use crate::world::LevelWorld;
use crate::world::ballistics::{FlightArc, LaunchVelocity};
use crate::world::playout::LevelPlayout;

/// The standard deviation, in radians, of the angle between the pig and the aim of further
/// candidates: a pig's width at a distance of ten. Such a candidate may hit an obstacle in the way,
/// or the support of the pig.
const CANDIDATE_SIGMA: f64 = 0.05;

/// The probability that further candidates take the higher arc.
const CANDIDATE_HIGH_ARC: f64 = 0.5;

/// The least stretch of a shot.
const MIN_STRETCH: f64 = 0.1;

/// Chooses the next shot of a play-out in the phase
/// [`Aiming`](crate::world::playout::PlayoutPhase), and returns it with the errors of the player's
/// hand.
///
/// The player tries several candidates without errors, and takes the best. The best candidate
/// leaves the fewest pigs, and among equal numbers of pigs the pigs with the least life in total.
#[must_use]
pub fn choose_shot(
    playout: &LevelPlayout,
    skill: &PlayerSkill,
    rng: &mut StreamRng,
) -> LaunchVelocity {
    let angle = match skill.candidates {
        0 | 1 => first_angle(playout.world(), skill, rng),
        _ => best_angle(playout, skill, rng),
    };
    let error = skill.aim_sigma * normal(rng);
    let shortfall = skill.power_sigma * normal(rng).abs();
    LaunchVelocity::new(angle + error, (1.0 - shortfall).max(MIN_STRETCH))
}

/// Returns the angle of the player's first idea.
fn first_angle(world: &LevelWorld, skill: &PlayerSkill, rng: &mut StreamRng) -> f64 {
    let target = target(world, skill.target, rng);
    angle_to(world, target, arc(skill.high_arc_probability, rng))
}

fn best_angle(playout: &LevelPlayout, skill: &PlayerSkill, rng: &mut StreamRng) -> f64 {
    let world = playout.world();
    let mut best = first_angle(world, skill, rng);
    let mut fewest = tried(playout, best);
    for _ in 1..skill.candidates.min(PlayerSkill::MAX_CANDIDATES) {
        let target = target(world, TargetPolicy::RandomPig, rng);
        let beside = CANDIDATE_SIGMA * normal(rng);
        let angle = angle_to(world, target, arc(CANDIDATE_HIGH_ARC, rng)) + beside;
        let left = tried(playout, angle);
        if left.is_better_than(&fewest) {
            (best, fewest) = (angle, left);
        }
    }
    best
}

/// The pigs after a candidate.
#[derive(Clone, Copy, Debug)]
struct PigsLeft {
    n_pigs: u32,
    life: f64,
}

impl PigsLeft {
    fn is_better_than(&self, other: &Self) -> bool {
        let order = self.n_pigs.cmp(&other.n_pigs).then(self.life.total_cmp(&other.life));
        order == Ordering::Less
    }
}

/// Returns the pigs that are left after a shot without errors.
fn tried(playout: &LevelPlayout, angle: f64) -> PigsLeft {
    let mut copy = playout.clone();
    copy.shoot(LaunchVelocity::new(angle, 1.0));
    let life = copy.world().pigs().map(|pig| f64::from(pig.life)).sum();
    PigsLeft { n_pigs: copy.result().pigs_left, life }
}

fn arc(high_arc_probability: f64, rng: &mut StreamRng) -> FlightArc {
    if rng.unit_f64() < high_arc_probability { FlightArc::High } else { FlightArc::Low }
}

/// Returns the place of the chosen pig relative to the place of launches; straight ahead if there
/// is no pig.
fn target(world: &LevelWorld, policy: TargetPolicy, rng: &mut StreamRng) -> [f64; 2] {
    let [left, bottom] = world.launch_place().map(f64::from);
    let offset = |[x, y]: [f32; 2]| [f64::from(x) - left, f64::from(y) - bottom];
    let pigs: Vec<_> = world.pigs().map(|pig| offset(pig.place)).collect();
    let distance = |&[x, y]: &[f64; 2]| libm::hypot(x, y);
    let nearer = |a: &[f64; 2], b: &[f64; 2]| distance(a).total_cmp(&distance(b));
    let chosen = match policy {
        TargetPolicy::RandomPig => match u32::try_from(pigs.len()) {
            Ok(n_pigs @ 1..) => pigs.get(rng.below(n_pigs) as usize).copied(),
            _ => None,
        },
        TargetPolicy::NearestPig => pigs.iter().copied().min_by(nearer),
        TargetPolicy::FarthestPig => pigs.iter().copied().max_by(nearer),
    };
    chosen.unwrap_or([1.0, 0.0])
}

/// Returns the angle at which a bird hits what is at `offset`; the angle of the farthest shot if
/// that is out of reach.
fn angle_to(world: &LevelWorld, offset: [f64; 2], arc: FlightArc) -> f64 {
    world.settings().flight_model().angle_to(offset, arc).unwrap_or(FRAC_PI_4)
}
