//! Checks of the spec of `othellonia-imitate`.

use hatchery_core::{InvalidParam, Part, PartInput};
use hatchery_nets::FirstLayerForm;

use super::{
    FirstLayerParam, ImitateArm, ImitateSpec, LearnedVectorsParam, VectorFileParam, VectorsParam,
};
use crate::experiment::agent_param::{AgentParam, AgentPreset, CheckedAgent, RuleParam};
use crate::experiment::deck_param::{self, NamedDeck};
use crate::experiment::learning_games::{CheckedGames, in_range};
use crate::experiment::representation::representation_setup;
use crate::learning::imitation::ImitationSettings;
use crate::pool::CostCap;
use crate::setup::{ImitationTask, TrainingEncoding, TrainingSetup, TrainingTask};

/// The most networks of an arm.
const MAX_SEEDS: u32 = 8;

/// The most pairs of games with a deck after a period.
const MAX_PAIRS: u32 = 10_000;

/// The most pairs of games of a generation that show how well networks play.
const MAX_JUDGED: u64 = 1_000_000;

/// The most decks of such games.
const MAX_DECKS: usize = 64;

/// A spec whose parameters fit together.
#[derive(Clone, Debug)]
pub(in crate::experiment::imitate) struct CheckedImitate {
    pub(in crate::experiment::imitate) games: CheckedGames,
    /// The decks of the games that show how well networks play.
    pub(in crate::experiment::imitate) decks: Vec<NamedDeck>,
    pub(in crate::experiment::imitate) opponent: CheckedAgent,
    /// The opponent in a word, for names of measures.
    pub(in crate::experiment::imitate) opponent_name: &'static str,
    /// The networks: of the first arm all seeds, then those of the next one.
    pub(in crate::experiment::imitate) networks: Vec<ArmSeed>,
    pub(in crate::experiment::imitate) vectors: CheckedVectors,
}

/// A network: its arm and its number in the arm.
#[derive(Clone, Copy, Debug)]
pub(in crate::experiment::imitate) struct ArmSeed {
    pub(in crate::experiment::imitate) arm: ImitateArm,
    pub(in crate::experiment::imitate) seed: u32,
}

impl ArmSeed {
    /// Returns the name: that of the arm, and from the second seed on its number.
    pub(in crate::experiment::imitate) fn name(self) -> String {
        match self.seed {
            0 => self.arm.name().to_owned(),
            seed => format!("{}_{}", self.arm.name(), seed + 1),
        }
    }
}

/// The origin of vectors.
#[derive(Clone, Copy, Debug)]
pub(in crate::experiment::imitate) enum CheckedVectors {
    /// No arm needs any.
    None,
    Random,
    /// Learned in so many periods.
    Learned {
        periods: u32,
    },
    File(PartInput),
}

/// The reason why a spec in use can be resolved.
const CHECKED: &str = "begin has checked the spec";

impl ImitateSpec {
    /// Returns the spec after [`check`](Self::check) has passed.
    pub(in crate::experiment::imitate) fn checked(&self) -> CheckedImitate {
        self.check().expect(CHECKED)
    }

    /// Checks that the parameters fit together.
    pub(in crate::experiment::imitate) fn check(&self) -> Result<CheckedImitate, InvalidParam> {
        let games = self.games.check().map_err(|error| error.below("games"))?;
        let (decks, opponent) =
            self.check_evaluation(&games).map_err(|error| error.below("evaluation"))?;
        let n_arms = self.arms.len();
        if n_arms == 0 {
            return Err(InvalidParam::new("arms", "none", "one or more"));
        }
        for (at, arm) in self.arms.iter().enumerate() {
            if self.arms[..at].contains(arm) {
                let expected = "another arm: this one is there before";
                let found = format!("\"{}\"", arm.name());
                return Err(InvalidParam::new(format!("arms.{at}"), &found, expected));
            }
        }
        in_range("seeds", self.seeds, 1, MAX_SEEDS)?;
        self.learn.check().map_err(|error| error.below("learn"))?;
        for &arm in &self.arms {
            let setup = self.task(Self::encoding(&games, arm));
            self.learn.check_lesson(&setup).map_err(|error| match error.key.as_str() {
                "negatives" => error,
                _ => error.below("learn"),
            })?;
        }
        let vectors = self.check_vectors(&games)?;
        let seeds = self.seeds;
        let networks = self.arms.iter();
        let networks: Vec<_> =
            networks.flat_map(|&arm| (0..seeds).map(move |seed| ArmSeed { arm, seed })).collect();
        let factors = [
            (self.evaluation.pairs.into(), "pairs"),
            (decks.len() as u64, "decks"),
            (networks.len() as u64, "networks"),
        ];
        let key = "evaluation.pairs";
        InvalidParam::check_product(key, &factors, "pairs of a generation", MAX_JUDGED)?;
        let opponent_name = word(&self.evaluation.opponent);
        Ok(CheckedImitate { games, decks, opponent, opponent_name, networks, vectors })
    }

    fn check_evaluation(
        &self,
        games: &CheckedGames,
    ) -> Result<(Vec<NamedDeck>, CheckedAgent), InvalidParam> {
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
            return Err(InvalidParam::new("decks", &n_decks, expected));
        }
        if let Some((at, deck)) = decks
            .iter()
            .enumerate()
            .find(|(at, deck)| decks[..*at].iter().any(|other| other.name == deck.name))
        {
            let expected = "a name that no other deck has";
            let key = if at < evaluation.decks.len() { "decks" } else { "generated_decks" };
            return Err(InvalidParam::new(key, &format!("{:?}", deck.name), expected));
        }
        in_range("pairs", evaluation.pairs, 0, MAX_PAIRS)?;
        Ok((decks, evaluation.opponent.resolve("opponent")?))
    }

    fn check_vectors(&self, games: &CheckedGames) -> Result<CheckedVectors, InvalidParam> {
        let checked = match &self.vectors {
            VectorsParam::Random(_) => CheckedVectors::Random,
            VectorsParam::File(VectorFileParam { file }) => CheckedVectors::File(*file),
            VectorsParam::Learned(LearnedVectorsParam { learn, explored }) => {
                learn.check().map_err(|error| error.below("vectors.learn"))?;
                let setup = representation_setup(games, learn, *explored);
                learn.check_lesson(&setup).map_err(|error| match error.key.as_str() {
                    "explored" => error.below("vectors"),
                    _ => error.below("vectors.learn"),
                })?;
                CheckedVectors::Learned { periods: learn.periods }
            }
        };
        Ok(if self.has_vectors() { checked } else { CheckedVectors::None })
    }

    /// Returns the encoding of an arm, if it needs no file.
    pub(in crate::experiment::imitate) fn encoding(
        games: &CheckedGames,
        arm: ImitateArm,
    ) -> Option<TrainingEncoding> {
        match arm {
            ImitateArm::Vectors => None,
            ImitateArm::OneHot => Some(TrainingEncoding::PoolOneHot { kinds: games.kinds() }),
            ImitateArm::DeckOneHot => Some(TrainingEncoding::DeckOneHot),
        }
    }

    /// Returns the setup of training by imitation, without games and without a learner before. An
    /// encoding that is not known yet is one of vectors: the setup then names an empty file.
    pub(in crate::experiment::imitate) fn task(
        &self,
        encoding: Option<TrainingEncoding>,
    ) -> TrainingSetup {
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
        let encoding = encoding.unwrap_or_else(|| TrainingEncoding::Vectors(Part::of(&[])));
        let information = self.information.into();
        let task = ImitationTask { encoding, information, settings };
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
