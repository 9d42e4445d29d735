//! Scenes as SVG files that play by themselves.
//!
//! Each thing has an element for each symbol that it ever is, and says when it is seen; only bodies
//! that move have places at times. A program that does not animate shows the last frame.

mod track;

use hatchery_core::scene::{Scene, SceneFrame, SceneThings};

use super::drawing::{SceneDrawing, escaped};
use super::palette;
use super::rate::frames_per_second;
use track::{FrameTimes, thing_tracks};

/// The most frames of a file, and the most bytes; of more frames, evenly spaced frames are shown.
const MAX_FRAMES: usize = 600;
const MAX_BYTES: usize = 1 << 20;

/// Lengths in pixels: the width and the largest height of the picture, the space around all, and a
/// line of a caption.
const WIDTH: i64 = 640;
const MAX_HEIGHT: i64 = 560;
const MARGIN: i64 = 16;
const LINE: i64 = 18;
const TITLE_LINE: i64 = 30;

/// The most lines of a caption, and the most letters of a line: more would be wider than the file.
const MAX_LINES: usize = 12;
const MAX_LETTERS: usize = 80;

/// A scene as a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnimatedScene {
    /// The file.
    pub(crate) svg: String,
    /// The number of shown frames, and the number of frames of the scene.
    pub(crate) n_shown: usize,
    pub(crate) n_frames: usize,
}

/// Returns a scene as an SVG file that plays over and over; `title` names its subject.
pub(crate) fn animated_svg(scene: &Scene, title: &str) -> AnimatedScene {
    let n_frames = scene.frames.len();
    let mut step = n_frames.div_ceil(MAX_FRAMES).max(1);
    loop {
        let frames = thinned(&scene.frames, step);
        let svg = file(scene, &frames, title, step);
        if svg.len() <= MAX_BYTES || frames.len() <= 2 {
            return AnimatedScene { svg, n_shown: frames.len(), n_frames };
        }
        step *= 2;
    }
}

/// Returns every `step`-th frame and the last frame, each with the changes since the previous
/// returned frame.
fn thinned(frames: &[SceneFrame], step: usize) -> Vec<SceneFrame> {
    let (mut things, mut shown) = (SceneThings::new(), SceneThings::new());
    let mut kept = Vec::new();
    for (idx, frame) in frames.iter().enumerate() {
        things.apply(&frame.changes);
        if idx % step == 0 || idx + 1 == frames.len() {
            let changes = things.changes_since(&shown);
            shown.clone_from(&things);
            kept.push(SceneFrame { changes, ..frame.clone() });
        }
    }
    kept
}

/// Returns the file with these frames, which are every `step`-th frame of the scene.
fn file(scene: &Scene, frames: &[SceneFrame], title: &str, step: usize) -> String {
    let drawing = SceneDrawing::new(scene, "scene");
    let times = FrameTimes::new(frames.len(), frames_per_second(scene, frames.len()));
    let (picture, picture_height) = match &drawing {
        Some(drawing) => picture(drawing, frames, &times),
        None => (String::new(), 0),
    };
    let captions_top = TITLE_LINE + picture_height + MARGIN;
    let (captions, n_lines) = captions(scene, frames, step, &times, captions_top);
    let (width, height) = (WIDTH + 2 * MARGIN, captions_top + LINE * n_lines + MARGIN);
    let (title, style) = (escaped(title), palette::dark_style());
    let paper = "<style>@media (prefers-color-scheme:dark){.scene-page{fill:#191d20}}</style>";
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace,Menlo,Consolas,monospace\" font-size=\"13\" role=\"img\">\n\
         <title>{title}</title>\n<desc>A replay of {} frames.</desc>\n{style}\n{paper}\n\
         <rect class=\"scene-page\" width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
         <text x=\"{MARGIN}\" y=\"20\" font-weight=\"bold\" {}>{title}</text>\n\
         {picture}{captions}</svg>\n",
        scene.frames.len(),
        palette::ground("scene-text"),
    )
}

/// Returns the picture below the title, and its height.
fn picture(drawing: &SceneDrawing<'_>, frames: &[SceneFrame], times: &FrameTimes) -> (String, i64) {
    let [_, _, width, height] = drawing.geometry.view;
    // As wide as there is room, unless it were too high.
    let shown_height = (WIDTH * height / width.max(1)).clamp(1, MAX_HEIGHT);
    let things: String = thing_tracks(frames).iter().map(|it| it.markup(drawing, times)).collect();
    let (view, definitions, ground) = (drawing.view_box(), drawing.definitions(), drawing.ground());
    let picture = format!(
        "<svg x=\"{MARGIN}\" y=\"{TITLE_LINE}\" width=\"{WIDTH}\" height=\"{shown_height}\" \
         viewBox=\"{view}\">\n{definitions}{ground}{things}</svg>\n"
    );
    (picture, shown_height)
}

/// Returns the captions, which are shown one at a time, and the most lines of a caption.
fn captions(
    scene: &Scene,
    frames: &[SceneFrame],
    step: usize,
    times: &FrameTimes,
    top: i64,
) -> (String, i64) {
    let total = scene.frames.last().map_or(0, |frame| frame.number);
    let thinned = (1 < step).then(|| format!(", one of {step} shown"));
    let cut = scene.cut.map(|cut| format!(", {} to {} left out", cut.first, cut.last));
    let left_out: String = thinned.into_iter().chain(cut).collect();
    let mut most_lines = 0;
    let mut captions = Vec::new();
    for (idx, frame) in frames.iter().enumerate() {
        let number = format!("frame {} of {total}{left_out}", frame.number);
        let lines: Vec<_> = frame.caption.lines().take(MAX_LINES).map(shortened).collect();
        most_lines = most_lines.max(lines.len() + 1);
        let text = |(row, line, class): (i64, &str, &str)| {
            let (y, line, fill) = (top + LINE * row, escaped(line), palette::ground(class));
            format!("<text x=\"{MARGIN}\" y=\"{y}\" xml:space=\"preserve\" {fill}>{line}</text>")
        };
        let head = text((0, number.as_str(), "scene-soft"));
        let lines = (1..).zip(&lines).map(|(row, line)| text((row, line.as_str(), "scene-text")));
        let lines: String = lines.collect();
        let is_last = idx + 1 == frames.len();
        let seen = times.seen(&[(idx, true), (idx + 1, false)], is_last);
        captions.push(format!("<g{}>{head}{lines}{}</g>\n", seen.attribute, seen.animation));
    }
    (captions.concat(), i64::try_from(most_lines).unwrap_or(i64::MAX))
}

/// Returns the beginning of a line that is too long.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(MAX_LETTERS) {
        None => line.to_owned(),
        Some(_) => line.chars().take(MAX_LETTERS - 1).chain(['\u{2026}']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::SceneBase;
    use hatchery_core::scene::{
        SceneChange, SceneColor, SceneLabel, ScenePlace, SceneSpace, SceneSymbol, SymbolId,
        SymbolShape, ThingId, ThingPose,
    };

    use super::*;

    const HOSTILE: &str = "</text><script>alert(1)</script>\u{202e}\u{1b}[2J&\u{ffff}";

    /// A scene of `n` frames: a thing hops over a board.
    fn scene(n: u64) -> Scene {
        let space = SceneSpace::Grid { columns: 3, rows: 2, margin: 1 };
        let disk = SymbolShape::Disk { radius: 400 };
        let mut symbol = SceneSymbol::new(HOSTILE, HOSTILE, SceneColor::Red, disk);
        symbol.inscription = Some(HOSTILE.to_owned());
        let mut base = SceneBase::new(space, vec![symbol]);
        let place = ScenePlace::new(0, -1);
        base.labels.push(SceneLabel { text: HOSTILE.to_owned(), place });
        let frame = |number: u64| {
            let x = i32::try_from(number % 3).unwrap();
            let pose = Some(ThingPose::at(SymbolId(0), ScenePlace::new(x, 0)));
            let changes = vec![SceneChange { thing: ThingId(0), pose }];
            SceneFrame { number, caption: format!("{HOSTILE}\nhop {number}"), changes }
        };
        Scene { base, frames: (1..=n).map(frame).collect(), cut: None }
    }

    #[test]
    fn texts_are_shown_and_never_interpreted() {
        let AnimatedScene { svg, .. } = animated_svg(&scene(2), HOSTILE);
        for part in ["<script", "\u{202e}", "\u{1b}", "\u{ffff}"] {
            assert!(!svg.contains(part), "{part:?}: {svg}");
        }
        assert!(svg.contains("&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}\\u{1b}"), "{svg}");
    }

    #[test]
    fn what_does_not_animate_shows_the_last_frame() {
        let AnimatedScene { svg, n_shown, .. } = animated_svg(&scene(3), "three");
        assert_eq!(n_shown, 3);
        let captions = svg.lines().filter(|line| line.contains("hop "));
        let hidden: Vec<_> = captions.map(|line| line.starts_with("<g opacity=\"0\">")).collect();
        assert_eq!(hidden, [true, true, false]);
        // One frame needs no animation.
        assert!(!animated_svg(&scene(1), "one").svg.contains("<animate"));
    }

    #[test]
    fn many_frames_are_thinned_and_said() {
        let AnimatedScene { svg, n_shown, n_frames } = animated_svg(&scene(10_000), "many");
        assert!(n_shown < 700 && n_frames == 10_000, "{n_shown} of {n_frames}");
        assert!(svg.len() <= MAX_BYTES, "{}", svg.len());
        assert!(svg.contains("frame 10000 of 10000, one of 17 shown"), "{svg:.2000}");
        assert_eq!(animated_svg(&scene(10_000), "many").svg, svg);
    }
}
