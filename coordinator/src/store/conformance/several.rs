//! The points for several stores on one medium, as of several processes.

use std::time::Duration;

use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::call::{Answer, Call, Enroll, Refusal};
use super::medium::Medium;
use super::play::{ANN, BEN, Play, RUN, all, complete, ids, job, leased};
use super::view::View;
use crate::store::membership::{RunClaim, StoreChange};
use crate::store::{AfterFold, RunState, SteerAction, Store, StoreVerdict, WorkerId};

/// The longest that a bell may take.
const BELL_DEADLINE: Duration = Duration::from_secs(5);

async fn ask(store: &dyn Store, call: Call) -> Answer {
    match call.ask(store).await {
        Ok(answer) => answer,
        Err(error) => panic!("{call:?} failed: {error:?}"),
    }
}

/// Checks store point 5: a job is leased to one consumer, whoever asks which store.
pub(super) async fn leases_exclude(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let other = medium.open().await;
    let lease = |consumer, most| Call::Lease { run: RUN, consumer, most };
    play.done(play.enqueue(0, 0, 6)).await;
    assert_eq!(play.lease(ANN, 2).await, [0, 1]);
    assert_eq!(ask(other.as_ref(), lease(BEN, 2)).await, leased(&[2, 3]));
    assert_eq!(play.lease(ANN, 1).await, [4]);
    // The holder may have moved to another store.
    let release = Call::Release { run: RUN, consumer: ANN, jobs: vec![job(0, 1)] };
    assert_eq!(ask(other.as_ref(), release).await, Answer::Done);
    assert_eq!(ask(other.as_ref(), lease(BEN, 9)).await, leased(&[1, 5]));
    let renew = Call::Renew { run: RUN, consumer: ANN, jobs: ids(0, &[0, 1]) };
    play.check(renew, Answer::Lost(ids(0, &[1]))).await;
    let adopt = Call::Adopt { run: RUN, consumer: ANN, jobs: ids(0, &[1]) };
    play.check(adopt.clone(), leased(&[1])).await;

    // Both take results, each job's once.
    assert_eq!(ask(other.as_ref(), complete(0, 0..4)).await, all(4, StoreVerdict::Accepted));
    play.check(complete(0, 0..4), all(4, StoreVerdict::Duplicate)).await;
    play.check(adopt, leased(&[])).await;
}

/// Checks store point 3: a lead taken in one store fences the writes of another.
pub(super) async fn leads_fence(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let other = medium.open().await;
    play.done(play.enqueue(0, 0, 2)).await;
    let led = other.lead(RUN).await.expect("the run is there");
    assert_eq!((led.position.cursor, led.table.as_slice()), (2, b"table to 2".as_slice()));
    for call in
        [play.enqueue(0, 2, 1), play.fail("why"), play.disown(WorkerId(0)), play.rewind(0, b"")]
    {
        play.refused(call, Refusal::Fenced).await;
    }
    play.check(complete(0, 0..2), all(2, StoreVerdict::Accepted)).await;
    play.refused(play.fold(0, 1, AfterFold::SameGeneration), Refusal::Fenced).await;
    play.lead = led.lead;
    let fold = play.fold(0, 1, AfterFold::SameGeneration);
    assert_eq!(ask(other.as_ref(), fold).await, Answer::Done);
    assert_eq!(play.position().await.folded, 1);
}

/// Checks membership point 1: a run that is claimed in one store cannot be claimed in another.
pub(super) async fn claims_exclude(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let other = medium.open().await;
    let claim = |coordinator| {
        Call::Enroll(Enroll::Claim { run: RUN, coordinator, progress: b"half".to_vec() })
    };
    play.check(claim(ANN), Answer::Claims(true)).await;
    assert_eq!(ask(other.as_ref(), claim(BEN)).await, Answer::Claims(false));
    let claimed = other.claimed(RUN).await.expect("a store can be read");
    assert_eq!(claimed, Some(RunClaim { coordinator: ANN, progress: b"half".to_vec() }));
    play.done(Call::Enroll(Enroll::Unclaim { run: RUN, coordinator: ANN })).await;
    assert_eq!(ask(other.as_ref(), claim(BEN)).await, Answer::Claims(true));
    play.check(claim(ANN), Answer::Claims(false)).await;
}

/// Checks that everything written in one store is read in the other, the secret included.
pub(super) async fn all_see_the_same(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let other = medium.open().await;
    let calls = [
        play.enqueue(0, 0, 3),
        complete(0, 0..2),
        Call::Steer { run: RUN, steer: SteerAction::Pause },
        Call::AppendEvent { run: RUN, event: b"event".to_vec() },
        Call::Enroll(Enroll::Quarantine { worker: WorkerId(5), reason: "it lied".to_owned() }),
        Call::Enroll(Enroll::Announce { coordinator: ANN, announcement: b"here".to_vec() }),
    ];
    for call in calls {
        play.ask(call.clone()).await;
        let theirs = View::of(other.as_ref()).await.expect("a store can be read");
        assert_eq!(theirs, play.view().await, "after {call:?}");
    }
    let announced = other.announced().await.expect("a store can be read");
    assert_eq!(announced, [(ANN, b"here".to_vec())]);
    let (ours, theirs) = tokio::join!(play.store().secret(), other.secret());
    assert_eq!(ours.expect("a store can be read"), theirs.expect("a store can be read"));
}

/// Checks membership point 4: a bell rings in the other store for jobs, results and changes of
/// state.
pub(super) async fn changes_are_published(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let other = medium.open().await;
    let mut changes = other.changes();
    play.done(play.enqueue(0, 0, 1)).await;
    until(&mut changes, StoreChange::Ready(RUN)).await;
    play.check(play.enqueue_and_lease(0, 1, 2, ANN, 2), leased(&[0, 1])).await;
    until(&mut changes, StoreChange::Ready(RUN)).await;
    play.check(complete(0, [0]), all(1, StoreVerdict::Accepted)).await;
    until(&mut changes, StoreChange::Results(RUN)).await;
    play.steer(SteerAction::Pause, RunState::Paused).await;
    until(&mut changes, StoreChange::State(RUN)).await;
}

/// Waits for the bell, whatever else rings.
async fn until(changes: &mut Receiver<StoreChange>, wanted: StoreChange) {
    let rings = async {
        loop {
            match changes.recv().await {
                Ok(bell) if bell == wanted => return,
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => panic!("the changes ended before {wanted:?}"),
            }
        }
    };
    let rang = tokio::time::timeout(BELL_DEADLINE, rings).await;
    assert!(rang.is_ok(), "{wanted:?} did not ring within {BELL_DEADLINE:?}");
}
