//! What a panicking trial said.
//!
//! A panic in a trial is caught and reported to the coordinator, so it must not also be printed
//! into the progress bar; a panic anywhere else is printed as ever.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

thread_local! {
    static IN_TRIAL: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `trial`; a panic becomes its message, with the place in the code where it happened.
///
/// # Errors
/// The message, if the trial panicked.
pub fn caught<T>(trial: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let ordinary = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| match IN_TRIAL.get() {
            true => PLACE.with_borrow_mut(|place| *place = place_of(info)),
            false => ordinary(info),
        }));
    });
    IN_TRIAL.set(true);
    // A trial owns all that it changes, so nothing half-changed is seen afterwards.
    let outcome = catch_unwind(AssertUnwindSafe(trial));
    IN_TRIAL.set(false);
    outcome.map_err(|panic| {
        let place = PLACE.take().unwrap_or_else(|| "an unknown place".to_owned());
        format!("panicked at {place}: {}", message(panic.as_ref()))
    })
}

fn place_of(info: &PanicHookInfo<'_>) -> Option<String> {
    Some(info.location()?.to_string())
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message_and_place() {
        let n = 3;
        let error = caught(|| assert!(n < 3, "the board has {n} rows")).unwrap_err();
        assert!(error.starts_with("panicked at worker/src/panic.rs:"), "{error}");
        assert!(error.ends_with(": the board has 3 rows"), "{error}");
        assert_eq!(caught(|| 5), Ok(5));
    }
}
