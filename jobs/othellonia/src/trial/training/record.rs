//! Games that are recorded to learn from.

use hatchery_core::{FastRng, StreamRng, TrialContext};

use crate::players::GameAgent;
use crate::record::{GameRecord, encode_records};
use crate::trial::play::{ReadyAgents, SelfPlay, play_pair, ready_model};
use crate::trial::results::RecordedGames;
use crate::trial::setup::{
    DeckTable, KeptRecords, MatchSetup, RecordPlayers, RecordSetup, SelfPlayers, WeightedAgent,
};

/// The parts of the stream of games between agents that are drawn: the choice of decks and agents,
/// and then each pair.
const CHOICES: u64 = 0;
const FIRST_PAIR: u64 = 1;

/// Plays games and keeps their records; `None` if the pulse breaks.
pub(crate) fn record(
    table: &DeckTable,
    setup: &RecordSetup,
    stream: &StreamRng,
    context: &TrialContext<'_>,
) -> Option<RecordedGames> {
    let records = match &setup.players {
        RecordPlayers::Drawn(agents) => drawn_games(table, setup, agents, stream, context)?,
        RecordPlayers::SelfPlay(SelfPlayers { learner, opponents }) => {
            let RecordSetup { pairs, n_decks, .. } = *setup;
            let decks = &table.decks()[..usize::from(n_decks)];
            let learner = ready_model(learner, decks, context);
            let mut buffers = learner.buffers();
            let mut games = SelfPlay::prepare(table, n_decks, opponents, stream.clone(), context);
            let mut pulse = context.pulse(2 * u64::from(pairs));
            let mut records = Vec::new();
            for _ in 0..pairs {
                let pair = games.play(&learner, &mut buffers, || pulse.step())?;
                records.extend(pair.into_iter().map(|game| game.record));
            }
            records
        }
    };
    Some(written(records, context))
}

/// Plays pairs of games between agents that are drawn; `None` if the pulse breaks.
fn drawn_games(
    table: &DeckTable,
    setup: &RecordSetup,
    agents: &[WeightedAgent],
    stream: &StreamRng,
    context: &TrialContext<'_>,
) -> Option<Vec<GameRecord>> {
    let RecordSetup { pairs, n_decks, .. } = *setup;
    let mut rng = FastRng::seeded_by(&mut stream.part(CHOICES));
    let mut pulse = context.pulse(u64::from(pairs));
    let mut records = Vec::new();
    for pair in 0..u64::from(pairs) {
        if pulse.step().is_break() {
            return None;
        }
        let mut deck = || u16::try_from(rng.below(u32::from(n_decks))).expect("below `n_decks`");
        let decks = [deck(), deck()];
        let agents = [(); 2].map(|()| drawn(agents, &mut rng).into());
        let setup = MatchSetup { decks, agents, kept: KeptRecords::All };
        let mut agents = ReadyAgents::prepare(table, &setup, context);
        let stream = stream.part(FIRST_PAIR + pair);
        records.extend(play_pair(table, &setup, &mut agents, stream).records);
    }
    Some(records)
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

/// Keeps records as a part.
pub(super) fn written(records: Vec<GameRecord>, context: &TrialContext<'_>) -> RecordedGames {
    let placements = records.iter().map(|record| record.actions.len() as u64).sum();
    let (games, file) = (records.len() as u64, context.write(encode_records(records)));
    RecordedGames { file, games, placements }
}
