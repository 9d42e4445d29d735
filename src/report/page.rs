//! The report of a run as a page: one file that opens from disk, is printed, or sent to someone.
//!
//! Its bytes depend on the run and on this build only.

mod chronicle;
mod comparison;
mod exhibits;
mod findings;
mod measures;
mod repeat;
mod sweep;
mod terms;
mod trials;
mod work;

use hatchery_core::findings::KeyFact;
use hatchery_core::text::{counted, grouped, time_span};
use hatchery_core::{Exhibit, Findings, GenerationMeasures};
use maud::{Markup, html};

use super::result::{ResultDocument, ResultStatus};
use super::stored::StoredRun;
use crate::format::{capitalized, date, measured_with_interval};
use crate::html::{Shown, document, rich, with_contents};
use chronicle::RunChronicle;
pub(crate) use comparison::comparison_page;
pub(crate) use measures::course;
pub(crate) use sweep::sweep_page;

/// The most bytes of a page with a replay, and of the replay: a page stays small enough to send by
/// mail. A game of Catan takes some 300 kB.
const MAX_PAGE_BYTES: usize = 1_300_000;
const MAX_REPLAY_BYTES: usize = 1_000_000;

/// A replay of a trial that a page shows.
pub(crate) trait ReportReplay {
    /// Returns the section with the replay, which depends on the run only; `None` if there is none
    /// of at most `max_bytes`.
    fn section(&self, run: &StoredRun, max_bytes: usize) -> Option<Markup>;
}

/// No replay, because the run is in progress and its page is written again and again.
pub(crate) struct NoReplay;

impl ReportReplay for NoReplay {
    fn section(&self, _: &StoredRun, _: usize) -> Option<Markup> {
        None
    }
}

/// A run, with all that its report shows.
pub(super) struct RunPage<'a> {
    run: &'a StoredRun,
    result: &'a ResultDocument,
    exhibits: &'a [Exhibit],
    history: &'a [GenerationMeasures],
    findings: Option<Findings>,
    chronicle: RunChronicle,
}

impl<'a> RunPage<'a> {
    /// Creates the page of `run` with its events, which are JSON.
    pub(super) fn new(
        run: &'a StoredRun,
        result: &'a ResultDocument,
        exhibits: &'a [Exhibit],
        history: &'a [GenerationMeasures],
        findings: Option<Findings>,
        events: &[impl AsRef<[u8]>],
    ) -> Self {
        let chronicle = RunChronicle::read(events);
        Self { run, result, exhibits, history, findings, chronicle }
    }

    /// Returns the findings of the run, if its experiment has any.
    pub(super) fn findings(&self) -> Option<&Findings> {
        self.findings.as_ref()
    }

    /// Returns the page, with the replay if the page stays small.
    pub(super) fn html(&self, replay: &dyn ReportReplay) -> String {
        let title = format!("{} · report", self.run.record.name);
        let page = document(&title, &self.main(&html! {}));
        let max_bytes = MAX_PAGE_BYTES.saturating_sub(page.len()).min(MAX_REPLAY_BYTES);
        match replay.section(self.run, max_bytes) {
            Some(section) => document(&title, &self.main(&section)),
            None => page,
        }
    }

    fn main(&self, replay: &Markup) -> Markup {
        let (links, body) = with_contents(&self.body(replay));
        html! {
            (self.byline())
            @match &self.findings {
                Some(findings) => {
                    h1 { (rich(&findings.title)) }
                    (self.notice())
                    @if !findings.summary.is_empty() { p.lead { (rich(&findings.summary)) } }
                    (self.facts(&findings.key_facts))
                }
                None => {
                    h1 { (Shown(&self.run.record.name)) }
                    (self.notice())
                    p.lead { (Shown(&capitalized(self.run.summary()))) "." }
                    (self.facts(&self.first_measures()))
                }
            }
            (links)
            (body)
            (self.footer())
        }
    }

    /// Returns the sections below the numbers to read first.
    fn body(&self, replay: &Markup) -> Markup {
        let mut counts = findings::BlockCounts::default();
        html! {
            @match &self.findings {
                Some(findings) => {
                    (terms::section(findings))
                    (findings::sections(findings, &mut counts))
                }
                None => { (measures::curves(self.history)) }
            }
            (trials::section(self.exhibits))
            (replay)
            (measures::table(&self.result.measures, self.history))
            (exhibits::section(self.exhibits, self.findings.is_some()))
            @if let Some(findings) = &self.findings { (findings::method(findings, &mut counts)) }
            (repeat::section(self.run, self.result))
            (work::generations(&self.run.generations))
            (work::origin(self.run, self.result, &self.chronicle))
        }
    }

    fn byline(&self) -> Markup {
        let record = &self.run.record;
        html! {
            p.by {
                "hatchery " (env!("CARGO_PKG_VERSION")) " · "
                a href="#again" { (Shown(&record.experiment)) " version " (record.version) }
                " · seed " (record.seed) " · begun "
                (date(record.created_at(self.run.id)))
                button type="button" hidden data-theme-toggle { "light or dark" }
            }
        }
    }

    /// Returns the warnings about a run that has not ended well.
    fn notice(&self) -> Markup {
        let ResultDocument { generations, planned_generations, error, .. } = self.result;
        let so_far = format!(
            "{} of {} generations are computed",
            grouped(*generations),
            grouped(*planned_generations)
        );
        html! {
            @match self.result.status {
                ResultStatus::Done => {}
                ResultStatus::Unfinished => {
                    p.notice { b { "Unfinished." } " " (so_far) ". All that follows is so far." }
                }
                ResultStatus::Failed => {
                    p.notice.failed {
                        b { "Failed." } " " (so_far) ". "
                        (Shown(error.as_deref().unwrap_or("The reason is not known.")))
                    }
                }
                ResultStatus::Cancelled => {
                    p.notice { b { "Cancelled." } " " (so_far) "." }
                }
            }
        }
    }

    /// Returns the numbers to read first: `facts`, and the numbers that every run has.
    fn facts(&self, facts: &[KeyFact]) -> Markup {
        let result = self.result;
        let missing = match result.missing_trials {
            0 => "none missing".to_owned(),
            n => format!("{} missing", grouped(n)),
        };
        let digest_note = match result.status {
            ResultStatus::Done => "the same on any machine",
            ResultStatus::Unfinished | ResultStatus::Failed | ResultStatus::Cancelled => "so far",
        };
        let of_run = [
            ("Trials", grouped(result.trials), missing),
            (
                "Took",
                time_span(result.elapsed_s),
                format!("{} of CPU time", time_span(result.cpu_s)),
            ),
            ("Digest", result.short_digest().to_owned(), digest_note.to_owned()),
        ];
        html! {
            dl.facts {
                @for KeyFact { name, value, note } in facts {
                    div { dt { (Shown(name)) } dd { (Shown(value)) } dd.note { (Shown(note)) } }
                }
                @for (name, value, note) in of_run {
                    div { dt { (name) } dd { (value) } dd.note { (note) } }
                }
            }
        }
    }

    /// Returns the first measures as key facts, for a run without findings.
    fn first_measures(&self) -> Vec<KeyFact> {
        let first = self.result.measures.iter().take(2);
        first
            .map(|measure| {
                let (value, interval) = measured_with_interval(measure.value);
                KeyFact {
                    name: capitalized(&measure.name.replace('_', " ")),
                    value: format!("{value} {}", measure.unit),
                    note: interval.unwrap_or_default(),
                }
            })
            .collect()
    }

    fn footer(&self) -> Markup {
        let n = self.result.exhibits.len();
        html! {
            footer.small.soft {
                p {
                    "This page is one file and asks no network for anything. Beside it are "
                    code { "generations.csv" } ", " code { "result.json" } ", "
                    code { "events.jsonl" } " and " (counted(n, "exhibit")) ". Run "
                    code { (self.result.run) } "."
                }
            }
        }
    }
}
