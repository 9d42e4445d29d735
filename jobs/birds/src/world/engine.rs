//! The rigid-body engine: its sets of bodies, and the collisions of a step.

use std::sync::{Mutex, PoisonError};

use rapier2d::dynamics::{
    CCDSolver, ImpulseJointSet, IntegrationParameters, IslandManager, MultibodyJointSet, RigidBody,
    RigidBodyHandle, RigidBodySet, SoftBodySet, SoftBodyTearEvent,
};
use rapier2d::geometry::{
    BroadPhaseBvh, ColliderHandle, ColliderSet, CollisionEvent, ContactPair, NarrowPhase,
};
use rapier2d::math::Vector;
use rapier2d::pipeline::{EventHandler, PhysicsPipeline};

use super::ballistics::GRAVITY;
use super::body::BodyParts;
use super::settings::PhysicsSettings;

/// The largest speed of a body (Unity).
const MAX_SPEED: f32 = 100.0;

/// The sets of the engine, and its workspaces.
///
/// A clone has copies of the sets and empty workspaces: it continues bit for bit as the original.
pub(super) struct PhysicsEngine {
    parameters: IntegrationParameters,
    islands: IslandManager,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    workspace: EngineWorkspace,
}

/// What holds nothing from one step to the next: caches, and the sets that are always empty.
struct EngineWorkspace {
    pipeline: PhysicsPipeline,
    ccd_solver: CCDSolver,
    impulse_joints: ImpulseJointSet,
    multibody_joints: MultibodyJointSet,
    soft_bodies: SoftBodySet,
}

/// Two bodies that touch since this step.
#[derive(Clone, Copy, Debug)]
pub(super) struct StartedContact {
    /// The slots of the bodies, the lower one first.
    pub(super) slots: [usize; 2],
    /// Their relative speed before the step.
    pub(super) speed: f32,
}

impl PhysicsEngine {
    pub(super) fn new(settings: &PhysicsSettings) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "at most 240")]
        let steps_per_second = settings.steps_per_second() as f32;
        let parameters = IntegrationParameters {
            dt: 1.0 / steps_per_second,
            num_solver_iterations: settings.iterations() as usize,
            normalized_max_linear_velocity: MAX_SPEED,
            ..IntegrationParameters::default()
        };
        Self {
            parameters,
            islands: IslandManager::new(),
            broad_phase: BroadPhaseBvh::default(),
            narrow_phase: NarrowPhase::new(),
            bodies: RigidBodySet::new(),
            colliders: ColliderSet::new(),
            workspace: EngineWorkspace::new(),
        }
    }

    /// Inserts the body of a slot.
    pub(super) fn insert(&mut self, slot: usize, (body, collider): BodyParts) -> RigidBodyHandle {
        let handle = self.bodies.insert(body.user_data(slot as u128));
        self.colliders.insert_with_parent(collider, handle, &mut self.bodies);
        handle
    }

    /// Removes a body. What touches it wakes up in the next step.
    pub(super) fn remove(&mut self, handle: RigidBodyHandle) {
        let EngineWorkspace { impulse_joints, multibody_joints, soft_bodies, .. } =
            &mut self.workspace;
        self.bodies.remove(
            handle,
            &mut self.islands,
            &mut self.colliders,
            impulse_joints,
            multibody_joints,
            soft_bodies,
            true,
        );
    }

    /// Returns a body that was not removed.
    pub(super) fn body(&self, handle: RigidBodyHandle) -> Option<&RigidBody> {
        self.bodies.get(handle)
    }

    /// Changes the velocity of a body as an impulse at its center does.
    pub(super) fn push(&mut self, handle: RigidBodyHandle, impulse: [f32; 2]) {
        if let Some(body) = self.bodies.get_mut(handle) {
            body.apply_impulse(Vector::from(impulse), true);
        }
    }

    /// Makes a time step, and puts the contacts that it starts into `contacts`, in the order of
    /// their slots.
    pub(super) fn step(&mut self, contacts: &mut Vec<StartedContact>) {
        contacts.clear();
        let collector = ContactCollector { contacts: Mutex::new(std::mem::take(contacts)) };
        #[expect(clippy::cast_possible_truncation, reason = "the engine computes with f32")]
        let gravity = Vector::new(0.0, -GRAVITY as f32);
        let workspace = &mut self.workspace;
        workspace.pipeline.step(
            gravity,
            &self.parameters,
            &mut self.islands,
            &mut self.broad_phase,
            &mut self.narrow_phase,
            &mut self.bodies,
            &mut self.colliders,
            &mut workspace.impulse_joints,
            &mut workspace.multibody_joints,
            &mut workspace.soft_bodies,
            &mut workspace.ccd_solver,
            &(),
            &collector,
        );
        *contacts = collector.contacts.into_inner().unwrap_or_else(PoisonError::into_inner);
        contacts.sort_unstable_by_key(|contact| contact.slots);
    }
}

impl Clone for PhysicsEngine {
    fn clone(&self) -> Self {
        Self {
            parameters: self.parameters,
            islands: self.islands.clone(),
            broad_phase: self.broad_phase.clone(),
            narrow_phase: self.narrow_phase.clone(),
            bodies: self.bodies.clone(),
            colliders: self.colliders.clone(),
            workspace: EngineWorkspace::new(),
        }
    }
}

impl EngineWorkspace {
    fn new() -> Self {
        Self {
            pipeline: PhysicsPipeline::new(),
            ccd_solver: CCDSolver::new(),
            impulse_joints: ImpulseJointSet::new(),
            multibody_joints: MultibodyJointSet::new(),
            soft_bodies: SoftBodySet::new(),
        }
    }
}

/// The contacts that a step starts, as the engine reports them.
///
/// The engine does so after it has found collisions and before it solves them, so that bodies still
/// have the velocities of the step before.
struct ContactCollector {
    /// The engine wants a handler that threads could share, though it has none here.
    contacts: Mutex<Vec<StartedContact>>,
}

impl EventHandler for ContactCollector {
    fn handle_collision_event(
        &self,
        bodies: &RigidBodySet,
        colliders: &ColliderSet,
        event: CollisionEvent,
        _: Option<&ContactPair>,
    ) {
        let CollisionEvent::Started(first, second, _) = event else { return };
        let body = |collider: ColliderHandle| bodies.get(colliders.get(collider)?.parent()?);
        let (Some(first), Some(second)) = (body(first), body(second)) else { return };
        let slot = |body: &RigidBody| usize::try_from(body.user_data).unwrap_or(usize::MAX);
        let mut slots = [slot(first), slot(second)];
        slots.sort_unstable();
        let speed = (first.linvel() - second.linvel()).length();
        let mut contacts = self.contacts.lock().unwrap_or_else(PoisonError::into_inner);
        contacts.push(StartedContact { slots, speed });
    }

    fn handle_contact_force_event(
        &self,
        _: f32,
        _: &RigidBodySet,
        _: &ColliderSet,
        _: &ContactPair,
        _: f32,
    ) {
    }

    fn handle_soft_body_tear_event(&self, _: &SoftBodySet, _: &SoftBodyTearEvent) {}
}
