//! Steps of random sequences: operations relative to where a run stands, so that most of them
//! mean something wherever they come.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any};
use proptest::prop_oneof;
use ulid::Ulid;

use super::call::Call;
use super::model::{Model, Run};
use crate::store::{Enqueue, Fold, JobId, JobResult, Lead, RunId, RunState, Then};

/// The runs that sequences are about; the second one is rarely there.
const RUNS: [RunId; 2] = [RunId(Ulid(5)), RunId(Ulid(6))];

/// An operation to be, relative to where the run stands when it comes to it.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Create {
        run: usize,
        tag: u8,
    },
    Lead {
        run: usize,
    },
    Enqueue {
        run: usize,
        by: Leader,
        generation: Shift,
        shift: i64,
        n_jobs: usize,
        tag: u8,
    },
    Lease {
        run: usize,
        consumer: u128,
        most: usize,
    },
    Release {
        run: usize,
        consumer: u128,
        shifts: Vec<i64>,
    },
    Complete {
        run: usize,
        results: Vec<(i64, Shift, u8)>,
    },
    Fold {
        run: usize,
        by: Leader,
        generation: Shift,
        target: Target,
        end: End,
        tag: u8,
    },
    End {
        run: usize,
        by: Leader,
        state: RunState,
    },
    Reopen {
        run: usize,
        by: Leader,
    },
    AppendEvent {
        run: usize,
        tag: u8,
    },
    PutBlob {
        tag: u8,
    },
    /// One of the last calls once more.
    Again {
        back: usize,
    },
    Restart,
}

/// Who calls.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leader {
    Last,
    /// The one before, or whoever led another run last.
    Other,
}

/// Which generation a call is about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shift {
    Current,
    Earlier,
    Later,
}

/// Up to where to fold.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// So many results, or as many as there are.
    Results(u64),
    /// The cursor.
    Cursor,
    /// That far from where it stands, whether it can be or not.
    Off(i64),
}

/// What comes after a fold.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Same,
    Next,
    Done,
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let run = || prop_oneof![5 => Just(0_usize), 1 => Just(1)];
    let by = || prop_oneof![9 => Just(Leader::Last), 1 => Just(Leader::Other)];
    let generation = || prop_oneof![18 => Just(Shift::Current), 1 => Just(Shift::Earlier), 1 => Just(Shift::Later)];
    let target = prop_oneof![
        6 => (0..5_u64).prop_map(Target::Results),
        6 => Just(Target::Cursor),
        1 => (-2..4_i64).prop_map(Target::Off),
    ];
    let end = prop_oneof![8 => Just(End::Same), 6 => Just(End::Next), 1 => Just(End::Done)];
    let shift = prop_oneof![4 => Just(0_i64), 1 => -3..3_i64];
    let state = prop_oneof![
        4 => Just(RunState::Cancelled),
        4 => Just(RunState::Failed { reason: "why".to_owned() }),
        1 => Just(RunState::Active),
        1 => Just(RunState::Done),
    ];
    // Mostly the right output, 0; sometimes a wrong one.
    let output = prop_oneof![9 => Just(0_u8), 1 => Just(1)];
    let results = vec((-1..6_i64, generation(), output), 0..5);
    prop_oneof![
        2 => (run(), any::<u8>()).prop_map(|(run, tag)| Step::Create { run, tag }),
        2 => run().prop_map(|run| Step::Lead { run }),
        6 => (run(), by(), generation(), shift, 0..5_usize, any::<u8>()).prop_map(
            |(run, by, generation, shift, n_jobs, tag)| {
                Step::Enqueue { run, by, generation, shift, n_jobs, tag }
            }
        ),
        4 => (run(), 0..3_u128, 0..4_usize)
            .prop_map(|(run, consumer, most)| Step::Lease { run, consumer, most }),
        2 => (run(), 0..3_u128, vec(-1..6_i64, 0..4))
            .prop_map(|(run, consumer, shifts)| Step::Release { run, consumer, shifts }),
        8 => (run(), results).prop_map(|(run, results)| Step::Complete { run, results }),
        6 => (run(), by(), generation(), target, end, any::<u8>()).prop_map(
            |(run, by, generation, target, end, tag)| {
                Step::Fold { run, by, generation, target, end, tag }
            }
        ),
        1 => (run(), by(), state).prop_map(|(run, by, state)| Step::End { run, by, state }),
        2 => (run(), by()).prop_map(|(run, by)| Step::Reopen { run, by }),
        1 => (run(), any::<u8>()).prop_map(|(run, tag)| Step::AppendEvent { run, tag }),
        1 => any::<u8>().prop_map(|tag| Step::PutBlob { tag }),
        4 => (1..4_usize).prop_map(|back| Step::Again { back }),
        2 => Just(Step::Restart),
    ]
}

/// A sequence under way.
#[derive(Debug, Default)]
pub(super) struct Walk {
    pub(super) model: Model,
    pub(super) leads: Vec<Lead>,
    pub(super) calls: Vec<Call>,
}

impl Walk {
    /// The call that `step` comes to here; `None` is a restart.
    pub(super) fn call(&self, step: &Step) -> Option<Call> {
        let call = match step.clone() {
            Step::Create { run, tag } => {
                Call::Create { run: RUNS[run], record: vec![tag], checkpoint: vec![tag] }
            }
            Step::Lead { run } => Call::Lead { run: RUNS[run] },
            Step::Enqueue { run, by, generation, shift, n_jobs, tag } => {
                let enqueue = Enqueue {
                    generation: self.generation(run, generation),
                    first_index: self
                        .at(run, |run| run.position.cursor)
                        .saturating_add_signed(shift),
                    jobs: (0..n_jobs).map(|_| vec![tag]).collect(),
                    table: vec![tag],
                };
                Call::Enqueue { lead: self.lead(run, by), enqueue }
            }
            Step::Lease { run, consumer, most } => Call::Lease { run: RUNS[run], consumer, most },
            Step::Release { run, consumer, shifts } => {
                let jobs = shifts.into_iter().map(|shift| self.job(run, shift, Shift::Current));
                Call::Release { run: RUNS[run], consumer, jobs: jobs.collect() }
            }
            Step::Complete { run, results } => {
                let results =
                    results.into_iter().zip(0..).map(|((shift, generation, output), cost)| {
                        let result = JobResult { output: vec![output], cost: vec![cost] };
                        (self.job(run, shift, generation), result)
                    });
                Call::Complete { run: RUNS[run], results: results.collect() }
            }
            Step::Fold { run, by, generation, target, end, tag } => {
                let record = vec![tag];
                let fold = Fold {
                    generation: self.generation(run, generation),
                    folded: self.target(run, target),
                    checkpoint: vec![tag],
                    then: match end {
                        End::Same => Then::SameGeneration,
                        End::Next => Then::NextGeneration { record },
                        End::Done => Then::Done { record },
                    },
                };
                Call::Fold { lead: self.lead(run, by), fold }
            }
            Step::End { run, by, state } => Call::End { lead: self.lead(run, by), state },
            Step::Reopen { run, by } => Call::Reopen { lead: self.lead(run, by) },
            Step::AppendEvent { run, tag } => {
                Call::AppendEvent { run: RUNS[run], event: vec![tag] }
            }
            Step::PutBlob { tag } => Call::PutBlob { blob: vec![tag] },
            Step::Again { back } => self.calls[self.calls.len().saturating_sub(back)].clone(),
            Step::Restart => return None,
        };
        Some(call)
    }

    fn at<T: Default>(&self, run: usize, what: impl FnOnce(&Run) -> T) -> T {
        self.model.runs.get(&RUNS[run]).map_or_else(T::default, what)
    }

    fn generation(&self, run: usize, shift: Shift) -> u32 {
        let current = self.at(run, |run| run.position.generation);
        match shift {
            Shift::Current => current,
            Shift::Earlier => current.saturating_sub(1),
            Shift::Later => current + 1,
        }
    }

    fn job(&self, run: usize, shift: i64, generation: Shift) -> JobId {
        let folded = self.at(run, |run| run.position.folded);
        let generation = self.generation(run, generation);
        JobId { generation, index: folded.saturating_add_signed(shift) }
    }

    fn target(&self, run: usize, target: Target) -> u64 {
        self.at(run, |run| {
            let folded = run.position.folded;
            match target {
                Target::Results(most) => folded + most.min(run.results(folded).len() as u64),
                Target::Cursor => run.position.cursor,
                Target::Off(shift) => folded.saturating_add_signed(shift),
            }
        })
    }

    fn lead(&self, run: usize, by: Leader) -> Lead {
        let run = RUNS[run];
        let invented = Lead { run, token: (0, 0) };
        let (mine, others): (Vec<_>, Vec<_>) = self.leads.iter().partition(|lead| lead.run == run);
        let lead = match by {
            Leader::Last => mine.last(),
            Leader::Other => mine.iter().rev().nth(1).or_else(|| others.last()),
        };
        lead.map_or(invented, |lead| Lead { run, token: lead.token })
    }
}
