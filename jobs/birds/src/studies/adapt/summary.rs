//! The results of a study, by alpha and by condition.

use hatchery_core::{IntervalEstimate, Measure, MeasureValue};
use hatchery_stats::correlation::spearman;
use hatchery_stats::signed_rank::{SignedRankTest, ZeroTreatment, signed_rank_test};
use hatchery_stats::student::sample_variance;

use super::spec::LevelCondition;
use super::state::{AdaptTrack, FinalPlay};
use super::{AdaptSpec, AdaptState};
use crate::studies::mean_estimate::MeanEstimate;

/// The share of the way to its last value at which a mean counts as arrived.
const ARRIVED: f64 = 0.8;

/// A state and the spec of its run.
#[derive(Clone, Copy, Debug)]
pub(super) struct AdaptSummary<'a> {
    pub(super) spec: &'a AdaptSpec,
    pub(super) state: &'a AdaptState,
}

/// An ideal number of pigs of a subject: what its level is taken for.
#[derive(Clone, Copy, Debug)]
pub(super) enum SubjectPigs {
    /// The ideal number that represents the subject at the end of the rounds with an alpha:
    /// `P_player`.
    AtEnd(usize),
    /// The mean of these over the alphas.
    MeanAtEnd,
    /// The mean over the second half of the rounds, over all alphas, so that swings cancel out.
    MeanOfLate,
}

/// The clear rates of the subjects under a condition.
#[derive(Clone, Debug)]
pub(super) struct ConditionRates {
    pub(super) condition: LevelCondition,
    /// The number of levels that each subject has cleared, and of those it has played.
    counts: Vec<[u32; 2]>,
    pub(super) plays: u64,
    pub(super) cleared: u64,
}

impl ConditionRates {
    /// Returns the share of levels that each subject has cleared.
    pub(super) fn rates(&self) -> Vec<f64> {
        self.counts
            .iter()
            .map(|[cleared, n]| f64::from(*cleared) / f64::from((*n).max(1)))
            .collect()
    }

    /// Returns the mean over subjects.
    pub(super) fn mean(&self) -> Option<MeanEstimate> {
        MeanEstimate::of_shares(&self.rates())
    }

    /// Returns the mean over subjects of the differences from another condition's rates.
    pub(super) fn mean_gain(&self, other: &Self) -> Option<MeanEstimate> {
        let pairs = self.rates().into_iter().zip(other.rates());
        MeanEstimate::of_differences(&pairs.map(|(a, b)| a - b).collect::<Vec<_>>())
    }
}

impl<'a> AdaptSummary<'a> {
    pub(super) const fn new(spec: &'a AdaptSpec, state: &'a AdaptState) -> Self {
        Self { spec, state }
    }

    /// Returns the alphas with their numbers.
    pub(super) fn alphas(&self) -> impl Iterator<Item = (usize, f64)> + use<'a> {
        self.spec.adaptation.alphas.iter().copied().enumerate()
    }

    /// Iterates over the tracks with an alpha, subject by subject.
    pub(super) fn tracks(&self, alpha: usize) -> impl Iterator<Item = &'a AdaptTrack> + use<'a> {
        self.state.tracks.iter().skip(alpha).step_by(self.spec.adaptation.alphas.len().max(1))
    }

    /// Returns the number of rounds played.
    pub(super) fn n_rounds(&self) -> usize {
        self.state.tracks.first().map_or(0, |track| track.rounds.len())
    }

    /// Returns the ideal number of pigs of a track after round `round`, counted from 0.
    pub(super) fn pigs_after(track: &AdaptTrack, round: usize) -> f64 {
        track.rounds.get(round + 1).map_or(track.pigs, |next| next.ideal_pigs)
    }

    /// Returns the mean over subjects of the ideal number of pigs after each round.
    pub(super) fn mean_pigs(&self, alpha: usize) -> Vec<MeanEstimate> {
        let after = |round: usize| {
            let pigs: Vec<f64> =
                self.tracks(alpha).map(|track| Self::pigs_after(track, round)).collect();
            MeanEstimate::of_sizes(&pigs)
        };
        (0..self.n_rounds()).filter_map(after).collect()
    }

    /// Returns an ideal number of pigs of a subject.
    fn subject_pigs(&self, subject: usize, pigs: SubjectPigs) -> f64 {
        let at_end = |alpha| self.state.player_pigs(self.spec, subject, alpha);
        let of_late = |alpha| {
            let track = self.tracks(alpha).nth(subject);
            track.map_or_else(Vec::new, |track| self.pigs_of_late(track))
        };
        let alphas = self.alphas().map(|(alpha, _)| alpha);
        let all: Vec<f64> = match pigs {
            SubjectPigs::AtEnd(alpha) => return at_end(alpha),
            SubjectPigs::MeanAtEnd => alphas.map(at_end).collect(),
            SubjectPigs::MeanOfLate => alphas.flat_map(of_late).collect(),
        };
        MeanEstimate::of_sizes(&all).map_or(0.0, MeanEstimate::mean)
    }

    /// Returns ideal numbers of pigs of the subjects of a group.
    pub(super) fn player_pigs(&self, pigs: SubjectPigs, group: usize) -> Vec<f64> {
        let subjects = 0..self.spec.n_subjects();
        let of_group = subjects.filter(|subject| self.spec.group_of(*subject) == group);
        of_group.map(|subject| self.subject_pigs(subject, pigs)).collect()
    }

    /// Returns the ideal numbers of pigs of a track after each round of the second half.
    fn pigs_of_late(&self, track: &AdaptTrack) -> Vec<f64> {
        let rounds = self.n_rounds() / 2..track.rounds.len();
        rounds.map(|round| Self::pigs_after(track, round)).collect()
    }

    /// Returns the mean over subjects of the standard deviation of the ideal number of pigs over
    /// the second half of the rounds: how much it swings.
    pub(super) fn swing(&self, alpha: usize) -> Option<MeanEstimate> {
        let swings: Vec<f64> = self
            .tracks(alpha)
            .filter_map(|track| sample_variance(&self.pigs_of_late(track)).map(libm::sqrt))
            .collect();
        MeanEstimate::of_sizes(&swings)
    }

    /// Returns the number of rounds after which the mean over subjects has come 80 % of the way,
    /// up or down, from the first ideal number of pigs to the last mean.
    pub(super) fn rounds_to_arrive(&self, alpha: usize) -> Option<usize> {
        let means: Vec<f64> = self.mean_pigs(alpha).into_iter().map(MeanEstimate::mean).collect();
        let (first, last) = (self.spec.adaptation.first().pigs, *means.last()?);
        let target = first + ARRIVED * (last - first);
        let has_arrived =
            |mean: &f64| if first <= last { target <= *mean } else { *mean <= target };
        means.iter().position(has_arrived).map(|round| round + 1)
    }

    /// Returns the rank correlation of skill, by the order of the groups, with an ideal number of
    /// pigs.
    pub(super) fn skill_correlation(&self, pigs: SubjectPigs) -> Option<IntervalEstimate> {
        let points: Vec<[f64; 2]> = (0..self.spec.n_subjects())
            .map(|subject| {
                #[expect(clippy::cast_precision_loss, reason = "at most twenty")]
                let group = self.spec.group_of(subject) as f64;
                [group, self.subject_pigs(subject, pigs)]
            })
            .collect();
        spearman(&points, hatchery_stats::error::ErrorRate::FIVE_PERCENT).ok()
    }

    /// Returns the plays of a subject at the end, in their order: they are next to each other.
    pub(super) fn plays_of(&self, subject: usize) -> impl Iterator<Item = &'a FinalPlay> + use<'a> {
        let plays = &self.state.plays;
        let first = plays.partition_point(|play| play.subject < subject);
        plays[first..].iter().take_while(move |play| play.subject == subject)
    }

    /// Returns the clear rates under each condition; none before the end of the run.
    pub(super) fn clear_rates(&self) -> Vec<ConditionRates> {
        if self.state.plays.is_empty() {
            return Vec::new();
        }
        let conditions = LevelCondition::all(self.spec.adaptation.alphas.len());
        conditions.into_iter().map(|condition| self.rates(condition)).collect()
    }

    fn rates(&self, condition: LevelCondition) -> ConditionRates {
        let (mut counts, mut plays, mut cleared) = (Vec::new(), 0, 0);
        for subject in 0..self.spec.n_subjects() {
            let (mut n, mut n_cleared) = (0_u32, 0_u32);
            for play in self.plays_of(subject).filter(|play| play.condition == condition) {
                n += 1;
                n_cleared += u32::from(play.is_cleared);
            }
            counts.push([n_cleared, n]);
            plays += u64::from(n);
            cleared += u64::from(n_cleared);
        }
        ConditionRates { condition, counts, plays, cleared }
    }

    /// Returns Wilcoxon's signed-rank test of the subjects' clear rates under a condition against
    /// those under the conventional one.
    ///
    /// All subjects play as many levels, so counts stand for rates; they are exact where shares
    /// would hide ties.
    pub(super) fn test(rates: &ConditionRates, all: &[ConditionRates]) -> Option<SignedRankTest> {
        let conventional = all.last().filter(|it| it.condition != rates.condition)?;
        let pairs = rates.counts.iter().zip(&conventional.counts);
        let differences: Vec<f64> =
            pairs.map(|([a, _], [b, _])| f64::from(*a) - f64::from(*b)).collect();
        signed_rank_test(&differences, ZeroTreatment::Drop).ok()
    }

    pub(super) fn measures(&self) -> Vec<Measure> {
        let mut measures = Vec::new();
        let alphas = &self.spec.adaptation.alphas;
        let rates = self.clear_rates();
        for it in &rates {
            let name = format!("{}/clear_rate", it.condition.name(alphas));
            measures.extend(it.mean().map(|mean| Measure::new(name, "", mean.measured())));
        }
        for it in &rates {
            if let Some(test) = Self::test(it, &rates) {
                let name = format!("{}/p_value", it.condition.name(alphas));
                measures.push(Measure::new(name, "", test.p_value()));
            }
        }
        for (number, _) in self.alphas() {
            let condition = LevelCondition::Adapted(number);
            let name = format!("{}/ideal_pigs", condition.name(alphas));
            let mean = match self.mean_pigs(number).last() {
                Some(mean) => mean.measured(),
                None => MeasureValue::Number(self.spec.adaptation.first().pigs),
            };
            measures.push(Measure::new(name, "pigs", mean));
        }
        measures.push(Measure::new("rounds", "rounds", self.n_rounds() as u64));
        measures
    }
}
