//! Every exported metric. Tests compare dashboards, alerts, the documentation and both roles with
//! this list.

/// A metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The name, with its suffix.
    pub name: &'static str,
    /// The type.
    pub r#type: MetricType,
    /// The names of the labels.
    pub labels: &'static [&'static str],
    /// The roles that export the metric.
    pub roles: &'static [MetricRole],
    /// The help text.
    pub meaning: &'static str,
}

/// The type of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricType {
    /// Only increases; the name ends in `_total`.
    Counter,
    /// Increases and decreases.
    Gauge,
    /// A distribution, with the series `_bucket`, `_sum` and `_count`.
    Histogram,
    /// Always 1, with labels that hold the information; the name ends in `_info`.
    Info,
}

/// A process that exports metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricRole {
    /// `hatchery coordinator`.
    Coordinator,
    /// `hatchery worker`.
    Worker,
}

impl Metric {
    /// Returns the metric of that name, if it is in the list.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        METRICS.iter().find(|metric| metric.name == name)
    }

    const fn counter(
        name: &'static str,
        labels: &'static [&'static str],
        meaning: &'static str,
    ) -> Self {
        Self { name, r#type: MetricType::Counter, labels, roles: COORDINATOR, meaning }
    }

    const fn gauge(
        name: &'static str,
        labels: &'static [&'static str],
        meaning: &'static str,
    ) -> Self {
        Self { name, r#type: MetricType::Gauge, labels, roles: COORDINATOR, meaning }
    }

    const fn histogram(
        name: &'static str,
        labels: &'static [&'static str],
        meaning: &'static str,
    ) -> Self {
        Self { name, r#type: MetricType::Histogram, labels, roles: COORDINATOR, meaning }
    }

    const fn of(self, roles: &'static [MetricRole]) -> Self {
        Self { roles, ..self }
    }
}

const COORDINATOR: &[MetricRole] = &[MetricRole::Coordinator];
const WORKER: &[MetricRole] = &[MetricRole::Worker];
const BOTH: &[MetricRole] = &[MetricRole::Coordinator, MetricRole::Worker];

/// All metrics. `kind` is an experiment's name.
pub const METRICS: &[Metric] = &[
    Metric::gauge(
        "hatchery_jobs",
        &["state"],
        "Unresolved jobs: leased by this coordinator, and of the runs that it leads the dead ones \
         (parked) and those that are ready or leased by another coordinator",
    ),
    Metric::counter(
        "hatchery_jobs_completed_total",
        &["kind", "outcome"],
        "Results of workers, by their outcome",
    ),
    Metric::counter(
        "hatchery_job_attempts_failed_total",
        &["kind", "reason"],
        "Failed attempts at jobs",
    ),
    Metric::counter("hatchery_units_completed_total", &["kind"], "Trials in accepted results"),
    Metric::histogram(
        "hatchery_job_duration_seconds",
        &["kind"],
        "Time from the start of a job to its end, measured by its worker",
    ),
    Metric::histogram(
        "hatchery_job_queue_wait_seconds",
        &["kind"],
        "Time from the moment the leader made a job ready until a worker of the same coordinator \
         was given it",
    ),
    Metric::counter(
        "hatchery_lease_expirations_total",
        &["level"],
        "Leases that expired because they were not renewed",
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
        "Ended sessions of workers",
    ),
    Metric::counter(
        "hatchery_worker_pauses_total",
        &[],
        "Pauses of workers that failed jobs that others completed",
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
        "Number of workers that the farm should have; 0 if nothing is pending",
    ),
    Metric::gauge("hatchery_runs", &["state"], "Runs in the store"),
    Metric::histogram(
        "hatchery_generation_duration_seconds",
        &["kind"],
        "Time that leaders took for a generation, for the generations folded here",
    ),
    Metric::histogram(
        "hatchery_generation_tail_seconds",
        &[],
        "Time that the last 5 % of the jobs of a generation took, for the generations led here",
    ),
    Metric::histogram(
        "hatchery_store_op_duration_seconds",
        &["op", "outcome"],
        "Time that the store took for a call",
    ),
    Metric::gauge("hatchery_store_up", &[], "1 if the store answered the last call"),
    Metric::gauge(
        "hatchery_store_memory_used_bytes",
        &[],
        "Memory that Redis uses; 0 with a store in a file",
    ),
    Metric::gauge(
        "hatchery_store_memory_limit_bytes",
        &[],
        "maxmemory of Redis; 0 if it has no limit, and with a store in a file",
    ),
    Metric::counter(
        "hatchery_store_errors_total",
        &["kind"],
        "Calls that the store did not answer or refused, by kind of error",
    ),
    Metric::counter(
        "hatchery_leader_changes_total",
        &[],
        "Runs whose leader this coordinator became",
    ),
    Metric::gauge("hatchery_leader", &[], "Runs that this coordinator leads"),
    Metric::gauge("hatchery_queued_runs", &[], "Active runs of the farm that wait for a leader"),
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
        "Results that this worker keeps until a coordinator confirms them",
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
        "Calls, connections, results and workers refused for lack of a right",
    ),
    Metric::gauge(
        "hatchery_certificate_expires_timestamp_seconds",
        &[],
        "Time when the first certificate of the coordinator or of its client authorities expires; \
         0 without TLS",
    ),
    Metric {
        name: "hatchery_build_info",
        r#type: MetricType::Info,
        labels: &["version", "protocol"],
        roles: BOTH,
        meaning: "The release that runs, and the protocol version that it speaks",
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
            assert_eq!(name.ends_with("_total"), *r#type == MetricType::Counter, "{name}");
            assert_eq!(name.ends_with("_info"), *r#type == MetricType::Info, "{name}");
            assert!(*r#type != MetricType::Histogram || name.ends_with("_seconds"), "{name}");
            assert!(!meaning.ends_with('.'), "{name}: the client adds the full stop");
            for label in *labels {
                assert!(!["run", "job", "worker"].contains(label), "{name} has unbounded labels");
            }
        }
    }

    #[test]
    fn the_documentation_has_a_row_for_every_metric() {
        let page = include_str!("../../docs/REFERENCE.md");
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

    /// The metrics that dashboards and alerts name are in that file; `tests/deploy/check.py` holds
    /// them to it.
    #[test]
    fn what_dashboards_and_alerts_may_name_is_exported() {
        let page = include_str!("../../deploy/prometheus/metrics.txt");
        for line in page.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<_> = line.split_whitespace().collect();
            let &[name, r#type, labels, whose] = words.as_slice() else { panic!("{line}") };
            let metric = Metric::find(name).expect(line);
            let exported = match metric.r#type {
                MetricType::Info => "gauge".to_owned(),
                exported => format!("{exported:?}").to_lowercase(),
            };
            assert_eq!(r#type, exported, "{line}");
            let labels: BTreeSet<_> = labels.split(',').filter(|label| *label != "-").collect();
            assert_eq!(labels, metric.labels.iter().copied().collect(), "{line}");
            let role = if whose == "worker" { MetricRole::Worker } else { MetricRole::Coordinator };
            assert!(metric.roles.contains(&role), "{line}");
        }
    }
}
