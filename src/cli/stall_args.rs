//! The time after which a job counts as hanging, for the verbs that begin runs.

use std::time::Duration;

use clap::Args;
use hatchery_proto::{MAX_STALL, MIN_STALL};

/// The time after which a job counts as hanging.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct StallArgs {
    /// Time without progress after which a job counts as hanging [default: 30m]
    #[arg(long, value_name = "DURATION", value_parser = parse_stall)]
    pub(super) stall_timeout: Option<Duration>,
}

impl StallArgs {
    /// Returns the time in milliseconds; 0 for the default.
    pub(super) fn millis(self) -> u64 {
        let millis = self.stall_timeout.unwrap_or_default().as_millis();
        u64::try_from(millis).expect("30 days in milliseconds are few")
    }
}

fn parse_stall(text: &str) -> Result<Duration, String> {
    let stall = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    (MIN_STALL..=MAX_STALL)
        .contains(&stall)
        .then_some(stall)
        .ok_or_else(|| "must be from 12s to 30days".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_timeout_is_one_that_a_farm_accepts() {
        assert_eq!(parse_stall("30m"), Ok(Duration::from_secs(1800)));
        for wrong in ["", "12", "1ms", "11999ms", "1year"] {
            assert!(parse_stall(wrong).is_err(), "{wrong}");
        }
    }
}
