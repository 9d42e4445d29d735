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

use crate::base::compute_pool::ComputePool;
use crate::run::cutter::JobCutter;
use crate::run::recompute::{RecomputeError, recompute};

/// Trials of a self-test: enough to detect a different build, too few to cost anything.
const SELF_TEST_TRIALS: u64 = 4;

/// The preset that self-tests are taken from. An experiment without a preset of this name uses its
/// first preset.
const SELF_TEST_PRESET: &str = "smoke";

/// The test that workers must pass before they get jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SelfTestPolicy {
    /// A worker must pass the self-test of an experiment before it gets jobs of the experiment.
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

/// The self-test of an experiment, as far as the coordinator can compute it.
#[derive(Clone, Debug)]
pub(crate) enum ComputedSelfTest {
    /// The experiment has no self-test: workers are trusted.
    Absent,
    /// The self-test that workers must pass.
    Job(Arc<SelfTestJob>),
    /// The self-test failed in the coordinator, so the right output is unknown.
    Failed,
}

impl ComputedSelfTest {
    /// Returns the job that workers compute, if there is one.
    pub(crate) fn job(&self) -> Option<&Arc<SelfTestJob>> {
        match self {
            Self::Job(test) => Some(test),
            Self::Absent | Self::Failed => None,
        }
    }
}

/// The self-tests of a coordinator's experiments. Each self-test is computed when it is first asked
/// for. Clones share the self-tests.
#[derive(Clone, Debug)]
pub(crate) struct SelfTests {
    catalog: Catalog,
    compute_pool: ComputePool,
    /// The self-test, once it is computed, by experiment.
    computed: Arc<BTreeMap<&'static str, OnceCell<ComputedSelfTest>>>,
}

impl SelfTests {
    /// Creates the self-tests of `catalog`; no self-test is computed yet.
    pub(crate) fn new(catalog: Catalog, compute_pool: ComputePool) -> Self {
        let names = catalog.experiments().map(|experiment| (experiment.name(), OnceCell::new()));
        Self { catalog, compute_pool, computed: Arc::new(names.collect()) }
    }

    /// Returns the self-test of an experiment. An experiment that this build lacks has no
    /// self-test.
    pub(crate) async fn get(&self, experiment: &str) -> ComputedSelfTest {
        match (self.computed.get(experiment), self.catalog.find(experiment)) {
            (Some(cell), Some(known)) => cell.get_or_init(|| self.compute(known)).await.clone(),
            _ => ComputedSelfTest::Absent,
        }
    }

    /// Returns all self-tests, by the names of the experiments.
    pub(crate) async fn all(&self) -> Vec<(&'static str, ComputedSelfTest)> {
        let mut tests = Vec::new();
        for known in self.catalog.experiments() {
            tests.push((known.name(), self.get(known.name()).await));
        }
        tests
    }

    async fn compute(&self, known: &'static dyn AnyExperiment) -> ComputedSelfTest {
        let (catalog, experiment) = (self.catalog, known.name());
        let test = self.compute_pool.run(move || self_test(catalog, known)).await;
        let error = match test {
            Ok(Ok(test)) => {
                tracing::debug!(experiment, "self-test computed");
                return test.map_or(ComputedSelfTest::Absent, |test| {
                    ComputedSelfTest::Job(Arc::new(test))
                });
            }
            Ok(Err(error)) => error.to_string(),
            Err(panic) => panic,
        };
        tracing::error!(experiment, error, "self-test failed here: workers get no jobs of it");
        ComputedSelfTest::Failed
    }
}

/// Computes the self-test of an experiment; `None` if the experiment has no preset, or the first
/// job of its preset cannot be computed alone.
///
/// # Errors
/// If the job cannot be computed, for instance because a trial panics.
pub(crate) fn self_test(
    catalog: Catalog,
    experiment: &'static dyn AnyExperiment,
) -> Result<Option<SelfTestJob>, RecomputeError> {
    let presets = experiment.presets();
    let preset = presets.iter().find(|preset| preset.name == SELF_TEST_PRESET);
    let preset = preset.or_else(|| presets.first());
    let first_job = preset.and_then(|preset| first_job(experiment, preset.text));
    // All self-tests together must fit into a Welcome message.
    let is_small =
        |(job, shared): &(Job, Vec<u8>)| shared.len() + job.encoded_len() < MAX_BATCH_BYTES / 8;
    let Some((job, shared)) = first_job.filter(is_small) else { return Ok(None) };
    let output = recompute(catalog, &job, &shared, PartSet::default())?;
    let test = SelfTest { job: job.encode_to_vec(), shared };
    Ok(Some(SelfTestJob { experiment: experiment.name(), test, output }))
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

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use hatchery_core::{
        Experiment, GenerationSeed, InitialParts, InvalidValue, Measure, Plan, Preset, SceneSink,
        Simulation, Step, StreamRng, TrialContext, Work, erased,
    };
    use hatchery_pig::{Pig, PigGames};

    use super::*;

    type Spec = <Pig as Experiment>::Spec;
    type State = <Pig as Experiment>::State;
    type Player = <PigGames as Simulation>::Subject;
    type Tally = <PigGames as Simulation>::Tally;

    /// Pig whose trials panic.
    struct BrokenGames;

    impl Simulation for BrokenGames {
        type Shared = ();
        type Subject = Player;
        type Tally = Tally;

        fn trial((): &(), _: &Player, _: StreamRng, _: &TrialContext<'_>) -> Tally {
            panic!("a bug in a trial")
        }

        fn work(tally: &Tally) -> Vec<Work> {
            PigGames::work(tally)
        }

        fn replay(
            (): &(),
            player: &Player,
            rng: StreamRng,
            context: &TrialContext<'_>,
            sink: &mut dyn SceneSink,
        ) -> ControlFlow<()> {
            PigGames::replay(&(), player, rng, context, sink)
        }
    }

    /// Pig with a bug in its trials, or already in its plan.
    struct BrokenPig<const PLANS: bool>;

    impl<const PLANS: bool> Experiment for BrokenPig<PLANS> {
        const NAME: &'static str = Pig::NAME;
        const VERSION: u32 = Pig::VERSION;
        const SUMMARY: &'static str = Pig::SUMMARY;
        const PRESETS: &'static [Preset] = Pig::PRESETS;

        type Simulation = BrokenGames;
        type Spec = Spec;
        type Checked = Spec;
        type State = State;

        fn check(spec: Spec) -> Result<Spec, InvalidValue> {
            Pig::check(spec)
        }

        fn generations(spec: &Spec) -> u32 {
            Pig::generations(spec)
        }

        fn begin(
            spec: &Spec,
            seed: &GenerationSeed,
            parts: &mut InitialParts,
        ) -> Result<State, InvalidValue> {
            Pig::begin(spec, seed, parts)
        }

        fn plan(spec: &Spec, state: &State) -> Plan<BrokenGames> {
            assert!(PLANS, "a bug in the plan");
            let Plan { shared, series, draws } = Pig::plan(spec, state);
            Plan { shared, series, draws }
        }

        fn fold(
            spec: &Spec,
            state: State,
            tallies: &[Tally],
            seed: &GenerationSeed,
        ) -> Step<State> {
            Pig::fold(spec, state, tallies, seed)
        }

        fn measures(spec: &Spec, state: &State) -> Vec<Measure> {
            Pig::measures(spec, state)
        }
    }

    static BROKEN_TRIALS: Catalog = Catalog(&[&[erased::<BrokenPig<true>>()]]);
    static BROKEN_PLAN: Catalog = Catalog(&[&[erased::<BrokenPig<false>>()]]);

    fn computed(catalog: Catalog, experiment: &str) -> ComputedSelfTest {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let self_tests = SelfTests::new(catalog, ComputePool::Inline);
        let test = runtime.block_on(self_tests.get(experiment));
        let all = runtime.block_on(self_tests.all());
        assert_eq!(all.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["pig"]);
        test
    }

    #[test]
    fn a_self_test_that_panics_has_failed() {
        for (broken, what) in [(BROKEN_TRIALS, "trials"), (BROKEN_PLAN, "plan")] {
            let test = computed(broken, "pig");
            assert!(matches!(test, ComputedSelfTest::Failed), "{what}: {test:?}");
        }
    }

    #[test]
    fn an_experiment_of_this_build_has_a_self_test_and_another_has_none() {
        let catalog = Catalog(&[&hatchery_pig::EXPERIMENTS]);
        assert!(matches!(computed(catalog, "pig"), ComputedSelfTest::Job(_)));
        assert!(matches!(computed(catalog, "chess"), ComputedSelfTest::Absent));
    }
}
