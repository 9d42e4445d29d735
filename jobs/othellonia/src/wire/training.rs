//! Setups of learning on the wire.

use hatchery_core::part::Part;
use hatchery_core::{DecodeError, PartMessage};
use hatchery_nets::FirstLayerForm;

use super::fields::within;
use super::reinforcement::ReinforcementTaskMessage;
use super::training_encoding::TrainingEncodingMessage;
use super::training_result::StoredLearnerMessage;
use crate::features::Information;
use crate::learning::LearnError;
use crate::learning::imitation::ImitationSettings;
use crate::learning::representation::{Explored, RepresentationSettings};
use crate::pool::MAX_KINDS;
use crate::setup::{ImitationTask, RecordSetup, RepresentationTask, TrainingSetup, TrainingTask};

/// A [`TrainingSetup`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TrainingSetupMessage {
    #[prost(oneof = "TrainingTaskMessage", tags = "1, 2, 7")]
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
    /// [`TrainingTask::Reinforcement`].
    #[prost(message, boxed, tag = "7")]
    Reinforcement(Box<ReinforcementTaskMessage>),
}

/// A [`RepresentationTask`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
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
    #[prost(message, optional, tag = "9")]
    fixed: Option<PartMessage>,
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

/// The forms of the first layer, by their number.
const FORMS: [FirstLayerForm; 3] =
    [FirstLayerForm::Fastest, FirstLayerForm::CopiedSparse, FirstLayerForm::CopiedDense];

impl From<&TrainingSetup> for TrainingSetupMessage {
    fn from(setup: &TrainingSetup) -> Self {
        let TrainingSetup { task, hidden, games, before, steps } = setup;
        Self {
            task: Some(match task {
                TrainingTask::Representation(it) => TrainingTaskMessage::Representation(it.into()),
                TrainingTask::Imitation(it) => TrainingTaskMessage::Imitation(it.into()),
                TrainingTask::Reinforcement(it) => {
                    TrainingTaskMessage::Reinforcement(Box::new((&**it).into()))
                }
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
            Some(TrainingTaskMessage::Reinforcement(it)) => {
                TrainingTask::Reinforcement(Box::new(it.checked()?))
            }
            None => return Err(DecodeError::field("task", &"missing", "a task")),
        };
        // A new network is a result of reinforcement learning; others have games to learn from.
        let least = u64::from(!matches!(task, TrainingTask::Reinforcement(_)));
        within("hidden", hidden.len() as u64, 1, TrainingSetup::MAX_LAYERS as u64)?;
        for &units in &hidden {
            within("hidden", units.into(), 1, TrainingSetup::MAX_UNITS.into())?;
        }
        within("games", games.len() as u64, least, TrainingSetup::MAX_FILES as u64)?;
        within("steps", steps.into(), least, TrainingSetup::MAX_STEPS.into())?;
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
        within("curve", setup.n_points(), least, TrainingSetup::MAX_POINTS.into())?;
        within("weights", setup.n_numbers(), 1, TrainingSetup::MAX_NUMBERS)?;
        within("rows", setup.n_rows(), 1, TrainingSetup::MAX_ROWS)?;
        check_reinforcement(&setup)?;
        Ok(setup)
    }
}

/// Checks that the games of reinforcement learning belong to its learner and its steps.
fn check_reinforcement(setup: &TrainingSetup) -> Result<(), DecodeError> {
    let TrainingTask::Reinforcement(task) = &setup.task else { return Ok(()) };
    if setup.before.is_none() && task.first_item != 0 {
        let expected = "0 without a learner before";
        return Err(DecodeError::field("first_item", &task.first_item, expected));
    }
    let Some(rounds) = &task.rounds else { return Ok(()) };
    if !setup.steps.is_multiple_of(rounds.steps) {
        let expected = format!("a multiple of {}, the steps of a round", rounds.steps);
        return Err(DecodeError::field("steps", &setup.steps, expected));
    }
    within("rounds", (setup.steps / rounds.steps).into(), 0, RecordSetup::MAX_PAIRS.into())
}

impl From<&RepresentationTask> for RepresentationTaskMessage {
    fn from(task: &RepresentationTask) -> Self {
        let RepresentationTask { kinds, settings, neighbors, fixed } = task;
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
            fixed: fixed.as_ref().map(Part::to_message),
        }
    }
}

impl RepresentationTaskMessage {
    fn checked(self) -> Result<RepresentationTask, DecodeError> {
        let Self { kinds, neighbors, decisions, explored, stretch, fixed, .. } = self;
        let (rate, weight_decay, dropout) = (self.rate, self.weight_decay, self.dropout);
        within("kinds", kinds.into(), 1, MAX_KINDS as u64)?;
        within("neighbors", neighbors.into(), 0, TrainingSetup::MAX_NEIGHBORS.into())?;
        let explored = Explored(explored);
        let settings =
            RepresentationSettings { decisions, explored, rate, weight_decay, dropout, stretch };
        let fixed = fixed.map(Part::from_message).transpose()?;
        Ok(RepresentationTask { kinds, settings, neighbors, fixed })
    }
}

impl From<&ImitationTask> for ImitationTaskMessage {
    fn from(task: &ImitationTask) -> Self {
        let ImitationTask { encoding, information, settings } = task;
        let ImitationSettings { decisions, negatives, rate, weight_decay, dropout, form, stretch } =
            settings;
        let form = FORMS.iter().position(|it| it == form).expect("it is one of all");
        Self {
            encoding: Some(encoding.into()),
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
        let encoding = TrainingEncodingMessage::checked(encoding)?;
        let number = usize::try_from(form).ok().and_then(|form| FORMS.get(form));
        let form = *number.ok_or_else(|| DecodeError::field("form", &form, "below 3"))?;
        let settings =
            ImitationSettings { decisions, negatives, rate, weight_decay, dropout, form, stretch };
        let information = if is_own { Information::Own } else { Information::Perfect };
        Ok(ImitationTask { encoding, information, settings })
    }
}
