//! Flights of birds without obstacles, and the angle at which a bird hits a point.
//!
//! Angles are in radians, counterclockwise from the direction to the right.

use std::f64::consts::PI;

/// The speed of a bird from a fully stretched slingshot (Science Birds: an impulse of 5 on a mass
/// of 0.5, or of 10 on a mass of 1).
pub const LAUNCH_SPEED: f64 = 10.0;

/// The acceleration of things in free fall whose gravity scale is 1 (Science Birds).
pub const GRAVITY: f64 = 9.81;

/// The gravity scale of a bird after its launch (Science Birds).
pub const BIRD_GRAVITY_SCALE: f64 = 0.48;

/// The horizontal distance below which [`FlightModel::angle_to`] finds no angle: the target is
/// above or below the slingshot.
pub const MIN_DISTANCE: f64 = 0.01;

/// Rounds of the correction of the discrete time. Each makes its error some thousand times smaller.
const CORRECTIONS: u32 = 6;

/// The velocity of a bird at its launch, in units per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaunchVelocity {
    /// The part to the right.
    pub x: f32,
    /// The upward part.
    pub y: f32,
}

impl LaunchVelocity {
    /// Returns the velocity of a launch at `angle` from a slingshot that is stretched by this share
    /// of its full length.
    #[must_use]
    pub fn new(angle: f64, stretch: f64) -> Self {
        let speed = LAUNCH_SPEED * stretch;
        #[expect(clippy::cast_possible_truncation, reason = "the engine computes with f32")]
        let [x, y] = [libm::cos(angle), libm::sin(angle)].map(|part| (speed * part) as f32);
        Self { x, y }
    }

    /// Returns the angle.
    #[must_use]
    pub fn angle(self) -> f64 {
        libm::atan2(f64::from(self.y), f64::from(self.x))
    }

    /// Returns the speed as a share of [`LAUNCH_SPEED`].
    #[must_use]
    pub fn stretch(self) -> f64 {
        libm::hypot(f64::from(self.x), f64::from(self.y)) / LAUNCH_SPEED
    }
}

/// The lower or the higher of the two parabolas through a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlightArc {
    /// The lower one, which arrives earlier.
    Low,
    /// The higher one, which comes down steeply.
    High,
}

/// The laws of a flight from a fully stretched slingshot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlightModel {
    /// The speed at the launch.
    pub speed: f64,
    /// The acceleration downward.
    pub gravity: f64,
    /// The length of an integration step in seconds; 0 for continuous time.
    ///
    /// With semi-implicit Euler steps a bird is at y = v t - g t (t + step) / 2: it falls a bit
    /// earlier than in continuous time.
    pub step: f64,
}

impl FlightModel {
    /// The flight in continuous time.
    pub const CONTINUOUS: Self =
        Self { speed: LAUNCH_SPEED, gravity: BIRD_GRAVITY_SCALE * GRAVITY, step: 0.0 };

    /// Returns the place of a bird relative to its start, `seconds` after a launch at `angle`.
    #[must_use]
    pub fn place(&self, angle: f64, seconds: f64) -> [f64; 2] {
        let [x, y] = [libm::cos(angle), libm::sin(angle)].map(|part| self.speed * part * seconds);
        [x, y - self.gravity * seconds * (seconds + self.step) / 2.0]
    }

    /// Returns the angle at which a bird flies through the point at `offset` from its start; none
    /// if that is out of reach, or straight above or below the start.
    ///
    /// In continuous time, tan a = (v^2 +- sqrt(v^4 - g (g x^2 + 2 y v^2))) / (g x). With steps,
    /// the bird is g t step / 2 lower when it arrives, so that much is added to the height aimed
    /// at.
    #[must_use]
    pub fn angle_to(&self, offset: [f64; 2], arc: FlightArc) -> Option<f64> {
        let [x, y] = [offset[0].abs(), offset[1]];
        if x < MIN_DISTANCE {
            return None;
        }
        let mut angle = self.continuous_angle(x, y, arc)?;
        for _ in 0..CORRECTIONS {
            let seconds = x / (self.speed * libm::cos(angle));
            let lower = self.gravity * seconds * self.step / 2.0;
            angle = self.continuous_angle(x, y + lower, arc)?;
        }
        Some(if offset[0] < 0.0 { PI - angle } else { angle })
    }

    fn continuous_angle(&self, x: f64, y: f64, arc: FlightArc) -> Option<f64> {
        let square = self.speed * self.speed;
        let radicand = square * square - self.gravity * (self.gravity * x * x + 2.0 * y * square);
        // Not a number is no angle either.
        if radicand.is_nan() || radicand < 0.0 {
            return None;
        }
        let root = libm::sqrt(radicand);
        let rise = match arc {
            FlightArc::Low => square - root,
            FlightArc::High => square + root,
        };
        Some(libm::atan2(rise, self.gravity * x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARCS: [FlightArc; 2] = [FlightArc::Low, FlightArc::High];

    /// Angles for v = 10 and g = 4.7088, computed outside of this project.
    #[test]
    fn angles_are_those_of_the_formula() {
        let check = |offset, expected: [f64; 2]| {
            for (arc, expected) in ARCS.into_iter().zip(expected) {
                let angle = FlightModel::CONTINUOUS.angle_to(offset, arc).unwrap().to_degrees();
                assert!((angle - expected).abs() < 0.005, "{offset:?}: {angle}, not {expected}");
            }
        };
        check([8.0, 0.0], [11.06, 78.94]);
        check([10.0, 1.0], [20.16, 75.55]);
        check([14.0, -1.5], [13.59, 70.29]);
        check([-8.0, 0.0], [168.94, 101.06]);
    }

    #[test]
    fn the_reach_is_that_of_science_birds() {
        let model = FlightModel::CONTINUOUS;
        for (x, is_reached) in [(21.23, true), (21.25, false)] {
            assert_eq!(model.angle_to([x, 0.0], FlightArc::Low).is_some(), is_reached, "{x}");
        }
        let [_, top] = model.place(PI / 2.0, LAUNCH_SPEED / model.gravity);
        assert!((top - 10.62).abs() < 0.005, "{top}");
        for offset in [[0.0, 1.0], [0.0, -1.0], [f64::NAN, 0.0], [1.0, f64::INFINITY]] {
            assert_eq!(model.angle_to(offset, FlightArc::High), None, "{offset:?}");
        }
    }

    #[test]
    fn flights_in_steps_meet_their_targets() {
        for step in [0.0, 1.0 / 240.0, 1.0 / 60.0] {
            let model = FlightModel { step, ..FlightModel::CONTINUOUS };
            for (x, y) in (1..19).flat_map(|x| (-3..5).map(move |y| (f64::from(x), f64::from(y)))) {
                for arc in ARCS {
                    let Some(angle) = model.angle_to([x, y], arc) else { continue };
                    let seconds = x / (model.speed * libm::cos(angle));
                    let [at_x, at_y] = model.place(angle, seconds);
                    let miss = (at_x - x).abs().max((at_y - y).abs());
                    assert!(miss < 1e-6, "{x}, {y}: {miss} off with {step}");
                }
            }
        }
    }

    #[test]
    fn velocities_keep_angle_and_stretch() {
        let velocity = LaunchVelocity::new(0.3, 0.9);
        assert!((velocity.angle() - 0.3).abs() < 1e-6);
        assert!((velocity.stretch() - 0.9).abs() < 1e-6);
    }
}
