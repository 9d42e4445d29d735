//! `hatchery submit`

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use hatchery_coordinator::{Priority, User};
use hatchery_proto::v1::{self, OnDead, SubmitRequest, SubmitResponse};
use hatchery_proto::{MAX_IDEMPOTENCY_KEY_BYTES, MAX_RUN_NAME_BYTES, MAX_STALL, MIN_STALL};
use tonic::Code;
use ulid::Ulid;

use super::farm_args::FarmVerb;
use super::follow::{Remote, outcome};
use super::opened_spec::{OpenedSpec, run_name};
use super::output::{Output, print_result};
use super::runtime::in_runtime;
use crate::client::{Asking, Client, Farm, follow};
use crate::environment::variable;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::recompute::Share;
use crate::report::farm::Submitted;
use crate::report::{self, StoredRun};
use crate::signals::interrupted;
use crate::terminal::{escape_controls, is_control, print_status};

/// Let a farm run a spec or a preset, and print the run's id
#[derive(Debug, Args)]
pub(crate) struct Submit {
    /// A preset, such as tetris-evolve/quick, or a spec file
    spec: String,
    /// Change a value of the spec, such as seed=2 or games=500; may be given many times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Wait for the run's end, and print its result as `run` does
    #[arg(long)]
    wait: bool,
    /// Submit at most once under this key, however often it is tried [default: a new one]
    #[arg(long, value_name = "KEY", value_parser = key)]
    idempotency_key: Option<String>,
    /// A name for the run [default: the preset's or the file's]
    #[arg(long, value_parser = name)]
    name: Option<String>,
    /// What to do when a job keeps failing: fail, pause, or skip=1% (of a generation's trials)
    #[arg(long, value_name = "POLICY", default_value = "fail")]
    on_dead: Policy,
    /// After how long without progress a job counts as hanging [default: 30m]
    #[arg(long, value_name = "DURATION", value_parser = stall)]
    stall_timeout: Option<Duration>,
    #[command(flatten)]
    share: ShareArgs,
    /// Write the run's files into this folder when it has ended [env: HATCHERY_OUT, with --wait]
    // A variable can't require a flag: it is there for the other verbs.
    #[arg(long, value_name = "DIR", requires = "wait")]
    out: Option<PathBuf>,
    #[command(flatten)]
    verb: FarmVerb,
}

/// How much of the farm a run gets, and how soon. Nothing of it changes a result.
#[derive(Debug, Args)]
struct ShareArgs {
    /// Whose run it is, on a farm without tokens: users share it evenly [default: the token's name,
    /// else your login name, or anonymous]
    #[arg(long, value_name = "NAME", env = "HATCHERY_USER")]
    user: Option<User>,
    /// What goes first; each lower class that has work keeps a tenth of the farm
    #[arg(long, value_enum, default_value = "normal")]
    priority: Class,
    /// The most slots that the run may have at the same time [default: no limit]
    #[arg(long, value_name = "N")]
    slots: Option<NonZeroU32>,
}

impl ShareArgs {
    /// What a coordinator is told; nothing if it knows from the token.
    fn user(&self, has_token: bool) -> String {
        if has_token && self.user.is_none() {
            return String::new();
        }
        // A login name need not be one that a farm takes.
        let login = || variable("USER").or_else(|| variable("LOGNAME"))?.to_str()?.parse().ok();
        self.user.clone().or_else(login).unwrap_or_default().to_string()
    }
}

/// A priority on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Class {
    High,
    Normal,
    Low,
}

impl From<Class> for Priority {
    fn from(class: Class) -> Self {
        match class {
            Class::High => Self::High,
            Class::Normal => Self::Normal,
            Class::Low => Self::Low,
        }
    }
}

/// What happens to a run with a job that keeps failing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    Fail,
    Pause,
    Skip(Share),
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            None if text == "fail" => Ok(Self::Fail),
            None if text == "pause" => Ok(Self::Pause),
            Some(("skip", share)) => Share::parse(share).map(Self::Skip),
            _ => Err("not one of fail, pause, or skip=SHARE, such as skip=1%".to_owned()),
        }
    }
}

/// An idempotency key: none at all would stand for a new one each time.
fn key(text: &str) -> Result<String, String> {
    match text.len() {
        0 => Err("it is empty".to_owned()),
        n if MAX_IDEMPOTENCY_KEY_BYTES < n => {
            Err(format!("{n} bytes, but at most {MAX_IDEMPOTENCY_KEY_BYTES}"))
        }
        _ => Ok(text.to_owned()),
    }
}

/// A name by which a person can mean the run, and which a terminal shows as it is.
fn name(text: &str) -> Result<String, String> {
    match text.len() {
        0 => Err("it is empty".to_owned()),
        n if MAX_RUN_NAME_BYTES < n => Err(format!("{n} bytes, but at most {MAX_RUN_NAME_BYTES}")),
        _ if text == "last" => Err("`last` means the latest run".to_owned()),
        _ if text.chars().any(is_control) => {
            Err(format!("{} has characters that a terminal does not show", escape_controls(text)))
        }
        _ => Ok(text.to_owned()),
    }
}

fn stall(text: &str) -> Result<Duration, String> {
    let stall = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    let fits = (MIN_STALL..=MAX_STALL).contains(&stall);
    fits.then_some(stall).ok_or_else(|| "not from 12s to 30days".to_owned())
}

impl Submit {
    pub(super) fn run(&self) -> Result<(), Failure> {
        in_runtime(self.run_async())
    }

    async fn run_async(&self) -> Result<(), Failure> {
        let spec = OpenedSpec::open(&self.spec, &self.set)?;
        let mut farm = self.verb.farm.farm()?;
        let key = self.idempotency_key.clone();
        let key = key.unwrap_or_else(|| Ulid::generate().to_string());
        let request = self.request(&spec, key.clone());
        let asking = if self.wait { Asking::Patiently } else { Asking::Once };
        let act = async |mut client: Client| client.submit(request.clone()).await;
        let SubmitResponse { run, created } = match farm.ask(asking, act).await {
            Ok(Ok(submitted)) => submitted,
            Ok(Err(status)) if status.code() == Code::InvalidArgument => {
                return Err(Failure::SpecRefused(escape_controls(status.message())));
            }
            Ok(Err(status)) => return Err(Failure::refused(&status)),
            Err(failure) => {
                print_status(&format!(
                    "to make sure that there is one run, submit again with --idempotency-key {key}"
                ));
                return Err(failure);
            }
        };
        if !created {
            print_status(&format!("the idempotency key stands for run {run} already"));
        }
        if self.wait {
            return self.follow(&mut farm, &run).await;
        }
        let submitted = Submitted { run, created, idempotency_key: key };
        self.verb.print(submitted, |submitted| format!("{}\n", submitted.run))
    }

    fn request(&self, spec: &OpenedSpec, idempotency_key: String) -> SubmitRequest {
        let (on_dead, skip_ppm) = match self.on_dead {
            Policy::Fail => (OnDead::Fail, 0),
            Policy::Pause => (OnDead::Pause, 0),
            Policy::Skip(share) => (OnDead::Skip, share.ppm),
        };
        let stall_ms = self.stall_timeout.map_or(0, |stall| {
            u64::try_from(stall.as_millis()).expect("30 days in milliseconds are few")
        });
        let name = self.name.clone().unwrap_or_else(|| {
            let name = run_name(&self.spec);
            name[..name.floor_char_boundary(MAX_RUN_NAME_BYTES)].to_owned()
        });
        SubmitRequest {
            spec: spec.document.text().to_owned(),
            name,
            idempotency_key,
            on_dead: on_dead.into(),
            skip_ppm,
            stall_ms,
            user: self.share.user(self.verb.farm.has_token()),
            priority: v1::Priority::from(Priority::from(self.share.priority)).into(),
            most_slots: self.share.slots.map_or(0, NonZeroU32::get),
        }
    }

    /// Follows `run` to its end, and shows what it came to.
    async fn follow(&self, farm: &mut Farm, run: &str) -> Result<(), Failure> {
        let mut progress = Remote::new(self.verb.output == Output::Quiet);
        let end = tokio::select! {
            end = follow(farm, run, &mut progress) => end,
            () = interrupted() => Err(Failure::Interrupted),
        };
        progress.finish();
        if end.is_err() {
            let flags = self.verb.farm.flags();
            print_status(&format!(
                "run {run} is the farm's; go on with: hatchery watch {run}{flags}"
            ));
        }
        let end = end?;
        let export = farm.export(Asking::Patiently, run).await?;
        let stored = StoredRun::exported(&export)?;
        let out = self.out.clone().or_else(|| variable("HATCHERY_OUT").map(PathBuf::from));
        let (document, place) = match out {
            Some(out) => {
                let document = report::write_exported(&stored, &export, &Folder::at(&out))?;
                (document, format!("in {}", out.display()))
            }
            None => (
                report::document(&stored)?,
                "is on the farm: `hatchery fetch` writes it".to_owned(),
            ),
        };
        let shown = match self.verb.output {
            Output::Table => print_result(&document.table_with(&place)),
            Output::Json => print_result(&format!("{}\n", document.json())),
            Output::Quiet => Ok(()),
        };
        outcome(&end).and(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_keys_are_what_a_farm_takes() {
        assert_eq!(name("über night").as_deref(), Ok("über night"));
        for wrong in ["", "last", "a\u{1b}[2J", "a\u{202e}b", &"n".repeat(MAX_RUN_NAME_BYTES + 1)] {
            let said = name(wrong).unwrap_err();
            assert!(!said.contains(is_control), "{said}");
        }
        assert!(key("").is_err() && key("once").is_ok());
        assert!(key(&"k".repeat(MAX_IDEMPOTENCY_KEY_BYTES + 1)).is_err());
        assert_eq!(stall("30m"), Ok(Duration::from_secs(1800)));
        assert!(stall("1ms").is_err() && stall("1year").is_err());
    }

    #[test]
    fn a_policy_is_one_of_three() {
        assert_eq!("fail".parse(), Ok(Policy::Fail));
        assert_eq!("pause".parse(), Ok(Policy::Pause));
        assert_eq!("skip=0.5%".parse(), Ok(Policy::Skip(Share { ppm: 5000 })));
        for wrong in ["", "skip", "skip=", "skip=2", "skip=0%", "fail=1%", "Fail"] {
            assert!(wrong.parse::<Policy>().is_err(), "{wrong}");
        }
    }
}
