//! Findings as markup.

use hatchery_core::Findings;
use hatchery_core::findings::{
    FindingBlock, FindingCard, FindingFigure, FindingTable, RichText, VerdictKind,
};
use hatchery_figures::FigurePicture;
use maud::{Markup, PreEscaped, html};

use crate::html::{Shown, rich, scrollable};

/// Returns all sections, with their figures numbered.
pub(super) fn sections(findings: &Findings, counts: &mut BlockCounts) -> Markup {
    html! {
        @for section in &findings.sections {
            @if !section.heading.is_empty() { h2 { (rich(&section.heading)) } }
            @for blocks in section.blocks.chunk_by(|a, b| is_narrow(a) && is_narrow(b)) {
                @if 1 < blocks.len() {
                    div.beside {
                        @for block in blocks { div { (block_markup(block, counts)) } }
                    }
                } @else {
                    @for block in blocks { (block_markup(block, counts)) }
                }
            }
        }
    }
}

/// The most letters that stay on one line, in the first cell of a row and in the other cells.
const MAX_NAME_LETTERS: usize = 28;
const MAX_CELL_LETTERS: usize = 20;

/// The letters from which on a cell has a column that is wide enough to read.
const LONG_CELL_LETTERS: usize = 50;

/// The most columns of a table that has room beside another table.
const MAX_NARROW_COLUMNS: usize = 3;

/// Returns true if a block is a table with room for another table beside it, on a wide screen.
fn is_narrow(block: &FindingBlock) -> bool {
    matches!(block, FindingBlock::Table(table) if table.columns.len() <= MAX_NARROW_COLUMNS)
}

/// Returns the section about the method of the run.
pub(super) fn method(findings: &Findings, counts: &mut BlockCounts) -> Markup {
    html! {
        @if !findings.method.is_empty() {
            h2 { "What was done" }
            @for block in &findings.method { (block_markup(block, counts)) }
        }
    }
}

/// The numbers of figures and tables so far.
#[derive(Debug, Default)]
pub(super) struct BlockCounts {
    figures: u32,
    tables: u32,
}

fn block_markup(block: &FindingBlock, counts: &mut BlockCounts) -> Markup {
    match block {
        FindingBlock::Text(words) => html! { p { (rich(words)) } },
        FindingBlock::List(items) => html! { ul { @for item in items { li { (rich(item)) } } } },
        FindingBlock::Figure(shown) => {
            counts.figures += 1;
            figure(shown, counts.figures)
        }
        FindingBlock::Cards(cards) => html! {
            div.cards { @for shown in cards { (card(shown)) } }
        },
        FindingBlock::Table(shown) => {
            counts.tables += 1;
            table(shown, counts.tables)
        }
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

/// Returns a picture that scrolls by itself where it is wider than the page; a block as wide as the
/// page has nothing to scroll.
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

fn table(FindingTable { caption, columns, rows }: &FindingTable, number: u32) -> Markup {
    let class = |idx: usize| columns.get(idx).is_some_and(|column| column.is_number);
    let is_name = |idx: usize, cell: &RichText| {
        let most = if idx == 0 { MAX_NAME_LETTERS } else { MAX_CELL_LETTERS };
        cell.to_string().chars().count() <= most
    };
    // Who hears the page tells its tables apart by these names.
    let name = match caption.is_empty() {
        true => format!("Table {number}"),
        false => format!("Table {number}: {caption}"),
    };
    let content = html! {
        table {
            thead {
                tr { @for column in columns {
                    th scope="col" .number[column.is_number] { (Shown(&column.name)) }
                } }
            }
            tbody { @for row in rows {
                tr { @for (idx, cell) in row.iter().enumerate() {
                    @let is_long = LONG_CELL_LETTERS <= cell.to_string().chars().count();
                    td .number[class(idx)] .name[is_name(idx, cell)] .long[is_long] {
                        (rich(cell))
                    }
                } }
            } }
        }
    };
    html! {
        // Outside of what scrolls: a caption is read where the page begins.
        @if !caption.is_empty() { p.caption-above { (rich(caption)) } }
        (scrollable(&name, &content))
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::findings::{CardVerdict, FindingSection, TableHead};
    use hatchery_figures::{ForestChart, ForestRow, Quantity, Sparkline};

    use super::*;

    const HOSTILE: &str = "<img src=x onerror=alert(1)>\u{202e}";

    fn hostile() -> Findings {
        let quantity = Quantity::estimate(6.5, [5.5, 7.7]);
        let chart = ForestChart {
            title: HOSTILE.to_owned(),
            x_label: HOSTILE.to_owned(),
            x_shown: vec![0.0],
            reference: None,
            rows: vec![ForestRow { name: HOSTILE.to_owned(), quantity }],
        };
        let line = Sparkline { title: HOSTILE.to_owned(), values: vec![quantity] };
        let card = FindingCard {
            title: HOSTILE.to_owned(),
            note: HOSTILE.into(),
            verdict: Some(CardVerdict { word: HOSTILE.to_owned(), kind: VerdictKind::Bad }),
            pictures: vec![line.picture()],
        };
        let table = FindingTable {
            caption: HOSTILE.into(),
            columns: vec![TableHead::text(HOSTILE), TableHead::number("n")],
            rows: vec![vec![HOSTILE.into(), "1".into()]],
        };
        let figure = FindingFigure {
            name: "forest".to_owned(),
            picture: chart.picture(),
            caption: HOSTILE.into(),
        };
        let blocks = vec![
            FindingBlock::Text(HOSTILE.into()),
            FindingBlock::List(vec![HOSTILE.into()]),
            FindingBlock::Figure(figure),
            FindingBlock::Cards(vec![card]),
            FindingBlock::Table(table),
        ];
        let sections = vec![FindingSection { heading: HOSTILE.into(), blocks }];
        Findings { sections, method: vec![FindingBlock::text(HOSTILE)], ..Findings::default() }
    }

    #[test]
    fn hostile_texts_are_shown_and_never_interpreted() {
        let findings = hostile();
        let mut counts = BlockCounts::default();
        let page = sections(&findings, &mut counts).into_string()
            + &method(&findings, &mut counts).into_string();
        assert!(!page.contains("<img") && !page.contains('\u{202e}'), "{page}");
        assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;\\u{202e}"), "{page}");
        for part in ["<figcaption><b>Figure 1. </b>", "verdict bad", "<th class=\"number\""] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
