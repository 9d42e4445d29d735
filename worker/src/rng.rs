//! Random waits of the process, seeded so that a simulated farm can be repeated. Never a trial's.

use std::time::Duration;

use fastrand::Rng;

/// Returns a duration from zero to `max`, in whole microseconds.
pub(crate) fn random_wait(rng: &mut Rng, max: Duration) -> Duration {
    let max_us = u64::try_from(max.as_micros()).unwrap_or(u64::MAX);
    Duration::from_micros(rng.u64(..=max_us))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn waits_stay_within_their_bounds_and_reach_them() {
        let mut rng = Rng::with_seed(1);
        let max = Duration::from_micros(3);
        let waits: BTreeSet<_> = (0..200).map(|_| random_wait(&mut rng, max)).collect();
        assert_eq!(waits, (0..=3).map(Duration::from_micros).collect());
        assert_eq!(random_wait(&mut rng, Duration::ZERO), Duration::ZERO);
        random_wait(&mut rng, Duration::MAX);
    }

    /// The seed alone decides all that a simulated worker draws.
    #[test]
    fn the_same_seed_gives_the_same_again() {
        let draw = |seed| {
            let mut rng = Rng::with_seed(seed);
            let mut fork = rng.fork();
            let mut order = (0..20).collect::<Vec<_>>();
            rng.shuffle(&mut order);
            (order, rng.u64(..1000), random_wait(&mut fork, Duration::from_secs(1)))
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
