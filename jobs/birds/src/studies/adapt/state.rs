//! The state of `birds-adapt`.

use hatchery_core::GenerationSeed;
use serde::{Deserialize, Serialize};

use super::AdaptSpec;
use super::history::FitnessHistory;
use super::spec::{ConventionalBlocks, ConventionalRule, LevelCondition};
use crate::adaptation::PlayCounts;
use crate::evolution::fitness::{IdealCounts, PigTerm};
use crate::trial::results::{LevelResult, LevelResults};
use crate::trial::setup::EvolutionGoal;

/// The state of `birds-adapt`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdaptState {
    /// The rounds per subject and alpha: first every alpha of the first subject, then every alpha
    /// of the second, and so on.
    pub tracks: Vec<AdaptTrack>,
    /// Each subject's order of the alphas.
    pub alpha_orders: Vec<Vec<usize>>,
    /// Each subject's order of the levels at the end. A condition occurs as often as it has levels.
    pub level_orders: Vec<Vec<LevelCondition>>,
    /// The fitness in the evolutions, over all rounds.
    pub history: FitnessHistory,
    /// The plays at the end: all of the first subject in their order, and so on.
    pub plays: Vec<FinalPlay>,
    /// The pigs of levels that nobody played.
    pub shown: ShownPigs,
}

/// The rounds of a subject with an alpha.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdaptTrack {
    /// The ideal number of pigs of the next level, P.
    pub pigs: f64,
    /// The rounds so far.
    pub rounds: Vec<RoundRecord>,
}

/// A round: a level and how it was played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundRecord {
    /// The ideal number of pigs of the level, P.
    pub ideal_pigs: f64,
    /// The ideal number of blocks of the level, B.
    pub ideal_blocks: f64,
    /// The level's pigs, p.
    pub pigs: u32,
    /// The level's blocks, b.
    pub blocks: u32,
    /// The birds used.
    pub birds_used: u32,
    /// The pigs at the first shot.
    pub pigs_at_first: u32,
    /// The pigs left at the end.
    pub pigs_left: u32,
    /// The number of pigs that the subject is expected to kill next, k; `None` if the play shows
    /// nothing.
    pub expected_kills: Option<f64>,
    /// The terms of the level's fitness in millionths: stability, blocks, pigs, others.
    pub fitness: Option<[u64; 4]>,
    /// The generations of the evolution.
    pub generations: u32,
    /// The levels that it evaluated.
    pub evaluations: u32,
}

/// A play at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinalPlay {
    /// The subject.
    pub subject: usize,
    /// The condition of the level.
    pub condition: LevelCondition,
    /// The level's pigs.
    pub pigs: u32,
    /// The level's blocks.
    pub blocks: u32,
    /// True if no pig was left; false of a level without a pig at the first shot.
    pub is_cleared: bool,
    /// The birds used.
    pub birds_used: u32,
}

/// The pigs of levels that nobody played, for Fig. 4 of Kaidan et al.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownPigs {
    /// In levels with the proposed fitness.
    pub adapted: Vec<u32>,
    /// In levels with the conventional fitness.
    pub conventional: Vec<u32>,
}

/// The stage of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AdaptStage {
    /// A round is next.
    Round,
    /// The levels at the end are next.
    End,
    /// The run is over.
    Over,
}

/// Levels of the same kind that are made at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FinalLevel {
    /// The subject that plays the levels; `None` if nobody plays them.
    pub(super) subject: Option<usize>,
    pub(super) condition: LevelCondition,
    pub(super) goal: EvolutionGoal,
    pub(super) n_levels: u32,
}

impl AdaptState {
    pub(super) fn begin(spec: &AdaptSpec, seed: &GenerationSeed) -> Self {
        let (n_subjects, n_alphas) = (spec.n_subjects(), spec.adaptation.alphas.len());
        let (pigs, conditions) = (spec.adaptation.first().pigs, LevelCondition::all(n_alphas));
        let mut rng = seed.stream("orders");
        let mut alpha_orders = Vec::new();
        let mut level_orders = Vec::new();
        for _ in 0..n_subjects {
            alpha_orders.push(rng.permutation(n_alphas));
            let levels = rng.permutation(conditions.len() * spec.levels as usize).into_iter();
            level_orders.push(levels.map(|level| conditions[level % conditions.len()]).collect());
        }
        Self {
            tracks: vec![AdaptTrack { pigs, rounds: Vec::new() }; n_subjects * n_alphas],
            alpha_orders,
            level_orders,
            history: FitnessHistory::default(),
            plays: Vec::new(),
            shown: ShownPigs::default(),
        }
    }

    pub(super) fn stage(&self, spec: &AdaptSpec) -> AdaptStage {
        let n_rounds = self.tracks.first().map_or(0, |track| track.rounds.len());
        if n_rounds < spec.rounds as usize {
            AdaptStage::Round
        } else if self.plays.is_empty() {
            AdaptStage::End
        } else {
            AdaptStage::Over
        }
    }

    /// Returns the subject of a track.
    pub(super) fn subject_of(&self, spec: &AdaptSpec, track: usize) -> usize {
        track / spec.adaptation.alphas.len().max(1)
    }

    /// Returns the goals of the next round, one for each track.
    pub(super) fn round_goals(&self, spec: &AdaptSpec) -> Vec<EvolutionGoal> {
        let goal = |track: &AdaptTrack| proposed(spec.adaptation.counts(track.pigs));
        self.tracks.iter().map(goal).collect()
    }

    pub(super) fn after_round(mut self, spec: &AdaptSpec, tallies: &[LevelResults]) -> Self {
        let results = tallies.iter().filter_map(|tally| tally.trials.first());
        let alphas = spec.adaptation.alphas.iter().cycle();
        for ((track, &alpha), result) in self.tracks.iter_mut().zip(alphas).zip(results) {
            if let Some(evolution) = &result.evolution {
                self.history.add(evolution);
            }
            track.play(spec, alpha, result);
        }
        self
    }

    /// Returns P_player: the ideal number of pigs that represents a subject with an alpha.
    pub(super) fn player_pigs(&self, spec: &AdaptSpec, subject: usize, alpha: usize) -> f64 {
        let track = &self.tracks[subject * spec.adaptation.alphas.len() + alpha];
        let before = track.rounds.last().map_or(track.pigs, |round| round.ideal_pigs);
        spec.adaptation.player_pigs.of(before, track.pigs)
    }

    /// Returns what is made at the end: a level for each place in the orders of the subjects, then
    /// the levels that nobody plays.
    pub(super) fn final_levels(&self, spec: &AdaptSpec) -> Vec<FinalLevel> {
        let mut levels = Vec::new();
        for (subject, order) in self.level_orders.iter().enumerate() {
            let goals = self.goals_of(spec, subject);
            for &condition in order {
                let goal = match condition {
                    LevelCondition::Adapted(alpha) => goals.0[alpha],
                    LevelCondition::Conventional => goals.1,
                };
                levels.push(FinalLevel { subject: Some(subject), condition, goal, n_levels: 1 });
            }
        }
        let shown = spec.adaptation.counts(spec.shown_pigs);
        for (condition, goal) in [
            (LevelCondition::Adapted(0), proposed(shown)),
            (LevelCondition::Conventional, conventional(shown)),
        ] {
            levels.push(FinalLevel { subject: None, condition, goal, n_levels: spec.levels });
        }
        levels
    }

    /// Returns the goals of a subject's levels: with each alpha, and with the conventional fitness.
    fn goals_of(&self, spec: &AdaptSpec, subject: usize) -> (Vec<EvolutionGoal>, EvolutionGoal) {
        let ideals: Vec<IdealCounts> = (0..spec.adaptation.alphas.len())
            .map(|alpha| spec.adaptation.counts(self.player_pigs(spec, subject, alpha)))
            .collect();
        #[expect(clippy::cast_precision_loss, reason = "some alphas")]
        let n = ideals.len() as f64;
        let blocks = match spec.conventional_blocks {
            ConventionalBlocks::Rule(ConventionalRule::MeanOfSubject) => {
                ideals.iter().map(|ideal| ideal.blocks).sum::<f64>() / n
            }
            ConventionalBlocks::Fixed(blocks) => blocks,
        };
        let pigs = ideals.iter().map(|ideal| ideal.pigs).sum::<f64>() / n;
        let mean = IdealCounts { pigs, blocks };
        (ideals.into_iter().map(proposed).collect(), conventional(mean))
    }

    pub(super) fn after_end(mut self, spec: &AdaptSpec, tallies: &[LevelResults]) -> Self {
        let levels = self.final_levels(spec);
        for (level, tally) in levels.iter().zip(tallies) {
            let FinalLevel { subject, condition, .. } = *level;
            for result in &tally.trials {
                match (subject, &result.play) {
                    (Some(subject), Some(play)) => self.plays.push(FinalPlay {
                        subject,
                        condition,
                        pigs: result.pigs,
                        blocks: result.blocks,
                        is_cleared: play.is_cleared(),
                        birds_used: play.birds_used(),
                    }),
                    _ if condition == LevelCondition::Conventional => {
                        self.shown.conventional.push(result.pigs);
                    }
                    _ => self.shown.adapted.push(result.pigs),
                }
            }
        }
        self
    }
}

impl AdaptTrack {
    /// Adds a round, which ended with `result`.
    fn play(&mut self, spec: &AdaptSpec, alpha: f64, result: &LevelResult) {
        let (Some(play), Some(evolution)) = (&result.play, &result.evolution) else { return };
        let ideal = spec.adaptation.counts(self.pigs);
        let birds_used = play.birds_used();
        let counts = PlayCounts {
            birds: play.birds,
            birds_left: play.birds - birds_used,
            pigs: play.pigs,
            pigs_left: play.pigs_left,
        };
        let step = spec.adaptation.next(alpha, ideal, counts, &spec.fitness);
        self.pigs = step.ideal.pigs;
        self.rounds.push(RoundRecord {
            ideal_pigs: ideal.pigs,
            ideal_blocks: ideal.blocks,
            pigs: result.pigs,
            blocks: result.blocks,
            birds_used,
            pigs_at_first: play.pigs,
            pigs_left: play.pigs_left,
            expected_kills: step.expected_kills,
            fitness: evolution.fitness.map(|it| it.terms),
            generations: evolution.generations,
            evaluations: evolution.evaluations,
        });
    }
}

const fn proposed(ideal: IdealCounts) -> EvolutionGoal {
    EvolutionGoal { ideal, pig_term: PigTerm::Proposed }
}

const fn conventional(ideal: IdealCounts) -> EvolutionGoal {
    EvolutionGoal { ideal, pig_term: PigTerm::Conventional }
}
