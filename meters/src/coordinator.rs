//! The meters of a coordinator.

mod farm;
mod jobs;
mod sessions;
mod store;

pub use farm::FarmMeters;
pub use jobs::JobMeters;
pub use sessions::SessionMeters;
pub use store::StoreMeters;

use prometheus_client::registry::Registry;

use crate::builder::{MeterBuilder, text};
use crate::list::MetricRole;

/// The meters of a coordinator.
///
/// Every counting part holds a clone of the same `Arc`; all methods can be called from any thread
/// at any time.
#[derive(Debug)]
pub struct CoordinatorMeters {
    /// Jobs and their results.
    pub jobs: JobMeters,
    /// Workers and their sessions.
    pub sessions: SessionMeters,
    /// Calls to the store.
    pub store: StoreMeters,
    /// Runs, and the demand for workers.
    pub farm: FarmMeters,
    registry: Registry,
}

/// The experiments with series of their own: the values of `kind`.
#[derive(Clone, Debug)]
struct ExperimentKinds(Vec<&'static str>);

/// The `kind` for other experiments.
const OTHER: &str = "other";

impl ExperimentKinds {
    /// Returns the label value of an experiment.
    fn of(&self, experiment: &str) -> &'static str {
        self.0.iter().find(|kind| **kind == experiment).copied().unwrap_or(OTHER)
    }
}

impl CoordinatorMeters {
    /// Returns meters at 0 for these experiments, in this release.
    #[must_use]
    pub fn new(
        experiments: impl IntoIterator<Item = &'static str>,
        version: &str,
        protocol: u32,
    ) -> Self {
        let kinds = ExperimentKinds(experiments.into_iter().collect());
        let mut builder = MeterBuilder::new(MetricRole::Coordinator);
        builder.info("hatchery_build_info", [version.to_owned(), protocol.to_string()]);
        Self {
            jobs: JobMeters::new(&mut builder, kinds.clone()),
            sessions: SessionMeters::new(&mut builder),
            store: StoreMeters::new(&mut builder),
            farm: FarmMeters::new(&mut builder, kinds),
            registry: builder.finish(),
        }
    }

    /// Returns the metrics as OpenMetrics text.
    #[must_use]
    pub fn text(&self) -> String {
        self.jobs.update_ready();
        text(&self.registry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::{METRICS, MetricType};

    #[test]
    fn every_metric_is_there_from_the_start() {
        let meters = CoordinatorMeters::new(["pig"], "1.2.3", 7);
        let text = meters.text();
        for metric in
            METRICS.iter().filter(|metric| metric.roles.contains(&MetricRole::Coordinator))
        {
            // The calls of a store are not known here, and a family without series is not exported.
            if metric.name == "hatchery_store_op_duration_seconds"
                || metric.name.starts_with("hatchery_session_messages")
            {
                continue;
            }
            let stem = metric.name.trim_end_matches("_total").trim_end_matches("_info");
            let described = format!("# TYPE {stem} ");
            assert!(text.contains(&described), "{} is missing:\n{text}", metric.name);
            let has_series = text.lines().any(|line| match metric.r#type {
                MetricType::Histogram => line.starts_with(&format!("{}_count", metric.name)),
                _ => line.starts_with(metric.name),
            });
            assert!(has_series, "{} has no series:\n{text}", metric.name);
        }
        assert!(text.contains("hatchery_build_info{version=\"1.2.3\",protocol=\"7\"} 1"), "{text}");
        assert!(text.ends_with("# EOF\n"));
    }
}
