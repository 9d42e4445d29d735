//! The points for several stores on one medium, as of several processes.

use std::time::Duration;

use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::medium::Medium;
use super::play::{ANN, BEN, Play, RUN, all, complete, ids, job, leased};
use super::refusal::Refusal;
use super::view::View;
use crate::membership::{RunClaim, StoreChange};
use crate::operation::{
    AdoptJobs, AnnounceCoordinator, AppendEvent, ClaimRun, EnqueueAndLease, LeaseJobs,
    ListCoordinators, QuarantineWorker, ReadClaim, ReadSecret, ReleaseJobs, RenewLeases, SteerRun,
    TakeLead, UnclaimRun,
};
use crate::{
    AfterFold, RunState, SteerAction, Store, StoreCall, StoreOperation, StoreVerdict, WorkerId,
};

/// The longest that a bell may take, on a machine with other work as well.
const BELL_DEADLINE: Duration = Duration::from_secs(30);

async fn ask<Op: StoreOperation>(store: &Store, operation: Op) -> Op::Answer {
    match store.execute(operation.clone()).await {
        Ok(answer) => answer,
        Err(error) => panic!("{operation:?} failed: {error:?}"),
    }
}

/// Checks store point 5: a job is leased to one consumer, through whichever store the consumers
/// ask.
pub(super) async fn leases_exclude(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let other = medium.open().await;
    let lease = |consumer, most| LeaseJobs { run: RUN, consumer, most };
    play.done(play.enqueue(0, 0, 6)).await;
    assert_eq!(play.lease(ANN, 2).await, [0, 1]);
    assert_eq!(ask(&other, lease(BEN, 2)).await, leased(&[2, 3]));
    assert_eq!(play.lease(ANN, 1).await, [4]);
    // The holder may have moved to another store.
    let release = ReleaseJobs { run: RUN, consumer: ANN, jobs: vec![job(0, 1)] };
    ask(&other, release).await;
    assert_eq!(ask(&other, lease(BEN, 9)).await, leased(&[1, 5]));
    let renew = RenewLeases { run: RUN, consumer: ANN, jobs: ids(0, &[0, 1]) };
    play.check(renew, ids(0, &[1])).await;
    let adopt = AdoptJobs { run: RUN, consumer: ANN, jobs: ids(0, &[1]) };
    play.check(adopt.clone(), leased(&[1])).await;

    // Both take results, each job's once.
    assert_eq!(ask(&other, complete(0, 0..4)).await, all(4, StoreVerdict::Accepted));
    play.check(complete(0, 0..4), all(4, StoreVerdict::Duplicate)).await;
    play.check(adopt, leased(&[])).await;
}

/// Checks store point 3: a lead taken in one store fences the writes of another.
pub(super) async fn leads_fence(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let other = medium.open().await;
    play.done(play.enqueue(0, 0, 2)).await;
    let led = other.execute(TakeLead { run: RUN }).await.expect("the run is there");
    assert_eq!((led.position.cursor, led.table.as_slice()), (2, b"table to 2".as_slice()));
    play.refused(play.enqueue(0, 2, 1), Refusal::Fenced).await;
    play.refused(play.fail("why"), Refusal::Fenced).await;
    play.refused(play.disown(WorkerId(0)), Refusal::Fenced).await;
    play.refused(play.rewind(0, b""), Refusal::Fenced).await;
    play.check(complete(0, 0..2), all(2, StoreVerdict::Accepted)).await;
    play.refused(play.fold(0, 1, AfterFold::SameGeneration), Refusal::Fenced).await;
    play.lead = led.lead;
    let fold = play.fold(0, 1, AfterFold::SameGeneration);
    assert_eq!(ask(&other, fold).await, ());
    assert_eq!(play.position().await.folded, 1);
}

/// Checks membership point 1: a run that is claimed in one store cannot be claimed in another.
pub(super) async fn claims_exclude(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let other = medium.open().await;
    let claim = |coordinator| ClaimRun { run: RUN, coordinator, progress: b"half".to_vec() };
    play.check(claim(ANN), true).await;
    assert!(!ask(&other, claim(BEN)).await);
    let claimed = other.execute(ReadClaim { run: RUN }).await.expect("a store can be read");
    assert_eq!(claimed, Some(RunClaim { coordinator: ANN, progress: b"half".to_vec() }));
    play.done(UnclaimRun { run: RUN, coordinator: ANN }).await;
    assert!(ask(&other, claim(BEN)).await);
    play.check(claim(ANN), false).await;
}

/// Checks that everything written in one store is read in the other, the secret included.
pub(super) async fn all_see_the_same(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let other = medium.open().await;
    let calls: [StoreCall; 6] = [
        play.enqueue(0, 0, 3).into(),
        complete(0, 0..2).into(),
        SteerRun { run: RUN, steer: SteerAction::Pause }.into(),
        AppendEvent { run: RUN, event: b"event".to_vec() }.into(),
        QuarantineWorker { worker: WorkerId(5), reason: "it lied".to_owned() }.into(),
        AnnounceCoordinator { coordinator: ANN, announcement: b"here".to_vec() }.into(),
    ];
    for call in calls {
        play.ask(call.clone()).await;
        let theirs = View::of(&other).await.expect("a store can be read");
        assert_eq!(theirs, play.view().await, "after {call:?}");
    }
    let announced = other.execute(ListCoordinators).await.expect("a store can be read");
    assert_eq!(announced, [(ANN, b"here".to_vec())]);
    let (ours, theirs) = tokio::join!(play.store().execute(ReadSecret), other.execute(ReadSecret));
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
    play.check(EnqueueAndLease { most: 2, ..play.enqueue(0, 1, 2) }, leased(&[0, 1])).await;
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
