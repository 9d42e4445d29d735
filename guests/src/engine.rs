//! The engines behind one trait.

#[cfg(feature = "jit")]
pub(crate) mod compiler;
pub(crate) mod interpreter;

use crate::error::TrapReason;
use crate::interface::Export;
use crate::state::GuestState;

/// An engine. Both engines get the same rewritten modules.
pub(crate) trait Engine: Send + Sync + Sized + 'static {
    /// The name of the engine, for people.
    const NAME: &'static str;

    /// A compiled module.
    type Module: Send + Sync;

    /// An instance of a module.
    type Instance: Instance;

    /// Compiles a rewritten module, or returns the engine's reason in its own words.
    fn compile(&self, wasm: &[u8]) -> Result<Self::Module, String>;

    /// Calls `act` where the native stack has room for all calls within calls.
    fn with_stack<T>(act: impl FnOnce() -> T) -> T;

    /// Makes an instance. No code of the module runs.
    fn instantiate(&self, module: &Self::Module, state: GuestState)
    -> Result<Self::Instance, Halt>;
}

/// An instance of a module, for one thread.
pub(crate) trait Instance {
    /// Calls a function, and returns its result as 64 bits; 0 if it has none.
    fn call(&mut self, export: Export, args: &[i32]) -> Result<i64, Halt>;

    /// Returns the memory.
    fn memory(&mut self) -> &mut [u8];

    /// Returns the state.
    fn state(&mut self) -> &mut GuestState;

    /// Returns the bytes that calls within calls have left; below 0 if the last call had too few.
    fn stack_left(&mut self) -> i32;
}

/// The reason why an engine has stopped in the middle.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The code trapped.
    Trap(TrapReason),
    /// A function of the host has returned [`Stopped`](crate::state::Stopped).
    Stopped,
    /// The engine failed, in its own words.
    Engine(String),
}
