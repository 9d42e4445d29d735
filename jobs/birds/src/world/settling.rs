//! The time before the first bird: how stable a level is.

use super::element::{ElementId, ElementKind};
use super::event::DeathCause;
use super::level_world::{LevelWorld, WorldBody};
use super::settings::PhysicsSettings;
use crate::level::{GROUND_TOP, Level};

/// The displacement above which an element counts as moved: ours, about half of the width of a pig.
const MOVED: f64 = 0.25;

/// The share of its height above the ground that an element may sink in addition to [`MOVED`]. Made
/// levels have a gap below each element, and the gap is at most a tenth as high as the lowest
/// block.
const SINKING: f64 = 0.1;

/// The motion of the blocks and pigs of a level before the first bird.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelSettling {
    /// The blocks, then the pigs, each in the order of the level.
    pub elements: Vec<ElementSettling>,
    /// The time steps made. They are fewer than the settings say if everything came to rest.
    pub n_steps: u32,
}

/// The motion of a block or a pig before the first bird.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementSettling {
    /// The name of the block or pig.
    pub id: ElementId,
    /// The mean of its speed, sampled every 0.1 s from the first step on and limited to 1; 1 if the
    /// element is gone: v of Kaidan et al., equations 1 and 2.
    pub mean_speed: f64,
    /// Its last place, from its first one.
    pub displacement: [f64; 2],
    /// The height of its first place above the ground.
    pub start_height: f64,
    /// Its condition at the end.
    pub fate: ElementFate,
}

/// The condition of an element after a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementFate {
    /// It does not move any more.
    Asleep,
    /// It still moves.
    Awake,
    /// It is gone.
    Gone(DeathCause),
}

impl ElementSettling {
    /// Returns true if the element is gone, or moved by more than 0.25 to a side, or up or down by
    /// more than 0.25 and a tenth of its first height: a stack that sinks into the gaps between its
    /// elements has not moved.
    #[must_use]
    pub fn has_moved(&self) -> bool {
        let [x, y] = self.displacement.map(f64::abs);
        let is_gone = matches!(self.fate, ElementFate::Gone(_));
        is_gone || MOVED < x || MOVED + SINKING * self.start_height.max(0.0) < y
    }

    /// Returns the distance of its last place from its first one.
    #[must_use]
    pub fn distance(&self) -> f64 {
        let [x, y] = self.displacement;
        libm::hypot(x, y)
    }

    /// Returns true if the element does not move any more.
    #[must_use]
    pub fn is_asleep(&self) -> bool {
        self.fate == ElementFate::Asleep
    }
}

impl LevelSettling {
    /// Returns the mean over the elements' mean speeds, from 0 for a level at rest to 1. This is
    /// the first term of Kaidan et al., equations 1 and 2. None if there are no elements.
    #[must_use]
    pub fn mean_speed(&self) -> Option<f64> {
        let sum: f64 = self.elements.iter().map(|it| it.mean_speed).sum();
        self.mean(sum)
    }

    /// Returns the share of elements that [have moved](ElementSettling::has_moved); none if there
    /// are no elements.
    #[must_use]
    pub fn share_moved(&self) -> Option<f64> {
        self.share(ElementSettling::has_moved)
    }

    /// Returns the share of elements that do not move any more; none if there are no elements.
    #[must_use]
    pub fn share_asleep(&self) -> Option<f64> {
        self.share(ElementSettling::is_asleep)
    }

    /// Returns the longest distance of an element; 0 if there are no elements.
    #[must_use]
    pub fn max_distance(&self) -> f64 {
        self.elements.iter().map(ElementSettling::distance).fold(0.0, f64::max)
    }

    /// Returns the number of pigs that are still there.
    #[must_use]
    pub fn n_pigs_left(&self) -> usize {
        let is_gone = |it: &ElementSettling| matches!(it.fate, ElementFate::Gone(_));
        let pigs = self.elements.iter().filter(|it| matches!(it.id, ElementId::Pig(_)));
        pigs.filter(|it| !is_gone(it)).count()
    }

    /// Returns the number of elements that are gone.
    #[must_use]
    pub fn n_gone(&self) -> usize {
        self.elements.iter().filter(|it| matches!(it.fate, ElementFate::Gone(_))).count()
    }

    fn share(&self, of: impl Fn(&ElementSettling) -> bool) -> Option<f64> {
        let n_elements = self.elements.iter().filter(|it| of(it)).count();
        #[expect(clippy::cast_precision_loss, reason = "at most a thousand")]
        let n_elements = n_elements as f64;
        self.mean(n_elements)
    }

    fn mean(&self, sum: f64) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "at most a thousand")]
        let n_elements = self.elements.len() as f64;
        (!self.elements.is_empty()).then(|| sum / n_elements)
    }
}

impl LevelWorld {
    /// Returns the world of `level` after it has settled, and how it did.
    #[must_use]
    pub fn settled(level: &Level, settings: &PhysicsSettings) -> (Self, LevelSettling) {
        let mut world = Self::new(level, settings);
        let settling = world.settle();
        (world, settling)
    }

    /// Lets the elements move for as long as the settings say, or until all are at rest, and
    /// returns how they did.
    pub fn settle(&mut self) -> LevelSettling {
        let (n_steps, every) = (self.settings.settling_steps(), self.settings.sampling_steps());
        let n_samples = f64::from(n_steps.div_ceil(every));
        let mut sums = vec![0.0; self.bodies.len()];
        let mut n_done = 0;
        while n_done < n_steps {
            self.step();
            if n_done % every == 0 {
                for (slot, _, rigid_body) in self.movable() {
                    sums[slot] += f64::from(rigid_body.linvel().length());
                }
            }
            n_done += 1;
            // What sleeps has no speed: later samples would add nothing.
            if self.is_at_rest() {
                break;
            }
        }
        let counts =
            |body: &WorldBody| matches!(body.kind, ElementKind::Block(..) | ElementKind::Pig(_));
        let elements = self.bodies.iter().zip(&sums).filter(|(body, _)| counts(body));
        let elements = elements.map(|(body, sum)| self.settling_of(body, sum / n_samples));
        LevelSettling { elements: elements.collect(), n_steps: n_done }
    }

    fn settling_of(&self, body: &WorldBody, mean_speed: f64) -> ElementSettling {
        let [x, y] = body.end.map_or_else(|| self.place(body.handle), |end| end.place);
        let is_asleep = || self.engine.body(body.handle).is_some_and(|it| it.is_sleeping());
        let fate = match body.end {
            Some(end) => ElementFate::Gone(end.cause),
            None if is_asleep() => ElementFate::Asleep,
            None => ElementFate::Awake,
        };
        ElementSettling {
            id: body.id,
            mean_speed: if body.end.is_some() { 1.0 } else { mean_speed.min(1.0) },
            displacement: [
                f64::from(x) - f64::from(body.start[0]),
                f64::from(y) - f64::from(body.start[1]),
            ],
            start_height: f64::from(body.start[1]) - f64::from(GROUND_TOP),
            fate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_that_sinks_into_its_gaps_has_not_moved() {
        let moved = |displacement, start_height, fate| {
            let id = ElementId::Block(0);
            ElementSettling { id, mean_speed: 0.0, displacement, start_height, fate }.has_moved()
        };
        let asleep = ElementFate::Asleep;
        assert!(!moved([0.2, -0.2], 0.0, asleep));
        assert!(moved([0.3, 0.0], 12.0, asleep) && moved([-0.3, 0.0], 12.0, asleep));
        assert!(!moved([0.0, -1.2], 12.0, asleep), "fifty elements, each .02 above the next");
        assert!(moved([0.0, -1.5], 12.0, asleep) && moved([0.0, -0.4], 1.0, asleep));
        assert!(moved([0.0, 0.0], 0.0, ElementFate::Gone(DeathCause::OutOfWorld)));
    }
}
