//! Random sequences of operations, played against the model.

use std::fmt::{self, Write as _};

use proptest::collection::vec;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

use super::medium::{Medium, runtime};
use super::model::Model;
use super::refusal::Refusal;
use super::step::{RUNS, Step, Walk, part_bytes, step};
use super::view::View;
use super::witness::Witness;
use crate::operation::FindParts;
use crate::{LeaderState, Store, StoreAnswer, StoreCall};

/// The seed for all sequences: they are the same each time, so a failure repeats by itself.
const SEED: u64 = 2026;

/// The most steps of a sequence.
const MOST_STEPS: usize = 100;

/// The most bytes of a call or an answer in a report, roughly: parts are large.
const MOST_SHOWN: usize = 2000;

/// The most sequences tried to make a failing one shorter.
const MOST_SHRINKS: u32 = 2000;

/// Plays `n_sequences` random sequences and compares the store with the model after each step.
///
/// # Panics
/// With the shortest sequence found, if the store answers or shows anything else.
pub fn check_random<M: Medium>(make: impl Fn() -> M, n_sequences: u32) {
    if let Some(report) = difference(make, n_sequences, MOST_SHRINKS) {
        panic!("{report}");
    }
}

/// Plays the same sequences, and returns whether the store answers or shows anything else.
pub fn differs_at_random<M: Medium>(make: impl Fn() -> M, n_sequences: u32) -> bool {
    difference(make, n_sequences, 0).is_some()
}

/// Returns the report of the shortest found sequence that shows a difference between the store and
/// the model.
fn difference<M: Medium>(
    make: impl Fn() -> M,
    n_sequences: u32,
    max_shrink_iters: u32,
) -> Option<String> {
    let runtime = runtime();
    let mut runner = TestRunner::new(Config {
        cases: n_sequences,
        rng_seed: RngSeed::Fixed(SEED),
        max_shrink_iters,
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&vec(step(), 1..=MOST_STEPS), |steps| {
        runtime.block_on(play(&make(), steps)).map_err(TestCaseError::fail)
    });
    match outcome {
        Ok(()) => None,
        Err(TestError::Fail(report, _)) => Some(report.to_string()),
        Err(TestError::Abort(reason)) => panic!("no sequence could be played: {reason}"),
    }
}

/// Plays `steps`; the error names the difference and the calls before it.
async fn play(medium: &dyn Medium, steps: Vec<Step>) -> Result<(), String> {
    let mut walk = Walk::default();
    let mut witness = Witness::default();
    let mut trace = Vec::new();
    let mut store = medium.open().await;
    // So that most sequences get somewhere.
    let beginning = [Step::Create { run: 0, tag: 0, part: None }, Step::Lead { run: 0 }];
    for step in beginning.into_iter().chain(steps) {
        let outcome = if let Some(call) = walk.call(&step) {
            trace.push(Some(call.clone()));
            ask(&store, &mut walk, &mut witness, call).await
        } else {
            trace.push(None);
            drop(store);
            store = medium.open().await;
            witness.restarted();
            walk.model.end_leases();
            if !medium.keeps_open_parts() {
                walk.model.lose_open_parts();
            }
            Ok(())
        };
        let seen = match outcome {
            Ok(()) => compare(&store, &walk.model).await,
            Err(difference) => Err(difference),
        };
        seen.and_then(|view| witness.saw(&view)).map_err(|what| report(&what, &trace))?;
    }
    Ok(())
}

/// Returns the report of a difference after these calls; `None` is a restart.
fn report(what: &str, trace: &[Option<StoreCall>]) -> String {
    let line = |call: &Option<StoreCall>| call.as_ref().map_or_else(|| "restart".to_owned(), brief);
    format!("{what}\nafter:\n  {}", trace.iter().map(line).collect::<Vec<_>>().join("\n  "))
}

/// Returns the beginning of a value's text.
fn brief(value: &impl fmt::Debug) -> String {
    let mut shown = Brief(String::new());
    // Ends early where it is long.
    write!(shown, "{value:?}").unwrap_or_default();
    shown.0
}

/// A text that ends when it is long enough.
struct Brief(String);

impl fmt::Write for Brief {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        self.0.push_str(more);
        if self.0.len() < MOST_SHOWN { Ok(()) } else { Err(fmt::Error) }
    }
}

/// Asks the store and the model, and compares.
async fn ask(
    store: &Store,
    walk: &mut Walk,
    witness: &mut Witness,
    call: StoreCall,
) -> Result<(), String> {
    let answer = Refusal::of(store.execute(call.clone()).await)
        .map_err(|error| format!("the store failed: {error:?}"))?;
    if let Ok(StoreAnswer::TakeLead(LeaderState { lead, .. })) = &answer {
        // The token is the store's to choose.
        walk.model.next_token = lead.token;
        walk.leads.push(*lead);
    }
    if let Ok(answer) = &answer {
        witness.heard(&call, answer)?;
    }
    let wanted = walk.model.execute(call.clone());
    walk.calls.push(call);
    if answer == wanted {
        Ok(())
    } else {
        Err(format!("the store answered {}\nbut the model {}", brief(&answer), brief(&wanted)))
    }
}

/// Returns everything that the store shows, or an error if the model shows something else.
async fn compare(store: &Store, model: &Model) -> Result<View, String> {
    let failed = |error| format!("the store cannot be read: {error:?}");
    let view = View::of(store).await.map_err(failed)?;
    let wanted = View::of_model(model);
    if view != wanted {
        return Err(format!("the store shows {view:?}\nbut the model {wanted:?}"));
    }
    for run in RUNS {
        let parts: Vec<_> = part_bytes().iter().map(|part| part.0).collect();
        let wanted: Vec<_> =
            parts.iter().map(|hash| model.parts(run).and_then(|all| all.find(hash))).collect();
        let found = store.execute(FindParts { run, parts }).await.map_err(failed)?;
        if found != wanted {
            return Err(format!("run {run} has the parts {found:?}\nbut in the model {wanted:?}"));
        }
    }
    Ok(view)
}
