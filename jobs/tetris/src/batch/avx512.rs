//! The vector operations with 512-bit AVX-512 instructions, as Ice Lake and Zen 4 have them.
//!
//! Bytes are in vectors of 256 bits, as 32 boards need no more; everything else is in half as many
//! vectors as with AVX2, and in the order of boards.

#![expect(unsafe_code, reason = "vector instructions; see the safety of the macro below")]

mod bytes;
mod floats;
mod rows;
mod rows16;
mod rows32;
mod words;

pub(super) use rows16::Avx512Rows16;
pub(super) use rows32::Avx512Rows32;

/// Calls vector instructions.
///
/// SAFETY: these types are used only by functions that `dispatch` calls after it has detected all
/// instructions of `InstructionSet::Avx512`, and by tests that check it too. The only other
/// condition of the instructions is that pointers are valid for a vector: they come from references
/// to arrays of that size.
macro_rules! avx512 {
    ($call:expr) => {
        unsafe { $call }
    };
}
use avx512;
