//! TLS of servers and clients, from certificates and keys in files.

mod client;
pub(crate) mod pem;
mod server;

pub(crate) use client::client_config;
pub(crate) use server::{AppProtocol, LoadedTls, ServerTls, TlsFiles};
