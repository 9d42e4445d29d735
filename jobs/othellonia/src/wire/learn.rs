//! Setups of recorded games and of learning on the wire.

use hatchery_core::part::Part;
use hatchery_core::{DecodeError, PartMessage, WireValue};
use hatchery_nets::FirstLayerForm;

use super::agent::AgentMessage;
use super::lesson::{StoredLearnerMessage, part, within};
use crate::features::Information;
use crate::learning::LearnError;
use crate::learning::imitation::ImitationSettings;
use crate::learning::representation::{Explored, RepresentationSettings};
use crate::pool::MAX_KINDS;
use crate::setup::{
    DeckTable, ImitationLesson, LearnSetup, Lesson, LessonEncoding, RecordSetup,
    RepresentationLesson, WeightedAgent,
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

/// A [`LearnSetup`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct LearnSetupMessage {
    #[prost(oneof = "LessonMessage", tags = "1, 2")]
    lesson: Option<LessonMessage>,
    #[prost(uint32, repeated, tag = "3")]
    hidden: Vec<u32>,
    #[prost(message, repeated, tag = "4")]
    games: Vec<PartMessage>,
    #[prost(message, optional, tag = "5")]
    before: Option<StoredLearnerMessage>,
    #[prost(uint32, tag = "6")]
    steps: u32,
}

/// A [`Lesson`] on the wire.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum LessonMessage {
    /// [`Lesson::Representation`].
    #[prost(message, tag = "1")]
    Representation(RepresentationLessonMessage),
    /// [`Lesson::Imitation`].
    #[prost(message, tag = "2")]
    Imitation(ImitationLessonMessage),
}

/// A [`RepresentationLesson`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct RepresentationLessonMessage {
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

/// An [`ImitationLesson`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ImitationLessonMessage {
    #[prost(oneof = "LessonEncodingMessage", tags = "1, 2, 3")]
    encoding: Option<LessonEncodingMessage>,
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

/// A [`LessonEncoding`] on the wire.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum LessonEncodingMessage {
    /// [`LessonEncoding::Vectors`].
    #[prost(message, tag = "1")]
    Vectors(PartMessage),
    /// [`LessonEncoding::PoolOneHot`].
    #[prost(uint32, tag = "2")]
    PoolOneHot(u32),
    /// [`LessonEncoding::DeckOneHot`].
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

impl From<&LearnSetup> for LearnSetupMessage {
    fn from(setup: &LearnSetup) -> Self {
        let LearnSetup { lesson, hidden, games, before, steps } = setup;
        Self {
            lesson: Some(match lesson {
                Lesson::Representation(it) => LessonMessage::Representation(it.into()),
                Lesson::Imitation(it) => LessonMessage::Imitation(it.into()),
            }),
            hidden: hidden.clone(),
            games: games.iter().map(Part::to_message).collect(),
            before: before.as_ref().map(StoredLearnerMessage::from),
            steps: *steps,
        }
    }
}

impl LearnSetupMessage {
    pub(super) fn checked(self) -> Result<LearnSetup, DecodeError> {
        let Self { lesson, hidden, games, before, steps } = self;
        let lesson = match lesson {
            Some(LessonMessage::Representation(it)) => Lesson::Representation(it.checked()?),
            Some(LessonMessage::Imitation(it)) => Lesson::Imitation(it.checked()?),
            None => return Err(DecodeError::field("lesson", &"missing", "a lesson")),
        };
        within("hidden", hidden.len() as u64, 1, LearnSetup::MAX_LAYERS as u64)?;
        for &units in &hidden {
            within("hidden", units.into(), 1, LearnSetup::MAX_UNITS.into())?;
        }
        within("games", games.len() as u64, 1, LearnSetup::MAX_FILES as u64)?;
        within("steps", steps.into(), 1, LearnSetup::MAX_STEPS.into())?;
        let games = games.into_iter().map(Part::from_message).collect::<Result<_, _>>()?;
        let before = before.map(StoredLearnerMessage::checked).transpose()?;
        let setup = LearnSetup { lesson, hidden, games, before, steps };
        if let Err(error) = setup.check_settings() {
            return Err(match error {
                LearnError::Setting { setting, found, expected } => {
                    DecodeError::field(setting, &found, expected)
                }
                error => DecodeError::field("lesson", &error, "one whose settings are in range"),
            });
        }
        within("curve", setup.n_points(), 1, LearnSetup::MAX_POINTS.into())?;
        within("weights", setup.n_numbers(), 1, LearnSetup::MAX_NUMBERS)?;
        within("rows", setup.n_rows(), 1, LearnSetup::MAX_ROWS)?;
        Ok(setup)
    }
}

impl From<&RepresentationLesson> for RepresentationLessonMessage {
    fn from(lesson: &RepresentationLesson) -> Self {
        let RepresentationLesson { kinds, settings, neighbors } = lesson;
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

impl RepresentationLessonMessage {
    fn checked(self) -> Result<RepresentationLesson, DecodeError> {
        let Self { kinds, neighbors, decisions, explored, rate, weight_decay, dropout, stretch } =
            self;
        within("kinds", kinds.into(), 1, MAX_KINDS as u64)?;
        within("neighbors", neighbors.into(), 0, LearnSetup::MAX_NEIGHBORS.into())?;
        let explored = Explored(explored);
        let settings =
            RepresentationSettings { decisions, explored, rate, weight_decay, dropout, stretch };
        Ok(RepresentationLesson { kinds, settings, neighbors })
    }
}

impl From<&ImitationLesson> for ImitationLessonMessage {
    fn from(lesson: &ImitationLesson) -> Self {
        let ImitationLesson { encoding, information, settings } = lesson;
        let ImitationSettings { decisions, negatives, rate, weight_decay, dropout, form, stretch } =
            settings;
        let form = FORMS.iter().position(|it| it == form).expect("it is one of all");
        Self {
            encoding: Some(match encoding {
                LessonEncoding::Vectors(file) => LessonEncodingMessage::Vectors(file.to_message()),
                LessonEncoding::PoolOneHot { kinds } => LessonEncodingMessage::PoolOneHot(*kinds),
                LessonEncoding::DeckOneHot => LessonEncodingMessage::DeckOneHot(true),
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

impl ImitationLessonMessage {
    fn checked(self) -> Result<ImitationLesson, DecodeError> {
        let Self { encoding, is_own, decisions, negatives, form, stretch, .. } = self;
        let (rate, weight_decay, dropout) = (self.rate, self.weight_decay, self.dropout);
        let encoding = match encoding {
            Some(LessonEncodingMessage::Vectors(file)) => {
                LessonEncoding::Vectors(part("encoding", Some(file))?)
            }
            Some(LessonEncodingMessage::PoolOneHot(kinds)) => {
                within("kinds", kinds.into(), 1, MAX_KINDS as u64)?;
                LessonEncoding::PoolOneHot { kinds }
            }
            Some(LessonEncodingMessage::DeckOneHot(true)) => LessonEncoding::DeckOneHot,
            _ => return Err(DecodeError::field("encoding", &"missing", "an encoding of pieces")),
        };
        let number = usize::try_from(form).ok().and_then(|form| FORMS.get(form));
        let form = *number.ok_or_else(|| DecodeError::field("form", &form, "below 3"))?;
        let settings =
            ImitationSettings { decisions, negatives, rate, weight_decay, dropout, form, stretch };
        let information = if is_own { Information::Own } else { Information::Perfect };
        Ok(ImitationLesson { encoding, information, settings })
    }
}
