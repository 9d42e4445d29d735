//! The limits of modules and trials, each with its reason.

/// The most bytes of a module: ten times the largest games that people compile.
pub const MAX_MODULE_BYTES: usize = 32 << 20;

/// The most functions of a module.
pub(crate) const MAX_FUNCTIONS: u32 = 100_000;

/// The most bytes of a function. The time of the compiler grows faster than this length.
pub(crate) const MAX_FUNCTION_BYTES: usize = 512 << 10;

/// The most locals of a function, parameters included, and the most values on its operand stack.
/// The interpreter numbers both with 15 bits.
pub(crate) const MAX_FUNCTION_VALUES: u32 = 4_096;

/// The most globals of a module. They are part of each instance.
pub(crate) const MAX_GLOBALS: u32 = 10_000;

/// The most tables of a module; compilers make one.
pub(crate) const MAX_TABLES: u32 = 1;

/// The most elements of a table. They are part of each instance.
pub(crate) const MAX_TABLE_ELEMENTS: u64 = 1 << 16;

/// The most segments of data or of elements.
pub(crate) const MAX_SEGMENTS: u32 = 100_000;

/// The room for calls within calls, in bytes as [`FunctionFacts`](crate::inspect) counts them. It
/// is the stack that programs have on most systems.
pub(crate) const CALL_STACK_BYTES: i32 = 8 << 20;

/// The native stack that compiled code may use. It has room for [`CALL_STACK_BYTES`], and for a
/// last function that calls no other function: 8 bytes for each of [`MAX_FUNCTION_BYTES`].
/// Only what is used is real memory.
#[cfg(feature = "jit")]
pub(crate) const NATIVE_STACK_BYTES: usize = (8 << 20) + (5 << 20);

/// The native stack for the host's own functions around compiled code.
#[cfg(feature = "jit")]
pub(crate) const HOST_STACK_BYTES: usize = 512 << 10;

/// The most measures that a trial records: it counts, it does not log.
pub(crate) const MAX_TRIAL_MEASURES: usize = 4_096;

/// The most bytes of a frame of a replay.
pub(crate) const MAX_FRAME_BYTES: u32 = 64 << 10;

/// The most bytes of all frames of a replay together.
pub(crate) const MAX_REPLAY_BYTES: usize = 16 << 20;

/// The most bytes of the modules whose compiled form is kept. Compiled code is several times as
/// long as its module.
pub(crate) const MAX_CACHED_BYTES: usize = 64 << 20;

/// The most modules whose compiled form is kept.
pub(crate) const MAX_CACHED_MODULES: usize = 16;
