//! Calls to the store.

use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

use crate::book::{Book, Labeled};
use crate::labels::{Answer, StoreTrouble};

/// Calls to the store.
#[derive(Debug)]
pub struct StoreMeters {
    durations: Labeled<Histogram, 2>,
    up: Gauge,
    errors: Labeled<Counter, 1>,
}

impl StoreMeters {
    pub(super) fn new(book: &mut Book) -> Self {
        let errors = book.counters("hatchery_store_errors_total");
        StoreTrouble::ALL.iter().for_each(|kind| _ = errors.with([kind.as_str()]));
        Self {
            durations: book.histograms("hatchery_store_op_duration_seconds"),
            up: book.plain("hatchery_store_up", Gauge::default()),
            errors,
        }
    }

    /// A call took so long, and had an answer or trouble.
    pub fn called(&self, op: &'static str, took: Duration, trouble: Option<StoreTrouble>) {
        let answer = if trouble.is_some() { Answer::Error } else { Answer::Ok };
        self.durations.with([op, answer.as_str()]).observe(took.as_secs_f64());
        if let Some(trouble) = trouble {
            self.errors.with([trouble.as_str()]).inc();
        }
    }

    /// Whether the store answered when it was asked last.
    pub fn answers(&self, answers: bool) {
        self.up.set(i64::from(answers));
    }
}
