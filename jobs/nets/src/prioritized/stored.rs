//! Replay memories in files.

use super::{PrioritizedReplay, PrioritySettings};
use crate::tensors::{TensorError, TensorFile};

/// The most items that came into a memory: far from an overflow.
const MAX_PUSHED: u64 = 1 << 53;

impl<T> PrioritizedReplay<T> {
    /// Adds the priorities to `file`, not the items.
    ///
    /// The tensor `{prefix}priorities` has the items' priorities, the oldest first; the metadata
    /// have `{prefix}pushed`, the number of items that came so far, and `{prefix}largest`, the
    /// largest priority so far.
    pub fn to_tensors(&self, prefix: &str, file: &mut TensorFile) {
        let numbers = self.n_pushed - self.len() as u64..self.n_pushed;
        let priority = |number| self.priorities.get(self.place(number));
        #[expect(clippy::cast_possible_truncation, reason = "they were rounded when they were set")]
        let priorities: Vec<_> = numbers.map(|number| priority(number) as f32).collect();
        file.insert(&format!("{prefix}priorities"), &[priorities.len()], &priorities);
        file.metadata.insert(format!("{prefix}pushed"), self.n_pushed.to_string());
        file.metadata.insert(format!("{prefix}largest"), format!("{:e}", self.largest));
    }

    /// Reads the memory that [`Self::to_tensors`] wrote with this prefix: `item` returns the item
    /// with a number. It draws like the memory that was written, if the settings are the same.
    ///
    /// # Errors
    /// If the tensor or a number is missing or malformed, there are more priorities than items that
    /// came or than the capacity, a priority is not above 0 and at most the largest, or an item is
    /// missing.
    ///
    /// # Panics
    /// If a setting is out of its range.
    pub fn from_tensors(
        prefix: &str,
        file: &TensorFile,
        settings: PrioritySettings,
        mut item: impl FnMut(u64) -> Option<T>,
    ) -> Result<Self, TensorError> {
        let name = format!("{prefix}priorities");
        let tensor = file.tensor(&name)?;
        let n_items = tensor.values.len();
        let pushed =
            file.read_metadata(format!("{prefix}pushed"), "a number of items", |text| {
                text.parse().ok().filter(|pushed| (n_items as u64..=MAX_PUSHED).contains(pushed))
            })?;
        let largest = file.read_metadata(
            format!("{prefix}largest"),
            "a number from 1 to below infinity",
            |text| text.parse().ok().filter(|largest: &f32| 1.0 <= *largest && largest.is_finite()),
        )?;
        // An item is replaced only when all places are taken.
        let expected = pushed.min(settings.capacity as u64);
        if tensor.shape.len() != 1 || n_items as u64 != expected {
            let shape = format!("{:?}", tensor.shape);
            return Err(TensorError::Shape { name, shape, expected: format!("[{expected}]") });
        }
        let is_wrong = |priority: &f32| !(0.0 < *priority && *priority <= largest);
        if let Some(index) = tensor.values.iter().position(is_wrong) {
            return Err(TensorError::Priority { name, index });
        }
        let mut replay = Self::new(settings);
        (replay.n_pushed, replay.largest) = (pushed, largest);
        let oldest = pushed - expected;
        // In the order of places: item number n is at n modulo the capacity.
        let first_place = replay.place(oldest);
        for at in 0..n_items {
            let age_rank = (at + n_items - first_place) % n_items;
            let number = oldest + age_rank as u64;
            let found = item(number);
            let missing = || TensorError::NoItem { name: name.clone(), number };
            replay.items.push(found.ok_or_else(missing)?);
            replay.priorities.set(at, tensor.values[age_rank].into());
        }
        Ok(replay)
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::{FastRng, RunSeed};

    use super::*;

    fn settings(capacity: usize) -> PrioritySettings {
        PrioritySettings { capacity, alpha: 0.7, beta: 0.5, epsilon: 1e-6 }
    }

    fn rng() -> FastRng {
        FastRng::seeded_by(&mut RunSeed::new("stored", 1).generation(0).stream("draws"))
    }

    /// Pushes items, draws, and sets losses as a learner does.
    fn live(replay: &mut PrioritizedReplay<u64>, n_items: u64, rng: &mut FastRng) -> Vec<u64> {
        let mut all = Vec::new();
        for _ in 0..n_items {
            replay.push(replay.n_pushed());
            let mut drawn = Vec::new();
            replay.draw(3, rng, &mut drawn);
            for item in &drawn {
                assert_eq!(replay.get(item.number), Some(&item.number));
                replay.set_loss(item.number, 3.0 * rng.unit_f64());
                all.extend([item.number, u64::from(item.weight.to_bits())]);
            }
        }
        all
    }

    fn written(replay: &PrioritizedReplay<u64>) -> TensorFile {
        let mut file = TensorFile::default();
        replay.to_tensors("replay.", &mut file);
        TensorFile::decode(&file.encode()).unwrap()
    }

    #[test]
    fn a_memory_that_is_read_back_draws_the_same() {
        // Empty, with free places, just full, and wrapped around to every place.
        for n_before in [0, 3, 10, 11, 15, 19, 20, 33] {
            let (mut replay, mut draws) = (PrioritizedReplay::new(settings(10)), rng());
            live(&mut replay, n_before, &mut draws);
            let file = written(&replay);
            let back = PrioritizedReplay::from_tensors("replay.", &file, settings(10), Some);
            let (mut back, mut same) = (back.unwrap(), draws.clone());
            let rest = [live(&mut replay, 25, &mut draws), live(&mut back, 25, &mut same)];
            assert_eq!(rest[0], rest[1], "{n_before} items before");
            assert_eq!(written(&replay), written(&back));
        }
    }

    #[test]
    fn what_is_no_memory_is_refused() {
        let mut replay = PrioritizedReplay::new(settings(4));
        live(&mut replay, 6, &mut rng());
        let check = |change: &dyn Fn(&mut TensorFile), expected: &str| {
            let mut file = written(&replay);
            change(&mut file);
            let read = PrioritizedReplay::from_tensors("replay.", &file, settings(4), |number| {
                (number != 5 || expected != NO_ITEM).then_some(number)
            });
            assert_eq!(read.map(|_| ()).unwrap_err().to_string(), expected);
        };
        let set = |key: &str, value: &str| {
            let (key, value) = (format!("replay.{key}"), value.to_owned());
            move |file: &mut TensorFile| {
                file.metadata.insert(key.clone(), value.clone());
            }
        };
        const NO_ITEM: &str =
            "tensor replay.priorities has a priority for item 5, which is not there";
        check(&|_| {}, NO_ITEM);
        let expected = "metadata replay.pushed is 3, but must be a number of items";
        check(&set("pushed", "3"), expected);
        let expected =
            "metadata replay.largest is NaN, but must be a number from 1 to below infinity";
        check(&set("largest", "NaN"), expected);
        let cut = |file: &mut TensorFile| {
            let tensor = file.tensors.get_mut("replay.priorities").unwrap();
            tensor.values.pop();
            tensor.shape = vec![3];
        };
        check(&cut, "tensor replay.priorities has shape [3], but must have [4]");
        for wrong in [0.0, -1.0, 1e30] {
            let wrong = move |file: &mut TensorFile| {
                file.tensors.get_mut("replay.priorities").unwrap().values[2] = wrong;
            };
            let expected =
                "priority 2 of tensor replay.priorities is not above 0 and at most the largest";
            check(&wrong, expected);
        }
    }
}
