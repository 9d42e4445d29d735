//! The request for a run: its share of the farm, and what happens when its jobs fail.

use std::num::NonZeroU32;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use hatchery_coordinator::{RunPriority, UserName};
use hatchery_proto::v1::{self, OnDead, SubmitRequest};
use hatchery_proto::{MAX_IDEMPOTENCY_KEY_BYTES, MAX_RUN_NAME_BYTES};

use crate::cli::loaded_spec::LoadedSpec;
use crate::cli::stall_args::StallArgs;
use crate::environment::variable;
use crate::recompute::PartsPerMillion;
use crate::selector::LAST;
use crate::terminal::{escape_controls, is_control};

/// The arguments that say how a farm treats a run; its result never depends on them.
#[derive(Debug, Args)]
pub(super) struct RequestArgs {
    /// Reaction to a dead job: fail, pause, or skip=SHARE to go without at most that share of a
    /// generation's trials, such as skip=1%
    #[arg(long, value_name = "POLICY", default_value = "fail")]
    on_dead: DeadJobPolicy,
    #[command(flatten)]
    stall: StallArgs,
    #[command(flatten)]
    scheduling: SchedulingArgs,
}

impl RequestArgs {
    /// Returns the request for a run of `spec`, called as much of `name` as is allowed. With a
    /// token, the user is the token's name.
    pub(super) fn request(
        &self,
        spec: &LoadedSpec,
        name: &str,
        idempotency_key: String,
        has_token: bool,
    ) -> SubmitRequest {
        let (on_dead, skip_ppm) = match self.on_dead {
            DeadJobPolicy::Fail => (OnDead::Fail, 0),
            DeadJobPolicy::Pause => (OnDead::Pause, 0),
            DeadJobPolicy::Skip(share) => (OnDead::Skip, share.ppm),
        };
        SubmitRequest {
            spec: spec.document.text().to_owned(),
            name: name[..name.floor_char_boundary(MAX_RUN_NAME_BYTES)].to_owned(),
            idempotency_key,
            on_dead: on_dead.into(),
            skip_ppm,
            stall_ms: self.stall.millis(),
            user: self.scheduling.user(has_token),
            priority: v1::Priority::from(RunPriority::from(self.scheduling.priority)).into(),
            most_slots: self.scheduling.slots.map_or(0, NonZeroU32::get),
        }
    }
}

/// The run's share of the farm, which never changes its result.
#[derive(Debug, Args)]
#[command(next_help_heading = "Scheduling")]
struct SchedulingArgs {
    /// User of the run; users share the farm evenly. With a token, it is the token's name [default:
    /// your login name, or anonymous]
    #[arg(long, value_name = "NAME", env = "HATCHERY_USER")]
    user: Option<UserName>,
    /// Priority class; each lower class that has work keeps a tenth of the farm
    #[arg(long, value_enum, default_value = "normal")]
    priority: PriorityArg,
    /// Largest number of slots that run its trials at the same time [default: no limit]
    #[arg(long, value_name = "N")]
    slots: Option<NonZeroU32>,
}

impl SchedulingArgs {
    /// Returns the user to submit as: none if the token names it.
    fn user(&self, has_token: bool) -> String {
        if has_token && self.user.is_none() {
            return String::new();
        }
        // A login name may be one that a farm does not accept.
        let login = || variable("USER").or_else(|| variable("LOGNAME"))?.to_str()?.parse().ok();
        self.user.clone().or_else(login).unwrap_or_default().to_string()
    }
}

/// A priority on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PriorityArg {
    High,
    Normal,
    Low,
}

impl From<PriorityArg> for RunPriority {
    fn from(class: PriorityArg) -> Self {
        match class {
            PriorityArg::High => Self::High,
            PriorityArg::Normal => Self::Normal,
            PriorityArg::Low => Self::Low,
        }
    }
}

/// The reaction to a dead job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeadJobPolicy {
    Fail,
    Pause,
    Skip(PartsPerMillion),
}

impl FromStr for DeadJobPolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            None if text == "fail" => Ok(Self::Fail),
            None if text == "pause" => Ok(Self::Pause),
            Some(("skip", share)) => PartsPerMillion::parse(share).map(Self::Skip),
            _ => Err("expected fail, pause, or skip=SHARE, such as skip=1%".to_owned()),
        }
    }
}

/// Parses an idempotency key; an empty one would mean a new key each time.
pub(super) fn parse_key(text: &str) -> Result<String, String> {
    match text.len() {
        0 => Err("empty".to_owned()),
        n if MAX_IDEMPOTENCY_KEY_BYTES < n => {
            Err(format!("{n} bytes, but at most {MAX_IDEMPOTENCY_KEY_BYTES} are allowed"))
        }
        _ => Ok(text.to_owned()),
    }
}

/// Parses a name that selects the run and that a terminal shows as it is.
pub(super) fn parse_name(text: &str) -> Result<String, String> {
    match text.len() {
        _ if text.trim().is_empty() => Err("empty".to_owned()),
        n if MAX_RUN_NAME_BYTES < n => {
            Err(format!("{n} bytes, but at most {MAX_RUN_NAME_BYTES} are allowed"))
        }
        _ if text == LAST || text.starts_with("last/") => {
            Err("`last` selects the latest run".to_owned())
        }
        _ if text.chars().any(is_control) => {
            Err(format!("{} has characters that a terminal does not show", escape_controls(text)))
        }
        _ => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_keys_are_those_that_a_farm_accepts() {
        assert_eq!(parse_name("über night").as_deref(), Ok("über night"));
        let long = "n".repeat(MAX_RUN_NAME_BYTES + 1);
        for wrong in ["", " ", "last", "last/1", "a\u{1b}[2J", "a\u{202e}b", "a\u{200b}", &long] {
            let said = parse_name(wrong).unwrap_err();
            assert!(!said.contains(is_control), "{said}");
        }
        assert!(parse_key("").is_err() && parse_key("once").is_ok());
        assert!(parse_key(&"k".repeat(MAX_IDEMPOTENCY_KEY_BYTES + 1)).is_err());
    }

    #[test]
    fn a_policy_is_one_of_three() {
        assert_eq!("fail".parse(), Ok(DeadJobPolicy::Fail));
        assert_eq!("pause".parse(), Ok(DeadJobPolicy::Pause));
        assert_eq!("skip=0.5%".parse(), Ok(DeadJobPolicy::Skip(PartsPerMillion { ppm: 5000 })));
        for wrong in ["", "skip", "skip=", "skip=2", "skip=0%", "fail=1%", "Fail"] {
            assert!(wrong.parse::<DeadJobPolicy>().is_err(), "{wrong}");
        }
    }
}
