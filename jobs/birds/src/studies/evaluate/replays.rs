//! Play-outs to watch: a scene and a film strip for each of the first levels.

use hatchery_core::Exhibit;
use hatchery_core::scene::SceneRecorder;

use super::cells::EvaluatedLevels;
use super::spec::LevelEvaluation;
use crate::level::Level;
use crate::studies::level_sheet::film_strip;
use crate::trial::results::PlayRecord;
use crate::trial::scene;
use crate::world::{LevelWorld, PhysicsSettings};

/// The most levels with a replay.
const MAX_REPLAYS: usize = 10;

/// Returns a scene and a film strip for each of the first levels. They show a play-out that clears
/// the level, by the last player with such a play-out. If no play-out clears the level, they show
/// the last player's first play-out.
pub(super) fn exhibits(checked: &LevelEvaluation, evaluated: &EvaluatedLevels<'_>) -> Vec<Exhibit> {
    let physics = &checked.spec.physics;
    let mut exhibits = Vec::new();
    for (number, named) in evaluated.levels.iter().enumerate().take(MAX_REPLAYS) {
        let Some((player, play)) = shown_play(evaluated, number) else { continue };
        let place = number + 1;
        if let Some(scene) = recorded(&named.level, physics, play) {
            exhibits.push(Exhibit::new(
                format!("replay-{place:02}.json"),
                "application/json",
                scene,
            ));
        }
        let title = format!("{}, played by {player}", named.name);
        let strip = film_strip(&title, &named.level, physics, play);
        exhibits.push(Exhibit::new(format!("filmstrip-{place:02}.svg"), "image/svg+xml", strip));
    }
    exhibits
}

/// Returns the player and the play-out.
fn shown_play<'a>(
    evaluated: &EvaluatedLevels<'a>,
    level: usize,
) -> Option<(&'a str, &'a PlayRecord)> {
    let players = evaluated.players.iter().zip(evaluated.of_level(level)).rev();
    let mut plays = players.flat_map(|(&player, results)| {
        results.iter().filter_map(move |it| Some((player, it.play.as_ref()?)))
    });
    let first = plays.clone().next();
    plays.find(|(_, play)| play.is_cleared()).or(first)
}

fn recorded(level: &Level, physics: &PhysicsSettings, play: &PlayRecord) -> Option<String> {
    let (settled, _) = LevelWorld::settled(level, physics);
    let mut recorder = SceneRecorder::new();
    // A recorder cuts long scenes and never breaks.
    let _whole = scene::replay(level, settled, &play.shots().collect::<Vec<_>>(), &mut recorder);
    let scene = recorder.finish()?;
    serde_json::to_string(&scene).ok()
}
