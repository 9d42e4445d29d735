//! The queue of active runs. The queue decides which runs have a leader, and in which order the
//! other runs get one.
//!
//! A run with a leader costs its coordinator and the store some calls every second, so only as many
//! runs have a leader as can get slots. Runs of a higher priority go first. Within a priority,
//! users take turns, and the runs of a user go in the order of their submission. Every user has at
//! least one led run in each priority class, so nobody waits for the end of another user's long
//! runs. Runs that no connected worker can compute go last.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use hatchery_store::RunId;

use crate::base::user::UserName;
use crate::run::scheduling::RunPriority;

/// The number of led runs in a farm without workers, where a leader only costs.
const LED_WITHOUT_SLOTS: usize = 4;

/// The least number of led runs in a farm with workers, however few slots it has. With a Redis that
/// is 2 ms away, leaders of small runs mostly wait for Redis, and four such leaders keep no slot
/// busy.
const MIN_LED: usize = 16;

/// Led runs per slot: some fold or plan a generation while others compute.
const LED_PER_SLOT: usize = 2;

/// The share of the led runs that each lower class keeps: one in ten.
const FLOOR_PART: usize = 10;

/// The class of a run. Runs that no worker can compute come after all other runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct QueueClass {
    is_unable: bool,
    priority: RunPriority,
}

/// An active run.
#[derive(Clone, Debug)]
struct QueuedRun {
    user: UserName,
    /// The experiment and version: `NAME@VERSION`.
    experiment: String,
    class: QueueClass,
    is_led: bool,
}

/// The active runs of a user in a class.
#[derive(Debug, Default)]
struct UserQueue {
    waiting: BTreeSet<RunId>,
    n_led: usize,
    /// The last turn of the user, as a count of all turns.
    served: u64,
}

/// All active runs that are known.
#[derive(Debug, Default)]
pub(crate) struct RunQueue {
    runs: BTreeMap<RunId, QueuedRun>,
    classes: BTreeMap<QueueClass, BTreeMap<UserName, UserQueue>>,
    /// The experiments that connected workers compute.
    able: BTreeSet<String>,
    n_led: usize,
    n_turns: u64,
}

/// Returns the number of runs that a farm with these slots leads.
pub(super) fn lead_capacity(n_slots: u32) -> usize {
    match n_slots {
        0 => LED_WITHOUT_SLOTS,
        n_slots => (n_slots as usize).saturating_mul(LED_PER_SLOT).max(MIN_LED),
    }
}

impl RunQueue {
    /// Adds a run, unless the queue has it.
    pub(super) fn insert(
        &mut self,
        run: RunId,
        user: &UserName,
        priority: RunPriority,
        experiment: &str,
    ) {
        if self.runs.contains_key(&run) {
            return;
        }
        let class = QueueClass { is_unable: !self.able.contains(experiment), priority };
        let (user, experiment) = (user.clone(), experiment.to_owned());
        self.runs.insert(run, QueuedRun { user, experiment, class, is_led: false });
        self.attach(run);
    }

    /// Removes a run that is not active any more.
    pub(super) fn remove(&mut self, run: RunId) {
        self.detach(run);
        self.runs.remove(&run);
    }

    pub(super) fn contains(&self, run: RunId) -> bool {
        self.runs.contains_key(&run)
    }

    /// Records whether a run has a leader.
    pub(super) fn set_led(&mut self, run: RunId, is_led: bool) {
        if self.runs.get(&run).is_none_or(|known| known.is_led == is_led) {
            return;
        }
        self.detach(run);
        if let Some(known) = self.runs.get_mut(&run) {
            known.is_led = is_led;
        }
        self.attach(run);
    }

    /// Records the experiments that connected workers compute.
    pub(super) fn set_able(&mut self, able: BTreeSet<String>) {
        if able == self.able {
            return;
        }
        self.able = able;
        let is_unable = |run: &QueuedRun| !self.able.contains(&run.experiment);
        let changed = self.runs.iter().filter(|(_, run)| run.class.is_unable != is_unable(run));
        for run in changed.map(|(&run, _)| run).collect::<Vec<_>>() {
            self.detach(run);
            if let Some(known) = self.runs.get_mut(&run) {
                known.class.is_unable = !known.class.is_unable;
            }
            self.attach(run);
        }
    }

    /// Adds the run to the queue of its user.
    fn attach(&mut self, run: RunId) {
        let Some(QueuedRun { user, class, is_led, .. }) = self.runs.get(&run) else { return };
        let queue = self.classes.entry(*class).or_default().entry(user.clone()).or_default();
        if *is_led {
            self.n_turns += 1;
            (queue.n_led, queue.served) = (queue.n_led + 1, self.n_turns);
            self.n_led += 1;
        } else {
            queue.waiting.insert(run);
        }
    }

    /// Removes the run from the queue of its user.
    fn detach(&mut self, run: RunId) {
        let Some(QueuedRun { user, class, is_led, .. }) = self.runs.get(&run) else { return };
        let Some(users) = self.classes.get_mut(class) else { return };
        let Some(queue) = users.get_mut(user) else { return };
        if *is_led {
            queue.n_led -= 1;
            self.n_led -= 1;
        } else {
            queue.waiting.remove(&run);
        }
        if queue.n_led == 0 && queue.waiting.is_empty() {
            users.remove(user);
        }
        if users.is_empty() {
            self.classes.remove(class);
        }
    }

    /// Returns the number of runs without a leader.
    pub(super) fn n_waiting(&self) -> usize {
        self.runs.len() - self.n_led
    }

    /// Returns the run that gets a leader next, in a farm that leads `capacity` runs. Without
    /// `has_room`, only a user without a led run in that priority class gets one.
    pub(super) fn next(&self, capacity: usize, has_room: bool) -> Option<RunId> {
        if has_room && self.n_led < capacity {
            let mut waiting = self.classes.iter().filter(|(_, users)| has_waiting(users));
            let first = waiting.next()?;
            // A lower class that has less than its own share goes first.
            let lacks_its_own = |users: &BTreeMap<UserName, UserQueue>| {
                let n_led: usize = users.values().map(|user| user.n_led).sum();
                n_led < (capacity / FLOOR_PART).max(1)
            };
            let due = waiting.find(|(class, users)| !class.is_unable && lacks_its_own(users));
            let (_, users) = due.unwrap_or(first);
            return first_of(users.values());
        }
        let mut classes = self.classes.iter().filter(|(class, _)| !class.is_unable);
        classes.find_map(|(_, users)| first_of(users.values().filter(|user| user.n_led == 0)))
    }

    /// Returns a led run to give up: a run that no worker can compute, if the farm leads as many
    /// runs as it can and another run waits.
    pub(super) fn next_to_yield(
        &self,
        capacity: usize,
        led: impl Iterator<Item = RunId>,
    ) -> Option<RunId> {
        let mut able = self.classes.iter().filter(|(class, _)| !class.is_unable);
        if self.n_led < capacity || !able.any(|(_, users)| has_waiting(users)) {
            return None;
        }
        let is_unable = |run: &RunId| self.runs.get(run).is_some_and(|run| run.class.is_unable);
        led.filter(is_unable).max()
    }

    /// Returns the place of a run in the queue, 1 for the next run; `None` if the run has a leader
    /// or is not active. Runs that end, are submitted or change their class later are not foreseen.
    pub(crate) fn place(&self, run: RunId) -> Option<u64> {
        let known = self.runs.get(&run).filter(|known| !known.is_led)?;
        let users = self.classes.get(&known.class)?;
        let own = users.get(&known.user)?;
        let ahead = own.waiting.range(..run).count();
        // Users take turns, those with the fewest led runs first.
        let turn = own.n_led + ahead;
        let others = users.iter().filter(|(user, _)| **user != known.user).map(|(user, other)| {
            // Where both have as many led runs, the one that got its last one earlier goes first.
            let is_first = match other.n_led.cmp(&own.n_led) {
                Ordering::Less => false,
                Ordering::Equal => (other.served, user) < (own.served, &known.user),
                Ordering::Greater => true,
            };
            let turns = (turn + usize::from(is_first)).saturating_sub(other.n_led);
            turns.min(other.waiting.len())
        });
        let higher = self.classes.range(..known.class);
        let higher = higher.flat_map(|(_, users)| users.values()).map(|user| user.waiting.len());
        Some((1 + ahead + others.sum::<usize>() + higher.sum::<usize>()) as u64)
    }
}

fn has_waiting(users: &BTreeMap<UserName, UserQueue>) -> bool {
    users.values().any(|user| !user.waiting.is_empty())
}

/// Returns the first run of the user whose turn it is.
fn first_of<'a>(users: impl Iterator<Item = &'a UserQueue>) -> Option<RunId> {
    let waiting = users.filter(|user| !user.waiting.is_empty());
    waiting.min_by_key(|user| (user.n_led, user.served))?.waiting.first().copied()
}

#[cfg(test)]
mod tests {
    use ulid::Ulid;

    use super::*;

    const PIG: &str = "pig@2";

    fn run(id: u128) -> RunId {
        RunId(Ulid(id))
    }

    /// A queue of these runs: id, user, priority. Workers compute `pig@2`.
    fn queue(runs: &[(u128, &str, RunPriority)]) -> RunQueue {
        let mut queue = RunQueue::default();
        queue.set_able(BTreeSet::from([PIG.to_owned()]));
        for &(id, user, priority) in runs {
            queue.insert(run(id), &user.parse().unwrap(), priority, PIG);
        }
        queue
    }

    /// Has `most` runs led, one after the other, and returns them.
    fn lead(queue: &mut RunQueue, capacity: usize, most: usize) -> Vec<u128> {
        let mut led = Vec::new();
        while led.len() < most
            && let Some(next) = queue.next(capacity, true)
        {
            queue.set_led(next, true);
            led.push(next.0.0);
        }
        led
    }

    #[test]
    fn runs_of_a_user_go_in_order_and_users_take_turns() {
        let normal = RunPriority::Normal;
        let runs = [(1, "ada", normal), (2, "ada", normal), (3, "ada", normal), (4, "bob", normal)];
        let mut queue = queue(&runs);
        let places: Vec<_> = runs.iter().map(|&(id, ..)| queue.place(run(id))).collect();
        assert_eq!(places, [Some(1), Some(3), Some(4), Some(2)]);
        assert_eq!(lead(&mut queue, 3, 9), [1, 4, 2]);
        assert_eq!((queue.n_waiting(), queue.place(run(3))), (1, Some(1)));
        assert_eq!(queue.place(run(1)), None);
        queue.remove(run(1));
        assert_eq!(lead(&mut queue, 3, 9), [3]);
    }

    #[test]
    fn places_are_the_order_in_which_runs_get_leaders() {
        let normal = RunPriority::Normal;
        let users = ["ada", "bob", "bob", "cyd", "ada", "ada", "bob", "cyd", "ada", "dan"];
        let runs: Vec<_> = (1..).zip(users).map(|(id, user)| (id, user, normal)).collect();
        let mut queue = queue(&runs);
        lead(&mut queue, 3, 3);
        let mut places: Vec<_> =
            runs.iter().filter_map(|&(id, ..)| Some((queue.place(run(id))?, id))).collect();
        places.sort_unstable();
        let expected: Vec<_> = places.iter().map(|&(_, id)| id).collect();
        assert_eq!(lead(&mut queue, 99, 99), expected);
    }

    #[test]
    fn a_higher_class_goes_first_and_a_lower_one_keeps_a_tenth() {
        let (high, low) = (RunPriority::High, RunPriority::Low);
        let runs: Vec<_> =
            (0..40).map(|id| (id, "ada", if id < 20 { low } else { high })).collect();
        let mut queue = queue(&runs);
        let led = lead(&mut queue, 20, 99);
        assert_eq!(led.iter().filter(|&&id| id < 20).count(), 2, "{led:?}");
    }

    /// docs/REFERENCE.md states these numbers.
    #[test]
    fn two_runs_for_each_slot_are_led_but_at_least_16() {
        let expected = [(0, 4), (1, 16), (8, 16), (9, 18), (1000, 2000)];
        assert_eq!(expected.map(|(n_slots, _)| (n_slots, lead_capacity(n_slots))), expected);
    }

    #[test]
    fn every_user_has_a_led_run_even_if_the_farm_is_full() {
        let normal = RunPriority::Normal;
        let mut queue = queue(&[(1, "ada", normal), (2, "ada", normal), (3, "bob", normal)]);
        queue.set_led(run(1), true);
        queue.set_led(run(2), true);
        assert_eq!(queue.next(2, true), Some(run(3)));
        assert_eq!(queue.next(99, false), Some(run(3)));
        queue.set_led(run(3), true);
        assert_eq!(queue.next(3, true), None);
    }

    #[test]
    fn runs_that_no_worker_computes_go_last_and_give_way() {
        let normal = RunPriority::Normal;
        let mut queue = queue(&[(2, "ada", normal)]);
        queue.insert(run(1), &UserName::default(), RunPriority::High, "catan@1");
        assert_eq!(queue.place(run(1)), Some(2));
        assert_eq!(lead(&mut queue, 4, 9), [2, 1]);
        queue.insert(run(3), &"ada".parse().unwrap(), normal, PIG);
        assert_eq!(queue.next_to_yield(2, [run(1), run(2)].into_iter()), Some(run(1)));
        assert_eq!(queue.next_to_yield(3, [run(1), run(2)].into_iter()), None);
        queue.set_able([PIG, "catan@1"].map(str::to_owned).into());
        assert_eq!(queue.next_to_yield(2, [run(1), run(2)].into_iter()), None);
    }
}
