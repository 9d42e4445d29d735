//! The metrics: what each one is called, and how sums give its value.

use super::event::MoveEvent;
use super::game::GameNaturalness;
use super::judgement::STEPS_PER_NAT;
use super::loss::{CLEAR_BINS, HEAVY_BINS, LossTotals, LossZone};

/// The four kinds of unnatural moves that players complain about (Takagi, Fujii & Katayose, 2021,
/// after Ikeda & Viennot).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnnaturalKind {
    /// Moves of a bad shape, such as a corner left or given away.
    BadShape,
    /// Moves against the flow of the game: weak when ahead, strong when behind.
    AgainstTheFlow,
    /// Moves that clearly lose something.
    ClearlyLosing,
    /// Moves that a player of this level would not find.
    TooAdvanced,
}

impl UnnaturalKind {
    /// Returns the kind's name in `snake_case`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BadShape => "bad_shape",
            Self::AgainstTheFlow => "against_the_flow",
            Self::ClearlyLosing => "clearly_losing",
            Self::TooAdvanced => "too_advanced",
        }
    }
}

/// A measure of how natural moves look. Forced moves are left out.
///
/// No value is good or bad in itself: compare the values of several players under the same judge. A
/// player that moves at random, too, loses more when it is ahead, as it has more to lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NaturalnessMetric {
    /// Corners declined plus corners given away; a move can be both.
    CornerEvents,
    /// [`MoveEvent::CornerDeclined`].
    CornerDeclined,
    /// [`MoveEvent::CornerGiven`].
    CornerGiven,
    /// [`MoveEvent::CornerLeft`], whatever it loses.
    CornerLeft,
    /// [`MoveEvent::CornerOpened`], whatever the alternatives.
    CornerOpened,
    /// [`MoveEvent::XSquare`].
    XSquare,
    /// [`MoveEvent::CSquare`].
    CSquare,
    /// Moves that lose at least [`LossZone::clear_loss`].
    ClearLoss,
    /// Moves that lose at least [`LossZone::heavy_loss`].
    HeavyLoss,
    /// [`MoveEvent::ResultFlip`], of the moves with exact values.
    ResultFlip,
    /// The mean loss.
    LossMean(LossZone),
    /// The median loss, rounded down to the lower end of its bin.
    LossMedian(LossZone),
    /// The 95th percentile of losses, rounded down to the lower end of its bin.
    LossP95(LossZone),
    /// [`MoveEvent::OutsideFirst`], of the moves of agents that rank.
    OutsideFirst,
    /// [`MoveEvent::OutsideThird`], of the moves of agents that rank.
    OutsideThird,
    /// [`MoveEvent::Agreed`], of the compared moves.
    Agreement,
    /// The mean cross-entropy of moves with the visits of the reference agent; high if it would
    /// rarely play them.
    CrossEntropy,
    /// [`MoveEvent::TooAdvanced`], of the moves for which levels are known.
    TooAdvanced,
    /// The slope of losses on the value of the best move: how much more a player loses per disc or
    /// point that it is ahead.
    FlowSlope(LossZone),
    /// The mean absolute change of depth from one reply to the next.
    DepthChange,
}

/// A value as sums give it, and the moves behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MetricValue {
    pub(super) value: Option<f64>,
    pub(super) n_moves: u64,
}

impl NaturalnessMetric {
    /// All metrics, in the order of tables.
    pub const ALL: [Self; 24] = [
        Self::CornerEvents,
        Self::CornerDeclined,
        Self::CornerGiven,
        Self::CornerLeft,
        Self::CornerOpened,
        Self::XSquare,
        Self::CSquare,
        Self::ClearLoss,
        Self::HeavyLoss,
        Self::ResultFlip,
        Self::LossMean(LossZone::Exact),
        Self::LossMedian(LossZone::Exact),
        Self::LossP95(LossZone::Exact),
        Self::LossMean(LossZone::Estimated),
        Self::LossMedian(LossZone::Estimated),
        Self::LossP95(LossZone::Estimated),
        Self::OutsideFirst,
        Self::OutsideThird,
        Self::Agreement,
        Self::CrossEntropy,
        Self::TooAdvanced,
        Self::FlowSlope(LossZone::Exact),
        Self::FlowSlope(LossZone::Estimated),
        Self::DepthChange,
    ];

    /// Returns the metric's name in `snake_case`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CornerEvents => "corner_events",
            Self::CornerDeclined => "corner_declined",
            Self::CornerGiven => "corner_given",
            Self::CornerLeft => "corner_left",
            Self::CornerOpened => "corner_opened",
            Self::XSquare => "x_square",
            Self::CSquare => "c_square",
            Self::ClearLoss => "clear_loss",
            Self::HeavyLoss => "heavy_loss",
            Self::ResultFlip => "result_flip",
            Self::LossMean(LossZone::Exact) => "loss_mean_exact",
            Self::LossMean(LossZone::Estimated) => "loss_mean_estimated",
            Self::LossMedian(LossZone::Exact) => "loss_median_exact",
            Self::LossMedian(LossZone::Estimated) => "loss_median_estimated",
            Self::LossP95(LossZone::Exact) => "loss_p95_exact",
            Self::LossP95(LossZone::Estimated) => "loss_p95_estimated",
            Self::OutsideFirst => "outside_first",
            Self::OutsideThird => "outside_third",
            Self::Agreement => "agreement",
            Self::CrossEntropy => "cross_entropy",
            Self::TooAdvanced => "too_advanced",
            Self::FlowSlope(LossZone::Exact) => "flow_slope_exact",
            Self::FlowSlope(LossZone::Estimated) => "flow_slope_estimated",
            Self::DepthChange => "depth_change",
        }
    }

    /// Returns the kind of unnatural moves that the metric is about. Ranks and agreement are about
    /// none of the four.
    #[must_use]
    pub const fn kind(self) -> Option<UnnaturalKind> {
        match self {
            Self::CornerEvents
            | Self::CornerDeclined
            | Self::CornerGiven
            | Self::CornerLeft
            | Self::CornerOpened
            | Self::XSquare
            | Self::CSquare => Some(UnnaturalKind::BadShape),
            Self::ClearLoss
            | Self::HeavyLoss
            | Self::ResultFlip
            | Self::LossMean(_)
            | Self::LossMedian(_)
            | Self::LossP95(_) => Some(UnnaturalKind::ClearlyLosing),
            Self::OutsideFirst | Self::OutsideThird | Self::Agreement | Self::CrossEntropy => None,
            Self::TooAdvanced => Some(UnnaturalKind::TooAdvanced),
            Self::FlowSlope(_) | Self::DepthChange => Some(UnnaturalKind::AgainstTheFlow),
        }
    }

    /// Returns the unit of the value.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::LossMean(zone) | Self::LossMedian(zone) | Self::LossP95(zone) => match zone {
                LossZone::Exact => "discs",
                LossZone::Estimated => "points",
            },
            Self::FlowSlope(LossZone::Exact) => "discs per disc",
            Self::FlowSlope(LossZone::Estimated) => "points per point",
            Self::CrossEntropy => "nats",
            Self::DepthChange => "plies",
            Self::ResultFlip => "per 100 exact moves",
            _ => "per 100 moves",
        }
    }

    /// Returns the value that the metric has in these games, in its unit; `None` if they have no
    /// move that it is about.
    #[must_use]
    pub fn value(self, games: &GameNaturalness) -> Option<f64> {
        self.of(games).value
    }

    /// Returns the number of events and the number of moves among which they are counted. `None`
    /// if the metric is no rate per 100 moves.
    pub(super) fn rate(self, games: &GameNaturalness) -> Option<(u64, u64)> {
        let count = |event| games.count(event);
        let (judged, exact) = (games.moves(), games.exact.moves());
        Some(match self {
            Self::CornerEvents => {
                (count(MoveEvent::CornerDeclined) + count(MoveEvent::CornerGiven), judged)
            }
            Self::CornerDeclined => (count(MoveEvent::CornerDeclined), judged),
            Self::CornerGiven => (count(MoveEvent::CornerGiven), judged),
            Self::CornerLeft => (count(MoveEvent::CornerLeft), judged),
            Self::CornerOpened => (count(MoveEvent::CornerOpened), judged),
            Self::XSquare => (count(MoveEvent::XSquare), judged),
            Self::CSquare => (count(MoveEvent::CSquare), judged),
            Self::ClearLoss => (games.n_from(CLEAR_BINS), judged),
            Self::HeavyLoss => (games.n_from(HEAVY_BINS), judged),
            Self::ResultFlip => (count(MoveEvent::ResultFlip), exact),
            Self::OutsideFirst => (count(MoveEvent::OutsideFirst), count(MoveEvent::Ranked)),
            Self::OutsideThird => (count(MoveEvent::OutsideThird), count(MoveEvent::Ranked)),
            Self::Agreement => (count(MoveEvent::Agreed), count(MoveEvent::Compared)),
            Self::TooAdvanced => (count(MoveEvent::TooAdvanced), count(MoveEvent::Leveled)),
            _ => return None,
        })
    }

    /// Returns the value and the number of moves behind it. For metrics about depth, this is the
    /// number of changes.
    pub(super) fn of(self, games: &GameNaturalness) -> MetricValue {
        let losses = |zone| match zone {
            LossZone::Exact => &games.exact,
            LossZone::Estimated => &games.estimated,
        };
        let (value, n_moves) = match self {
            Self::LossMean(zone) => {
                let steps = losses(zone).moves() * zone.steps_per_unit();
                (ratio(losses(zone).loss(), steps), losses(zone).moves())
            }
            Self::LossMedian(zone) => (quantile(losses(zone), zone, 50), losses(zone).moves()),
            Self::LossP95(zone) => (quantile(losses(zone), zone, 95), losses(zone).moves()),
            Self::FlowSlope(zone) => (losses(zone).slope(), losses(zone).moves()),
            Self::CrossEntropy => {
                let compared = games.count(MoveEvent::Compared);
                (ratio(games.surprise(), compared * STEPS_PER_NAT), compared)
            }
            Self::DepthChange => {
                let (sum, n) = games.depth_changes();
                (ratio(sum, n), n)
            }
            _ => {
                let (events, moves) = self.rate(games).unwrap_or((0, 0));
                (ratio(100 * events, moves), moves)
            }
        };
        MetricValue { value, n_moves }
    }
}

fn quantile(losses: &LossTotals, zone: LossZone, percent: u64) -> Option<f64> {
    losses.quantile(percent).and_then(|steps| ratio(steps, zone.steps_per_unit()))
}

/// Returns the quotient of two whole numbers, or `None` for a divisor of 0.
#[expect(clippy::cast_precision_loss, reason = "sums are below 2^53 for 100 million games")]
pub(super) fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole != 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn metrics_have_names_of_their_own() {
        let names: BTreeSet<_> = NaturalnessMetric::ALL.map(NaturalnessMetric::name).into();
        assert_eq!(names.len(), NaturalnessMetric::ALL.len());
        let is_snake =
            |name: &&str| name.bytes().all(|it| it == b'_' || it.is_ascii_alphanumeric());
        assert!(names.iter().all(is_snake), "{names:?}");
        let rates = |metric: &NaturalnessMetric| metric.rate(&GameNaturalness::begin()).is_some();
        let per_100 = |metric: &NaturalnessMetric| metric.unit().starts_with("per 100 ");
        assert!(NaturalnessMetric::ALL.iter().all(|it| rates(it) == per_100(it)));
    }

    #[test]
    fn games_without_moves_have_no_values() {
        let none = MetricValue { value: None, n_moves: 0 };
        assert_eq!(NaturalnessMetric::ALL.map(|it| it.of(&GameNaturalness::begin())), [none; 24]);
    }
}
