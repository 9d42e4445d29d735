//! The adaptation of levels to a player: the ideal numbers of pigs and blocks after each play,
//! (3) to (5) of Kaidan et al.

use hatchery_core::InvalidValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evolution::fitness::{BlockTerm, FitnessSettings, IdealCounts};

/// The settings of the adaptation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AdaptationSettings {
    /// The shares alpha by which a play changes the ideal number of pigs, one for each arm.
    #[schemars(
        length(min = 1, max = 20),
        inner(range(min = 0.0, max = 1.0)),
        extend("x-source" = "Kaidan et al., §5.2")
    )]
    pub alphas: Vec<f64>,
    /// The ideal number of blocks for each pig, beta.
    #[schemars(range(min = 0.0, max = 1000.0), extend("x-source" = "ours"))]
    pub beta: f64,
    /// The ideal number of pigs at first, P_0.
    #[schemars(range(min = 0.0, max = 100.0), extend("x-source" = "Kaidan et al., §5.1"))]
    pub first_pigs: f64,
    /// The lowest ideal number of pigs: below 1/2, levels without pigs would be best. The highest
    /// is that of the fitness.
    #[schemars(range(min = 0.0, max = 100.0), extend("x-source" = "ours"))]
    pub min_pigs: f64,
    /// The cap of k, the number of pigs that the player is expected to kill; without it, a player
    /// who kills four pigs with the first of three birds is expected to kill twelve.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1000.0), extend("x-source" = "ours"))]
    pub kill_cap: Option<f64>,
    /// The ideal number of pigs that stands for the player.
    #[schemars(extend("x-source" = "Kaidan et al., §5.2; before or after is not said"))]
    pub player_pigs: PlayerPigs,
}

/// The ideal number of pigs that stands for a player: P_player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerPigs {
    /// That after the last play has changed it.
    AfterLast,
    /// That with which the last level was made.
    BeforeLast,
}

/// The birds and pigs at the beginning and at the end of a play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayCounts {
    /// The birds at the start, a_init.
    pub birds: u32,
    /// The birds left at the end, a_left.
    pub birds_left: u32,
    /// The living pigs at the first shot, P_init. Pigs that died before, as the level settled, do
    /// not count.
    pub pigs: u32,
    /// The pigs left at the end, P_left.
    pub pigs_left: u32,
}

/// The result of adapting to a play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptationStep {
    /// The number of pigs that the player is expected to kill in the next play, k; `None` if the
    /// play shows nothing: no bird was used, or there was no pig.
    pub expected_kills: Option<f64>,
    /// The ideal numbers for the next level.
    pub ideal: IdealCounts,
}

impl AdaptationSettings {
    /// Checks these settings together with the settings of the fitness.
    ///
    /// # Errors
    /// If P_0 or the lowest P is above the highest, P_0 is below the lowest, or the highest P may
    /// ask for Max_b blocks although the formula is used as in the paper. Keys are the fields of
    /// this struct.
    pub fn check(&self, fitness: &FitnessSettings) -> Result<(), InvalidValue> {
        let pigs = |key, found, low| {
            let high = fitness.max_pigs;
            if (low..=high).contains(&found) {
                return Ok(());
            }
            Err(InvalidValue::new(key, &found, format!("from {low} to {high}, the cap")))
        };
        pigs("min_pigs", self.min_pigs, 0.0)?;
        pigs("first_pigs", self.first_pigs, self.min_pigs)?;
        let blocks = self.beta * fitness.max_pigs;
        let most = f64::from(fitness.max_blocks);
        if fitness.block_term == BlockTerm::Paper && most <= blocks {
            let expected = format!(
                "below {}, so that {} pigs ask for less than {most} blocks, if block_term is \
                 `paper`",
                most / fitness.max_pigs,
                fitness.max_pigs
            );
            return Err(InvalidValue::new("beta", &self.beta, expected));
        }
        Ok(())
    }

    /// Returns the ideal numbers for the first level.
    #[must_use]
    pub fn first(&self) -> IdealCounts {
        self.counts(self.first_pigs)
    }

    /// Returns the ideal numbers for a player: P and beta P blocks.
    #[must_use]
    pub fn counts(&self, pigs: f64) -> IdealCounts {
        IdealCounts { pigs, blocks: self.beta * pigs }
    }

    /// Returns what follows from a play of a level that was made for `ideal`.
    ///
    /// k = birds x (pigs killed) / (birds used); P' = alpha k + (1 - alpha) P, clamped to the
    /// lowest and the highest; B' = beta P'. A play that shows nothing changes nothing.
    #[must_use]
    pub fn next(
        &self,
        alpha: f64,
        ideal: IdealCounts,
        play: PlayCounts,
        fitness: &FitnessSettings,
    ) -> AdaptationStep {
        let Some(kills) = self.expected_kills(play) else {
            return AdaptationStep { expected_kills: None, ideal };
        };
        let pigs = alpha * kills + (1.0 - alpha) * ideal.pigs;
        let pigs = pigs.max(self.min_pigs).min(fitness.max_pigs);
        AdaptationStep { expected_kills: Some(kills), ideal: self.counts(pigs) }
    }

    fn expected_kills(&self, play: PlayCounts) -> Option<f64> {
        let used = play.birds.checked_sub(play.birds_left).filter(|used| 0 < *used)?;
        if play.pigs == 0 {
            return None;
        }
        let killed = f64::from(play.pigs.saturating_sub(play.pigs_left));
        let kills = f64::from(play.birds) * killed / f64::from(used);
        Some(self.kill_cap.map_or(kills, |cap| kills.min(cap)))
    }
}

impl Default for AdaptationSettings {
    fn default() -> Self {
        Self {
            alphas: vec![0.25, 0.5, 0.75],
            beta: 10.0,
            first_pigs: 1.0,
            min_pigs: 1.0,
            kill_cap: None,
            player_pigs: PlayerPigs::AfterLast,
        }
    }
}

impl PlayerPigs {
    /// Returns the ideal number of pigs that represents the player, given the ideal numbers before
    /// and after the last play.
    #[must_use]
    pub const fn of(self, before: f64, after: f64) -> f64 {
        match self {
            Self::AfterLast => after,
            Self::BeforeLast => before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ideal numbers of pigs after plays of three birds, each with pigs killed and birds used.
    fn pigs_after(settings: &AdaptationSettings, alpha: f64, plays: &[[u32; 2]]) -> Vec<f64> {
        let fitness = FitnessSettings::default();
        let mut ideal = settings.first();
        let step = |[killed, used]: &[u32; 2]| {
            let play =
                PlayCounts { birds: 3, birds_left: 3 - used, pigs: 4, pigs_left: 4 - killed };
            ideal = settings.next(alpha, ideal, play, &fitness).ideal;
            assert!((ideal.blocks - settings.beta * ideal.pigs).abs() < 1e-12);
            ideal.pigs
        };
        plays.iter().map(step).collect()
    }

    fn check_pigs(settings: &AdaptationSettings, plays: &[[u32; 2]], expected: &[f64]) {
        let found = pigs_after(settings, 0.5, plays);
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn worked_numbers() {
        let settings = AdaptationSettings::default();
        let plays = [[1, 1], [2, 2], [2, 3], [0, 3], [0, 0]];
        check_pigs(&settings, &plays, &[2.0, 2.5, 2.25, 1.125, 1.125]);
        // Four pigs with the first bird: k = 12, or its cap; a player who hits nothing stays at 1.
        check_pigs(&settings, &[[4, 1], [0, 3], [0, 3], [0, 3]], &[6.5, 3.25, 1.625, 1.0]);
        let capped = AdaptationSettings { kill_cap: Some(5.0), ..settings };
        check_pigs(&capped, &[[4, 1]], &[3.0]);
    }

    #[test]
    fn ideals_stay_between_their_limits() {
        let settings = AdaptationSettings::default();
        let found = pigs_after(&settings, 1.0, &[[0, 3]]);
        assert!((found[0] - 1.0).abs() < 1e-12);
        let fitness = FitnessSettings { max_pigs: 8.0, ..FitnessSettings::default() };
        let play = PlayCounts { birds: 3, birds_left: 2, pigs: 9, pigs_left: 0 };
        let step = settings.next(0.75, settings.counts(7.0), play, &fitness);
        assert_eq!(step.expected_kills, Some(27.0));
        assert!((step.ideal.pigs - 8.0).abs() < 1e-12);
        // Nothing was left to shoot at, or more than there was.
        let none = PlayCounts { pigs: 0, ..play };
        assert_eq!(settings.next(0.5, settings.counts(7.0), none, &fitness).expected_kills, None);
        let more = PlayCounts { birds_left: 4, ..play };
        assert_eq!(settings.next(0.5, settings.counts(7.0), more, &fitness).expected_kills, None);
    }

    #[test]
    fn contradictions_are_refused() {
        let key = |settings: AdaptationSettings, fitness: FitnessSettings| {
            settings.check(&fitness).err().map(|error| error.key)
        };
        let (settings, fitness) = (AdaptationSettings::default(), FitnessSettings::default());
        assert_eq!(key(settings.clone(), fitness), None);
        let first_pigs = AdaptationSettings { first_pigs: 21.0, ..settings.clone() };
        assert_eq!(key(first_pigs, fitness).as_deref(), Some("first_pigs"));
        let min_pigs = AdaptationSettings { min_pigs: 21.0, ..settings.clone() };
        assert_eq!(key(min_pigs, fitness).as_deref(), Some("min_pigs"));
        let paper = FitnessSettings { block_term: BlockTerm::Paper, ..fitness };
        assert_eq!(key(settings.clone(), paper).as_deref(), Some("beta"));
        assert_eq!(key(settings, FitnessSettings { max_pigs: 9.0, ..paper }), None);
    }
}
