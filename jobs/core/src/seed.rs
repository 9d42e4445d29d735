//! The seed tree: `RunSeed -> GenerationSeed -> StreamRng`.
//!
//! Only the leaf produces random numbers, and every leaf has a path that names its purpose. A node
//! is derived from its parent by BLAKE3 over a label and length-prefixed parts. So no two paths can
//! collide by concatenation, and more draws from one leaf never move another leaf. The leaf is
//! ChaCha8, a counter-based generator whose output is the same on every platform.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The root of a run's randomness: made from the experiment's name and the spec's seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSeed(SeedNode);

impl RunSeed {
    /// Returns the seed of a run of `experiment` whose spec says `seed`.
    #[must_use]
    pub fn new(experiment: &str, seed: u64) -> Self {
        let root = SeedNode(blake3::derive_key("hatchery 2026-11 run seed", experiment.as_bytes()));
        Self(root.child("seed", &[&seed.to_le_bytes()]))
    }

    /// Returns the seed of the run's `generation`, counted from 0.
    #[must_use]
    pub fn generation(&self, generation: u32) -> GenerationSeed {
        GenerationSeed(self.0.child("generation", &[&generation.to_le_bytes()]))
    }
}

/// The randomness of a generation: of its trials, and of the begin or fold that ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenerationSeed(SeedNode);

impl GenerationSeed {
    /// Returns the stream of trial number `trial` of subject number `subject`.
    #[must_use]
    pub fn trial(&self, draws: Draws, subject: u32, trial: u32) -> StreamRng {
        let trial = trial.to_le_bytes();
        match draws {
            Draws::PerSubject => self.0.child("trial", &[&subject.to_le_bytes(), &trial]),
            Draws::Common => self.0.child("common trial", &[&trial]),
        }
        .stream()
    }

    /// Returns a stream for `begin` or `fold`, named by its purpose: streams of different labels
    /// are independent.
    #[must_use]
    pub fn stream(&self, label: &str) -> StreamRng {
        self.0.child("stream", &[label.as_bytes()]).stream()
    }
}

/// The choice between own and common random numbers for subjects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draws {
    /// Every trial of every subject has numbers of its own.
    PerSubject,
    /// Trial `t` of every subject meets the same numbers (common random numbers).
    Common,
}

/// A stream of random numbers, the same on every machine: the leaf of the seed tree.
#[derive(Clone, Debug)]
pub struct StreamRng(ChaCha8Rng);

impl StreamRng {
    /// Draws 32 uniform bits.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// Draws 64 uniform bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns part number `part` of the stream, from its beginning.
    ///
    /// The numbers of a part occur neither in other parts nor in the stream itself, however much
    /// was drawn from the stream. Parts are for trials that do many things in no particular order;
    /// a part has parts of its own.
    ///
    /// # Panics
    /// If `part` is `u64::MAX`: there are no more nonces.
    #[must_use]
    pub fn part(&self, part: u64) -> Self {
        let key = match self.0.get_stream() {
            0 => self.0.get_seed(),
            // With the whole stream's key, a part's parts would equal those of the whole.
            nonce => SeedNode(self.0.get_seed()).child("part", &[&nonce.to_le_bytes()]).0,
        };
        let mut part_rng = ChaCha8Rng::from_seed(key);
        // The nonce of the stream itself is 0.
        part_rng.set_stream(part.checked_add(1).expect("a part below u64::MAX"));
        Self(part_rng)
    }

    /// Draws an order of the numbers `0..n`, all orders with equal probability (Fisher & Yates,
    /// from the last place to the second).
    ///
    /// # Panics
    /// If `n` is above 2^32.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<_> = (0..n).collect();
        for place in (1..n).rev() {
            let n_left =
                u32::try_from(place + 1).expect("at most 2^32 numbers are put in an order");
            order.swap(place, self.below(n_left) as usize);
        }
        order
    }

    /// Draws a uniform integer in `0..n`, without bias (Lemire 2019, "Fast Random Integer
    /// Generation in an Interval").
    ///
    /// # Panics
    /// If `n` is 0: the interval is empty.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        assert!(n != 0, "below(0) has no value to draw");
        let mut product = u64::from(self.next_u32()) * u64::from(n);
        // Only a low half below `n` can belong to the few over-represented values.
        if low_half(product) < n {
            let excess = n.wrapping_neg() % n;
            while low_half(product) < excess {
                product = u64::from(self.next_u32()) * u64::from(n);
            }
        }
        u32::try_from(product >> 32).expect("a u64 shifted right by 32 bits fits in a u32")
    }

    /// Draws a uniform number in `[0, 1)`: a multiple of 2^-53.
    pub fn unit_f64(&mut self) -> f64 {
        unit_f64(self.next_u64())
    }

    /// Draws a uniform number in `[0, 1)`: a multiple of 2^-24.
    pub fn unit_f32(&mut self) -> f32 {
        const STEP: f32 = 1.0 / 16_777_216.0; // 2^-24
        #[expect(clippy::cast_precision_loss, reason = "24 bits fit in the mantissa")]
        let numerator = (self.next_u32() >> 8) as f32;
        numerator * STEP
    }
}

/// Returns the number in `[0, 1)` that the upper 53 of 64 random bits encode.
#[inline(always)]
pub(crate) fn unit_f64(bits: u64) -> f64 {
    const STEP: f64 = 1.0 / 9_007_199_254_740_992.0; // 2^-53
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit in the mantissa")]
    let numerator = (bits >> 11) as f64;
    numerator * STEP
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is what is asked for")]
fn low_half(product: u64) -> u32 {
    product as u32
}

/// A node of the tree: 256 bits that encode the path from the root.
#[derive(Clone, PartialEq, Eq)]
struct SeedNode([u8; 32]);

impl SeedNode {
    fn child(&self, label: &str, parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in [label.as_bytes()].iter().chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(*hasher.finalize().as_bytes())
    }

    fn stream(&self) -> StreamRng {
        StreamRng(ChaCha8Rng::from_seed(self.0))
    }
}

impl std::fmt::Debug for SeedNode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02x}{:02x}..", self.0[0], self.0[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generation() -> GenerationSeed {
        RunSeed::new("pig", 1).generation(0)
    }

    #[test]
    fn leaf_is_chacha8() {
        // Known answer of ChaCha8 with an all-zero key and nonce (djb's reference, first block).
        let mut rng = SeedNode([0; 32]).stream();
        assert_eq!(rng.next_u32().to_le_bytes(), [0x3e, 0x00, 0xef, 0x2f]);
        assert_eq!(rng.next_u32().to_le_bytes(), [0x89, 0x5f, 0x40, 0xd6]);
    }

    #[test]
    fn every_path_has_its_own_numbers() {
        let seed = generation();
        let mut firsts = vec![
            seed.stream("a").next_u64(),
            seed.stream("b").next_u64(),
            RunSeed::new("pig", 2).generation(0).stream("a").next_u64(),
            RunSeed::new("gip", 1).generation(0).stream("a").next_u64(),
            RunSeed::new("pig", 1).generation(1).stream("a").next_u64(),
            seed.trial(Draws::Common, 0, 0).next_u64(),
        ];
        let mut stream = seed.stream("a");
        firsts.extend((0..10).map(|part| stream.part(part).next_u64()));
        firsts.extend((0..10).map(|part| stream.part(3).part(part).next_u64()));
        firsts.extend((0..10).map(|part| stream.part(part).part(3).part(3).next_u64()));
        let before = stream.part(3).next_u64();
        stream.next_u64();
        assert_eq!(stream.part(3).next_u64(), before);
        for subject in 0..10 {
            firsts.extend((0..10).map(|t| seed.trial(Draws::PerSubject, subject, t).next_u64()));
        }
        let n = firsts.len();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), n);
    }

    #[test]
    fn common_draws_ignore_the_subject() {
        let seed = generation();
        let [mut a, mut b] = [3, 8].map(|subject| seed.trial(Draws::Common, subject, 5));
        assert_eq!(a.next_u64(), b.next_u64());
    }

    #[test]
    fn below_is_uniform() {
        // Chi-square with 6 degrees of freedom; 22.46 is passed by chance once in 1,000 seeds.
        let mut rng = generation().stream("uniform");
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[rng.below(7) as usize] += 1;
        }
        let off = counts.map(|n| f64::from(n) - 10_000.0);
        let chi_square: f64 = off.iter().map(|off| off * off / 10_000.0).sum();
        assert!(chi_square < 22.46, "{counts:?} gives {chi_square}");
    }

    #[test]
    fn units_stay_below_one() {
        let mut rng = generation().stream("unit");
        for _ in 0..10_000 {
            assert!((0.0..1.0).contains(&rng.unit_f64()));
            assert!((0.0..1.0).contains(&rng.unit_f32()));
        }
    }
}
