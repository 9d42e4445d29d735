//! The errors that the contract asks for, as values that can be compared.

use crate::StoreError;

/// An error that the contract asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// [`StoreError::NoRun`].
    NoRun,
    /// [`StoreError::Fenced`].
    Fenced,
    /// [`StoreError::OutOfStep`].
    OutOfStep,
}

impl Refusal {
    /// Returns the answer of a store, or its refusal.
    ///
    /// # Errors
    /// The store's errors that are no refusals: the store is in trouble.
    pub fn of<T>(answer: Result<T, StoreError>) -> Result<Result<T, Self>, StoreError> {
        match answer {
            Ok(answer) => Ok(Ok(answer)),
            Err(StoreError::NoRun { .. }) => Ok(Err(Self::NoRun)),
            Err(StoreError::Fenced { .. }) => Ok(Err(Self::Fenced)),
            Err(StoreError::OutOfStep { .. }) => Ok(Err(Self::OutOfStep)),
            Err(trouble) => Err(trouble),
        }
    }
}
