//! The time before the first bird: how stable a level is.

use super::element::{ElementId, ElementKind};
use super::event::DeathCause;
use super::level_world::{LevelWorld, WorldBody};
use super::settings::PhysicsSettings;
use crate::level::Level;

/// The displacement above which an element counts as moved: ours, about half of the width of a pig.
const MOVED: f64 = 0.25;

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
    /// The distance of its last place from its first one.
    pub displacement: f64,
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
    /// Returns true if the element is gone, or moved by more than 0.25.
    #[must_use]
    pub fn has_moved(&self) -> bool {
        MOVED < self.displacement || matches!(self.fate, ElementFate::Gone(_))
    }

    /// Returns true if the element does not move any more.
    #[must_use]
    pub fn is_asleep(&self) -> bool {
        self.fate == ElementFate::Asleep
    }
}

impl LevelSettling {
    /// Returns the mean over the elements of their mean speeds, from 0 for a level that stands to
    /// 1: the first term of Kaidan et al., equations 1 and 2. None if there are no elements.
    #[must_use]
    pub fn mean_speed(&self) -> Option<f64> {
        let sum: f64 = self.elements.iter().map(|it| it.mean_speed).sum();
        self.mean(sum)
    }

    /// Returns the share of elements that are gone or moved by more than 0.25; none if there are no
    /// elements.
    #[must_use]
    pub fn share_moved(&self) -> Option<f64> {
        self.share(ElementSettling::has_moved)
    }

    /// Returns the share of elements that do not move any more; none if there are no elements.
    #[must_use]
    pub fn share_asleep(&self) -> Option<f64> {
        self.share(ElementSettling::is_asleep)
    }

    /// Returns the largest displacement; 0 if there are no elements.
    #[must_use]
    pub fn max_displacement(&self) -> f64 {
        self.elements.iter().map(|it| it.displacement).fold(0.0, f64::max)
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
            displacement: libm::hypot(
                f64::from(x) - f64::from(body.start[0]),
                f64::from(y) - f64::from(body.start[1]),
            ),
            fate,
        }
    }
}
