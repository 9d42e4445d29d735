//! Xorshift64: the work of a trial, and bytes that no compression makes shorter.

use hatchery_core::TrialContext;

/// The rounds between two signs of progress: about a millisecond.
const ROUNDS_PER_BEAT: u64 = 1 << 19;

/// Returns the result of `rounds` rounds of xorshift64 from `start`. Each round needs the round
/// before, so no compiler and no processor can skip rounds.
#[must_use]
pub fn burn(rounds: u32, start: u64) -> u64 {
    rounds_from(start | 1, rounds.into())
}

/// Returns the same as [`burn`], for any number of rounds, with signs of progress in between. Ends
/// early when the result is not wanted any more.
pub(crate) fn burn_long(rounds: u64, start: u64, context: &TrialContext<'_>) -> u64 {
    // 0 leads to 0.
    let (mut x, mut done) = (start | 1, 0);
    while done < rounds {
        if done != 0 && context.beat(done, rounds).is_break() {
            return x;
        }
        let next = ROUNDS_PER_BEAT.min(rounds - done);
        x = rounds_from(x, next);
        done += next;
    }
    x
}

fn rounds_from(start: u64, rounds: u64) -> u64 {
    (0..rounds).fold(start, |x, _| xorshift64(x))
}

fn xorshift64(mut x: u64) -> u64 {
    x ^= x << 13;
    x ^= x >> 7;
    x ^ (x << 17)
}

/// Returns `n_bytes` bytes that no compression makes shorter. Each `start` gives another sequence.
pub(crate) fn noise(start: u64, n_bytes: u32) -> Vec<u8> {
    let words = std::iter::successors(Some(xorshift64(start | 1)), |&x| Some(xorshift64(x)));
    let n_bytes = n_bytes as usize;
    let mut bytes = Vec::with_capacity(n_bytes.next_multiple_of(8));
    words.take(n_bytes.div_ceil(8)).for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
    bytes.truncate(n_bytes);
    bytes
}
