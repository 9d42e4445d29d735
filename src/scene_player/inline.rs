//! Scenes as players on pages.

use std::collections::BTreeSet;

use hatchery_core::scene::{Scene, SceneChange, SceneCut, SceneThings};
use hatchery_core::text::grouped;
use maud::{Markup, PreEscaped, html};
use serde::Serialize;

use super::drawing::SceneDrawing;
use super::rate::frames_per_second;
use crate::html::{Shown, document};
use crate::terminal::escape_controls;

/// The most bytes of a scene as JSON on its own page: small enough for mail.
pub(crate) const MAX_PLAYER_BYTES: usize = 1 << 20;

/// The speeds to choose from: a factor of the usual one, and how it is written.
const SPEEDS: [(&str, &str); 6] =
    [("0.25", "¼"), ("0.5", "½"), ("1", "1"), ("2", "2"), ("4", "4"), ("16", "16")];

/// The most symbols of a legend.
const MAX_LEGEND: usize = 32;

/// The data that the script of a player reads.
#[derive(Debug, Serialize)]
struct PlayerData<'a> {
    /// The point of (1, 0), then the point of (0, 1).
    matrix: [i64; 4],
    /// Frames a second.
    rate: u32,
    frames: Vec<PlayerFrame<'a>>,
}

/// A frame: its number, its caption, and the changes since the previous frame.
#[derive(Debug, Serialize)]
struct PlayerFrame<'a>(u64, String, &'a [SceneChange]);

/// Returns a player: the last frame and, for browsers with scripts, all frames from the first on,
/// with buttons, a slider and keys. Its page must be a [`document`], whose script and style sheet
/// it needs.
///
/// `name` describes the scene. `prefix` is a name of letters that no other player of the page has.
/// A player that is `focused` has the keys from the start.
fn player(scene: &Scene, name: &str, prefix: &str, focused: bool) -> Markup {
    let Some(last) = scene.frames.last() else { return html! {} };
    let things = scene.frames.iter().fold(SceneThings::new(), |mut things, frame| {
        things.apply(&frame.changes);
        things
    });
    let name = escape_controls(name);
    html! {
        figure.player data-scene-player=(prefix) tabindex="0" role="group" aria-label=(name)
            autofocus[focused] {
            @if let Some(drawing) = SceneDrawing::new(scene, prefix) {
                (picture(&drawing, &things, &name))
            }
            (controls(scene))
            figcaption {
                @if let Some(drawing) = SceneDrawing::new(scene, prefix) {
                    (legend(scene, &drawing))
                }
                p.small.soft {
                    "Frame " span data-player-number { (last.number) } " of "
                    (grouped(last.number)) (left_out(scene))
                }
                pre.caption data-player-caption { (Shown(&last.caption)) }
            }
            script type="application/json" { (PreEscaped(json(scene))) }
        }
    }
}

/// Returns the only player of a page that shows more than that.
pub(crate) fn inline_player(scene: &Scene, name: &str) -> Markup {
    player(scene, name, "scene", false)
}

/// Returns a page with a player and nothing else.
pub(crate) fn player_page(scene: &Scene, title: &str) -> String {
    let main = html! {
        p.by {
            "hatchery " (env!("CARGO_PKG_VERSION"))
            button type="button" hidden data-theme-toggle { "light or dark" }
        }
        h1 { (Shown(title)) }
        (player(scene, title, "scene", true))
    };
    document(title, &main)
}

fn picture(drawing: &SceneDrawing<'_>, things: &SceneThings, name: &str) -> Markup {
    let [_, _, width, height] = drawing.geometry.view;
    let view = drawing.view_box();
    // The ratio of a picture is kept where a page has no style sheet, too.
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(view) width="640"
            height=(640 * height / width.max(1)) role="img" aria-label=(name) {
            (PreEscaped(drawing.definitions()))
            (PreEscaped(drawing.ground()))
            g data-player-things { (PreEscaped(drawing.things(things))) }
        }
    }
}

/// Returns the symbols of the scene with their names; nothing if they are too many to be read.
fn legend(scene: &Scene, drawing: &SceneDrawing<'_>) -> Markup {
    let changes = scene.frames.iter().flat_map(|frame| &frame.changes);
    let things = changes.filter_map(|change| Some(change.pose?.symbol));
    let used: BTreeSet<_> = things.chain(scene.base.tiles.iter().map(|tile| tile.symbol)).collect();
    let symbols = used.iter().filter_map(|&id| Some((id, scene.base.symbol(id)?)));
    html! {
        @if used.len() <= MAX_LEGEND {
            p.small.soft.legend {
                @for (id, symbol) in symbols {
                    span {
                        svg viewBox=(drawing.symbol_view()) width="16" height="16"
                            aria-hidden="true" {
                            use href={ "#" (drawing.symbol_id(id)) } {}
                        }
                        (Shown(&symbol.name))
                    }
                }
            }
        }
    }
}

/// Returns the controls, which need scripts.
fn controls(scene: &Scene) -> Markup {
    let last = scene.frames.len().saturating_sub(1);
    html! {
        div.controls hidden data-player-controls {
            button type="button" data-player-back aria-label="one frame back" { "◀" }
            button type="button" data-player-play { "play" }
            button type="button" data-player-forward aria-label="one frame forward" { "▶" }
            input type="range" min="0" max=(last) value=(last) aria-label="frame"
                data-player-slider;
            label.small.soft {
                "speed "
                select data-player-speed {
                    @for (factor, name) in SPEEDS {
                        option value=(factor) selected[factor == "1"] { (name) " ×" }
                    }
                }
            }
        }
    }
}

/// Returns the note on left-out frames.
fn left_out(scene: &Scene) -> String {
    scene.cut.map_or_else(String::new, |SceneCut { first, last }| {
        let [first, last] = [first, last].map(grouped);
        format!("; {first} to {last} are left out")
    })
}

/// Returns the data of the script, for the inside of an element: no text in it can end that.
fn json(scene: &Scene) -> String {
    let frames = scene
        .frames
        .iter()
        .map(|frame| PlayerFrame(frame.number, escape_controls(&frame.caption), &frame.changes));
    let data = PlayerData {
        matrix: super::geometry::SceneGeometry::new(scene).map_or([0; 4], |it| it.matrix),
        rate: frames_per_second(scene, scene.frames.len()),
        frames: frames.collect(),
    };
    let json = serde_json::to_string(&data).expect("frames are plain data");
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use hatchery_core::SceneBase;
    use hatchery_core::scene::SceneFrame;

    use super::*;

    const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\u{202e}\u{1b}[2J";

    fn captions(n: u64) -> Scene {
        let frame =
            |number| SceneFrame { number, caption: HOSTILE.to_owned(), changes: Vec::new() };
        Scene { base: SceneBase::captions(), frames: (1..=n).map(frame).collect(), cut: None }
    }

    #[test]
    fn texts_are_shown_and_never_interpreted() {
        let page = player_page(&captions(2), HOSTILE);
        for part in ["<img", "\u{202e}", "\u{1b}"] {
            assert!(!page.contains(part), "{part:?}: {page}");
        }
        assert!(page.contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;\\u{202e}"));
        assert!(page.contains("\\u003c/script\\u003e"), "{page}");
        // The data and the page's own script.
        assert_eq!(page.matches("</script>").count(), 2, "{page}");
    }

    #[test]
    fn what_is_left_out_is_said() {
        let mut scene = captions(3);
        scene.frames.remove(1);
        scene.cut = Some(SceneCut { first: 2, last: 2 });
        let shown = player(&scene, "a game", "x", false).into_string();
        assert!(shown.contains("of 3; 2 to 2 are left out"), "{shown}");
        assert_eq!(player(&captions(0), "nothing", "x", false).into_string(), "");
    }
}
