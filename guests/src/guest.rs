//! An instance that plays trials: how the host calls its functions and passes bytes to it.

use std::sync::Arc;

use hatchery_core::own_game::{InvalidAbout, MAX_ABOUT_BYTES};
use hatchery_core::{GameAbout, TrialWatch};

use crate::engine::{Engine, Halt, Instance};
use crate::error::{CallError, CallFault, TrapReason};
use crate::interface::Export;
use crate::state::{GuestState, RunningTrial, bytes_at, range_of};

/// A compiled module, and what its instances need to know.
pub(crate) struct CompiledModule<E: Engine> {
    pub(crate) module: E::Module,
    pub(crate) has_start: bool,
    /// The optional exports that the module has.
    pub(crate) exports: Vec<Export>,
}

/// An instance after its start function.
pub(crate) struct Guest<I> {
    instance: I,
    /// The place of the subject, once it has one.
    subject_at: Option<u32>,
}

impl<I: Instance> Guest<I> {
    /// Makes an instance and calls the module's start function.
    pub(crate) fn start<E: Engine<Instance = I>>(
        engine: &E,
        compiled: &CompiledModule<E>,
        watch: &Arc<dyn TrialWatch>,
    ) -> Result<Self, CallError> {
        let export = Export::Start;
        let state = GuestState::new(Arc::clone(watch));
        let instance = engine
            .instantiate(&compiled.module, state)
            .map_err(|halt| CallError { export, fault: fault_of(halt, 0) })?;
        let mut guest = Self { instance, subject_at: None };
        if compiled.has_start {
            guest.call(export, &[])?;
        }
        Ok(guest)
    }

    /// Gives the instance its parameters.
    pub(crate) fn begin(&mut self, params: &[u8], exports: &[Export]) -> Result<(), CallError> {
        let export = Export::Begin;
        if exports.contains(&export) {
            let address = self.allocate(params.len())?;
            self.write(address, params)?;
            self.call(export, &[address.cast_signed(), length(params.len()).cast_signed()])?;
        } else if !params.is_empty() {
            let fault = CallFault::NoParams { n_bytes: params.len() };
            return Err(CallError { export, fault });
        }
        Ok(())
    }

    /// Asks the instance for the description of its game.
    pub(crate) fn about(&mut self) -> Result<GameAbout, CallError> {
        let export = Export::About;
        let place = self.call(export, &[])?.cast_unsigned();
        let address = u32::try_from(place >> 32).expect("32 bits are left");
        let n_bytes = u32::try_from(place & u64::from(u32::MAX)).expect("32 bits are left");
        let json = bytes_at(self.instance.memory(), address, n_bytes).and_then(|json| {
            // A liar may say 4 GiB.
            match json.len() <= MAX_ABOUT_BYTES {
                true => GameAbout::parse(json).map_err(CallFault::About),
                false => Err(CallFault::About(InvalidAbout::TooLong { n_bytes: json.len() })),
            }
        });
        json.map_err(|fault| CallError { export, fault })
    }

    /// Simulates `subject` by `export`, and returns the trial also if it failed.
    pub(crate) fn play(
        &mut self,
        export: Export,
        subject: &[u8],
        trial: RunningTrial,
    ) -> (RunningTrial, Result<(), CallError>) {
        let address = match self.subject_at {
            Some(address) => Ok(address),
            None => self.allocate(subject.len()),
        };
        let written = address.and_then(|address| {
            self.subject_at = Some(address);
            self.write(address, subject)?;
            Ok(address)
        });
        let address = match written {
            Ok(address) => address,
            Err(error) => return (trial, Err(error)),
        };
        self.instance.state().begin_trial(trial);
        let args = [address.cast_signed(), length(subject.len()).cast_signed()];
        let code = self.call(export, &args);
        let trial = self.instance.state().end_trial().expect("it began above");
        let played = code.and_then(|code| match u32::try_from(code & i64::from(u32::MAX)) {
            Ok(0) => Ok(()),
            Ok(code) => Err(CallError { export, fault: CallFault::Refused(code) }),
            Err(_) => unreachable!("the mask has 32 bits"),
        });
        (trial, played)
    }

    /// Asks the instance for room for bytes.
    fn allocate(&mut self, n_bytes: usize) -> Result<u32, CallError> {
        let address = self.call(Export::Alloc, &[length(n_bytes).cast_signed()])?;
        Ok(u32::try_from(address & i64::from(u32::MAX)).expect("the mask has 32 bits"))
    }

    /// Writes `bytes` to an address that the instance gave.
    fn write(&mut self, address: u32, bytes: &[u8]) -> Result<(), CallError> {
        let memory = self.instance.memory();
        let range = range_of(memory.len(), address, length(bytes.len()))
            .map_err(|fault| CallError { export: Export::Alloc, fault })?;
        memory[range].copy_from_slice(bytes);
        Ok(())
    }

    fn call(&mut self, export: Export, args: &[i32]) -> Result<i64, CallError> {
        let result = self.instance.call(export, args);
        let fault = match (self.instance.state().take_fault(), result) {
            (Some(fault), _) => fault,
            (None, Ok(result)) => return Ok(result),
            (None, Err(halt)) => fault_of(halt, self.instance.stack_left()),
        };
        Err(CallError { export, fault })
    }
}

/// Returns the fault of an instance whose calls have `stack_left` bytes left.
fn fault_of(halt: Halt, stack_left: i32) -> CallFault {
    match halt {
        // The counting of calls traps by `unreachable`.
        Halt::Trap(TrapReason::Unreachable) if stack_left < 0 => TrapReason::CallDepth.into(),
        Halt::Trap(reason) => reason.into(),
        Halt::Stopped => CallFault::Engine("it stopped without a reason".to_owned()),
        Halt::Engine(reason) => CallFault::Engine(reason),
    }
}

/// Returns a length that limits have bounded.
fn length(n_bytes: usize) -> u32 {
    u32::try_from(n_bytes).expect("parameters and subjects are bounded")
}
