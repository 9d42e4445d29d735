//! The workers of the farm: listing, draining and quarantining them.

use std::sync::Arc;
use std::time::Duration;

use hatchery_proto::v1::{
    CoordinatorStatus, ListWorkersResponse, ShutOutWorker, WorkerState, WorkerStatus,
};
use hatchery_store::WorkerId;
use hatchery_store::operation::ListQuarantined;
use tonic::Status;

use super::refusal;
use crate::coordinator::Coordinator;
use crate::run::record::{
    AnnouncedWorker, CoordinatorAnnouncement, LostCoordinator, LostWorker, experiment_label,
};
use crate::run::time_left::as_f64;

/// The longest reason for a quarantine, in bytes.
const MAX_REASON_BYTES: usize = 512;

/// The hexadecimal digits of a worker's id.
const ID_DIGITS: usize = 32;

/// Returns the members of the farm: present, lost and quarantined.
pub(super) async fn list(coordinator: &Coordinator) -> Result<ListWorkersResponse, Status> {
    let farm = coordinator.farm();
    let age = farm.read_at.map_or(Duration::ZERO, |at| at.elapsed());
    let age_ms = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
    let of = |said: &Arc<CoordinatorAnnouncement>| {
        let said = Arc::clone(said);
        (0..said.workers.len()).map(move |idx| {
            let status = worker_status(&said.workers[idx], &said.endpoint);
            WorkerStatus { heard_ms: status.heard_ms.saturating_add(age_ms), ..status }
        })
    };
    let lost_worker = |lost: &LostWorker| {
        let status = worker_status(lost.worker.as_ref()?, &lost.coordinator);
        // 0 is for those that were not lost.
        let lost_ms = lost.lost_ms.saturating_add(age_ms).max(1);
        Some(WorkerStatus { lost_ms, jobs: 0, busy_slots: 0, trials_per_second: 0.0, ..status })
    };
    let lost_coordinator = |lost: &LostCoordinator| CoordinatorStatus {
        coordinator: lost.endpoint.clone(),
        build: lost.build.clone(),
        lost_ms: lost.lost_ms.saturating_add(age_ms).max(1),
        ..CoordinatorStatus::default()
    };
    let out =
        coordinator.views().control().execute(ListQuarantined).await.map_err(refusal::store)?;
    let out = out.into_iter().map(|(id, reason)| ShutOutWorker { worker: id.to_string(), reason });
    let experiments = coordinator.catalog().experiments();
    Ok(ListWorkersResponse {
        workers: farm.coordinators.iter().flat_map(of).collect(),
        shut_out: out.collect(),
        experiments: experiments.map(|it| experiment_label(it.name(), it.version())).collect(),
        coordinators: farm.coordinators.iter().map(|said| coordinator_status(said)).collect(),
        lost_workers: farm.lost_workers.iter().filter_map(lost_worker).collect(),
        lost_coordinators: farm.lost_coordinators.iter().map(lost_coordinator).collect(),
    })
}

fn coordinator_status(said: &CoordinatorAnnouncement) -> CoordinatorStatus {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    CoordinatorStatus {
        coordinator: said.endpoint.clone(),
        build: said.build.clone(),
        workers: count(said.workers.len()),
        runs: count(said.led.len()),
        lost_ms: 0,
    }
}

fn worker_status(worker: &AnnouncedWorker, coordinator: &str) -> WorkerStatus {
    let &AnnouncedWorker { slots, jobs, draining, paused_ms, .. } = worker;
    let state = match (draining, paused_ms, jobs) {
        (true, ..) => WorkerState::Draining,
        (false, 1.., _) => WorkerState::Paused,
        (false, 0, 0) => WorkerState::Idle,
        (false, 0, _) => WorkerState::Busy,
    };
    WorkerStatus {
        worker: WorkerId::from_bytes(&worker.incarnation)
            .map(|id| id.to_string())
            .unwrap_or_default(),
        name: worker.name.clone(),
        slots,
        jobs,
        state: state.into(),
        experiments: worker.experiments.clone(),
        coordinator: coordinator.to_owned(),
        paused_ms,
        busy_slots: worker.busy_slots,
        trials_per_second: as_f64(worker.trials_per_kilosecond) / 1000.0,
        heard_ms: worker.heard_ms,
        joined_ms: worker.joined_ms,
        host: worker.host.clone(),
        build: worker.build.clone(),
        lost_ms: 0,
    }
}

/// Drains the worker `id`: the worker finishes its jobs and ends.
pub(super) async fn drain(coordinator: &Coordinator, id: &str) -> Result<(), Status> {
    let id = parse(id)?;
    if coordinator.drain_worker(id).await {
        tracing::info!(worker = %id, "worker drained: a person asked for it");
        return Ok(());
    }
    let announced = coordinator.announced();
    match home(&announced, id) {
        Some(at) if !at.is_empty() => Err(Status::failed_precondition(format!(
            "worker {} is with another coordinator: drain it there, with --coordinator {at}",
            id
        ))),
        Some(_) => Err(Status::failed_precondition(format!(
            "worker {} is with a coordinator that has no address: interrupt the worker itself",
            id
        ))),
        None => Err(absent(id)),
    }
}

/// Quarantines the worker `id`, because of `reason`. A worker that has left can be quarantined as
/// well: its results in generations under way are computed again.
pub(super) async fn quarantine_worker(
    coordinator: &Coordinator,
    id: &str,
    reason: &str,
) -> Result<(), Status> {
    let id = parse(id)?;
    let reason = checked(reason)?;
    let out =
        coordinator.views().control().execute(ListQuarantined).await.map_err(refusal::store)?;
    if let Some((_, known)) = out.into_iter().find(|(out, _)| *out == id) {
        return Err(Status::failed_precondition(format!(
            "worker {} is already quarantined: {known}",
            id
        )));
    }
    coordinator
        .quarantine_worker(id, format!("a person asked for it: {reason}"))
        .await
        .map_err(refusal::store)
}

/// Checks that a reason can be shown.
fn checked(reason: &str) -> Result<&str, Status> {
    let reason = reason.trim();
    if reason.is_empty() {
        return Err(refusal::invalid("give a reason for the quarantine"));
    }
    if MAX_REASON_BYTES < reason.len() {
        return Err(refusal::invalid(&format!(
            "the reason has {} bytes, but may have at most {MAX_REASON_BYTES}",
            reason.len()
        )));
    }
    match reason.chars().any(char::is_control) {
        true => Err(refusal::invalid(&format!("the reason {reason:?} has control characters"))),
        false => Ok(reason),
    }
}

/// Returns the address of the coordinator that worker `id` is connected to.
fn home(announced: &[Arc<CoordinatorAnnouncement>], id: WorkerId) -> Option<&str> {
    let has = |said: &&Arc<CoordinatorAnnouncement>| {
        said.workers.iter().any(|worker| WorkerId::from_bytes(&worker.incarnation) == Some(id))
    };
    announced.iter().find(has).map(|said| said.endpoint.as_str())
}

fn absent(id: WorkerId) -> Status {
    Status::not_found(format!(
        "there is no worker {}; `hatchery workers` lists those that there are",
        id
    ))
}

fn parse(id: &str) -> Result<WorkerId, Status> {
    let fits = id.len() == ID_DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parsed = fits.then(|| id.parse().ok()).flatten();
    parsed.ok_or_else(|| {
        let shown: String = id.chars().take(2 * ID_DIGITS).collect();
        refusal::invalid(&format!("{shown:?} is no worker's id: {ID_DIGITS} hexadecimal digits"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_named_by_its_incarnation_and_a_reason_is_short() {
        let id = WorkerId(0xabc);
        assert_eq!(parse(&id.to_string()).unwrap(), id);
        for wrong in ["", "w1", "+0000000000000000000000000000abc", &"0".repeat(1 << 20)] {
            let refused = parse(wrong).unwrap_err();
            assert!(refused.message().len() < 200, "{refused:?}");
        }
        assert_eq!(checked(" bad memory ").unwrap(), "bad memory");
        for wrong in ["", "  ", "a\u{1b}[2J", &"x".repeat(MAX_REASON_BYTES + 1)] {
            assert_eq!(checked(wrong).unwrap_err().code(), tonic::Code::InvalidArgument);
        }
    }

    #[test]
    fn a_worker_is_found_with_its_coordinator() {
        let incarnation = WorkerId(7).to_bytes().to_vec();
        let worker = AnnouncedWorker { incarnation, jobs: 3, ..AnnouncedWorker::default() };
        let said = CoordinatorAnnouncement {
            endpoint: "http://b".to_owned(),
            workers: vec![worker.clone()],
            ..CoordinatorAnnouncement::default()
        };
        let announced = [CoordinatorAnnouncement::default(), said].map(Arc::new);
        assert_eq!(
            (home(&announced, WorkerId(7)), home(&announced, WorkerId(8))),
            (Some("http://b"), None)
        );
        let shown = worker_status(&worker, "http://b");
        assert_eq!(
            (shown.worker.as_str(), shown.state()),
            ("00000000000000000000000000000007", WorkerState::Busy)
        );
        let draining = AnnouncedWorker { draining: true, ..worker };
        assert_eq!(worker_status(&draining, "").state(), WorkerState::Draining);
        let paused = AnnouncedWorker { draining: false, paused_ms: 20, ..draining };
        assert_eq!(worker_status(&paused, "").state(), WorkerState::Paused);
    }
}
