//! Findings as markup.

use hatchery_core::Findings;
use hatchery_core::findings::{
    FindingBlock, FindingCard, FindingFigure, FindingTable, RichText, VerdictKind,
};
use hatchery_figures::FigurePicture;
use maud::{Markup, PreEscaped, html};

use crate::html::{Shown, rich, scrollable};

/// Returns all sections, with their figures numbered.
pub(super) fn sections(findings: &Findings) -> Markup {
    let mut n_figures = 0;
    html! {
        @for section in &findings.sections {
            @if !section.heading.is_empty() { h2 { (rich(&section.heading)) } }
            @for block in &section.blocks { (block_markup(block, &mut n_figures)) }
        }
    }
}

/// Returns what was done.
pub(super) fn method(findings: &Findings) -> Markup {
    html! {
        @if !findings.method.is_empty() {
            h2 { "What was done" }
            @for words in &findings.method { p { (rich(words)) } }
        }
    }
}

fn block_markup(block: &FindingBlock, n_figures: &mut u32) -> Markup {
    match block {
        FindingBlock::Text(words) => html! { p { (rich(words)) } },
        FindingBlock::List(items) => html! { ul { @for item in items { li { (rich(item)) } } } },
        FindingBlock::Figure(shown) => {
            *n_figures += 1;
            figure(shown, *n_figures)
        }
        FindingBlock::Cards(cards) => html! {
            div.cards { @for shown in cards { (card(shown)) } }
        },
        FindingBlock::Table(shown) => table(shown),
    }
}

fn figure(FindingFigure { picture, caption, .. }: &FindingFigure, number: u32) -> Markup {
    html! {
        figure.panel {
            (scrolled(picture, caption))
            figcaption { b { "Figure " (number) ". " } (rich(caption)) }
        }
    }
}

/// Returns a picture that scrolls by itself where it is wider than the page; one that is as wide as
/// the page lets it be has nothing to scroll.
fn scrolled(picture: &FigurePicture, caption: &RichText) -> Markup {
    let inline = PreEscaped(picture.inline().to_owned());
    match picture.inline().contains("figure-fixed") {
        true => scrollable(&format!("Figure: {caption}"), &inline),
        false => inline,
    }
}

fn card(FindingCard { title, note, verdict, pictures }: &FindingCard) -> Markup {
    html! {
        article.card {
            header {
                h3 { (Shown(title)) }
                @if let Some(verdict) = verdict {
                    @let (class, sign) = match verdict.kind {
                        VerdictKind::Good => ("verdict good", "✓"),
                        VerdictKind::Bad => ("verdict bad", "✕"),
                        VerdictKind::Open => ("verdict open", "?"),
                    };
                    span class=(class) { (sign) " " (Shown(&verdict.word)) }
                }
            }
            @if !note.is_empty() { p.soft { (rich(note)) } }
            @for picture in pictures { (PreEscaped(picture.inline())) }
        }
    }
}

fn table(FindingTable { caption, columns, rows }: &FindingTable) -> Markup {
    let class = |idx: usize| columns.get(idx).is_some_and(|column| column.is_number);
    let name = if caption.is_empty() { "Table".to_owned() } else { caption.to_string() };
    let content = html! {
        table {
            @if !caption.is_empty() { caption { (rich(caption)) } }
            thead {
                tr { @for column in columns {
                    th scope="col" .number[column.is_number] { (Shown(&column.name)) }
                } }
            }
            tbody { @for row in rows {
                tr { @for (idx, cell) in row.iter().enumerate() {
                    td .number[class(idx)] { (rich(cell)) }
                } }
            } }
        }
    };
    scrollable(&name, &content)
}
