//! The parts of a coordinator that see a store, as types without values.

/// The view of a run's leader.
#[derive(Clone, Copy, Debug)]
pub enum LeaderView {}

/// The view of dispatch, and of the sessions of workers.
#[derive(Clone, Copy, Debug)]
pub enum DispatchView {}

/// The view of the supervisor, which opens runs and claims them.
#[derive(Clone, Copy, Debug)]
pub enum SupervisorView {}

/// The view of what people ask for.
#[derive(Clone, Copy, Debug)]
pub enum ControlView {}

/// The view of what finds the summaries of runs, for lists and leaders.
#[derive(Clone, Copy, Debug)]
pub enum SummaryView {}

/// The view of what writes the events of runs.
#[derive(Clone, Copy, Debug)]
pub enum EventView {}
