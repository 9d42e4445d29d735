//! Parts as stores keep them: cut into chunks, and their names as bytes.

use hatchery_core::part::PART_CHUNK_BYTES;
use hatchery_core::{Digest, Part};

use super::error::StoreError;

/// The bytes of a name: the hash, and the length as a number of 8 bytes.
const NAME_BYTES: usize = 40;

/// Returns the name of `bytes`.
pub(super) fn part_of(bytes: &[u8]) -> Result<Part, StoreError> {
    Ok(Part::new(Digest::of(bytes), bytes.len() as u64)?)
}

/// Returns the chunks of a part's bytes, in order: one even for no bytes.
pub(super) fn chunks(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let empty = bytes.is_empty().then_some(bytes);
    empty.into_iter().chain(bytes.chunks(PART_CHUNK_BYTES))
}

/// Encodes names, one after the other.
pub(super) fn encode(parts: &[Part]) -> Vec<u8> {
    let name = |part: &Part| -> [u8; NAME_BYTES] {
        let mut name = [0; NAME_BYTES];
        let (hash, n_bytes) = name.split_at_mut(32);
        hash.copy_from_slice(part.hash().as_bytes());
        n_bytes.copy_from_slice(&part.n_bytes().to_be_bytes());
        name
    };
    parts.iter().flat_map(name).collect()
}

/// Decodes names; `None` if these bytes are none.
pub(super) fn decode(bytes: &[u8]) -> Option<Vec<Part>> {
    let (names, []) = bytes.as_chunks::<NAME_BYTES>() else { return None };
    let part = |name: &[u8; NAME_BYTES]| {
        let (hash, n_bytes) = name.split_at(32);
        let n_bytes = u64::from_be_bytes(n_bytes.try_into().ok()?);
        Part::new(Digest::from_bytes(hash)?, n_bytes).ok()
    };
    names.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let parts: Vec<_> = [b"".as_slice(), b"a", b"many"].map(Part::of).into();
        let names = encode(&parts);
        assert_eq!(decode(&names), Some(parts));
        assert_eq!(decode(b""), Some(vec![]));
        assert_eq!(decode(&names[1..]), None);
        assert_eq!(decode(&[0xff; NAME_BYTES]), None, "too long");
    }

    #[test]
    fn no_bytes_are_one_chunk() {
        for n_bytes in [0, 1, PART_CHUNK_BYTES, PART_CHUNK_BYTES + 1, 3 * PART_CHUNK_BYTES] {
            let bytes = vec![1; n_bytes];
            let part = part_of(&bytes).unwrap();
            let n_chunks = usize::try_from(part.n_chunks()).unwrap();
            assert_eq!(chunks(&bytes).count(), n_chunks);
            for (index, chunk) in (0..).zip(chunks(&bytes)) {
                assert_eq!(part.chunk_bytes(index), Some(chunk.len()));
            }
        }
    }
}
