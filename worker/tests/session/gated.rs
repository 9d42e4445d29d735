//! An experiment whose trials wait until the test opens their gate.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use hatchery_core::{
    Catalog, Digest, Draws, Experiment, GenerationSeed, InitialParts, InvalidValue, Measure, Plan,
    Preset, RunSeed, SceneSink, Simulation, Step, StreamRng, Tally, TrialContext, WireValue, Work,
    erased,
};
use hatchery_proto::v1::{self, Job, JobOutput, Segment};
use prost::Message as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fake_coordinator::within_deadline;

/// The experiments of the worker under test.
pub(crate) const CATALOG: Catalog =
    Catalog(&[&[erased::<GatedExperiment>()], &hatchery_pig::EXPERIMENTS]);

/// The experiment of [`GatedDraws`].
#[derive(Debug)]
pub(crate) struct GatedExperiment;

/// The gates that are open. Each test has its own, as tests share a process.
static OPEN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
static OPENED: Condvar = Condvar::new();

/// Lets the trials of every subject behind `gate` return.
pub(crate) fn open_gate(gate: u32) {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner).insert(gate);
    OPENED.notify_all();
}

/// The trials that left because their tally was not wanted, by gate.
static LEFT: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// The time between two beats of a trial that waits.
const BEAT_EVERY: Duration = Duration::from_millis(2);

/// Waits until a trial behind `gate` has left because its tally was not wanted.
pub(crate) async fn wait_until_left(gate: u32) {
    let mut polls = tokio::time::interval(BEAT_EVERY);
    let left = async {
        while !LEFT.lock().unwrap().contains(&gate) {
            polls.tick().await;
        }
    };
    within_deadline("the end of a trial", left).await;
}

/// Waits for the gate, and beats; returns early if the trial is to end.
fn beat_before_gate(gate: u32, context: &TrialContext<'_>) {
    let mut gates = OPEN.lock().unwrap();
    for n_beats in 0.. {
        if gates.contains(&gate) {
            return;
        }
        gates = OPENED.wait_timeout(gates, BEAT_EVERY).unwrap().0;
        if context.beat(n_beats, u64::MAX).is_break() {
            LEFT.lock().unwrap().insert(gate);
            return;
        }
    }
}

fn wait_for_gate(gate: u32) {
    let mut gates = OPEN.lock().unwrap();
    while gate != 0 && !gates.contains(&gate) {
        gates = OPENED.wait(gates).unwrap();
    }
}

/// A subject behind gate 0, which is always open, or another.
#[derive(Clone, Debug, PartialEq, WireValue)]
pub(crate) struct GatedSubject {
    #[wire(tag = 1)]
    pub(crate) gate: u32,
    /// The number of bytes that a trial returns beside its number.
    #[wire(tag = 2)]
    pub(crate) padding: u32,
    /// True if a trial beats while it waits.
    #[wire(tag = 3)]
    pub(crate) beats: bool,
}

#[derive(Clone, Debug, PartialEq, WireValue)]
pub(crate) struct GatedInput {
    #[wire(tag = 1)]
    pub(crate) salt: u64,
}

#[derive(Clone, Debug, PartialEq, WireValue)]
pub(crate) struct DrawnNumbers {
    #[wire(tag = 1)]
    pub(crate) numbers: Vec<u64>,
    #[wire(tag = 2)]
    pub(crate) padding: Vec<u8>,
}

impl Tally for DrawnNumbers {
    fn n_trials(&self) -> u64 {
        self.numbers.len() as u64
    }

    fn absorb(&mut self, later: Self) {
        self.numbers.extend(later.numbers);
        self.padding.extend(later.padding);
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct GatedSpec {}

/// Trials that draw a number once their gate is open.
#[derive(Debug)]
pub(crate) struct GatedDraws;

impl Simulation for GatedDraws {
    type Shared = GatedInput;
    type Subject = GatedSubject;
    type Tally = DrawnNumbers;

    fn trial(
        salt: &GatedInput,
        subject: &GatedSubject,
        mut rng: StreamRng,
        context: &TrialContext<'_>,
    ) -> DrawnNumbers {
        match subject.beats {
            true => beat_before_gate(subject.gate, context),
            false => wait_for_gate(subject.gate),
        }
        let padding = vec![0; subject.padding as usize];
        DrawnNumbers { numbers: vec![rng.next_u64() ^ salt.salt], padding }
    }

    fn work(_: &DrawnNumbers) -> Vec<Work> {
        Vec::new()
    }

    fn replay(
        _: &GatedInput,
        _: &GatedSubject,
        _: StreamRng,
        _: &TrialContext<'_>,
        _: &mut dyn SceneSink,
    ) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl Experiment for GatedExperiment {
    const NAME: &'static str = "gated";
    const VERSION: u32 = 3;
    const SUMMARY: &'static str = "waits";
    const PRESETS: &'static [Preset] = &[];

    type Simulation = GatedDraws;
    type Spec = GatedSpec;
    type Checked = GatedSpec;
    type State = ();

    fn check(spec: GatedSpec) -> Result<GatedSpec, InvalidValue> {
        Ok(spec)
    }

    fn generations(_: &GatedSpec) -> u32 {
        1
    }

    fn begin(_: &GatedSpec, _: &GenerationSeed, _: &mut InitialParts) -> Result<(), InvalidValue> {
        Ok(())
    }

    fn plan(_: &GatedSpec, (): &()) -> Plan<GatedDraws> {
        unreachable!("the test makes the jobs")
    }

    fn fold(_: &GatedSpec, (): (), _: &[DrawnNumbers], _: &GenerationSeed) -> Step<()> {
        unreachable!("the test takes the results")
    }

    fn measures(_: &GatedSpec, (): &()) -> Vec<Measure> {
        Vec::new()
    }
}

/// Returns the shared input of [`job`]s.
pub(crate) fn shared() -> Vec<u8> {
    WireValue::encode(&GatedInput { salt: 77 })
}

/// Returns a job with a segment of `n_trials` trials for each of `gates`.
pub(crate) fn job(gates: &[u32], n_trials: u32) -> Job {
    let segments = gates.iter().zip(0..).map(|(&gate, subject_idx)| Segment {
        subject_idx,
        subject: WireValue::encode(&GatedSubject { gate, padding: 0, beats: false }),
        first_trial: 5,
        n_trials,
    });
    Job {
        inputs: Vec::new(),
        alone: false,
        experiment: GatedExperiment::NAME.to_owned(),
        version: GatedExperiment::VERSION,
        seed: 11,
        generation: 4,
        shared: Digest::of(&shared()).as_bytes().to_vec(),
        draws: v1::Draws::PerSubject.into(),
        segments: segments.collect(),
    }
}

/// Returns a job with a trial that beats until its gate opens.
pub(crate) fn beating_job(gate: u32) -> Job {
    let mut job = job(&[gate], 1);
    job.segments[0].subject = WireValue::encode(&GatedSubject { gate, padding: 0, beats: true });
    job
}

/// Returns the right output of `job`, computed one trial after the other as the reference does.
pub(crate) fn output(job: &Job, shared: &[u8]) -> Vec<u8> {
    let prepared = CATALOG.find(&job.experiment).unwrap().simulation().prepare(shared).unwrap();
    let seed = RunSeed::new(&job.experiment, job.seed).generation(job.generation);
    let tallies = job.segments.iter().map(|segment| {
        let subject = prepared.subject(&segment.subject).unwrap();
        let trials = segment.first_trial..segment.first_trial + segment.n_trials;
        let mut streams =
            trials.map(|trial| seed.trial(Draws::PerSubject, segment.subject_idx, trial));
        subject.trials(&mut streams, &TrialContext::ALONE)
    });
    JobOutput { tallies: tallies.collect() }.encode_to_vec()
}
