//! `hatchery pki`

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::error::CommandError;
use crate::pki;
use crate::terminal::print_status;

/// Create certificates for a farm without a certificate authority
#[derive(Debug, Subcommand)]
pub(crate) enum PkiCommand {
    /// Create an authority (ca.pem) and certificates for coordinators (server.pem) and clients
    /// (worker.pem), each with its key
    Init(InitPkiCommand),
}

#[derive(Debug, Args)]
pub(crate) struct InitPkiCommand {
    /// Folder to write to; existing files are not overwritten
    dir: PathBuf,
    /// Host names and addresses of the coordinators, such as farm.example,192.0.2.1
    #[arg(long, value_name = "NAME", value_delimiter = ',', required = true)]
    host: Vec<String>,
}

impl PkiCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        let Self::Init(InitPkiCommand { dir, host }) = self;
        pki::init(dir, host)?;
        print_status(&format!("wrote certificates for {} to {}", host.join(", "), dir.display()));
        print_status("ca.key signs new certificates: keep it away from the farm, or delete it");
        Ok(())
    }
}
