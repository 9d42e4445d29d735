//! The effects that a machine asks for, step by step, with tallies without content.

use hatchery_core::erased::{AnyPlan, TallyAccumulator};
use hatchery_core::{DecodeError, Draws};
use hatchery_store::{
    DeadJobRecord, FencingNonce, FencingToken, JobId, JobResult, LeaderToken, ResultPage, RunId,
    RunPosition,
};
use ulid::Ulid;

use super::enqueuing::BYTES_PER_ENQUEUE;
use super::plan_limits::MAX_SUBJECT_BYTES;
use super::*;
use crate::run::record::{FailedAttempt, StoredOutput};

const EIGHT: [Vec<u8>; 8] = [const { Vec::new() }; 8];

/// A tally that the experiment panics over.
const BUG: &[u8] = b"!";

struct Silent;

impl TallyAccumulator for Silent {
    fn absorb(&mut self, _: u32, tally: &[u8]) -> Result<(), DecodeError> {
        assert_ne!(tally, BUG, "a bug");
        Ok(())
    }

    fn tallies(&self) -> Vec<Option<Vec<u8>>> {
        vec![Some(Vec::new())]
    }
}

/// A machine that simulates subjects with a trial each. Each trial is a job, because there are as
/// many slots.
#[derive(Debug)]
struct Scene {
    machine: RunMachine,
    led: LeaderState,
    jobs: Vec<Vec<u8>>,
}

impl Scene {
    fn new(on_dead: v1::OnDead, skip_ppm: u32, subjects: &[Vec<u8>]) -> Self {
        Self::with_alone(on_dead, skip_ppm, subjects, &[])
    }

    /// As `new`, but the trials of the subjects in `alone` are long.
    fn with_alone(
        on_dead: v1::OnDead,
        skip_ppm: u32,
        subjects: &[Vec<u8>],
        alone: &[usize],
    ) -> Self {
        let record = RunRecord { on_dead: on_dead.into(), skip_ppm, ..RunRecord::default() };
        let digest = Digest::of(b"");
        let checkpoint = Checkpoint { digest: digest.as_bytes().to_vec(), ..Checkpoint::default() };
        let position = RunPosition {
            state: RunState::Active,
            revision: 0,
            generation: 0,
            cursor: 0,
            folded: 0,
        };
        let lead = LeaderToken {
            run: RunId(Ulid(1)),
            token: FencingToken { count: 1, nonce: FencingNonce(1) },
        };
        let led = LeaderState { lead, position, checkpoint: Vec::new(), table: Vec::new() };
        let loaded = (checkpoint, Bytes::new());
        let (machine, _) =
            RunMachine::start(record, 1, &led, loaded, RunSummary::default(), Duration::ZERO);
        let mut scene = Self { machine, led, jobs: Vec::new() };
        let series = subjects.iter().map(|subject| (subject.clone(), 1));
        let mut plan = AnyPlan::without_parts(Vec::new(), series, Draws::PerSubject);
        alone.iter().for_each(|&subject| plan.series[subject].class = SeriesClass::Alone);
        let gathering = Box::new(Silent);
        let planned = PlannedGeneration { plan, gathering, together: 1 };
        scene.take(MachineInput::Planned(planned));
        scene.take(MachineInput::Slots(u32::try_from(subjects.len()).unwrap()));
        scene
    }

    /// Returns the effects after `input`, without published events; keeps the enqueued jobs.
    fn take(&mut self, input: MachineInput) -> Vec<MachineEffect> {
        let mut effects = VecDeque::new();
        self.machine.handle(Duration::ZERO, &self.led, input, &mut effects);
        for effect in &effects {
            if let MachineEffect::Enqueue(enqueue) = effect {
                self.jobs.extend(enqueue.jobs.iter().cloned());
            }
        }
        effects.retain(|effect| !matches!(effect, MachineEffect::Publish(_)));
        effects.into()
    }

    fn page(
        &mut self,
        state: RunState,
        results: Vec<JobResult>,
        n_parked: u64,
    ) -> Vec<MachineEffect> {
        let n_unresolved = self.jobs.len() as u64;
        let page = ResultPage { state, results, n_unresolved, n_parked };
        self.take(MachineInput::ResultsRead(SeriesClass::Pooled, page))
    }

    fn parked(&self, index: usize) -> DeadJobRecord {
        let job = JobId { generation: 0, index: index as u64 };
        DeadJobRecord { job, bytes: self.jobs[index].clone(), attempts: Vec::new() }
    }
}

fn names(effects: &[MachineEffect]) -> Vec<String> {
    let name = |effect| format!("{effect:?}").split([' ', '(']).next().unwrap_or("").to_owned();
    effects.iter().map(name).collect()
}

#[test]
fn a_run_pauses_once_over_what_is_parked() {
    let mut scene = Scene::new(v1::OnDead::Pause, 0, &EIGHT);
    assert_eq!(names(&scene.page(RunState::Active, vec![], 1)), ["ReadDeadJobs"]);
    let parked = scene.parked(0);
    assert_eq!(names(&scene.take(MachineInput::Parked(vec![parked]))), ["Pause", "Keep"]);
    assert_eq!(names(&scene.page(RunState::Paused, vec![], 1)), [""; 0]);
    assert_eq!(names(&scene.page(RunState::Active, vec![], 1)), ["ReadDeadJobs"]);
}

#[test]
fn trials_are_missing_up_to_the_limit_and_no_further() {
    // Two of eight.
    let mut scene = Scene::new(v1::OnDead::Skip, 250_000, &EIGHT);
    for index in [3, 5] {
        let parked = scene.parked(index);
        assert_eq!(names(&scene.take(MachineInput::Parked(vec![parked]))), ["Skip", "Keep"]);
    }
    // Neither is in the ledger yet, since job 0 is not resolved.
    let parked = scene.parked(6);
    assert_eq!(names(&scene.take(MachineInput::Parked(vec![parked]))), ["Fail", "Keep"]);
}

#[test]
fn what_an_earlier_leader_skipped_counts() {
    let mut scene = Scene::new(v1::OnDead::Skip, 250_000, &EIGHT);
    let missing = |index| dead_jobs::missing(&scene.parked(index));
    let (few, more) = (vec![missing(0), missing(1)], vec![missing(2)]);
    assert!(!names(&scene.page(RunState::Active, few, 0)).contains(&"Fail".to_owned()));
    let effects = scene.page(RunState::Active, more, 0);
    assert_eq!(names(&effects), ["Fail", "Keep"]);
    let failed = RunState::Failed {
        reason: "3 of 8 trials are missing: more than the run allows".to_owned(),
    };
    assert_eq!(scene.machine.ended_as(), Some(&failed));
}

#[test]
fn no_more_is_enqueued_at_a_time_than_a_store_takes() {
    let subjects = vec![vec![0; MAX_SUBJECT_BYTES]; 40];
    let mut scene = Scene::new(v1::OnDead::Fail, 0, &subjects);
    let at_a_time = BYTES_PER_ENQUEUE / MAX_SUBJECT_BYTES;
    assert_eq!(scene.jobs.len(), at_a_time);
    // The next batch comes with what is read after this one, and so on.
    assert_eq!(names(&scene.page(RunState::Active, vec![], 0)), ["Enqueue", "ReadResults"]);
    assert_eq!(scene.jobs.len(), 2 * at_a_time);
    assert_eq!(names(&scene.page(RunState::Active, vec![], 0)), ["Enqueue"]);
    assert_eq!(scene.jobs.len(), subjects.len());
}

#[test]
fn all_results_are_read_whatever_a_store_gives_at_a_time() {
    let mut scene = Scene::new(v1::OnDead::Skip, 1_000_000, &EIGHT);
    let result = dead_jobs::missing(&scene.parked(0));
    let page =
        |results| ResultPage { state: RunState::Active, results, n_unresolved: 6, n_parked: 0 };
    // Two are resolved.
    let mut take =
        |results| scene.take(MachineInput::ResultsRead(SeriesClass::Pooled, page(results)));
    assert_eq!(names(&take(vec![result])), ["ReadResults"]);
    assert_eq!(names(&take(vec![])), [""; 0]);
}

#[test]
fn a_run_fails_whose_experiment_panics_over_a_tally() {
    let mut scene = Scene::new(v1::OnDead::Fail, 0, &EIGHT);
    let result = dead_jobs::missing(&scene.parked(0));
    let mut output = StoredOutput::decode(result.output.as_slice()).unwrap();
    output.n_missing = 0;
    output.parts[0].tally = BUG.to_vec();
    let result = JobResult { output: output.encode_to_vec(), ..result };
    let effects = scene.page(RunState::Active, vec![result], 0);
    assert_eq!(names(&effects), ["Fail", "Keep"]);
    let Some(RunState::Failed { reason }) = scene.machine.ended_as() else { panic!("{scene:?}") };
    assert!(reason.contains("a bug") && reason.contains("job 0"), "{reason}");
}

#[test]
fn results_are_read_and_absorbed_beside_long_trials() {
    let mut scene = Scene::with_alone(v1::OnDead::Fail, 0, &EIGHT, &[3, 6]);
    let subject_idx =
        |job: &Vec<u8>| v1::Job::decode(job.as_slice()).unwrap().segments[0].subject_idx;
    let order: Vec<_> = scene.jobs.iter().map(subject_idx).collect();
    assert_eq!(order, [3, 6, 0, 1, 2, 4, 5, 7], "long trials come first");

    let result = |scene: &Scene, index: usize, cpu_ns: u64| {
        let result = dead_jobs::missing(&scene.parked(index));
        let mut output = StoredOutput::decode(result.output.as_slice()).unwrap();
        output.n_missing = 0;
        let cost = v1::JobCost { cpu_ns, wall_ns: 0 }.encode_to_vec();
        JobResult { output: output.encode_to_vec(), cost, ..result }
    };
    let take = |scene: &mut Scene, class, results, n_unresolved| {
        let state = RunState::Active;
        let page = ResultPage { state, results, n_unresolved, n_parked: 0 };
        scene.take(MachineInput::ResultsRead(class, page))
    };
    let asked = |effects: &[MachineEffect]| match effects {
        [MachineEffect::ReadResults { class, from, most }] => Some((*class, *from, *most)),
        _ => None,
    };
    // Six jobs are resolved: the five others read first, then the first long one is asked for.
    let pooled = (2..7).map(|index| result(&scene, index, 10)).collect();
    let effects = take(&mut scene, SeriesClass::Pooled, pooled, 2);
    assert_eq!(asked(&effects), Some((SeriesClass::Pooled, 7, RESULTS_PER_READ)));
    let progress = scene.machine.progress();
    assert_eq!((progress.trials, progress.trials_done), (8, 6));
    let effects = take(&mut scene, SeriesClass::Pooled, vec![], 2);
    assert_eq!(asked(&effects), Some((SeriesClass::Alone, 0, 2)));
    let first = vec![result(&scene, 0, 1_000_000)];
    assert_eq!(names(&take(&mut scene, SeriesClass::Alone, first, 2)), [""; 0]);
    let share = scene.machine.generation_progress(Duration::ZERO).unwrap().share;
    assert!((0.4999..0.5001).contains(&share), "half of two long trials: {share}");

    // The last ones complete the generation, in whatever order they come.
    let last = vec![result(&scene, 1, 1_000_000)];
    assert_eq!(names(&take(&mut scene, SeriesClass::Alone, last, 1)), [""; 0]);
    let last = vec![result(&scene, 7, 10)];
    assert_eq!(names(&take(&mut scene, SeriesClass::Pooled, last, 0)), ["Compute"]);
}

#[test]
fn the_window_grows_beside_a_long_trial() {
    let n = usize::try_from(3 * WINDOW_JOBS).unwrap();
    let subjects = vec![vec![]; n];
    for (alone, most) in [(&[][..], WINDOW_JOBS), (&[0][..], 3 * WINDOW_JOBS)] {
        let mut scene = Scene::with_alone(v1::OnDead::Fail, 0, &subjects, alone);
        // Slots for all jobs: nothing but the window limits what is enqueued.
        scene.take(MachineInput::Slots(u32::MAX));
        assert_eq!(scene.jobs.len() as u64, most, "{} long trials", alone.len());
    }
}

#[test]
fn a_job_whose_results_are_too_large_is_cut_into_smaller_ones() {
    let attempt = |too_large| FailedAttempt { too_large, ..FailedAttempt::default() };
    let job = |n_trials| {
        let segment = v1::Segment { n_trials, ..v1::Segment::default() };
        v1::Job { segments: vec![segment], ..v1::Job::default() }
    };
    for (n_trials, attempts, expected) in [
        (5, vec![attempt(true), attempt(true)], "CutSmaller"),
        (5, vec![attempt(true), attempt(false)], "Fail"),
        (5, vec![], "Fail"),
        (1, vec![attempt(true)], "Fail"),
    ] {
        let mut scene = Scene::new(v1::OnDead::Fail, 0, &EIGHT);
        let attempts = attempts.iter().map(FailedAttempt::encode_to_vec).collect();
        let bytes = job(n_trials).encode_to_vec();
        let dead = DeadJobRecord { bytes, attempts, ..scene.parked(0) };
        let effects = scene.take(MachineInput::Parked(vec![dead]));
        assert_eq!(names(&effects)[0], expected);
        if let [MachineEffect::CutSmaller { most_trials, .. }] = &effects[..] {
            assert_eq!(most_trials.get(), 2);
        }
    }
}
