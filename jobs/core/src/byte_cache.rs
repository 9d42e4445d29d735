//! A cache of bytes: entries stay until the cache has no room for them.

use std::collections::BTreeMap;
use std::fmt;

use prost::bytes::Bytes;

/// The bytes that were used last, by key, up to a limit.
pub struct ByteCache<K> {
    entries: BTreeMap<K, CachedBytes>,
    n_bytes: usize,
    max_bytes: usize,
    /// The bytes that a caller needs together; may be above the limit.
    needed_bytes: usize,
    /// The number of uses so far: the clock of the cache.
    n_uses: u64,
}

struct CachedBytes {
    bytes: Bytes,
    last_use: u64,
}

impl<K: Ord + Clone> ByteCache<K> {
    /// Creates a cache of `max_bytes`. An entry above this limit stays until the next entry is
    /// added.
    #[must_use]
    pub fn new(max_bytes: usize) -> Self {
        Self { entries: BTreeMap::new(), n_bytes: 0, max_bytes, needed_bytes: 0, n_uses: 0 }
    }

    /// Makes room for `n_bytes` that are needed together, until the next call. So entries that come
    /// one after the other do not evict each other.
    pub fn need(&mut self, n_bytes: usize) {
        self.needed_bytes = n_bytes;
    }

    /// Returns whether the cache has an entry of this key. This check does not count as a use.
    #[must_use]
    pub fn contains(&self, key: &K) -> bool {
        self.entries.contains_key(key)
    }

    /// Returns the bytes of `key`, if the cache has them.
    pub fn get(&mut self, key: &K) -> Option<Bytes> {
        self.n_uses += 1;
        let entry = self.entries.get_mut(key)?;
        entry.last_use = self.n_uses;
        Some(entry.bytes.clone())
    }

    /// Adds an entry, and evicts the entries that have been unused for longest.
    pub fn insert(&mut self, key: K, bytes: Bytes) {
        self.n_uses += 1;
        self.n_bytes += bytes.len();
        let entry = CachedBytes { bytes, last_use: self.n_uses };
        if let Some(before) = self.entries.insert(key, entry) {
            self.n_bytes -= before.bytes.len();
        }
        while self.max_bytes.max(self.needed_bytes) < self.n_bytes && 1 < self.entries.len() {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.last_use);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else { return };
            let evicted = self.entries.remove(&oldest).map_or(0, |entry| entry.bytes.len());
            self.n_bytes -= evicted;
        }
    }
}

impl<K> fmt::Debug for ByteCache<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_bytes, max_bytes, .. } = self;
        f.debug_struct("ByteCache")
            .field("n_bytes", n_bytes)
            .field("max_bytes", max_bytes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_last_stays() {
        let mut cache = ByteCache::new(10);
        let bytes = |n: u8| Bytes::from(vec![n; 4]);
        cache.insert(1, bytes(1));
        cache.insert(2, bytes(2));
        assert_eq!(cache.get(&1), Some(bytes(1)));
        cache.insert(3, bytes(3));
        assert_eq!([1, 2, 3].map(|key| cache.contains(&key)), [true, false, true]);
        cache.insert(3, bytes(4));
        assert_eq!((cache.get(&3), cache.get(&1)), (Some(bytes(4)), Some(bytes(1))));
        cache.need(12);
        cache.insert(5, bytes(5));
        assert_eq!([1, 3, 5].map(|key| cache.contains(&key)), [true; 3]);
        cache.need(0);
        cache.insert(5, vec![5; 11].into());
        assert_eq!([1, 3, 5].map(|key| cache.contains(&key)), [false, false, true]);
    }
}
