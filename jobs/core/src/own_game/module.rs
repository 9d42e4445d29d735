//! A module with everything that its trials share.

use prost::bytes::Bytes;

use crate::invalid_value::InvalidValue;
use crate::part::Part;

/// The cap of an instance's memory where a spec names none: 64 MiB.
pub const DEFAULT_MEMORY_BYTES: u32 = 64 << 20;

/// The highest cap of an instance's memory: 1 GiB.
pub const MAX_MEMORY_BYTES: u32 = 1 << 30;

/// The most bytes of parameters: they are copied into each instance.
pub const MAX_PARAM_BYTES: usize = 1 << 20;

/// A WebAssembly page, in which memory is counted.
const PAGE_BYTES: u32 = 1 << 16;

/// A WebAssembly module, with its parameters and the cap of its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameModule {
    part: Part,
    bytes: Bytes,
    params: Bytes,
    memory_bytes: u32,
}

impl GameModule {
    /// Returns the module with these `bytes`, whose name is `part`. Engines keep compiled modules
    /// by this name, so the bytes must be the bytes of the part.
    ///
    /// The game gets `params` as they are, once for each instance. A trial may use `memory_bytes`
    /// of memory, in whole pages of 64 KiB.
    ///
    /// # Errors
    /// If `memory_bytes` is not from 64 KiB to [`MAX_MEMORY_BYTES`], or `params` is longer than
    /// [`MAX_PARAM_BYTES`].
    pub fn new(
        part: Part,
        bytes: Bytes,
        params: Bytes,
        memory_bytes: u32,
    ) -> Result<Self, InvalidValue> {
        InvalidValue::check_range("memory_bytes", &memory_bytes, &PAGE_BYTES, &MAX_MEMORY_BYTES)?;
        let n_params = params.len();
        InvalidValue::check_range("the length of params", &n_params, &0, &MAX_PARAM_BYTES)?;
        Ok(Self { part, bytes, params, memory_bytes })
    }

    /// Returns the name of the module's bytes.
    #[must_use]
    pub fn part(&self) -> Part {
        self.part
    }

    /// Returns the module's bytes.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Returns the bytes that the game gets once for each instance.
    #[must_use]
    pub fn params(&self) -> &Bytes {
        &self.params
    }

    /// Returns the cap of the memory in pages of 64 KiB, from 1 to 16,384.
    #[must_use]
    pub fn memory_pages(&self) -> u32 {
        self.memory_bytes / PAGE_BYTES
    }
}
