//! Tests of the estimator on runs that are made up. `src/progress/traces.rs` has recorded ones.

use std::ops::RangeInclusive;

use super::*;

const SHARES: [f64; 4] = [0.1, 0.25, 0.5, 0.75];

/// A run whose generations have `cost_s(generation)` CPU seconds per trial, on `slots(generation)`
/// slots.
struct MadeUpRun {
    phases: Vec<WorkPhase>,
    n_generations: u32,
    /// The generation after which the run ends.
    last: u32,
    n_trials: fn(u32) -> u64,
    cost_s: fn(u32) -> f64,
    slots: fn(u32) -> f64,
}

/// A look at a run.
struct Look {
    /// The share of its time that has passed.
    share: f64,
    range: Option<TimeRange>,
    /// The true seconds left.
    left_s: f64,
}

impl MadeUpRun {
    fn seconds(&self, generation: u32) -> f64 {
        let n_trials = as_f64((self.n_trials)(generation));
        n_trials * (self.cost_s)(generation) / (self.slots)(generation)
    }

    /// Looks at the run at some shares of its time.
    fn looks(&self) -> Vec<Look> {
        let whole: f64 = (0..=self.last).map(|generation| self.seconds(generation)).sum();
        let look = |&share: &f64| {
            let mut time_left = TimeLeft::new(self.n_generations, self.phases.clone());
            let mut passed = 0.0;
            for generation in 0..=self.last {
                let (trials, took) = ((self.n_trials)(generation), self.seconds(generation));
                let part = ((share * whole - passed) / took).min(1.0);
                let cpu = took * part * (self.slots)(generation);
                let [cpu, elapsed] = [cpu, took * part].map(Duration::from_secs_f64);
                if part < 1.0 {
                    let progress =
                        GenerationProgress { generation, trials, share: part, cpu, elapsed };
                    time_left.progressed(progress);
                    break;
                }
                time_left.folded(GenerationCost { generation, trials, cpu, elapsed });
                passed += took;
            }
            Look { share, range: time_left.range(), left_s: whole * (1.0 - share) }
        };
        SHARES.iter().map(look).collect()
    }
}

/// Checks that every shown range contains the truth. Checks that a range is shown from a quarter of
/// the run on, and that its ends have at most the ratio `most`.
#[track_caller]
fn check(run: &MadeUpRun, most: f64) {
    for Look { share, range, left_s } in run.looks() {
        let Some(TimeRange { low, high }) = range else {
            assert!(share < 0.25, "nothing is shown at {share}");
            continue;
        };
        let (low, high) = (low.as_secs_f64(), high.as_secs_f64());
        assert!(low <= left_s && left_s <= high, "{low} to {high} at {share}, but {left_s}");
        assert!(share < 0.25 || high <= most * low, "{low} to {high} at {share}");
    }
}

fn phase(n_generations: u32, n_trials: RangeInclusive<u64>, cost: CostTrend) -> WorkPhase {
    WorkPhase::new(n_generations, n_trials, cost)
}

/// A run of 40 generations of 100 trials of 50 ms, on 2 slots.
fn steady() -> MadeUpRun {
    MadeUpRun {
        phases: Vec::new(),
        n_generations: 40,
        last: 39,
        n_trials: |_| 100,
        cost_s: |_| 0.05,
        slots: |_| 2.0,
    }
}

/// A number from -1 to 1 that looks random.
fn noise(generation: u32) -> f64 {
    2.0 * ((f64::from(generation) * 12.9898).sin() * 43758.5453).rem_euclid(1.0) - 1.0
}

#[test]
fn a_steady_run_has_a_narrow_range() {
    check(&steady(), 1.6);
    check(&MadeUpRun { n_generations: 1, last: 0, ..steady() }, 2.5);
    check(&MadeUpRun { n_generations: 3, last: 2, ..steady() }, 3.0);
    let in_milliseconds = |_| 0.000_05;
    check(&MadeUpRun { cost_s: in_milliseconds, n_generations: 2000, last: 1999, ..steady() }, 1.6);
    let in_minutes = |_| 5.0;
    check(&MadeUpRun { cost_s: in_minutes, ..steady() }, 1.6);
}

#[test]
fn a_noisy_run_has_a_wider_range() {
    let cost_s = |generation| 0.05 * (0.5 * noise(generation)).exp();
    check(&MadeUpRun { cost_s, ..steady() }, 5.0);
}

#[test]
fn growth_is_followed() {
    let linear = |generation| 0.01 * f64::from(generation + 1);
    check(&MadeUpRun { cost_s: linear, ..steady() }, 4.0);
    // 50 times as much in half of the run, then no more.
    let then_level =
        |generation: u32| 0.01 * (f64::from(generation.min(20)) / 20.0 * 50_f64.ln()).exp();
    check(&MadeUpRun { cost_s: then_level, ..steady() }, 15.0);
    let phases = vec![phase(40, 100..=100, CostTrend::Rising { at_most: 60.0 })];
    check(&MadeUpRun { cost_s: then_level, phases, ..steady() }, 8.0);
}

#[test]
fn phases_tell_what_is_to_come() {
    let n_trials = |generation| [3200, 1600, 800, 400][generation as usize];
    let phases = |n_trials: fn(u32) -> u64| {
        (0..4).map(|it| phase(1, n_trials(it)..=n_trials(it), CostTrend::Steady)).collect()
    };
    let run =
        MadeUpRun { phases: phases(n_trials), n_trials, n_generations: 4, last: 3, ..steady() };
    check(&run, 2.5);
}

/// Every fourth of 40 generations has 9,000 games of 2 ms beside a trial of 20 s.
#[test]
fn weights_tell_long_trials_from_short_ones() {
    let n_trials = |generation: u32| if generation % 4 == 3 { 9_001 } else { 1 };
    let cost_s = |generation: u32| if generation % 4 == 3 { 38.0 / 9_001.0 } else { 20.0 };
    let phases = (0..40).map(|generation| {
        let (n_trials, cost_s) = (n_trials(generation), cost_s(generation));
        phase(1, n_trials..=n_trials, CostTrend::Steady).with_trial_weight(1e3 * cost_s)
    });
    let run = MadeUpRun { phases: phases.collect(), n_trials, cost_s, ..steady() };
    check(&run, 2.0);
}

#[test]
fn a_run_may_end_early() {
    let looks =
        (0..10).map(|look| phase(1, if look < 4 { 100 } else { 0 }..=100, CostTrend::Steady));
    let run = MadeUpRun { phases: looks.collect(), n_generations: 10, last: 4, ..steady() };
    check(&run, 40.0);
}

#[test]
fn workers_come_and_go() {
    // From 2 slots to 20 and back to 4, each for more than the time that is averaged over.
    let slots = |generation| [2.0, 20.0, 4.0][(generation as usize / 14).min(2)];
    let cost_s = |_| 2.0;
    let run = MadeUpRun { slots, cost_s, ..steady() };
    let mut time_left = TimeLeft::new(40, Vec::new());
    for generation in 0..18 {
        let [cpu, elapsed] = [200.0, run.seconds(generation)].map(Duration::from_secs_f64);
        time_left.folded(GenerationCost { generation, trials: 100, cpu, elapsed });
    }
    // 40 seconds after 18 slots joined, 22 generations are left that take 10 seconds each with
    // them.
    let TimeRange { low, high } = time_left.range().unwrap();
    assert!(low.as_secs() < 220 && 220 < high.as_secs(), "{low:?} to {high:?}");
    assert!(high < 4 * low, "{low:?} to {high:?}");
}

#[test]
fn nothing_is_shown_while_the_share_of_the_farm_changes() {
    // Looks every second at a generation of 600 CPU seconds, also after a minute with 4 slots.
    let looks_with = |slots: f64| {
        let mut time_left = TimeLeft::new(1, Vec::new());
        let (mut cpu_s, mut looks) = (0.0, Vec::new());
        for second in 1..=90_u64 {
            cpu_s += if second <= 60 { 4.0 } else { slots };
            time_left.progressed(GenerationProgress {
                generation: 0,
                trials: 600,
                share: cpu_s / 600.0,
                cpu: Duration::from_secs_f64(cpu_s),
                elapsed: Duration::from_secs(second),
            });
            looks.push((second, time_left.range(), (600.0 - cpu_s) / slots));
        }
        looks
    };
    for slots in [1.0, 2.0, 8.0] {
        for (second, range, left_s) in looks_with(slots).into_iter().skip(65) {
            assert_eq!(range.is_none(), second < 75, "{slots} slots, second {second}: {range:?}");
            if let Some(TimeRange { low, high }) = range {
                let (low, high) = (low.as_secs_f64(), high.as_secs_f64());
                assert!(low <= left_s && left_s <= high, "{low} to {high}, but {left_s}");
            }
        }
    }
    // A little more or less is no change.
    for slots in [3.0, 5.0] {
        assert!(looks_with(slots).iter().skip(60).all(|(_, range, _)| range.is_some()));
    }
}

#[test]
fn nothing_is_shown_until_something_is_known() {
    let mut time_left = TimeLeft::new(10, Vec::new());
    assert_eq!(time_left.range(), None);
    let progress = GenerationProgress {
        generation: 0,
        trials: 1000,
        share: 0.0,
        cpu: Duration::ZERO,
        elapsed: Duration::ZERO,
    };
    time_left.progressed(progress);
    assert_eq!(time_left.range(), None);
    time_left.progressed(GenerationProgress { elapsed: Duration::from_secs(9), ..progress });
    assert_eq!(time_left.range(), None);
}

#[test]
fn long_trials_count_by_their_cost() {
    let second = Duration::from_secs(1);
    let pooled =
        |trials_done| ClassProgress { trials: 100, trials_done, cpu: second, ..Default::default() };
    let of_two = |trials_done, cpu_s, known_s: Option<u64>| ClassProgress {
        trials: 2,
        trials_done,
        cpu: cpu_s * second,
        cpu_per_trial: known_s.map(Duration::from_secs),
    };
    for (n_pooled, alone, expected) in [
        (25, ClassProgress::default(), 0.25),
        // Nobody knows how long they take.
        (50, of_two(0, 0, None), 0.0),
        // One second of 2 and 18.
        (50, of_two(0, 0, Some(9)), 0.05),
        (100, of_two(1, 9, None), 10.0 / 19.0),
        (100, of_two(2, 9, None), 1.0),
        (0, of_two(1, 9, None), 0.0),
    ] {
        let share = share_done(pooled(n_pooled), alone);
        assert!((share - expected).abs() < 1e-9, "{share} instead of {expected}");
    }
}

#[test]
fn absurd_claims_do_no_harm() {
    // A worker may claim any CPU time, and clocks may stand still.
    for (cpu, elapsed) in [(Duration::MAX, Duration::ZERO), (Duration::ZERO, Duration::MAX)] {
        let mut time_left = TimeLeft::new(u32::MAX, Vec::new());
        for generation in [0, 1, 5, 3, u32::MAX] {
            time_left.folded(GenerationCost { generation, trials: u64::MAX, cpu, elapsed });
            for share in [f64::MAX, f64::NAN, -1.0] {
                let progress = GenerationProgress { generation, trials: 1, share, cpu, elapsed };
                time_left.progressed(progress);
            }
            if let Some(TimeRange { low, high }) = time_left.range() {
                assert!(low <= high);
            }
        }
    }
}

#[test]
fn a_generation_that_is_computed_again_replaces_the_first_result() {
    let cost = |generation, seconds| GenerationCost {
        generation,
        trials: 100,
        cpu: Duration::from_secs(seconds),
        elapsed: Duration::from_secs(seconds),
    };
    let [mut again, mut once] = [TimeLeft::new(10, Vec::new()), TimeLeft::new(10, Vec::new())];
    (0..5).for_each(|generation| again.folded(cost(generation, 10)));
    (2..5).for_each(|generation| again.folded(cost(generation, 10)));
    (0..5).for_each(|generation| once.folded(cost(generation, 10)));
    assert_eq!(again.range().unwrap().high, once.range().unwrap().high);
}
