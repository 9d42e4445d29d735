//! Sheets of pictures of levels, and play-outs as film strips: the level before the first bird, and
//! the level after every bird.

use hatchery_core::text::counted;
use hatchery_figures::FigurePicture;

use crate::level::{
    BirdKind, Level, LevelBlock, LevelElements, LevelPicture, LevelPig, LevelSheet, LevelTnt, Pose,
};
use crate::trial::results::PlayRecord;
use crate::world::playout::{LevelPlayout, PlayoutPhase};
use crate::world::{ElementKind, LevelWorld, PhysicsSettings};

/// The most levels on a sheet of pictures: a browser should still show it at once.
const MAX_PICTURES: usize = 40;

/// Returns the pictures of the first of these named levels as an SVG document.
pub(super) fn level_sheet<'a>(
    levels: impl ExactSizeIterator<Item = (&'a str, &'a Level)>,
) -> String {
    let title = match levels.len() {
        n if n <= MAX_PICTURES => counted(n, "level"),
        n => format!("The first {MAX_PICTURES} of {n} levels"),
    };
    let pictures = levels.take(MAX_PICTURES);
    let pictures = pictures.map(|(title, level)| {
        let birds = &level.surroundings().birds;
        LevelPicture { level, title, birds, arcs: &[] }
    });
    LevelSheet { title: &title, pictures: pictures.collect() }.to_svg()
}

/// The most levels with a card of their own on a page.
pub(super) const MAX_CARDS: usize = 12;

/// Returns the picture of a level for a card.
pub(super) fn level_picture(title: &str, level: &Level) -> FigurePicture {
    let birds = &level.surroundings().birds;
    LevelPicture { level, title, birds, arcs: &[] }.picture()
}

/// Steps between two points of a flight path.
const STEPS_PER_POINT: u32 = 3;

/// A picture of the strip.
struct StripFrame {
    title: String,
    level: Level,
    birds: Vec<BirdKind>,
    paths: Vec<Vec<[f32; 2]>>,
}

/// Returns the film strip of a play-out as an SVG document: a picture before the first bird, and
/// one after each bird with its flight path.
pub(super) fn film_strip(
    title: &str,
    level: &Level,
    physics: &PhysicsSettings,
    play: &PlayRecord,
) -> String {
    let (settled, _) = LevelWorld::settled(level, physics);
    let mut playout = LevelPlayout::new(settled);
    let frame = |title: String, playout: &LevelPlayout, paths| StripFrame {
        title,
        level: now(level, playout),
        birds: playout.world().birds_left().to_vec(),
        paths,
    };
    let mut frames = vec![frame("before the first bird".to_owned(), &playout, Vec::new())];
    for (shot, number) in play.shots().zip(1..) {
        playout.launch(shot);
        let mut path = Vec::new();
        let mut n_steps = 0;
        loop {
            let phase = playout.step();
            if n_steps % STEPS_PER_POINT == 0 {
                path.extend(bird(&playout));
            }
            n_steps += 1;
            if phase != PlayoutPhase::Flying {
                break;
            }
        }
        let n_pigs = playout.world().pigs().count();
        let title = format!("after bird {number}: {}", counted(n_pigs, "pig"));
        frames.push(frame(title, &playout, vec![path]));
    }
    let pictures = frames
        .iter()
        .map(|StripFrame { title, level, birds, paths }| LevelPicture {
            level,
            title,
            birds,
            arcs: paths,
        })
        .collect();
    LevelSheet { title, pictures }.to_svg()
}

/// Returns the place of the bird that was launched last, if it is there.
fn bird(playout: &LevelPlayout) -> Option<[f32; 2]> {
    let elements = playout.world().elements();
    let birds = elements.filter(|it| matches!(it.kind, ElementKind::Bird(_)));
    birds.last().map(|bird| bird.place)
}

/// Returns the level as its things lie now.
fn now(level: &Level, playout: &LevelPlayout) -> Level {
    let mut elements =
        LevelElements { platforms: level.platforms().to_vec(), ..LevelElements::default() };
    for element in playout.world().elements() {
        let [x, y] = element.place;
        let pose = Pose { x, y, degrees: element.degrees() };
        match element.kind {
            ElementKind::Block(shape, material) => {
                elements.blocks.push(LevelBlock { shape, material, pose });
            }
            ElementKind::Pig(kind) => elements.pigs.push(LevelPig { kind, pose }),
            ElementKind::Tnt => elements.tnts.push(LevelTnt { pose }),
            ElementKind::Ground | ElementKind::Platform | ElementKind::Bird(_) => {}
        }
    }
    // What is far away is gone, so this is a level; if it were not, the picture would be that of
    // the start.
    Level::new(level.surroundings().clone(), elements).unwrap_or_else(|_| level.clone())
}
