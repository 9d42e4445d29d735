//! Replay of experience by priority (Schaul, Quan, Antonoglou & Silver 2016, "Prioritized
//! Experience Replay", section 3.3, the proportional variant).

use hatchery_core::FastRng;

mod stored;
mod sum_tree;

use sum_tree::SumTree;

/// The settings of prioritized replay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrioritySettings {
    /// The most items that are kept, at least 1; a new item replaces the oldest.
    pub capacity: usize,
    /// The power, from 0 to 1, of the loss that an item's probability is proportional to; 0 for
    /// uniform replay.
    pub alpha: f64,
    /// The power, from 0 to 1, of the correction for unequal probabilities; 0 for none.
    pub beta: f64,
    /// The number added to a loss, from 1e-12 to 1, so that each item keeps some probability.
    pub epsilon: f64,
}

/// Items that are drawn in proportion to powers of their last losses.
///
/// Priorities are rounded to 32 bits, so that a file holds them as they are; their sums have 64.
#[derive(Clone, Debug)]
pub struct PrioritizedReplay<T> {
    settings: PrioritySettings,
    /// Item number `n` is at `n` modulo the capacity.
    items: Vec<T>,
    /// The number of items that came so far, including replaced items.
    n_pushed: u64,
    priorities: SumTree,
    /// The largest priority so far, which new items get.
    largest: f32,
}

/// An item that was drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnItem {
    /// The number of the item, in the order of arrival.
    pub number: u64,
    /// The factor of its loss, at most 1: `(n P)^-beta` over the largest such number of the batch.
    pub weight: f32,
}

impl<T> PrioritizedReplay<T> {
    /// The largest loss that counts: sums of priorities stay far from overflow.
    const MAX_LOSS: f64 = 1e12;

    /// Returns an empty memory.
    ///
    /// # Panics
    /// If there is no capacity, or a setting is out of its range.
    #[must_use]
    pub fn new(settings: PrioritySettings) -> Self {
        let PrioritySettings { capacity, alpha, beta, epsilon } = settings;
        assert!(0 < capacity && (1e-12..=1.0).contains(&epsilon), "items have a probability");
        assert!((0.0..=1.0).contains(&alpha) && (0.0..=1.0).contains(&beta), "powers are shares");
        let priorities = SumTree::new(capacity);
        Self { settings, items: Vec::new(), n_pushed: 0, priorities, largest: 1.0 }
    }

    /// Returns the number of items.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns true if there is no item.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the number of items that came so far, including replaced items.
    #[must_use]
    pub const fn n_pushed(&self) -> u64 {
        self.n_pushed
    }

    /// Adds an item with the largest priority so far.
    pub fn push(&mut self, item: T) {
        let place = self.place(self.n_pushed);
        match self.items.get_mut(place) {
            Some(old) => *old = item,
            None => self.items.push(item),
        }
        self.n_pushed += 1;
        self.priorities.set(place, self.largest.into());
    }

    /// Returns item number `number`, or `None` if another has its place.
    #[must_use]
    pub fn get(&self, number: u64) -> Option<&T> {
        self.is_kept(number).then(|| &self.items[self.place(number)])
    }

    /// Draws `n` items, one from each of `n` equal parts of the sum of priorities; none if there is
    /// no item. An item may be drawn more than once.
    pub fn draw(&self, n: u32, rng: &mut FastRng, drawn: &mut Vec<DrawnItem>) {
        drawn.clear();
        if self.is_empty() {
            return;
        }
        let part = self.priorities.sum() / f64::from(n);
        let mut weights = Vec::new();
        for at in 0..n {
            let place = self.priorities.find((f64::from(at) + rng.unit_f64()) * part);
            let number = self.number_at(place);
            weights.push(self.weight(place));
            drawn.push(DrawnItem { number, weight: 1.0 });
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        for (item, weight) in drawn.iter_mut().zip(weights) {
            #[expect(clippy::cast_possible_truncation, reason = "rounded to that of gradients")]
            let weight = (weight / largest) as f32;
            item.weight = weight;
        }
    }

    /// Sets the priority of item number `number` after it gave `loss`, without its weight. Changes
    /// nothing if another item has its place; a loss that is NaN or negative counts as 0.
    pub fn set_loss(&mut self, number: u64, loss: f64) {
        if !self.is_kept(number) {
            return;
        }
        let loss = if 0.0 < loss { loss.min(Self::MAX_LOSS) } else { 0.0 };
        let priority = libm::pow(loss + self.settings.epsilon, self.settings.alpha);
        #[expect(clippy::cast_possible_truncation, reason = "from 1e-12 to 1e12")]
        let priority = priority as f32;
        self.largest = self.largest.max(priority);
        self.priorities.set(self.place(number), priority.into());
    }

    /// Returns the probability that a draw gives item number `number`; 0 if it is not kept.
    #[must_use]
    pub fn probability(&self, number: u64) -> f64 {
        match self.is_kept(number) {
            true => self.priorities.get(self.place(number)) / self.priorities.sum(),
            false => 0.0,
        }
    }

    fn weight(&self, place: usize) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 items")]
        let n_items = self.len() as f64;
        let probability = self.priorities.get(place) / self.priorities.sum();
        libm::pow(n_items * probability, -self.settings.beta)
    }

    fn is_kept(&self, number: u64) -> bool {
        number < self.n_pushed && self.n_pushed - number <= self.len() as u64
    }

    #[expect(clippy::cast_possible_truncation, reason = "below the capacity")]
    const fn place(&self, number: u64) -> usize {
        (number % self.settings.capacity as u64) as usize
    }

    /// Returns the number of the item at `place`.
    fn number_at(&self, place: usize) -> u64 {
        let oldest = self.n_pushed - self.len() as u64;
        let first = self.place(oldest) as u64;
        let capacity = self.settings.capacity as u64;
        oldest + (place as u64 + capacity - first) % capacity
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;

    /// The settings of Kono et al., 9.3.
    fn replay(capacity: usize) -> PrioritizedReplay<u64> {
        let settings = PrioritySettings { capacity, alpha: 0.7, beta: 0.5, epsilon: 1e-6 };
        PrioritizedReplay::new(settings)
    }

    fn rng() -> FastRng {
        FastRng::seeded_by(&mut RunSeed::new("replay", 1).generation(0).stream("draws"))
    }

    /// Returns a memory of four items with the losses 1, 2, 3 and 4.
    fn four_items() -> PrioritizedReplay<u64> {
        let mut replay = replay(4);
        for number in 0..4 {
            replay.push(number);
        }
        (0_u8..4).for_each(|at| replay.set_loss(u64::from(at), f64::from(at + 1) - 1e-6));
        replay
    }

    #[test]
    fn probabilities_and_weights_are_those_of_the_paper() {
        // i^0.7 over its sum for i = 1 to 4, and (4 P)^-0.5 over the largest.
        let probabilities = [0.134_749_281, 0.218_900_852, 0.290_744_383, 0.355_605_484];
        let weights = [1.0, 0.784_584_1, 0.680_781_2, 0.615_572_2];
        let (replay, mut drawn) = (four_items(), Vec::new());
        replay.draw(64, &mut rng(), &mut drawn);
        for (number, (probability, weight)) in (0_u64..).zip(probabilities.into_iter().zip(weights))
        {
            // Priorities have 24 bits.
            let off = (replay.probability(number) - probability).abs();
            assert!(off < 1e-7, "item {number}");
            let of_item: Vec<_> = drawn.iter().filter(|item| item.number == number).collect();
            assert!(!of_item.is_empty(), "64 draws meet each");
            assert!(of_item.iter().all(|item| (item.weight - weight).abs() < 1e-6), "{of_item:?}");
        }
    }

    #[test]
    fn items_are_drawn_in_proportion_to_their_priorities() {
        // 20,000 draws, one from each part: an item's share is off by at most two parts.
        let (replay, mut drawn) = (four_items(), Vec::new());
        replay.draw(20_000, &mut rng(), &mut drawn);
        for number in 0..4 {
            let n_drawn = drawn.iter().filter(|item| item.number == number).count();
            let expected = 20_000.0 * replay.probability(number);
            let off = (f64::from(u32::try_from(n_drawn).unwrap()) - expected).abs();
            assert!(off <= 2.0, "item {number} was drawn {n_drawn} times, not {expected}");
        }
        // Draws of one item are independent: chi-square with 3 degrees of freedom, and 16.27 is
        // passed by chance once in 1,000 seeds.
        let (mut counts, mut rng) = ([0_u32; 4], rng());
        for _ in 0..20_000 {
            replay.draw(1, &mut rng, &mut drawn);
            counts[usize::try_from(drawn[0].number).unwrap()] += 1;
        }
        let chi_square = (0_u64..).zip(counts).map(|(number, count)| {
            let expected = 20_000.0 * replay.probability(number);
            (f64::from(count) - expected) * (f64::from(count) - expected) / expected
        });
        let chi_square: f64 = chi_square.sum();
        assert!(chi_square < 16.27, "{counts:?} gives {chi_square}");
    }

    #[test]
    fn new_items_take_the_place_of_the_oldest_with_the_largest_priority() {
        let mut replay = replay(3);
        assert!(replay.is_empty());
        (0..3).for_each(|item| replay.push(10 * item));
        replay.set_loss(1, 31.0);
        replay.push(30);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|number| replay.get(number).copied()),
            [None, Some(10), Some(20), Some(30), None]
        );
        let same = (replay.probability(3) - replay.probability(1)).abs();
        assert!(same < 1e-12 && 0.4 < replay.probability(3), "the largest so far");
        let before = replay.probability(3);
        replay.set_loss(0, 1e9);
        assert!((replay.probability(3) - before).abs() < 1e-12, "item 0 is gone");
        let mut drawn = Vec::new();
        replay.draw(100, &mut rng(), &mut drawn);
        let numbers = drawn.iter().map(|item| (item.number, replay.get(item.number).copied()));
        assert!(numbers.into_iter().all(|(number, item)| item == Some(10 * number)), "{drawn:?}");
    }

    #[test]
    fn losses_that_are_no_numbers_do_no_harm() {
        let mut replay = replay(5);
        (0..5).for_each(|item| replay.push(item));
        for (number, loss) in (0..).zip([f64::NAN, -1.0, f64::INFINITY, 0.0]) {
            replay.set_loss(number, loss);
        }
        let sum: f64 = (0..5).map(|number| replay.probability(number)).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        assert!(0.0 < replay.probability(3), "a solved item keeps some probability");
        let mut drawn = Vec::new();
        replay.draw(1000, &mut rng(), &mut drawn);
        assert!(drawn.iter().all(|item| (0.0..=1.0).contains(&item.weight) && item.number < 5));
    }
}
