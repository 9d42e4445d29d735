//! The colors of scenes. Things have the same colors on light and dark pages; only what things are
//! on is dimmed.

use hatchery_core::scene::SceneColor;

/// The colors of a symbol.
#[derive(Clone, Copy, Debug)]
pub(super) struct SymbolColors {
    /// The area.
    pub(super) fill: &'static str,
    /// The border.
    pub(super) outline: &'static str,
    /// Text on the area.
    pub(super) ink: &'static str,
}

/// The color of text beside things.
pub(super) const INK: &str = "#33302b";

/// The ground: its class, which the sheet of a page dims, and its color on light and on dark pages.
pub(super) const GROUNDS: [(&str, &str, &str); 6] = [
    ("scene-sheet", "#efebe1", "#c4bfb3"),
    ("scene-board", "#fffdf8", "#dedad0"),
    ("scene-sea", "#bfe0ef", "#8db2c4"),
    ("scene-sky", "#d8ecf9", "#9fb8c8"),
    ("scene-text", "#33302b", "#e4e7e8"),
    ("scene-soft", "#6b665c", "#9ba6ad"),
];

/// Returns the attributes that give a shape the color of a ground.
pub(super) fn ground(class: &str) -> String {
    let known = GROUNDS.iter().find(|(name, ..)| *name == class);
    let light = known.map_or(INK, |(_, light, _)| light);
    format!("class=\"{class}\" fill=\"{light}\"")
}

/// Returns the style sheet of a file that dims grounds if the reader prefers it.
pub(super) fn dark_style() -> String {
    let rules = GROUNDS.map(|(class, _, dark)| format!(".{class}{{fill:{dark}}}"));
    format!("<style>@media (prefers-color-scheme:dark){{{}}}</style>", rules.concat())
}

/// Returns the colors of symbols of this color.
pub(super) const fn colors(color: SceneColor) -> SymbolColors {
    let (fill, outline) = match color {
        SceneColor::Black => ("#24282c", "#0b0d0f"),
        SceneColor::Gray => ("#a3abb0", "#697177"),
        SceneColor::White => ("#fbfaf5", "#7f7b70"),
        SceneColor::Red => ("#c73e2d", "#7f2418"),
        SceneColor::Orange => ("#e98b2c", "#985511"),
        SceneColor::Yellow => ("#efca45", "#a98824"),
        SceneColor::LightGreen => ("#abd06e", "#74983e"),
        SceneColor::Green => ("#3f8f5b", "#27613b"),
        SceneColor::Blue => ("#4583c4", "#2a578a"),
        SceneColor::Purple => ("#8a61aa", "#5b3c76"),
        SceneColor::Brown => ("#ab6a40", "#704123"),
        SceneColor::Sand => ("#e2d2a2", "#b6a26d"),
    };
    let ink = match color {
        SceneColor::Black
        | SceneColor::Red
        | SceneColor::Green
        | SceneColor::Blue
        | SceneColor::Purple
        | SceneColor::Brown => "#ffffff",
        SceneColor::Gray
        | SceneColor::White
        | SceneColor::Orange
        | SceneColor::Yellow
        | SceneColor::LightGreen
        | SceneColor::Sand => INK,
    };
    SymbolColors { fill, outline, ink }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sheet_of_pages_dims_every_ground() {
        let sheet = include_str!("../html/player.css");
        for (class, light, dark) in GROUNDS {
            let rule = format!(".{class} {{ fill: light-dark({light}, {dark}); }}\n");
            assert!(sheet.contains(&rule), "the style sheet should have {rule}");
        }
    }
}
