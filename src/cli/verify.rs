//! `hatchery verify`

use clap::Args;

use super::farm_args::FarmVerb;
use super::runtime::in_runtime;
use crate::failure::Failure;
use crate::format::{grouped, hex};
use crate::recompute::{Outcome, Sample, Share, choose, recompute, samples};
use crate::report::StoredRun;
use crate::report::farm::{Mismatch, Verified};
use crate::source::Source;

/// Compute some jobs of a run again on this machine, and compare them with what its workers brought
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The run: its folder, its name below runs/, the beginning of its id, or `last`; with
    /// --coordinator its folder, its id, the beginning or end of that, its name, or `last`
    run: String,
    /// How much of the jobs that left something to compare with; at least one
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = Share::parse)]
    sample: Share,
    #[command(flatten)]
    verb: FarmVerb,
}

impl Verify {
    pub(super) fn run(&self) -> Result<(), Failure> {
        in_runtime(async {
            let mut source = Source::open(&self.run, &self.verb.farm).await?;
            let all = samples(&source.run.generations);
            let chosen = choose(&all, &source.run.checkpoint.digest, self.sample);
            let mut verified = begin(&source.run, all.len());
            for of_generation in chosen.chunk_by(|a, b| a.generation == b.generation) {
                self.generation(&mut source, of_generation, &mut verified).await?;
            }
            let failure = failure(&verified);
            let shown = self.verb.print(verified, text);
            failure.map_or(shown, Err)
        })
    }

    /// Computes the jobs at `chosen`, all of one generation, again.
    async fn generation(
        &self,
        source: &mut Source,
        chosen: &[Sample],
        verified: &mut Verified,
    ) -> Result<(), Failure> {
        let generation = chosen[0].generation;
        let state = source.state(generation).await?;
        let run = &source.run;
        let record = run.generations.iter().find(|record| record.generation == generation);
        let record = record.expect("samples come from records");
        for (sample, n_trials, outcome) in recompute(run, record, &state, chosen)? {
            match outcome {
                Outcome::Missing => {
                    verified.missing_jobs += 1;
                    continue;
                }
                Outcome::Same => {}
                Outcome::Different { what } => verified.mismatches.push(Mismatch {
                    generation,
                    job: sample.index,
                    what,
                    workers: record.origin.workers.iter().map(|id| hex(id)).collect(),
                }),
            }
            verified.jobs += 1;
            verified.trials += n_trials;
        }
        Ok(())
    }
}

fn begin(run: &StoredRun, n_samples: usize) -> Verified {
    Verified {
        run: run.id.to_string(),
        experiment: run.record.experiment.clone(),
        version: run.record.version,
        digest: hex(&run.checkpoint.digest),
        sampled_jobs: n_samples as u64,
        jobs: 0,
        trials: 0,
        missing_jobs: 0,
        mismatches: Vec::new(),
    }
}

fn failure(verified: &Verified) -> Option<Failure> {
    let Mismatch { generation, job, what, workers } = verified.mismatches.first()?;
    Some(Failure::Mismatch(format!(
        "{} of {} jobs of run {} came out different here; the first is job {job} of generation \
         {generation}: {what}; the generation was computed by {}",
        verified.mismatches.len(),
        verified.jobs,
        verified.run,
        if workers.is_empty() { "unknown workers".to_owned() } else { workers.join(", ") },
    )))
}

fn text(verified: &Verified) -> String {
    let Verified { sampled_jobs, jobs, trials, missing_jobs, mismatches, .. } = verified;
    let [trials, sampled] = [trials, sampled_jobs].map(|n| grouped(&n.to_string()));
    let chosen = format!("{jobs} sampled of {sampled} jobs ({trials} trials)");
    let mut lines = vec![match (jobs, mismatches.len()) {
        (0, _) => "nothing to compare with: no generation is folded yet".to_owned(),
        (_, 0) => format!("{chosen}: all came out the same here"),
        (_, n) => format!("{chosen}: {n} came out different here"),
    }];
    if *missing_jobs != 0 {
        lines.push(format!("{missing_jobs} more are missing from the run: they kept failing"));
    }
    lines.extend(mismatches.iter().map(|Mismatch { generation, job, what, .. }| {
        format!("  job {job} of generation {generation}: {what}")
    }));
    lines.join("\n") + "\n"
}
