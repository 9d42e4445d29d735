//! Events in a world.

use std::fmt;

use super::ballistics::LaunchVelocity;
use super::element::ElementId;

/// The least damage that is an [event](WorldEventKind::Damage). All damage counts, but
/// elements that lie on each other do very little to each other all the time.
pub const NOTABLE_DAMAGE: f32 = 0.1;

/// Something that happened in a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldEvent {
    /// The number of the time step, counted from 1 at the start of the world; 0 for what happens
    /// before it.
    pub step: u32,
    /// The event.
    pub kind: WorldEventKind,
}

/// Something that can happen in a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorldEventKind {
    /// A bird left the slingshot.
    Launch {
        /// The bird.
        bird: ElementId,
        /// Its velocity.
        velocity: LaunchVelocity,
    },
    /// A bird touched something that it did not touch before.
    Hit {
        /// The bird.
        bird: ElementId,
        /// The element that it touched.
        element: ElementId,
        /// The relative speed before.
        speed: f32,
    },
    /// An element took damage of at least [`NOTABLE_DAMAGE`].
    Damage {
        /// The element.
        element: ElementId,
        /// The damage.
        amount: f32,
    },
    /// An element is gone.
    Death {
        /// The element.
        element: ElementId,
        /// The reason.
        cause: DeathCause,
    },
}

/// The reason why an element is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeathCause {
    /// It took more damage than it had life.
    Damage,
    /// It left the world.
    OutOfWorld,
    /// Its place or velocity was no finite number any more, so that the engine disabled it.
    NotFinite,
    /// It is a bird whose flight is over.
    FlightOver,
}

impl fmt::Display for WorldEventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Launch { bird, velocity } => {
                let (degrees, stretch) = (velocity.angle().to_degrees(), velocity.stretch());
                write!(f, "{bird} flies at {degrees:.1} degrees, {:.0} %", 100.0 * stretch)
            }
            Self::Hit { bird, element, speed } => write!(f, "{bird} hits {element} at {speed:.1}"),
            Self::Damage { element, amount } => write!(f, "{element} takes {amount:.1}"),
            Self::Death { element, cause } => match cause {
                DeathCause::Damage => write!(f, "{element} dies"),
                DeathCause::OutOfWorld => write!(f, "{element} leaves the world"),
                DeathCause::NotFinite => write!(f, "{element} is lost"),
                DeathCause::FlightOver => write!(f, "{element} is done"),
            },
        }
    }
}
