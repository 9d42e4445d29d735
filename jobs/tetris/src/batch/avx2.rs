//! The vector operations with 256-bit AVX2 instructions.

#![expect(unsafe_code, reason = "vector instructions; see the safety of the macro below")]

mod bytes;
mod floats;
mod rows;
mod rows16;
mod rows32;
mod words;

pub(super) use bytes::{byte_operations, table};
pub(super) use rows16::Avx2Rows16;
pub(super) use rows32::Avx2Rows32;

/// Calls vector instructions.
///
/// SAFETY: these types are used only by functions that `dispatch` calls after it has detected all
/// instructions of `InstructionSet::available`, AVX2 and FMA among them, and by tests that check it
/// too. The only other condition of the instructions is that pointers are valid for a vector, or
/// for half a vector: they come from references to arrays with that size, or to parts of arrays
/// that are sliced to it.
macro_rules! avx2 {
    ($call:expr) => {
        unsafe { $call }
    };
}
pub(super) use avx2;
