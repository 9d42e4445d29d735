//! The choice of an instruction set at run time.

#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2Floats;
#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512Floats;
use super::vectors::{PlainFloats, VectorTask};

/// A set of instructions that networks can be computed with; all give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// The instructions of every processor.
    Plain,
    /// Vectors of 256 bits.
    Avx2,
    /// Vectors of 512 bits.
    Avx512,
}

impl InstructionSet {
    /// Returns the instruction sets of this processor, the fastest last.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let sets = [Self::Plain, Self::Avx2, Self::Avx512];
        sets.into_iter().filter(|set| set.is_available()).collect()
    }

    /// Returns the fastest instruction set of this processor.
    #[must_use]
    pub fn fastest() -> Self {
        let sets = [Self::Avx512, Self::Avx2];
        sets.into_iter().find(|set| set.is_available()).unwrap_or(Self::Plain)
    }

    fn is_available(self) -> bool {
        match self {
            Self::Plain => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => is_x86_feature_detected!("avx512f"),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// Runs `task` with these instructions, or plainly if the processor lacks them.
    pub(super) fn run(self, task: impl VectorTask) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the guard has detected the instructions.
            #[expect(unsafe_code, reason = "instructions detected at run time")]
            Self::Avx2 if self.is_available() => unsafe { avx2(task) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the guard has detected the instructions.
            #[expect(unsafe_code, reason = "instructions detected at run time")]
            Self::Avx512 if self.is_available() => unsafe { avx512(task) },
            _ => task.run::<PlainFloats>(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(task: impl VectorTask) {
    task.run::<Avx2Floats>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn avx512(task: impl VectorTask) {
    task.run::<Avx512Floats>();
}
