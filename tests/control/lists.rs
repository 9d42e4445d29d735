//! Lists of runs: pages, filters and summaries.

use hatchery_proto::v1::control_server::Control;
use hatchery_proto::v1::{Act, ListOrder, ListRunsRequest, ListRunsResponse, State};
use hatchery_store::operation::{ReadOverviews, SummarizeRun};
use tonic::{Code, Request, Status};

use super::farm::{Farm, id, pig};
use super::{check_refused, steer, submit};

async fn list(farm: &Farm, request: ListRunsRequest) -> Result<ListRunsResponse, Status> {
    Ok(farm.service.list_runs(Request::new(request)).await?.into_inner())
}

/// All runs of a list that is read in pages of `most`.
async fn pages(farm: &Farm, most: u32, request: &ListRunsRequest) -> Vec<String> {
    let mut found = Vec::new();
    let mut after = String::new();
    loop {
        let request = ListRunsRequest { most, after, ..request.clone() };
        let ListRunsResponse { runs, next } = list(farm, request).await.unwrap();
        assert!(runs.len() <= most as usize);
        found.extend(runs.into_iter().map(|run| run.run));
        if next.is_empty() {
            return found;
        }
        after = next;
    }
}

#[tokio::test]
async fn a_list_is_read_by_pages_and_filters() {
    let farm = Farm::start().await;
    let mut runs = Vec::new();
    for n in 0..7 {
        runs.push(submit(&farm, pig(&format!("games = {}", 100 + n)), "").await.unwrap().0);
    }
    // Ids of the same millisecond are in no order.
    runs.sort();
    let reversed: Vec<_> = runs.iter().rev().cloned().collect();
    for most in [1, 2, 7, 100] {
        let oldest = ListRunsRequest { order: ListOrder::OldestFirst.into(), ..Default::default() };
        assert_eq!(pages(&farm, most, &oldest).await, runs);
        let latest = ListRunsRequest { order: ListOrder::LatestFirst.into(), ..Default::default() };
        assert_eq!(pages(&farm, most, &latest).await, reversed);
    }
    for run in &runs[2..4] {
        steer(&farm, run, Act::Cancel).await.unwrap();
    }
    let of = |states: &[State]| ListRunsRequest {
        order: ListOrder::OldestFirst.into(),
        states: states.iter().map(|&state| state.into()).collect(),
        ..ListRunsRequest::default()
    };
    assert_eq!(pages(&farm, 1, &of(&[State::Cancelled])).await, runs[2..4]);
    assert_eq!(pages(&farm, 2, &of(&[State::Active])).await, [&runs[..2], &runs[4..]].concat());
    assert_eq!(pages(&farm, 2, &of(&[State::Active, State::Cancelled])).await, runs);
    let tetris = ListRunsRequest { experiment: "tetris-evolve".to_owned(), ..Default::default() };
    assert!(pages(&farm, 2, &tetris).await.is_empty());
    let ada = ListRunsRequest { user: "ada".to_owned(), ..Default::default() };
    assert!(pages(&farm, 2, &ada).await.is_empty());
    let late = ListRunsRequest { since_unix_ms: u64::MAX, ..Default::default() };
    assert!(pages(&farm, 2, &late).await.is_empty());
    let wrong = ListRunsRequest { after: "page two".to_owned(), ..Default::default() };
    check_refused(list(&farm, wrong).await, Code::InvalidArgument, "page two");
    let wrong = ListRunsRequest { states: vec![0], ..Default::default() };
    check_refused(list(&farm, wrong).await, Code::InvalidArgument, "unknown state");
}

#[tokio::test]
async fn a_run_without_a_summary_gets_it_when_it_is_listed() {
    let farm = Farm::start().await;
    let (run, _) = submit(&farm, pig("games = 100"), "").await.unwrap();
    let before = list(&farm, ListRunsRequest::default()).await.unwrap();
    assert_eq!((before.runs[0].experiment.as_str(), before.runs[0].generations), ("pig", 3));
    // As an earlier version leaves it.
    let store = farm.coordinator.store();
    store.execute(SummarizeRun { run: id(&run), summary: vec![] }).await.unwrap();
    assert_eq!(list(&farm, ListRunsRequest::default()).await.unwrap(), before);
    let overview = store
        .execute(ReadOverviews { runs: vec![id(&run)] })
        .await
        .unwrap()
        .pop()
        .flatten()
        .unwrap();
    assert!(!overview.summary.is_empty());
}
