//! Access control: tokens, their roles, and the file that holds them.
//!
//! A token is 32 random bytes; coordinators have only its hash. A call that shows a token is made
//! by the principal that the token was made for. One table ([`calls`]) lists what each call
//! requires.

pub(crate) mod auth_failures;
pub(crate) mod calls;
pub(crate) mod role;
pub(crate) mod secret;
pub mod token_file;
pub(crate) mod token_list;

pub(crate) use auth_failures::AuthFailureLog;
pub(crate) use role::CallAccess;
pub use role::TokenRole;
pub use secret::TokenSecret;
pub(crate) use token_file::TokenFile;
pub use token_list::TokenEntry;
pub(crate) use token_list::{AuthError, Principal};
