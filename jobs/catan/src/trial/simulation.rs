//! The simulation that the experiments share: single games.

use std::ops::ControlFlow;

use hatchery_core::{SceneSink, SceneWriter, Simulation, StreamRng, TrialContext, Work};

use super::catanatron::GameLog;
use super::game::{play, play_watched};
use super::results::{GameTally, TallyDetail};
use super::scene;
use super::setup::GameSetup;
use crate::map::Map;
use crate::players::agent_name::agent_name;
use crate::rules::{GameMove, GamePhase, GameState, Island, Seat};
use crate::streams::GameStreams;

/// Games of Catan.
#[derive(Debug)]
pub struct CatanGames;

impl Simulation for CatanGames {
    type Shared = TallyDetail;
    type Subject = GameSetup;
    type Tally = GameTally;

    /// Plays the game of `setup` with the random numbers of `rng`.
    fn trial(
        detail: &TallyDetail,
        setup: &GameSetup,
        rng: StreamRng,
        _: &TrialContext<'_>,
    ) -> GameTally {
        let island = Island::new(setup.map);
        let mut players = setup.seats.each_ref().map(|agent| agent.player());
        let record = play(&island, &mut players, &mut GameStreams::new(rng), setup.turn_cap);
        GameTally::new(&record, *detail)
    }

    fn work(GameTally { results, .. }: &GameTally) -> Vec<Work> {
        vec![Work::new("games", results.games), Work::new("turns", results.turns.sum)]
    }

    /// Shows a game: a frame for the map and the seats, one for each move, and one for the end.
    fn replay(
        _: &TallyDetail,
        setup: &GameSetup,
        rng: StreamRng,
        _: &TrialContext<'_>,
        sink: &mut dyn SceneSink,
    ) -> ControlFlow<()> {
        let GameSetup { map, seats, turn_cap } = setup;
        let mut shown = SceneWriter::begin(sink, &scene::base(map))?;
        let island = Island::new(*map);
        let opening = opening(map, &seats.each_ref().map(agent_name));
        shown.show(opening, scene::things(&GameState::new(&island)))?;
        let mut players = seats.each_ref().map(|agent| agent.player());
        let mut flow = ControlFlow::Continue(());
        let record = play_watched(
            &island,
            &mut players,
            &mut GameStreams::new(rng),
            *turn_cap,
            |state, step| {
                if flow.is_continue() {
                    let mut after = *state;
                    after.apply(&island, step);
                    flow = shown.show(caption(state, step), scene::things(&after));
                }
            },
        );
        flow?;
        let points = record.points.map(|points| points.to_string()).join(" ");
        shown.say(match record.winner {
            Some(seat) => {
                format!("seat {} wins in turn {}, points {points}", seat.index() + 1, record.turns)
            }
            None => format!("stopped undecided after {} turns, points {points}", record.turns),
        })
    }

    /// Returns the game in Catanatron's JSON; see [`GameLog`].
    fn export(
        _: &TallyDetail,
        setup: &GameSetup,
        rng: StreamRng,
        _: &TrialContext<'_>,
    ) -> Option<String> {
        let GameSetup { map, seats, turn_cap } = setup;
        let island = Island::new(*map);
        let mut players = seats.each_ref().map(|agent| agent.player());
        let mut log = GameLog::new(&island);
        let push = |_: &GameState, step| log.push(step);
        play_watched(&island, &mut players, &mut GameStreams::new(rng), *turn_cap, push);
        Some(log.finish())
    }
}

fn opening(map: &Map, names: &[String; Seat::COUNT]) -> String {
    let seats = names.iter().zip(1..).map(|(name, seat)| format!("seat {seat} {name}"));
    let seats = seats.collect::<Vec<_>>().join(", ");
    format!("map {map}\n{seats}; seat 1 places first\n{}", scene::LEGEND)
}

/// Returns the turn, the points before the move, and the move.
fn caption(state: &GameState, step: GameMove) -> String {
    let seat = state.actor().index() + 1;
    let points = Seat::ALL.map(|seat| state.points(seat).to_string()).join(" ");
    let when = match state.phase() {
        GamePhase::SetupSettlement | GamePhase::SetupRoad(_) => "setup".to_owned(),
        _ => format!("turn {}", state.turn()),
    };
    format!("{when}, points {points}: seat {seat} {step}")
}
