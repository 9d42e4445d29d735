//! `hatchery explain`

use clap::Args;
use hatchery_proto::v1::ExplainRunRequest;

use super::farm_args::RunArgs;
use super::runtime::in_runtime;
use crate::error::CommandError;
use crate::report::farm::{ExplainReason, ExplainedDocument};

/// Explain why a run is not progressing and what would help
#[derive(Debug, Args)]
pub(crate) struct ExplainCommand {
    #[command(flatten)]
    args: RunArgs,
}

impl ExplainCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let mut farm = self.args.verb.farm.farm()?;
            // A complete id is not looked up, so that this works without the store.
            let run = farm.resolve_id(&self.args.run).await?;
            let request = ExplainRunRequest { run };
            let explanation =
                farm.call(async |mut client| client.explain_run(request.clone()).await);
            self.args.verb.print(ExplainedDocument::from(explanation.await?), text)
        })
    }
}

fn text(explained: &ExplainedDocument) -> String {
    let mut lines = Vec::new();
    if let Some(run) = &explained.status {
        let (state, user, class) = (run.state_word(), &run.user, run.priority.word());
        lines.push(format!("{} {}: {state}, user {user}, priority {class}", run.run, run.name));
    }
    for ExplainReason { text, help, .. } in &explained.reasons {
        lines.push(format!("- {text}"));
        lines.extend(help.iter().map(|help| format!("  help: {help}")));
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use hatchery_proto::v1::{self, ReasonKind, RunExplanation, RunStatus, State};

    use super::*;

    #[test]
    fn each_reason_has_its_help() {
        let status = RunStatus {
            run: "01M7YH3Q6F4BFRQE644ZH5B8FZ".to_owned(),
            name: "night".to_owned(),
            user: "ada".to_owned(),
            state: State::Paused.into(),
            ..RunStatus::default()
        };
        let reason = |kind: ReasonKind, text: &str, help: &str| v1::Reason {
            kind: kind.into(),
            text: text.to_owned(),
            help: help.to_owned(),
        };
        let reasons = vec![
            reason(ReasonKind::DeadJobs, "a job\u{1b}[2J keeps failing", ""),
            reason(ReasonKind::Paused, "it is paused", "hatchery resume"),
        ];
        let status = Some(status);
        let explanation = RunExplanation { status, waiting: 0, reasons };
        let expected = "01M7YH3Q6F4BFRQE644ZH5B8FZ night: paused, user ada, priority normal\n\
                        - a job\\u{1b}[2J keeps failing\n- it is paused\n  \
                        help: hatchery resume\n";
        assert_eq!(text(&explanation.into()), expected);
    }
}
