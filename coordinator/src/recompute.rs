//! Computes jobs in the coordinator itself: for self-tests of workers, and to arbitrate when two
//! results differ.

use std::ops::ControlFlow;
use std::sync::{Arc, Weak};

use hatchery_core::erased::AnyPlan;
use hatchery_core::spec::SpecDocument;
use hatchery_core::{
    AnyExperiment, Catalog, DecodeError, Digest, Draws, Part, PartMemory, PartSet, RunSeed,
    TrialContext, TrialHost, catch_panic,
};
use hatchery_proto::v1::{Job, JobOutput, SelfTest};
use hatchery_proto::{MAX_BATCH_BYTES, v1};
use prost::Message;
use prost::bytes::Bytes;

use crate::job_cutter::JobCutter;

/// Trials of a self-test: enough to detect a different build, too few to cost anything.
const SELF_TEST_TRIALS: u64 = 4;

/// The preset that self-tests are taken from; the experiment's first preset if it has none of that
/// name.
const SELF_TEST_PRESET: &str = "smoke";

/// The reason why a job cannot be computed here.
#[derive(Debug, thiserror::Error)]
pub enum RecomputeError {
    /// The job's experiment is not in this build.
    #[error("this build has no {experiment} version {version}")]
    Unknown {
        /// The experiment's name.
        experiment: String,
        /// Its version.
        version: u32,
    },
    /// The job or its shared input is malformed.
    #[error("the job is malformed")]
    Malformed(#[from] DecodeError),
    /// A trial panicked.
    #[error("a trial of subject {subject_idx} panicked")]
    Panicked {
        /// The subject.
        subject_idx: u32,
    },
}

/// Computes `job` with its shared input, one trial after the other, and returns the encoded
/// [`JobOutput`] that every worker must return too. Its trials may read `inputs`; the parts that
/// they write are dropped, as a worker has sent them.
///
/// # Errors
/// If the job is malformed or of an experiment that is not in `catalog`, or a trial panics.
pub fn recompute(
    catalog: Catalog,
    job: &Job,
    shared: &[u8],
    inputs: PartSet,
) -> Result<Vec<u8>, RecomputeError> {
    recompute_on(catalog, job, shared, &PartMemory::new(inputs))
}

/// Computes `job` as [`recompute`] does, on a host that has its inputs.
///
/// # Errors
/// As [`recompute`].
pub(crate) fn recompute_on(
    catalog: Catalog,
    job: &Job,
    shared: &[u8],
    host: &dyn TrialHost,
) -> Result<Vec<u8>, RecomputeError> {
    let known = catalog.find_version(&job.experiment, job.version);
    let known = known.ok_or_else(|| RecomputeError::Unknown {
        experiment: job.experiment.clone(),
        version: job.version,
    })?;
    let prepared = known.simulation().prepare(shared)?;
    let draws = match job.draws() {
        v1::Draws::PerSubject => Draws::PerSubject,
        v1::Draws::Common => Draws::Common,
        v1::Draws::Unspecified => {
            return Err(DecodeError::field("draws", "unspecified", "how trials draw").into());
        }
    };
    let seed = RunSeed::new(&job.experiment, job.seed).generation(job.generation);
    let mut tallies = Vec::new();
    for segment in &job.segments {
        let (subject_idx, first) = (segment.subject_idx, segment.first_trial);
        let subject = prepared.subject(&segment.subject)?;
        let trials = first..first.saturating_add(segment.n_trials);
        let mut streams = trials.map(|trial| seed.trial(draws, subject_idx, trial));
        let tally = catch_panic(|| subject.trials(&mut streams, &TrialContext::new(host)));
        tallies.push(tally.map_err(|_| RecomputeError::Panicked { subject_idx })?);
    }
    Ok(JobOutput { tallies }.encode_to_vec())
}

/// A host whose trials end once nobody waits for them: what they return then is no tally.
#[derive(Debug)]
pub(crate) struct AwaitedHost {
    parts: PartMemory,
    waiting: Weak<()>,
}

impl AwaitedHost {
    /// Returns a host whose trials may read `inputs`, and go on while `waiting` is kept.
    pub(crate) fn new(inputs: PartSet, waiting: &Arc<()>) -> Self {
        Self { parts: PartMemory::new(inputs), waiting: Arc::downgrade(waiting) }
    }
}

impl TrialHost for AwaitedHost {
    fn beat(&self, done: u64, of: u64) -> ControlFlow<()> {
        match self.waiting.strong_count() {
            0 => ControlFlow::Break(()),
            _ => self.parts.beat(done, of),
        }
    }

    fn read(&self, part: &Part) -> Option<Bytes> {
        self.parts.read(part)
    }

    fn write(&self, part: Part, bytes: Bytes) {
        self.parts.write(part, bytes);
    }
}

/// A job with a known output.
#[derive(Clone, Debug)]
pub(crate) struct SelfTestJob {
    /// Its experiment.
    pub(crate) experiment: &'static str,
    /// The experiment's version.
    pub(crate) version: u32,
    /// The job.
    pub(crate) test: SelfTest,
    /// The output that a worker must return.
    pub(crate) output: Vec<u8>,
}

/// Returns a self-test for each experiment of `catalog` that has a preset.
pub(crate) fn self_tests(catalog: Catalog) -> Vec<SelfTestJob> {
    catalog.0.iter().filter_map(|&experiment| self_test(catalog, experiment)).collect()
}

fn self_test(catalog: Catalog, experiment: &'static dyn AnyExperiment) -> Option<SelfTestJob> {
    let presets = experiment.presets();
    let preset = presets.iter().find(|preset| preset.name == SELF_TEST_PRESET);
    let preset = preset.or_else(|| presets.first())?;
    let (job, shared) = first_job(experiment, preset.text)?;
    let output = recompute(catalog, &job, &shared, PartSet::default()).ok()?;
    // A self-test must fit into a Welcome message.
    (shared.len() + job.encoded_len() < MAX_BATCH_BYTES / 8).then(|| SelfTestJob {
        experiment: experiment.name(),
        version: experiment.version(),
        test: SelfTest { job: job.encode_to_vec(), shared },
        output,
    })
}

/// Returns the first job of a spec's first generation, with its shared input.
fn first_job(experiment: &dyn AnyExperiment, spec: &str) -> Option<(Job, Vec<u8>)> {
    let document = SpecDocument::parse("self-test", spec.as_bytes()).ok()?;
    let head = document.head().ok()?;
    let procedure = experiment.configure(&document).ok()?;
    let seed = RunSeed::new(&head.experiment, head.seed).generation(0);
    let state = procedure.begin(&seed, &[]).ok()?.state;
    let AnyPlan { shared, shared_parts, series, draws, lanes } = procedure.plan(&state).ok()?;
    // Its trials would read parts that no worker has.
    if !shared_parts.is_empty() || series.iter().any(|series| !series.parts.is_empty()) {
        return None;
    }
    let template = Job {
        experiment: head.experiment,
        version: experiment.version(),
        seed: head.seed,
        shared: Digest::of(&shared).as_bytes().to_vec(),
        ..Job::default()
    };
    let plan = AnyPlan { shared: Vec::new(), shared_parts, series, draws, lanes };
    let job = JobCutter::new(plan, template, 0).next_job(SELF_TEST_TRIALS)?;
    Some((job, shared))
}
