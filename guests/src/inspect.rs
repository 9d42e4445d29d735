//! Checks a module before any engine sees it: size, validity, features, interface and limits.
//!
//! Both engines validate a module again. Only this check decides which modules are allowed, so that
//! the engines agree.

use wasmparser::types::TypesRef;
use wasmparser::{
    ConstExpr, DataKind, ElementItems, ElementKind, ExternalKind, FuncToValidate, FunctionBody,
    MemoryType, Operator, Parser, Payload, TypeRef, ValType, ValidPayload, Validator,
    ValidatorResources, WasmFeatures,
};

use crate::error::ModuleError;
use crate::interface::{EXPORT_PREFIX, Export, HOST_MODULE, Import, Signature};
use crate::limits::{
    MAX_FUNCTION_BYTES, MAX_FUNCTION_VALUES, MAX_FUNCTIONS, MAX_GLOBALS, MAX_MODULE_BYTES,
    MAX_SEGMENTS, MAX_TABLE_ELEMENTS, MAX_TABLES,
};

/// The features of modules: what compilers use by default, as far as both engines have it. Without
/// `GC_TYPES` there are references to functions only.
const FEATURES: WasmFeatures = WasmFeatures::FLOATS
    .union(WasmFeatures::MUTABLE_GLOBAL)
    .union(WasmFeatures::SATURATING_FLOAT_TO_INT)
    .union(WasmFeatures::SIGN_EXTENSION)
    .union(WasmFeatures::REFERENCE_TYPES)
    .union(WasmFeatures::MULTI_VALUE)
    .union(WasmFeatures::BULK_MEMORY)
    .union(WasmFeatures::SIMD);

/// The facts about an allowed module that its rewriting and its instances need.
#[derive(Debug, Default)]
pub(crate) struct ModuleFacts {
    /// The number of imported functions; the functions of the module follow.
    pub(crate) n_imports: u32,
    /// The number of globals.
    pub(crate) n_globals: u32,
    /// The functions of the module, imports aside.
    pub(crate) functions: Vec<FunctionFacts>,
    /// The index of the start function.
    pub(crate) start: Option<u32>,
    /// The optional exports that the module has.
    pub(crate) exports: Vec<Export>,
    memory: Option<MemoryType>,
    table_elements: Vec<u64>,
}

/// The facts about a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FunctionFacts {
    /// The number of parameters and locals.
    pub(crate) n_locals: u32,
    /// The bytes that its frame counts for on the call stack.
    pub(crate) frame_bytes: i32,
}

/// Checks whether `wasm` may run with a memory of at most `memory_pages` pages of 64 KiB. None of
/// its code runs.
///
/// # Errors
/// If the module is not allowed; the error names the reason and the place.
pub fn check_module(wasm: &[u8], memory_pages: u32) -> Result<(), ModuleError> {
    inspect(wasm, memory_pages).map(drop)
}

/// Checks `wasm`, whose memory may have at most `memory_pages` pages of 64 KiB.
///
/// # Errors
/// If the module is not allowed; the error names the reason and the place.
pub(crate) fn inspect(wasm: &[u8], memory_pages: u32) -> Result<ModuleFacts, ModuleError> {
    if MAX_MODULE_BYTES < wasm.len() {
        return Err(ModuleError::TooLong { n_bytes: wasm.len() });
    }
    let mut facts = ModuleFacts::default();
    let mut validator = Validator::new_with_features(FEATURES);
    let mut interface = Interface::default();
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload?;
        match validator.payload(&payload)? {
            ValidPayload::Func(function, body) => {
                facts.functions.push(inspect_function(function, &body)?);
            }
            ValidPayload::End(types) => interface.check(&mut facts, types.as_ref())?,
            ValidPayload::Ok | ValidPayload::Parser(_) => {}
        }
        inspect_section(&payload, &mut facts, &mut interface)?;
    }
    let memory = facts.memory.ok_or(ModuleError::NoMemory)?;
    match memory.initial <= memory_pages.into() {
        true => Ok(facts),
        false => Err(ModuleError::MemoryAboveCap { pages: memory.initial, cap: memory_pages }),
    }
}

/// The names at the border of a module; their types are known at its end.
#[derive(Default)]
struct Interface<'a> {
    imports: Vec<wasmparser::Import<'a>>,
    exports: Vec<wasmparser::Export<'a>>,
}

impl Interface<'_> {
    fn check(&self, facts: &mut ModuleFacts, types: TypesRef<'_>) -> Result<(), ModuleError> {
        for found in &self.imports {
            let import = Import::ALL.into_iter().find(|known| known.name() == found.name);
            let Some(import) = import.filter(|_| found.module == HOST_MODULE) else {
                let (module, name) = (found.module.to_owned(), found.name.to_owned());
                return Err(ModuleError::UnknownImport { module, name });
            };
            let expected = import.signature();
            check_type(found.ty, types, &expected).map_err(|found| ModuleError::ImportType {
                import,
                found,
                expected,
            })?;
        }
        for found in self.exports.iter().filter(|it| it.name.starts_with(EXPORT_PREFIX)) {
            let export = Export::ALL.into_iter().find(|known| known.name() == found.name);
            let export =
                export.ok_or_else(|| ModuleError::UnknownExport { name: found.name.to_owned() })?;
            let expected = export.signature();
            let found = match found.kind {
                ExternalKind::Func => Ok(signature(types, found.index)),
                other => Err(format!("a {}", kind_name(other))),
            };
            let fault = match found {
                Ok(found) if found == expected => None,
                Ok(found) => Some(found.to_string()),
                Err(kind) => Some(kind),
            };
            if let Some(found) = fault {
                return Err(ModuleError::ExportType { export, found, expected });
            }
            facts.exports.push(export);
        }
        let missing = |export: &Export| export.is_required() && !facts.exports.contains(export);
        Export::ALL
            .into_iter()
            .find(missing)
            .map_or(Ok(()), |export| Err(ModuleError::MissingExport(export)))
    }
}

/// Compares the type of an import with `expected`, and returns the name of another type.
fn check_type(found: TypeRef, types: TypesRef<'_>, expected: &Signature) -> Result<(), String> {
    let found = match found {
        TypeRef::Func(idx) => {
            let function = types[types.core_type_at_in_module(idx)].unwrap_func();
            Signature::new(function.params(), function.results())
        }
        TypeRef::Table(_) => return Err("a table".to_owned()),
        TypeRef::Memory(_) => return Err("a memory".to_owned()),
        TypeRef::Global(_) => return Err("a global".to_owned()),
        TypeRef::Tag(_) | TypeRef::FuncExact(_) => return Err("a tag".to_owned()),
    };
    match found == *expected {
        true => Ok(()),
        false => Err(found.to_string()),
    }
}

fn signature(types: TypesRef<'_>, function: u32) -> Signature {
    let function = types[types.core_function_at(function)].unwrap_func();
    Signature::new(function.params(), function.results())
}

fn kind_name(kind: ExternalKind) -> &'static str {
    match kind {
        ExternalKind::Func | ExternalKind::FuncExact => "function",
        ExternalKind::Table => "table",
        ExternalKind::Memory => "memory",
        ExternalKind::Global => "global",
        ExternalKind::Tag => "tag",
    }
}

/// Notes what the rewriting needs of a section, and checks the limits of the section.
fn inspect_section<'a>(
    payload: &Payload<'a>,
    facts: &mut ModuleFacts,
    interface: &mut Interface<'a>,
) -> Result<(), ModuleError> {
    match payload {
        Payload::ImportSection(section) => {
            for import in section.clone().into_imports() {
                interface.imports.push(import?);
            }
            check_count("imports", interface.imports.len() as u64, MAX_FUNCTIONS.into())?;
            let functions = interface.imports.iter().filter(|it| matches!(it.ty, TypeRef::Func(_)));
            facts.n_imports = u32::try_from(functions.count()).expect("the count was checked");
        }
        Payload::FunctionSection(section) => {
            check_count("functions", section.count().into(), MAX_FUNCTIONS.into())?;
        }
        Payload::TableSection(section) => {
            check_count("tables", section.count().into(), MAX_TABLES.into())?;
            for table in section.clone() {
                let initial = table?.ty.initial;
                check_count("elements of a table", initial, MAX_TABLE_ELEMENTS)?;
                facts.table_elements.push(initial);
            }
        }
        Payload::MemorySection(section) => {
            for memory in section.clone() {
                facts.memory = Some(memory?);
            }
        }
        Payload::GlobalSection(section) => {
            facts.n_globals = section.count();
            check_count("globals", section.count().into(), MAX_GLOBALS.into())?;
        }
        Payload::ExportSection(section) => {
            for export in section.clone() {
                interface.exports.push(export?);
            }
        }
        Payload::StartSection { func, .. } => facts.start = Some(*func),
        Payload::ElementSection(section) => {
            check_count("element segments", section.count().into(), MAX_SEGMENTS.into())?;
            for (segment, element) in section.clone().into_iter().enumerate() {
                inspect_element(segment, &element?, &facts.table_elements)?;
            }
        }
        Payload::DataSection(section) => {
            check_count("data segments", section.count().into(), MAX_SEGMENTS.into())?;
            let pages = facts.memory.map_or(0, |memory| memory.initial);
            for (segment, data) in section.clone().into_iter().enumerate() {
                let data = data?;
                let DataKind::Active { offset_expr, .. } = data.kind else { continue };
                let end = offset(&offset_expr)? + data.data.len() as u64;
                check_segment("data", "memory", segment, end, pages << 16)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn inspect_element(
    segment: usize,
    element: &wasmparser::Element<'_>,
    table_elements: &[u64],
) -> Result<(), ModuleError> {
    let n = match &element.items {
        ElementItems::Functions(functions) => functions.count(),
        ElementItems::Expressions(_, expressions) => expressions.count(),
    };
    check_count("elements of a segment", n.into(), MAX_TABLE_ELEMENTS)?;
    let ElementKind::Active { table_index, offset_expr } = &element.kind else { return Ok(()) };
    let table = usize::try_from(table_index.unwrap_or(0)).expect("an index of 32 bits");
    let room = table_elements.get(table).copied().unwrap_or(0);
    check_segment("element", "table", segment, offset(offset_expr)? + u64::from(n), room)
}

/// Returns the value of an offset. There is no other constant expression than a constant: modules
/// import no globals.
fn offset(expr: &ConstExpr<'_>) -> Result<u64, ModuleError> {
    match expr.get_operators_reader().read()? {
        Operator::I32Const { value } => Ok(value.cast_unsigned().into()),
        _ => Ok(u64::from(u32::MAX)),
    }
}

fn check_segment(
    what: &'static str,
    target: &'static str,
    segment: usize,
    end: u64,
    room: u64,
) -> Result<(), ModuleError> {
    match end <= room {
        true => Ok(()),
        false => Err(ModuleError::SegmentOutOfBounds { what, target, segment }),
    }
}

fn check_count(what: &'static str, n: u64, most: u64) -> Result<(), ModuleError> {
    match n <= most {
        true => Ok(()),
        false => Err(ModuleError::TooMany { n, what, most }),
    }
}

/// Validates a function.
///
/// Compiled code keeps locals and operands in its frame, of 8 bytes or, with vectors, of 16. The
/// compiler may also keep a value across a call instead of making it again: it merges equal
/// instructions, and moves instructions out of loops. So each instruction that makes a value counts
/// as well. A frame has a return address, a frame pointer and room for registers besides.
fn inspect_function(
    function: FuncToValidate<ValidatorResources>,
    body: &FunctionBody<'_>,
) -> Result<FunctionFacts, ModuleError> {
    const FIXED_BYTES: u32 = 64;
    let index = function.index;
    let too_large = |n: u64, what, most: u64| match n <= most {
        true => Ok(()),
        false => Err(ModuleError::FunctionTooLarge { function: index, n, what, most }),
    };
    too_large(body.as_bytes().len() as u64, "bytes", MAX_FUNCTION_BYTES as u64)?;
    let mut validator = function.into_validator(Default::default());
    let mut reader = body.get_binary_reader();
    validator.read_locals(&mut reader)?;
    let n_locals = validator.len_locals();
    too_large(n_locals.into(), "locals", MAX_FUNCTION_VALUES.into())?;
    let has_vectors = |at: u32| validator.get_local_type(at) == Some(ValType::V128);
    let mut value_bytes = if (0..n_locals).any(has_vectors) { 16 } else { 8 };
    let (mut height, mut n_made) = (0, 0);
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        let (operator, offset) = operators.read_with_offset()?;
        if let Operator::TableGrow { .. } = operator {
            // The interpreter cannot continue this instruction after it has run out of fuel.
            let instruction = "table.grow";
            return Err(ModuleError::Instruction { function: index, instruction, offset });
        }
        validator.op(offset, &operator)?;
        height = height.max(validator.operand_stack_height());
        n_made += u32::from(makes_value(&operator));
        if validator.get_operand_type(0).flatten() == Some(ValType::V128) {
            value_bytes = 16;
        }
    }
    operators.finish()?;
    too_large(height.into(), "operands", MAX_FUNCTION_VALUES.into())?;
    let bytes = FIXED_BYTES + value_bytes * (n_locals + height + n_made);
    let frame_bytes = i32::try_from(bytes).expect("both numbers are bounded");
    Ok(FunctionFacts { n_locals, frame_bytes })
}

/// Returns true if the compiler may keep the value of an instruction instead of making it again.
/// Integer constants are always made again.
fn makes_value(operator: &Operator<'_>) -> bool {
    !matches!(
        operator,
        Operator::Block { .. }
            | Operator::Br { .. }
            | Operator::BrIf { .. }
            | Operator::BrTable { .. }
            | Operator::Call { .. }
            | Operator::CallIndirect { .. }
            | Operator::Drop
            | Operator::Else
            | Operator::End
            | Operator::I32Const { .. }
            | Operator::I64Const { .. }
            | Operator::If { .. }
            | Operator::LocalGet { .. }
            | Operator::LocalSet { .. }
            | Operator::LocalTee { .. }
            | Operator::Loop { .. }
            | Operator::Nop
            | Operator::Return
            | Operator::Unreachable
    )
}
