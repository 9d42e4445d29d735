//! The exhibits of a run: links, and pictures if there are no findings to show them.

use hatchery_core::Exhibit;
use hatchery_core::text::grouped;
use maud::{Markup, PreEscaped, html};

use crate::html::{Shown, scrollable};

/// The most pictures that are shown; further pictures are links.
const MAX_PICTURES: usize = 20;
/// The most bytes of the pictures together, and of a single picture: a page stays small enough to
/// send.
const MAX_PICTURES_BYTES: usize = 160 << 10;
const MAX_PICTURE_BYTES: usize = 48 << 10;

/// Returns the section of the exhibits; nothing if there are none. Findings show what matters
/// themselves.
pub(super) fn section(exhibits: &[Exhibit], has_findings: bool) -> Markup {
    if exhibits.is_empty() {
        return html! {};
    }
    let (mut n_pictures, mut n_bytes) = (0, 0);
    let mut pictures = Vec::new();
    for exhibit in exhibits.iter().filter(|_| !has_findings) {
        let Some(svg) = picture(exhibit) else { continue };
        if n_pictures < MAX_PICTURES && n_bytes + svg.len() <= MAX_PICTURES_BYTES {
            n_pictures += 1;
            n_bytes += svg.len();
            pictures.push((exhibit, svg));
        }
    }
    html! {
        h2 { "Files" }
        @if !pictures.is_empty() {
            div.cards { @for (exhibit, svg) in &pictures {
                figure.card.hatchery-figure.shown {
                    (PreEscaped(svg))
                    figcaption { a href=(path(exhibit)) { (Shown(&exhibit.name)) } }
                }
            } }
        }
        (scrollable("Files", &list(exhibits)))
    }
}

fn list(exhibits: &[Exhibit]) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "File" }
                th scope="col" { "Type" }
                th.number scope="col" { "Bytes" }
                th scope="col" { "BLAKE3, to name it as the input of another run" }
            } }
            tbody { @for exhibit in exhibits {
                tr {
                    td { a href=(path(exhibit)) { (Shown(&exhibit.name)) } }
                    td.soft { (Shown(&exhibit.media_type)) }
                    td.number { (grouped(exhibit.content.n_bytes())) }
                    td.mono.small { (exhibit.content.hash()) }
                }
            } }
        }
    }
}

/// The path of an exhibit beside the page. Its name has no letter that a URL would need escaped.
fn path(exhibit: &Exhibit) -> String {
    format!("exhibits/{}", exhibit.name)
}

/// Returns the markup of an exhibit that is a picture of the crate of figures: without its style
/// sheet, as the page has the same one. Parts were written by workers, and are no more than links.
fn picture(exhibit: &Exhibit) -> Option<String> {
    let is_picture = exhibit.media_type == "image/svg+xml";
    let bytes =
        exhibit.content.bytes().filter(|bytes| is_picture && bytes.len() <= MAX_PICTURE_BYTES)?;
    let svg = std::str::from_utf8(bytes).ok().filter(|svg| svg.starts_with("<svg"))?;
    match (svg.split_once("<style>"), svg.split_once("</style>")) {
        (Some((before, _)), Some((_, after))) => Some(format!("{before}{after}")),
        _ => Some(svg.to_owned()),
    }
}
