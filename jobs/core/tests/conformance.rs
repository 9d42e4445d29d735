//! Each conformance check sees the defect that it is for.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use hatchery_core::conformance::{Violation, check};
use hatchery_core::{
    Draws, Exhibit, Experiment, Frames, GenerationSeed, Malformed, Measure, Plan, Preset, Refusal,
    Series, Step, StreamRng, Tally, Wire, Work,
};
use prost::Message;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const SOUND: u8 = 0;
const REMEMBERS_TRIALS: u8 = 1;
const BATCHES_DIFFER: u8 = 2;
const ABSORB_FORGETS: u8 = 3;
const STATE_FORGETS: u8 = 4;
const TALLY_FORGETS: u8 = 5;
const TAKES_ANY_BYTES: u8 = 6;
const INFINITE_MEASURE: u8 = 7;
const UNSAFE_EXHIBIT: u8 = 8;
const WORK_IS_LOST: u8 = 9;
const TOO_LONG: u8 = 10;
const PLAN_CHANGES: u8 = 11;

/// Draws numbers in two generations; `DEFECT` says what is wrong with it.
struct Draw<const DEFECT: u8>;

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Spec {
    trials: u32,
}

#[derive(Serialize, Deserialize, Default)]
struct State {
    generation: u32,
    sum: u64,
    #[serde(skip)]
    forgotten: u64,
}

#[derive(Clone, Debug)]
struct Numbers<const DEFECT: u8>(Vec<u32>);

#[derive(Clone, PartialEq, prost::Message)]
struct NumbersMessage {
    #[prost(uint32, repeated, tag = "1")]
    numbers: Vec<u32>,
}

/// How often a trial or a plan was asked for, where a defect remembers.
static CALLS: AtomicU32 = AtomicU32::new(0);

impl<const DEFECT: u8> Wire for Numbers<DEFECT> {
    type Message = NumbersMessage;

    fn to_message(&self) -> NumbersMessage {
        let kept = if DEFECT == TALLY_FORGETS { 1 } else { usize::MAX };
        NumbersMessage { numbers: self.0.iter().copied().take(kept).collect() }
    }

    fn from_message(message: NumbersMessage) -> Result<Self, Malformed> {
        match (DEFECT, message.numbers.is_empty()) {
            // What it encodes next is not what it decoded.
            (TALLY_FORGETS, _) => Ok(Self(message.numbers.iter().map(|n| n / 2).collect())),
            (_, true) => Err(Malformed::field("numbers", "empty", "at least one")),
            _ => Ok(Self(message.numbers)),
        }
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        match NumbersMessage::decode_length_delimited(bytes) {
            Ok(message) if message.encode_length_delimited_to_vec().len() == bytes.len() => {
                Self::from_message(message)
            }
            _ if DEFECT == TAKES_ANY_BYTES => Ok(Self(vec![1])),
            _ => Err(Malformed::field("numbers", "other bytes", "exactly one message")),
        }
    }
}

impl<const DEFECT: u8> Tally for Numbers<DEFECT> {
    fn absorb(&mut self, later: Self) {
        if DEFECT == ABSORB_FORGETS {
            // As a mean of means would: the grouping counts.
            self.0 = vec![self.0[0] / 2 + later.0[0] / 2];
        } else {
            self.0.extend(later.0);
        }
    }
}

impl<const DEFECT: u8> Experiment for Draw<DEFECT> {
    const NAME: &'static str = "draw";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "draws numbers";
    const PRESETS: &'static [Preset] = &[];

    type Spec = Spec;
    type State = State;
    type Shared = ();
    type Subject = Numbers<SOUND>;
    type Tally = Numbers<DEFECT>;

    fn generations(_: &Spec) -> u32 {
        if DEFECT == TOO_LONG { 1 } else { 2 }
    }

    fn begin(_: &Spec, _: &GenerationSeed) -> Result<State, Refusal> {
        Ok(State::default())
    }

    fn plan(spec: &Spec, _: &State) -> Plan<Self> {
        let changed =
            if DEFECT == PLAN_CHANGES { CALLS.fetch_add(1, Ordering::Relaxed) } else { 0 };
        let series = [3, 4 + changed]
            .map(|number| Series { subject: Numbers(vec![number]), n_trials: spec.trials });
        Plan { shared: (), series: series.into(), draws: Draws::PerSubject }
    }

    fn trial((): &(), subject: &Numbers<SOUND>, mut rng: StreamRng) -> Numbers<DEFECT> {
        let calls =
            if DEFECT == REMEMBERS_TRIALS { CALLS.fetch_add(1, Ordering::Relaxed) } else { 0 };
        Numbers(vec![subject.0[0] + rng.below(1_000_000) + 1 + calls])
    }

    fn trials(
        shared: &(),
        subject: &Numbers<SOUND>,
        streams: impl Iterator<Item = StreamRng>,
    ) -> Numbers<DEFECT> {
        let all = streams.map(|rng| Self::trial(shared, subject, rng));
        let mut all = all.reduce(|mut a, b| {
            a.absorb(b);
            a
        });
        if let (BATCHES_DIFFER, Some(Numbers(numbers))) = (DEFECT, &mut all)
            && 1 < numbers.len()
        {
            numbers.sort_unstable();
            numbers.reverse();
        }
        all.expect("at least one")
    }

    fn fold(
        _: &Spec,
        state: State,
        tallies: Vec<Numbers<DEFECT>>,
        _: &GenerationSeed,
    ) -> Step<State> {
        let drawn: u64 = tallies.iter().flat_map(|tally| &tally.0).map(|&n| u64::from(n)).sum();
        let forgotten = if DEFECT == STATE_FORGETS { drawn } else { 0 };
        let sum = state.sum + drawn + state.forgotten;
        let next = State { generation: state.generation + 1, sum, forgotten };
        if next.generation == 2 { Step::Done(next) } else { Step::Continue(next) }
    }

    fn work(tally: &Numbers<DEFECT>) -> Vec<Work> {
        let count = if DEFECT == WORK_IS_LOST { 1 } else { tally.0.len() as u64 };
        vec![Work::new("draws", count)]
    }

    fn measures(_: &Spec, state: &State) -> Vec<Measure> {
        let value = if DEFECT == INFINITE_MEASURE { f64::INFINITY } else { 0.0 };
        vec![Measure::new("sum", "", state.sum), Measure::new("value", "", value)]
    }

    fn exhibits(_: &Spec, _: &State) -> Vec<Exhibit> {
        let name = if DEFECT == UNSAFE_EXHIBIT { "../escape" } else { "numbers.csv" };
        vec![Exhibit::new(name, "text/csv", "")]
    }

    fn narrate((): &(), _: &Numbers<SOUND>, _: StreamRng, _: &mut Frames<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

const SPEC: &str = "experiment = \"draw\"\nseed = 1\n[params]\ntrials = 5\n";

fn violation<const DEFECT: u8>() -> Violation {
    check::<Draw<DEFECT>>(SPEC).expect_err("the defect is seen")
}

#[test]
fn a_sound_experiment_conforms() {
    check::<Draw<SOUND>>(SPEC).unwrap();
}

#[test]
fn every_defect_is_seen() {
    assert!(matches!(
        violation::<REMEMBERS_TRIALS>(),
        Violation::NotRepeatable { .. } | Violation::LosesInformation { .. }
    ));
    assert!(matches!(violation::<BATCHES_DIFFER>(), Violation::CutMatters { .. }));
    assert!(matches!(
        violation::<ABSORB_FORGETS>(),
        Violation::CutMatters { .. } | Violation::NotAssociative { .. }
    ));
    assert!(matches!(
        violation::<STATE_FORGETS>(),
        Violation::LosesInformation { what: "the state", .. }
    ));
    assert!(matches!(
        violation::<TALLY_FORGETS>(),
        Violation::LosesInformation { what: "a tally", .. }
    ));
    assert!(matches!(
        violation::<TAKES_ANY_BYTES>(),
        Violation::TakesTruncated { what: "a tally", .. }
    ));
    assert!(
        matches!(violation::<INFINITE_MEASURE>(), Violation::BadMeasure { name } if name == "value")
    );
    assert!(matches!(violation::<UNSAFE_EXHIBIT>(), Violation::BadExhibit { .. }));
    assert!(matches!(violation::<WORK_IS_LOST>(), Violation::WorkDoesNotAddUp { .. }));
    assert!(matches!(violation::<TOO_LONG>(), Violation::TooLong { took: 2, announced: 1 }));
    assert!(matches!(violation::<PLAN_CHANGES>(), Violation::NotRepeatable { what: "plan" }));
}
