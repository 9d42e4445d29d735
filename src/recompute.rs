//! Recomputing jobs of a run, to compare them with the results of its workers.
//!
//! A generation's record keeps the hashes of some jobs' outputs, and how the generation was cut
//! into jobs. From these and the state that the generation started from, the jobs with a hash can
//! be cut and run again.

use std::collections::BTreeMap;

use hatchery_coordinator::run::cutter::{Cut, JobCutter};
use hatchery_coordinator::run::ledger::sample_hash;
use hatchery_coordinator::run::record::{GenerationRecord, OutputPart, RunRecord, StoredOutput};
use hatchery_core::erased::{AnyPlan, ExperimentError, PreparedSimulation};
use hatchery_core::{Digest, Part, PartSet};
use hatchery_proto::v1::{Job, JobOutput};
use hatchery_worker::{JobHandle, JobOutcome, TrialThreads, execute_job};
use prost::Message;

use crate::report::StoredRun;

/// A share of a whole, in parts per million.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartsPerMillion {
    pub(crate) ppm: u32,
}

impl PartsPerMillion {
    /// The whole.
    const ALL_PPM: u32 = 1_000_000;

    /// Parses a percentage, such as `1%` or `0.05%`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a share above 0% and up to 100%, such as 1%");
        let percent = text.strip_suffix('%').ok_or_else(wrong)?;
        let (whole, part) = percent.split_once('.').unwrap_or((percent, "0"));
        let digits = |text: &str, most: usize| {
            let fits = (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
            fits.then(|| text.parse::<u32>().ok()).flatten()
        };
        // 1 % is 10,000 millionths, so four places fit.
        let whole = digits(whole, 3).ok_or_else(wrong)?;
        let part = digits(&format!("{part:0<4}"), 4).ok_or_else(wrong)?;
        let ppm = whole * 10_000 + part;
        if !(1..=Self::ALL_PPM).contains(&ppm) {
            return Err(wrong());
        }
        Ok(Self { ppm })
    }

    /// Returns this share of `n`, rounded up.
    fn of(self, n: usize) -> usize {
        let share = (n as u128 * u128::from(self.ppm)).div_ceil(u128::from(Self::ALL_PPM));
        usize::try_from(share).unwrap_or(n)
    }
}

/// A job whose output's hash was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JobSample {
    pub(crate) generation: u32,
    pub(crate) index: u64,
    hash: u64,
}

/// Returns all samples of a run.
pub(crate) fn samples(generations: &[GenerationRecord]) -> Vec<JobSample> {
    let of = |record: &GenerationRecord| {
        let (generation, stride) = (record.generation, record.origin.stride);
        let hashes = record.origin.samples.clone().into_iter().zip(0..);
        hashes.map(move |(hash, n)| JobSample { generation, index: stride.saturating_mul(n), hash })
    };
    let sound =
        |record: &&GenerationRecord| record.origin.stride != 0 || record.origin.samples.len() < 2;
    generations.iter().filter(sound).flat_map(of).collect()
}

/// Chooses the `share` of `samples` to recompute, at least one, in order. The choice is the same
/// each time, and unpredictable before the run has its `digest`.
pub(crate) fn choose(
    samples: &[JobSample],
    digest: &[u8],
    share: PartsPerMillion,
) -> Vec<JobSample> {
    let rank = |sample: &JobSample| {
        let place = [&sample.generation.to_le_bytes()[..], &sample.index.to_le_bytes()].concat();
        *Digest::of(&[digest, &place].concat()).as_bytes()
    };
    let mut ranked: Vec<_> = samples.iter().map(|sample| (rank(sample), *sample)).collect();
    ranked.sort_unstable();
    ranked.truncate(share.of(samples.len()));
    let mut chosen: Vec<_> = ranked.into_iter().map(|(_, sample)| sample).collect();
    chosen.sort_unstable();
    chosen
}

/// The outcome of comparing a recomputed job with its stored hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JobComparison {
    /// Both results are the same.
    Same,
    /// The job's trials are missing from the run.
    Missing,
    /// The results are different.
    Different {
        /// The difference, for people.
        what: String,
    },
}

/// The sampled jobs of a generation, cut as they were in the run.
pub(crate) struct SampledJobs {
    prepared: Box<dyn PreparedSimulation>,
    jobs: BTreeMap<u64, Job>,
}

impl SampledJobs {
    /// Cuts the jobs at `chosen`, all of generation `record` with this `plan`.
    pub(crate) fn cut(
        run: &StoredRun,
        record: &GenerationRecord,
        plan: AnyPlan,
        chosen: &[JobSample],
    ) -> Result<Self, ExperimentError> {
        let prepared = run.procedure.simulation().prepare(&plan.shared)?;
        let cutter = JobCutter::new(plan, template(&run.record, record.generation), 0);
        Ok(Self { prepared, jobs: jobs(cutter, &record.cuts, chosen) })
    }

    /// Returns the parts that the trials of a sampled job may read; none if the generation has no
    /// such job.
    pub(crate) fn inputs(&self, sample: JobSample) -> Result<Vec<Part>, ExperimentError> {
        let job = self.jobs.get(&sample.index);
        let inputs = job.into_iter().flat_map(|job| &job.inputs);
        let parts = inputs.map(|part| Part::from_wire(&part.hash, part.n_bytes));
        Ok(parts.collect::<Result<_, _>>()?)
    }

    /// Recomputes a sampled job, whose trials may read `inputs`; returns its number of trials and
    /// the comparison.
    pub(crate) fn recompute(&self, sample: JobSample, inputs: &PartSet) -> (u64, JobComparison) {
        match self.jobs.get(&sample.index) {
            Some(job) => {
                (job.n_trials(), compare(self.prepared.as_ref(), job, inputs, sample.hash))
            }
            None => {
                let what = "the generation has no such job".to_owned();
                (0, JobComparison::Different { what })
            }
        }
    }
}

/// Returns a job of the run without trials. Its shared input is at hand, so its hash is not needed.
fn template(record: &RunRecord, generation: u32) -> Job {
    Job {
        experiment: record.experiment.clone(),
        version: record.version,
        seed: record.seed,
        generation,
        ..Job::default()
    }
}

/// Cuts the jobs at the indices of `chosen` as they were cut in the run.
fn jobs(mut cutter: JobCutter, cuts: &[Cut], chosen: &[JobSample]) -> BTreeMap<u64, Job> {
    let mut wanted = chosen.iter().map(|sample| sample.index).peekable();
    let (mut jobs, mut cuts, mut size) = (BTreeMap::new(), cuts.iter().peekable(), 1);
    for index in 0.. {
        if wanted.peek().is_none() {
            break;
        }
        while let Some(cut) = cuts.next_if(|cut| cut.first_index <= index) {
            size = cut.trials_per_job;
        }
        let Some(job) = cutter.next_job(size) else { break };
        if wanted.next_if_eq(&index).is_some() {
            jobs.insert(index, job);
        }
    }
    jobs
}

fn compare(
    prepared: &dyn PreparedSimulation,
    job: &Job,
    inputs: &PartSet,
    hash: u64,
) -> JobComparison {
    let (inputs, handle) = (inputs.clone(), JobHandle::default());
    let output = match execute_job(job, prepared, inputs, &handle, TrialThreads::Pool) {
        JobOutcome::Output(computed) => computed.output,
        JobOutcome::Failed(failure) => {
            let what = format!("the job fails here: {}", failure.message);
            return JobComparison::Different { what };
        }
        JobOutcome::Cancelled => unreachable!("nothing else has the job's progress"),
    };
    let tallies = JobOutput::decode(output.as_slice()).map(|output| output.tallies);
    let parts = job.segments.iter().zip(tallies.unwrap_or_default());
    let parts = parts.map(|(segment, tally)| OutputPart {
        series: segment.subject_idx,
        first_trial: segment.first_trial,
        n_trials: segment.n_trials,
        tally,
    });
    let stored = StoredOutput { parts: parts.collect(), ..StoredOutput::default() };
    let none = stored.parts.iter().map(|part| OutputPart { tally: Vec::new(), ..part.clone() });
    let missing = StoredOutput {
        parts: none.collect(),
        n_missing: job.n_trials(),
        ..StoredOutput::default()
    };
    let found = sample_hash(&stored.encode_to_vec());
    if found == hash {
        JobComparison::Same
    } else if sample_hash(&missing.encode_to_vec()) == hash {
        JobComparison::Missing
    } else {
        let what =
            format!("the hash of its output is {found:016x} here, but {hash:016x} in the run");
        JobComparison::Different { what }
    }
}

#[cfg(test)]
mod tests {
    use hatchery_catalog::CATALOG;
    use hatchery_coordinator::run::record::{CostTotals, ResultOrigin};
    use hatchery_core::spec::SpecDocument;
    use hatchery_core::{Draws, RunSeed};

    use super::*;

    #[test]
    fn shares_are_percentages() {
        for (text, ppm) in [
            ("1%", 10_000),
            ("100%", 1_000_000),
            ("0.5%", 5000),
            ("0.0001%", 1),
            ("12.34%", 123_400),
        ] {
            assert_eq!(PartsPerMillion::parse(text), Ok(PartsPerMillion { ppm }), "{text}");
        }
        for text in ["", "1", "%", "0%", "100.0001%", "-1%", "1e2%", "0.00001%", "1000%"] {
            assert!(PartsPerMillion::parse(text).unwrap_err().contains("is not a share"), "{text}");
        }
        assert_eq!([0, 1, 100, 101].map(|n| PartsPerMillion { ppm: 10_000 }.of(n)), [0, 1, 1, 2]);
    }

    fn records() -> Vec<GenerationRecord> {
        let record = |generation, n_samples: u64, stride| GenerationRecord {
            generation,
            origin: ResultOrigin {
                samples: (0..n_samples).collect(),
                stride,
                ..ResultOrigin::default()
            },
            spent: CostTotals { jobs: n_samples * stride, ..CostTotals::default() },
            ..GenerationRecord::default()
        };
        vec![record(0, 100, 1), record(1, 50, 4)]
    }

    #[test]
    fn the_choice_is_the_same_each_time_and_depends_on_the_digest() {
        let samples = samples(&records());
        assert_eq!(samples.len(), 150);
        assert_eq!((samples[149].generation, samples[149].index), (1, 49 * 4));
        let choose = |digest: &[u8], ppm| choose(&samples, digest, PartsPerMillion { ppm });
        let chosen = choose(b"digest", 100_000);
        assert_eq!(chosen.len(), 15);
        assert_eq!(chosen, choose(b"digest", 100_000));
        assert_ne!(chosen, choose(b"another", 100_000));
        assert!(chosen.is_sorted());
        assert_eq!(choose(b"digest", 1).len(), 1);
        assert_eq!(choose(b"digest", 1_000_000), samples);
    }

    #[test]
    fn a_difference_names_the_hash_here_and_the_hash_in_the_run() {
        let pig = CATALOG.find("pig").expect("an experiment of the catalog");
        let preset = CATALOG.preset("pig/smoke").expect("a preset of the catalog");
        let spec = SpecDocument::parse("spec", preset.text.as_bytes()).unwrap();
        let procedure = pig.configure(&spec).unwrap();
        let seed = RunSeed::new("pig", 1).generation(0);
        let state = procedure.begin(&seed, &[]).unwrap();
        let plan = procedure.plan(&state.state).unwrap();
        let prepared = procedure.simulation().prepare(&plan.shared).unwrap();
        let template = Job { experiment: "pig".to_owned(), seed: 1, ..Job::default() };
        let job = JobCutter::new(plan, template, 0).next_job(4).unwrap();
        let compare = |hash| compare(prepared.as_ref(), &job, &PartSet::default(), hash);
        let JobComparison::Different { what } = compare(7) else { panic!("a hash is 7") };
        let here = what.strip_prefix("the hash of its output is ").expect(&what);
        let (here, in_run) = here.split_once(" here, but ").expect(&what);
        assert_eq!(in_run, "0000000000000007 in the run");
        assert_eq!(compare(u64::from_str_radix(here, 16).unwrap()), JobComparison::Same);
    }

    #[test]
    fn jobs_are_cut_as_in_the_run() {
        let series = vec![(vec![1], 10); 3];
        let plan = AnyPlan::without_parts(vec![], series, Draws::Common);
        let cuts = [(0, 2), (3, 8)];
        let cuts = cuts.map(|(first_index, trials_per_job)| Cut { first_index, trials_per_job });
        // Jobs: trials 0-1, 2-3, 4-5, 6-13, 14-21, 22-29.
        let sample = |index| JobSample { generation: 0, index, hash: 0 };
        let cutter = JobCutter::new(plan, Job::default(), 0);
        let jobs = jobs(cutter, &cuts, &[sample(2), sample(4), sample(9)]);
        let trials = |index: u64| -> Vec<_> {
            let segments = jobs[&index].segments.iter();
            segments.map(|part| (part.subject_idx, part.first_trial, part.n_trials)).collect()
        };
        assert_eq!(jobs.len(), 2, "there is no job 9");
        assert_eq!(trials(2), [(0, 4, 2)]);
        assert_eq!(trials(4), [(1, 4, 6), (2, 0, 2)]);
    }
}
