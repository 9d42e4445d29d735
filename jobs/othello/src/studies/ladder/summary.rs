//! The ladder that a state shows.

use hatchery_core::{IntervalEstimate, Measure};
use hatchery_stats::error::ErrorRate;
use hatchery_stats::{PairCounts, PolynomialDegree, PolynomialFit, WeightedPoint, ratio_interval};

use super::spec::{CheckedLadder, LadderSpec};
use super::state::LadderState;
use crate::players::SearchEffort;
use crate::studies::crosstable;
use crate::studies::ratings::{AgentRating, AgentRatings};

/// A ladder with its ratings.
pub(super) struct LadderSummary<'a> {
    pub(super) spec: &'a LadderSpec,
    pub(super) checked: &'a CheckedLadder,
    /// The depths in ascending order.
    pub(super) depths: Vec<DepthSummary>,
    state: &'a LadderState,
    ratings: AgentRatings,
}

/// The results for the agent with one depth.
pub(super) struct DepthSummary {
    pub(super) depth: u32,
    /// The number of games against other depths.
    pub(super) games: u64,
    pub(super) rating: AgentRating,
    /// The score against the deepest agent; `None` of that one, and before the first game.
    pub(super) score: Option<IntervalEstimate>,
    /// `None` before the first game.
    pub(super) effort: Option<SelfPlayEffort>,
}

/// The effort of an agent against itself: means per search. Moves without a choice are not searched
/// for. Intervals take pairs of games, not searches, for independent.
pub(super) struct SelfPlayEffort {
    pub(super) total: SearchEffort,
    pub(super) playouts: IntervalEstimate,
    pub(super) nodes: IntervalEstimate,
    pub(super) deepest_leaf: IntervalEstimate,
}

/// The distance of the highest and the lowest rating.
#[derive(Clone, Copy, Debug)]
pub(super) struct RatingSpan {
    /// The depths with the lowest and the highest rating.
    pub(super) depths: [u32; 2],
    pub(super) difference: IntervalEstimate,
}

impl<'a> LadderSummary<'a> {
    pub(super) fn new(checked: &'a CheckedLadder, state: &'a LadderState) -> Self {
        let spec = &checked.spec;
        let matches = checked.matches.iter().copied().zip(&state.matches);
        let ratings = AgentRatings::new(checked.agents.len(), matches, spec.error_rate);
        let mut summary = Self { spec, checked, depths: Vec::new(), state, ratings };
        summary.depths = (0..spec.depths.len()).map(|at| summary.of_depth(at)).collect();
        summary
    }

    /// Returns the deepest depth.
    pub(super) fn deepest(&self) -> u32 {
        self.spec.depths.last().copied().unwrap_or_default()
    }

    /// Returns the confidence of intervals, in percent.
    pub(super) fn percent(&self) -> f64 {
        100.0 * (1.0 - self.spec.error_rate.get())
    }

    /// Iterates over the matches: the indices of two depths, the shallower first, and its results.
    pub(super) fn matches(&self) -> impl Iterator<Item = ([usize; 2], &'a PairCounts)> {
        self.checked.matches.iter().copied().zip(&self.state.matches)
    }

    /// Iterates over the depths and the effort that every pair of self-play games took. The order
    /// is the plan's order, where self-play follows the matches.
    pub(super) fn self_play(&self) -> impl Iterator<Item = (u32, &'a [SearchEffort])> {
        self.spec.depths.iter().copied().zip(self.state.self_play.iter().map(Vec::as_slice))
    }

    /// Returns the distance of the highest and the lowest rating, which is not below 0; `None` if
    /// fewer than two depths are rated.
    pub(super) fn span(&self) -> Option<RatingSpan> {
        let rated = self.rated();
        let by_elo = |a: &&(usize, f64), b: &&(usize, f64)| a.1.total_cmp(&b.1);
        let (lowest, _) = *rated.iter().min_by(by_elo)?;
        let (highest, _) = *rated.iter().max_by(by_elo)?;
        let difference = self.ratings.difference(highest, lowest)?;
        let difference = IntervalEstimate { low: difference.low.max(0.0), ..difference };
        let depths = [lowest, highest].map(|at| self.depths[at].depth);
        Some(RatingSpan { depths, difference })
    }

    /// Returns the rating of the deepest agent minus that of the shallowest, if both are rated.
    pub(super) fn deepest_over_shallowest(&self) -> Option<IntervalEstimate> {
        self.ratings.difference(self.spec.depths.len().checked_sub(1)?, 0)
    }

    /// Returns the number of games between different depths.
    pub(super) fn n_games(&self) -> u64 {
        self.matches().map(|(_, counts)| 2 * counts.pairs()).sum()
    }

    /// Returns the depths without a finite rating.
    pub(super) fn unrated(&self) -> Vec<&DepthSummary> {
        self.depths.iter().filter(|one| one.rating.rated().is_none()).collect()
    }

    /// Returns each two neighbors with the rating of the deeper one minus that of the other, if
    /// both are rated.
    pub(super) fn neighbors(&self) -> Vec<([u32; 2], Option<IntervalEstimate>)> {
        let pairs = self.spec.depths.windows(2).zip(0..);
        pairs.map(|(pair, at)| ([pair[0], pair[1]], self.ratings.difference(at + 1, at))).collect()
    }

    /// Returns each two rated depths whose Elo intervals overlap, the shallower first.
    pub(super) fn overlapping(&self) -> Vec<[u32; 2]> {
        let overlap = |&([a, b], _): &([usize; 2], &PairCounts)| {
            let elos = [a, b].map(|at| self.depths[at].rating.rated());
            matches!(elos, [Some(a), Some(b)] if intervals_overlap(a, b))
        };
        let depths = |([a, b], _): ([usize; 2], &PairCounts)| [a, b].map(|at| self.spec.depths[at]);
        self.matches().filter(overlap).map(depths).collect()
    }

    /// Returns the best line or parabola through the ratings, weighted by their standard errors;
    /// `None` if too few depths are rated.
    pub(super) fn fit(&self, degree: PolynomialDegree) -> Option<PolynomialFit> {
        let point = |(at, y): (usize, f64)| {
            let standard_error = self.ratings.standard_error(at)?;
            Some(WeightedPoint { x: f64::from(self.spec.depths[at]), y, standard_error })
        };
        let points: Vec<_> = self.rated().into_iter().filter_map(point).collect();
        PolynomialFit::weighted(&points, degree).ok()
    }

    /// Returns the R^2 of a fit of the rated depths; `None` where a curve with so many coefficients
    /// passes through all points, whatever they are.
    pub(super) fn r_squared(&self, fit: &PolynomialFit) -> Option<f64> {
        fit.r_squared().filter(|_| fit.coefficients().len() < self.rated().len())
    }

    /// Returns the indices of the rated depths with their Elo.
    fn rated(&self) -> Vec<(usize, f64)> {
        let elos = self.depths.iter().map(|one| one.rating.rated());
        elos.enumerate().filter_map(|(at, elo)| Some((at, elo?.mean))).collect()
    }

    fn of_depth(&self, at: usize) -> DepthSummary {
        let last = self.spec.depths.len() - 1;
        let own = self.matches().filter(|(depths, _)| depths.contains(&at));
        let against_last = self.matches().find(|(depths, _)| *depths == [at, last]);
        let error_rate = self.spec.error_rate;
        DepthSummary {
            depth: self.spec.depths[at],
            games: own.map(|(_, counts)| 2 * counts.pairs()).sum(),
            rating: self.ratings.rating(at),
            score: against_last
                .and_then(|(_, counts)| crosstable::strength(counts, error_rate))
                .map(|strength| strength.score.interval),
            effort: SelfPlayEffort::new(&self.state.self_play[at], error_rate),
        }
    }
}

impl SelfPlayEffort {
    /// Returns the effort of pairs of games; `None` of fewer than two, or without searches.
    fn new(pairs: &[SearchEffort], error_rate: ErrorRate) -> Option<Self> {
        let per_search = |part: fn(&SearchEffort) -> u64| {
            let groups: Vec<_> = pairs.iter().map(|pair| [part(pair), pair.searches]).collect();
            ratio_interval(&groups, error_rate).ok()
        };
        let mut total = SearchEffort::default();
        pairs.iter().for_each(|pair| total.absorb(pair));
        Some(Self {
            total,
            playouts: per_search(|effort| effort.playouts)?,
            nodes: per_search(|effort| effort.nodes)?,
            deepest_leaf: per_search(|effort| effort.deepest_leaves)?,
        })
    }
}

/// Returns true if two intervals have a number in common.
pub(super) fn intervals_overlap(a: IntervalEstimate, b: IntervalEstimate) -> bool {
    a.low <= b.high && b.low <= a.high
}

/// Returns the ratings, their span, the scores against the deepest agent, and the playouts of a
/// move, each by depth.
///
/// A depth that won or lost all its games has `elo_at_least` or `elo_at_most` in place of `elo`.
/// Then there is no `span`: the report says why.
pub(super) fn measures(summary: &LadderSummary<'_>) -> Vec<Measure> {
    let depths = || summary.depths.iter();
    let name = |depth: u32, what: &str| format!("depth-{depth}/{what}");
    let elos = depths().filter_map(|one| one.rating.measure(&format!("depth-{}", one.depth)));
    let span = summary.span().filter(|_| summary.unrated().is_empty());
    let n_differences = summary.checked.matches.len() as u64;
    let span = span.map(|span| {
        // It is the largest of all differences.
        Measure::new("span", "Elo", span.difference).selected_from(n_differences)
    });
    let scores = depths().filter_map(|one| {
        Some(Measure::new(name(one.depth, "score_against_deepest"), "", one.score?))
    });
    let playouts = depths().filter_map(|one| {
        let effort = one.effort.as_ref()?;
        Some(Measure::new(name(one.depth, "playouts_per_move"), "playouts", effort.playouts))
    });
    elos.chain(span).chain(scores).chain(playouts).collect()
}
