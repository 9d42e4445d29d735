//! Errors: what is wrong with a module, and how a call into a module fails.
//!
//! The texts depend on the module alone, never on the engine, because they are shown, and compared
//! when two workers fail at the same job.

use hatchery_core::InvalidValue;
use hatchery_core::own_game::InvalidAbout;

use crate::interface::{EXPORT_PREFIX, Export, HOST_MODULE, Import, Signature};
use crate::limits::{
    CALL_STACK_BYTES, MAX_FRAME_BYTES, MAX_MODULE_BYTES, MAX_REPLAY_BYTES, MAX_TRIAL_MEASURES,
};

/// The reason why a module is refused before any of its code runs.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ModuleError {
    /// The module has too many bytes.
    #[error("it has {n_bytes} bytes, and at most {MAX_MODULE_BYTES} are allowed")]
    TooLong {
        /// The length in bytes.
        n_bytes: usize,
    },
    /// The module is no valid WebAssembly, or needs a feature that is not allowed.
    #[error(transparent)]
    Invalid(#[from] wasmparser::BinaryReaderError),
    /// The module imports something that the host does not have.
    #[error("it imports `{module}.{name}`, and the host has only {}", known_imports())]
    UnknownImport {
        /// The module name of the import.
        module: String,
        /// The name of the import.
        name: String,
    },
    /// An import has another type than the host's function.
    #[error("it imports `{import}` as {found}, but it is {expected}")]
    ImportType {
        /// The function of the host.
        import: Import,
        /// The type in the module.
        found: String,
        /// The type of the function.
        expected: Signature,
    },
    /// The module exports a name that belongs to the interface and is unknown.
    #[error("it exports `{name}`; names that begin with `{EXPORT_PREFIX}` are {}", known_exports())]
    UnknownExport {
        /// The name of the export.
        name: String,
    },
    /// An export has the wrong type.
    #[error("it exports {export} as {found}, but it must be {expected}")]
    ExportType {
        /// The function of the module.
        export: Export,
        /// The type in the module.
        found: String,
        /// The type of the interface.
        expected: Signature,
    },
    /// The module lacks a required export.
    #[error("it does not export {0}")]
    MissingExport(Export),
    /// The module has no memory.
    #[error("it has no memory")]
    NoMemory,
    /// The memory is larger than the cap from the beginning.
    #[error("its memory begins with {pages} pages of 64 KiB, and the cap is {cap}")]
    MemoryAboveCap {
        /// The least size of the memory.
        pages: u64,
        /// The cap.
        cap: u32,
    },
    /// The module has too many of something.
    #[error("it has {n} {what}, and at most {most} are allowed")]
    TooMany {
        /// The number.
        n: u64,
        /// The things, in the plural.
        what: &'static str,
        /// The limit.
        most: u64,
    },
    /// A function has too many of something.
    #[error("function {function} has {n} {what}, and at most {most} are allowed")]
    FunctionTooLarge {
        /// The index of the function, imports included.
        function: u32,
        /// The number.
        n: u64,
        /// The things, in the plural.
        what: &'static str,
        /// The limit.
        most: u64,
    },
    /// A function has an instruction that is not allowed.
    #[error("function {function} has `{instruction}` at offset {offset:#x}, which is not allowed")]
    Instruction {
        /// The index of the function, imports included.
        function: u32,
        /// The name of the instruction.
        instruction: &'static str,
        /// Its offset in the module.
        offset: usize,
    },
    /// A segment does not fit into its memory or table.
    #[error("{what} segment {segment} does not fit into its {target}")]
    SegmentOutOfBounds {
        /// `data` or `element`.
        what: &'static str,
        /// `memory` or `table`.
        target: &'static str,
        /// The index of the segment.
        segment: usize,
    },
    /// An engine cannot compile the module.
    #[error("it cannot be compiled: {0}")]
    Compile(String),
}

fn known_imports() -> String {
    Import::ALL.map(|import| import.to_string()).join(", ")
}

fn known_exports() -> String {
    Export::ALL.map(|export| export.to_string()).join(", ")
}

/// A trap, in words that do not depend on the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TrapReason {
    /// The instruction `unreachable`: a failed assertion, a panic.
    #[error("it reached `unreachable`, such as by a panic or a failed assertion")]
    Unreachable,
    /// An access outside of the memory.
    #[error("it used an address outside of its memory")]
    MemoryOutOfBounds,
    /// An access outside of the table.
    #[error("it used an index outside of its table")]
    TableOutOfBounds,
    /// A call through an empty element of a table.
    #[error("it called an empty element of its table")]
    NullCall,
    /// A call through a table to a function of another type.
    #[error("it called a function of another type through its table")]
    CallType,
    /// A division by zero.
    #[error("it divided an integer by zero")]
    DivisionByZero,
    /// A quotient or an integer from a float that has too few bits.
    #[error("an integer overflowed in a division or a conversion")]
    IntegerOverflow,
    /// An integer from a float that is no number.
    #[error("it converted a float that is no number to an integer")]
    NotANumber,
    /// Too many calls within calls.
    #[error("its calls are nested too deeply, in more than {CALL_STACK_BYTES} bytes of stack")]
    CallDepth,
    /// The machine has no memory left.
    #[error("the machine has no room for memory that the cap allows")]
    GrowthFailed,
}

/// The reason why a call into a module has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallFault {
    /// The code trapped.
    #[error(transparent)]
    Trap(#[from] TrapReason),
    /// A pointer with its length reaches beyond the memory.
    #[error("it gave the host {n_bytes} bytes at address {address}, but its memory has {memory}")]
    Pointer {
        /// The address.
        address: u32,
        /// The length in bytes.
        n_bytes: u32,
        /// The length of the memory in bytes.
        memory: usize,
    },
    /// The description of the game is refused.
    #[error("its description is refused: {0}")]
    About(InvalidAbout),
    /// The game records a value that its description does not allow.
    #[error("it recorded a wrong value: {0}")]
    Measure(InvalidValue),
    /// The trial records too many values.
    #[error("it recorded more than {MAX_TRIAL_MEASURES} values")]
    TooManyMeasures,
    /// The code calls a function of the host that only trials may call.
    #[error("it called `{HOST_MODULE}.{}` outside of a trial", .0.name())]
    OutsideTrial(Import),
    /// A frame is too long.
    #[error("it showed a frame of {n_bytes} bytes, and at most {MAX_FRAME_BYTES} are allowed")]
    LongFrame {
        /// The length in bytes.
        n_bytes: u32,
    },
    /// A frame is no UTF-8.
    #[error("it showed a frame that is no UTF-8")]
    FrameText,
    /// All frames together are too long.
    #[error("it showed more than {MAX_REPLAY_BYTES} bytes of frames")]
    TooManyFrames,
    /// The run has parameters, and the module takes none.
    #[error("it takes no parameters, but there are {n_bytes} bytes of parameters")]
    NoParams {
        /// The length of the parameters in bytes.
        n_bytes: usize,
    },
    /// The game refused the subject.
    #[error("it refused the subject with code {0}")]
    Refused(u32),
    /// The host ended the call.
    #[error("it was ended")]
    Ended,
    /// The engine failed, in its own words.
    #[error("the engine failed: {0}")]
    Engine(String),
}

/// A failed call into a module.
#[derive(Debug, thiserror::Error)]
#[error("in {export}: {fault}")]
pub(crate) struct CallError {
    /// The function that the host called.
    pub(crate) export: Export,
    /// The reason.
    pub(crate) fault: CallFault,
}
