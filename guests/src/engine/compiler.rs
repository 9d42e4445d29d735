//! Wasmtime: compiles modules to machine code, where the process may map such code.

use std::thread;
use std::time::Duration;

use wasmtime::{
    Caller, Config, EngineWeak, Error, Extern, InstanceAllocationStrategy, InstancePre, Linker,
    Memory, Module, PoolingAllocationConfig, ResourceLimiter, Store, Trap, UpdateDeadline, Val,
};

use super::{Engine, Halt, Instance};
use crate::error::TrapReason;
use crate::interface::{Export, HOST_MODULE, Import, MEMORY_EXPORT, STACK_EXPORT};
use crate::limits::{HOST_STACK_BYTES, MAX_TABLE_ELEMENTS, NATIVE_STACK_BYTES};
use crate::state::{GuestState, Stopped};

/// The time between two questions whether a trial should end. No result depends on it.
const TICK: Duration = Duration::from_millis(20);

/// The instances that may exist at once: each thread that runs trials has one.
const MAX_INSTANCES: u32 = 1_000;

/// The bytes of an instance beside memory and table: globals, and a reference for each function in
/// a table.
const MAX_INSTANCE_BYTES: usize = 16 << 20;

/// The bytes of a memory or a table that stay with the process between two instances.
const KEPT_BYTES: usize = 256 << 10;

/// The compiler.
pub(crate) struct Compiler {
    engine: wasmtime::Engine,
    linker: Linker<GuestState>,
}

impl Compiler {
    /// Returns a compiler, or the reason why code that it compiles cannot run in this process.
    pub(crate) fn new() -> Result<Self, String> {
        let compiler = Self::start().map_err(|error| format!("{error:#}"))?;
        // An empty function needs executable memory as well.
        let mut probe = wasm_encoder::Module::new();
        let mut types = wasm_encoder::TypeSection::new();
        types.ty().function([], []);
        let mut functions = wasm_encoder::FunctionSection::new();
        functions.function(0);
        let mut code = wasm_encoder::CodeSection::new();
        code.function(wasm_encoder::Function::new([]).instruction(&wasm_encoder::Instruction::End));
        probe.section(&types).section(&functions).section(&code);
        compiler.compile(&probe.finish())?;
        Ok(compiler)
    }

    fn start() -> Result<Self, Error> {
        let elements = usize::try_from(MAX_TABLE_ELEMENTS).expect("a table fits into memory");
        let mut pool = PoolingAllocationConfig::new();
        pool.total_core_instances(MAX_INSTANCES)
            .total_memories(MAX_INSTANCES)
            .total_tables(MAX_INSTANCES)
            .max_core_instance_size(MAX_INSTANCE_BYTES)
            .table_elements(elements)
            // Clearing so few bytes is faster than giving their pages back.
            .linear_memory_keep_resident(KEPT_BYTES)
            .table_keep_resident(KEPT_BYTES);
        let mut config = Config::new();
        config
            .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
            .epoch_interruption(true)
            .max_wasm_stack(NATIVE_STACK_BYTES)
            // No stack of this kind is ever made, but its size must not be smaller.
            .async_stack_size(NATIVE_STACK_BYTES)
            // Threads, and vectors whose results depend on the processor.
            .wasm_relaxed_simd(false)
            // The failures of both engines have the same text, which has no frames.
            .wasm_backtrace_max_frames(None);
        let engine = wasmtime::Engine::new(&config)?;
        let linker = linker(&engine)?;
        let weak = engine.weak();
        thread::Builder::new().name("game-clock".to_owned()).spawn(move || tick(&weak))?;
        Ok(Self { engine, linker })
    }
}

/// Advances the epoch of the engine while there is one. This is the only clock: it decides when an
/// instance asks whether its trial should end.
fn tick(engine: &EngineWeak) {
    while let Some(engine) = engine.upgrade() {
        engine.increment_epoch();
        drop(engine);
        thread::sleep(TICK);
    }
}

fn linker(engine: &wasmtime::Engine) -> Result<Linker<GuestState>, Error> {
    type Host<'a> = Caller<'a, GuestState>;
    let mut linker = Linker::new(engine);
    linker
        .func_wrap(HOST_MODULE, Import::Random.name(), |mut host: Host<'_>| {
            host.data_mut().random().map_err(Error::new)
        })?
        .func_wrap(HOST_MODULE, Import::Measure.name(), |mut host: Host<'_>, id, value| {
            host.data_mut().measure(id, value).map_err(Error::new)
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
            state.frame(bytes, address, n_bytes).map_err(Error::new)
        })?;
    Ok(linker)
}

impl Engine for Compiler {
    const NAME: &'static str = "wasmtime";

    type Module = InstancePre<GuestState>;
    type Instance = CompiledInstance;

    fn compile(&self, wasm: &[u8]) -> Result<Self::Module, String> {
        let module = Module::new(&self.engine, wasm);
        let linked = module.and_then(|module| self.linker.instantiate_pre(&module));
        linked.map_err(|error| format!("{error:#}"))
    }

    fn with_stack<T>(act: impl FnOnce() -> T) -> T {
        let room = NATIVE_STACK_BYTES + HOST_STACK_BYTES;
        stacker::maybe_grow(room, room + HOST_STACK_BYTES, act)
    }

    fn instantiate(
        &self,
        module: &Self::Module,
        state: GuestState,
    ) -> Result<CompiledInstance, Halt> {
        let mut store = Store::new(&self.engine, state);
        store.limiter(|state| state);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|mut store| {
            store.data_mut().flow().map_err(Error::new)?;
            Ok(UpdateDeadline::Continue(1))
        });
        let instance = module.instantiate(&mut store).map_err(|error| halt(&error))?;
        let memory = instance.get_memory(&mut store, MEMORY_EXPORT);
        let memory = memory.expect("the rewriting exports the memory");
        Ok(CompiledInstance { store, instance, memory })
    }
}

/// An instance of compiled code.
pub(crate) struct CompiledInstance {
    store: Store<GuestState>,
    instance: wasmtime::Instance,
    memory: Memory,
}

impl Instance for CompiledInstance {
    fn call(&mut self, export: Export, args: &[i32]) -> Result<i64, Halt> {
        let function = self.instance.get_func(&mut self.store, export.name());
        let function = function.expect("the caller knows which exports there are");
        let args: Vec<_> = args.iter().map(|arg| Val::I32(*arg)).collect();
        let mut results = vec![Val::I64(0); export.signature().n_results()];
        function.call(&mut self.store, &args, &mut results).map_err(|error| halt(&error))?;
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
        let global = self.instance.get_global(&mut self.store, STACK_EXPORT);
        global.and_then(|global| global.get(&mut self.store).i32()).unwrap_or(0)
    }
}

fn halt(error: &Error) -> Halt {
    if error.is::<Stopped>() {
        return Halt::Stopped;
    }
    let reason = match error.downcast_ref::<Trap>() {
        Some(Trap::UnreachableCodeReached) => TrapReason::Unreachable,
        Some(Trap::MemoryOutOfBounds) => TrapReason::MemoryOutOfBounds,
        Some(Trap::TableOutOfBounds) => TrapReason::TableOutOfBounds,
        Some(Trap::IndirectCallToNull) => TrapReason::NullCall,
        Some(Trap::BadSignature) => TrapReason::CallType,
        Some(Trap::IntegerDivisionByZero) => TrapReason::DivisionByZero,
        Some(Trap::IntegerOverflow) => TrapReason::IntegerOverflow,
        Some(Trap::BadConversionToInteger) => TrapReason::NotANumber,
        Some(Trap::StackOverflow) => TrapReason::CallDepth,
        _ => return Halt::Engine(format!("{error:#}")),
    };
    Halt::Trap(reason)
}

impl ResourceLimiter for GuestState {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> Result<bool, Error> {
        Ok(Self::may_grow(desired, maximum))
    }

    fn memory_grow_failed(&mut self, _error: Error) -> Result<(), Error> {
        Err(Error::new(self.grow_failed()))
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> Result<bool, Error> {
        Ok(Self::may_grow(desired, maximum))
    }
}
