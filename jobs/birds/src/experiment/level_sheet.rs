//! Sheets of pictures of levels.

use hatchery_core::text::counted;
use hatchery_figures::FigurePicture;

use crate::level::{Level, LevelPicture, LevelSheet};

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
