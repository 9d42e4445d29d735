//! Tallies in bytes, while they come in.

use crate::simulation::Tally;
use crate::wire::DecodeError;

use super::EncodedBytes;

/// The tallies of a generation or a job while they come in: one per series.
pub trait TallyAccumulator: Send {
    /// Adds the tally of the next trials of series number `series`.
    ///
    /// # Errors
    /// If the tally is malformed or there is no such series; then nothing changes.
    fn absorb(&mut self, series: u32, tally: &[u8]) -> Result<(), DecodeError>;
    /// Returns the tallies so far, in plan order; `None` for a series without trials yet.
    fn tallies(&self) -> Vec<Option<EncodedBytes>>;
}

/// Returns an accumulator without tallies for `n_series` series.
pub(super) fn accumulator<T: Tally>(n_series: usize) -> Box<dyn TallyAccumulator> {
    Box::new(DecodedTallies::<T>((0..n_series).map(|_| None).collect()))
}

struct DecodedTallies<T>(Vec<Option<T>>);

impl<T: Tally> TallyAccumulator for DecodedTallies<T> {
    fn absorb(&mut self, series: u32, tally: &[u8]) -> Result<(), DecodeError> {
        let n_series = self.0.len();
        let Some(sum) = usize::try_from(series).ok().and_then(|idx| self.0.get_mut(idx)) else {
            return Err(DecodeError::field("series", &series, format!("below {n_series}")));
        };
        let tally = T::decode(tally)?;
        match sum {
            Some(earlier) => earlier.absorb(tally),
            None => *sum = Some(tally),
        }
        Ok(())
    }

    fn tallies(&self) -> Vec<Option<EncodedBytes>> {
        self.0.iter().map(|tally| tally.as_ref().map(T::encode)).collect()
    }
}
