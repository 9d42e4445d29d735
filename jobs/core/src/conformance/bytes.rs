//! Checks of encoded values: values that are sent, and values that are stored.

use crate::erased::{EncodedBytes, decode_state, encode_state};
use crate::experiment::{Experiment, SharedOf, TallyOf};
use crate::panic::catch_panic;
use crate::seed::{RunSeed, StreamRng};
use crate::simulation::Simulation;
use crate::wire::{DecodeError, WireValue};

use super::recording::{Recording, SERIES, spread};
use super::violation::{Difference, Violation, shown};

/// The number of prefixes of a value that are checked. Most values have fewer, and all are checked.
const PREFIXES: usize = 1024;

/// The number of damaged copies of a value that are checked.
const DAMAGED: usize = 64;

/// Checks that shared inputs, subjects, tallies and states have the same bytes when they are
/// decoded and encoded again: the farm compares and hashes bytes instead of values.
///
/// # Errors
/// [`Violation::Reencoded`]
pub fn decoded_values_encode_the_same<E: Experiment>(
    recording: &Recording<E>,
) -> Result<(), Violation> {
    for Sent { what, bytes, reencode } in sent(recording) {
        Difference::check(&what, &reencode(bytes)?, bytes).map_err(Violation::Reencoded)?;
    }
    Ok(())
}

/// Checks that truncated bytes and bytes with one byte too many are refused, and that no damage
/// makes a decoder panic.
///
/// # Errors
/// [`Violation::Accepted`] and [`Violation::DecodePanics`]
pub fn damaged_bytes_are_refused<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    let mut rng = RunSeed::new("conformance", 1).generation(0).stream("damage");
    for sent in sent(recording) {
        let Sent { what, bytes, .. } = &sent;
        let longer = [bytes, &[0][..]].concat();
        let prefixes = spread(bytes.len(), PREFIXES).map(|n| &bytes[..n]);
        for damaged in prefixes.chain([&longer[..]]) {
            if sent.decodes(damaged)? {
                let (what, n_bytes) = (what.clone(), bytes.len());
                return Err(Violation::Accepted { what, n_bytes, n_given: damaged.len() });
            }
        }
        for _ in 0..DAMAGED {
            // These may be refused or not: some still encode a value.
            sent.decodes(&damage(bytes, &mut rng))?;
        }
    }
    Ok(())
}

/// A value that is sent or stored, encoded.
struct Sent<'a> {
    /// A description of the value.
    what: String,
    bytes: &'a EncodedBytes,
    /// Decodes bytes as such a value and encodes the value again.
    reencode: fn(&[u8]) -> Result<EncodedBytes, DecodeError>,
}

impl Sent<'_> {
    /// Returns true if `bytes` decode as such a value.
    fn decodes(&self, bytes: &[u8]) -> Result<bool, Violation> {
        // Decoders own all that they change, so nothing half-changed is seen afterwards.
        match catch_panic(|| (self.reencode)(bytes).is_ok()) {
            Ok(is_decoded) => Ok(is_decoded),
            Err(_) => Err(Violation::DecodePanics { what: self.what.clone(), bytes: shown(bytes) }),
        }
    }
}

/// Returns some of the values that the run sends and stores.
fn sent<E: Experiment>(recording: &Recording<E>) -> Vec<Sent<'_>> {
    let mut all = Vec::new();
    for generation in recording.some_generations() {
        let number = generation.number;
        let of = format!("generation {number}");
        all.push(Sent {
            what: format!("the state before {of}"),
            bytes: &generation.state,
            reencode: state::<E>,
        });
        all.push(Sent {
            what: format!("the shared input of {of}"),
            bytes: &generation.plan.shared,
            reencode: wire::<SharedOf<E>>,
        });
        for idx in spread(generation.tallies.len(), SERIES) {
            let of = format!("series {idx} of {of}");
            all.push(Sent {
                what: format!("the subject of {of}"),
                bytes: &generation.plan.series[idx].subject,
                reencode: wire::<<E::Simulation as Simulation>::Subject>,
            });
            all.push(Sent {
                what: format!("the tally of {of}"),
                bytes: &generation.tallies[idx],
                reencode: wire::<TallyOf<E>>,
            });
        }
    }
    all.push(Sent {
        what: "the last state".to_owned(),
        bytes: &recording.last,
        reencode: state::<E>,
    });
    all
}

fn state<E: Experiment>(bytes: &[u8]) -> Result<EncodedBytes, DecodeError> {
    Ok(encode_state(&decode_state::<E::State>(bytes)?))
}

fn wire<W: WireValue>(bytes: &[u8]) -> Result<EncodedBytes, DecodeError> {
    Ok(W::decode(bytes)?.encode())
}

/// Returns `bytes` with one to three bytes changed.
fn damage(bytes: &[u8], rng: &mut StreamRng) -> EncodedBytes {
    let mut damaged = bytes.to_vec();
    for _ in 0..=rng.below(3) {
        let n_bytes = u32::try_from(bytes.len()).unwrap_or(u32::MAX).max(1);
        let idx = usize::try_from(rng.below(n_bytes)).unwrap_or(0);
        let change = 1 << rng.below(8);
        damaged.iter_mut().skip(idx).take(1).for_each(|byte| *byte ^= change);
    }
    damaged
}
