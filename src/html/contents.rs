//! Links to the sections of a page.

use maud::{Markup, PreEscaped, html};

/// The fewest sections that need links.
const MIN_SECTIONS: usize = 3;

/// Returns links to the sections of `body`, which begin with an `h2`, and the body with an id in
/// each heading.
pub(crate) fn with_contents(body: &Markup) -> (Markup, Markup) {
    let (mut linked, mut titles) = (String::new(), Vec::new());
    let mut parts = body.0.split("<h2");
    linked.push_str(parts.next().unwrap_or_default());
    for (number, part) in (1..).zip(parts) {
        let (attributes, inside) = part.split_once('>').unwrap_or((part, ""));
        let (title, _) = inside.split_once("</h2>").unwrap_or_default();
        let known = attributes.split_once("id=\"").and_then(|(_, id)| id.split_once('"'));
        let id = known.map_or_else(|| format!("section-{number}"), |(id, _)| id.to_owned());
        let added = if known.is_some() { String::new() } else { format!(" id=\"{id}\"") };
        linked.extend(["<h2", attributes, &added, ">", inside]);
        titles.push((id, without_tags(title)));
    }
    let links = html! {
        @if MIN_SECTIONS <= titles.len() {
            nav.contents aria-label="Sections" {
                @for (id, title) in &titles { a href={ "#" (id) } { (PreEscaped(title)) } }
            }
        }
    };
    (links, PreEscaped(linked))
}

/// Returns the text of markup, whose letters stay escaped.
fn without_tags(markup: &str) -> String {
    let mut parts = markup.split('<');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.filter_map(|part| part.split_once('>')).fold(first, |text, (_, more)| text + more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_linked() {
        let body = html! {
            p { "before" }
            h2 { "A " b { "<bold>" } " one" }
            h2 id="again" { "Again" }
            h2 { "Last" }
        };
        let (links, body) = with_contents(&body);
        let expected = "<nav class=\"contents\" aria-label=\"Sections\">\
                        <a href=\"#section-1\">A &lt;bold&gt; one</a><a href=\"#again\">Again</a>\
                        <a href=\"#section-3\">Last</a></nav>";
        assert_eq!(links.into_string(), expected);
        let expected = "<p>before</p><h2 id=\"section-1\">A <b>&lt;bold&gt;</b> one</h2>\
                        <h2 id=\"again\">Again</h2><h2 id=\"section-3\">Last</h2>";
        assert_eq!(body.into_string(), expected);
        let (none, _) = with_contents(&html! { h2 { "Only" } });
        assert_eq!(none.into_string(), "");
    }
}
