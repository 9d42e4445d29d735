//! What code said that panicked and was caught.
//!
//! Who catches a panic says in his own words what it means, so that it must not be printed besides;
//! a panic anywhere else is printed as ever.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `act`. Whoever calls drops what `act` changed if it panicked, so that nothing half-changed
/// is seen afterwards.
///
/// # Errors
/// What the panic said.
pub(crate) fn caught<T>(act: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let ordinary = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !IS_CAUGHT.get() {
                ordinary(info);
            }
        }));
    });
    let outer = IS_CAUGHT.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(act));
    IS_CAUGHT.set(outer);
    outcome.map_err(|panic| message(panic.as_ref()).to_owned())
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::caught;

    #[test]
    fn a_panic_becomes_its_message() {
        let n = 3;
        let nested = caught(|| caught(|| assert!(n < 3, "the board has {n} rows")));
        assert_eq!(nested, Ok(Err("the board has 3 rows".to_owned())));
        assert_eq!(caught(|| 5), Ok(5));
    }
}
