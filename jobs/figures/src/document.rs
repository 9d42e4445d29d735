//! The frame that every document of the crate has.

use crate::markup::escape_text;
use crate::palette;
use crate::shape::{DocumentForm, Shape, StretchMargins, StretchedPart};

/// All of a document but its shapes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FigureDocument<'a> {
    /// The name of the figure, for screen readers and tooltips.
    pub(crate) title: &'a str,
    /// The description, for screen readers.
    pub(crate) description: &'a str,
    /// The left and upper end, the width and the height of the shown area.
    pub(crate) view_box: [f64; 4],
    /// Attributes that all shapes inherit.
    pub(crate) inherited: &'a str,
    /// The background.
    pub(crate) paper: DocumentPaper,
}

/// The background of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentPaper {
    /// Paper and ink of the theme.
    Theme,
    /// White paper in any theme: the colors of a game's picture are made for it.
    White,
    /// None: the shapes cover the area.
    Absent,
}

/// The font of charts.
pub(crate) const CHART_FONT: &str = "font-family=\"sans-serif\" font-size=\"13\"";

/// The font of stretched charts, where a page's style sheet does not say it.
const INLINE_FONT: &str = "font-family=\"sans-serif\" font-size=\"12\"";

/// The beginning of a standalone document, and the end of its first line.
const STANDALONE_START: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"";
const STANDALONE_END: &str = " role=\"img\">\n<title>";

/// Returns true if `document` begins as the standalone documents of this crate do.
pub(crate) fn is_standalone(document: &[u8]) -> bool {
    let Some(rest) = document.strip_prefix(STANDALONE_START.as_bytes()) else { return false };
    let line = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    // The end of the line, its line break and the element after it.
    let end = rest.get(..line + 1 + "<title>".len()).unwrap_or_default();
    end.ends_with(STANDALONE_END.as_bytes())
}

impl FigureDocument<'_> {
    /// Returns the document with `shapes`.
    pub(crate) fn drawn(&self, shapes: &[Shape], form: DocumentForm) -> String {
        let lines: Vec<_> = shapes.iter().map(|shape| shape.markup(form)).collect();
        self.with_lines(&lines, form)
    }

    /// Returns the document with `content`, a shape a line.
    pub(crate) fn with_lines(&self, content: &[String], form: DocumentForm) -> String {
        match form {
            DocumentForm::Standalone => self.standalone(content),
            DocumentForm::Stretched(stretch) => self.stretched(content, stretch),
            DocumentForm::Fixed => self.fixed(content),
        }
    }

    fn standalone(&self, content: &[String]) -> String {
        let Self { inherited, paper, .. } = self;
        let view_box = self.view_box();
        let (ink, background) = self.ink_and_background();
        let body = body(background.iter().chain(content));
        let mut lines = vec![
            format!("{STANDALONE_START}{view_box}\" {inherited}{ink} role=\"img\">"),
            self.names(),
        ];
        if *paper == DocumentPaper::Theme {
            lines.extend(palette::dark_style(&format!("{ink}{body}")));
        }
        format!("{}\n{body}</svg>\n", lines.join("\n"))
    }

    /// Returns a part of a page that is as wide as the page lets it be. The size of text and the
    /// height are in pixels at any width.
    fn stretched(&self, content: &[String], stretch: StretchedPart) -> String {
        let margins = match stretch.margins {
            StretchMargins::Axes => "figure-axes",
            StretchMargins::Rows => "figure-rows",
        };
        let [_, top, _, height] = self.view_box;
        let (names, body, ink) = (self.names(), body(content.iter()), palette::INK.light);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" \
             class=\"hatchery-figure {margins} fill-ink\" fill=\"{ink}\" \
             width=\"100%\" height=\"{height}\" overflow=\"visible\" {INLINE_FONT} \
             role=\"img\">\n{names}\n\
             <g transform=\"translate(0 {})\">\n{body}</g>\n</svg>\n",
            0.0 - top
        )
    }

    /// Returns a part of a page that is as wide as its content.
    fn fixed(&self, content: &[String]) -> String {
        let [.., width, height] = self.view_box;
        let (names, view_box, inherited) = (self.names(), self.view_box(), self.inherited);
        let (ink, color, background) = match self.paper {
            DocumentPaper::Theme => {
                (" fill-ink", format!(" fill=\"{}\"", palette::INK.light), None)
            }
            DocumentPaper::White | DocumentPaper::Absent => {
                ("", String::new(), self.ink_and_background().1)
            }
        };
        let body = body(background.iter().chain(content));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" \
             class=\"hatchery-figure figure-fixed{ink}\" \
             width=\"{width}\" height=\"{height}\" viewBox=\"{view_box}\" {inherited}{color} \
             role=\"img\">\n{names}\n{body}</svg>\n"
        )
    }

    fn view_box(&self) -> String {
        self.view_box.map(|number| number.to_string()).join(" ")
    }

    /// Returns the title and the description.
    fn names(&self) -> String {
        let [title, description] = [self.title, self.description].map(escape_text);
        format!("<title>{title}</title>\n<desc>{description}</desc>")
    }

    /// Returns the attributes for text, and the paper.
    fn ink_and_background(&self) -> (String, Option<String>) {
        let [x, y, width, height] = self.view_box;
        let place = [("x", x), ("y", y)].into_iter().filter(|(_, at)| *at < 0.0 || 0.0 < *at);
        let place: String = place.map(|(name, at)| format!("{name}=\"{at}\" ")).collect();
        let size = format!("{place}width=\"{width}\" height=\"{height}\"");
        match self.paper {
            DocumentPaper::Absent => (String::new(), None),
            DocumentPaper::White => {
                (String::new(), Some(format!("<rect {size} fill=\"#ffffff\"/>")))
            }
            DocumentPaper::Theme => {
                let (ink, paper) = (palette::INK.light, palette::PAPER.light);
                let rect = format!("<rect {size} class=\"fill-paper\" fill=\"{paper}\"/>");
                (format!(" class=\"fill-ink\" fill=\"{ink}\""), Some(rect))
            }
        }
    }
}

/// Returns lines with an end each.
fn body<'a>(lines: impl Iterator<Item = &'a String>) -> String {
    lines.flat_map(|line| [line.as_str(), "\n"]).collect()
}
