//! Training by reinforcement.

use hatchery_core::error_chain;
use hatchery_core::part::Part;

use super::encoding::model_encoding;
use super::record::written;
use super::run::{NEW_LEARNER, StepCurve, TrainingError, TrainingRun};
use crate::learning::reinforcement::{ReinforcementLearner, ReinforcementSettings};
use crate::learning::samples::TrainingGames;
use crate::learning::{LearnError, StoredLearner};
use crate::players::model::AgentModel;
use crate::record::GameRecord;
use crate::trial::play::SelfPlay;
use crate::trial::results::{ReplayUse, TrainingResult};
use crate::trial::setup::{ReinforcementTask, SelfPlayRounds};

/// The part of the stream of training for the games that are played between steps.
const ROUNDS: u64 = 2;

/// Takes the steps of training, and plays the games between them; `None` if the pulse breaks.
/// `n_games[i]` of the `games` are from file `i`.
pub(super) fn learn(
    run: &TrainingRun<'_>,
    games: TrainingGames<'_>,
    n_games: &[usize],
    task: &ReinforcementTask,
) -> Result<Option<TrainingResult>, TrainingError> {
    let learner = learner(run, &games, task)?;
    let mut period = LearningPeriod { learner, games, played: Vec::new(), results: [0; 3] };
    period.learner.absorb(&period.games);
    let curve = match &task.rounds {
        None => run.take_steps(task.settings.stretch, |steps, stream, pulse| {
            period.learner.learn(&period.games, steps, stream, pulse)
        }),
        Some(rounds) => period.take_rounds(run, rounds, task.settings.stretch)?,
    };
    let Some(curve) = curve else { return Ok(None) };
    let LearningPeriod { learner, games, played, results } = period;
    let mut weights = learner.model().network().parameters().flatten();
    if !weights.all(|weight| weight.is_finite()) {
        // An optimizer state from a hostile store can do that: there is no good learner to keep.
        return Err(LearnError::NotFinite { step: learner.steps(), what: "weight" }.into());
    }
    let stored = StoredLearner {
        model: run.context.write(learner.model().encode()),
        memory: run.context.write_large(learner.encode_memory()),
    };
    let (n_dropped_files, first_item) = learner.dropped(&games, n_games);
    let replay = ReplayUse {
        played: (!played.is_empty()).then(|| written(played, run.context)),
        results,
        n_dropped_files,
        first_item,
        items: learner.n_items(),
        drawn: learner.drawn(),
        age_sum: learner.age_sum(),
    };
    let result = run.result(stored, curve, Vec::new());
    Ok(Some(TrainingResult { replay: Some(replay), ..result }))
}

/// A learner with its games.
struct LearningPeriod<'a> {
    learner: ReinforcementLearner,
    games: TrainingGames<'a>,
    /// The games that were played between steps.
    played: Vec<GameRecord>,
    /// Their results, as losses, draws and wins of the learner.
    results: [u64; 3],
}

impl LearningPeriod<'_> {
    /// Takes the steps round by round, each after a pair of games; `None` if the pulse breaks.
    fn take_rounds(
        &mut self,
        run: &TrainingRun<'_>,
        rounds: &SelfPlayRounds,
        stretch: u64,
    ) -> Result<Option<StepCurve>, TrainingError> {
        let SelfPlayRounds { n_decks, opponents, steps } = rounds;
        let stream = run.stream.part(ROUNDS);
        let mut pairs = SelfPlay::prepare(run.table, *n_decks, opponents, stream, run.context);
        let mut buffers = self.learner.model().buffers();
        let mut curve = StepCurve::default();
        for round in 1..=u64::from(run.setup.steps / steps) {
            let beat = || run.beat(&curve);
            let Some(pair) = pairs.play(self.learner.model(), &mut buffers, beat) else {
                return Ok(None);
            };
            for game in pair {
                self.results[usize::from(game.half_points)] += 1;
                self.games.push(game.record.clone())?;
                self.played.push(game.record);
            }
            let Self { learner, games, .. } = self;
            learner.absorb(games);
            let end = round * u64::from(*steps);
            let taken = run.take_until(end, &mut curve, stretch, |steps, stream, pulse| {
                learner.learn(games, steps, stream, pulse)
            });
            match taken {
                None => return Ok(None),
                Some(()) if curve.has_failed() => break,
                Some(()) => {}
            }
        }
        Ok(Some(curve))
    }
}

/// Returns the learner at the beginning of training.
fn learner(
    run: &TrainingRun<'_>,
    games: &TrainingGames<'_>,
    task: &ReinforcementTask,
) -> Result<ReinforcementLearner, TrainingError> {
    let TrainingRun { setup, stream, context, table } = run;
    let ReinforcementTask { encoding, information, settings, initial, first_item, .. } = task;
    if let Some(before) = &setup.before {
        let model = AgentModel::decode(&context.read(&before.model))?;
        model.check_decks(table.decks())?;
        let memory = context.read_large(&before.memory);
        let learner = ReinforcementLearner::decode(model, &memory, games, *first_item, settings);
        return Ok(learner?);
    }
    if let Some(file) = initial {
        return Ok(begun_with(run, file, settings));
    }
    let encoding = model_encoding(run, encoding);
    let hidden: Vec<_> = setup.hidden.iter().map(|&units| units as usize).collect();
    let mut rng = stream.part(NEW_LEARNER);
    Ok(ReinforcementLearner::new(encoding, *information, &hidden, settings, &mut rng)?)
}

/// Returns a new learner that begins with the model of a file, which may be an input that nobody
/// could check: it is refused if it does not fit.
fn begun_with(
    run: &TrainingRun<'_>,
    file: &Part,
    settings: &ReinforcementSettings,
) -> ReinforcementLearner {
    let model = AgentModel::decode(&run.context.read(file))
        .and_then(|model| model.check_decks(run.table.decks()).map(|()| model));
    let learner = match model {
        Ok(model) => {
            ReinforcementLearner::from_model(model, settings).map_err(|error| error_chain(&error))
        }
        Err(error) => Err(error_chain(&error)),
    };
    learner.unwrap_or_else(|reason| {
        let hash = file.hash();
        run.context
            .refuse_input(format!("the file {hash} cannot be used to learn on: it has {reason}"))
    })
}
