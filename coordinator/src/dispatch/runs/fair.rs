//! Fair-share scheduling: a pure decision on which run gets the next place.
//!
//! A *place* is room for one job at a worker, running or waiting there. Jobs are cut to take about
//! the same time, so sharing places is sharing the farm.
//!
//! 1. A higher class goes first, but each lower class that wants places keeps a tenth of all
//!    places. While the class holds less than that tenth rounded down, it gets the next free place.
//!    While it holds less than that tenth rounded up, it gets one place in ten.
//! 2. Within a class, the user with the fewest places is next, and then that user's run with the
//!    fewest places. Between equals, the longest wait decides.
//!
//! No job is interrupted, so shares hold only after each place was free once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use hatchery_store::CoordinatorId;

use crate::base::user::UserName;
use crate::dispatch::workers::slot_limit::SlotClaim;
use crate::run::scheduling::RunPriority;

/// The part of all places that each lower class keeps: one place in this many.
pub(crate) const FLOOR_PART: usize = 10;

/// A run that asks for places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShareRequest<'a> {
    pub(crate) user: &'a UserName,
    pub(crate) priority: RunPriority,
    /// The places that it holds.
    pub(crate) held: usize,
    /// The most places that it can use now.
    pub(crate) most: usize,
    /// The run's last place, as a count of the places given to all runs; 0 for never.
    pub(crate) served: u64,
}

/// The memory of the scheduler: the places that it has given.
#[derive(Debug, Default)]
pub(crate) struct FairScheduler {
    n_given: u64,
    /// The places given to higher classes since each class last got one.
    passed: BTreeMap<RunPriority, usize>,
}

/// Returns the number of places that each of `claims` should have, so that the run can keep as many
/// jobs ready. The numbers add up to `places`, or to all wanted places; each lower class may get
/// one more place for its own tenth.
pub(crate) fn shares(places: usize, claims: &[ShareRequest<'_>]) -> Vec<usize> {
    let mut classes: BTreeMap<RunPriority, BTreeMap<&UserName, Vec<usize>>> = BTreeMap::new();
    for (idx, claim) in claims.iter().enumerate().filter(|(_, claim)| claim.most != 0) {
        let users = classes.entry(claim.priority).or_default();
        users.entry(claim.user).or_default().push(idx);
    }
    let wanted = |users: &BTreeMap<&UserName, Vec<usize>>| -> usize {
        users.values().flatten().map(|&idx| claims[idx].most).sum()
    };
    let floor = |users| wanted(users).min(places / FLOOR_PART);
    let mut kept: usize = classes.values().skip(1).map(floor).sum();
    let (mut left, mut shares) = (places, vec![0; claims.len()]);
    for (nth, users) in classes.values().enumerate() {
        let least = if nth == 0 { 0 } else { places.div_ceil(FLOOR_PART) };
        kept -= if nth == 0 { 0 } else { floor(users) };
        let share = left.saturating_sub(kept).max(least).min(wanted(users));
        left = left.saturating_sub(share);
        let of_user = |runs: &Vec<usize>| {
            let served = runs.iter().map(|&idx| claims[idx].served).max();
            (runs.iter().map(|&idx| claims[idx].most).sum(), served.unwrap_or_default())
        };
        let user_shares = even(share, &users.values().map(of_user).collect::<Vec<_>>());
        for (runs, share) in users.values().zip(user_shares) {
            let of_run = |&idx: &usize| (claims[idx].most, claims[idx].served);
            let run_shares = even(share, &runs.iter().map(of_run).collect::<Vec<_>>());
            runs.iter().zip(run_shares).for_each(|(&idx, share)| shares[idx] = share);
        }
    }
    shares
}

/// Splits `amount` evenly among requests of (wanted, last served). The remainder goes to the
/// requests that have waited longest.
fn even(amount: usize, wanted: &[(usize, u64)]) -> Vec<usize> {
    let mut ascending: Vec<_> = wanted.iter().map(|&(most, _)| most).collect();
    ascending.sort_unstable();
    let (mut left, mut level) = (amount, usize::MAX);
    for (idx, &most) in ascending.iter().enumerate() {
        let n = ascending.len() - idx;
        if left / n < most {
            (level, left) = (left / n, left % n);
            break;
        }
        left -= most;
    }
    let mut shares: Vec<_> = wanted.iter().map(|&(most, _)| most.min(level)).collect();
    let mut longest: Vec<_> = (0..wanted.len()).filter(|&idx| level < wanted[idx].0).collect();
    longest.sort_unstable_by_key(|&idx| (wanted[idx].1, idx));
    longest.into_iter().take(left).for_each(|idx| shares[idx] += 1);
    shares
}

/// Returns the part of a run's slot cap that coordinator `own` may use: proportional to the claimed
/// slots, and exactly `cap` over all coordinators. Slots that cannot be divided go to coordinators
/// that do not yield first, so each coordinator with a worker gets a slot once all others yield.
pub(crate) fn part(
    cap: usize,
    own: CoordinatorId,
    claims: &BTreeMap<CoordinatorId, SlotClaim>,
) -> usize {
    // The slots of the farm are not known yet: all coordinators count the same.
    let known = claims.values().any(|claim| claim.n_slots != 0);
    let weight = |claim: &SlotClaim| if known { claim.n_slots } else { 1 };
    let all: usize = claims.values().map(weight).sum();
    if all == 0 {
        return cap;
    }
    let quota = |claim: &SlotClaim| cap.saturating_mul(weight(claim)) / all;
    let over = cap - claims.values().map(quota).sum::<usize>();
    let mut rest: Vec<_> = claims
        .iter()
        .map(|(&id, claim)| {
            let part = cap.saturating_mul(weight(claim)) % all;
            (part == 0 || claim.yields, Reverse(part), id)
        })
        .collect();
    rest.sort_unstable();
    let one_more = rest.iter().take(over).any(|&(.., id)| id == own);
    claims.get(&own).map_or(0, quota) + usize::from(one_more)
}

/// The runs that want a place now, in the order of their turns.
#[derive(Debug)]
pub(crate) struct TurnQueue<'a> {
    scheduler: &'a mut FairScheduler,
    places: usize,
    classes: BTreeMap<RunPriority, ClassQueue>,
    runs: Vec<QueuedRun>,
}

/// A turn, the smallest first: places held, time of the last place, index.
type TurnKey = (usize, u64, usize);

#[derive(Debug, Default)]
struct ClassQueue {
    held: usize,
    users: Vec<UserQueue>,
    /// The users with a run that wants a place.
    turns: BTreeSet<TurnKey>,
}

#[derive(Debug, Default)]
struct UserQueue {
    held: usize,
    served: u64,
    /// The user's runs that want a place.
    turns: BTreeSet<TurnKey>,
}

#[derive(Debug)]
struct QueuedRun {
    priority: RunPriority,
    user: usize,
    held: usize,
    most: usize,
    served: u64,
}

impl FairScheduler {
    /// Queues `claims` for their turns at `places`.
    pub(crate) fn queue(&mut self, places: usize, claims: &[ShareRequest<'_>]) -> TurnQueue<'_> {
        let mut known: BTreeMap<(RunPriority, &UserName), usize> = BTreeMap::new();
        let mut classes: BTreeMap<RunPriority, ClassQueue> = BTreeMap::new();
        let mut runs = Vec::with_capacity(claims.len());
        for (idx, &ShareRequest { user, priority, held, most, served }) in claims.iter().enumerate()
        {
            let class = classes.entry(priority).or_default();
            let user = *known.entry((priority, user)).or_insert_with(|| {
                class.users.push(UserQueue::default());
                class.users.len() - 1
            });
            class.held += held;
            let holder = &mut class.users[user];
            holder.held += held;
            holder.served = holder.served.max(served);
            if held < most {
                holder.turns.insert((held, served, idx));
            }
            runs.push(QueuedRun { priority, user, held, most, served });
        }
        for class in classes.values_mut() {
            let users = class.users.iter().enumerate();
            let waiting = users.filter(|(_, user)| !user.turns.is_empty());
            class.turns = waiting.map(|(idx, user)| (user.held, user.served, idx)).collect();
        }
        TurnQueue { scheduler: self, places, classes, runs }
    }
}

impl TurnQueue<'_> {
    /// Returns the index of the claim whose turn it is; `None` if none wants a place.
    pub(crate) fn next(&self) -> Option<usize> {
        let mut waiting = self.classes.iter().filter(|(_, class)| !class.turns.is_empty());
        let first = waiting.next()?;
        let due = waiting.filter(|(priority, class)| self.is_due(**priority, class));
        // Among lower classes that are due: one below its own share, or else the one passed over
        // most.
        let due = due.max_by_key(|(priority, class)| {
            let passed = self.scheduler.passed.get(priority);
            (self.lacks_its_own(class), passed, Reverse(**priority))
        });
        let (_, class) = due.unwrap_or(first);
        let &(.., user) = class.turns.first()?;
        let &(.., run) = class.users[user].turns.first()?;
        Some(run)
    }

    /// Returns whether a lower class gets the next place before all others.
    fn is_due(&self, priority: RunPriority, class: &ClassQueue) -> bool {
        let passed = self.scheduler.passed.get(&priority).copied().unwrap_or_default();
        self.lacks_its_own(class)
            || (class.held < self.places.div_ceil(FLOOR_PART) && FLOOR_PART - 1 <= passed)
    }

    /// Returns whether a lower class has fewer places than its own share.
    fn lacks_its_own(&self, class: &ClassQueue) -> bool {
        class.held < self.places / FLOOR_PART
    }

    /// Gives a place to the run of claim `idx`; returns the count of places given, for its next
    /// claim.
    pub(crate) fn give(&mut self, idx: usize) -> u64 {
        self.scheduler.n_given += 1;
        let (given, priority) = (self.scheduler.n_given, self.runs[idx].priority);
        for (&lower, class) in &self.classes {
            if priority < lower && !class.turns.is_empty() {
                *self.scheduler.passed.entry(lower).or_default() += 1;
            }
        }
        self.scheduler.passed.insert(priority, 0);
        self.change(idx, |run, user, class| {
            (run.held, user.held, class.held) = (run.held + 1, user.held + 1, class.held + 1);
            (run.served, user.served) = (given, given);
            run.held < run.most
        });
        given
    }

    /// Withdraws the run of claim `idx`, which cannot use a place now.
    pub(crate) fn withdraw(&mut self, idx: usize) {
        self.change(idx, |_, _, _| false);
    }

    /// Updates a run's places and whether it wants more.
    fn change(
        &mut self,
        idx: usize,
        change: impl FnOnce(&mut QueuedRun, &mut UserQueue, &mut ClassQueue) -> bool,
    ) {
        let run = &mut self.runs[idx];
        let Some(class) = self.classes.get_mut(&run.priority) else { return };
        let user_idx = run.user;
        let mut user = std::mem::take(&mut class.users[user_idx]);
        class.turns.remove(&(user.held, user.served, user_idx));
        user.turns.remove(&(run.held, run.served, idx));
        if change(run, &mut user, class) {
            user.turns.insert((run.held, run.served, idx));
        }
        if !user.turns.is_empty() {
            class.turns.insert((user.held, user.served, user_idx));
        }
        class.users[user_idx] = user;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A class that may have one place more does not go before a class without any place.
    #[test]
    fn a_class_without_its_own_goes_before_one_that_waited_longer() {
        let user = UserName::default();
        let claims = [(RunPriority::High, 11), (RunPriority::Normal, 0), (RunPriority::Low, 1)];
        let claims = claims.map(|(priority, held)| ShareRequest {
            user: &user,
            priority,
            held,
            most: 10_000,
            served: 0,
        });
        let mut scheduler = FairScheduler { n_given: 100, passed: [(RunPriority::Low, 50)].into() };
        assert_eq!(scheduler.queue(12, &claims).next(), Some(1));
    }
}
