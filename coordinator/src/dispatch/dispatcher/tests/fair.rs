//! For any mix of runs and any order in which places become free: shares are even, floors and caps
//! hold, and every run has a turn.

use std::collections::{BTreeMap, VecDeque};

use hatchery_store::CoordinatorId;
use proptest::prelude::*;

use crate::base::user::UserName;
use crate::dispatch::runs::fair::{FLOOR_PART, FairScheduler, ShareRequest, part, shares};
use crate::dispatch::workers::slot_limit::SlotClaim;
use crate::run::scheduling::RunPriority;

/// A run in a farm of places without workers.
#[derive(Clone, Debug)]
struct Runner {
    user: UserName,
    priority: RunPriority,
    cap: usize,
    held: usize,
    served: u64,
    n_turns: usize,
}

/// Places with their holders, in the order in which the places were given. Every run always wants
/// more places.
struct Farm {
    scheduler: FairScheduler,
    runs: Vec<Runner>,
    taken: VecDeque<usize>,
    places: usize,
}

fn runner(user: usize, priority: RunPriority, cap: usize) -> Runner {
    let user = format!("u{user}").parse().unwrap();
    Runner { user, priority, cap, held: 0, served: 0, n_turns: 0 }
}

fn claim(run: &Runner) -> ShareRequest<'_> {
    let &Runner { ref user, priority, cap: most, held, served, .. } = run;
    ShareRequest { user, priority, held, most, served }
}

impl Farm {
    fn new(places: usize, runs: Vec<Runner>) -> Self {
        Self { scheduler: FairScheduler::default(), runs, taken: VecDeque::new(), places }
    }

    /// Gives the free places away; returns the runs that got a place.
    fn fill(&mut self) -> Vec<usize> {
        let claims: Vec<_> = self.runs.iter().map(claim).collect();
        let mut queue = self.scheduler.queue(self.places, &claims);
        let mut given = Vec::new();
        while self.taken.len() + given.len() < self.places
            && let Some(idx) = queue.next()
        {
            given.push((idx, queue.give(idx)));
        }
        for &(idx, served) in &given {
            let run = &mut self.runs[idx];
            (run.held, run.served, run.n_turns) = (run.held + 1, served, run.n_turns + 1);
            self.taken.push_back(idx);
        }
        given.into_iter().map(|(idx, _)| idx).collect()
    }

    /// Ends the job in the `nth` oldest of the taken places.
    fn free(&mut self, nth: usize) {
        if !self.taken.is_empty() {
            let idx = self.taken.remove(nth % self.taken.len()).unwrap();
            self.runs[idx].held -= 1;
        }
    }

    /// Ends each job once, the oldest first.
    fn turn_over(&mut self) {
        for _ in 0..self.places {
            self.free(0);
            self.fill();
        }
    }

    fn held_by(&self, class: RunPriority) -> usize {
        self.runs.iter().filter(|run| run.priority == class).map(|run| run.held).sum()
    }

    /// Checks that users have equally many places, give or take one, and the runs of each user give
    /// or take two: a place that a user's run leaves can be due to another user.
    fn check_even(&self) {
        let mut users: BTreeMap<&UserName, Vec<usize>> = BTreeMap::new();
        for run in &self.runs {
            users.entry(&run.user).or_default().push(run.held);
        }
        let spread = |held: &[usize]| held.iter().max().unwrap() - held.iter().min().unwrap();
        let sums: Vec<usize> = users.values().map(|held| held.iter().sum()).collect();
        assert!(spread(&sums) <= 1, "users have {sums:?}");
        for (user, held) in users {
            assert!(spread(&held) <= 2, "runs of {user} have {held:?}");
        }
    }
}

fn priority() -> impl Strategy<Value = RunPriority> {
    prop_oneof![Just(RunPriority::High), Just(RunPriority::Normal), Just(RunPriority::Low)]
}

fn equals() -> impl Strategy<Value = Vec<Runner>> {
    prop::collection::vec((0..5_usize).prop_map(|u| runner(u, RunPriority::Normal, 10_000)), 1..40)
}

fn mixed() -> impl Strategy<Value = Vec<Runner>> {
    let cap = prop_oneof![3 => Just(10_000), 1 => 1..6_usize];
    let run = (0..4_usize, priority(), cap);
    prop::collection::vec(run.prop_map(|(user, class, cap)| runner(user, class, cap)), 1..20)
}

/// Generates the places that become free together, again and again.
fn freed() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(prop::collection::vec(0..80_usize, 0..80), 0..20)
}

proptest! {
    #[test]
    fn users_are_within_one_place_of_even(
        runs in equals(), places in 1..80_usize, freed in freed(),
    ) {
        let mut farm = Farm::new(places, runs);
        // The first run was there before anybody else, and has all places.
        farm.taken = std::iter::repeat_n(0, places).collect();
        farm.runs[0].held = places;
        farm.turn_over();
        farm.check_even();
        for freed in freed {
            freed.into_iter().for_each(|nth| farm.free(nth));
            farm.fill();
            farm.check_even();
        }
    }

    #[test]
    fn floors_and_caps_hold_and_nothing_is_left_free(
        runs in mixed(), places in 1..80_usize, freed in freed(),
    ) {
        let mut farm = Farm::new(places, runs);
        farm.fill();
        farm.turn_over();
        for freed in freed {
            freed.into_iter().for_each(|nth| farm.free(nth));
            farm.fill();
            let wanted: usize = farm.runs.iter().map(|run| run.cap).sum();
            prop_assert_eq!(farm.taken.len(), places.min(wanted));
            prop_assert!(farm.runs.iter().all(|run| run.held <= run.cap));
            for class in [RunPriority::High, RunPriority::Normal, RunPriority::Low] {
                let of_class = farm.runs.iter().filter(|run| run.priority == class);
                let wanted: usize = of_class.map(|run| run.cap).sum();
                let (held, floor) = (farm.held_by(class), (places / FLOOR_PART).min(wanted));
                prop_assert!(floor <= held, "{:?} has {} of {}", class, held, places);
            }
        }
    }

    #[test]
    fn nobody_starves(runs in mixed(), places in 1..40_usize) {
        let n_runs = runs.len();
        let mut farm = Farm::new(places, runs);
        farm.fill();
        // A tenth of the turns for each class, and at worst four users who share them.
        for _ in 0..(12 * 4 * n_runs + 10 * places) {
            farm.free(0);
            farm.fill();
        }
        for run in &farm.runs {
            prop_assert!(run.n_turns != 0, "{:?} has had no turn", run);
        }
    }

    #[test]
    fn so_many_are_at_hand_as_the_turns_will_call_for(runs in mixed(), places in 0..80_usize) {
        let claims: Vec<_> = runs.iter().map(claim).collect();
        let shares = shares(places, &claims);
        let sum: usize = shares.iter().sum();
        let all = places.min(runs.iter().map(|run| run.cap).sum());
        prop_assert!((all..=all + 2).contains(&sum), "{} of {}", sum, all);
        let mut farm = Farm::new(places, runs.clone());
        farm.fill();
        for (run, share) in farm.runs.iter().zip(shares) {
            prop_assert!(share <= run.cap);
            // Of several classes, lower ones have something at hand for their turns.
            let one_class = runs.iter().all(|other| other.priority == run.priority);
            prop_assert!(!one_class || run.held.abs_diff(share) <= 1, "{:?}: {}", run, share);
        }
    }

    #[test]
    fn a_cap_is_divided_without_a_rest(
        cap in 1..1000_usize,
        claims in prop::collection::btree_map(
            (0..100_u128).prop_map(CoordinatorId),
            (0..500_usize, any::<bool>())
                .prop_map(|(n_slots, yields)| SlotClaim { n_slots, yields }),
            1..6,
        ),
    ) {
        let parts: Vec<_> = claims.keys().map(|&id| part(cap, id, &claims)).collect();
        prop_assert_eq!(parts.iter().sum::<usize>(), cap);
        let all: usize = claims.values().map(|claim| claim.n_slots).sum();
        for (part, claim) in parts.iter().zip(claims.values()) {
            prop_assert!(all == 0 || (part * all).abs_diff(cap * claim.n_slots) < all);
        }
        let with_slots = parts.iter().zip(claims.values()).filter(|(_, it)| it.n_slots != 0);
        let first: Vec<_> = with_slots.filter(|(_, claim)| !claim.yields).collect();
        if let [(part, _)] = first[..] {
            prop_assert!(0 < *part, "all others yield");
        }
    }
}

#[test]
fn a_higher_class_goes_first_and_a_lower_one_keeps_a_tenth_of_the_turns() {
    for places in 1..10 {
        let classes = [RunPriority::High, RunPriority::Normal, RunPriority::Low];
        let mut farm = Farm::new(places, classes.map(|class| runner(0, class, 10_000)).to_vec());
        let mut turns = [0; 3];
        for _ in 0..1000 {
            farm.free(0);
            farm.fill().into_iter().for_each(|idx| turns[idx] += 1);
        }
        let [high, normal, low] = turns;
        assert!(750 <= high, "{turns:?} of {places} places");
        assert!(83 <= normal && 83 <= low, "{turns:?} of {places} places");
    }
    // A class that is alone has all there is.
    let mut farm = Farm::new(20, vec![runner(0, RunPriority::Low, 10_000)]);
    assert_eq!(farm.fill().len(), 20);
}

#[test]
fn many_runs_do_not_make_a_user_greater() {
    let mut runs = vec![runner(0, RunPriority::Normal, 10_000); 50];
    runs.push(runner(1, RunPriority::Normal, 10_000));
    for places in 1..100 {
        let mut farm = Farm::new(places, runs.clone());
        farm.fill();
        let one = farm.runs[50].held;
        assert!((places / 2..=places.div_ceil(2)).contains(&one), "{one} of {places}");
    }
}
