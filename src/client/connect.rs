//! The arguments for connections to coordinators.

use std::path::{Path, PathBuf};

use clap::Args;
use hatchery_server::{TokenSecret, client_config};
use hatchery_worker::{CallCredentials, TcpDialer};

use crate::environment::{is_before_1970, variable};
use crate::error::{CommandError, UsageError};

/// The variable for a token without a file. There is no such flag: every user of the machine can
/// read the flags of a process.
const TOKEN_VARIABLE: &str = "HATCHERY_TOKEN";

/// The heading of the flags for a connection to a farm.
pub(crate) const CONNECTION_HEADING: &str = "Farm connection";

/// The authority to trust, the token, and the client certificate for connections to coordinators.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = CONNECTION_HEADING)]
pub(crate) struct ConnectArgs {
    /// CA that signed the coordinators' certificate (PEM) [default: built-in web roots]
    #[arg(long, value_name = "FILE", env = "HATCHERY_CA")]
    ca: Option<PathBuf>,
    /// File with the access token; HATCHERY_TOKEN holds the token itself
    #[arg(long, value_name = "FILE", env = "HATCHERY_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// Client certificate (PEM), for coordinators that require one
    #[arg(long, value_name = "FILE", env = "HATCHERY_CLIENT_CERT", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key of the client certificate (PEM)
    #[arg(long, value_name = "FILE", env = "HATCHERY_CLIENT_KEY", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

impl ConnectArgs {
    /// Reads the files and returns how to dial.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be used, or the clock.
    pub(crate) fn dial(&self) -> Result<TcpDialer, CommandError> {
        if is_before_1970() {
            return Err(CommandError::ClockBefore1970);
        }
        let own = self.tls_cert.as_deref().zip(self.tls_key.as_deref());
        let tls = client_config(self.ca.as_deref(), own)?;
        let secret = match (&self.token_file, variable(TOKEN_VARIABLE)) {
            (Some(path), _) => Some(TokenSecret::read(path)?),
            (None, Some(text)) => {
                let secret = text.to_str().and_then(|text| TokenSecret::parse(text.trim()));
                let variable = TOKEN_VARIABLE;
                Some(secret.ok_or(UsageError::NoTokenInVariable { variable })?)
            }
            (None, None) => None,
        };
        let credential = secret.map(|secret| CallCredentials::bearer(secret.reveal()));
        let credential = credential.map(|credential| credential.expect("digits fit a header"));
        Ok(TcpDialer::new(tls, credential.unwrap_or_default()))
    }

    /// Returns true if a token will be shown.
    pub(crate) fn has_token(&self) -> bool {
        self.token_file.is_some() || variable(TOKEN_VARIABLE).is_some()
    }

    /// Returns the flags for the same connections, for a command to copy.
    pub(crate) fn flags(&self) -> String {
        let flags = [
            ("ca", &self.ca),
            ("token-file", &self.token_file),
            ("tls-cert", &self.tls_cert),
            ("tls-key", &self.tls_key),
        ];
        let given = flags.iter().filter_map(|(flag, path)| Some((flag, path.as_deref()?)));
        given.map(|(flag, path): (_, &Path)| format!(" --{flag} {}", path.display())).collect()
    }
}
