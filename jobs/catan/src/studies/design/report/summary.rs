//! The summary of a state, computed once for measures and exhibits.

use hatchery_core::IntervalEstimate;

use super::maps::{self, MapReport};
use super::panel::{self, PanelMap};
use super::steps::{self, StepReport};
use crate::studies::design::certification::{self, Finalist};
use crate::studies::design::history::MapOrigin;
use crate::studies::design::spec::{CertifyLooks, CheckedDesign, DesignSpec};
use crate::studies::design::state::{DesignPhase, DesignState};
use crate::trial::seat_balance::SeatBalance;

/// The role of a map that is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct PictureRole {
    /// The name of the file, without its ending.
    pub(super) file: &'static str,
    pub(super) words: &'static str,
}

/// The summary of a state.
pub(super) struct DesignSummary<'a> {
    pub(super) spec: &'a DesignSpec,
    /// The looks at finalists, if maps are to be certified.
    pub(super) looks: Option<&'a CertifyLooks>,
    /// All maps of the start and the steps, in their order.
    pub(super) maps: Vec<MapReport<'a>>,
    /// The steps, without the start.
    pub(super) steps: Vec<StepReport<'a>>,
    /// The finalists: one for each map and agent.
    pub(super) finalists: &'a [Finalist],
    /// The maps of the finalists in comparison of the agents; none without a panel.
    pub(super) panel: Vec<PanelMap<'a>>,
    pub(super) is_done: bool,
}

impl<'a> DesignSummary<'a> {
    pub(super) fn new(checked: &'a CheckedDesign, state: &'a DesignState) -> Self {
        let CheckedDesign { spec, looks } = checked;
        let looks = looks.as_ref();
        let maps = maps::shown(&state.history);
        let steps = steps::all(&state.history, &maps, spec.steps);
        let finalists = match &state.phase {
            DesignPhase::Simulating(_) | DesignPhase::Competing { .. } => &[][..],
            DesignPhase::Confirming { finalists, .. } | DesignPhase::Done { finalists } => {
                finalists
            }
        };
        let is_done = matches!(state.phase, DesignPhase::Done { .. });
        let panel = panel::panel_maps(checked, finalists);
        Self { spec, looks, maps, steps, finalists, panel, is_done }
    }

    /// Returns the maps of the steps, which the classifier chose.
    pub(super) fn chosen(&self) -> impl Iterator<Item = &MapReport<'a>> + Clone {
        self.maps.iter().filter(|shown| shown.step != 0)
    }

    /// Iterates over the maps that are certified for all agents. Each item is a map's first
    /// finalist.
    pub(super) fn certified(&self) -> impl Iterator<Item = &'a Finalist> {
        let n_agents = self.spec.certified_agents().len();
        certification::certified(self.finalists, n_agents).filter_map(|of_map| of_map.first())
    }

    /// Returns the balance of a finalist by its fresh games, with the bounds of sigma that
    /// certificates go by; none without fresh games.
    pub(super) fn balance(&self, finalist: &Finalist) -> Option<SeatBalance> {
        self.looks?.single.balance(&finalist.fresh)
    }

    /// Returns the sigma of the maps of the start together, in percentage points; none without
    /// decided games.
    pub(super) fn start_sigma(&self) -> Option<IntervalEstimate> {
        steps::sigma_together(self.maps.iter().filter(|shown| shown.step == 0))
    }

    /// Returns the maps to draw, with their roles: the most even one, and as in the
    /// paper's Figs. 3 to 5 the most even and the most uneven ones that were called good, and the
    /// most uneven one that was called bad.
    pub(super) fn pictured(&self) -> Vec<(PictureRole, &MapReport<'a>)> {
        let by_spread = |a: &&MapReport<'_>, b: &&MapReport<'_>| {
            let [a, b] = [a, b].map(|shown| shown.observed().unwrap_or(f64::INFINITY));
            a.total_cmp(&b)
        };
        let maps = || self.maps.iter().filter(|shown| shown.balance.is_some());
        let called_good =
            || maps().filter(|shown| matches!(shown.simulated.origin, MapOrigin::CalledGood(_)));
        let called_bad =
            || maps().filter(|shown| matches!(shown.simulated.origin, MapOrigin::CalledBad(_)));
        let named = [
            ("best", "most even", maps().min_by(by_spread)),
            ("worst", "most uneven", maps().max_by(by_spread)),
            ("best-called-good", "most even called good", called_good().min_by(by_spread)),
            ("worst-called-good", "most uneven called good", called_good().max_by(by_spread)),
            ("worst-called-bad", "most uneven called bad", called_bad().max_by(by_spread)),
        ];
        let pictured = named.into_iter().filter_map(|(file, words, shown)| {
            let role = PictureRole { file, words };
            Some((role, shown?))
        });
        pictured.collect()
    }
}
