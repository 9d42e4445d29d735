//! `hatchery verify`

use clap::Args;
use hatchery_core::PartSet;
use hatchery_core::text::counted;

use super::farm_args::FarmVerbArgs;
use super::runtime::in_runtime;
use crate::error::{CommandError, VerificationError};
use crate::format::hex;
use crate::recompute::{JobComparison, JobSample, PartsPerMillion, SampledJobs, choose, samples};
use crate::report::StoredRun;
use crate::report::farm::{JobMismatch, VerifiedDocument};
use crate::run_source::RunSource;

/// Recompute a sample of a run's jobs locally and compare the results
///
/// The sample comes from the generations whose states are kept: the first, the last 8, and one for
/// each doubling of age.
#[derive(Debug, Args)]
pub(crate) struct VerifyCommand {
    /// Run: its folder, its name, the beginning or end of its id, or `last`
    run: String,
    /// Share of the jobs with a stored hash to recompute; at least one job is recomputed
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = PartsPerMillion::parse)]
    sample: PartsPerMillion,
    #[command(flatten)]
    verb: FarmVerbArgs,
}

impl VerifyCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let mut source = RunSource::open(&self.run, &self.verb.farm).await?;
            let (kept, unkept): (Vec<_>, Vec<_>) = samples(&source.run.generations)
                .into_iter()
                .partition(|sample| source.run.keeps_state(sample.generation));
            let chosen = choose(&kept, &source.run.checkpoint.digest, self.sample);
            let mut verified = empty_document(&source.run, kept.len(), unkept.len());
            for of_generation in chosen.chunk_by(|a, b| a.generation == b.generation) {
                self.recompute_generation(&mut source, of_generation, &mut verified).await?;
            }
            let mismatch = mismatch(&verified);
            let shown = self.verb.print(verified, text);
            mismatch.map_or(shown, Err)
        })
    }

    /// Recomputes the jobs at `chosen`, which belong to the same generation, one after the other:
    /// their inputs together might not fit into memory.
    async fn recompute_generation(
        &self,
        source: &mut RunSource,
        chosen: &[JobSample],
        verified: &mut VerifiedDocument,
    ) -> Result<(), CommandError> {
        let generation = chosen[0].generation;
        let state = source.state(generation).await?;
        let plan = source.run.procedure.plan(&state)?;
        let run = &source.run;
        let record = run.generations.iter().find(|record| record.generation == generation);
        let record = record.expect("samples come from records");
        let workers: Vec<_> = record.origin.workers.iter().map(|id| hex(id)).collect();
        let jobs = SampledJobs::cut(run, record, plan, chosen)?;
        let mut inputs = PartSet::default();
        for &sample in chosen {
            source.replace_inputs(&mut inputs, &jobs.inputs(sample)?).await?;
            let (n_trials, outcome) = jobs.recompute(sample, &inputs);
            match outcome {
                JobComparison::Missing => {
                    verified.missing_jobs += 1;
                    continue;
                }
                JobComparison::Same => {}
                JobComparison::Different { what } => verified.mismatches.push(JobMismatch {
                    generation,
                    job: sample.index,
                    what,
                    workers: workers.clone(),
                }),
            }
            verified.sampled_jobs += 1;
            verified.trials += n_trials;
        }
        Ok(())
    }
}

fn empty_document(run: &StoredRun, n_kept: usize, n_unkept: usize) -> VerifiedDocument {
    VerifiedDocument {
        run: run.id.to_string(),
        experiment: run.record.experiment.clone(),
        version: run.record.version,
        digest: hex(&run.checkpoint.digest),
        jobs: n_kept as u64,
        unkept_jobs: n_unkept as u64,
        sampled_jobs: 0,
        trials: 0,
        missing_jobs: 0,
        mismatches: Vec::new(),
    }
}

fn mismatch(verified: &VerifiedDocument) -> Option<CommandError> {
    let JobMismatch { generation, job, what, workers } = verified.mismatches.first()?;
    let error = VerificationError {
        run: verified.run.clone(),
        n_mismatches: verified.mismatches.len(),
        n_jobs: verified.sampled_jobs,
        generation: *generation,
        job: *job,
        what: what.clone(),
        workers: workers.clone(),
    };
    Some(CommandError::Mismatch(Box::new(error)))
}

fn text(verified: &VerifiedDocument) -> String {
    let VerifiedDocument {
        sampled_jobs, unkept_jobs, jobs, trials, missing_jobs, mismatches, ..
    } = verified;
    let (of_jobs, trials) = (counted(*jobs, "job"), counted(*trials, "trial"));
    let chosen = format!("{sampled_jobs} sampled of {of_jobs} ({trials})");
    let mut lines = vec![match (sampled_jobs, mismatches.len()) {
        (0, _) => "nothing to compare: no generation is folded yet".to_owned(),
        (_, 0) => format!("{chosen}: all results are the same here"),
        (_, 1) => format!("{chosen}: 1 result is different here"),
        (_, n) => format!("{chosen}: {n} results are different here"),
    }];
    if *missing_jobs != 0 {
        let more = match missing_jobs {
            1 => "1 more is missing from the run: it was a dead job".to_owned(),
            n => format!("{n} more are missing from the run: they were dead jobs"),
        };
        lines.push(more);
    }
    if *unkept_jobs != 0 {
        let are = if *unkept_jobs == 1 { "is" } else { "are" };
        let unkept = counted(*unkept_jobs, "other job");
        lines.push(format!("{unkept} {are} of generations whose states are not kept"));
    }
    lines.extend(mismatches.iter().map(|JobMismatch { generation, job, what, .. }| {
        format!("  job {job} of generation {generation}: {what}")
    }));
    lines.join("\n") + "\n"
}
