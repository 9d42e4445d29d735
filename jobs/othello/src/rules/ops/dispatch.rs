//! The choice of an instruction set at run time.

use super::plain::PlainOps;
use super::{BoardJob, BoardOps};

/// A set of instructions for operations on boards; all have the same results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoardBackend {
    /// Plain code, for every processor.
    Plain,
    /// AVX2, BMI1, BMI2, LZCNT and POPCNT of x86-64: processors since 2013 to 2017.
    Avx2,
}

impl BoardBackend {
    /// Returns the sets that this processor has, the fastest last.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let all = [Self::Plain, Self::Avx2];
        all.into_iter().filter(|backend| backend.is_available()).collect()
    }

    /// Returns the fastest set that this processor has.
    #[must_use]
    pub fn fastest() -> Self {
        if Self::Avx2.is_available() { Self::Avx2 } else { Self::Plain }
    }

    /// Returns true if this processor has the set.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Plain => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 => false,
        }
    }
}

/// Runs `job` with the instructions of `backend`, or with plain code if this processor does not
/// have them. Call it once for a search or for many games, not for each move.
pub fn dispatch<J: BoardJob>(backend: BoardBackend, job: J) -> J::Output {
    match backend {
        #[cfg(target_arch = "x86_64")]
        BoardBackend::Avx2 if backend.is_available() => super::avx2::Avx2Ops::enter(job),
        _ => PlainOps::enter(job),
    }
}
