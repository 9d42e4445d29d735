//! Every metric that is exported: dashboards, alerts, the documentation and both roles are held
//! against this list.

/// A metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name, with its suffix.
    pub name: &'static str,
    /// What it is.
    pub r#type: Type,
    /// The names of its labels.
    pub labels: &'static [&'static str],
    /// Who exports it.
    pub roles: &'static [Role],
    /// What it means.
    pub meaning: &'static str,
}

/// What a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// It only rises; its name ends in `_total`.
    Counter,
    /// It rises and falls.
    Gauge,
    /// A distribution: its series are `_bucket`, `_sum` and `_count`.
    Histogram,
    /// Always 1, with labels that say something; its name ends in `_info`.
    Info,
}

/// Who exports a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `hatchery coordinator`.
    Coordinator,
    /// `hatchery worker`.
    Worker,
}

impl Metric {
    /// The metric of that name, if it is in the list.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        METRICS.iter().find(|metric| metric.name == name)
    }

    const fn counter(
        name: &'static str,
        labels: &'static [&'static str],
        meaning: &'static str,
    ) -> Self {
        Self { name, r#type: Type::Counter, labels, roles: COORDINATOR, meaning }
    }

    const fn gauge(
        name: &'static str,
        labels: &'static [&'static str],
        meaning: &'static str,
    ) -> Self {
        Self { name, r#type: Type::Gauge, labels, roles: COORDINATOR, meaning }
    }

    const fn histogram(
        name: &'static str,
        labels: &'static [&'static str],
        meaning: &'static str,
    ) -> Self {
        Self { name, r#type: Type::Histogram, labels, roles: COORDINATOR, meaning }
    }

    const fn of(self, roles: &'static [Role]) -> Self {
        Self { roles, ..self }
    }
}

const COORDINATOR: &[Role] = &[Role::Coordinator];
const WORKER: &[Role] = &[Role::Worker];
const BOTH: &[Role] = &[Role::Coordinator, Role::Worker];

/// All metrics. `kind` is an experiment's name.
pub const METRICS: &[Metric] = &[
    Metric::gauge(
        "hatchery_jobs",
        &["state"],
        "Jobs that are not resolved: leased by this coordinator, and of the runs that it leads those \
         that are parked, and those that are ready or leased by another coordinator",
    ),
    Metric::counter(
        "hatchery_jobs_completed_total",
        &["kind", "outcome"],
        "Results that workers brought and that the store or a check decided on",
    ),
    Metric::counter(
        "hatchery_job_attempts_failed_total",
        &["kind", "reason"],
        "Attempts at jobs that failed",
    ),
    Metric::counter(
        "hatchery_units_completed_total",
        &["kind"],
        "Trials in results that were accepted",
    ),
    Metric::histogram(
        "hatchery_job_duration_seconds",
        &["kind"],
        "Time from the start of a job to its end, as its worker measured it",
    ),
    Metric::histogram(
        "hatchery_job_queue_wait_seconds",
        &["kind"],
        "Time from when the leader made a job ready to when a worker of the same coordinator was \
         given it",
    ),
    Metric::counter(
        "hatchery_lease_expirations_total",
        &["level"],
        "Leases that ended because nobody renewed them",
    ),
    Metric::counter(
        "hatchery_jobs_speculated_total",
        &["outcome"],
        "Backup copies of late jobs, by whether the copy was faster",
    ),
    Metric::gauge("hatchery_workers", &["state"], "Workers that this coordinator knows"),
    Metric::gauge("hatchery_worker_slots", &["state"], "Slots of this worker").of(WORKER),
    Metric::counter(
        "hatchery_worker_sessions_ended_total",
        &["reason"],
        "Sessions of workers that ended",
    ),
    Metric::gauge(
        "hatchery_pending_core_seconds",
        &[],
        "CPU time that the current generations of all active runs of the farm still need, by the \
         pace of their last results; at least 1 for each run",
    ),
    Metric::gauge(
        "hatchery_desired_workers",
        &[],
        "How many workers the farm should have; 0 if nothing is pending",
    ),
    Metric::gauge("hatchery_runs", &["state"], "Runs in the store"),
    Metric::histogram(
        "hatchery_generation_duration_seconds",
        &["kind"],
        "Time that leaders were at a generation, of those that were folded here",
    ),
    Metric::histogram(
        "hatchery_generation_tail_seconds",
        &[],
        "Time that the last 5 % of the jobs of a generation took, of those that were led here",
    ),
    Metric::histogram(
        "hatchery_store_op_duration_seconds",
        &["op", "outcome"],
        "Time that the store took for a call",
    ),
    Metric::gauge("hatchery_store_up", &[], "1 if the store answered when it was asked last"),
    Metric::counter(
        "hatchery_store_errors_total",
        &["kind"],
        "Calls that the store did not answer or refused, by what was wrong",
    ),
    Metric::counter(
        "hatchery_leader_changes_total",
        &[],
        "How often this coordinator took the lead of a run",
    ),
    Metric::gauge("hatchery_leader", &[], "Runs that this coordinator leads"),
    Metric::counter(
        "hatchery_session_messages_total",
        &["direction", "type"],
        "Messages of sessions with workers, seen from the coordinator",
    ),
    Metric::counter(
        "hatchery_session_bytes_total",
        &["direction"],
        "Encoded size of the messages of sessions, seen from the coordinator",
    ),
    Metric::gauge(
        "hatchery_result_outbox",
        &[],
        "Results that this worker keeps because no coordinator has confirmed them yet",
    )
    .of(WORKER),
    Metric::counter(
        "hatchery_audits_total",
        &["outcome"],
        "Jobs that were due to be computed by a second worker",
    ),
    Metric::counter(
        "hatchery_auth_failures_total",
        &["reason"],
        "What was refused because whoever sent it may not",
    ),
    Metric {
        name: "hatchery_build_info",
        r#type: Type::Info,
        labels: &["version", "protocol"],
        roles: BOTH,
        meaning: "The release that runs, and the protocol that it speaks",
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_follow_the_conventions_of_prometheus() {
        let names: BTreeSet<_> = METRICS.iter().map(|metric| metric.name).collect();
        assert_eq!(names.len(), METRICS.len(), "a name comes twice");
        for Metric { name, r#type, labels, meaning, .. } in METRICS {
            assert!(name.starts_with("hatchery_"), "{name}");
            assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
            assert_eq!(name.ends_with("_total"), *r#type == Type::Counter, "{name}");
            assert_eq!(name.ends_with("_info"), *r#type == Type::Info, "{name}");
            assert!(*r#type != Type::Histogram || name.ends_with("_seconds"), "{name}");
            assert!(!meaning.ends_with('.'), "{name}: the client adds the full stop");
            for label in *labels {
                assert!(!["run", "job", "worker"].contains(label), "{name} has unbounded labels");
            }
        }
    }

    #[test]
    fn the_documentation_has_a_row_for_every_metric() {
        let page = include_str!("../../docs/OPERATING.md");
        let rows: Vec<_> = page.lines().filter(|line| line.starts_with("| `hatchery_")).collect();
        assert_eq!(rows.len(), METRICS.len());
        for Metric { name, r#type, labels, .. } in METRICS {
            let row = rows.iter().find(|row| row.starts_with(&format!("| `{name}` |")));
            let cells: Vec<_> = row.expect(name).split(" | ").collect();
            assert_eq!(cells[1], format!("{type:?}").to_lowercase(), "{name}");
            for label in *labels {
                assert!(cells[2].contains(&format!("`{label}`")), "{name} has no {label}");
            }
        }
    }

    /// What dashboards and alerts name is in that file; `tests/deploy/check.py` holds them to it.
    #[test]
    fn what_dashboards_and_alerts_may_name_is_exported() {
        let page = include_str!("../../deploy/prometheus/metrics.txt");
        for line in page.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<_> = line.split_whitespace().collect();
            let &[name, r#type, labels, whose] = words.as_slice() else { panic!("{line}") };
            let metric = Metric::find(name).expect(line);
            let exported = match metric.r#type {
                Type::Info => "gauge".to_owned(),
                exported => format!("{exported:?}").to_lowercase(),
            };
            assert_eq!(r#type, exported, "{line}");
            let labels: BTreeSet<_> = labels.split(',').filter(|label| *label != "-").collect();
            assert_eq!(labels, metric.labels.iter().copied().collect(), "{line}");
            let role = if whose == "worker" { Role::Worker } else { Role::Coordinator };
            assert!(metric.roles.contains(&role), "{line}");
        }
    }
}
