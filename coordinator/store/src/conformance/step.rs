//! Steps of random sequences: operations relative to the position of a run, so that most operations
//! are meaningful wherever they occur.

mod walk;

pub(super) use walk::{RUNS, Walk, part_bytes};

use std::collections::BTreeSet;

use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::{Just, Strategy, any};
use proptest::prop_oneof;

use crate::{AttemptId, CoordinatorId, SteerAction, WorkerId};

/// The distances of jobs from `folded`.
type Shifts = BTreeSet<i64>;

/// Some parts, by their numbers in [`part_bytes`].
type PartNumbers = BTreeSet<usize>;

/// An operation that becomes a call, relative to the position of the run when its turn comes.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Create {
        run: usize,
        tag: u8,
        part: Option<usize>,
    },
    RunFor {
        key: u8,
        tag: u8,
    },
    Delete {
        run: usize,
    },
    Lead {
        run: usize,
    },
    Write {
        run: usize,
        by: Leader,
        write: Write,
    },
    Lease {
        run: usize,
        consumer: CoordinatorId,
        most: usize,
    },
    Release {
        run: usize,
        consumer: CoordinatorId,
        shifts: Shifts,
    },
    Renew {
        run: usize,
        consumer: CoordinatorId,
        shifts: Shifts,
        generation: Shift,
    },
    Adopt {
        run: usize,
        consumer: CoordinatorId,
        shifts: Shifts,
        generation: Shift,
    },
    Attempt {
        run: usize,
        shift: i64,
        generation: Shift,
        id: AttemptId,
        tag: u8,
    },
    /// An attempt at a job that is not DONE.
    AttemptOpen {
        run: usize,
        which: usize,
        id: AttemptId,
        tag: u8,
    },
    Park {
        run: usize,
        consumer: CoordinatorId,
        shift: i64,
        generation: Shift,
    },
    /// The holder gives up a job, which becomes PARKED.
    ParkHeld {
        run: usize,
        which: usize,
    },
    Retry {
        run: usize,
        shifts: Shifts,
    },
    Complete {
        run: usize,
        results: Vec<Offer>,
    },
    Part {
        run: usize,
        part: usize,
        action: PartAction,
    },
    Steer {
        run: usize,
        steer: SteerAction,
    },
    AppendEvent {
        run: usize,
        tag: u8,
    },
    Summarize {
        run: usize,
        tag: u8,
    },
    Quarantine {
        worker: WorkerId,
        tag: u8,
    },
    /// A recent call once more.
    Again {
        back: usize,
    },
    Restart,
}

/// A result that is offered.
#[derive(Clone, Debug)]
pub(super) struct Offer {
    pub(super) shift: i64,
    pub(super) generation: Shift,
    pub(super) output: u8,
    pub(super) worker: WorkerId,
    /// The part that it names.
    pub(super) named: Option<(usize, Length)>,
}

/// An operation on a part.
#[derive(Clone, Copy, Debug)]
pub(super) enum PartAction {
    Write { index: u32, length: Length },
    Finish { length: Length },
    Read { index: u32 },
}

/// A write of a leader.
#[derive(Clone, Debug)]
pub(super) enum Write {
    Enqueue {
        generation: Shift,
        shift: i64,
        n_jobs: usize,
        tag: u8,
        /// A part that is stored with the jobs.
        part: Option<usize>,
        /// The consumer that leases some of the jobs at once, and their number.
        lease: Option<(CoordinatorId, usize)>,
    },
    Fold {
        generation: Shift,
        target: Target,
        end: End,
        tag: u8,
        part: Option<usize>,
        retention: Retention,
    },
    /// The first PARKED job, and another job that may be PARKED or not.
    Skip {
        shift: i64,
        generation: Shift,
        tag: u8,
    },
    Disown {
        worker: WorkerId,
    },
    Pause,
    Rewind {
        by: i64,
        tag: u8,
        keep: Option<PartNumbers>,
    },
    Fail {
        tag: u8,
    },
}

/// The leader that makes a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leader {
    Last,
    /// The previous leader, or the last leader of another run.
    Other,
}

/// The generation of a call, relative to the current one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shift {
    Current,
    Earlier,
    Later,
}

/// The length of a part.
#[derive(Clone, Copy, Debug)]
pub(super) enum Length {
    Right,
    TooLong,
}

/// The end of a fold.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// This number of results, or all results if there are fewer.
    Results(u64),
    /// The cursor.
    Cursor,
    /// The position at this distance from the current one, whether it is valid or not.
    Off(i64),
}

/// The parts that stay after a fold.
#[derive(Clone, Debug)]
pub(super) enum Retention {
    All,
    Keep(PartNumbers),
    Drop(PartNumbers),
}

/// The state after a fold.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Same,
    Next,
    Done,
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let by = prop_oneof![9 => Just(Leader::Last), 1 => Just(Leader::Other)];
    let tags = || any::<u8>();
    prop_oneof![
        3 => (run(), tags(), option::of(part()))
            .prop_map(|(run, tag, part)| Step::Create { run, tag, part }),
        2 => run().prop_map(|run| Step::Lead { run }),
        16 => (run(), by, write()).prop_map(|(run, by, write)| Step::Write { run, by, write }),
        20 => of_workers(),
        11 => of_failing_jobs(),
        12 => (run(), part(), part_action())
            .prop_map(|(run, part, action)| Step::Part { run, part, action }),
        7 => of_people(),
        1 => (0..3_u128, tags())
            .prop_map(|(id, tag)| Step::Quarantine { worker: WorkerId(id), tag }),
        4 => (1..4_usize).prop_map(|back| Step::Again { back }),
        2 => Just(Step::Restart),
    ]
}

fn run() -> impl Strategy<Value = usize> {
    prop_oneof![5 => Just(0_usize), 1 => Just(1)]
}

fn consumer() -> impl Strategy<Value = CoordinatorId> {
    let [often, seldom, rare] = [0, 1, u128::MAX].map(CoordinatorId);
    prop_oneof![3 => Just(often), 2 => Just(seldom), 1 => Just(rare)]
}

fn attempt() -> impl Strategy<Value = AttemptId> {
    (0..3_u128).prop_map(AttemptId)
}

fn worker() -> impl Strategy<Value = WorkerId> {
    let [often, seldom, rare] = [0, 1, u128::MAX].map(WorkerId);
    prop_oneof![3 => Just(often), 2 => Just(seldom), 1 => Just(rare)]
}

fn generation() -> impl Strategy<Value = Shift> {
    prop_oneof![18 => Just(Shift::Current), 1 => Just(Shift::Earlier), 1 => Just(Shift::Later)]
}

fn shifts() -> impl Strategy<Value = Shifts> {
    btree_set(-1..5_i64, 0..6)
}

/// Generates the writes of a leader.
fn write() -> impl Strategy<Value = Write> {
    let shift = prop_oneof![4 => Just(0_i64), 1 => -3..3_i64];
    let target = prop_oneof![
        6 => (0..5_u64).prop_map(Target::Results),
        6 => Just(Target::Cursor),
        1 => (-2..4_i64).prop_map(Target::Off),
    ];
    let end = prop_oneof![8 => Just(End::Same), 6 => Just(End::Next), 1 => Just(End::Done)];
    let tag = || 0..4_u8;
    let lease = option::of((consumer(), 0..4_usize));
    prop_oneof![
        14 => (generation(), shift, 0..5_usize, tag(), option::of(part()), lease).prop_map(
            |(generation, shift, n_jobs, tag, part, lease)| {
                Write::Enqueue { generation, shift, n_jobs, tag, part, lease }
            }
        ),
        14 => (generation(), target, end, tag(), option::of(part()), retention()).prop_map(
            |(generation, target, end, tag, part, retention)| {
                Write::Fold { generation, target, end, tag, part, retention }
            }
        ),
        1 => (-1..4_i64, generation(), tag())
            .prop_map(|(shift, generation, tag)| Write::Skip { shift, generation, tag }),
        4 => worker().prop_map(|worker| Write::Disown { worker }),
        1 => Just(Write::Pause),
        2 => (-1..3_i64, tag(), kept())
            .prop_map(|(by, tag, keep)| Write::Rewind { by, tag, keep }),
        2 => tag().prop_map(|tag| Write::Fail { tag }),
    ]
}

/// Generates the operations that bring jobs to workers and results back.
fn of_workers() -> impl Strategy<Value = Step> {
    // Mostly the right output, 0; sometimes a wrong one.
    let output = prop_oneof![9 => Just(0_u8), 1 => Just(1)];
    let named = prop_oneof![4 => Just(None), 1 => (part(), length()).prop_map(Some)];
    let offer = (-1..6_i64, generation(), output, worker(), named).prop_map(
        |(shift, generation, output, worker, named)| Offer {
            shift,
            generation,
            output,
            worker,
            named,
        },
    );
    let results = vec(offer, 0..5);
    prop_oneof![
        5 => (run(), consumer(), 0..4_usize)
            .prop_map(|(run, consumer, most)| Step::Lease { run, consumer, most }),
        2 => (run(), consumer(), shifts())
            .prop_map(|(run, consumer, shifts)| Step::Release { run, consumer, shifts }),
        2 => (run(), consumer(), shifts(), generation()).prop_map(
            |(run, consumer, shifts, generation)| Step::Renew { run, consumer, shifts, generation }
        ),
        2 => (run(), consumer(), shifts(), generation()).prop_map(
            |(run, consumer, shifts, generation)| Step::Adopt { run, consumer, shifts, generation }
        ),
        7 => (run(), results).prop_map(|(run, results)| Step::Complete { run, results }),
    ]
}

/// Generates the operations on jobs that keep failing.
fn of_failing_jobs() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (run(), -1..4_i64, generation(), attempt(), any::<u8>()).prop_map(
            |(run, shift, generation, id, tag)| Step::Attempt { run, shift, generation, id, tag }
        ),
        4 => (run(), 0..3_usize, attempt(), any::<u8>())
            .prop_map(|(run, which, id, tag)| Step::AttemptOpen { run, which, id, tag }),
        2 => (run(), consumer(), -1..4_i64, generation()).prop_map(
            |(run, consumer, shift, generation)| Step::Park { run, consumer, shift, generation }
        ),
        4 => (run(), 0..2_usize).prop_map(|(run, which)| Step::ParkHeld { run, which }),
        2 => (run(), shifts()).prop_map(|(run, shifts)| Step::Retry { run, shifts }),
        3 => run().prop_map(|run| Step::Retry { run, shifts: (0..8).collect() }),
    ]
}

/// Generates the operations on a part.
fn part_action() -> impl Strategy<Value = PartAction> {
    prop_oneof![
        4 => (0..2_u32, length()).prop_map(|(index, length)| PartAction::Write { index, length }),
        3 => length().prop_map(|length| PartAction::Finish { length }),
        2 => (0..3_u32).prop_map(|index| PartAction::Read { index }),
    ]
}

fn length() -> impl Strategy<Value = Length> {
    prop_oneof![4 => Just(Length::Right), 1 => Just(Length::TooLong)]
}

/// Generates the number of a part.
fn part() -> impl Strategy<Value = usize> {
    0..part_bytes().len()
}

fn kept() -> impl Strategy<Value = Option<PartNumbers>> {
    prop_oneof![3 => Just(None), 1 => some_parts().prop_map(Some)]
}

fn retention() -> impl Strategy<Value = Retention> {
    prop_oneof![
        2 => Just(Retention::All),
        1 => some_parts().prop_map(Retention::Keep),
        1 => some_parts().prop_map(Retention::Drop),
    ]
}

fn some_parts() -> impl Strategy<Value = PartNumbers> {
    btree_set(part(), 0..4)
}

/// Generates the operations that people ask for.
fn of_people() -> impl Strategy<Value = Step> {
    let steer = prop_oneof![
        2 => Just(SteerAction::Pause),
        4 => Just(SteerAction::Resume),
        1 => Just(SteerAction::Cancel),
    ];
    prop_oneof![
        9 => (run(), steer).prop_map(|(run, steer)| Step::Steer { run, steer }),
        2 => run().prop_map(|run| Step::Delete { run }),
        3 => (0..2_u8, 0..2_u8).prop_map(|(key, tag)| Step::RunFor { key, tag }),
        4 => (run(), any::<u8>()).prop_map(|(run, tag)| Step::AppendEvent { run, tag }),
        2 => (run(), any::<u8>()).prop_map(|(run, tag)| Step::Summarize { run, tag }),
    ]
}
