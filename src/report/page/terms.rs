//! Explains the terms of a page to readers who meet the terms for the first time.

use hatchery_core::Findings;
use hatchery_core::findings::{KeyFact, RichText};
use maud::{Markup, html};

/// A term with the words that show its use on a page, in lower case, and the term's meaning.
struct PageTerm {
    name: &'static str,
    used_as: &'static [&'static str],
    meaning: &'static str,
}

const TERMS: [PageTerm; 7] = [
    PageTerm {
        name: "48.0 (43.0 to 53.0)",
        used_as: &["interval"],
        meaning: "An estimate with its interval. The games of a run are a sample: with others, the \
                  number would be another one. Of 100 such intervals at 95 %, about 95 contain the \
                  number that endless games would give. Two numbers whose intervals overlap may be \
                  the same.",
    },
    PageTerm {
        name: "undecided, not shown",
        used_as: &["undecided", "not shown"],
        meaning: "The interval reaches over the line that a verdict is about. It does not mean \
                  that there is no difference: more games can decide it.",
    },
    PageTerm {
        name: "best of, selected from",
        used_as: &["best of", "selected from"],
        meaning: "Of many candidates, the best one was also lucky. Its number is biased in its \
                  favor, and so is its interval: judge it again by games of its own.",
    },
    PageTerm {
        name: "sigma",
        used_as: &["sigma"],
        meaning: "How far the four seats' true win rates lie apart: their standard deviation in \
                  percentage points. With 0 all seats win 25 %; with 2 a good seat wins about \
                  27 % and a bad one 23 %.",
    },
    PageTerm {
        name: "Elo",
        used_as: &[" elo"],
        meaning: "A scale of strength. With 0 points of difference, each side scores half of the \
                  points; with 100, the stronger one scores 64 %, with 200 76 %, with 400 91 %.",
    },
    PageTerm {
        name: "log-likelihood ratio",
        used_as: &["log-likelihood ratio"],
        meaning: "How much better one of two claims explains the games than the other. A \
                  sequential test ends when it reaches one of two bounds: near 3 and -3 if each \
                  claim is accepted wrongly in 5 % of matches.",
    },
    PageTerm {
        name: "p",
        used_as: &["p-value", "p = "],
        meaning: "How often chance alone shows a difference as large as this, if there is none. \
                  Below 0.05 is rare, but of 20 such numbers one is by chance.",
    },
];

/// Returns the terms that the findings use, folded; nothing if they use none.
pub(super) fn section(findings: &Findings) -> Markup {
    let text = text_of(findings).to_lowercase();
    let is_used = |term: &&PageTerm| term.used_as.iter().any(|&words| text.contains(words));
    let used: Vec<&PageTerm> = TERMS.iter().filter(is_used).collect();
    html! {
        @if !used.is_empty() {
            details {
                summary { "How to read this page" }
                dl.terms {
                    @for term in used { dt { (term.name) } dd { (term.meaning) } }
                }
            }
        }
    }
}

/// Returns all words of findings.
fn text_of(findings: &Findings) -> String {
    let fact =
        |KeyFact { name, value, note }: &KeyFact| RichText::new(format!("{name} {value} {note}\n"));
    let facts = findings.key_facts.iter().map(fact).map(|words| words.to_string());
    facts.collect::<String>() + &findings.to_markdown()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(summary: &str) -> String {
        let findings = Findings { summary: summary.into(), ..Findings::default() };
        section(&findings).into_string()
    }

    #[test]
    fn only_terms_that_a_page_uses_are_explained() {
        assert_eq!(page("All levels were cleared."), "");
        let html = page("Sigma is smallest below: 0.39 (0.00 to 0.41). Intervals are at 95 %.");
        assert_eq!(html.matches("<dt>").count(), 2, "{html}");
        assert!(html.contains("<dt>sigma</dt>") && !html.contains("Elo"), "{html}");
    }
}
