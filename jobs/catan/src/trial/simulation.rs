//! The simulation that the experiments share: single games.

use std::ops::ControlFlow;

use hatchery_core::{SceneSink, SceneWriter, Simulation, StreamRng, TrialContext, Work};

use super::catanatron::GameLog;
use super::game::{play, play_watched};
use super::results::{GameTally, TallyDetail};
use super::scene;
use super::setup::GameSetup;
use crate::players::agent_name::agent_name;
use crate::rules::{GameMove, GamePhase, GameState};
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
        let (island, mut players) = (setup.island(), setup.players());
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
        let mut shown = SceneWriter::begin(sink, &scene::base(&setup.map))?;
        let (island, mut players) = (setup.island(), setup.players());
        shown.show(opening(setup), scene::things(&GameState::new(&island)))?;
        let mut flow = ControlFlow::Continue(());
        let record = play_watched(
            &island,
            &mut players,
            &mut GameStreams::new(rng),
            setup.turn_cap,
            |state, step| {
                if flow.is_continue() {
                    let mut after = *state;
                    after.apply(&island, step);
                    flow = shown.show(caption(state, step), scene::things(&after));
                }
            },
        );
        flow?;
        let points = listed(&record.points[..setup.seats.len()]);
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
        let (island, mut players) = (setup.island(), setup.players());
        let mut log = GameLog::new(&island);
        let push = |_: &GameState, step| log.push(step);
        play_watched(&island, &mut players, &mut GameStreams::new(rng), setup.turn_cap, push);
        Some(log.finish())
    }
}

fn opening(GameSetup { map, seats, points_to_win, robber, .. }: &GameSetup) -> String {
    let seats = seats.iter().zip(1..);
    let seats = seats.map(|(agent, seat)| format!("seat {seat} {}", agent_name(agent)));
    let seats = seats.collect::<Vec<_>>().join(", ");
    let goal = points_to_win.map(|points| format!("; {points} points win")).unwrap_or_default();
    let robber = if robber.is_usual() { "" } else { "; the robber is friendly" };
    format!("map {map}\n{seats}; seat 1 places first{goal}{robber}\n{}", scene::LEGEND)
}

fn listed(points: &[u8]) -> String {
    points.iter().map(u8::to_string).collect::<Vec<_>>().join(" ")
}

/// Returns the turn, the points before the move, and the move.
fn caption(state: &GameState, step: GameMove) -> String {
    let seat = state.actor().index() + 1;
    let points = state.seats().iter().map(|&seat| state.points(seat)).collect::<Vec<_>>();
    let points = listed(&points);
    let when = match state.phase() {
        GamePhase::SetupSettlement | GamePhase::SetupRoad(_) => "setup".to_owned(),
        _ => format!("turn {}", state.turn()),
    };
    format!("{when}, points {points}: seat {seat} {step}")
}
