//! The judgement of recorded games. A trial is one game, and judges the moves of both players.

mod code;

use std::ops::ControlFlow;

use hatchery_core::text::rounded;
use hatchery_core::wire::WireElement;
use hatchery_core::{
    InvalidValue, SceneSink, SceneWriter, Simulation, StreamRng, Tally, TrialContext, WireValue,
    Work,
};
use serde::{Deserialize, Serialize};

use super::judge::MoveJudge;
use super::scene;
use super::setup::JudgeSettings;
use crate::naturalness::{GameNaturalness, LossZone, MoveEvidence, MoveJudgement};
use crate::players::choices;
use crate::record::ggf::{self, GgfGame, Thousandths};
use crate::record::{RecordedGame, RecordedTurn};
use crate::rules::{BoardBackend, DiscColor};

/// The rules of the judgement that all games share.
#[derive(Clone, Debug, PartialEq, WireValue)]
pub struct ReviewRules {
    /// The judge.
    #[wire(tag = 1)]
    pub judge: JudgeSettings,
    /// The first moves of each game, which are not judged.
    #[wire(tag = 2, range(max = 60))]
    pub opening: u32,
}

/// A game to judge.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
pub struct PlayedGame {
    /// The black and the white player; empty if unknown.
    #[wire(tag = 1)]
    pub players: [String; 2],
    /// The moves.
    #[wire(tag = 2)]
    pub game: RecordedGame,
}

/// The judged games of a series.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
pub struct GameReviews {
    /// The games, one for each trial.
    #[wire(tag = 1, length(min = 1))]
    pub games: Vec<GameReview>,
}

/// A judged game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, WireValue)]
#[wire(check)]
pub struct GameReview {
    /// The moves, in order.
    #[wire(tag = 1, length(max = 60))]
    pub moves: Vec<MoveReview>,
}

/// A move as the judge sees it. On the wire and in states it is a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, WireElement)]
#[serde(try_from = "u64", into = "u64")]
#[wire(try_from = u64)]
pub struct MoveReview {
    /// The player.
    pub color: DiscColor,
    /// The judgement.
    pub verdict: MoveVerdict,
}

/// The judgement on a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveVerdict {
    /// The move belongs to the opening, and is not judged.
    Opening,
    /// The move was the only one.
    Forced,
    /// The player had a choice.
    Judged(MoveJudgement),
}

impl GameReview {
    /// Returns the naturalness of the moves of the black and the white player. The opening does not
    /// count.
    #[must_use]
    pub fn naturalness(&self) -> [GameNaturalness; 2] {
        [DiscColor::Black, DiscColor::White].map(|color| {
            let mut game = GameNaturalness::begin();
            for review in self.moves.iter().filter(|review| review.color == color) {
                match &review.verdict {
                    MoveVerdict::Opening => {}
                    MoveVerdict::Forced => game.add_forced(),
                    MoveVerdict::Judged(judgement) => game.add(judgement),
                }
            }
            game
        })
    }

    /// Returns the judged moves.
    pub fn judged(&self) -> impl Iterator<Item = &MoveJudgement> {
        self.moves.iter().filter_map(|review| match &review.verdict {
            MoveVerdict::Judged(judgement) => Some(judgement),
            MoveVerdict::Opening | MoveVerdict::Forced => None,
        })
    }

    /// Checks that a game may have these judgements.
    fn check(&self) -> Result<(), InvalidValue> {
        for record in self.naturalness() {
            GameNaturalness::from_counts(&record.counts()).map_err(|error| {
                InvalidValue::new("moves", &error, "judgements of the moves of one game")
            })?;
        }
        Ok(())
    }
}

impl Tally for GameReviews {
    fn n_trials(&self) -> u64 {
        self.games.len() as u64
    }

    fn absorb(&mut self, later: Self) {
        self.games.extend(later.games);
    }
}

/// The judgement of recorded games.
#[derive(Debug)]
pub struct OthelloReviews;

impl Simulation for OthelloReviews {
    type Shared = ReviewRules;
    type Subject = PlayedGame;
    type Tally = GameReviews;

    fn trial(
        rules: &ReviewRules,
        played: &PlayedGame,
        rng: StreamRng,
        context: &TrialContext<'_>,
    ) -> GameReviews {
        let mut moves = Vec::new();
        let _all = review(rules, played, &rng, context, |_, _, review| {
            moves.push(review);
            ControlFlow::Continue(())
        });
        GameReviews { games: vec![GameReview { moves }] }
    }

    fn work(reviews: &GameReviews) -> Vec<Work> {
        let judged = reviews.games.iter().map(|game| game.judged().count() as u64);
        vec![Work::new("games", reviews.n_trials()), Work::new("moves", judged.sum())]
    }

    /// Shows the game with the loss of each move.
    fn replay(
        rules: &ReviewRules,
        played: &PlayedGame,
        rng: StreamRng,
        context: &TrialContext<'_>,
        sink: &mut dyn SceneSink,
    ) -> ControlFlow<()> {
        let mut scene = SceneWriter::begin(sink, &scene::base())?;
        let [black, white] = [DiscColor::Black, DiscColor::White].map(|color| played.name(color));
        let start = scene::things(played.game.start(), None);
        scene.show(format!("black is {black}, white is {white}"), start)?;
        let after: Vec<_> = played.game.turns().skip(1).map(|turn| turn.position).collect();
        let last = played.game.last_position();
        review(rules, played, &rng, context, |number, turn, review| {
            let position = after.get(number).unwrap_or(last);
            let name = played.name(review.color);
            let words = verdict_words(&review.verdict);
            let (color, square) = (review.color, turn.square);
            let caption = format!("move {}: {color} {square} ({name}): {words}", number + 1);
            scene.show(caption, scene::things(position, Some(turn.square)))
        })
    }

    /// Returns the game in GGF. Moves with exact values have them as evaluations.
    fn export(
        rules: &ReviewRules,
        played: &PlayedGame,
        rng: StreamRng,
        context: &TrialContext<'_>,
    ) -> Option<String> {
        let reviews = Self::trial(rules, played, rng, context);
        Some(ggf::write(&[reviews.games.first()?.in_ggf(played)]))
    }
}

impl PlayedGame {
    /// Returns the name of a player.
    pub(crate) fn name(&self, color: DiscColor) -> &str {
        match &self.players[usize::from(color == DiscColor::White)] {
            name if name.is_empty() => "unknown",
            name => name,
        }
    }
}

impl GameReview {
    /// Returns the judged game in GGF.
    pub(crate) fn in_ggf(&self, played: &PlayedGame) -> GgfGame {
        let players = [DiscColor::Black, DiscColor::White].map(|color| played.name(color));
        let mut game = GgfGame::new(played.game.clone()).with_players(players);
        for (notes, review) in game.notes_mut().iter_mut().zip(&self.moves) {
            let MoveVerdict::Judged(judgement) = &review.verdict else { continue };
            if judgement.zone() == LossZone::Exact {
                let value = i32::try_from(judgement.advantage() - judgement.loss()).unwrap_or(0);
                notes.evaluation = Some(Thousandths(1000 * (value - 64)));
            }
        }
        game
    }
}

/// Judges the moves of a game, one after the other, and hands each to `seen` with its number,
/// counted from 0, until `seen` or `context` breaks.
fn review(
    rules: &ReviewRules,
    played: &PlayedGame,
    rng: &StreamRng,
    context: &TrialContext<'_>,
    mut seen: impl FnMut(usize, RecordedTurn, MoveReview) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut judge = MoveJudge::new(&rules.judge, BoardBackend::fastest());
    let mut pulse = context.pulse(played.game.moves().len() as u64);
    for (number, turn) in played.game.turns().enumerate() {
        pulse.step()?;
        let verdict = match () {
            () if number < rules.opening as usize => MoveVerdict::Opening,
            () if choices(&turn.position).is_none() => MoveVerdict::Forced,
            () => {
                let found = judge.look(&turn.position, &rng.part(number as u64));
                let evidence = MoveEvidence {
                    position: turn.position,
                    played: turn.square,
                    opinion: found.opinion(),
                    own_rank: None,
                    reference: None,
                    levels: None,
                };
                MoveVerdict::Judged(evidence.judge().expect("a legal move that the judge visits"))
            }
        };
        seen(number, turn, MoveReview { color: turn.position.turn(), verdict })?;
    }
    ControlFlow::Continue(())
}

/// Returns the verdict on a move in words.
fn verdict_words(verdict: &MoveVerdict) -> String {
    let judgement = match verdict {
        MoveVerdict::Opening => return "not judged, as it is of the opening".to_owned(),
        MoveVerdict::Forced => return "the only move".to_owned(),
        MoveVerdict::Judged(judgement) => judgement,
    };
    let LossInUnits { best, loss, unit, digits } = LossInUnits::of(judgement);
    format!("loses {} {unit}, the best move is worth {}", rounded(loss, digits), {
        rounded(best, digits)
    })
}

/// A loss in discs or points.
pub(crate) struct LossInUnits {
    /// The value of the best move.
    pub(crate) best: f64,
    /// The value of the best move minus the value of the move.
    pub(crate) loss: f64,
    /// `discs` or `points`.
    pub(crate) unit: &'static str,
    /// The decimal places that are shown.
    pub(crate) digits: usize,
}

impl LossInUnits {
    pub(crate) fn of(judgement: &MoveJudgement) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "at most 10,000")]
        let [best, loss] = [judgement.advantage(), judgement.loss()].map(|steps| steps as f64);
        match judgement.zone() {
            LossZone::Exact => Self { best: best - 64.0, loss, unit: "discs", digits: 0 },
            LossZone::Estimated => {
                #[expect(clippy::cast_precision_loss, reason = "10,000")]
                let steps = LossZone::Estimated.steps_per_unit() as f64;
                Self { best: best / steps, loss: loss / steps, unit: "points", digits: 3 }
            }
        }
    }
}
