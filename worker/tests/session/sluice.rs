//! An experiment whose trials wait until the test lets them go.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, PoisonError};

use hatchery_core::{
    Catalog, DecodeError, Digest, Draws, Experiment, FrameSink, GenerationSeed, InvalidParam,
    Measure, Plan, Preset, RunSeed, Simulation, Step, StreamRng, Tally, Wire, Work, erased,
};
use hatchery_pig::Pig;
use hatchery_proto::v1::{self, Job, JobOutput, Segment};
use prost::Message;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the worker under test knows.
pub(crate) const CATALOG: Catalog = Catalog(&[erased::<Sluice>(), erased::<Pig>()]);

/// Draws a number behind a gate.
#[derive(Debug)]
pub(crate) struct Sluice;

/// The gates that are open. Each test has its own, as tests share a process.
static OPEN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
static OPENED: Condvar = Condvar::new();

/// Lets the trials of all subjects behind `gate` go.
pub(crate) fn open(gate: u32) {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner).insert(gate);
    OPENED.notify_all();
}

fn pass(gate: u32) {
    let mut gates = OPEN.lock().unwrap();
    while gate != 0 && !gates.contains(&gate) {
        gates = OPENED.wait(gates).unwrap();
    }
}

/// Behind gate 0, which is always open, or another.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Subject {
    #[prost(uint32, tag = "1")]
    pub(crate) gate: u32,
    /// How many bytes a trial returns beside its number.
    #[prost(uint32, tag = "2")]
    pub(crate) padding: u32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Salt {
    #[prost(uint64, tag = "1")]
    pub(crate) salt: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Drawn {
    #[prost(uint64, repeated, tag = "1")]
    pub(crate) numbers: Vec<u64>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) padding: Vec<u8>,
}

macro_rules! wire {
    ($($name:ty),*) => {$(
        impl Wire for $name {
            type Message = Self;

            fn to_message(&self) -> Self {
                self.clone()
            }

            fn from_message(message: Self) -> Result<Self, DecodeError> {
                Ok(message)
            }
        }
    )*};
}

wire!(Subject, Salt, Drawn);

impl Tally for Drawn {
    fn absorb(&mut self, later: Self) {
        self.numbers.extend(later.numbers);
        self.padding.extend(later.padding);
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Spec {}

/// Draws of a number behind a gate.
#[derive(Debug)]
pub(crate) struct GatedDraws;

impl Simulation for GatedDraws {
    type Shared = Salt;
    type Subject = Subject;
    type Tally = Drawn;

    fn trial(salt: &Salt, subject: &Subject, mut rng: StreamRng) -> Drawn {
        pass(subject.gate);
        let padding = vec![0; subject.padding as usize];
        Drawn { numbers: vec![rng.next_u64() ^ salt.salt], padding }
    }

    fn work(_: &Drawn) -> Vec<Work> {
        Vec::new()
    }

    fn replay(_: &Salt, _: &Subject, _: StreamRng, _: &mut FrameSink<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl Experiment for Sluice {
    const NAME: &'static str = "sluice";
    const VERSION: u32 = 3;
    const SUMMARY: &'static str = "waits";
    const PRESETS: &'static [Preset] = &[];

    type Simulation = GatedDraws;
    type Spec = Spec;
    type State = ();

    fn generations(_: &Spec) -> u32 {
        1
    }

    fn begin(_: &Spec, _: &GenerationSeed) -> Result<(), InvalidParam> {
        Ok(())
    }

    fn plan(_: &Spec, (): &()) -> Plan<GatedDraws> {
        unreachable!("the test makes the jobs")
    }

    fn fold(_: &Spec, (): (), _: Vec<Drawn>, _: &GenerationSeed) -> Step<()> {
        unreachable!("the test takes the results")
    }

    fn measures(_: &Spec, (): &()) -> Vec<Measure> {
        Vec::new()
    }
}

/// The shared input of [`job`]s.
pub(crate) fn shared() -> Vec<u8> {
    Wire::encode(&Salt { salt: 77 })
}

/// A job with a segment of `n_trials` trials for each of `gates`.
pub(crate) fn job(gates: &[u32], n_trials: u32) -> Job {
    let segments = gates.iter().zip(0..).map(|(&gate, subject_idx)| Segment {
        subject_idx,
        subject: Wire::encode(&Subject { gate, padding: 0 }),
        first_trial: 5,
        n_trials,
    });
    Job {
        experiment: Sluice::NAME.to_owned(),
        version: Sluice::VERSION,
        seed: 11,
        generation: 4,
        shared: Digest::of(&shared()).as_bytes().to_vec(),
        draws: v1::Draws::PerSubject.into(),
        segments: segments.collect(),
    }
}

/// What `job` must come to: one trial after the other, as the reference does it.
pub(crate) fn output(job: &Job, shared: &[u8]) -> Vec<u8> {
    let prepared = CATALOG.find(&job.experiment).unwrap().simulation().prepare(shared).unwrap();
    let seed = RunSeed::new(&job.experiment, job.seed).generation(job.generation);
    let tallies = job.segments.iter().map(|segment| {
        let subject = prepared.subject(&segment.subject).unwrap();
        let trials = segment.first_trial..segment.first_trial + segment.n_trials;
        let mut streams =
            trials.map(|trial| seed.trial(Draws::PerSubject, segment.subject_idx, trial));
        subject.trials(&mut streams)
    });
    JobOutput { tallies: tallies.collect() }.encode_to_vec()
}
