//! Trials of learning: games are recorded, and learners take steps.

mod encoding;
mod imitate;
mod record;
mod reinforce;
mod represent;
mod run;

pub(crate) use record::record;

use hatchery_core::part::Part;
use hatchery_core::{StreamRng, TrialContext, error_chain};

use self::run::{TrainingError, TrainingRun, shortened};
use super::results::TrainingResult;
use super::setup::{DeckTable, TrainingSetup, TrainingTask};
use crate::learning::samples::TrainingGames;
use crate::record::decode_records;

/// Takes the steps of training; `None` if the pulse breaks.
pub(crate) fn learn(
    table: &DeckTable,
    setup: &TrainingSetup,
    stream: &StreamRng,
    context: &TrialContext<'_>,
) -> Option<TrainingResult> {
    let run = TrainingRun { table, setup, stream, context };
    match learn_from_files(&run) {
        Ok(result) => result,
        Err(error) => Some(failed(setup, &error)),
    }
}

fn learn_from_files(run: &TrainingRun<'_>) -> Result<Option<TrainingResult>, TrainingError> {
    let TrainingRun { table, setup, context, .. } = run;
    let (games, n_games) = training_games(table, &setup.games, context)?;
    match &setup.task {
        TrainingTask::Representation(it) => represent::learn(run, &games, it),
        TrainingTask::Imitation(it) => imitate::learn(run, &games, it),
        TrainingTask::Reinforcement(it) => reinforce::learn(run, games, &n_games, it),
    }
}

/// Returns the result of training that could not begin.
fn failed(setup: &TrainingSetup, error: &TrainingError) -> TrainingResult {
    let failure = Some(shortened(error_chain(error)));
    TrainingResult { learner: setup.before.clone(), failure, ..TrainingResult::default() }
}

/// Returns the games from all files, and every file's number of games.
fn training_games<'a>(
    table: &'a DeckTable,
    files: &[Part],
    context: &TrialContext<'_>,
) -> Result<(TrainingGames<'a>, Vec<usize>), TrainingError> {
    let (mut records, mut n_games) = (Vec::new(), Vec::new());
    for file in files {
        let of_file = decode_records(&context.read(file))?;
        n_games.push(of_file.len());
        records.extend(of_file);
    }
    Ok((TrainingGames::new(table.decks(), records)?, n_games))
}
