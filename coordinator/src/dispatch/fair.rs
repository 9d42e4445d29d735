//! Who gets the next place: a pure decision over what each run has and wants.
//!
//! A *place* is room for a job at a worker: what runs there, and what waits behind it. Jobs are cut
//! to take about the same time, so that sharing places is sharing the farm.
//!
//! 1. A higher class goes first, but of each lower class that wants places, a tenth is its own: it
//!    has a tenth of all places, rounded down, whenever one is free; and up to a tenth rounded up it
//!    has one place of ten that are given.
//! 2. Within a class the user with the fewest places is next, and of its runs the one with the
//!    fewest; among equals, the one that waits longest.
//!
//! Nobody is interrupted: places are shared so after each was free once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::scheduling::{Priority, User};

/// The part of all places that each lower class keeps: one in ten.
pub(super) const FLOOR_PART: usize = 10;

/// A run and its places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim<'a> {
    pub(super) user: &'a User,
    pub(super) priority: Priority,
    /// The places that it has.
    pub(super) held: usize,
    /// The most places that it could have now.
    pub(super) most: usize,
    /// When it was given a place last, by the count of all that were given; 0 for never.
    pub(super) served: u64,
}

/// What is remembered of the places that were given.
#[derive(Debug, Default)]
pub(super) struct Rota {
    n_given: u64,
    /// How many places each class has seen go to higher ones since it got one.
    passed: BTreeMap<Priority, usize>,
}

/// How many places each of `claims` should have of `places`, so that it can have so many jobs ready
/// for its turns. The sum is that of all places or of all that is wanted; each lower class may have
/// one more, for the tenth place that is its own.
pub(super) fn shares(places: usize, claims: &[Claim<'_>]) -> Vec<usize> {
    let mut classes: BTreeMap<Priority, BTreeMap<&User, Vec<usize>>> = BTreeMap::new();
    for (idx, claim) in claims.iter().enumerate().filter(|(_, claim)| claim.most != 0) {
        let users = classes.entry(claim.priority).or_default();
        users.entry(claim.user).or_default().push(idx);
    }
    let wanted = |users: &BTreeMap<&User, Vec<usize>>| -> usize {
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

/// Shares `amount` among those who want so much and were served then: as evenly as whole numbers
/// can be, and what is over goes to those who wait longest.
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

/// How many of a run's `cap` on slots are those of coordinator `own`, where the coordinators have
/// these slots: in proportion, and together exactly `cap`.
pub(super) fn part(cap: usize, own: u128, slots: &BTreeMap<u128, usize>) -> usize {
    // A farm whose slots are not known yet: each counts the same.
    let known = slots.values().any(|&slots| slots != 0);
    let weights = slots.iter().map(|(&id, &slots)| (id, if known { slots } else { 1 }));
    let weights: Vec<(u128, usize)> = weights.collect();
    let all: usize = weights.iter().map(|&(_, weight)| weight).sum();
    if all == 0 {
        return cap;
    }
    let quota = |weight: usize| cap.saturating_mul(weight) / all;
    let over = cap - weights.iter().map(|&(_, weight)| quota(weight)).sum::<usize>();
    let mut rest: Vec<_> = weights
        .iter()
        .map(|&(id, weight)| (Reverse(cap.saturating_mul(weight) % all), id))
        .collect();
    rest.sort_unstable();
    let one_more = rest.iter().take(over).any(|&(_, id)| id == own);
    let own = weights.iter().find(|&&(id, _)| id == own);
    own.map_or(0, |&(_, weight)| quota(weight)) + usize::from(one_more)
}

/// Those who want a place now, in the order of their turns.
#[derive(Debug)]
pub(super) struct Queue<'a> {
    rota: &'a mut Rota,
    places: usize,
    classes: BTreeMap<Priority, Class>,
    runs: Vec<Run>,
}

/// A turn: whoever has the smallest is next. The places held, when one was given last, and who.
type Turn = (usize, u64, usize);

#[derive(Debug, Default)]
struct Class {
    held: usize,
    users: Vec<Holder>,
    /// The users among whose runs somebody wants a place.
    turns: BTreeSet<Turn>,
}

#[derive(Debug, Default)]
struct Holder {
    held: usize,
    served: u64,
    /// Its runs that want a place.
    turns: BTreeSet<Turn>,
}

#[derive(Debug)]
struct Run {
    priority: Priority,
    user: usize,
    held: usize,
    most: usize,
    served: u64,
}

impl Rota {
    /// The turns of `claims` for some of `places`.
    pub(super) fn queue(&mut self, places: usize, claims: &[Claim<'_>]) -> Queue<'_> {
        let mut known: BTreeMap<(Priority, &User), usize> = BTreeMap::new();
        let mut classes: BTreeMap<Priority, Class> = BTreeMap::new();
        let mut runs = Vec::with_capacity(claims.len());
        for (idx, &Claim { user, priority, held, most, served }) in claims.iter().enumerate() {
            let class = classes.entry(priority).or_default();
            let user = *known.entry((priority, user)).or_insert_with(|| {
                class.users.push(Holder::default());
                class.users.len() - 1
            });
            class.held += held;
            let holder = &mut class.users[user];
            holder.held += held;
            holder.served = holder.served.max(served);
            if held < most {
                holder.turns.insert((held, served, idx));
            }
            runs.push(Run { priority, user, held, most, served });
        }
        for class in classes.values_mut() {
            let users = class.users.iter().enumerate();
            let waiting = users.filter(|(_, user)| !user.turns.is_empty());
            class.turns = waiting.map(|(idx, user)| (user.held, user.served, idx)).collect();
        }
        Queue { rota: self, places, classes, runs }
    }
}

impl Queue<'_> {
    /// Whose turn it is: an index into the claims; `None` if nobody wants a place.
    pub(super) fn next(&self) -> Option<usize> {
        let mut waiting = self.classes.iter().filter(|(_, class)| !class.turns.is_empty());
        let first = waiting.next()?;
        let due = waiting.filter(|(priority, class)| self.is_due(**priority, class));
        // Among lower classes that are due, one that has less than its own, or else the one that was
        // passed over most.
        let due = due.max_by_key(|(priority, class)| {
            let passed = self.rota.passed.get(priority);
            (self.lacks_its_own(class), passed, Reverse(**priority))
        });
        let (_, class) = due.unwrap_or(first);
        let &(.., user) = class.turns.first()?;
        let &(.., run) = class.users[user].turns.first()?;
        Some(run)
    }

    /// Whether a lower class is to have the next place, whoever else wants it.
    fn is_due(&self, priority: Priority, class: &Class) -> bool {
        let passed = self.rota.passed.get(&priority).copied().unwrap_or_default();
        self.lacks_its_own(class)
            || (class.held < self.places.div_ceil(FLOOR_PART) && FLOOR_PART - 1 <= passed)
    }

    /// Whether a lower class has less than the places that are its own.
    fn lacks_its_own(&self, class: &Class) -> bool {
        class.held < self.places / FLOOR_PART
    }

    /// A place was given to the run of claim `idx`; returns when, for its next claim.
    pub(super) fn give(&mut self, idx: usize) -> u64 {
        self.rota.n_given += 1;
        let (given, priority) = (self.rota.n_given, self.runs[idx].priority);
        for (&lower, class) in &self.classes {
            if priority < lower && !class.turns.is_empty() {
                *self.rota.passed.entry(lower).or_default() += 1;
            }
        }
        self.rota.passed.insert(priority, 0);
        self.change(idx, |run, user, class| {
            (run.held, user.held, class.held) = (run.held + 1, user.held + 1, class.held + 1);
            (run.served, user.served) = (given, given);
            run.held < run.most
        });
        given
    }

    /// The run of claim `idx` can't have a place now.
    pub(super) fn withdraw(&mut self, idx: usize) {
        self.change(idx, |_, _, _| false);
    }

    /// Changes what a run has, and whether it still wants more.
    fn change(
        &mut self,
        idx: usize,
        change: impl FnOnce(&mut Run, &mut Holder, &mut Class) -> bool,
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
mod tests;
