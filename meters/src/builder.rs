//! Builds the meters of a role from the list: each name once, with the labels that the list gives
//! it.

use std::collections::BTreeSet;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{self, Registry};

use crate::list::{METRICS, Metric, MetricRole, MetricType};

/// The names and values of the labels of a series.
type LabelPairs<const N: usize> = [(&'static str, &'static str); N];

/// Bucket bounds in seconds, for times from under a millisecond to half an hour.
const BOUNDS_S: [f64; 16] = [
    0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0,
];

/// Returns a histogram of seconds.
pub(crate) fn seconds() -> Histogram {
    Histogram::new(BOUNDS_S)
}

/// The meters with the same name, by label values.
#[derive(Debug)]
pub(crate) struct LabeledFamily<M, const N: usize> {
    names: [&'static str; N],
    family: Family<LabelPairs<N>, M, fn() -> M>,
}

impl<M: Clone, const N: usize> LabeledFamily<M, N> {
    /// Returns the meter of these label values, in the order of the list.
    pub(crate) fn with(&self, values: [&'static str; N]) -> M {
        let mut labels = [("", ""); N];
        for (label, pair) in labels.iter_mut().zip(self.names.into_iter().zip(values)) {
            *label = pair;
        }
        self.family.get_or_create_owned(&labels)
    }
}

impl<const N: usize> LabeledFamily<Gauge, N> {
    /// Sets a gauge to a number.
    pub(crate) fn set(&self, values: [&'static str; N], n: u64) {
        self.with(values).set(i64::try_from(n).unwrap_or(i64::MAX));
    }
}

/// The meters of a role while they are built.
#[derive(Debug)]
pub(crate) struct MeterBuilder {
    registry: Registry,
    missing: BTreeSet<&'static str>,
}

impl MeterBuilder {
    /// Returns a builder for all metrics of `role`.
    pub(crate) fn new(role: MetricRole) -> Self {
        let of_role = METRICS.iter().filter(|metric| metric.roles.contains(&role));
        Self { registry: Registry::default(), missing: of_role.map(|metric| metric.name).collect() }
    }

    /// Registers `meter`, which has no labels.
    pub(crate) fn plain<M: registry::Metric + Clone>(&mut self, name: &str, meter: M) -> M {
        let metric = self.register(name, meter.clone());
        assert!(metric.labels.is_empty(), "{name} has labels");
        meter
    }

    /// Registers counters by label values.
    pub(crate) fn counters<const N: usize>(&mut self, name: &str) -> LabeledFamily<Counter, N> {
        self.labeled(name, Counter::default)
    }

    /// Registers gauges by label values.
    pub(crate) fn gauges<const N: usize>(&mut self, name: &str) -> LabeledFamily<Gauge, N> {
        self.labeled(name, Gauge::default)
    }

    /// Registers histograms of seconds by label values.
    pub(crate) fn histograms<const N: usize>(&mut self, name: &str) -> LabeledFamily<Histogram, N> {
        self.labeled(name, seconds)
    }

    /// Registers an info metric with these label values.
    pub(crate) fn info<const N: usize>(&mut self, name: &str, values: [String; N]) {
        let labels = labels_of::<N>(name).into_iter().zip(values);
        self.register(name, Info::new(labels.collect::<Vec<_>>()));
    }

    /// Returns the registry to export.
    ///
    /// # Panics
    /// If a metric of the list has no meter.
    pub(crate) fn finish(self) -> Registry {
        assert!(self.missing.is_empty(), "metrics without a meter: {:?}", self.missing);
        self.registry
    }

    fn labeled<M, const N: usize>(&mut self, name: &str, make: fn() -> M) -> LabeledFamily<M, N>
    where
        Family<LabelPairs<N>, M, fn() -> M>: registry::Metric + Clone,
    {
        let names = labels_of::<N>(name);
        let family = Family::new_with_constructor(make);
        self.register(name, family.clone());
        LabeledFamily { names, family }
    }

    /// Registers a meter under a name of the list.
    fn register(&mut self, name: &str, meter: impl registry::Metric) -> &'static Metric {
        let metric = listed(name);
        assert!(
            self.missing.remove(metric.name),
            "{name} is not of this role, or registered twice"
        );
        // The client adds the suffixes.
        let stem = match metric.r#type {
            MetricType::Counter => metric.name.trim_end_matches("_total"),
            MetricType::Info => metric.name.trim_end_matches("_info"),
            MetricType::Gauge | MetricType::Histogram => metric.name,
        };
        self.registry.register(stem, metric.meaning, meter);
        metric
    }
}

/// Returns the registry as OpenMetrics text.
pub(crate) fn text(registry: &Registry) -> String {
    let mut text = String::new();
    encode(&mut text, registry).expect("writing to a string cannot fail");
    text
}

fn listed(name: &str) -> &'static Metric {
    Metric::find(name).expect("meters have names of the list")
}

fn labels_of<const N: usize>(name: &str) -> [&'static str; N] {
    listed(name).labels.try_into().expect("as many labels as in the list")
}
