//! Meters as they are made from the list: each name once, with the labels that the list gives it.

use std::collections::BTreeSet;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{self, Registry};

use crate::list::{METRICS, Metric, Role, Type};

/// The labels of a series.
type Labels<const N: usize> = [(&'static str, &'static str); N];

/// Bounds of what takes from under a millisecond to half an hour, in seconds.
const BOUNDS_S: [f64; 16] = [
    0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0,
];

/// A histogram of seconds.
pub(crate) fn seconds() -> Histogram {
    Histogram::new(BOUNDS_S)
}

/// The meters of one name, by their labels.
#[derive(Debug)]
pub(crate) struct Labeled<M, const N: usize> {
    names: [&'static str; N],
    family: Family<Labels<N>, M, fn() -> M>,
}

impl<M: Clone, const N: usize> Labeled<M, N> {
    /// The meter of these label values, in the order of the list.
    pub(crate) fn with(&self, values: [&'static str; N]) -> M {
        let mut labels = [("", ""); N];
        for (label, pair) in labels.iter_mut().zip(self.names.into_iter().zip(values)) {
            *label = pair;
        }
        self.family.get_or_create_owned(&labels)
    }
}

impl<const N: usize> Labeled<Gauge, N> {
    /// Sets a gauge to a number of things.
    pub(crate) fn set(&self, values: [&'static str; N], n: u64) {
        self.with(values).set(i64::try_from(n).unwrap_or(i64::MAX));
    }
}

/// The meters of a role while they are made.
#[derive(Debug)]
pub(crate) struct Book {
    registry: Registry,
    missing: BTreeSet<&'static str>,
}

impl Book {
    /// A book for all metrics of `role`.
    pub(crate) fn new(role: Role) -> Self {
        let of_role = METRICS.iter().filter(|metric| metric.roles.contains(&role));
        Self { registry: Registry::default(), missing: of_role.map(|metric| metric.name).collect() }
    }

    /// A meter without labels.
    pub(crate) fn plain<M: registry::Metric + Clone>(&mut self, name: &str, meter: M) -> M {
        let metric = self.enter(name, meter.clone());
        assert!(metric.labels.is_empty(), "{name} has labels");
        meter
    }

    /// Counters by their labels.
    pub(crate) fn counters<const N: usize>(&mut self, name: &str) -> Labeled<Counter, N> {
        self.labeled(name, Counter::default)
    }

    /// Gauges by their labels.
    pub(crate) fn gauges<const N: usize>(&mut self, name: &str) -> Labeled<Gauge, N> {
        self.labeled(name, Gauge::default)
    }

    /// Histograms of seconds by their labels.
    pub(crate) fn histograms<const N: usize>(&mut self, name: &str) -> Labeled<Histogram, N> {
        self.labeled(name, seconds)
    }

    /// What runs: the values of the labels.
    pub(crate) fn info<const N: usize>(&mut self, name: &str, values: [String; N]) {
        let labels = labels_of::<N>(name).into_iter().zip(values);
        self.enter(name, Info::new(labels.collect::<Vec<_>>()));
    }

    /// What is exported.
    ///
    /// # Panics
    /// If a metric of the list has no meter.
    pub(crate) fn finish(self) -> Registry {
        assert!(self.missing.is_empty(), "metrics without a meter: {:?}", self.missing);
        self.registry
    }

    fn labeled<M, const N: usize>(&mut self, name: &str, make: fn() -> M) -> Labeled<M, N>
    where
        Family<Labels<N>, M, fn() -> M>: registry::Metric + Clone,
    {
        let names = labels_of::<N>(name);
        let family = Family::new_with_constructor(make);
        self.enter(name, family.clone());
        Labeled { names, family }
    }

    /// Takes a meter in under a name of the list.
    fn enter(&mut self, name: &str, meter: impl registry::Metric) -> &'static Metric {
        let metric = listed(name);
        assert!(self.missing.remove(metric.name), "{name} is not of this role, or comes twice");
        // The client adds the suffixes.
        let stem = match metric.r#type {
            Type::Counter => metric.name.trim_end_matches("_total"),
            Type::Info => metric.name.trim_end_matches("_info"),
            Type::Gauge | Type::Histogram => metric.name,
        };
        self.registry.register(stem, metric.meaning, meter);
        metric
    }
}

/// What a registry exports, as text.
pub(crate) fn text(registry: &Registry) -> String {
    let mut text = String::new();
    encode(&mut text, registry).expect("a string takes everything");
    text
}

fn listed(name: &str) -> &'static Metric {
    Metric::find(name).expect("meters have names of the list")
}

fn labels_of<const N: usize>(name: &str) -> [&'static str; N] {
    listed(name).labels.try_into().expect("as many labels as in the list")
}
