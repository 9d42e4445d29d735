//! The points about claims, coordinators, quarantined workers and the farm's secret.

use super::medium::Medium;
use super::play::{ANN, BEN, Play, RUN};
use crate::membership::RunClaim;
use crate::operation::{
    AnnounceCoordinator, ClaimRun, DeleteRun, FindQuarantined, ListCoordinators, ListQuarantined,
    QuarantineWorker, ReadClaim, ReadSecret, UnclaimRun, WithdrawCoordinator,
};
use crate::{CoordinatorId, WorkerId};

/// Checks point 1: a run is claimed by one coordinator at a time, until it gives the run up.
pub(super) async fn a_run_is_claimed_by_one(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let claim = |coordinator, progress: &[u8]| ClaimRun {
        run: RUN,
        coordinator,
        progress: progress.to_owned(),
    };
    let unclaim = |coordinator| UnclaimRun { run: RUN, coordinator };
    let claimed = || ReadClaim { run: RUN };
    let by = |coordinator, progress: &[u8]| {
        Some(RunClaim { coordinator, progress: progress.to_owned() })
    };
    play.check(claimed(), None).await;
    play.done(unclaim(ANN)).await;
    play.check(claim(ANN, b""), true).await;
    play.check(claimed(), by(ANN, b"")).await;
    play.check(claim(BEN, b"mine"), false).await;
    play.check(claimed(), by(ANN, b"")).await;
    play.check(claim(ANN, b"half"), true).await;
    play.done(unclaim(BEN)).await;
    play.check(claimed(), by(ANN, b"half")).await;
    play.done(unclaim(ANN)).await;
    play.check(claimed(), None).await;
    play.check(claim(BEN, b"mine"), true).await;
    play.check(claimed(), by(BEN, b"mine")).await;
}

/// Checks point 2: coordinators are members from their announcement until they withdraw.
pub(super) async fn coordinators_come_and_go(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let announce = |coordinator, announcement: &[u8]| AnnounceCoordinator {
        coordinator,
        announcement: announcement.to_owned(),
    };
    let announced = |all: &[(CoordinatorId, &[u8])]| {
        all.iter().map(|(id, said)| (*id, said.to_vec())).collect()
    };
    let ask = || ListCoordinators;
    play.check(ask(), announced(&[])).await;
    play.done(WithdrawCoordinator { coordinator: ANN }).await;
    let (nine, ten) = (CoordinatorId(9), CoordinatorId(10));
    // Numbers of different length, where an order of digits would differ from that of numbers.
    for coordinator in [BEN, ten, nine, ANN] {
        play.done(announce(coordinator, b"here")).await;
    }
    play.done(announce(ten, b"still here")).await;
    let all: [(CoordinatorId, &[u8]); 4] =
        [(ANN, b"here"), (nine, b"here"), (ten, b"still here"), (BEN, b"here")];
    play.check(ask(), announced(&all)).await;
    play.done(WithdrawCoordinator { coordinator: BEN }).await;
    play.done(WithdrawCoordinator { coordinator: BEN }).await;
    play.check(ask(), announced(&all[..3])).await;
}

/// Checks point 3: a quarantine is durable, and stays as it was given first.
pub(super) async fn a_quarantine_stays(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let quarantine = |worker, reason: &str| QuarantineWorker { worker, reason: reason.to_owned() };
    let quarantined = |all: &[(WorkerId, &str)]| {
        all.iter().map(|(id, reason)| (*id, (*reason).to_owned())).collect()
    };
    let ask = || ListQuarantined;
    let find = |workers: &[WorkerId]| FindQuarantined { workers: workers.to_vec() };
    let (nine, ten, last) = (WorkerId(9), WorkerId(10), WorkerId(u128::MAX));
    play.check(ask(), quarantined(&[])).await;
    play.done(quarantine(last, "it lied")).await;
    play.done(quarantine(ten, "")).await;
    play.done(quarantine(nine, "½")).await;
    play.done(quarantine(last, "another reason")).await;
    let all = [(nine, "½"), (ten, ""), (last, "it lied")];
    play.check(ask(), quarantined(&all)).await;
    play.check(find(&[]), quarantined(&[])).await;
    play.check(find(&[last, WorkerId(8), nine]), quarantined(&[(last, "it lied"), all[0]])).await;
    play.restart().await;
    play.check(ask(), quarantined(&all)).await;
    play.done(quarantine(ten, "now there is a reason")).await;
    play.done(DeleteRun { run: RUN }).await;
    play.check(ask(), quarantined(&all)).await;
}

/// Checks point 3: the secret is made once, and is not all zeros.
pub(super) async fn the_secret_is_made_once(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let (first, second) =
        tokio::join!(play.store().execute(ReadSecret), play.store().execute(ReadSecret));
    let secret = first.expect("a secret can be made");
    assert_ne!(secret, [0; 32]);
    assert_eq!(second.expect("a secret can be made"), secret);
    play.restart().await;
    assert_eq!(play.store().execute(ReadSecret).await.expect("a store can be read"), secret);
}
