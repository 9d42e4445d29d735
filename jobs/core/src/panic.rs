//! Panics of experiments, caught and handed to the caller.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
    static LOCATION: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic that was caught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaughtPanic {
    /// The panic's message, or the reason of a refusal.
    pub message: String,
    /// The place in the code, as `FILE:LINE:COLUMN`; `None` for a refusal, which is no bug.
    pub location: Option<String>,
}

impl fmt::Display for CaughtPanic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Some(location) => write!(f, "panicked at {location}: {}", self.message),
            None => write!(f, "{}", self.message),
        }
    }
}

/// The payload of a refusal.
struct Refusal(String);

/// Ends a trial that cannot use a part that it was given. The user is told the reason, and no panic
/// is reported.
///
/// Refuse only an input whose bytes could not be [checked](crate::Experiment::check_input) before
/// the run began. Every other failure of a trial is a bug.
pub(crate) fn refuse(reason: String) -> ! {
    std::panic::panic_any(Refusal(reason))
}

/// Runs `act` and catches its panic.
///
/// The panic is not printed, because the caller reports it; panics elsewhere are printed as always.
/// After a panic, the caller must drop everything that `act` changed, so that nothing half-changed
/// is used.
///
/// # Errors
/// If `act` panicked.
pub fn catch_panic<T>(act: impl FnOnce() -> T) -> Result<T, CaughtPanic> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let ordinary = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| match IS_CAUGHT.get() {
            true => LOCATION.set(info.location().map(ToString::to_string)),
            false => ordinary(info),
        }));
    });
    let outer = IS_CAUGHT.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(act));
    IS_CAUGHT.set(outer);
    let location = || LOCATION.take().unwrap_or_else(|| "an unknown place".to_owned());
    outcome.map_err(|panic| match panic.downcast::<Refusal>() {
        Ok(refusal) => CaughtPanic { message: refusal.0, location: None },
        Err(panic) => {
            let message = message(panic.as_ref()).to_owned();
            CaughtPanic { message, location: Some(location()) }
        }
    })
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::{catch_panic, refuse};

    #[test]
    fn a_panic_becomes_its_message_and_place() {
        let n = 3;
        let panic = catch_panic(|| assert!(n < 3, "the board has {n} rows")).unwrap_err();
        assert_eq!(panic.message, "the board has 3 rows");
        let printed = panic.to_string();
        assert!(printed.starts_with("panicked at jobs/core/src/panic.rs:"), "{printed}");
        assert!(printed.ends_with(": the board has 3 rows"), "{printed}");
        assert_eq!(catch_panic(|| 5), Ok(5));
    }

    #[test]
    fn a_refusal_is_its_reason_alone() {
        let refusal = catch_panic(|| refuse("weights of another game".to_owned())).unwrap_err();
        assert_eq!(refusal.to_string(), "weights of another game");
        let panic = catch_panic(|| panic!("inside")).unwrap_err();
        assert!(panic.location.is_some());
    }

    #[test]
    fn a_panic_is_caught_within_a_caught_call() {
        let nested = catch_panic(|| catch_panic(|| panic!("inside")).map_err(|it| it.message));
        assert_eq!(nested, Ok(Err::<(), _>("inside".to_owned())));
        let outer = catch_panic(|| {
            catch_panic(|| panic!("inside")).unwrap_or(());
            panic!("outside")
        });
        assert_eq!(outer.map_err(|it| it.message), Err::<(), _>("outside".to_owned()));
    }
}
