//! A fast generator for trials that need more numbers than a leaf of the seed tree makes quickly.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::seed::{StreamRng, unit_f64};

/// A fast generator (xoshiro256++, Blackman & Vigna 2021), which gives the same numbers on every
/// machine.
///
/// The functions are inlined into their callers, so a caller that is compiled for special
/// instructions makes no calls.
#[derive(Clone, Debug)]
pub struct FastRng(Xoshiro256PlusPlus);

impl FastRng {
    /// Creates a generator whose state is the next 256 bits of `seed`.
    #[must_use]
    pub fn seeded_by(seed: &mut StreamRng) -> Self {
        let mut state = [0; 32];
        for bytes in state.chunks_exact_mut(8) {
            bytes.copy_from_slice(&seed.next_u64().to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(state))
    }

    /// Draws 64 uniform bits.
    #[inline(always)]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a uniform integer in `0..n`; 0 if `n` is 0. The probabilities of values differ by at
    /// most one part in 2^32.
    #[inline(always)]
    pub fn below(&mut self, n: u32) -> u32 {
        let product = u128::from(self.next_u64()) * u128::from(n);
        #[expect(clippy::cast_possible_truncation, reason = "below n")]
        let number = (product >> 64) as u32;
        number
    }

    /// Draws a uniform number in `[0, 1)`, a multiple of 2^-53.
    #[inline(always)]
    pub fn unit_f64(&mut self) -> f64 {
        unit_f64(self.next_u64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunSeed;

    #[test]
    fn values_below_a_bound_are_uniform() {
        // Chi-square with 6 degrees of freedom; 22.46 is passed by chance once in 1,000 seeds.
        let mut rng =
            FastRng::seeded_by(&mut RunSeed::new("fast", 1).generation(0).stream("uniform"));
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[rng.below(7) as usize] += 1;
        }
        let off = counts.map(|n| f64::from(n) - 10_000.0);
        let chi_square: f64 = off.iter().map(|off| off * off / 10_000.0).sum();
        assert!(chi_square < 22.46, "{counts:?} gives {chi_square}");
        assert_eq!(rng.below(0), 0);
        assert!((0..10_000).all(|_| (0.0..1.0).contains(&rng.unit_f64())));
    }

    #[test]
    fn numbers_are_those_of_the_reference_code() {
        // xoshiro256plusplus.c with the state 1, 2, 3, 4: the known answers of `rand_xoshiro`.
        let mut state = [0; 32];
        for (bytes, word) in state.chunks_exact_mut(8).zip(1_u64..) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let mut rng = FastRng(Xoshiro256PlusPlus::from_seed(state));
        let expected = [41_943_041, 58_720_359, 3_588_806_011_781_223];
        assert_eq!([(); 3].map(|()| rng.next_u64()), expected);
    }
}
