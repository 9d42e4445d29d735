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

use crate::book::{Book, text};
use crate::list::Role;

/// What a coordinator counts. Clones of an `Arc` of it are handed to whoever has something to
/// count; all methods can be called from anywhere at any time.
#[derive(Debug)]
pub struct CoordinatorMeters {
    /// What becomes of jobs.
    pub jobs: JobMeters,
    /// Workers and their sessions.
    pub sessions: SessionMeters,
    /// Calls to the store.
    pub store: StoreMeters,
    /// Runs, and what the farm needs.
    pub farm: FarmMeters,
    registry: Registry,
}

/// The experiments that are counted by themselves: values of `kind`.
#[derive(Clone, Debug)]
struct Kinds(Vec<&'static str>);

/// The `kind` of what is of no known experiment.
const OTHER: &str = "other";

impl Kinds {
    /// The label of an experiment.
    fn of(&self, experiment: &str) -> &'static str {
        self.0.iter().find(|kind| **kind == experiment).copied().unwrap_or(OTHER)
    }
}

impl CoordinatorMeters {
    /// Meters at 0 for these experiments, in this release.
    #[must_use]
    pub fn new(
        experiments: impl IntoIterator<Item = &'static str>,
        version: &str,
        protocol: u32,
    ) -> Self {
        let kinds = Kinds(experiments.into_iter().collect());
        let mut book = Book::new(Role::Coordinator);
        book.info("hatchery_build_info", [version.to_owned(), protocol.to_string()]);
        Self {
            jobs: JobMeters::new(&mut book, kinds.clone()),
            sessions: SessionMeters::new(&mut book),
            store: StoreMeters::new(&mut book),
            farm: FarmMeters::new(&mut book, kinds),
            registry: book.finish(),
        }
    }

    /// What Prometheus reads: OpenMetrics text.
    #[must_use]
    pub fn text(&self) -> String {
        self.jobs.settle();
        text(&self.registry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::{METRICS, Type};

    #[test]
    fn every_metric_is_there_from_the_start() {
        let meters = CoordinatorMeters::new(["pig"], "1.2.3", 7);
        let text = meters.text();
        for metric in METRICS.iter().filter(|metric| metric.roles.contains(&Role::Coordinator)) {
            // Which calls a store has is not known here, and a family without series is not shown.
            if metric.name == "hatchery_store_op_duration_seconds"
                || metric.name.starts_with("hatchery_session_messages")
            {
                continue;
            }
            let stem = metric.name.trim_end_matches("_total").trim_end_matches("_info");
            let described = format!("# TYPE {stem} ");
            assert!(text.contains(&described), "{} is missing:\n{text}", metric.name);
            let has_series = text.lines().any(|line| match metric.r#type {
                Type::Histogram => line.starts_with(&format!("{}_count", metric.name)),
                _ => line.starts_with(metric.name),
            });
            assert!(has_series, "{} has no series:\n{text}", metric.name);
        }
        assert!(text.contains("hatchery_build_info{version=\"1.2.3\",protocol=\"7\"} 1"), "{text}");
        assert!(text.ends_with("# EOF\n"));
    }
}
