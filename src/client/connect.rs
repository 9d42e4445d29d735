//! How coordinators are reached, and who one is there.

use std::path::{Path, PathBuf};

use clap::Args;
use hatchery_worker::{CallCredentials, TcpDialer};

use crate::access::Secret;
use crate::environment::variable;
use crate::failure::Failure;
use crate::tls;

/// Where a token may stand that is in no file. It is no flag: those are seen by everybody on the
/// machine.
const TOKEN: &str = "HATCHERY_TOKEN";

/// How coordinators are reached, and who one is there.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Certificates and token")]
pub(crate) struct ConnectArgs {
    /// Who signed the coordinators' certificate, in PEM [default: whom browsers trust]
    #[arg(long, value_name = "FILE", env = "HATCHERY_CA")]
    ca: Option<PathBuf>,
    /// The file with the token to show [or the token itself: HATCHERY_TOKEN]
    #[arg(long, value_name = "FILE", env = "HATCHERY_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// A certificate of one's own, for coordinators that ask for it
    #[arg(long, value_name = "FILE", env = "HATCHERY_CLIENT_CERT", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its key
    #[arg(long, value_name = "FILE", env = "HATCHERY_CLIENT_KEY", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

impl ConnectArgs {
    /// The way that is meant; the files are read now.
    pub(crate) fn dial(&self) -> Result<TcpDialer, Failure> {
        let own = self.tls_cert.as_deref().zip(self.tls_key.as_deref());
        let tls = tls::client(self.ca.as_deref(), own)?;
        let secret = match (&self.token_file, variable(TOKEN)) {
            (Some(path), _) => Some(Secret::read(path)?),
            (None, Some(text)) => {
                let secret = text.to_str().and_then(|text| Secret::parse(text.trim()));
                Some(secret.ok_or_else(|| Failure::Usage(format!("{TOKEN} is no token")))?)
            }
            (None, None) => None,
        };
        let credential = secret.map(|secret| CallCredentials::bearer(secret.reveal()));
        let credential = credential.map(|credential| credential.expect("digits fit a header"));
        Ok(TcpDialer::new(tls, credential.unwrap_or_default()))
    }

    /// Whether a token is shown.
    pub(crate) fn has_token(&self) -> bool {
        self.token_file.is_some() || variable(TOKEN).is_some()
    }

    /// The flags that mean the same way.
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
