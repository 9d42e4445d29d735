//! `hatchery replay`

use std::io::Write;
use std::ops::{ControlFlow, RangeInclusive};
use std::str::FromStr;

use clap::Args;
use hatchery_catalog::CATALOG;
use hatchery_coordinator::{EmbeddedStore, Store};
use hatchery_core::{Digest, RunSeed};

use crate::failure::Failure;
use crate::folder::Folder;
use crate::report::StoredRun;

/// Play one trial of a run again, and show it
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The run: its folder, `last`, its name below runs/, or the beginning of its id
    run: String,
    /// The trial: GENERATION/SUBJECT/TRIAL, each counted from 0
    trial: Address,
    /// Show only these frames, such as 1..20, counted from 1
    #[arg(long, value_name = "FROM..TO", value_parser = frames)]
    frames: Option<RangeInclusive<u64>>,
}

/// The address of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Address {
    generation: u32,
    subject: u32,
    trial: u32,
}

impl FromStr for Address {
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

impl Replay {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .map_err(|error| Failure::SetUp(Box::new(error)))?;
        runtime.block_on(self.run_async())
    }

    async fn run_async(&self) -> Result<(), Failure> {
        let folder = Folder::find(&self.run)?;
        let store = EmbeddedStore::open(&folder.store())?;
        let Some(&id) = store.runs().await?.first() else {
            return Err(Failure::Usage(format!("{} holds no run yet", folder.path().display())));
        };
        let run = StoredRun::read(&store, id).await?;
        let state = state_before(&store, &run, self.trial.generation).await?;
        self.narrate(&run, &state)
    }

    fn narrate(&self, run: &StoredRun, state: &[u8]) -> Result<(), Failure> {
        let Address { generation, subject, trial } = self.trial;
        let plan = run.procedure.plan(state)?;
        let series = plan.series.get(subject as usize).ok_or_else(|| {
            let n = plan.series.len();
            Failure::Usage(format!("generation {generation} has subjects 0 to {}", n - 1))
        })?;
        if series.n_trials <= trial {
            let last = series.n_trials - 1;
            return Err(Failure::Usage(format!("subject {subject} has trials 0 to {last}")));
        }
        let experiment = CATALOG.find(&run.record.experiment).expect("the run was opened with it");
        let bench =
            experiment.bench(&plan.shared).map_err(hatchery_core::erased::FarmError::from)?;
        let subject_ready =
            bench.subject(&series.subject).map_err(hatchery_core::erased::FarmError::from)?;
        let seed = RunSeed::new(&run.record.experiment, run.record.seed).generation(generation);
        let rng = seed.trial(plan.draws, subject, trial);

        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        let mut number = 0_u64;
        let wanted = self.frames.clone().unwrap_or(1..=u64::MAX);
        let flow = subject_ready.narrate(rng, &mut |frame| {
            number += 1;
            if *wanted.end() < number {
                return ControlFlow::Break(());
            }
            // A reader that has seen enough ends the game.
            let written = !wanted.contains(&number) || writeln!(out, "{frame}").is_ok();
            if written { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        // Whether the game was shown to its end makes no difference here.
        let (ControlFlow::Continue(()) | ControlFlow::Break(())) = flow;
        out.flush().unwrap_or(());
        Ok(())
    }
}

/// The state that `generation` started from.
async fn state_before(
    store: &dyn Store,
    run: &StoredRun,
    generation: u32,
) -> Result<Vec<u8>, Failure> {
    if generation == run.position.generation
        && run.generations.len() as u64 == u64::from(generation)
    {
        return Ok(run.checkpoint.state.clone());
    }
    let record = run.generations.iter().find(|record| record.generation == generation);
    let hash = record.and_then(|record| Digest::from_bytes(&record.state));
    let state = match hash {
        Some(hash) => store.blob(hash).await?,
        None => None,
    };
    state.ok_or_else(|| {
        let last = run.position.generation;
        Failure::Usage(format!("no generation {generation}: the run has 0 to {last} so far"))
    })
}
