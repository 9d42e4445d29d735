//! wasmi: interprets every module, and needs no executable memory.

use wasmi::errors::{ErrorKind, MemoryError};
use wasmi::{
    Caller, CompilationMode, Config, Error, Extern, Linker, Memory, Module, ResourceLimiter,
    ResumableCall, Store, TrapCode, Val,
};
use wasmi_core::LimiterError;

use super::{Engine, Halt, Instance};
use crate::error::TrapReason;
use crate::interface::{Export, HOST_MODULE, Import, MEMORY_EXPORT, STACK_EXPORT};
use crate::limits::CALL_STACK_BYTES;
use crate::state::{GuestState, Stopped};

/// The fuel between two questions whether a trial should end: a few milliseconds. The amount is no
/// limit, and no result depends on it.
const FUEL_SLICE: u64 = 1_000_000;

/// The interpreter.
pub(crate) struct Interpreter {
    engine: wasmi::Engine,
    linker: Linker<GuestState>,
}

impl Interpreter {
    /// Returns an interpreter.
    pub(crate) fn new() -> Self {
        let room = usize::try_from(CALL_STACK_BYTES).expect("the limit is positive");
        let mut config = Config::default();
        config.consume_fuel(true).compilation_mode(CompilationMode::Eager);
        // Modules count their calls themselves. A frame counts for at least 64 bytes, and has at
        // most twice as many bytes here as it counts for.
        config.set_max_recursion_depth(room / 64 + 2).set_max_stack_height(4 * room);
        let engine = wasmi::Engine::new(&config);
        let linker = linker(&engine).expect("the functions of the host have different names");
        Self { engine, linker }
    }
}

fn linker(engine: &wasmi::Engine) -> Result<Linker<GuestState>, Error> {
    type Host<'a> = Caller<'a, GuestState>;
    let mut linker = Linker::new(engine);
    linker
        .func_wrap(HOST_MODULE, Import::Random.name(), |mut host: Host<'_>| {
            host.data_mut().random().map_err(Error::host)
        })?
        .func_wrap(HOST_MODULE, Import::Measure.name(), |mut host: Host<'_>, id, value| {
            host.data_mut().measure(id, value).map_err(Error::host)
        })?
        .func_wrap(HOST_MODULE, Import::Beat.name(), |mut host: Host<'_>, done, of| {
            host.data_mut().beat(done, of)
        })?
        .func_wrap(HOST_MODULE, Import::Frame.name(), |mut host: Host<'_>, address, n_bytes| {
            if !host.data().wants_frames() {
                return Ok(());
            }
            let memory = host.get_export(MEMORY_EXPORT).and_then(Extern::into_memory);
            let memory = memory.expect("the rewriting exports the memory");
            let (bytes, state) = memory.data_and_store_mut(&mut host);
            state.frame(bytes, address, n_bytes).map_err(Error::host)
        })?;
    Ok(linker)
}

impl wasmi::errors::HostError for Stopped {}

impl Engine for Interpreter {
    const NAME: &'static str = "wasmi";

    type Module = Module;
    type Instance = InterpretedInstance;

    fn compile(&self, wasm: &[u8]) -> Result<Module, String> {
        Module::new(&self.engine, wasm).map_err(|error| error.to_string())
    }

    fn with_stack<T>(act: impl FnOnce() -> T) -> T {
        // Calls within calls are on a stack of the interpreter's own.
        act()
    }

    fn instantiate(&self, module: &Module, state: GuestState) -> Result<Self::Instance, Halt> {
        let mut store = Store::new(&self.engine, state);
        store.limiter(|state| state);
        refuel(&mut store, 0)?;
        let instance = self.linker.instantiate_and_start(&mut store, module).map_err(halt)?;
        let memory = instance.get_memory(&store, MEMORY_EXPORT);
        let memory = memory.expect("the rewriting exports the memory");
        Ok(InterpretedInstance { store, instance, memory })
    }
}

/// An instance in the interpreter.
pub(crate) struct InterpretedInstance {
    store: Store<GuestState>,
    instance: wasmi::Instance,
    memory: Memory,
}

impl Instance for InterpretedInstance {
    fn call(&mut self, export: Export, args: &[i32]) -> Result<i64, Halt> {
        let function = self.instance.get_func(&self.store, export.name());
        let function = function.expect("the caller knows which exports there are");
        let args: Vec<_> = args.iter().map(|arg| Val::I32(*arg)).collect();
        let mut results = vec![Val::I64(0); export.signature().n_results()];
        refuel(&mut self.store, 0)?;
        let mut call = function.call_resumable(&mut self.store, &args, &mut results);
        loop {
            match call.map_err(halt)? {
                ResumableCall::Finished => break,
                ResumableCall::HostTrap(trap) => return Err(halt(trap.into_host_error())),
                ResumableCall::OutOfFuel(paused) => {
                    self.store.data_mut().flow().map_err(|Stopped| Halt::Stopped)?;
                    refuel(&mut self.store, paused.required_fuel())?;
                    call = paused.resume(&mut self.store, &mut results);
                }
            }
        }
        Ok(match results.first() {
            Some(Val::I32(result)) => i64::from(*result),
            Some(Val::I64(result)) => *result,
            _ => 0,
        })
    }

    fn memory(&mut self) -> &mut [u8] {
        self.memory.data_mut(&mut self.store)
    }

    fn state(&mut self) -> &mut GuestState {
        self.store.data_mut()
    }

    fn stack_left(&mut self) -> i32 {
        let global = self.instance.get_global(&self.store, STACK_EXPORT);
        global.and_then(|global| global.get(&self.store).i32()).unwrap_or(0)
    }
}

/// Gives the store fuel for a slice, and at least `required` for a long instruction.
fn refuel(store: &mut Store<GuestState>, required: u64) -> Result<(), Halt> {
    let fuel = required.saturating_add(FUEL_SLICE);
    store.set_fuel(fuel).map_err(|error| Halt::Engine(error.to_string()))
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn halt(error: Error) -> Halt {
    let reason = match error.kind() {
        ErrorKind::Host(_) => return Halt::Stopped,
        ErrorKind::TrapCode(code) => match code {
            TrapCode::UnreachableCodeReached => TrapReason::Unreachable,
            TrapCode::MemoryOutOfBounds => TrapReason::MemoryOutOfBounds,
            TrapCode::TableOutOfBounds => TrapReason::TableOutOfBounds,
            TrapCode::IndirectCallToNull => TrapReason::NullCall,
            TrapCode::BadSignature => TrapReason::CallType,
            TrapCode::IntegerDivisionByZero => TrapReason::DivisionByZero,
            TrapCode::IntegerOverflow => TrapReason::IntegerOverflow,
            TrapCode::BadConversionToInteger => TrapReason::NotANumber,
            TrapCode::StackOverflow => TrapReason::CallDepth,
            TrapCode::GrowthOperationLimited | TrapCode::OutOfSystemMemory => {
                TrapReason::GrowthFailed
            }
            TrapCode::OutOfFuel => return Halt::Engine(error.to_string()),
        },
        _ => return Halt::Engine(error.to_string()),
    };
    Halt::Trap(reason)
}

impl ResourceLimiter for GuestState {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> Result<bool, LimiterError> {
        Ok(Self::may_grow(desired, maximum))
    }

    fn memory_grow_failed(&mut self, _error: &MemoryError) -> Result<(), LimiterError> {
        self.grow_failed();
        Err(LimiterError::ResourceLimiterDeniedAllocation)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> Result<bool, LimiterError> {
        Ok(Self::may_grow(desired, maximum))
    }

    fn instances(&self) -> usize {
        1
    }

    fn tables(&self) -> usize {
        1
    }

    fn memories(&self) -> usize {
        1
    }
}
