//! Who may do what: tokens, their roles, and the file that holds them.
//!
//! A token is 32 random bytes. Whoever shows it is who it was made for; coordinators know its hash
//! only. What each call needs is one table ([`calls`]).

pub(crate) mod calls;
pub(crate) mod guard;
pub(crate) mod role;
pub(crate) mod secret;
pub(crate) mod tokens;

pub(crate) use guard::Guard;
pub(crate) use role::{Need, Role};
pub(crate) use secret::Secret;
pub(crate) use tokens::{Grant, Refusal, Tokens};
