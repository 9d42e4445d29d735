//! How to get the same result again.

use hatchery_core::text::counted;
use maud::{Markup, html};

use super::super::result::{ResultDocument, ResultStatus};
use super::super::stored::StoredRun;
use crate::html::Shown;
use crate::program;

/// The most lines of a spec that is shown at once; a longer one is folded.
const MAX_OPEN_LINES: usize = 40;

/// Returns the section with the spec and the digest.
pub(super) fn section(run: &StoredRun, result: &ResultDocument) -> Markup {
    let has_inputs = run.procedure.inputs().is_ok_and(|inputs| !inputs.is_empty());
    let steps = RepeatSteps { heading: "Spec", spec: &run.record.spec, has_inputs, result };
    html! {
        h2 id="again" { "The same again" }
        (steps.markup())
    }
}

/// Returns a spec with a button that copies it; the button needs scripts.
fn copied(id: &str, heading: &str, spec: &str) -> Markup {
    html! {
        pre tabindex="0" role="region" aria-label=(heading) { code id=(id) { (Shown(spec)) } }
        p { button type="button" hidden data-copy=(id) { "copy the spec" } }
    }
}

/// The steps that give the same result again.
pub(super) struct RepeatSteps<'a> {
    /// The name of the spec, which identifies the section for people who hear the page.
    pub(super) heading: &'a str,
    pub(super) spec: &'a str,
    /// Whether the spec names inputs.
    pub(super) has_inputs: bool,
    pub(super) result: &'a ResultDocument,
}

impl RepeatSteps<'_> {
    /// Returns the steps with the spec and the digest.
    pub(super) fn markup(&self) -> Markup {
        let Self { heading, spec, has_inputs, result } = *self;
        html! {
            p {
                "Save this as " code { "spec.toml" } ". "
                @if result.status == ResultStatus::Done {
                    code { (program::name()) " run spec.toml" }
                    @if has_inputs { ", with the inputs that it names," }
                    " ends with the digest below, on one core or a thousand."
                } @else {
                    code { (program::name()) " run spec.toml" }
                    " begins it anew; the digest below is that so far."
                }
            }
            @let id = heading.replace(' ', "-");
            @if MAX_OPEN_LINES < spec.lines().count() {
                details {
                    summary { (heading) ", " (counted(spec.lines().count(), "line")) }
                    (copied(&id, heading, spec))
                }
            } @else { (copied(&id, heading, spec)) }
            p.mono.small { (result.digest) }
            @if result.status == ResultStatus::Done {
                p {
                    code { (program::name()) " verify " (result.run) }
                    " recomputes a sample of its jobs and compares."
                }
            }
        }
    }
}
