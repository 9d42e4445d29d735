//! Checks of the spec of `othellonia-selfplay`.

use hatchery_core::{InvalidValue, PartInput};

use super::mode::SelfplayMode;
use super::schedule::Schedule;
use super::spec::{SelfplaySpec, SelfplayVectorsParam, StrengthParam};
use crate::learning::reinforcement::ReinforcementSettings;
use crate::params::agent_param::CheckedAgent;
use crate::params::deck_param::{self, NamedDeck};
use crate::params::encoding_param::{ArmSeed, EncodingParam, VectorFileParam, arm_seeds};
use crate::params::pool_param::resolve_pool;
use crate::params::training_param::check_size;
use crate::pool::{CostCap, PiecePool};
use crate::trial::setup::{ReinforcementTask, TrainingEncoding, TrainingSetup, TrainingTask};

/// A spec whose parameters fit together.
#[derive(Clone, Debug)]
pub struct CheckedSelfplay {
    pub(super) spec: SelfplaySpec,
    pub(super) pool: PiecePool,
    /// The decks for every game.
    pub(super) decks: Vec<NamedDeck>,
    /// The networks: first all seeds of the first arm, then all seeds of the next arm.
    pub(super) networks: Vec<ArmSeed>,
    pub(super) vectors: CheckedVectors,
    pub(super) schedule: Schedule,
    /// The settings of the learner. Their stretch is a placeholder: every setup gets its own
    /// stretch.
    pub(super) settings: ReinforcementSettings,
    /// The probability of any legal action in games to learn from, in millionths.
    pub(super) epsilon: u32,
    /// The opponents of looks.
    pub(super) opponents: Vec<StrengthOpponent>,
}

/// An opponent of looks.
#[derive(Clone, Debug)]
pub(super) struct StrengthOpponent {
    pub(super) agent: CheckedAgent,
    /// The name in measures, such as `standard`: no other opponent has it.
    pub(super) name: String,
}

/// The origin of vectors.
#[derive(Clone, Copy, Debug)]
pub(super) enum CheckedVectors {
    /// No arm needs any.
    None,
    Random,
    File(PartInput),
}

/// The most snapshots of a network.
const MAX_SNAPSHOTS: u32 = 1_000;

/// The most pairs of games in all looks of a generation.
const MAX_JUDGED: u64 = 1_000_000;

/// The most series of a generation.
const MAX_SERIES: u64 = 10_000;

/// The most results of match-ups that a state keeps, each some 50 bytes.
const MAX_RESULTS: u64 = 200_000;

/// The fewest decisions that games have on average: they have some 20.
const LEAST_DECISIONS: u64 = 8;

/// The most bytes of the models that a trial reads: a farm allows 512 MiB of parts, and some are
/// left for games and priorities.
const MAX_TRIAL_BYTES: u64 = 448 << 20;

/// The most bytes of the models that a run keeps: a farm allows 8 GiB.
const MAX_RUN_BYTES: u64 = 4 << 30;

/// The models that a learner has: its own, the target, and the two of its optimizer.
const LEARNER_MODELS: u64 = 4;

/// The points of the curve of losses in a period.
const PERIOD_POINTS: u32 = 10;

impl CheckedSelfplay {
    /// Returns the number of kinds of the pool.
    pub(super) fn kinds(&self) -> u32 {
        u32::try_from(self.pool.len()).expect("at most 20,000 kinds")
    }

    /// Returns the number of decks, for setups.
    pub(super) fn n_decks(&self) -> u16 {
        u16::try_from(self.decks.len()).expect("at most 64 decks")
    }

    /// Returns the number of series of a look at a network.
    pub(super) fn look_series(&self) -> u64 {
        (self.opponents.len() * self.decks.len() * self.decks.len()) as u64
    }

    /// Returns the setup of training with so many steps, without games and without a learner
    /// before.
    pub(super) fn setup(&self, encoding: TrainingEncoding, steps: u32) -> TrainingSetup {
        let stretch = u64::from(steps.div_ceil(PERIOD_POINTS).max(1));
        let task = ReinforcementTask {
            encoding,
            information: self.spec.information,
            settings: ReinforcementSettings { stretch, ..self.settings.clone() },
            initial: None,
            first_item: 0,
            rounds: None,
        };
        TrainingSetup {
            task: TrainingTask::Reinforcement(Box::new(task)),
            hidden: self.spec.hidden.clone(),
            games: Vec::new(),
            before: None,
            steps,
        }
    }

    /// Checks the size of training, and that of its models.
    fn check_training(&self) -> Result<(), InvalidValue> {
        let spec = &self.spec;
        let most = (0..self.schedule.n_periods()).map(|period| self.schedule.steps(period)).max();
        let most = most.unwrap_or(0);
        let (key, factors) = match &spec.mode {
            SelfplayMode::Paper(mode) => {
                ("mode.period_steps", vec![(mode.period_steps.into(), "steps")])
            }
            SelfplayMode::Wide(mode) => {
                let pairs = u64::from(most / mode.steps_per_pair);
                let steps = u64::from(mode.steps_per_pair);
                let factors = vec![(steps, "steps for a pair"), (pairs, "pairs of a generation")];
                ("mode.steps_per_pair", factors)
            }
        };
        let mut all_numbers = 0;
        for arm in &self.networks {
            let setup = self.setup(arm.arm.of_setup(self.kinds()), most);
            check_size(&setup, ["hidden", "learn.batch"], (key, &factors))?;
            let numbers = setup.n_numbers();
            let models = u64::from(spec.opponents) + LEARNER_MODELS;
            let bytes = models * 4 * numbers;
            if MAX_TRIAL_BYTES < bytes {
                let expected = format!(
                    "less, or a smaller network: {} opponents and {LEARNER_MODELS} models of a \
                     learner x {} bytes = {bytes} bytes that a trial reads, and at most \
                     {MAX_TRIAL_BYTES} are allowed",
                    spec.opponents,
                    4 * numbers
                );
                return Err(InvalidValue::new("opponents", &spec.opponents, expected));
            }
            all_numbers += numbers;
        }
        let kept = u64::from(spec.mode.games() / spec.snapshot_games) + LEARNER_MODELS;
        if MAX_RUN_BYTES < kept.saturating_mul(4 * all_numbers) {
            let expected = format!(
                "more, or smaller networks: {kept} models x {} bytes for all networks, and at most \
                 {MAX_RUN_BYTES} are allowed",
                4 * all_numbers
            );
            return Err(InvalidValue::new("snapshot_games", &spec.snapshot_games, expected));
        }
        Ok(())
    }

    /// Checks the number of games of looks, and that of their results.
    fn check_looks(&self) -> Result<(), InvalidValue> {
        let StrengthParam { pairs, every, .. } = self.spec.evaluation;
        if pairs == 0 {
            return Ok(());
        }
        let networks = self.networks.len() as u64;
        let (series, key) = (self.look_series(), "evaluation.pairs");
        let factors = [
            (pairs.into(), "pairs"),
            (series, "match-ups with opponents and decks"),
            (networks, "networks"),
        ];
        InvalidValue::check_product(key, &factors, "pairs of a generation", MAX_JUDGED)?;
        let key = "evaluation.opponents";
        let factors = [
            (self.opponents.len() as u64, "opponents"),
            (series / self.opponents.len() as u64, "pairs of decks"),
            (networks, "networks"),
        ];
        InvalidValue::check_product(key, &factors, "series of a generation", MAX_SERIES)?;
        let n_looks = u64::from(self.schedule.n_periods().div_ceil(every));
        let results = n_looks.saturating_mul(series).saturating_mul(networks);
        if MAX_RESULTS < results {
            let expected = format!(
                "more, or fewer match-ups: {n_looks} looks x {series} match-ups with opponents and \
                 decks x {networks} networks = {results} results, and at most {MAX_RESULTS} are \
                 allowed"
            );
            return Err(InvalidValue::new("evaluation.every", &every, expected));
        }
        Ok(())
    }
}

impl SelfplaySpec {
    /// Checks that the parameters fit together.
    pub(super) fn check(self) -> Result<CheckedSelfplay, InvalidValue> {
        let pool = resolve_pool(&self.pool, &self.pieces)?;
        let pools = (&self.pool, &pool);
        let decks = deck_param::resolve(&self.decks, None, pools, CostCap(self.cost_cap))?;
        if decks.is_empty() {
            return Err(InvalidValue::new("decks", "0 decks", "one or more"));
        }
        let networks = arm_seeds(&self.arms, self.seeds)?;
        let schedule = self.mode.schedule().map_err(|error| error.under("mode"))?;
        let settings = self.learn.checked_settings(self.mode.defaults());
        let settings = settings.map_err(|error| error.under("learn"))?;
        let epsilon = self.learn.epsilon_millionths();
        self.check_files(&settings, &schedule)?;
        let n_snapshots = self.mode.games() / self.snapshot_games;
        if MAX_SNAPSHOTS < n_snapshots {
            let expected = format!(
                "more: there are {n_snapshots} snapshots of a network, and at most \
                 {MAX_SNAPSHOTS} are allowed"
            );
            return Err(InvalidValue::new("snapshot_games", &self.snapshot_games, expected));
        }
        let opponents = self.check_opponents().map_err(|error| error.under("evaluation"))?;
        let vectors = match &self.vectors {
            _ if !self.arms.contains(&EncodingParam::Vectors) => CheckedVectors::None,
            SelfplayVectorsParam::Random(_) => CheckedVectors::Random,
            SelfplayVectorsParam::File(VectorFileParam { file }) => CheckedVectors::File(*file),
        };
        let checked = CheckedSelfplay {
            pool,
            decks,
            networks,
            vectors,
            schedule,
            settings,
            epsilon,
            opponents,
            spec: self,
        };
        checked.check_training()?;
        checked.check_looks()?;
        Ok(checked)
    }

    /// Checks that a trial can have all files of games that the replay memory holds items from.
    fn check_files(
        &self,
        settings: &ReinforcementSettings,
        schedule: &Schedule,
    ) -> Result<(), InvalidValue> {
        let file_games = schedule.file_games();
        let decisions = file_games * LEAST_DECISIONS;
        // The oldest file may have a decision that is held, and the newest ones are not learned
        // from yet.
        let held = u64::from(settings.capacity).div_ceil(decisions) + 1 + schedule.most_files();
        let needed = held.min(u64::from(self.mode.games()).div_ceil(file_games));
        if needed <= TrainingSetup::MAX_FILES as u64 {
            return Ok(());
        }
        let (key, found) = match &self.mode {
            SelfplayMode::Paper(mode) => ("mode.period_steps", mode.period_steps),
            SelfplayMode::Wide(mode) => ("mode.pairs_per_trial", mode.pairs_per_trial),
        };
        let expected = format!(
            "more, or a smaller `learn.capacity`: its decisions are in up to {needed} files of \
             {file_games} games, and at most {} are allowed",
            TrainingSetup::MAX_FILES
        );
        Err(InvalidValue::new(key, &found, expected))
    }

    /// Checks the opponents of looks. Keys are those below `evaluation`.
    fn check_opponents(&self) -> Result<Vec<StrengthOpponent>, InvalidValue> {
        let mut resolved: Vec<StrengthOpponent> = Vec::new();
        for (at, param) in self.evaluation.opponents.iter().enumerate() {
            let (agent, name) = (param.resolve(), param.opponent_name());
            if let Some(other) = resolved.iter().position(|other| other.name == name) {
                let expected = format!(
                    "another one: evaluation.opponents.{other} is the same (temperatures are \
                     rounded to thousandths)"
                );
                return Err(InvalidValue::new(format!("opponents.{at}"), &param.text(), expected));
            }
            resolved.push(StrengthOpponent { agent, name });
        }
        Ok(resolved)
    }
}
