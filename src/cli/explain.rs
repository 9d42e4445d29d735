//! `hatchery explain`

use clap::Args;
use hatchery_proto::v1::ExplainRunRequest;

use super::farm_args::RunArgs;
use super::runtime::in_runtime;
use crate::failure::Failure;
use crate::report::farm::{Explained, Reason};

/// Say why a run of a farm is not further on, and what would help
#[derive(Debug, Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    args: RunArgs,
}

impl Explain {
    pub(super) fn run(&self) -> Result<(), Failure> {
        in_runtime(async {
            let mut farm = self.args.verb.farm.farm()?;
            // A whole id needs no store to be found.
            let run = farm.name(&self.args.run).await?;
            let request = ExplainRunRequest { run };
            let said = farm.call(async |mut client| client.explain_run(request.clone()).await);
            self.args.verb.print(Explained::from(said.await?), text)
        })
    }
}

fn text(explained: &Explained) -> String {
    let mut lines = Vec::new();
    if let Some(run) = &explained.status {
        let (state, user, class) = (run.state.word(), &run.user, run.priority.word());
        lines.push(format!("{} {}: {state}, of {user}, priority {class}", run.run, run.name));
    }
    for Reason { text, help, .. } in &explained.reasons {
        lines.push(format!("- {text}"));
        lines.extend(help.iter().map(|help| format!("  what helps: {help}")));
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use hatchery_proto::v1::{self, ReasonKind, RunExplanation, RunStatus, State};

    use super::*;

    #[test]
    fn each_reason_says_what_helps() {
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
        let expected = "01M7YH3Q6F4BFRQE644ZH5B8FZ night: paused, of ada, priority normal\n\
                        - a job\\u{1b}[2J keeps failing\n- it is paused\n  \
                        what helps: hatchery resume\n";
        assert_eq!(text(&explanation.into()), expected);
    }
}
