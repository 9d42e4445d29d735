//! The interface between module and host: the imports that a module may have, and the exports that
//! it has.

use std::fmt;

use wasmparser::ValType;

/// The module name of all imports.
pub(crate) const HOST_MODULE: &str = "hatchery";

/// The names that belong to this interface; a module may export nothing else that begins so.
pub(crate) const EXPORT_PREFIX: &str = "hatchery_";

/// The memory, as the rewriting exports it.
pub(crate) const MEMORY_EXPORT: &str = "hatchery_memory";

/// The room that calls within calls have left, as the rewriting exports it.
pub(crate) const STACK_EXPORT: &str = "hatchery_stack_left";

/// The start function, as the rewriting exports it.
pub(crate) const START_EXPORT: &str = "hatchery_start";

const I32: ValType = ValType::I32;
const I64: ValType = ValType::I64;

/// The type of a function, printed as `(i32, i32) -> i32`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    params: Vec<ValType>,
    results: Vec<ValType>,
}

impl Signature {
    pub(crate) fn new(params: &[ValType], results: &[ValType]) -> Self {
        Self { params: params.to_vec(), results: results.to_vec() }
    }

    pub(crate) fn n_results(&self) -> usize {
        self.results.len()
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |types: &[ValType]| {
            types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        };
        write!(f, "({})", joined(&self.params))?;
        match self.results.as_slice() {
            [] => Ok(()),
            [result] => write!(f, " -> {result}"),
            results => write!(f, " -> ({})", joined(results)),
        }
    }
}

/// A function of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Import {
    /// Draws the next 64 bits of the trial's stream.
    Random,
    /// Records a value of a measure.
    Measure,
    /// Reports progress; 1 if the trial should end.
    Beat,
    /// Shows a text, in a replay.
    Frame,
}

impl Import {
    pub(crate) const ALL: [Self; 4] = [Self::Random, Self::Measure, Self::Beat, Self::Frame];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Measure => "measure",
            Self::Beat => "beat",
            Self::Frame => "frame",
        }
    }

    pub(crate) fn signature(self) -> Signature {
        match self {
            Self::Random => Signature::new(&[], &[I64]),
            Self::Measure => Signature::new(&[I32, I64], &[]),
            Self::Beat => Signature::new(&[I64, I64], &[I32]),
            Self::Frame => Signature::new(&[I32, I32], &[]),
        }
    }
}

impl fmt::Display for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{HOST_MODULE}.{}", self.name())
    }
}

/// A function of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// The start function of the module, if it has one. It has no name in the module.
    Start,
    /// Returns the place of the description: pointer << 32 | length.
    About,
    /// Returns the place where the host may write so many bytes.
    Alloc,
    /// Takes the parameters, once for each instance; optional.
    Begin,
    /// Simulates a subject; 0, or a code by which it refuses the subject.
    Trial,
    /// Simulates a subject and shows frames; optional.
    Replay,
}

impl Export {
    /// All exports of a module, the start function aside.
    pub(crate) const ALL: [Self; 5] =
        [Self::About, Self::Alloc, Self::Begin, Self::Trial, Self::Replay];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Start => START_EXPORT,
            Self::About => "hatchery_about",
            Self::Alloc => "hatchery_alloc",
            Self::Begin => "hatchery_begin",
            Self::Trial => "hatchery_trial",
            Self::Replay => "hatchery_replay",
        }
    }

    pub(crate) fn signature(self) -> Signature {
        match self {
            Self::Start => Signature::new(&[], &[]),
            Self::About => Signature::new(&[], &[I64]),
            Self::Alloc => Signature::new(&[I32], &[I32]),
            Self::Begin => Signature::new(&[I32, I32], &[]),
            Self::Trial | Self::Replay => Signature::new(&[I32, I32], &[I32]),
        }
    }

    pub(crate) fn is_required(self) -> bool {
        matches!(self, Self::About | Self::Alloc | Self::Trial)
    }
}

impl fmt::Display for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("the start function"),
            named => write!(f, "`{}`", named.name()),
        }
    }
}
