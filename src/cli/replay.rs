//! `hatchery replay`

use std::io::Write;
use std::ops::{ControlFlow, RangeInclusive};
use std::str::FromStr;

use clap::Args;
use hatchery_core::RunSeed;
use hatchery_core::erased::ExperimentError;

use super::output::ignore_closed_pipe;
use super::runtime::in_runtime;
use crate::client::FarmArgs;
use crate::error::{CommandError, UsageError};
use crate::report::StoredRun;
use crate::run_source::RunSource;

/// Replay one trial of a run and show it
#[derive(Debug, Args)]
pub(crate) struct ReplayCommand {
    /// Run: its folder, its name below runs/, the beginning of its id, or `last`; with
    /// --coordinator also the end of its id, or its name on the farm
    run: String,
    /// Trial: GENERATION/SUBJECT/TRIAL, each counted from 0
    trial: TrialAddress,
    /// Frames to show, such as 1..20, counted from 1 [default: all]
    #[arg(long, value_name = "FROM..TO", value_parser = frames)]
    frames: Option<RangeInclusive<u64>>,
    #[command(flatten)]
    farm: FarmArgs,
}

/// The address of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TrialAddress {
    generation: u32,
    subject: u32,
    trial: u32,
}

impl FromStr for TrialAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<_> = text.split('/').map(str::parse).collect();
        match parts.as_slice() {
            [Ok(generation), Ok(subject), Ok(trial)] => {
                Ok(Self { generation: *generation, subject: *subject, trial: *trial })
            }
            _ => Err("not of the form GENERATION/SUBJECT/TRIAL, such as 3/0/17".to_owned()),
        }
    }
}

fn frames(text: &str) -> Result<RangeInclusive<u64>, String> {
    let bounds =
        text.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    match bounds {
        Some((from, to)) if 1 <= from && from <= to => Ok(from..=to),
        _ => Err("not of the form FROM..TO, such as 1..20".to_owned()),
    }
}

impl ReplayCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let mut source = RunSource::open(&self.run, &self.farm).await?;
            let state = source.state(self.trial.generation).await?;
            self.show(&source.run, &state)
        })
    }

    fn show(&self, run: &StoredRun, state: &[u8]) -> Result<(), CommandError> {
        let TrialAddress { generation, subject, trial } = self.trial;
        let plan = run.procedure.plan(state)?;
        let series = plan.series.get(subject as usize).ok_or_else(|| {
            let n_subjects = plan.series.len();
            UsageError::NoSuchSubject { generation, subject, n_subjects }
        })?;
        if series.n_trials <= trial {
            let n_trials = series.n_trials;
            return Err(UsageError::NoSuchTrial { subject, trial, n_trials }.into());
        }
        let simulation = run.procedure.simulation();
        let prepared = simulation.prepare(&plan.shared).map_err(ExperimentError::from)?;
        let ready = prepared.subject(&series.subject).map_err(ExperimentError::from)?;
        let seed = RunSeed::new(&run.record.experiment, run.record.seed).generation(generation);
        let rng = seed.trial(plan.draws, subject, trial);

        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        let (mut number, mut written) = (0_u64, Ok(()));
        let wanted = self.frames.clone().unwrap_or(1..=u64::MAX);
        let flow = ready.replay(rng, &mut |frame| {
            number += 1;
            if *wanted.end() < number {
                return ControlFlow::Break(());
            }
            if wanted.contains(&number) {
                written = writeln!(out, "{frame}");
            }
            // A reader that has closed the pipe ends the trial.
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        // A trial that was not shown to its end is no error.
        let (ControlFlow::Continue(()) | ControlFlow::Break(())) = flow;
        ignore_closed_pipe(written.and_then(|()| out.flush()))?;
        if number < *wanted.start() {
            return Err(UsageError::NoSuchFrame { frame: *wanted.start(), n_frames: number }.into());
        }
        Ok(())
    }
}
