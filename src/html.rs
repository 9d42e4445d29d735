//! HTML documents: the frame that every page has, and how texts are shown in it.
//!
//! A page is one file: its style sheet and its script are in it, and its policy allows nothing
//! else, so that it asks no network for anything. It is whole without the script, and readable
//! without the style sheet.

mod contents;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hatchery_core::findings::{RichText, TextSpan};
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
use sha2::{Digest, Sha256};

use crate::terminal::escape_controls;

pub(crate) use contents::with_contents;

/// The common style sheet of pages; the style sheet of figures comes before it.
const PAGE_STYLE: &str = concat!(include_str!("html/page.css"), include_str!("html/player.css"));
/// The common script of pages.
const SCRIPT: &str = concat!(include_str!("html/page.js"), include_str!("html/player.js"));

/// Returns the document with this title and the content of its main part.
pub(crate) fn document(title: &str, main: &Markup) -> String {
    let style = format!("{}{PAGE_STYLE}", hatchery_figures::STYLE_SHEET);
    let policy = format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        source_hash(&style),
        source_hash(SCRIPT)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy);
                title { (Shown(title)) }
                style { (PreEscaped(&style)) }
            }
            body {
                main { (main) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// Returns the hash that allows, in a content security policy, an inline style sheet or script.
fn source_hash(source: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(source.as_bytes())))
}

/// A text that may come from outside: what would hide or turn other text is shown as an escape,
/// and markup as it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown<'a>(pub(crate) &'a str);

impl Render for Shown<'_> {
    fn render(&self) -> Markup {
        html! { (escape_controls(self.0)) }
    }
}

/// Returns a text with its emphasis.
pub(crate) fn rich(text: &RichText) -> Markup {
    html! {
        @for span in text.spans() {
            @match span {
                TextSpan::Plain(words) => (Shown(words)),
                TextSpan::Strong(words) => b { (Shown(words)) },
                TextSpan::Code(words) => code { (Shown(words)) },
                TextSpan::Soft(words) => span.soft { (Shown(words)) },
            }
        }
    }
}

/// Returns content that scrolls by itself if it is wider than the page; `name` describes it. The
/// script then shows a hint.
pub(crate) fn scrollable(name: &str, content: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(escape_controls(name)) { (content) }
        p.hint aria-hidden="true" hidden data-scroll-hint { "scroll sideways for more →" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_has_the_hashes_of_what_is_inline() {
        let page = document("a<b", &html! { p { "x" } });
        let part = |start: &str, end: &str| {
            let from = page.split_once(start).unwrap().1;
            from.split_once(end).unwrap().0.to_owned()
        };
        let policy = part("http-equiv=\"Content-Security-Policy\" content=\"", "\"");
        for (start, end) in [("<style>", "</style>"), ("<script>", "</script>")] {
            let hash = source_hash(&part(start, end));
            assert!(policy.contains(&format!("'{hash}'")), "{policy} should have {hash}");
        }
        assert!(!policy.contains("unsafe") && policy.starts_with("default-src 'none'"), "{policy}");
        assert!(page.contains("<title>a&lt;b</title>"), "{page}");
        // Known from `printf x | openssl dgst -sha256 -binary | base64`.
        assert_eq!(source_hash("x"), "sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE=");
    }

    #[test]
    fn texts_are_shown_and_never_interpreted() {
        let text = RichText::new("<b>").strong("\u{202e}x").code("a&b").soft("\u{1b}[2J");
        let expected = "&lt;b&gt;<b>\\u{202e}x</b><code>a&amp;b</code>\
                        <span class=\"soft\">\\u{1b}[2J</span>";
        assert_eq!(rich(&text).into_string(), expected);
    }
}
