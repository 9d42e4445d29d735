//! Summaries and intervals that hold up.
//!
//! Every formula cites its source, and every interval has a test of how often it covers the truth.
//! Sums are exact integers until the last division; all functions come from `libm`, so results are
//! the same on every machine.
//!
//! - scores: [`summary`], [`mean`], [`median`](mod@median), [`replicates`], [`five_numbers`]
//! - shares of outcomes: [`proportion`], [`multinomial`]; tests that they are equal:
//!   [`uniformity`], estimates of how far they are apart: [`mod@spread`], and tests that this is
//!   below a margin: [`equivalence`]; how far one varies from series to series:
//!   [`mod@share_variation`]
//! - strength of players: [`elo`], [`mod@match_elo`] and [`score_mean`] of [`match_counts`],
//!   [`sprt`], and ratings of many players, [`bradley_terry`]; pairs of games: [`pair_counts`]; the
//!   mixture of strategies that no other strategy beats: [`matrix_game`]
//! - any statistic of grouped samples: [`bootstrap`]; ratios of their sums: [`ratio`]; the slope
//!   of a line: [`regression`]
//! - straight lines and parabolas through points: [`polynomial`]; sums of multiples of several
//!   quantities: [`linear_model`]
//! - points that are alike: [`clustering`]; items that go together: [`association`]
//! - pairs of numbers: [`signed_rank`] tests that one is not larger than the other on the whole;
//! - two groups of numbers: [`rank_sum`] tests that neither tends to be larger;
//!   [`correlation`]
//! - many looks: [`sequential`]; many tests: [`multiplicity`]; many series: [`shrinkage`],
//!   [`halving`]
//! - differences of two means: [`welch`]; their ratio: [`mod@mean_ratio`]; differences of two
//!   estimates of any kind: [`mod@estimate_difference`]
//! - distributions: [`normal`], [`student`], [`gamma`], [`chi_square`]

pub mod deciding;
pub mod error;

pub mod estimate_difference;
pub mod five_numbers;
pub mod mean;
pub mod mean_ratio;
pub mod median;
pub mod replicates;
pub mod summary;

pub mod equivalence;
pub mod multinomial;
pub mod proportion;
pub mod share_variation;
pub mod spread;
pub mod uniformity;

pub mod bradley_terry;
pub mod elo;
pub mod match_counts;
pub mod match_elo;
pub mod matrix_game;
pub mod pair_counts;
pub mod score_mean;
pub mod sprt;

pub mod bootstrap;
pub mod linear_model;
pub mod polynomial;
pub mod ratio;
pub mod regression;

pub mod association;
pub mod clustering;

pub mod correlation;
pub mod rank_sum;
mod ranks;
pub mod signed_rank;

pub mod halving;
pub mod multiplicity;
pub mod sequential;
pub mod shrinkage;

mod bisection;
pub mod chi_square;
mod count;
pub mod gamma;
pub mod normal;
mod orthogonal_basis;
pub mod student;
pub mod welch;

pub use association::{AssociationRule, FrequentItemSets, ItemSet, ItemSetLimits};
pub use bootstrap::{bootstrap_interval, bootstrap_strata, bootstrap_totals};
pub use bradley_terry::{PairRecord, PlayerRating, RatingFit, RatingPrior, ResultTable};
pub use clustering::{PointClusters, WardMerge, WardTree, k_means};
pub use correlation::{pearson, spearman};
pub use deciding::{deciding_chance, further_samples};
pub use elo::{ELO_LIMIT, elo_of_score, least_rating, score_of_elo};
pub use equivalence::{EquivalenceTest, FairnessVerdict};
pub use error::{CONFIDENCE, ErrorRate, StatsError};
pub use estimate_difference::estimate_difference;
pub use five_numbers::five_number_summary;
pub use halving::halving_rounds;
pub use linear_model::{LinearCoefficient, LinearModel};
pub use match_counts::MatchCounts;
pub use match_elo::{MIN_SUPERIORITY_RESULTS, MatchElo, MatchStrength, match_elo, match_strength};
pub use matrix_game::{MixedStrategy, ZeroSumGame};
pub use mean::{mean_estimate, sampled_mean_estimate, stratified_mean_estimate};
pub use mean_ratio::mean_ratio;
pub use median::{median, median_estimate};
pub use multinomial::{OutcomeCounts, goodman_intervals, sison_glaz_intervals};
pub use multiplicity::benjamini_hochberg;
pub use pair_counts::{PairCounts, PairResult, strongest_pairing};
pub use polynomial::{PolynomialDegree, PolynomialFit, WeightedPoint};
pub use proportion::wilson_interval;
pub use rank_sum::{RankSumTest, rank_sum_test};
pub use ranks::TailProbabilities;
pub use ratio::ratio_interval;
pub use regression::RegressionSums;
pub use replicates::{MIN_REPLICATES, replicates_estimate};
pub use score_mean::ScoreMean;
pub use sequential::{AlphaSpending, GroupSequential, anytime_verdict};
pub use share_variation::share_variation;
pub use shrinkage::DirichletPrior;
pub use signed_rank::{SignedRankTest, ZeroTreatment, signed_rank_test};
pub use spread::{ShareSpread, spread};
pub use sprt::{EloModel, EloSprt, SprtDecision, SprtVerdict};
pub use summary::ScoreSummary;
pub use uniformity::pearson_test;
pub use welch::{MeanDifference, StandardError};
