//! Which farm a person means.

use clap::Args;
use hatchery_worker::TcpDialer;

use super::connect::ConnectArgs;
use super::farm::Farm;
use crate::failure::Failure;

/// Which farm is meant.
#[derive(Clone, Debug, Args)]
pub(crate) struct FarmArgs {
    /// Where a coordinator is, such as `https://farm.example:7700`; may be given many times
    #[arg(long, value_name = "URL", env = "HATCHERY_COORDINATOR", value_delimiter = ',')]
    coordinator: Vec<String>,
    #[command(flatten)]
    connect: ConnectArgs,
}

impl FarmArgs {
    /// Whether a farm is meant at all.
    pub(crate) fn is_given(&self) -> bool {
        self.endpoints().next().is_some()
    }

    /// The farm that is meant; nothing is connected yet.
    pub(crate) fn farm(&self) -> Result<Farm, Failure> {
        let endpoints: Vec<_> = self.endpoints().map(str::to_owned).collect();
        if endpoints.is_empty() {
            return Err(Failure::Usage(
                "which farm? Give --coordinator URL, or set HATCHERY_COORDINATOR".to_owned(),
            ));
        }
        for endpoint in &endpoints {
            TcpDialer::check(endpoint).map_err(|error| Failure::Usage(error.to_string()))?;
        }
        Ok(Farm::new(endpoints, self.connect.dial()?))
    }

    /// The flags that mean the same farm.
    pub(crate) fn flags(&self) -> String {
        let flags = self.endpoints().map(|endpoint| format!(" --coordinator {endpoint}"));
        flags.chain([self.connect.flags()]).collect()
    }

    /// Whether a token is shown there.
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
    fn plain_addresses_are_on_this_machine() {
        assert!(!args(&["", " "]).is_given());
        assert!(matches!(args(&[]).farm(), Err(Failure::Usage(_))));
        assert!(matches!(args(&["http://192.0.2.1:1"]).farm(), Err(Failure::Usage(_))));
        let two = args(&["http://127.0.0.1:1", "", "http://localhost:2"]);
        assert_eq!(two.farm().unwrap().endpoints.len(), 2);
        assert_eq!(
            two.flags(),
            " --coordinator http://127.0.0.1:1 --coordinator http://localhost:2"
        );
    }
}
