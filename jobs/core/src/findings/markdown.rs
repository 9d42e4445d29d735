//! Findings as Markdown.

use super::{FindingBlock, FindingCard, FindingTable, Findings, RichText, TextSpan};

/// The heading of what was done.
pub(crate) const METHOD_HEADING: &str = "## What was done";

impl Findings {
    /// Returns the findings as Markdown. Figures become links to their files, and cards have no
    /// pictures.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        document(self)
    }
}

fn document(findings: &Findings) -> String {
    let mut parts = vec![format!("# {}", text(&findings.title))];
    parts.extend((!findings.summary.is_empty()).then(|| text(&findings.summary)));
    let facts = findings.key_facts.iter().map(|fact| {
        let [name, value, note] = [&fact.name, &fact.value, &fact.note].map(|it| escaped(it));
        let note = if note.is_empty() { note } else { format!(" ({note})") };
        format!("- {name}: **{value}**{note}")
    });
    let facts: Vec<_> = facts.collect();
    parts.extend((!facts.is_empty()).then(|| facts.join("\n")));
    for section in &findings.sections {
        parts.push(format!("## {}", text(&section.heading)));
        parts.extend(section.blocks.iter().map(block));
    }
    if !findings.method.is_empty() {
        parts.push(METHOD_HEADING.to_owned());
        parts.extend(findings.method.iter().map(block));
    }
    parts.join("\n\n") + "\n"
}

fn block(block: &FindingBlock) -> String {
    match block {
        FindingBlock::Text(words) => text(words),
        FindingBlock::List(items) => {
            items.iter().map(|item| format!("- {}", text(item))).collect::<Vec<_>>().join("\n")
        }
        FindingBlock::Figure(figure) => {
            let name = &figure.name;
            format!("![{}]({name}.svg)", text(&figure.caption))
        }
        FindingBlock::Cards(cards) => cards.iter().map(card).collect::<Vec<_>>().join("\n"),
        FindingBlock::Table(shown) => table(shown),
    }
}

fn card(card: &FindingCard) -> String {
    let verdict = card.verdict.as_ref().map(|verdict| format!(" ({})", escaped(&verdict.word)));
    let title = escaped(&card.title);
    format!("- {title}{}: {}", verdict.unwrap_or_default(), text(&card.note))
}

fn table(table: &FindingTable) -> String {
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let heads = table.columns.iter();
    let rule = heads.clone().map(|head| if head.is_number { "---:" } else { "---" }.to_owned());
    let heads = heads.map(|head| escaped(&head.name));
    let mut lines = Vec::new();
    if !table.caption.is_empty() {
        lines.extend([text(&table.caption), String::new()]);
    }
    lines.extend([row(heads.collect()), row(rule.collect())]);
    lines.extend(table.rows.iter().map(|cells| row(cells.iter().map(cell).collect())));
    lines.join("\n")
}

fn text(text: &RichText) -> String {
    text.spans().iter().map(span).collect()
}

/// Returns a text in a table. A bar ends a cell, even in code.
fn cell(text: &RichText) -> String {
    let spans = text.spans().iter().map(|part| match part {
        TextSpan::Code(_) => span(part).replace('|', "\\|"),
        TextSpan::Plain(_) | TextSpan::Soft(_) | TextSpan::Strong(_) => span(part),
    });
    spans.collect()
}

fn span(span: &TextSpan) -> String {
    match span {
        span if span.words().is_empty() => String::new(),
        TextSpan::Plain(words) | TextSpan::Soft(words) => escaped(words),
        TextSpan::Strong(words) => format!("**{}**", escaped(words)),
        // A backtick cannot be escaped in code.
        TextSpan::Code(words) => format!("`{}`", one_line(words).replace('`', "'")),
    }
}

/// Escapes characters that Markdown would take for markup.
fn escaped(words: &str) -> String {
    let mut escaped = String::new();
    for c in one_line(words).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '|' | '#') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

fn one_line(words: &str) -> String {
    words.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use hatchery_figures::Sparkline;

    use super::super::{FindingFigure, FindingSection, KeyFact, TableHead};
    use super::*;

    #[test]
    fn findings_are_a_document() {
        let line = Sparkline { title: "rates".to_owned(), values: Vec::new() };
        let picture = line.picture();
        let findings = Findings {
            title: "Balance of 2 maps".into(),
            summary: RichText::new("Both are ").strong("unfair").soft(" (5.5 to 7.7)").plain("."),
            key_facts: vec![KeyFact {
                name: "Verdicts".to_owned(),
                value: "0 fair".to_owned(),
                note: "each wrong with at most 5 %".to_owned(),
            }],
            sections: vec![FindingSection {
                heading: "Maps".into(),
                blocks: vec![
                    FindingBlock::Text(RichText::new("See ").code("maps.csv")),
                    FindingBlock::Figure(FindingFigure {
                        name: "rates".to_owned(),
                        picture,
                        caption: "Win rates.".into(),
                    }),
                    FindingBlock::Table(FindingTable {
                        caption: RichText::default(),
                        columns: vec![TableHead::text("map"), TableHead::number("sigma")],
                        rows: vec![vec!["a|<b>\n*".into(), RichText::default().code("a|b")]],
                    }),
                ],
            }],
            method: vec![FindingBlock::text("2,000 games each.")],
        };
        let expected = "# Balance of 2 maps\n\n\
                        Both are **unfair** (5.5 to 7.7).\n\n\
                        - Verdicts: **0 fair** (each wrong with at most 5 %)\n\n\
                        ## Maps\n\n\
                        See `maps.csv`\n\n\
                        ![Win rates.](rates.svg)\n\n\
                        | map | sigma |\n| --- | ---: |\n| a\\|\\<b\\> \\* | `a\\|b` |\n\n\
                        ## What was done\n\n\
                        2,000 games each.\n";
        assert_eq!(findings.to_markdown(), expected);
    }
}
