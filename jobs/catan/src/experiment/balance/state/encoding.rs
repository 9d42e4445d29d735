//! The encoding of a state. A state without trials is encoded as before states could have trials,
//! without a further byte, because the digest of a run covers its states.

use std::fmt;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::BalanceState;

/// The bit of the number of rounds that says that trials follow; no run has so many rounds.
const HAS_TRIALS: u32 = 1 << 31;

impl Serialize for BalanceState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { candidates, rounds, wins_of_agents, trials } = self;
        match trials {
            None => (candidates, rounds, wins_of_agents).serialize(serializer),
            Some(trials) => {
                (candidates, rounds | HAS_TRIALS, wins_of_agents, trials).serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for BalanceState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple(4, StateVisitor)
    }
}

/// The reader of a state.
struct StateVisitor;

impl<'de> Visitor<'de> for StateVisitor {
    type Value = BalanceState;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the state of a run of catan-balance")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<BalanceState, A::Error> {
        let candidates = field(&mut fields, 0)?;
        let rounds: u32 = field(&mut fields, 1)?;
        let wins_of_agents = field(&mut fields, 2)?;
        let has_trials = rounds & HAS_TRIALS != 0;
        let trials = has_trials.then(|| field(&mut fields, 3)).transpose()?;
        Ok(BalanceState { candidates, rounds: rounds & !HAS_TRIALS, wins_of_agents, trials })
    }
}

fn field<'de, A: SeqAccess<'de>, T: Deserialize<'de>>(
    fields: &mut A,
    idx: usize,
) -> Result<T, A::Error> {
    fields.next_element()?.ok_or_else(|| de::Error::invalid_length(idx, &StateVisitor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::balance::KeptSeries;
    use crate::results::GameOutcome;

    #[test]
    fn states_without_trials_end_after_the_wins() {
        let sums = BalanceState {
            candidates: Vec::new(),
            rounds: 3,
            wins_of_agents: [1, 2, 3, 4],
            trials: None,
        };
        let bytes = postcard::to_allocvec(&sums).unwrap();
        assert_eq!(bytes, [0, 3, 1, 2, 3, 4]);
        assert_eq!(postcard::from_bytes::<BalanceState>(&bytes), Ok(sums.clone()));
        let outcomes = vec![GameOutcome { winner: None, turns: 7 }];
        let kept = KeptSeries { generation: 0, subject: 1, candidate: 0, outcomes };
        for trials in [Vec::new(), vec![kept]] {
            let state = BalanceState { trials: Some(trials), ..sums.clone() };
            let bytes = postcard::to_allocvec(&state).unwrap();
            assert_eq!(postcard::from_bytes::<BalanceState>(&bytes), Ok(state));
            for n_bytes in 0..bytes.len() {
                assert!(postcard::from_bytes::<BalanceState>(&bytes[..n_bytes]).is_err());
            }
        }
    }
}
