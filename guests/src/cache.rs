//! A cache of compiled modules. The modules that were used last stay, up to a number of modules and
//! of bytes. Compiled code never leaves the process.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hatchery_core::Digest;

use crate::limits::{MAX_CACHED_BYTES, MAX_CACHED_MODULES};

/// The key of a compiled module: the hash of its bytes, and the cap of its memory in pages.
pub(crate) type ModuleKey = (Digest, u32);

/// The values that were used last, by module.
pub(crate) struct ModuleCache<V> {
    /// From the entry that was unused for longest to the entry that was used last. Threads share
    /// the list for a few instructions only; a value is made outside of the lock.
    entries: Mutex<VecDeque<CacheEntry<V>>>,
}

struct CacheEntry<V> {
    key: ModuleKey,
    n_bytes: usize,
    value: Arc<OnceLock<V>>,
}

impl<V> ModuleCache<V> {
    pub(crate) fn new() -> Self {
        Self { entries: Mutex::default() }
    }

    /// Returns the value of a module of `n_bytes` bytes, and makes it if it is not there. Other
    /// threads that ask for the same module meanwhile wait for the value.
    pub(crate) fn get(
        &self,
        key: ModuleKey,
        n_bytes: usize,
        make: impl FnOnce() -> V,
    ) -> Arc<OnceLock<V>> {
        let value = self.entry(key, n_bytes);
        value.get_or_init(make);
        value
    }

    fn entry(&self, key: ModuleKey, n_bytes: usize) -> Arc<OnceLock<V>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let known = entries.iter().position(|entry| entry.key == key);
        let entry = known.and_then(|place| entries.remove(place));
        let entry = entry.unwrap_or_else(|| CacheEntry { key, n_bytes, value: Arc::default() });
        let value = Arc::clone(&entry.value);
        entries.push_back(entry);
        let too_many = |entries: &VecDeque<CacheEntry<V>>| {
            let n_bytes: usize = entries.iter().map(|entry| entry.n_bytes).sum();
            MAX_CACHED_MODULES < entries.len() || MAX_CACHED_BYTES < n_bytes
        };
        while 1 < entries.len() && too_many(&entries) {
            entries.pop_front();
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    use super::*;

    fn key(n: u8) -> ModuleKey {
        (Digest::of(&[n]), 1)
    }

    #[test]
    fn threads_that_ask_at_once_compile_once() {
        let (cache, n_compiled, barrier) = (ModuleCache::new(), AtomicU32::new(0), Barrier::new(4));
        let get = || {
            barrier.wait();
            let value = cache.get(key(0), 1, || n_compiled.fetch_add(1, Ordering::Relaxed));
            value.get().copied()
        };
        thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(get));
            assert_eq!(threads.map(|thread| thread.join().unwrap()), [Some(0); 4]);
        });
        assert_eq!(n_compiled.into_inner(), 1);
    }

    #[test]
    fn modules_that_were_used_last_stay() {
        let cache = ModuleCache::new();
        let get = |n, n_bytes, value| cache.get(key(n), n_bytes, || value).get().copied().unwrap();
        assert_eq!(get(0, MAX_CACHED_BYTES, 1), 1);
        assert_eq!(get(0, MAX_CACHED_BYTES, 2), 1);
        assert_eq!(get(1, 1, 3), 3);
        assert_eq!(get(0, 1, 4), 4, "the large module had to go");
        assert_eq!(get(1, 1, 5), 3);
        for n in 2..=MAX_CACHED_MODULES {
            get(u8::try_from(n).unwrap(), 1, 6);
        }
        assert_eq!(get(1, 1, 7), 3);
        assert_eq!(get(0, 1, 8), 8, "it was unused for longest");
    }
}
