//! Results on the wire.

use hatchery_core::{DecodeError, MessageValue, Tally};

use super::level::LevelMessage;
use super::within;
use crate::ballistics::{LAUNCH_SPEED, LaunchVelocity};
use crate::level::{Level, LevelSurroundings};
use crate::results::{
    EvolutionRecord, LevelResult, LevelResults, PlayRecord, PopulationRecord, SettlingRecord,
};

/// [`LevelResults`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct LevelResultsMessage {
    #[prost(message, repeated, tag = "1")]
    results: Vec<LevelResultMessage>,
}

/// A [`LevelResult`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct LevelResultMessage {
    #[prost(uint32, tag = "1")]
    blocks: u32,
    #[prost(uint32, tag = "2")]
    pigs: u32,
    #[prost(message, optional, tag = "3")]
    settled: Option<SettlingMessage>,
    #[prost(message, optional, tag = "4")]
    evolution: Option<EvolutionRecordMessage>,
    #[prost(message, optional, tag = "5")]
    play: Option<PlayMessage>,
    #[prost(message, optional, tag = "6")]
    level: Option<LevelMessage>,
    #[prost(uint32, tag = "7")]
    simulated_ms: u32,
}

/// A [`SettlingRecord`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct SettlingMessage {
    #[prost(uint32, tag = "1")]
    speed: u32,
    #[prost(uint32, tag = "2")]
    moved: u32,
    #[prost(uint32, tag = "3")]
    asleep: u32,
    #[prost(uint32, tag = "4")]
    pigs_left: u32,
}

/// An [`EvolutionRecord`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct EvolutionRecordMessage {
    #[prost(uint32, tag = "1")]
    generations: u32,
    #[prost(uint32, tag = "2")]
    evaluations: u32,
    #[prost(uint32, tag = "3")]
    cached: u32,
    #[prost(bool, tag = "4")]
    has_settled: bool,
    #[prost(message, optional, tag = "5")]
    fitness: Option<FitnessMessage>,
    #[prost(message, repeated, tag = "6")]
    history: Vec<PopulationMessage>,
}

/// The terms of a fitness on the wire, in millionths.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct FitnessMessage {
    #[prost(uint64, tag = "1")]
    stability: u64,
    #[prost(uint64, tag = "2")]
    blocks: u64,
    #[prost(uint64, tag = "3")]
    pigs: u64,
    #[prost(uint64, tag = "4")]
    other: u64,
}

/// A [`PopulationRecord`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct PopulationMessage {
    #[prost(uint64, optional, tag = "1")]
    best: Option<u64>,
    #[prost(uint64, optional, tag = "2")]
    mean: Option<u64>,
}

/// A [`PlayRecord`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct PlayMessage {
    #[prost(uint32, tag = "1")]
    birds: u32,
    #[prost(uint32, tag = "2")]
    pigs: u32,
    #[prost(uint32, tag = "3")]
    pigs_left: u32,
    /// The horizontal part of the velocity of each shot.
    #[prost(float, repeated, tag = "4")]
    shots_x: Vec<f32>,
    /// The vertical part of the velocity of each shot.
    #[prost(float, repeated, tag = "5")]
    shots_y: Vec<f32>,
}

/// The most generations of an evolution, and evaluations in it.
const MOST_EVALUATIONS: u32 = 1_000_000_000;

/// The most millionths of a term: that of any number is less.
const MOST_MILLIONTHS: u64 = 1_000_000_000_000_000;

impl MessageValue for LevelResults {
    type Message = LevelResultsMessage;

    fn to_message(&self) -> LevelResultsMessage {
        LevelResultsMessage { results: self.0.iter().map(LevelResultMessage::from).collect() }
    }

    fn from_message(message: LevelResultsMessage) -> Result<Self, DecodeError> {
        if message.results.is_empty() {
            return Err(DecodeError::field("results", &"empty", "one for each trial"));
        }
        let results = message.results.into_iter().map(LevelResultMessage::checked);
        Ok(Self(results.collect::<Result<_, _>>()?))
    }
}

hatchery_core::message_value!(LevelResults);

impl Tally for LevelResults {
    fn n_trials(&self) -> u64 {
        self.0.len() as u64
    }

    fn absorb(&mut self, later: Self) {
        self.0.extend(later.0);
    }
}

impl From<&LevelResult> for LevelResultMessage {
    fn from(result: &LevelResult) -> Self {
        let SettlingRecord { speed, moved, asleep, pigs_left } = result.settled;
        Self {
            blocks: result.blocks,
            pigs: result.pigs,
            settled: Some(SettlingMessage { speed, moved, asleep, pigs_left }),
            evolution: result.evolution.as_ref().map(EvolutionRecordMessage::from),
            play: result.play.as_ref().map(PlayMessage::from),
            level: result.level.as_ref().map(MessageValue::to_message),
            simulated_ms: result.simulated_ms,
        }
    }
}

impl LevelResultMessage {
    fn checked(self) -> Result<LevelResult, DecodeError> {
        let Self { blocks, pigs, settled, evolution, play, level, simulated_ms } = self;
        #[expect(clippy::cast_possible_truncation, reason = "a thousand")]
        let most = Level::MAX_ELEMENTS as u32;
        within("blocks", blocks, &(0..=most))?;
        within("pigs", pigs, &(0..=most - blocks))?;
        let missing = || DecodeError::field("settled", &"missing", "a record");
        let settled = settled.ok_or_else(missing)?.checked(blocks, pigs)?;
        let play = play.map(|play| play.checked(settled.pigs_left)).transpose()?;
        let level = level.map(Level::from_message).transpose()?;
        if let Some(level) = &level {
            let counts = [level.blocks().len(), level.pigs().len()];
            if counts != [blocks as usize, pigs as usize] {
                let expected = format!("one of {blocks} blocks and {pigs} pigs");
                let found = format!("one of {} blocks and {} pigs", counts[0], counts[1]);
                return Err(DecodeError::field("level", &found, expected));
            }
        }
        let evolution = evolution.map(EvolutionRecordMessage::checked).transpose()?;
        Ok(LevelResult { blocks, pigs, settled, evolution, play, level, simulated_ms })
    }
}

impl SettlingMessage {
    fn checked(self, blocks: u32, pigs: u32) -> Result<SettlingRecord, DecodeError> {
        let n_elements = blocks + pigs;
        Ok(SettlingRecord {
            speed: within("speed", self.speed, &(0..=1_000_000))?,
            moved: within("moved", self.moved, &(0..=n_elements))?,
            asleep: within("asleep", self.asleep, &(0..=n_elements))?,
            pigs_left: within("settled.pigs_left", self.pigs_left, &(0..=pigs))?,
        })
    }
}

impl From<&EvolutionRecord> for EvolutionRecordMessage {
    fn from(record: &EvolutionRecord) -> Self {
        let fitness = record.fitness.map(|[stability, blocks, pigs, other]| FitnessMessage {
            stability,
            blocks,
            pigs,
            other,
        });
        let generation =
            |&PopulationRecord { best, mean }: &PopulationRecord| PopulationMessage { best, mean };
        Self {
            generations: record.generations,
            evaluations: record.evaluations,
            cached: record.cached,
            has_settled: record.has_settled,
            fitness,
            history: record.history.iter().map(generation).collect(),
        }
    }
}

impl EvolutionRecordMessage {
    fn checked(self) -> Result<EvolutionRecord, DecodeError> {
        let Self { generations, evaluations, cached, has_settled, fitness, history } = self;
        within("generations", generations, &(1..=MOST_EVALUATIONS))?;
        let expected = EvolutionRecord::MAX_HISTORY.min(generations as usize);
        if history.len() != expected {
            let expected = format!("{expected} of {generations} generations");
            return Err(DecodeError::field("history", &history.len(), expected));
        }
        let millionths = |number| within("fitness", number, &(0..=MOST_MILLIONTHS));
        let fitness = fitness.map(|FitnessMessage { stability, blocks, pigs, other }| {
            let [stability, blocks, pigs, other] = [stability, blocks, pigs, other].map(millionths);
            Ok::<_, DecodeError>([stability?, blocks?, pigs?, other?])
        });
        let generation = |PopulationMessage { best, mean }| {
            let [best, mean] = [best, mean].map(|number| number.map(millionths).transpose());
            Ok::<_, DecodeError>(PopulationRecord { best: best?, mean: mean? })
        };
        Ok(EvolutionRecord {
            generations,
            evaluations: within("evaluations", evaluations, &(0..=MOST_EVALUATIONS))?,
            cached: within("cached", cached, &(0..=MOST_EVALUATIONS))?,
            has_settled,
            fitness: fitness.transpose()?,
            history: history.into_iter().map(generation).collect::<Result<_, _>>()?,
        })
    }
}

impl From<&PlayRecord> for PlayMessage {
    fn from(play: &PlayRecord) -> Self {
        Self {
            birds: play.birds,
            pigs: play.pigs,
            pigs_left: play.pigs_left,
            shots_x: play.shots.iter().map(|shot| shot.x).collect(),
            shots_y: play.shots.iter().map(|shot| shot.y).collect(),
        }
    }
}

impl PlayMessage {
    /// Checks the record of a level that had `pigs` once it had settled.
    fn checked(self, pigs: u32) -> Result<PlayRecord, DecodeError> {
        let Self { birds, pigs: pigs_at_first, pigs_left, shots_x, shots_y } = self;
        #[expect(clippy::cast_possible_truncation, reason = "some birds")]
        let most_birds = LevelSurroundings::MAX_BIRDS as u32;
        within("birds", birds, &(1..=most_birds))?;
        within("play.pigs", pigs_at_first, &(pigs..=pigs))?;
        within("pigs_left", pigs_left, &(0..=pigs_at_first))?;
        // The play-out of a level goes on while there are pigs and birds.
        let n_shots = shots_x.len();
        let (least, most) = match (pigs_at_first, pigs_left) {
            (0, _) => (0, 0),
            (_, 0) => (1, birds as usize),
            _ => (birds as usize, birds as usize),
        };
        if !(least..=most).contains(&n_shots) || n_shots != shots_y.len() {
            let expected = format!("{least} to {most}, in both directions");
            return Err(DecodeError::field("shots", &n_shots, expected));
        }
        #[expect(clippy::cast_possible_truncation, reason = "a small number")]
        let most = 1.01 * LAUNCH_SPEED as f32;
        let shots = shots_x.into_iter().zip(shots_y).map(|(x, y)| {
            let range = -most..=most;
            let x = within("shots_x", x, &range)?;
            Ok(LaunchVelocity { x, y: within("shots_y", y, &range)? })
        });
        let shots = shots.collect::<Result<_, DecodeError>>()?;
        Ok(PlayRecord { birds, pigs: pigs_at_first, pigs_left, shots })
    }
}
