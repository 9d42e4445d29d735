//! Time steps: motion, collisions, damage, explosions and deaths.

use rapier2d::dynamics::RigidBody;

use super::body;
use super::element::{ElementId, ElementKind};
use super::engine::StartedContact;
use super::event::{DeathCause, NOTABLE_DAMAGE, WorldEventKind};
use super::level_world::{LevelWorld, WorldBody};

/// The distance of centers up to which an explosion reaches (Science Birds).
const BLAST_RADIUS: f32 = 2.0;

/// The damage of an explosion at distance 1; it falls with the distance (Science Birds).
const BLAST_DAMAGE: f32 = 3.0;

/// The impulse of an explosion at distance 1: the power of Science Birds, which we let fall with
/// the distance as the damage does.
const BLAST_IMPULSE: f32 = 3.0;

/// The distance below which an explosion is not stronger: ours, as two centers can be at one place.
const MIN_BLAST_DISTANCE: f32 = 0.1;

impl LevelWorld {
    /// Makes a time step.
    ///
    /// First, bodies move and collide. Second, every collision does its damage, in the order of the
    /// slots. Third, elements without life die, and TNT among them explodes in turn. Last, elements
    /// that have left the world are lost.
    pub fn step(&mut self) {
        self.n_steps = self.n_steps.saturating_add(1);
        self.events.clear();
        self.is_disturbed = false;
        let mut contacts = std::mem::take(&mut self.contacts);
        self.engine.step(&mut contacts);
        for contact in &contacts {
            self.collide(contact);
        }
        self.contacts = contacts;
        let mut gone = self.kill();
        gone.extend(self.lose());
        gone.sort_unstable();
        for slot in gone {
            self.remove(slot);
        }
    }

    /// Does the damage of a collision to both elements.
    fn collide(&mut self, &StartedContact { slots: [first, second], speed }: &StartedContact) {
        let [Some(a), Some(b)] = [first, second].map(|slot| self.bodies.get(slot)) else { return };
        let (hit, onto) = (a.id, b.id);
        let damages = [(first, a.kind, b.kind), (second, b.kind, a.kind)]
            .map(|(slot, kind, by)| (slot, body::damage(kind, by, speed, &self.settings)));
        // Birds have the highest slots.
        if matches!(onto, ElementId::Bird(_)) {
            self.record(WorldEventKind::Hit { bird: onto, element: hit, speed });
        }
        for (slot, amount) in damages {
            self.damage(slot, amount);
        }
    }

    fn damage(&mut self, slot: usize, amount: f32) {
        let body = &mut self.bodies[slot];
        body.life -= amount;
        let element = body.id;
        if NOTABLE_DAMAGE <= amount {
            self.record(WorldEventKind::Damage { element, amount });
        }
    }

    /// Marks what has no life left, and what explosions kill in turn, and returns the slots.
    fn kill(&mut self) -> Vec<usize> {
        let dead = |body: &WorldBody| body.end.is_none() && body.life <= 0.0;
        let mut dying: Vec<usize> =
            (0..).zip(&self.bodies).filter(|(_, body)| dead(body)).map(|(slot, _)| slot).collect();
        let mut n_dead = 0;
        while let Some(&slot) = dying.get(n_dead) {
            n_dead += 1;
            self.end(slot, DeathCause::Damage);
            if self.bodies[slot].kind == ElementKind::Tnt {
                self.explode(slot, &mut dying);
            }
        }
        dying
    }

    /// Damages and pushes the elements near `tnt`, and adds the elements that die to `dying`.
    fn explode(&mut self, tnt: usize, dying: &mut Vec<usize>) {
        let [x, y] = self.place(self.bodies[tnt].handle);
        let around = |rigid_body: &RigidBody| {
            let place = rigid_body.translation();
            let [dx, dy] = [place.x - x, place.y - y];
            (dx, dy, libm::sqrtf(dx * dx + dy * dy))
        };
        let there = self.movable().map(|(slot, _, rigid_body)| (slot, around(rigid_body)));
        let near: Vec<_> =
            there.filter(|(_, (_, _, distance))| *distance <= BLAST_RADIUS).collect();
        for (slot, (dx, dy, distance)) in near {
            let distance = distance.max(MIN_BLAST_DISTANCE);
            let impulse = BLAST_IMPULSE / (distance * distance);
            self.engine.push(self.bodies[slot].handle, [impulse * dx, impulse * dy]);
            self.damage(slot, BLAST_DAMAGE / distance);
            if self.bodies[slot].life <= 0.0 && !dying.contains(&slot) {
                dying.push(slot);
            }
        }
    }

    /// Marks what has left the world or is disabled, and returns the slots.
    fn lose(&mut self) -> Vec<usize> {
        let lost = |rigid_body: &RigidBody| {
            let place = rigid_body.translation();
            if !rigid_body.is_enabled() || !place.is_finite() {
                return Some(DeathCause::NotFinite);
            }
            self.is_outside(place.into()).then_some(DeathCause::OutOfWorld)
        };
        let there = self.movable();
        let lost: Vec<_> = there.filter_map(|(slot, _, body)| Some((slot, lost(body)?))).collect();
        for &(slot, cause) in &lost {
            self.end(slot, cause);
        }
        lost.into_iter().map(|(slot, _)| slot).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::{
        BlockMaterial, BlockShape, Level, LevelBlock, LevelElements, LevelPig, LevelSurroundings,
        LevelTnt, PigKind, Pose,
    };
    use crate::world::PhysicsSettings;
    use crate::world::ballistics::LaunchVelocity;

    fn world(elements: LevelElements) -> LevelWorld {
        let level = Level::new(LevelSurroundings::with_red_birds(3), elements).unwrap();
        LevelWorld::new(&level, &PhysicsSettings::default())
    }

    fn pig(x: f32, y: f32) -> LevelPig {
        LevelPig { kind: PigKind::Small, pose: Pose::at(x, y) }
    }

    fn block(x: f32, y: f32) -> LevelBlock {
        let (shape, material) = (BlockShape::SquareHole, BlockMaterial::Wood);
        LevelBlock { shape, material, pose: Pose::at(x, y) }
    }

    fn steps(world: &mut LevelWorld, n_steps: u32) -> Vec<WorldEventKind> {
        let mut events = Vec::new();
        for _ in 0..n_steps {
            world.step();
            events.extend(world.events().iter().map(|event| event.kind));
        }
        events
    }

    fn deaths(events: &[WorldEventKind]) -> Vec<(ElementId, DeathCause)> {
        let death = |event: &WorldEventKind| match *event {
            WorldEventKind::Death { element, cause } => Some((element, cause)),
            _ => None,
        };
        events.iter().filter_map(death).collect()
    }

    /// A pig falls 2 units in its scaled gravity: v^2 = 2 * 4.905 * 2, so it arrives at 4.43 and
    /// has a life of 2.
    #[test]
    fn a_fall_kills_by_its_speed() {
        let check = |height: f32, expected: f32, dies: bool| {
            let y = crate::level::GROUND_TOP + PigKind::Small.radius() + height;
            let mut world = world(LevelElements { pigs: vec![pig(0.0, y)], ..Default::default() });
            let events = steps(&mut world, 120);
            let Some(WorldEventKind::Damage { amount, .. }) = events.first() else {
                panic!("no damage in {events:?}")
            };
            assert!((amount - expected).abs() < 0.1, "{amount} after {height}");
            assert_eq!(world.pigs().next().is_none(), dies, "{height}");
        };
        check(2.0, 4.43, true);
        check(0.3, 1.72, false);
    }

    #[test]
    fn what_lies_on_the_dead_falls() {
        let y = crate::level::GROUND_TOP;
        let elements = LevelElements {
            blocks: vec![block(2.0, y + 0.47 + 0.42)],
            pigs: vec![pig(1.7, y + 0.235), pig(2.3, y + 0.235)],
            ..Default::default()
        };
        let mut world = world(elements);
        world.settle();
        assert!(world.is_at_rest());
        let is_pig = |body: &WorldBody| matches!(body.kind, ElementKind::Pig(_));
        for slot in 0..world.bodies.len() {
            if is_pig(&world.bodies[slot]) {
                world.damage(slot, 10.0);
            }
        }
        steps(&mut world, 90);
        let [_, height] = world.element(ElementId::Block(0)).unwrap().place;
        assert!((height - (y + 0.42)).abs() < 0.01, "{height}");
    }

    #[test]
    fn explosions_damage_by_distance_and_set_others_off() {
        let y = crate::level::GROUND_TOP;
        let tnt = |x| LevelTnt { pose: Pose::at(x, y + 0.33) };
        let elements = LevelElements {
            blocks: vec![block(-1.5, y + 0.42), block(6.0, y + 0.42)],
            pigs: vec![pig(1.0, y + 0.235), pig(4.9, y + 0.235)],
            tnts: vec![tnt(0.0), tnt(1.4), tnt(4.0)],
            ..Default::default()
        };
        let mut world = world(elements);
        let first = world.bodies.iter().position(|it| it.kind == ElementKind::Tnt).unwrap();
        world.damage(first, 2.0);
        let events = steps(&mut world, 1);
        let by_damage = |id| (id, DeathCause::Damage);
        // 3 / 1.4 kills the second box; the third is 2.6 away from that.
        let expected = [ElementId::Tnt(0), ElementId::Pig(0), ElementId::Tnt(1)].map(by_damage);
        assert_eq!(deaths(&events), expected);
        let life = world.element(ElementId::Block(0)).unwrap().life;
        let distance = libm::hypotf(1.5, 0.42 - 0.33);
        assert!((5.0 - life - 3.0 / distance).abs() < 0.01, "{life} is left");
        assert!(world.element(ElementId::Block(0)).unwrap().velocity[0] < -1.0);
    }

    #[test]
    fn what_leaves_the_world_is_lost() {
        let elements = LevelElements {
            blocks: vec![block(17.0, 0.0), block(18.0, 0.0), block(0.0, -30.0)],
            ..Default::default()
        };
        let mut world = world(elements);
        let lost = [1, 2].map(|number| (ElementId::Block(number), DeathCause::OutOfWorld));
        assert_eq!(deaths(&steps(&mut world, 1)), lost);
        assert_eq!(world.elements().count(), 1);
    }

    #[test]
    fn what_is_not_finite_is_lost() {
        let mut world = world(LevelElements::default());
        let bird = world.launch(LaunchVelocity { x: f32::NAN, y: 0.0 }).unwrap();
        assert_eq!(deaths(&steps(&mut world, 2)), [(bird, DeathCause::NotFinite)]);
        assert!(world.is_at_rest());
    }

    #[test]
    fn birds_are_launched_in_their_order() {
        let mut world = world(LevelElements::default());
        let velocity = LaunchVelocity::new(0.5, 1.0);
        for number in 0..3 {
            assert_eq!(world.launch(velocity), Some(ElementId::Bird(number)));
        }
        assert_eq!((world.launch(velocity), world.next_bird()), (None, None));
        world.retire(ElementId::Bird(1));
        world.retire(ElementId::Bird(1));
        assert_eq!(world.elements().count(), 2);
        assert!(!world.is_at_rest());
    }
}
