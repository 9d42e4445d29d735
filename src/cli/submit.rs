//! `hatchery submit`

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use hatchery_coordinator::{RunPriority, UserName};
use hatchery_core::Part;
use hatchery_proto::v1::{self, OnDead, SubmitRequest, SubmitResponse};
use hatchery_proto::{MAX_IDEMPOTENCY_KEY_BYTES, MAX_RUN_NAME_BYTES};
use hatchery_store::RunId;
use ulid::Ulid;

use super::farm_args::FarmVerbArgs;
use super::follow::{ProgressFollower, outcome};
use super::input_args::InputArgs;
use super::loaded_spec::LoadedSpec;
use super::output::{OutputFormat, print_result};
use super::runtime::in_runtime;
use super::spec_args::SpecArgs;
use super::stall_args::StallArgs;
use super::submission::submit_with_inputs;
use crate::client::{FailoverPolicy, FarmClient, follow};
use crate::environment::variable;
use crate::error::CommandError;
use crate::recompute::PartsPerMillion;
use crate::replay::BestReplay;
use crate::report;
use crate::report::farm::{RunDocument, SubmittedDocument};
use crate::run_folder::RunFolder;
use crate::run_source::RunSource;
use crate::signals::interrupted;
use crate::terminal::{escape_controls, is_control, print_status};

/// Submit a spec or a preset to a farm and print the run's id
#[derive(Debug, Args)]
pub(crate) struct SubmitCommand {
    #[command(flatten)]
    spec: SpecArgs,
    /// Wait until the run ends, and print its result as `hatchery run` does
    #[arg(long)]
    wait: bool,
    /// Key under which repeated submissions create one run only [default: a new key]
    #[arg(long, value_name = "KEY", value_parser = parse_key)]
    idempotency_key: Option<String>,
    /// Name of the run [default: the name of the preset or file]
    #[arg(long, value_parser = parse_name)]
    name: Option<String>,
    /// Reaction to a dead job: fail, pause, or skip=SHARE to go without at most that share of a
    /// generation's trials, such as skip=1%
    #[arg(long, value_name = "POLICY", default_value = "fail")]
    on_dead: DeadJobPolicy,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    stall: StallArgs,
    /// Folder for the run's files, written when it has ended [env: HATCHERY_OUT, with --wait]
    // A variable cannot require a flag: it may be set for other verbs.
    #[arg(long, value_name = "DIR", requires = "wait")]
    out: Option<PathBuf>,
    #[command(flatten)]
    scheduling: SchedulingArgs,
    #[command(flatten)]
    verb: FarmVerbArgs,
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
fn parse_key(text: &str) -> Result<String, String> {
    match text.len() {
        0 => Err("empty".to_owned()),
        n if MAX_IDEMPOTENCY_KEY_BYTES < n => {
            Err(format!("{n} bytes, but at most {MAX_IDEMPOTENCY_KEY_BYTES} are allowed"))
        }
        _ => Ok(text.to_owned()),
    }
}

/// Parses a name that selects the run and that a terminal shows as it is.
fn parse_name(text: &str) -> Result<String, String> {
    match text.len() {
        _ if text.trim().is_empty() => Err("empty".to_owned()),
        n if MAX_RUN_NAME_BYTES < n => {
            Err(format!("{n} bytes, but at most {MAX_RUN_NAME_BYTES} are allowed"))
        }
        _ if text == "last" => Err("`last` selects the latest run".to_owned()),
        _ if text.chars().any(is_control) => {
            Err(format!("{} has characters that a terminal does not show", escape_controls(text)))
        }
        _ => Ok(text.to_owned()),
    }
}

impl SubmitCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(self.run_async())
    }

    async fn run_async(&self) -> Result<(), CommandError> {
        let spec = self.spec.open()?;
        let mut inputs = self.input.find(&spec)?;
        let mut farm = self.verb.farm.farm()?;
        let key = self.idempotency_key.clone();
        let key = key.unwrap_or_else(|| Ulid::generate().to_string());
        let request = self.request(&spec, key.clone());
        let failover = match self.wait {
            true => FailoverPolicy::UntilAnswered,
            false => FailoverPolicy::OneRound,
        };
        let SubmitResponse { run, created, .. } =
            match submit_with_inputs(&mut farm, failover, &request, &spec, &mut inputs).await? {
                Ok(submitted) => submitted,
                Err(failure) => {
                    print_status(&format!(
                        "the run may exist already: repeat the command with --idempotency-key {key}"
                    ));
                    return Err(failure);
                }
            };
        let Ok(run) = run.parse::<RunId>().map(|run| run.to_string()) else {
            let message = format!("it returned {:?}, which is not a run id", escape_controls(&run));
            return Err(CommandError::Coordinator { message });
        };
        if !created {
            print_status(&format!("run {run} was already created with this idempotency key"));
        }
        if self.wait {
            return self.follow(&mut farm, &run).await;
        }
        let submitted = SubmittedDocument { run, created, idempotency_key: key };
        self.verb.print(submitted, |submitted| format!("{}\n", submitted.run))
    }

    fn request(&self, spec: &LoadedSpec, idempotency_key: String) -> SubmitRequest {
        let (on_dead, skip_ppm) = match self.on_dead {
            DeadJobPolicy::Fail => (OnDead::Fail, 0),
            DeadJobPolicy::Pause => (OnDead::Pause, 0),
            DeadJobPolicy::Skip(share) => (OnDead::Skip, share.ppm),
        };
        let name = self.name.clone().unwrap_or_else(|| {
            let name = self.spec.run_name();
            name[..name.floor_char_boundary(MAX_RUN_NAME_BYTES)].to_owned()
        });
        SubmitRequest {
            spec: spec.document.text().to_owned(),
            name,
            idempotency_key,
            on_dead: on_dead.into(),
            skip_ppm,
            stall_ms: self.stall.millis(),
            user: self.scheduling.user(self.verb.farm.has_token()),
            priority: v1::Priority::from(RunPriority::from(self.scheduling.priority)).into(),
            most_slots: self.scheduling.slots.map_or(0, NonZeroU32::get),
        }
    }

    /// Follows `run` to its end, and prints its result.
    async fn follow(&self, farm: &mut FarmClient, run: &str) -> Result<(), CommandError> {
        let mut progress = ProgressFollower::new(self.verb.output == OutputFormat::Quiet);
        let end = tokio::select! {
            end = follow(farm, run, &mut progress) => end,
            () = interrupted() => Err(CommandError::Interrupted),
        };
        progress.finish();
        if end.is_err() {
            let flags = self.verb.farm.flags();
            print_status(&format!(
                "run {run} continues on the farm; follow it with: hatchery watch {run}{flags}"
            ));
        }
        let end = end?;
        let export = farm.export(FailoverPolicy::UntilAnswered, run).await?;
        let mut source = RunSource::exported(&export, self.verb.farm.farm()?)?;
        let out = self.out.clone().or_else(|| variable("HATCHERY_OUT").map(PathBuf::from));
        let (document, place) = match out {
            Some(out) => {
                let replay = BestReplay::read(&mut source).await;
                let stored = &source.run;
                let read = async |part: Part| farm.part(stored.id, part.hash()).await;
                let folder = RunFolder::at(&out);
                let document =
                    report::write_copy(stored, &export.events, &folder, &replay, read).await?;
                (document, format!("in {}", out.display()))
            }
            None => (
                report::document(&source.run)?,
                "is on the farm: `hatchery fetch` downloads it".to_owned(),
            ),
        };
        let shown = match self.verb.output {
            OutputFormat::Table => print_result(&document.table_with(&place)),
            OutputFormat::Json => print_result(&format!("{}\n", document.json())),
            OutputFormat::Quiet => Ok(()),
        };
        outcome(&RunDocument::from(end)).and(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_keys_are_those_that_a_farm_accepts() {
        assert_eq!(parse_name("über night").as_deref(), Ok("über night"));
        let long = "n".repeat(MAX_RUN_NAME_BYTES + 1);
        for wrong in ["", " ", "last", "a\u{1b}[2J", "a\u{202e}b", "a\u{200b}", &long] {
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
