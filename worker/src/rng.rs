//! Randomness of the process: waits, orders and ids. Never a trial's.

use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A source that gives the same again after the same seed, so that a simulation can be repeated.
#[derive(Debug)]
pub(crate) struct Entropy(ChaCha8Rng);

impl Entropy {
    /// The source that `seed` makes.
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Another source, as good as independent of this one.
    pub(crate) fn fork(&mut self) -> Self {
        Self::new(self.0.next_u64())
    }

    /// 16 random bytes.
    pub(crate) fn id(&mut self) -> [u8; 16] {
        let mut id = [0; 16];
        self.0.fill_bytes(&mut id);
        id
    }

    /// A number in `0..n`; 0 if `n` is 0. Its bias is below 2^-32 for the small `n` of waits.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        let product = u128::from(self.0.next_u64()) * u128::from(n);
        u64::try_from(product >> 64).expect("the high half of a product of two u64 is a u64")
    }

    /// A duration from zero to `most`, in whole microseconds.
    pub(crate) fn up_to(&mut self, most: Duration) -> Duration {
        let most_us = u64::try_from(most.as_micros()).unwrap_or(u64::MAX - 1);
        Duration::from_micros(self.below(most_us.saturating_add(1)))
    }

    /// Puts `items` into a random order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for (end, n) in (1..items.len()).zip(2..) {
            let other = usize::try_from(self.below(n)).expect("below a length");
            items.swap(end, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_again() {
        let draw = |seed| {
            let mut entropy = Entropy::new(seed);
            let mut order: Vec<_> = (0..20).collect();
            entropy.shuffle(&mut order);
            (entropy.id(), order, entropy.below(1000))
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        let (_, mut order, _) = draw(3);
        order.sort_unstable();
        assert_eq!(order, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn draws_stay_within_their_bounds_and_reach_them() {
        let mut entropy = Entropy::new(1);
        let most = Duration::from_micros(3);
        let draws: std::collections::BTreeSet<_> = (0..200).map(|_| entropy.up_to(most)).collect();
        assert_eq!(draws, (0..=3).map(Duration::from_micros).collect());
        assert_eq!(entropy.up_to(Duration::ZERO), Duration::ZERO);
        assert_eq!(entropy.below(0), 0);
        entropy.up_to(Duration::MAX);
    }
}
