//! Self-tests of workers: small jobs whose output the coordinator has computed itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use hatchery_core::erased::AnyPlan;
use hatchery_core::spec::SpecDocument;
use hatchery_core::{AnyExperiment, Catalog, Digest, PartSet, RunSeed};
use hatchery_proto::MAX_BATCH_BYTES;
use hatchery_proto::v1::{Job, SelfTest};
use prost::Message;
use tokio::sync::OnceCell;

use crate::compute_pool::ComputePool;
use crate::job_cutter::JobCutter;
use crate::recompute::recompute;

/// Trials of a self-test: enough to detect a different build, too few to cost anything.
const SELF_TEST_TRIALS: u64 = 4;

/// The preset that self-tests are taken from; the experiment's first preset if it has none of that
/// name.
const SELF_TEST_PRESET: &str = "smoke";

/// The test that workers must pass before they get jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SelfTestPolicy {
    /// A worker must pass the self-test of an experiment before it gets jobs of it.
    #[default]
    Required,
    /// Workers get jobs at once: they are part of this process, and so of this build.
    SameBuild,
}

/// A job with a known output.
#[derive(Clone, Debug)]
pub(crate) struct SelfTestJob {
    /// Its experiment.
    pub(crate) experiment: &'static str,
    /// The job.
    pub(crate) test: SelfTest,
    /// The output that a worker must return.
    pub(crate) output: Vec<u8>,
}

/// The self-tests of a coordinator's experiments, each computed when it is first asked for. Clones
/// share them.
#[derive(Clone, Debug)]
pub(crate) struct SelfTests {
    catalog: Catalog,
    compute_pool: ComputePool,
    /// The self-test of each experiment, once it is computed; `None` if it has none.
    computed: Arc<BTreeMap<&'static str, OnceCell<Option<Arc<SelfTestJob>>>>>,
}

impl SelfTests {
    /// Creates the self-tests of `catalog`, none of which is computed yet.
    pub(crate) fn new(catalog: Catalog, compute_pool: ComputePool) -> Self {
        let names = catalog.experiments().map(|experiment| (experiment.name(), OnceCell::new()));
        Self { catalog, compute_pool, computed: Arc::new(names.collect()) }
    }

    /// Returns the self-test of an experiment; `None` if it has none, so that workers are trusted
    /// with it.
    pub(crate) async fn get(&self, experiment: &str) -> Option<Arc<SelfTestJob>> {
        let cell = self.computed.get(experiment)?;
        cell.get_or_init(|| self.compute(experiment)).await.clone()
    }

    /// Returns the self-tests of all experiments.
    pub(crate) async fn all(&self) -> Vec<Arc<SelfTestJob>> {
        let mut tests = Vec::new();
        for experiment in self.catalog.experiments() {
            tests.extend(self.get(experiment.name()).await);
        }
        tests
    }

    async fn compute(&self, experiment: &str) -> Option<Arc<SelfTestJob>> {
        let (catalog, known) = (self.catalog, self.catalog.find(experiment)?);
        let test = self.compute_pool.run(move || self_test(catalog, known)).await;
        match test {
            Ok(test) => {
                tracing::debug!(experiment, "self-test computed");
                test.map(Arc::new)
            }
            Err(error) => {
                tracing::error!(experiment, error, "no self-test: workers are trusted");
                None
            }
        }
    }
}

/// Computes the self-test of an experiment; `None` if it has no preset, or the first job of that
/// cannot be computed alone.
pub(crate) fn self_test(
    catalog: Catalog,
    experiment: &'static dyn AnyExperiment,
) -> Option<SelfTestJob> {
    let presets = experiment.presets();
    let preset = presets.iter().find(|preset| preset.name == SELF_TEST_PRESET);
    let preset = preset.or_else(|| presets.first())?;
    let (job, shared) = first_job(experiment, preset.text)?;
    let output = recompute(catalog, &job, &shared, PartSet::default()).ok()?;
    // All self-tests together must fit into a Welcome message.
    (shared.len() + job.encoded_len() < MAX_BATCH_BYTES / 8).then(|| SelfTestJob {
        experiment: experiment.name(),
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
