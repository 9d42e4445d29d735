//! Random sequences of operations, played against the model.

use std::collections::BTreeSet;

use hatchery_core::Digest;
use proptest::collection::vec;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

use super::medium::{Medium, runtime};
use super::model::Model;
use super::refusal::Refusal;
use super::step::{Step, Walk, step};
use super::view::View;
use super::witness::Witness;
use crate::operation::ReadBlob;
use crate::{LeaderState, Store, StoreAnswer, StoreCall};

/// The seed of all sequences: they are the same each time, so a failure repeats by itself.
const SEED: u64 = 2026;

/// The most steps of a sequence.
const MOST_STEPS: usize = 100;

/// The most sequences tried to make a failing one shorter.
const MOST_SHRINKS: u32 = 2000;

/// Plays `n_sequences` random sequences and compares the store with the model after each step.
///
/// # Panics
/// With the shortest sequence found, if the store answers or shows anything else.
pub fn check_random<M: Medium>(make: impl Fn() -> M, n_sequences: u32) {
    let runtime = runtime();
    let mut runner = TestRunner::new(Config {
        cases: n_sequences,
        rng_seed: RngSeed::Fixed(SEED),
        max_shrink_iters: MOST_SHRINKS,
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&vec(step(), 1..=MOST_STEPS), |steps| {
        runtime.block_on(play(&make(), steps)).map_err(TestCaseError::fail)
    });
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(report, _)) => panic!("{report}"),
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
    let beginning = [Step::Create { run: 0, tag: 0 }, Step::Lead { run: 0 }];
    for step in beginning.into_iter().chain(steps) {
        let outcome = if let Some(call) = walk.call(&step) {
            trace.push(format!("{call:?}"));
            ask(&store, &mut walk, &mut witness, call).await
        } else {
            trace.push("restart".to_owned());
            drop(store);
            store = medium.open().await;
            witness.restarted();
            walk.model.end_leases();
            Ok(())
        };
        let seen = match outcome {
            Ok(()) => compare(&store, &walk.model).await,
            Err(difference) => Err(difference),
        };
        seen.and_then(|view| witness.saw(&view))
            .map_err(|what| format!("{what}\nafter:\n  {}", trace.join("\n  ")))?;
    }
    Ok(())
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
        Err(format!("the store answered {answer:?}\nbut the model {wanted:?}"))
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
    let blobs: BTreeSet<_> = model.runs.values().flat_map(|run| run.blobs.values()).collect();
    for (id, run) in &model.runs {
        for &blob in &blobs {
            let hash = Digest::of(blob);
            let kept = store.execute(ReadBlob { run: *id, hash }).await.map_err(failed)?;
            if kept.as_ref() != run.blobs.get(hash.as_bytes()) {
                return Err(format!("blob {blob:?} of run {id} is kept as {kept:?}"));
            }
        }
    }
    Ok(view)
}
