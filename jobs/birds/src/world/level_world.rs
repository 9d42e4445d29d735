//! Worlds of levels: what is there, and where.

use std::fmt;

use hatchery_core::Digest;
use rapier2d::dynamics::{RigidBody, RigidBodyHandle};

use super::ballistics::LaunchVelocity;
use super::body::{self, BodyParts, GROUND_DEPTH};
use super::element::{ElementId, ElementKind, ElementState};
use super::engine::{PhysicsEngine, StartedContact};
use super::event::{DeathCause, WorldEvent, WorldEventKind};
use super::settings::PhysicsSettings;
use crate::level::{BirdKind, GROUND_TOP, GROUND_WIDTH, Level};

/// The place of a bird at its launch, relative to the slingshot (Science Birds).
const LAUNCH_OFFSET: [f32; 2] = [-0.15, 0.8];

/// A level in motion: its elements with their places, velocities and lives, and its birds.
#[derive(Clone)]
pub struct LevelWorld {
    pub(super) settings: PhysicsSettings,
    pub(super) engine: PhysicsEngine,
    /// All elements that there ever were, by slot; only new birds change their number.
    pub(super) bodies: Vec<WorldBody>,
    /// Half of the width of the world, whose middle is at 0.
    half_width: f32,
    launch_place: [f32; 2],
    birds: Vec<BirdKind>,
    n_launched: u16,
    pub(super) n_steps: u32,
    /// The events of the last step, and those since.
    pub(super) events: Vec<WorldEvent>,
    /// True if something was inserted or removed since the last step: others may wake up.
    pub(super) is_disturbed: bool,
    /// A buffer for the contacts of a step.
    pub(super) contacts: Vec<StartedContact>,
}

/// An element of a world.
#[derive(Clone, Debug)]
pub(super) struct WorldBody {
    pub(super) id: ElementId,
    pub(super) kind: ElementKind,
    pub(super) handle: RigidBodyHandle,
    /// The damage that it can still take.
    pub(super) life: f32,
    /// The place of the center at first.
    pub(super) start: [f32; 2],
    /// The end of an element that is gone.
    pub(super) end: Option<BodyEnd>,
}

/// The end of an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyEnd {
    pub(super) cause: DeathCause,
    pub(super) place: [f32; 2],
}

impl LevelWorld {
    /// Returns the world of `level` before the first step.
    #[must_use]
    pub fn new(level: &Level, settings: &PhysicsSettings) -> Self {
        let surroundings = level.surroundings();
        let [x, y] = surroundings.slingshot;
        let mut world = Self {
            settings: settings.clone(),
            engine: PhysicsEngine::new(settings),
            bodies: Vec::new(),
            half_width: surroundings.width * GROUND_WIDTH / 2.0,
            launch_place: [x + LAUNCH_OFFSET[0], y + LAUNCH_OFFSET[1]],
            birds: surroundings.birds.clone(),
            n_launched: 0,
            n_steps: 0,
            events: Vec::new(),
            is_disturbed: true,
            contacts: Vec::new(),
        };
        world.insert(ElementId::Ground, ElementKind::Ground, body::ground(surroundings.width));
        for (number, platform) in (0..).zip(level.platforms()) {
            let id = ElementId::Platform(number);
            world.insert(id, ElementKind::Platform, body::platform(platform));
        }
        for (number, block) in (0..).zip(level.blocks()) {
            let kind = ElementKind::Block(block.shape, block.material);
            let parts = body::block(block.shape, block.material, &block.pose);
            world.insert(ElementId::Block(number), kind, parts);
        }
        for (number, pig) in (0..).zip(level.pigs()) {
            let kind = ElementKind::Pig(pig.kind);
            world.insert(ElementId::Pig(number), kind, body::pig(pig.kind, &pig.pose));
        }
        for (number, tnt) in (0..).zip(level.tnts()) {
            world.insert(ElementId::Tnt(number), ElementKind::Tnt, body::tnt(&tnt.pose));
        }
        world
    }

    /// Launches the next bird from the slingshot; none if all birds were launched.
    pub fn launch(&mut self, velocity: LaunchVelocity) -> Option<ElementId> {
        let kind = self.next_bird()?;
        let bird = ElementId::Bird(self.n_launched);
        self.n_launched += 1;
        let parts = body::bird(kind, self.launch_place, velocity);
        self.insert(bird, ElementKind::Bird(kind), parts);
        self.record(WorldEventKind::Launch { bird, velocity });
        Some(bird)
    }

    /// Takes a bird out of the world. A no-op if it is not there.
    pub fn retire(&mut self, bird: ElementId) {
        if let Some(slot) = self.slot(bird) {
            self.end(slot, DeathCause::FlightOver);
            self.remove(slot);
        }
    }

    /// Returns the laws of the world.
    #[must_use]
    pub const fn settings(&self) -> &PhysicsSettings {
        &self.settings
    }

    /// Returns the number of steps since the start of the world.
    #[must_use]
    pub const fn n_steps(&self) -> u32 {
        self.n_steps
    }

    /// Returns the events of the last step, and what happened since, in their order.
    #[must_use]
    pub fn events(&self) -> &[WorldEvent] {
        &self.events
    }

    /// Returns the place where birds are launched.
    #[must_use]
    pub const fn launch_place(&self) -> [f32; 2] {
        self.launch_place
    }

    /// Returns the bird that is launched next; none if all were launched.
    #[must_use]
    pub fn next_bird(&self) -> Option<BirdKind> {
        self.birds_left().first().copied()
    }

    /// Returns the birds that were not launched, in their order.
    #[must_use]
    pub fn birds_left(&self) -> &[BirdKind] {
        self.birds.get(usize::from(self.n_launched)..).unwrap_or_default()
    }

    /// Iterates over the elements that are there and can move, in the order of their slots.
    pub fn elements(&self) -> impl Iterator<Item = ElementState> {
        self.movable().map(|(_, body, rigid_body)| state(body, rigid_body))
    }

    /// Returns an element that is there and can move; none if it is gone.
    #[must_use]
    pub fn element(&self, id: ElementId) -> Option<ElementState> {
        let body = self.bodies.get(self.slot(id)?)?;
        self.engine.body(body.handle).map(|rigid_body| state(body, rigid_body))
    }

    /// Iterates over the pigs that are there, in their order.
    pub fn pigs(&self) -> impl Iterator<Item = ElementState> {
        self.elements().filter(|it| matches!(it.kind, ElementKind::Pig(_)))
    }

    /// Returns true if nothing moves, and nothing will unless a bird is launched.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        !self.is_disturbed && self.movable().all(|(_, _, rigid_body)| rigid_body.is_sleeping())
    }

    /// Returns a hash of the places, turns and velocities to the last bit, and of the set of
    /// elements that are gone.
    #[must_use]
    pub fn state_hash(&self) -> Digest {
        let mut bytes = Vec::with_capacity(self.bodies.len() * 29);
        for body in &self.bodies {
            let rigid_body = self.engine.body(body.handle).filter(|_| body.end.is_none());
            bytes.push(u8::from(rigid_body.is_some()));
            let Some(rigid_body) = rigid_body else { continue };
            let (pose, velocity) = (rigid_body.position(), rigid_body.linvel());
            let (place, rotation) = (pose.translation, pose.rotation);
            let angular = rigid_body.angvel();
            for number in
                [place.x, place.y, rotation.re, rotation.im, velocity.x, velocity.y, angular]
            {
                bytes.extend(number.to_bits().to_le_bytes());
            }
        }
        Digest::of(&bytes)
    }

    fn insert(&mut self, id: ElementId, kind: ElementKind, parts: BodyParts) {
        let handle = self.engine.insert(self.bodies.len(), parts);
        let life = body::life(kind, &self.settings);
        let start = self.place(handle);
        self.bodies.push(WorldBody { id, kind, handle, life, start, end: None });
        self.is_disturbed = true;
    }

    /// Marks an element as gone; [`remove`](Self::remove) takes it out of the engine.
    pub(super) fn end(&mut self, slot: usize, cause: DeathCause) {
        let Some(body) = self.bodies.get(slot) else { return };
        let (element, place) = (body.id, self.place(body.handle));
        self.bodies[slot].end = Some(BodyEnd { cause, place });
        self.record(WorldEventKind::Death { element, cause });
    }

    /// Takes a body out of the engine.
    pub(super) fn remove(&mut self, slot: usize) {
        self.engine.remove(self.bodies[slot].handle);
        self.is_disturbed = true;
    }

    /// Adds an event of this moment.
    pub(super) fn record(&mut self, kind: WorldEventKind) {
        self.events.push(WorldEvent { step: self.n_steps, kind });
    }

    /// Iterates over the elements that are there and can move, each with its slot.
    pub(super) fn movable(&self) -> impl Iterator<Item = (usize, &WorldBody, &RigidBody)> {
        let there = self.bodies.iter().enumerate().filter(|(_, body)| {
            body.end.is_none() && !matches!(body.kind, ElementKind::Ground | ElementKind::Platform)
        });
        there.filter_map(|(slot, body)| Some((slot, body, self.engine.body(body.handle)?)))
    }

    /// Returns true if a place is outside of the world: beside the ground, or below it.
    pub(super) fn is_outside(&self, [x, y]: [f32; 2]) -> bool {
        self.half_width < x.abs() || y < GROUND_TOP - GROUND_DEPTH
    }

    pub(super) fn place(&self, handle: RigidBodyHandle) -> [f32; 2] {
        self.engine.body(handle).map_or([0.0; 2], |rigid_body| rigid_body.translation().into())
    }

    /// Returns the slot of an element that is there and can move.
    fn slot(&self, id: ElementId) -> Option<usize> {
        self.movable().find(|(_, body, _)| body.id == id).map(|(slot, _, _)| slot)
    }
}

fn state(body: &WorldBody, rigid_body: &RigidBody) -> ElementState {
    let (pose, velocity) = (rigid_body.position(), rigid_body.linvel());
    ElementState {
        id: body.id,
        kind: body.kind,
        place: pose.translation.into(),
        rotation: [pose.rotation.re, pose.rotation.im],
        velocity: velocity.into(),
        life: body.life,
    }
}

impl fmt::Debug for LevelWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { settings, bodies, birds, n_launched, n_steps, .. } = self;
        let mut text = f.debug_struct("LevelWorld");
        text.field("settings", settings).field("bodies", bodies).field("birds", birds);
        text.field("n_launched", n_launched).field("n_steps", n_steps).finish_non_exhaustive()
    }
}
