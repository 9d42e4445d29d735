//! The server side of a farm's processes: listeners with limits, TLS, tokens with their roles, the
//! gRPC services of a coordinator, and pages over HTTP.
//!
//! A process reads its files into a [`LoadedSecurity`], binds a [`BoundListener`] for each address,
//! and serves [`grpc`] on one address and [`http`] on another. The server depends on the
//! coordinator that it serves, but not on any game, on workers or on the command line.
//!
//! The modules from top to bottom; each imports only what is below it:
//!
//! - `security`: the files of TLS and tokens, and the access that they give to each listener
//! - [`http`]: pages of metrics and health
//! - [`grpc`]: the services of a coordinator. In its folder: authentication of calls, admission of
//!   their bodies, health
//! - `listener`: connections with their limits. In its folder: half-open connections, handles that
//!   close a connection
//! - [`pki`]: a farm's own authority, and certificates that it signs
//! - `tls`: TLS of servers and clients
//! - `access`: tokens, roles, the role that each call requires, the log of refused calls
//! - `reload`: files that are read again when they change
//! - `credential_file`: files with credentials, opened without waiting and read up to a limit
//! - `error`: errors of the server and of credentials
//!
//! ```
//! use hatchery_server::{TokenEntry, TokenRole, TokenSecret, token_file};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("tokens");
//! let secret = TokenSecret::generate()?;
//! let (name, role) = ("ada".parse()?, Some(TokenRole::Operator));
//! token_file::add(&path, &TokenEntry { name, role, id: secret.id(), comment: String::new() })?;
//! assert_eq!(token_file::list(&path)?.iter().count(), 1);
//! # Ok(())
//! # }
//! ```

mod access;
mod credential_file;
mod error;
pub mod grpc;
pub mod http;
mod listener;
pub mod pki;
pub mod regular_file;
mod reload;
mod security;
mod tls;

pub use access::secret::{NoRandomBytes, TokenId, random_bytes, read as read_secret};
pub use access::token_list::TokenList;
pub use access::{TokenEntry, TokenRole, TokenSecret, token_file};
pub use error::{CredentialError, ServerError, TokenListError};
pub use grpc::GrpcAccess;
pub use listener::BoundListener;
pub use security::{LoadedSecurity, MetricsAccess};
pub use tls::{TlsFiles, certificates, client_config, private_key};
