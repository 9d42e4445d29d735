//! Checks of the spec of `othellonia-imitate`.

use hatchery_core::{InvalidValue, PartInput};
use hatchery_nets::FirstLayerForm;

use super::spec::{FirstLayerParam, ImitateSpec, LearnedVectorsParam, VectorsParam};
use crate::learning::imitation::ImitationSettings;
use crate::params::agent_param::{AgentParam, AgentPreset, CheckedAgent, RuleParam};
use crate::params::deck_param::{self, NamedDeck};
use crate::params::encoding_param::{ArmSeed, VectorFileParam, arm_seeds};
use crate::params::learning_games_param::CheckedGames;
use crate::pool::CostCap;
use crate::studies::vector_learning::representation_setup;
use crate::trial::setup::{ImitationTask, TrainingEncoding, TrainingSetup, TrainingTask};

/// The most pairs of games of a generation that show how well networks play.
const MAX_JUDGED: u64 = 1_000_000;

/// The most decks of such games.
const MAX_DECKS: usize = 64;

/// A spec whose parameters fit together.
#[derive(Clone, Debug)]
pub struct CheckedImitate {
    pub(super) spec: ImitateSpec,
    pub(super) games: CheckedGames,
    /// The decks of the games that show how well networks play.
    pub(super) decks: Vec<NamedDeck>,
    pub(super) opponent: CheckedAgent,
    /// The opponent in a word, for names of measures.
    pub(super) opponent_name: &'static str,
    /// The networks: first all seeds of the first arm, then all seeds of the next arm.
    pub(super) networks: Vec<ArmSeed>,
    pub(super) vectors: CheckedVectors,
}

/// The origin of vectors.
#[derive(Clone, Copy, Debug)]
pub(super) enum CheckedVectors {
    /// No arm needs any.
    None,
    Random,
    /// Learned in so many periods.
    Learned {
        periods: u32,
    },
    File(PartInput),
}

impl ImitateSpec {
    /// Checks that the parameters fit together.
    pub(super) fn check(self) -> Result<CheckedImitate, InvalidValue> {
        let games = self.games.check().map_err(|error| error.under("games"))?;
        let (decks, opponent) =
            self.check_evaluation(&games).map_err(|error| error.under("evaluation"))?;
        let networks = arm_seeds(&self.arms, self.seeds)?;
        for &arm in &self.arms {
            let setup = self.setup(arm.of_setup(games.kinds()));
            self.learn.check_setup(&setup).map_err(|error| error.under("learn"))?;
        }
        let vectors = self.check_vectors(&games)?;
        let factors = [
            (self.evaluation.pairs.into(), "pairs"),
            (decks.len() as u64, "decks"),
            (networks.len() as u64, "networks"),
        ];
        let key = "evaluation.pairs";
        InvalidValue::check_product(key, &factors, "pairs of a generation", MAX_JUDGED)?;
        let opponent_name = word(&self.evaluation.opponent);
        Ok(CheckedImitate { spec: self, games, decks, opponent, opponent_name, networks, vectors })
    }

    fn check_evaluation(
        &self,
        games: &CheckedGames,
    ) -> Result<(Vec<NamedDeck>, CheckedAgent), InvalidValue> {
        let evaluation = &self.evaluation;
        let cap = CostCap(self.games.cost_cap);
        let pools = (&self.games.pool, &games.pool);
        let mut decks = deck_param::resolve(&evaluation.decks, None, pools, cap)?;
        if let Some(generated) = &evaluation.generated_decks {
            decks.extend(generated.resolve(&games.pool, cap)?);
        }
        let n_decks = decks.len();
        if n_decks == 0 || MAX_DECKS < n_decks {
            let expected = format!("from 1 to {MAX_DECKS}, with those of `generated_decks`");
            return Err(InvalidValue::new("decks", &n_decks, expected));
        }
        if let Some((at, deck)) = decks
            .iter()
            .enumerate()
            .find(|(at, deck)| decks[..*at].iter().any(|other| other.name == deck.name))
        {
            let expected = "a name that no other deck has";
            let key = if at < evaluation.decks.len() { "decks" } else { "generated_decks" };
            return Err(InvalidValue::new(key, &format!("{:?}", deck.name), expected));
        }
        Ok((decks, evaluation.opponent.resolve()))
    }

    fn check_vectors(&self, games: &CheckedGames) -> Result<CheckedVectors, InvalidValue> {
        let checked = match &self.vectors {
            VectorsParam::Random(_) => CheckedVectors::Random,
            VectorsParam::File(VectorFileParam { file }) => CheckedVectors::File(*file),
            VectorsParam::Learned(LearnedVectorsParam { learn, explored }) => {
                let setup = representation_setup(games, learn, *explored);
                learn.check_setup(&setup).map_err(|error| error.under("vectors.learn"))?;
                CheckedVectors::Learned { periods: learn.periods }
            }
        };
        Ok(if self.has_vectors() { checked } else { CheckedVectors::None })
    }

    /// Returns the setup of training by imitation, without games and without a learner before.
    pub(super) fn setup(&self, encoding: TrainingEncoding) -> TrainingSetup {
        let learn = &self.learn;
        let settings = ImitationSettings {
            decisions: learn.decisions,
            negatives: self.negatives,
            rate: learn.rate,
            weight_decay: learn.weight_decay,
            dropout: learn.dropout,
            form: match self.form {
                FirstLayerParam::Fastest => FirstLayerForm::Fastest,
                FirstLayerParam::Sparse => FirstLayerForm::CopiedSparse,
                FirstLayerParam::Dense => FirstLayerForm::CopiedDense,
            },
            stretch: learn.stretch(),
        };
        let task = ImitationTask { encoding, information: self.information, settings };
        TrainingSetup {
            task: TrainingTask::Imitation(task),
            hidden: learn.hidden.clone(),
            games: Vec::new(),
            before: None,
            steps: learn.steps,
        }
    }
}

/// Returns an opponent in a word.
fn word(agent: &AgentParam) -> &'static str {
    match agent {
        AgentParam::Random(_) => "random",
        AgentParam::Lookahead(_) => "lookahead",
        AgentParam::Network(_) => "network",
        AgentParam::Rule(RuleParam { temperature: Some(_), .. }) => "rule",
        AgentParam::Rule(RuleParam { preset, temperature: None }) => match preset {
            AgentPreset::Novice => "novice",
            AgentPreset::Standard => "standard",
            AgentPreset::Hard => "hard",
        },
    }
}
