//! An experiment with a bug.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use hatchery_core::{
    Catalog, Draws, Experiment, GenerationSeed, InitialParts, InvalidValue, Measure, Plan, Preset,
    SceneSink, Series, Simulation, Step, StreamRng, Tally, TrialContext, WireValue, Work, erased,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Counts trials; trial 17 of subject 1 does what `trouble` says while [`BROKEN`] is set.
pub(crate) struct Fragile;

/// True while the bug exists: a test fixes it in its course. One test at a time has a run that asks
/// for trouble, guarded by [`TROUBLE`].
pub(crate) static BROKEN: AtomicBool = AtomicBool::new(false);

/// Held by the test that has trouble.
pub(crate) static TROUBLE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spec {
    #[serde(default)]
    trouble: Trouble,
}

/// The bug.
#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Trouble {
    #[default]
    None,
    Panic,
    Hang,
    /// Folds do not end while [`BROKEN`] is set.
    SlowFold,
    /// Trials 17 to 19 of subject 1 return so much that no two can be sent together.
    LargeTallies,
    /// The fold of the last generation does not end while [`BROKEN`] is set.
    SlowEnd,
}

/// More than half of the bytes that the trials of a job may return.
const LARGE_TALLY_BYTES: usize = 65 << 20;

/// The number of slow folds that have ended.
pub(crate) static N_FOLDED: AtomicU32 = AtomicU32::new(0);

#[derive(Clone, PartialEq, Debug, WireValue)]
pub(crate) struct Subject {
    #[wire(tag = 1)]
    number: u32,
    #[wire(tag = 2)]
    trouble: u32,
}

#[derive(Clone, PartialEq, Debug, WireValue)]
pub(crate) struct Draw {
    #[wire(tag = 1)]
    drawn: Vec<u32>,
    #[wire(tag = 2)]
    filling: Vec<u8>,
}

impl Tally for Draw {
    fn n_trials(&self) -> u64 {
        self.drawn.len() as u64
    }

    fn absorb(&mut self, later: Self) {
        self.drawn.extend(later.drawn);
        self.filling.extend(later.filling);
    }
}

/// Draws of a number, with a bug.
#[derive(Debug)]
pub(crate) struct FragileDraws;

impl Simulation for FragileDraws {
    type Shared = ();
    type Subject = Subject;
    type Tally = Draw;

    fn trial((): &(), subject: &Subject, mut rng: StreamRng, _: &TrialContext<'_>) -> Draw {
        let drawn = rng.next_u32();
        let seed = hatchery_core::RunSeed::new("fragile", 1).generation(0);
        let is_trial = |n| seed.trial(Draws::PerSubject, 1, n).next_u32() == drawn;
        let chosen = is_trial(17);
        if subject.trouble == 4 && (17..20).any(is_trial) {
            return Draw { drawn: vec![drawn], filling: vec![7; LARGE_TALLY_BYTES] };
        }
        let broken = || chosen && BROKEN.load(Ordering::Relaxed);
        assert!(subject.trouble != 1 || !broken(), "a bug in subject {}", subject.number);
        while subject.trouble == 2 && broken() {
            std::hint::spin_loop();
        }
        Draw { drawn: vec![drawn], filling: Vec::new() }
    }

    fn work(draw: &Draw) -> Vec<Work> {
        vec![Work::new("draws", draw.drawn.len() as u64)]
    }

    fn replay(
        (): &(),
        _: &Subject,
        _: StreamRng,
        _: &TrialContext<'_>,
        _: &mut dyn SceneSink,
    ) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl Experiment for Fragile {
    const NAME: &'static str = "fragile";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "panics";
    const PRESETS: &'static [Preset] = &[];

    type Simulation = FragileDraws;
    type Spec = Spec;
    type Checked = Spec;
    type State = Vec<u32>;

    fn check(spec: Spec) -> Result<Spec, InvalidValue> {
        Ok(spec)
    }

    fn generations(_: &Spec) -> u32 {
        2
    }

    fn begin(_: &Spec, _: &GenerationSeed, _: &mut InitialParts) -> Result<Vec<u32>, InvalidValue> {
        Ok(Vec::new())
    }

    fn plan(spec: &Spec, state: &Vec<u32>) -> Plan<FragileDraws> {
        let trouble = match spec.trouble {
            // Once is enough.
            Trouble::LargeTallies if !state.is_empty() => Trouble::None,
            trouble => trouble,
        };
        let subject = |number| Subject { number, trouble: trouble as u32 };
        let n_trials = if let Trouble::LargeTallies = spec.trouble { 40 } else { 400 };
        let series = (0..3).map(|number| Series::new(subject(number), n_trials));
        Plan { shared: (), series: series.collect(), draws: Draws::PerSubject }
    }

    fn fold(
        spec: &Spec,
        mut state: Vec<u32>,
        tallies: &[Draw],
        _: &GenerationSeed,
    ) -> Step<Vec<u32>> {
        let is_slow = match spec.trouble {
            Trouble::SlowFold => true,
            Trouble::SlowEnd => !state.is_empty(),
            Trouble::None | Trouble::Panic | Trouble::Hang | Trouble::LargeTallies => false,
        };
        while is_slow && BROKEN.load(Ordering::Relaxed) {
            std::thread::park_timeout(Duration::from_millis(1));
        }
        if let Trouble::SlowFold = spec.trouble {
            N_FOLDED.fetch_add(1, Ordering::Relaxed);
        }
        state.extend(tallies.iter().map(|tally| tally.drawn.iter().fold(0, |a, b| a ^ b)));
        if state.len() < 6 { Step::Continue(state) } else { Step::Done(state) }
    }

    fn measures(_: &Spec, _: &Vec<u32>) -> Vec<Measure> {
        Vec::new()
    }
}

pub(crate) const CATALOG: Catalog = Catalog(&[&[erased::<Fragile>()]]);
