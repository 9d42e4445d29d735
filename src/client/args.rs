//! The arguments that name a farm.

use std::convert::Infallible;

use clap::Args;
use hatchery_worker::TcpDialer;

use super::connect::{CONNECTION_HEADING, ConnectArgs};
use super::farm::FarmClient;
use crate::error::{CommandError, UsageError};

/// The farm to talk to.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = CONNECTION_HEADING)]
pub(crate) struct FarmArgs {
    /// URL of a coordinator, such as `https://farm.example:7700`; repeat it for each one
    #[arg(
        long,
        value_name = "URL",
        env = "HATCHERY_COORDINATOR",
        value_delimiter = ',',
        value_parser = coordinator_url
    )]
    coordinator: Vec<String>,
    #[command(flatten)]
    connect: ConnectArgs,
}

/// Returns the URL of a coordinator that a person gives, maybe without the scheme.
#[expect(clippy::unnecessary_wraps, reason = "a parser of arguments")]
pub(crate) fn coordinator_url(given: &str) -> Result<String, Infallible> {
    Ok(TcpDialer::url(given))
}

impl FarmArgs {
    /// Returns true if a farm is named.
    pub(crate) fn is_given(&self) -> bool {
        self.endpoints().next().is_some()
    }

    /// Returns a client of the farm; nothing is connected yet.
    ///
    /// # Errors
    ///
    /// Fails if no farm is named, or an address or a file cannot be used.
    pub(crate) fn farm(&self) -> Result<FarmClient, CommandError> {
        let endpoints: Vec<_> = self.endpoints().map(str::to_owned).collect();
        if endpoints.is_empty() {
            return Err(UsageError::NoFarm.into());
        }
        for endpoint in &endpoints {
            TcpDialer::check(endpoint).map_err(UsageError::from)?;
        }
        Ok(FarmClient::new(endpoints, self.connect.dial()?))
    }

    /// Returns the flags that name the same farm, for a command to copy.
    pub(crate) fn flags(&self) -> String {
        let flags = self.endpoints().map(|endpoint| format!(" --coordinator {endpoint}"));
        flags.chain([self.connect.flags()]).collect()
    }

    /// Returns true if a token will be shown.
    pub(crate) fn has_token(&self) -> bool {
        self.connect.has_token()
    }

    fn endpoints(&self) -> impl Iterator<Item = &str> {
        self.coordinator.iter().map(|endpoint| endpoint.trim()).filter(|given| !given.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(coordinator: &[&str]) -> FarmArgs {
        let coordinator = coordinator.iter().map(|&url| url.to_owned()).collect();
        FarmArgs { coordinator, connect: ConnectArgs::default() }
    }

    #[test]
    fn plain_tcp_is_for_loopback_only() {
        assert!(!args(&["", " "]).is_given());
        assert!(matches!(args(&[]).farm(), Err(CommandError::Usage(UsageError::NoFarm))));
        assert!(matches!(args(&["http://192.0.2.1:1"]).farm(), Err(CommandError::Usage(_))));
        let two = args(&["http://127.0.0.1:1", "", "http://localhost:2"]);
        assert_eq!(two.farm().unwrap().endpoints.len(), 2);
        assert_eq!(
            two.flags(),
            " --coordinator http://127.0.0.1:1 --coordinator http://localhost:2"
        );
    }
}
