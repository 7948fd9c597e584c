//! A fence around the `tokenizers` library.
//!
//! The library is written for files that its own converters made: some malformed vocabularies and some
//! inputs make it panic. What reaches it is validated first (validate.rs); what still panics is caught here
//! and becomes a typed error. The panic message goes into the error and not to stderr: a hook, installed once
//! per process, keeps quiet on a thread that is inside the fence and otherwise calls the hook that was there
//! before. A build with `panic = "abort"` has no such fence; the workspace builds with `unwind`.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use crate::CheckpointError;
use crate::error::shorten;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Runs `call`, which only uses the library, and turns its error or panic into ours.
///
/// Unwind safety: callers pass closures that either build a new value, lost with the panic, or read a
/// tokenizer whose only interior state is a per-thread cache that the library fills after its work is done.
pub(super) fn guard<T>(
    call: impl FnOnce() -> Result<T, Box<dyn std::error::Error + Send + Sync>>,
) -> Result<T, CheckpointError> {
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !INSIDE.with(Cell::get) {
                before(info);
            }
        }));
    });
    let was = INSIDE.with(|inside| inside.replace(true));
    let result = catch_unwind(AssertUnwindSafe(call));
    INSIDE.with(|inside| inside.set(was));
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(CheckpointError::Tokenizer(shorten(&error.to_string()))),
        Err(payload) => {
            let message = payload
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| payload.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            Err(CheckpointError::TokenizerPanic(shorten(message)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_and_errors_become_typed() {
        let panicked = guard::<()>(|| panic!("row {}", 7));
        assert!(matches!(panicked, Err(CheckpointError::TokenizerPanic(m)) if m == "row 7"));
        let failed = guard::<()>(|| Err("no".into()));
        assert!(matches!(failed, Err(CheckpointError::Tokenizer(m)) if m == "no"));
        assert_eq!(guard(|| Ok(3)).unwrap(), 3);
    }
}
