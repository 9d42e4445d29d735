//! Setups of recorded games and of learning on the wire.

use hatchery_core::part::Part;
use hatchery_core::{DecodeError, PartMessage, WireValue};
use hatchery_nets::FirstLayerForm;

use super::agent::AgentMessage;
use super::training_result::{StoredLearnerMessage, part, within};
use crate::features::Information;
use crate::learning::LearnError;
use crate::learning::imitation::ImitationSettings;
use crate::learning::representation::{Explored, RepresentationSettings};
use crate::pool::MAX_KINDS;
use crate::setup::{
    DeckTable, ImitationTask, RecordSetup, RepresentationTask, TrainingEncoding, TrainingSetup,
    TrainingTask, WeightedAgent,
};

/// A [`RecordSetup`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RecordSetupMessage {
    #[prost(uint32, tag = "1")]
    pairs: u32,
    #[prost(uint32, tag = "2")]
    n_decks: u32,
    #[prost(message, repeated, tag = "3")]
    agents: Vec<AgentMessage>,
    /// A weight for each agent.
    #[prost(uint32, repeated, tag = "4")]
    weights: Vec<u32>,
}

/// A [`TrainingSetup`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TrainingSetupMessage {
    #[prost(oneof = "TrainingTaskMessage", tags = "1, 2")]
    task: Option<TrainingTaskMessage>,
    #[prost(uint32, repeated, tag = "3")]
    hidden: Vec<u32>,
    #[prost(message, repeated, tag = "4")]
    games: Vec<PartMessage>,
    #[prost(message, optional, tag = "5")]
    before: Option<StoredLearnerMessage>,
    #[prost(uint32, tag = "6")]
    steps: u32,
}

/// A [`TrainingTask`] on the wire.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum TrainingTaskMessage {
    /// [`TrainingTask::Representation`].
    #[prost(message, tag = "1")]
    Representation(RepresentationTaskMessage),
    /// [`TrainingTask::Imitation`].
    #[prost(message, tag = "2")]
    Imitation(ImitationTaskMessage),
}

/// A [`RepresentationTask`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct RepresentationTaskMessage {
    #[prost(uint32, tag = "1")]
    kinds: u32,
    #[prost(uint32, tag = "2")]
    neighbors: u32,
    #[prost(uint32, tag = "3")]
    decisions: u32,
    #[prost(double, tag = "4")]
    explored: f64,
    #[prost(float, tag = "5")]
    rate: f32,
    #[prost(float, tag = "6")]
    weight_decay: f32,
    #[prost(float, tag = "7")]
    dropout: f32,
    #[prost(uint64, tag = "8")]
    stretch: u64,
}

/// An [`ImitationTask`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ImitationTaskMessage {
    #[prost(oneof = "TrainingEncodingMessage", tags = "1, 2, 3")]
    encoding: Option<TrainingEncodingMessage>,
    /// True if only the player's own pieces are seen.
    #[prost(bool, tag = "4")]
    is_own: bool,
    #[prost(uint32, tag = "5")]
    decisions: u32,
    #[prost(uint32, tag = "6")]
    negatives: u32,
    #[prost(float, tag = "7")]
    rate: f32,
    #[prost(float, tag = "8")]
    weight_decay: f32,
    #[prost(float, tag = "9")]
    dropout: f32,
    /// The index of the form in [`FORMS`].
    #[prost(uint32, tag = "10")]
    form: u32,
    #[prost(uint64, tag = "11")]
    stretch: u64,
}

/// A [`TrainingEncoding`] on the wire.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum TrainingEncodingMessage {
    /// [`TrainingEncoding::Vectors`].
    #[prost(message, tag = "1")]
    Vectors(PartMessage),
    /// [`TrainingEncoding::PoolOneHot`].
    #[prost(uint32, tag = "2")]
    PoolOneHot(u32),
    /// [`TrainingEncoding::DeckOneHot`].
    #[prost(bool, tag = "3")]
    DeckOneHot(bool),
}

/// The forms of the first layer, by their number.
const FORMS: [FirstLayerForm; 3] =
    [FirstLayerForm::Fastest, FirstLayerForm::CopiedSparse, FirstLayerForm::CopiedDense];

impl From<&RecordSetup> for RecordSetupMessage {
    fn from(RecordSetup { pairs, n_decks, agents }: &RecordSetup) -> Self {
        Self {
            pairs: *pairs,
            n_decks: u32::from(*n_decks),
            agents: agents.iter().map(|it| AgentMessage::from(&it.agent)).collect(),
            weights: agents.iter().map(|it| it.weight).collect(),
        }
    }
}

impl RecordSetupMessage {
    pub(super) fn checked(self) -> Result<RecordSetup, DecodeError> {
        let Self { pairs, n_decks, agents, weights } = self;
        within("pairs", pairs.into(), 1, RecordSetup::MAX_PAIRS.into())?;
        within("n_decks", n_decks.into(), 1, DeckTable::MAX_DECKS as u64)?;
        within("agents", agents.len() as u64, 1, RecordSetup::MAX_AGENTS as u64)?;
        if weights.len() != agents.len() {
            let expected = format!("{}, one for each agent", agents.len());
            return Err(DecodeError::field("weights", &weights.len(), expected));
        }
        let agents = agents.into_iter().zip(weights).map(|(agent, weight)| {
            within("weights", weight.into(), 1, WeightedAgent::MAX_WEIGHT.into())?;
            Ok(WeightedAgent { agent: agent.checked()?, weight })
        });
        let agents = agents.collect::<Result<_, DecodeError>>()?;
        let n_decks = u16::try_from(n_decks).expect("the number was checked");
        Ok(RecordSetup { pairs, n_decks, agents })
    }
}

impl From<&TrainingSetup> for TrainingSetupMessage {
    fn from(setup: &TrainingSetup) -> Self {
        let TrainingSetup { task, hidden, games, before, steps } = setup;
        Self {
            task: Some(match task {
                TrainingTask::Representation(it) => TrainingTaskMessage::Representation(it.into()),
                TrainingTask::Imitation(it) => TrainingTaskMessage::Imitation(it.into()),
            }),
            hidden: hidden.clone(),
            games: games.iter().map(Part::to_message).collect(),
            before: before.as_ref().map(StoredLearnerMessage::from),
            steps: *steps,
        }
    }
}

impl TrainingSetupMessage {
    pub(super) fn checked(self) -> Result<TrainingSetup, DecodeError> {
        let Self { task, hidden, games, before, steps } = self;
        let task = match task {
            Some(TrainingTaskMessage::Representation(it)) => {
                TrainingTask::Representation(it.checked()?)
            }
            Some(TrainingTaskMessage::Imitation(it)) => TrainingTask::Imitation(it.checked()?),
            None => return Err(DecodeError::field("task", &"missing", "a task")),
        };
        within("hidden", hidden.len() as u64, 1, TrainingSetup::MAX_LAYERS as u64)?;
        for &units in &hidden {
            within("hidden", units.into(), 1, TrainingSetup::MAX_UNITS.into())?;
        }
        within("games", games.len() as u64, 1, TrainingSetup::MAX_FILES as u64)?;
        within("steps", steps.into(), 1, TrainingSetup::MAX_STEPS.into())?;
        let games = games.into_iter().map(Part::from_message).collect::<Result<_, _>>()?;
        let before = before.map(StoredLearnerMessage::checked).transpose()?;
        let setup = TrainingSetup { task, hidden, games, before, steps };
        if let Err(error) = setup.check_settings() {
            return Err(match error {
                LearnError::Setting { setting, found, expected } => {
                    DecodeError::field(setting, &found, expected)
                }
                error => DecodeError::field("task", &error, "one whose settings are in range"),
            });
        }
        within("curve", setup.n_points(), 1, TrainingSetup::MAX_POINTS.into())?;
        within("weights", setup.n_numbers(), 1, TrainingSetup::MAX_NUMBERS)?;
        within("rows", setup.n_rows(), 1, TrainingSetup::MAX_ROWS)?;
        Ok(setup)
    }
}

impl From<&RepresentationTask> for RepresentationTaskMessage {
    fn from(task: &RepresentationTask) -> Self {
        let RepresentationTask { kinds, settings, neighbors } = task;
        let RepresentationSettings { decisions, explored, rate, weight_decay, dropout, stretch } =
            settings;
        Self {
            kinds: *kinds,
            neighbors: *neighbors,
            decisions: *decisions,
            explored: explored.0,
            rate: *rate,
            weight_decay: *weight_decay,
            dropout: *dropout,
            stretch: *stretch,
        }
    }
}

impl RepresentationTaskMessage {
    fn checked(self) -> Result<RepresentationTask, DecodeError> {
        let Self { kinds, neighbors, decisions, explored, rate, weight_decay, dropout, stretch } =
            self;
        within("kinds", kinds.into(), 1, MAX_KINDS as u64)?;
        within("neighbors", neighbors.into(), 0, TrainingSetup::MAX_NEIGHBORS.into())?;
        let explored = Explored(explored);
        let settings =
            RepresentationSettings { decisions, explored, rate, weight_decay, dropout, stretch };
        Ok(RepresentationTask { kinds, settings, neighbors })
    }
}

impl From<&ImitationTask> for ImitationTaskMessage {
    fn from(task: &ImitationTask) -> Self {
        let ImitationTask { encoding, information, settings } = task;
        let ImitationSettings { decisions, negatives, rate, weight_decay, dropout, form, stretch } =
            settings;
        let form = FORMS.iter().position(|it| it == form).expect("it is one of all");
        Self {
            encoding: Some(match encoding {
                TrainingEncoding::Vectors(file) => {
                    TrainingEncodingMessage::Vectors(file.to_message())
                }
                TrainingEncoding::PoolOneHot { kinds } => {
                    TrainingEncodingMessage::PoolOneHot(*kinds)
                }
                TrainingEncoding::DeckOneHot => TrainingEncodingMessage::DeckOneHot(true),
            }),
            is_own: *information == Information::Own,
            decisions: *decisions,
            negatives: *negatives,
            rate: *rate,
            weight_decay: *weight_decay,
            dropout: *dropout,
            form: u32::try_from(form).expect("one of three"),
            stretch: *stretch,
        }
    }
}

impl ImitationTaskMessage {
    fn checked(self) -> Result<ImitationTask, DecodeError> {
        let Self { encoding, is_own, decisions, negatives, form, stretch, .. } = self;
        let (rate, weight_decay, dropout) = (self.rate, self.weight_decay, self.dropout);
        let encoding = match encoding {
            Some(TrainingEncodingMessage::Vectors(file)) => {
                TrainingEncoding::Vectors(part("encoding", Some(file))?)
            }
            Some(TrainingEncodingMessage::PoolOneHot(kinds)) => {
                within("kinds", kinds.into(), 1, MAX_KINDS as u64)?;
                TrainingEncoding::PoolOneHot { kinds }
            }
            Some(TrainingEncodingMessage::DeckOneHot(true)) => TrainingEncoding::DeckOneHot,
            _ => return Err(DecodeError::field("encoding", &"missing", "an encoding of pieces")),
        };
        let number = usize::try_from(form).ok().and_then(|form| FORMS.get(form));
        let form = *number.ok_or_else(|| DecodeError::field("form", &form, "below 3"))?;
        let settings =
            ImitationSettings { decisions, negatives, rate, weight_decay, dropout, form, stretch };
        let information = if is_own { Information::Own } else { Information::Perfect };
        Ok(ImitationTask { encoding, information, settings })
    }
}
