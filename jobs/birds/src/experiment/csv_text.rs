//! Tables as comma-separated values.

use super::mean_estimate::MeanEstimate;

/// A table under construction, as comma-separated values. Fields have no commas and no quotes:
/// names in specs are plain.
pub(super) struct CsvText(String);

impl CsvText {
    /// Returns a table with this header.
    pub(super) fn new(header: &str) -> Self {
        Self(format!("{header}\n"))
    }

    /// Adds a row.
    pub(super) fn row(&mut self, fields: &[String]) {
        self.0.push_str(&fields.join(","));
        self.0.push('\n');
    }

    /// Returns the table.
    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// Returns a number with six decimal places; nothing where there is none.
pub(super) fn number(number: Option<f64>) -> String {
    number.map_or_else(String::new, |it| format!("{it:.6}"))
}

/// Returns a count; nothing where there is none.
pub(super) fn count(count: Option<u32>) -> String {
    count.map_or_else(String::new, |it| it.to_string())
}

/// Returns a mean and the ends of its interval with this number of decimal places; nothing where
/// there is none.
pub(super) fn mean_fields(mean: Option<MeanEstimate>, digits: usize) -> [String; 3] {
    let interval = mean.and_then(MeanEstimate::interval);
    [mean.map(MeanEstimate::mean), interval.map(|it| it.low), interval.map(|it| it.high)]
        .map(|number| number.map_or_else(String::new, |it| format!("{it:.digits$}")))
}
