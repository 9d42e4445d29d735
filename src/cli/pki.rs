//! `hatchery pki`

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::failure::Failure;
use crate::pki;
use crate::terminal::print_status;

/// Make certificates for a farm that has no authority
#[derive(Debug, Subcommand)]
pub(crate) enum Pki {
    /// Make an authority, and what it signs: ca.pem, server.pem for coordinators, worker.pem for
    /// those who have to show one; each with its key
    Init(Init),
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The folder to write to; nothing there is written over
    dir: PathBuf,
    /// The names and addresses by which coordinators are reached, such as farm.example,192.0.2.1
    #[arg(long, value_name = "NAME", value_delimiter = ',', required = true)]
    host: Vec<String>,
}

impl Pki {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let Self::Init(Init { dir, host }) = self;
        pki::init(dir, host)?;
        print_status(&format!("certificates for {} are in {}", host.join(", "), dir.display()));
        print_status("ca.key signs new ones: keep it away from the farm, or delete it");
        Ok(())
    }
}
