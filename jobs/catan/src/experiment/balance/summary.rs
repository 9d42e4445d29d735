//! All that a state shows, computed once for measures and files.

use hatchery_core::Estimate;
use hatchery_stats::{FairnessVerdict, OutcomeCounts};

use super::spec::Spec;
use super::state::{Candidate, State};
use crate::balance::{AmongMany, Balance, among_many};
use crate::experiment::method::Course;
use crate::results::Results;

/// All that a state shows.
#[derive(Debug)]
pub(super) struct Summary<'a> {
    pub(super) spec: &'a Spec,
    pub(super) state: &'a State,
    pub(super) course: Course,
    /// The maps, the best first: fair ones, undecided, unfair, and those only screened; among each
    /// of them, the more even ones.
    pub(super) maps: Vec<MapSummary<'a>>,
    /// Maps of the same origin together, in the order of the spec.
    pub(super) groups: Vec<Group>,
    /// All maps together.
    pub(super) all: Group,
}

/// What is shown of a map.
#[derive(Debug)]
pub(super) struct MapSummary<'a> {
    pub(super) candidate: &'a Candidate,
    pub(super) results: &'a Results,
    pub(super) stage: Stage,
    /// The rest is none without decided games.
    pub(super) shown: Option<Shown>,
}

/// What the decided games of a map say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    /// With the bounds of sigma that the method has.
    pub(super) balance: Balance,
    pub(super) among: AmongMany,
}

/// How far a map has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It is or was compared with other candidates; it has no verdict.
    Screened,
    /// It is or was judged.
    Judged(FairnessVerdict),
}

/// Maps together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) n_maps: usize,
    pub(super) results: Results,
    pub(super) balance: Option<Balance>,
}

impl<'a> Summary<'a> {
    pub(super) fn new(spec: &'a Spec, state: &'a State) -> Self {
        let course = spec.course().expect(super::CHECKED);
        let candidates = &state.candidates;
        let results: Vec<Results> = candidates.iter().map(|candidate| *candidate.shown()).collect();
        let among = among_many(&results, course.margin());
        let maps = candidates.iter().zip(among);
        let mut maps: Vec<_> =
            maps.map(|(map, among)| MapSummary::new(map, among, &course)).collect();
        // The sort is stable: equals stay in the order of the spec.
        maps.sort_by(|a, b| {
            let by_stage = a.stage.rank().cmp(&b.stage.rank());
            by_stage.then(a.unevenness().total_cmp(&b.unevenness()))
        });
        let mut groups: Vec<Group> = Vec::new();
        for candidate in candidates {
            if groups.last().is_none_or(|group| group.name != candidate.group) {
                let members = candidates.iter().filter(|other| other.group == candidate.group);
                groups.push(Group::new(&candidate.group, members, &course));
            }
        }
        let all = Group::new("all maps", candidates.iter(), &course);
        Self { spec, state, course, maps, groups, all }
    }

    /// How many maps have this verdict.
    pub(super) fn judged(&self, verdict: FairnessVerdict) -> usize {
        self.maps.iter().filter(|map| map.stage == Stage::Judged(verdict)).count()
    }

    /// Maps with decided games, and what these say.
    pub(super) fn shown(&self) -> impl Iterator<Item = (&MapSummary<'a>, Shown)> {
        self.maps.iter().filter_map(|map| Some((map, map.shown?)))
    }
}

impl<'a> MapSummary<'a> {
    fn new(candidate: &'a Candidate, among: Option<AmongMany>, course: &Course) -> Self {
        let results = candidate.shown();
        let balance = Balance::of(results, course.error_rate());
        let shown = balance.zip(among).map(|(mut balance, among)| {
            let counts = OutcomeCounts::new(&results.wins).expect("there is a balance");
            let (low, high) = course.sigma_interval(counts);
            let sigma = &mut balance.spread.sigma;
            *sigma = Estimate { low: low.min(sigma.mean), high: high.max(sigma.mean), ..*sigma };
            Shown { balance, among }
        });
        let stage = candidate.verdict(course).map_or(Stage::Screened, Stage::Judged);
        Self { candidate, results, stage, shown }
    }

    /// The debiased variance of the rates, which allows for different numbers of games.
    fn unevenness(&self) -> f64 {
        self.shown.map_or(f64::INFINITY, |shown| shown.balance.spread.debiased_variance)
    }
}

impl Stage {
    fn rank(self) -> u8 {
        match self {
            Self::Judged(FairnessVerdict::Fair) => 0,
            Self::Judged(FairnessVerdict::Undecided) => 1,
            Self::Judged(FairnessVerdict::Unfair) => 2,
            Self::Screened => 3,
        }
    }

    /// The verdict in a word.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Screened => "screened",
            Self::Judged(FairnessVerdict::Fair) => "fair",
            Self::Judged(FairnessVerdict::Unfair) => "unfair",
            Self::Judged(FairnessVerdict::Undecided) => "undecided",
        }
    }
}

impl Group {
    fn new<'a>(
        name: &str,
        members: impl Iterator<Item = &'a Candidate> + Clone,
        course: &Course,
    ) -> Self {
        let results = Results::together(members.clone().map(Candidate::shown));
        let balance = Balance::of(&results, course.error_rate());
        Self { name: name.to_owned(), n_maps: members.count(), results, balance }
    }
}
