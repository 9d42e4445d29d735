//! Files of learners' memories: what is no memory, or that of another learner, is refused.

use std::sync::LazyLock;

use hatchery_core::error_chain;
use hatchery_nets::tensors::TensorFile;
use hatchery_othellonia::learning::reinforcement::{
    LearnedMoves, ReinforcementFileError, ReinforcementLearner, ReinforcementSettings,
};
use hatchery_othellonia::players::model::AgentModel;
use hatchery_othellonia::record::GameRecord;
use proptest::prelude::{ProptestConfig, any, proptest};

use super::{games, learn, learner, random_records, small};
use crate::learning::games::{go_on, stream};

/// The games for the learner: games that it has met, and some more.
static RECORDS: LazyLock<Vec<GameRecord>> = LazyLock::new(|| random_records(12));
const N_MET: usize = 9;

/// The model and the memory of a learner that has learned a little.
static LEARNER: LazyLock<(AgentModel, Vec<u8>)> = LazyLock::new(|| {
    let mut learner = learner(&small());
    learn(&mut learner, &games(&RECORDS[..N_MET]), 4);
    (learner.model().clone(), learner.encode_memory())
});

fn decode(
    memory: &[u8],
    records: &[GameRecord],
    first_item: u64,
    settings: &ReinforcementSettings,
) -> Result<ReinforcementLearner, ReinforcementFileError> {
    let model = LEARNER.0.clone();
    ReinforcementLearner::decode(model, memory, &games(records), first_item, settings)
}

/// Returns why the memory is refused after `change`.
fn refused(change: impl FnOnce(&mut TensorFile)) -> ReinforcementFileError {
    let mut file = TensorFile::decode(&LEARNER.1).unwrap();
    change(&mut file);
    decode(&file.encode(), &RECORDS, 0, &small()).unwrap_err()
}

#[test]
fn memories_are_read_back() {
    let read = decode(&LEARNER.1, &RECORDS, 0, &small()).unwrap();
    assert_eq!((read.encode_memory(), read.steps()), (LEARNER.1.clone(), 4));
}

#[test]
fn memories_of_other_builds_are_refused() {
    for key in ["game", "feature_version", "rules_version"] {
        let error = refused(|file| drop(file.metadata.insert(key.to_owned(), "x".repeat(500))));
        assert!(error.to_string().len() < 150, "{error}");
        assert!(
            matches!(error, ReinforcementFileError::Version { key: named, .. } if named == key)
        );
        let error = refused(|file| drop(file.metadata.remove(key)));
        assert!(matches!(error, ReinforcementFileError::Version { .. }), "{error:?}");
    }
}

#[test]
fn tensors_that_are_missing_or_of_other_sizes_are_refused() {
    let file = TensorFile::decode(&LEARNER.1).unwrap();
    for name in file.tensors.keys() {
        let error = refused(|file| drop(file.tensors.remove(name)));
        let is_typed = match name.contains("deviation") {
            true => {
                matches!(error, ReinforcementFileError::File(_) | ReinforcementFileError::Target)
            }
            false => matches!(error, ReinforcementFileError::File(_)),
        };
        assert!(is_typed, "{name}: {error:?}");
        refused(|file| {
            let tensor = file.tensors.get_mut(name).unwrap();
            let columns: usize = tensor.shape[1..].iter().product();
            tensor.shape[0] -= 1;
            tensor.values.truncate(tensor.shape[0] * columns);
        });
    }
    for name in file.metadata.keys() {
        refused(|file| drop(file.metadata.remove(name)));
        refused(|file| drop(file.metadata.insert(name.clone(), "-1".to_owned())));
    }
}

#[test]
fn targets_of_other_networks_are_refused() {
    let quiet = ReinforcementSettings { noise: 0.0, ..small() };
    let fewer = ReinforcementSettings { bins: 10, ..small() };
    for settings in [quiet, fewer] {
        let error = refused(|file| {
            file.tensors.retain(|name, _| !name.starts_with("target."));
            learner(&settings).model().network().to_tensors("target.", file);
        });
        assert!(matches!(error, ReinforcementFileError::Target), "{error:?}");
    }
}

#[test]
fn games_that_are_not_those_of_the_memory_are_refused() {
    let (memory, settings) = (&LEARNER.1, small());
    let n_items: usize = RECORDS[..N_MET].iter().map(|record| record.actions.len()).sum();
    for (records, first_item) in [
        (&RECORDS[..], 1),
        (&RECORDS[1..], 0),
        (&RECORDS[..N_MET - 1], 0),
        (&[], 0),
        (&[], u64::MAX),
    ] {
        let error = decode(memory, records, first_item, &settings).unwrap_err();
        let is_typed =
            matches!(error, ReinforcementFileError::File(_) | ReinforcementFileError::Games { .. });
        assert!(is_typed, "{error:?}");
    }
    let error = decode(memory, &RECORDS[1..], RECORDS[0].actions.len() as u64 + 1, &settings);
    assert!(error.is_err(), "games that begin a decision later");
    // All that a memory of this capacity holds is there, but no game ends at its last item.
    let small_memory = ReinforcementSettings { capacity: 20, ..small() };
    let mut learner = learner(&small_memory);
    learn(&mut learner, &games(&RECORDS[..N_MET]), 1);
    let error = decode(&learner.encode_memory(), &RECORDS, 3, &small_memory).unwrap_err();
    let expected = format!(
        "a learner's memory of {n_items} items, but no game ends there: the games begin with item 3"
    );
    assert_eq!(error_chain(&error), expected);
    let own = ReinforcementSettings { moves: LearnedMoves::Own, ..small() };
    assert!(decode(memory, &RECORDS, 0, &own).is_err(), "items of other players");
    let fewer = ReinforcementSettings { capacity: 8, ..small() };
    assert!(decode(memory, &RECORDS, 0, &fewer).is_err(), "more items than the capacity");
    let bins = ReinforcementSettings { bins: 12, ..small() };
    let error = decode(memory, &RECORDS, 0, &bins).unwrap_err();
    assert!(matches!(error, ReinforcementFileError::Learn(_)), "{error:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Bytes with a fault are refused, or are another learner, which learns or says why not.
    #[test]
    fn faulty_bytes_are_refused_or_read(
        at in any::<usize>(),
        byte in any::<u8>(),
        cut in any::<bool>(),
    ) {
        let mut bytes = LEARNER.1.clone();
        // Half of the faults are in the header, where lies about sizes are.
        let range = if byte % 2 == 0 { bytes.len() } else { 2_000 };
        let at = at % range;
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] = byte;
        }
        if let Ok(mut read) = decode(&bytes, &RECORDS, 0, &small()) {
            let games = games(&RECORDS);
            read.absorb(&games);
            match read.learn(&games, 2, &stream("steps"), &mut go_on) {
                Ok(summary) => assert!(summary.curve[0].loss_sum.is_finite()),
                Err(failure) => assert!(!failure.error.to_string().is_empty()),
            }
        }
    }
}
