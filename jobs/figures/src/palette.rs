//! The colors of figures, each with a value for light and one for dark paper.

use crate::color::Color;

/// A color with a value for light and one for dark paper, and the name that its classes end with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThemeColor {
    pub(crate) name: &'static str,
    pub(crate) light: Color,
    pub(crate) dark: Color,
}

/// The background.
pub(crate) const PAPER: ThemeColor = ThemeColor::of("paper", 0x00ff_ffff, 0x0019_1d20);
/// Text.
pub(crate) const INK: ThemeColor = ThemeColor::of("ink", 0x001b_2125, 0x00e4_e7e8);
/// Reference lines, and text of less weight.
pub(crate) const SOFT: ThemeColor = ThemeColor::of("soft", 0x0056_6067, 0x009b_a6ad);
/// Axes.
pub(crate) const AXIS: ThemeColor = ThemeColor::of("axis", 0x0044_4444, 0x00a8_b2b8);
/// The lines of the grid, which nothing depends on.
pub(crate) const GRID: ThemeColor = ThemeColor::of("grid", 0x00e4_e4e4, 0x002b_3136);
/// Cells without a value.
pub(crate) const MISSING: ThemeColor = ThemeColor::of("missing", 0x00e8_e8e8, 0x002b_3136);

/// Colors of series that can be told apart with any color vision: M. Okabe and K. Ito, "Color
/// Universal Design", 2008, darkened on light paper and lightened on dark paper until the contrast
/// is 3:1 at least. Their sky blue and black are missing: darkened, one is the blue, and black is
/// the ink; a gray replaces it.
pub(crate) const SERIES: [ThemeColor; 6] = [
    ThemeColor::of("1", 0x0000_72b2, 0x0056_b4e9),
    ThemeColor::of("2", 0x00d5_5e00, 0x00f3_933f),
    ThemeColor::of("3", 0x0000_805c, 0x002c_c79a),
    ThemeColor::of("4", 0x00a8_467f, 0x00e3_9bc6),
    ThemeColor::of("5", 0x0066_520a, 0x00f2_dc6b),
    ThemeColor::of("6", 0x0045_4c52, 0x00c3_cacf),
];

/// The steps from the lowest to the highest value: high values contrast with the paper.
pub(crate) const HEAT: [ThemeColor; 6] = [
    ThemeColor::of("h0", 0x00ee_ebe3, 0x002a_3035),
    ThemeColor::of("h1", 0x00cf_e3f1, 0x0012_3449),
    ThemeColor::of("h2", 0x009e_cae6, 0x0017_506f),
    ThemeColor::of("h3", 0x005b_a4d2, 0x001f_74a3),
    ThemeColor::of("h4", 0x001f_78b4, 0x003b_9fd8),
    ThemeColor::of("h5", 0x000a_4f86, 0x008f_d0f8),
];

/// The style sheet of a page that has inline figures. It does not touch anything outside the
/// figures.
///
/// Colors follow the page's `color-scheme`: `:root { color-scheme: light dark }` follows the
/// reader's preference, and a page may set one of the two. Each is a variable, such as
/// `--figure-paper`, that the page may set to another color.
pub const STYLE_SHEET: &str = include_str!("style_sheet.css");

/// Returns every color of a theme.
fn theme_colors() -> impl Iterator<Item = ThemeColor> {
    [PAPER, INK, SOFT, AXIS, GRID, MISSING].into_iter().chain(SERIES).chain(HEAT)
}

/// Returns the style sheet that gives `content` the colors for dark paper where the reader prefers
/// it; none if `content` has no color of the theme.
pub(crate) fn dark_style(content: &str) -> Option<String> {
    let mut rules = Vec::new();
    for color in theme_colors() {
        for property in ["fill", "stroke"] {
            let (name, dark) = (color.name, color.dark);
            if content.contains(&format!("{property}-{name}")) {
                rules.push(format!(".{property}-{name}{{{property}:{dark}}}\n"));
            }
        }
    }
    let rules = rules.concat();
    let style = format!("<style>@media (prefers-color-scheme:dark){{\n{rules}}}</style>");
    (!rules.is_empty()).then_some(style)
}

impl ThemeColor {
    /// Makes a color of its values as red, green and blue in a number, such as `0x0000_72b2`.
    const fn of(name: &'static str, light: u32, dark: u32) -> Self {
        Self { name, light: Color::of_number(light), dark: Color::of_number(dark) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page of a report, where inline figures stand: light and dark.
    const PAGE: [Color; 2] = [Color::rgb(0xf7, 0xf6, 0xf2), Color::rgb(0x12, 0x15, 0x17)];

    /// The relative luminance of a color: Web Content Accessibility Guidelines 2.2, glossary.
    fn luminance(color: Color) -> f64 {
        let part = |part: u8| {
            let share = f64::from(part) / 255.0;
            if share <= 0.040_45 { share / 12.92 } else { libm::pow((share + 0.055) / 1.055, 2.4) }
        };
        let [red, green, blue] = color.parts().map(part);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn contrast(a: Color, b: Color) -> f64 {
        let [a, b] = [luminance(a), luminance(b)];
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn the_style_sheet_has_every_color() {
        let colors = || theme_colors().map(|color| (color.name, color.light, color.dark));
        let variables = colors().map(|(name, light, dark)| {
            format!("  --figure-{name}: light-dark({light}, {dark});\n")
        });
        let rules = colors().flat_map(|(name, ..)| {
            ["fill", "stroke"].map(|property| {
                let rule = format!("{{ {property}: var(--figure-{name}); }}");
                format!(".hatchery-figure .{property}-{name} {rule}\n")
            })
        });
        for part in [variables.collect::<String>(), rules.collect()] {
            assert!(STYLE_SHEET.contains(&part), "the style sheet should have:\n{part}");
        }
    }

    #[test]
    fn contrast_is_that_of_known_pairs() {
        let [white, black] = [Color::rgb(255, 255, 255), Color::rgb(0, 0, 0)];
        assert!((contrast(white, black) - 21.0).abs() < 1e-9);
        // The lightest gray of enough contrast for text on white.
        assert!((contrast(Color::rgb(0x76, 0x76, 0x76), white) - 4.54).abs() < 0.005);
    }

    #[test]
    fn colors_stand_out_from_paper_and_page() {
        let check = |color: ThemeColor, least: f64| {
            for paper in [[PAPER.light, PAPER.dark], PAGE] {
                let of = [contrast(color.light, paper[0]), contrast(color.dark, paper[1])];
                assert!(of.iter().all(|of| least <= *of), "{}: {of:?}", color.name);
            }
        };
        SERIES.into_iter().for_each(|color| check(color, 3.0));
        check(AXIS, 3.0);
        check(INK, 7.0);
        check(SOFT, 4.5);
    }

    #[test]
    fn steps_of_heat_stand_out_more_and_more() {
        let contrasts = |of: fn(ThemeColor) -> Color| {
            HEAT.map(|step| contrast(of(step), of(PAPER))).map(|contrast| contrast.max(1.0))
        };
        for contrasts in [contrasts(|color| color.light), contrasts(|color| color.dark)] {
            assert!(contrasts[1..].is_sorted(), "{contrasts:?}");
            assert!(3.0 <= contrasts[5], "{contrasts:?}");
        }
    }

    #[test]
    fn a_document_has_the_rules_that_it_needs() {
        let style = dark_style("<rect class=\"fill-paper\"/><path class=\"stroke-2\"/>").unwrap();
        let rules = ".fill-paper{fill:#191d20}\n.stroke-2{stroke:#f3933f}\n";
        assert_eq!(
            style,
            format!("<style>@media (prefers-color-scheme:dark){{\n{rules}}}</style>")
        );
        assert_eq!(dark_style("<rect fill=\"#ffffff\"/>"), None);
    }
}
