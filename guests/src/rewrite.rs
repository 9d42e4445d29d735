//! Rewrites a module so that both engines give the same bits and the same traps.
//!
//! # Floats that are no number
//!
//! WebAssembly fixes every result to the bit, with one exception: the sign and the payload of a NaN
//! that arithmetic makes. They differ between processors and between engines. The rewriting keeps
//! this invariant:
//!
//! > Only scalar floats (`f32`, `f64`) may have bits that depend on the engine, and only if they
//! > are NaNs. Integers, vectors (`v128`) and the memory never depend on the engine.
//!
//! Scalar floats flow through locals, globals, parameters, results, blocks and `select` without a
//! change: none of these shows bits. Arithmetic, comparisons and conversions of a NaN give a NaN or
//! a value that does not depend on its bits. Five kinds of instructions show the bits of a scalar,
//! so before each of them the scalar becomes the canonical NaN if it is a NaN:
//!
//! | instruction | what shows the bits |
//! |---|---|
//! | `f32.store`, `f64.store` | the memory |
//! | `i32.reinterpret_f32`, `i64.reinterpret_f64` | the integer |
//! | `f32.copysign`, `f64.copysign` | a number with the sign of the second operand |
//! | `f32x4.splat`, `f64x2.splat` | the vector |
//! | `f32x4.replace_lane`, `f64x2.replace_lane` | the vector |
//!
//! Imports and exports of the interface have no floats, and the host reads no floats in globals. A
//! constant, and a scalar that the instruction directly before has loaded, extracted from a vector
//! or converted from an integer, has no bits that depend on the engine, and is stored as it is. So
//! a copy by floats keeps all bits.
//!
//! Every instruction on vectors shows bits, so lanes become canonical where they are made: after
//! each arithmetic instruction of float lanes (`nan.rs`). The next instruction may be arithmetic of
//! lanes of the same type: it does not show the bits, and its result becomes canonical instead.
//! `abs`, `neg`, `pmin` and `pmax` only move bits, and need nothing.
//!
//! WebAssembly permits every payload for a NaN of arithmetic, so a module cannot tell the rewriting
//! from an ordinary engine there. One difference remains: the payload of a NaN that a module has
//! put into a local itself does not survive a later store.
//!
//! # Calls within calls
//!
//! Each engine has a stack of its own size. So the module counts for itself: a new global holds the
//! bytes that are left of [`CALL_STACK_BYTES`](crate::limits::CALL_STACK_BYTES). A function
//! subtracts the bytes of its own frame before it calls a function of the module, and adds them
//! afterwards. If fewer than none are left, it traps. A trap ends the instance, so no other exit
//! has to restore the global. Functions that call nothing cost nothing. `inspect.rs` says what a
//! frame counts for: an upper bound for the frames of compiled code in practice. If the native
//! stack ends first nevertheless, the failure has the same text.
//!
//! # The rest
//!
//! The maximum of the memory becomes the cap, so `memory.grow` gives -1 beyond the cap in both
//! engines. The start function becomes an export that the host calls, so that it can be
//! interrupted. Custom sections are left out.

mod body;
mod nan;

use wasm_encoder::reencode::{Error, Reencode, RoundtripReencoder};
use wasm_encoder::{
    CodeSection, ConstExpr, ExportKind, ExportSection, GlobalSection, GlobalType, MemorySection,
    MemoryType, Module, RawSection, SectionId, ValType,
};
use wasmparser::{BinaryReader, CodeSectionReader, Parser, Payload};

use crate::error::ModuleError;
use crate::inspect::ModuleFacts;
use crate::interface::{MEMORY_EXPORT, STACK_EXPORT, START_EXPORT};
use crate::limits::CALL_STACK_BYTES;

/// Returns the rewritten form of `wasm`, which was inspected before, with a memory of at most
/// `memory_pages` pages.
///
/// # Errors
/// If the module cannot be encoded again; no inspected module is known to fail.
pub(crate) fn rewrite(
    wasm: &[u8],
    facts: &ModuleFacts,
    memory_pages: u32,
) -> Result<Vec<u8>, ModuleError> {
    Rewriting { wasm, facts, memory_pages, has_globals: false }
        .run()
        .map_err(|error| ModuleError::Compile(error.to_string()))
}

struct Rewriting<'a> {
    wasm: &'a [u8],
    facts: &'a ModuleFacts,
    memory_pages: u32,
    has_globals: bool,
}

impl Rewriting<'_> {
    fn run(mut self) -> Result<Vec<u8>, Error> {
        let mut module = Module::new();
        for payload in Parser::new(0).parse_all(self.wasm) {
            match payload? {
                Payload::MemorySection(section) => {
                    let mut memories = MemorySection::new();
                    for memory in section {
                        memories.memory(self.memory(memory?)?);
                    }
                    module.section(&memories);
                }
                Payload::GlobalSection(section) => {
                    let mut globals = GlobalSection::new();
                    RoundtripReencoder.parse_global_section(&mut globals, section)?;
                    module.section(self.with_stack(&mut globals));
                }
                Payload::ExportSection(section) => {
                    // Every inspected module has exports, and globals stand before them.
                    if !self.has_globals {
                        module.section(self.with_stack(&mut GlobalSection::new()));
                    }
                    let mut exports = ExportSection::new();
                    RoundtripReencoder.parse_export_section(&mut exports, section)?;
                    module.section(self.with_own(&mut exports));
                }
                Payload::CodeSectionStart { range, .. } => {
                    module.section(&self.code(range)?);
                }
                Payload::StartSection { .. } | Payload::CustomSection(_) => {}
                other => {
                    if let Some((id, range)) = other.as_section()
                        && id != u8::from(SectionId::Code)
                    {
                        module.section(&RawSection { id, data: &self.wasm[range] });
                    }
                }
            }
        }
        Ok(module.finish())
    }

    /// Caps the memory.
    fn memory(&self, memory: wasmparser::MemoryType) -> Result<MemoryType, Error> {
        let memory = RoundtripReencoder.memory_type(memory)?;
        let cap = u64::from(self.memory_pages);
        Ok(MemoryType { maximum: Some(memory.maximum.map_or(cap, |own| own.min(cap))), ..memory })
    }

    /// Adds the global of the call stack, after all others.
    fn with_stack<'g>(&mut self, globals: &'g mut GlobalSection) -> &'g GlobalSection {
        self.has_globals = true;
        let counter = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
        globals.global(counter, &ConstExpr::i32_const(CALL_STACK_BYTES))
    }

    /// Adds the exports that the host uses besides those of the interface.
    fn with_own<'e>(&self, exports: &'e mut ExportSection) -> &'e ExportSection {
        exports.export(MEMORY_EXPORT, ExportKind::Memory, 0);
        exports.export(STACK_EXPORT, ExportKind::Global, self.facts.n_globals);
        if let Some(start) = self.facts.start {
            exports.export(START_EXPORT, ExportKind::Func, start);
        }
        exports
    }

    fn code(&self, range: std::ops::Range<usize>) -> Result<CodeSection, Error> {
        let reader = BinaryReader::new(&self.wasm[range.clone()], range.start);
        let mut code = CodeSection::new();
        let bodies = CodeSectionReader::new(reader)?.into_iter();
        for (body, function) in bodies.zip(&self.facts.functions) {
            let calls = body::CallCount {
                n_imports: self.facts.n_imports,
                global: self.facts.n_globals,
                function: *function,
            };
            code.function(&body::rewrite_body(&body?, &calls)?);
        }
        Ok(code)
    }
}
