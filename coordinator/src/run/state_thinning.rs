//! The retention of past states.
//!
//! The first state and the latest states are kept. Of the states in between, fewer are kept the
//! older they are, so the number of kept states grows with the logarithm of the run's generations.

use std::collections::{BTreeMap, BTreeSet};

use hatchery_core::{Digest, Part, PartMessage};
use prost::Message;

/// The number of last states that are all kept.
pub const LAST_STATES: u32 = 8;

/// A state that is kept.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct KeptState {
    /// The generation that started from it.
    #[prost(uint32, tag = "1")]
    pub generation: u32,
    /// The hashes of its parts, and of the parts that it names: 32 bytes each.
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub hashes: Vec<Vec<u8>>,
}

impl KeptState {
    /// Returns the state of `generation`, which is cut into `parts` and names `named`.
    pub(crate) fn new(generation: u32, parts: &[PartMessage], named: &[Part]) -> Self {
        let named = named.iter().map(|part| part.hash().as_bytes().to_vec());
        let hashes = parts.iter().map(|part| part.hash.clone()).chain(named).collect();
        Self { generation, hashes }
    }
}

/// Returns the states in `kept` that stay before generation `next`: the first state, the last
/// [`LAST_STATES`] states, and the oldest state with an age from 2^k to 2^(k+1) - 1, for every k.
/// That state is the next to reach the age 2^(k+1).
#[must_use]
pub fn thinned(kept: Vec<KeptState>, next: u32) -> Vec<KeptState> {
    let mut oldest: BTreeMap<u32, u32> = BTreeMap::new();
    for KeptState { generation, .. } in &kept {
        let age = next.saturating_sub(*generation).max(1);
        let found = oldest.entry(age.ilog2()).or_insert(*generation);
        *found = (*found).min(*generation);
    }
    let oldest: BTreeSet<u32> = oldest.into_values().collect();
    let stays = |state: &KeptState| {
        let age = next.saturating_sub(state.generation);
        state.generation == 0 || age <= LAST_STATES || oldest.contains(&state.generation)
    };
    kept.into_iter().filter(stays).collect()
}

/// Returns the hashes of all parts that the states in `kept` need.
pub(crate) fn hashes(kept: &[KeptState]) -> BTreeSet<Digest> {
    kept.iter()
        .flat_map(|state| &state.hashes)
        .filter_map(|hash| Digest::from_bytes(hash))
        .collect()
}

/// Returns the last generation up to `generation` whose state is kept.
#[must_use]
pub fn nearest(kept: &[KeptState], generation: u32) -> Option<u32> {
    kept.iter().map(|state| state.generation).filter(|kept| *kept <= generation).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_keeps_few_states_of_all_ages() {
        let mut kept: Vec<KeptState> = Vec::new();
        for generation in 0..3000 {
            kept.push(KeptState { generation, hashes: vec![] });
            let next = generation + 1;
            kept = thinned(kept, next);
            let of_age = |from: u32, to: u32| {
                kept.iter().filter(|state| (from..to).contains(&(next - state.generation))).count()
            };
            assert_eq!(kept[0].generation, 0);
            assert_eq!(of_age(1, LAST_STATES + 1), next.min(LAST_STATES) as usize);
            let mut age = 16;
            while 2 * age < next {
                // As one state leaves for the next age, the following one is on its way.
                assert!((0..=2).contains(&of_age(age, 2 * age)), "age {age} at {next}");
                assert!(1 <= of_age(age / 2, 2 * age), "age {age} at {next}");
                age *= 2;
            }
        }
        let generations: Vec<_> = kept.iter().map(|state| state.generation).collect();
        assert!(generations.len() < 22, "{generations:?}");
        assert_eq!(nearest(&kept, 2999), Some(2999));
        assert_eq!(nearest(&kept, 0), Some(0));
        let old = nearest(&kept, 1000).unwrap();
        assert!(old <= 1000 && generations.contains(&old), "{generations:?}");
    }
}
