//! The maps that are judged for each agent of a panel.

use hatchery_core::IntervalEstimate;

use crate::map::Map;
use crate::players::agent_name::short_agent_name;
use crate::rules::Seat;
use crate::studies::design::certification::{self, Finalist, FinalistStatus};
use crate::studies::design::history::MapOrigin;
use crate::studies::design::spec::{CertifyLooks, CertifyParams, CheckedDesign, DesignSpec};
use crate::trial::seat_balance::SeatBalance;

/// A map with the verdict for each agent.
pub(super) struct PanelMap<'a> {
    pub(super) map: &'a Map,
    pub(super) origin: &'a MapOrigin,
    /// The standing over all agents.
    pub(super) standing: FinalistStatus,
    /// The verdict for each agent, in the order of the panel; at least one.
    pub(super) verdicts: Vec<AgentVerdict<'a>>,
    /// The sigma over the panel; none before each agent has decided games.
    pub(super) sigma: Option<PanelSigma>,
}

/// The verdict on a map for an agent: four copies of the agent play the map.
pub(super) struct AgentVerdict<'a> {
    /// The agent's name, which differs from the names of the other agents.
    pub(super) name: String,
    pub(super) finalist: &'a Finalist,
    /// The balance by fresh games, with the bounds of sigma that the verdict goes by; none without
    /// decided games.
    pub(super) balance: Option<SeatBalance>,
    /// The seats' win rates. The intervals hold for all seats and agents of the map at once, and
    /// whenever looks end the games.
    pub(super) seats: Option<[IntervalEstimate; Seat::COUNT]>,
}

/// The sigma of a map over the agents of a panel, as shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PanelSigma {
    /// The largest sigma.
    ///
    /// Its upper bound is the largest of the agents' bounds, at the whole error rate each: it is
    /// too low only if the bound of the worst agent is. Its lower bound shares the error rate.
    pub(super) worst: IntervalEstimate,
    /// The index of the agent with the largest estimate.
    pub(super) worst_agent: usize,
    /// The mean, between means of bounds that share the error rate among the agents.
    pub(super) mean: IntervalEstimate,
}

/// Returns the maps among `finalists`, in the order of their choice; no maps without a panel.
pub(super) fn panel_maps<'a>(
    CheckedDesign { spec, looks }: &'a CheckedDesign,
    finalists: &'a [Finalist],
) -> Vec<PanelMap<'a>> {
    let certify = spec.certify.as_ref().filter(|certify| certify.panel.is_some());
    let (Some(certify), Some(looks)) = (certify, looks) else { return Vec::new() };
    let of_maps = certification::by_map(finalists, certify.n_agents());
    of_maps.filter_map(|of_map| PanelMap::new(spec, (certify, looks), of_map)).collect()
}

impl<'a> PanelMap<'a> {
    fn new(
        spec: &'a DesignSpec,
        (certify, looks): (&CertifyParams, &CertifyLooks),
        of_map: &'a [Finalist],
    ) -> Option<Self> {
        let CertifyLooks { single, joint } = looks;
        let verdict = |(agent, finalist): (_, &'a Finalist)| AgentVerdict {
            name: short_agent_name(agent),
            finalist,
            balance: single.balance(&finalist.fresh),
            seats: joint.seat_rates(&finalist.fresh).and_then(|rates| rates.first_chunk().copied()),
        };
        let verdicts: Vec<_> = spec.certified_agents().iter().zip(of_map).map(verdict).collect();
        let sigma_of = |balance: Option<SeatBalance>| Some(balance?.spread.sigma);
        let singles = verdicts.iter().map(|verdict| sigma_of(verdict.balance)).collect();
        let joints = of_map.iter().map(|finalist| sigma_of(joint.balance(&finalist.fresh)));
        let confidence = 1.0 - 2.0 * certify.error_rate;
        let sigma = PanelSigma::of(singles, joints.collect(), confidence);
        let standing = certification::standing(of_map);
        let Finalist { map, origin, .. } = of_map.first()?;
        Some(Self { map, origin, standing, verdicts, sigma })
    }

    /// Iterates over the verdicts of this status.
    pub(super) fn with(&self, status: FinalistStatus) -> impl Iterator<Item = &AgentVerdict<'a>> {
        self.verdicts.iter().filter(move |verdict| verdict.finalist.status == status)
    }

    /// Returns the verdict for the agent with the largest sigma.
    pub(super) fn worst(&self) -> Option<&AgentVerdict<'a>> {
        self.verdicts.get(self.sigma?.worst_agent)
    }

    /// Returns true if the map is certified for some agents, but not for all.
    pub(super) fn is_partly_certified(&self) -> bool {
        let is_for_some = self.with(FinalistStatus::Certified).next().is_some();
        is_for_some && self.standing != FinalistStatus::Certified
    }
}

impl PanelSigma {
    /// Computes the sigma over the agents from the sigmas of the agents. The bounds in `single`
    /// have the whole error rate; the bounds in `joint` share the error rate among the agents.
    fn of(
        single: Option<Vec<IntervalEstimate>>,
        joint: Option<Vec<IntervalEstimate>>,
        confidence: f64,
    ) -> Option<Self> {
        let (single, joint) = (single?, joint?);
        let by_mean = |a: &(usize, &IntervalEstimate), b: &(usize, &IntervalEstimate)| {
            a.1.mean.total_cmp(&b.1.mean)
        };
        let (worst_agent, worst) = single.iter().enumerate().max_by(by_mean)?;
        let largest = |bounds: &mut dyn Iterator<Item = f64>| bounds.fold(0.0, f64::max);
        let n = single.iter().map(|sigma| sigma.n).sum();
        let worst = IntervalEstimate {
            mean: worst.mean,
            low: largest(&mut joint.iter().map(|sigma| sigma.low)),
            high: largest(&mut single.iter().map(|sigma| sigma.high)),
            n,
            confidence,
        };
        #[expect(clippy::cast_precision_loss, reason = "a panel has few agents")]
        let n_agents = single.len() as f64;
        let mean =
            |part: fn(&IntervalEstimate) -> f64| joint.iter().map(part).sum::<f64>() / n_agents;
        let (low, high) = (mean(|sigma| sigma.low), mean(|sigma| sigma.high));
        let mean = IntervalEstimate { mean: mean(|sigma| sigma.mean), low, high, n, confidence };
        Some(Self { worst, worst_agent, mean })
    }
}

#[cfg(test)]
mod tests {
    use super::PanelSigma;
    use hatchery_core::IntervalEstimate;

    #[test]
    fn the_worst_agent_bounds_the_panel() {
        let sigma = |mean, low, high| IntervalEstimate { mean, low, high, n: 9, confidence: 0.9 };
        let single = vec![sigma(0.01, 0.0, 0.04), sigma(0.02, 0.01, 0.03)];
        let joint = vec![sigma(0.01, 0.0, 0.06), sigma(0.02, 0.005, 0.05)];
        let panel = PanelSigma::of(Some(single), Some(joint), 0.9).expect("all have games");
        assert_eq!(panel.worst_agent, 1);
        let bounds = [panel.worst.low, panel.worst.high, panel.mean.low, panel.mean.high];
        for (bound, expected) in bounds.into_iter().zip([0.005, 0.04, 0.0025, 0.055]) {
            assert!((bound - expected).abs() < 1e-12, "{panel:?}");
        }
        assert!((panel.mean.mean - 0.015).abs() < 1e-12 && panel.worst.n == 18);
        assert_eq!(PanelSigma::of(None, Some(Vec::new()), 0.9), None);
    }
}
