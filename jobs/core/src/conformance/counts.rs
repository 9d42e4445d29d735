//! Checks of the counts in tallies: no count from a hostile worker may overflow a sum.

use prost::bytes::Buf;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, encode_key};
use prost::encoding::{encode_varint, skip_field};

use crate::erased::EncodedBytes;
use crate::experiment::{Experiment, TallyOf};
use crate::panic::catch_panic;
use crate::simulation::{Simulation, Tally, Work};
use crate::wire::{DecodeError, WireValue};

use super::recording::Recording;
use super::violation::{Violation, shown};

/// Large values of a count. The farm adds up the trials of a series. A series has fewer than 2^32
/// trials, so even a count of 2^32 per trial may fit into 64 bits.
const LARGE: [u64; 9] = [
    u64::MAX,
    u64::MAX >> 1,
    u64::MAX >> 2,
    u64::MAX >> 8,
    u64::MAX >> 16,
    u64::MAX >> 24,
    u64::MAX >> 27,
    u64::MAX >> 31,
    // The largest number of a field of 32 bits.
    u64::MAX >> 32,
];

/// The largest size of a sum in bytes: tallies with lists grow with every trial.
const MAX_BYTES: usize = 4 << 10;

/// The most numbers that are replaced in a tally, or in a list within a tally.
const MAX_NUMBERS: usize = 12;

/// The deepest message within a tally whose numbers are replaced.
const MAX_DEPTH: u32 = 3;

/// Checks that a tally names its number of trials. Checks that a tally with large counts, as a
/// hostile worker may send it, is decoded only if a whole series of such tallies can be added up:
/// sums of counts are exact.
///
/// # Errors
/// [`Violation::Overflows`], [`Violation::DecodePanics`], or [`Violation::Wrong`] if a tally has
/// another number of trials.
pub fn large_counts_are_refused<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    for generation in recording.some_generations() {
        let shared = generation.shared::<E::Simulation>()?;
        for block in generation.blocks::<E::Simulation>()? {
            let whole = block.play_block(&shared, &block.streams);
            let expected = block.streams.len() as u64;
            if whole.n_trials() != expected {
                let what = format!("the number of trials in the tally of {}", block.of);
                let (found, expected) = (whole.n_trials().to_string(), expected.to_string());
                return Err(Violation::wrong(what, found, expected));
            }
        }
    }
    // Tallies of one simulation have the same counts, so those of one trial are enough.
    let first = recording.first_generation();
    let shared = first.shared::<E::Simulation>()?;
    for block in first.blocks::<E::Simulation>()?.iter().take(1) {
        let honest = block.play(&shared, 0).encode();
        for bytes in with_large_counts(&honest) {
            check::<E>(&format!("the tally of a trial of {}", block.of), &bytes)?;
        }
    }
    Ok(())
}

/// Checks that the tally `bytes` of a single trial is refused, or can be added up.
fn check<E: Experiment>(what: &str, bytes: &[u8]) -> Result<(), Violation> {
    let decoded = catch_panic(|| TallyOf::<E>::decode(bytes).map(|tally| tally.n_trials()));
    let decoded = decoded
        .map_err(|_| Violation::DecodePanics { what: what.to_owned(), bytes: shown(bytes) })?;
    // The coordinator refuses a tally of another number of trials.
    let Ok(1) = decoded else { return Ok(()) };
    let (mut n_trials, mut sum) = (1_u64, bytes.to_vec());
    while n_trials <= u64::from(u32::MAX) / 2 && sum.len() <= MAX_BYTES {
        n_trials *= 2;
        let doubled = catch_panic(|| doubled::<E>(&sum));
        let doubled = doubled.ok().and_then(Result::ok).flatten();
        sum = doubled.ok_or_else(|| Violation::Overflows {
            what: what.to_owned(),
            bytes: shown(bytes),
            n_trials,
        })?;
    }
    Ok(())
}

/// Returns a tally that has absorbed itself; `None` if its trials or its work do not add up.
fn doubled<E: Experiment>(bytes: &[u8]) -> Result<Option<EncodedBytes>, DecodeError> {
    let mut sum = TallyOf::<E>::decode(bytes)?;
    let n_trials = sum.n_trials();
    let work = E::Simulation::work(&sum);
    sum.absorb(TallyOf::<E>::decode(bytes)?);
    let twice = |count: u64, sum: u64| count.checked_mul(2) == Some(sum);
    let after = E::Simulation::work(&sum);
    let mut works = work.iter().zip(&after);
    let adds_up = works.all(|(Work { count, .. }, after)| twice(*count, after.count));
    Ok((adds_up && twice(n_trials, sum.n_trials())).then(|| sum.encode()))
}

/// Returns copies of an encoded value with one or two large numbers.
fn with_large_counts(bytes: &[u8]) -> Vec<EncodedBytes> {
    let mut message = bytes;
    if prost::decode_length_delimiter(&mut message).is_err() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for large in LARGE {
        for once in replaced(message, large, MAX_DEPTH) {
            all.extend(replaced(&once, large, MAX_DEPTH).into_iter().map(|twice| framed(&twice)));
            all.push(framed(&once));
        }
    }
    all
}

/// Returns a message with its length before it.
fn framed(message: &[u8]) -> EncodedBytes {
    let mut bytes = Vec::new();
    encode_varint(message.len() as u64, &mut bytes);
    bytes.extend(message);
    bytes
}

/// Returns copies of a message. Each copy has one number replaced by `large`.
fn replaced(message: &[u8], large: u64, depth: u32) -> Vec<EncodedBytes> {
    let mut all = Vec::new();
    let mut rest = message;
    while !rest.is_empty() && all.len() < MAX_NUMBERS {
        let before = &message[..message.len() - rest.len()];
        let Ok((tag, wire_type)) = decode_key(&mut rest) else { return all };
        let value = rest;
        if skip_field(wire_type, tag, &mut rest, DecodeContext::default()).is_err() {
            return all;
        }
        let value = &value[..value.len() - rest.len()];
        for new in values(value, wire_type, large, depth) {
            let mut copy = before.to_vec();
            encode_key(tag, wire_type, &mut copy);
            copy.extend(new);
            copy.extend(rest);
            all.push(copy);
        }
    }
    all
}

/// Returns the values that a field may hold instead of `value`, with the length of each if the
/// field has a length.
fn values(mut value: &[u8], wire_type: WireType, large: u64, depth: u32) -> Vec<EncodedBytes> {
    match wire_type {
        WireType::Varint => vec![varint(large)],
        WireType::SixtyFourBit => vec![large.to_le_bytes().to_vec()],
        WireType::ThirtyTwoBit => vec![u32::MAX.to_le_bytes().to_vec()],
        WireType::LengthDelimited if depth != 0 => {
            // Its length was read before.
            prost::decode_length_delimiter(&mut value).unwrap_or(0);
            let messages = replaced(value, large, depth - 1);
            messages.into_iter().chain(lists(value, large)).map(|new| framed(&new)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns copies of a packed list of numbers. Each copy has one number replaced by `large`.
fn lists(list: &[u8], large: u64) -> Vec<EncodedBytes> {
    let mut all = Vec::new();
    let mut rest = list;
    while rest.has_remaining() && all.len() < MAX_NUMBERS {
        let before = &list[..list.len() - rest.len()];
        if decode_varint(&mut rest).is_err() {
            return Vec::new();
        }
        all.push([before, &varint(large), rest].concat());
    }
    all
}

fn varint(number: u64) -> EncodedBytes {
    let mut bytes = Vec::new();
    encode_varint(number, &mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;

    #[derive(Clone, PartialEq, Message)]
    struct Inner {
        #[prost(uint64, tag = "1")]
        count: u64,
    }

    #[derive(Clone, PartialEq, Message)]
    struct Outer {
        #[prost(uint64, tag = "1")]
        count: u64,
        #[prost(uint64, repeated, tag = "2")]
        list: Vec<u64>,
        #[prost(message, optional, tag = "3")]
        inner: Option<Inner>,
        #[prost(fixed64, tag = "4")]
        fixed: u64,
    }

    #[test]
    fn every_number_and_every_pair_is_made_large() {
        let small = Outer { count: 1, list: vec![2, 3], inner: Some(Inner { count: 4 }), fixed: 5 };
        let copies = with_large_counts(&small.encode_length_delimited_to_vec());
        let all: Vec<_> =
            copies.iter().filter_map(|copy| Outer::decode_length_delimited(&**copy).ok()).collect();
        let max = u64::MAX;
        let has = |expected: Outer| assert!(all.contains(&expected), "{expected:?}");
        has(Outer { count: max, ..small.clone() });
        has(Outer { list: vec![2, max], ..small.clone() });
        has(Outer { inner: Some(Inner { count: max }), ..small.clone() });
        has(Outer { count: max, fixed: max, ..small.clone() });
        has(Outer { list: vec![max, 3], inner: Some(Inner { count: max }), ..small });
    }
}
