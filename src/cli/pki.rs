//! `hatchery pki`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hatchery_server::pki::{self, CertificateHolder, IfPresent};

use crate::error::CommandError;
use crate::terminal::{escape_controls, print_status};

/// Create certificates for a farm without a certificate authority
#[derive(Debug, Subcommand)]
pub(crate) enum PkiCommand {
    /// Create an authority (ca.pem) and certificates for coordinators (server.pem) and clients
    /// (worker.pem), each with its key
    Init(InitPkiCommand),
    /// Create another certificate with its key, signed by the authority of `hatchery pki init`
    ///
    /// With --replace it replaces a certificate that expires or lacks a host name. Coordinators
    /// reload their certificate by themselves.
    Issue(IssuePkiCommand),
}

#[derive(Debug, Args)]
pub(crate) struct InitPkiCommand {
    /// Folder to write to; existing files are not overwritten
    dir: PathBuf,
    /// Host names and addresses of the coordinators, such as farm.example,192.0.2.1
    #[arg(long, value_name = "NAME", value_delimiter = ',', required = true)]
    host: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct IssuePkiCommand {
    /// Folder that holds ca.pem and ca.key; the certificate is written there
    dir: PathBuf,
    /// Name of the files: NAME.pem and NAME.key
    #[arg(long, value_name = "NAME", value_parser = file_name)]
    name: String,
    /// Host names and addresses of the coordinator, such as farm.example,192.0.2.1
    #[arg(long, value_name = "NAME", value_delimiter = ',', required_unless_present = "client")]
    host: Vec<String>,
    /// Issue a certificate for workers and people instead of a coordinator
    #[arg(long, conflicts_with = "host")]
    client: bool,
    /// Replace the files if they exist
    #[arg(long)]
    replace: bool,
}

/// Checks the name of a certificate's files.
fn file_name(text: &str) -> Result<String, &'static str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    match text {
        "ca" => Err("ca.pem and ca.key are the authority: choose another name"),
        "" => Err("it is empty"),
        _ if text.starts_with('.') || !text.bytes().all(is_plain) => {
            Err("use letters, digits, `-`, `_` and `.` only, such as server-2")
        }
        _ => Ok(text.to_owned()),
    }
}

impl PkiCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        match self {
            Self::Init(command) => command.run(),
            Self::Issue(command) => command.run(),
        }
    }
}

impl InitPkiCommand {
    fn run(&self) -> Result<(), CommandError> {
        let Self { dir, host } = self;
        pki::init(dir, host)?;
        print_status(&format!(
            "wrote certificates for {} to {}",
            host.join(", "),
            escape_controls(&dir.to_string_lossy())
        ));
        print_status("ca.key signs new certificates: keep it away from the farm, or delete it");
        Ok(())
    }
}

impl IssuePkiCommand {
    fn run(&self) -> Result<(), CommandError> {
        let Self { dir, name, host, client, replace } = self;
        let holder = match client {
            true => CertificateHolder::Client,
            false => CertificateHolder::Coordinator { hosts: host.clone() },
        };
        let if_present = if *replace { IfPresent::Replace } else { IfPresent::Fail };
        let expiry = pki::issue(dir, name, &holder, if_present)?;
        let path = dir.join(format!("{name}.pem"));
        let expiry = humantime::format_rfc3339_seconds(expiry);
        print_status(&format!(
            "wrote {} and its key; it expires on {expiry}",
            escape_controls(&path.to_string_lossy())
        ));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_the_folder_and_spares_the_authority() {
        for name in ["server", "server-2", "farm.example", "a_b"] {
            assert_eq!(file_name(name).as_deref(), Ok(name));
        }
        for name in ["", "ca", ".hidden", "../ca", "a/b", "a b", "\u{e9}"] {
            assert!(file_name(name).is_err(), "{name}");
        }
    }
}
