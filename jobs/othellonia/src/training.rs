//! Trials of learning: games are recorded, and learners take steps.

mod imitate;
mod represent;
mod run;

use hatchery_core::part::Part;
use hatchery_core::{FastRng, StreamRng, TrialContext, error_chain};

use self::run::{TrainingError, TrainingRun, shortened};
use crate::agents::GameAgent;
use crate::learning::samples::TrainingGames;
use crate::play::{ReadyAgents, play_pair};
use crate::record::GameRecord;
use crate::record_file::{decode_records, encode_records};
use crate::results::{RecordedGames, TrainingResult};
use crate::setup::{
    DeckTable, KeptRecords, MatchSetup, RecordSetup, TrainingSetup, TrainingTask, WeightedAgent,
};

/// The parts of the stream of recorded games: the choice of decks and agents, and then each pair.
const CHOICES: u64 = 0;
const FIRST_PAIR: u64 = 1;

/// Plays games and keeps their records; `None` if the pulse breaks.
pub(crate) fn record(
    table: &DeckTable,
    setup: &RecordSetup,
    stream: &StreamRng,
    context: &TrialContext<'_>,
) -> Option<RecordedGames> {
    let RecordSetup { pairs, n_decks, agents } = setup;
    let mut rng = FastRng::seeded_by(&mut stream.part(CHOICES));
    let mut pulse = context.pulse(u64::from(*pairs));
    let mut records: Vec<GameRecord> = Vec::new();
    for pair in 0..u64::from(*pairs) {
        if pulse.step().is_break() {
            return None;
        }
        let mut deck = || u16::try_from(rng.below(u32::from(*n_decks))).expect("below `n_decks`");
        let decks = [deck(), deck()];
        let agents = [(); 2].map(|()| drawn(agents, &mut rng).into());
        let setup = MatchSetup { decks, agents, kept: KeptRecords::All };
        let mut agents = ReadyAgents::prepare(table, &setup, context);
        let stream = stream.part(FIRST_PAIR + pair);
        records.extend(play_pair(table, &setup, &mut agents, stream).records);
    }
    let placements = records.iter().map(|record| record.actions.len() as u64).sum();
    let (games, file) = (records.len() as u64, context.write(encode_records(&records)));
    Some(RecordedGames { file, games, placements })
}

/// Draws an agent by its weight.
fn drawn(agents: &[WeightedAgent], rng: &mut FastRng) -> GameAgent {
    let mut left = rng.below(agents.iter().map(|it| it.weight).sum());
    for WeightedAgent { agent, weight } in agents {
        match left.checked_sub(*weight) {
            Some(rest) => left = rest,
            None => return *agent,
        }
    }
    agents[0].agent
}

/// Takes the steps of training; `None` if the pulse breaks.
pub(crate) fn learn(
    table: &DeckTable,
    setup: &TrainingSetup,
    stream: &StreamRng,
    context: &TrialContext<'_>,
) -> Option<TrainingResult> {
    let games = match training_games(table, &setup.games, context) {
        Ok(games) => games,
        Err(error) => return Some(failed(setup, &error)),
    };
    let task = TrainingRun { setup, games: &games, stream, context };
    let result = match &setup.task {
        TrainingTask::Representation(it) => represent::learn(&task, it),
        TrainingTask::Imitation(it) => imitate::learn(&task, it),
    };
    match result {
        Ok(result) => result,
        Err(error) => Some(failed(setup, &error)),
    }
}

/// Returns the result of training that could not begin.
fn failed(setup: &TrainingSetup, error: &TrainingError) -> TrainingResult {
    let failure = Some(shortened(error_chain(error)));
    TrainingResult { learner: setup.before.clone(), failure, ..TrainingResult::default() }
}

/// Returns the games of all files.
fn training_games<'a>(
    table: &'a DeckTable,
    files: &[Part],
    context: &TrialContext<'_>,
) -> Result<TrainingGames<'a>, TrainingError> {
    let mut records = Vec::new();
    for file in files {
        records.extend(decode_records(&context.read(file))?);
    }
    Ok(TrainingGames::new(table.decks(), records)?)
}
