//! `hatchery workers`, `hatchery drain`, `hatchery quarantine`

pub(super) mod table;

use clap::Args;
use hatchery_proto::v1::{DrainWorkerRequest, ListWorkersRequest, QuarantineWorkerRequest};

use super::farm_args::FarmVerbArgs;
use super::runtime::in_runtime;
use crate::client::FarmClient;
use crate::error::{CommandError, SelectionError};
use crate::report::farm::{DrainedDocument, QuarantinedDocument, WorkerEntry, WorkersDocument};
use crate::terminal::stdout_columns;

/// The shortest beginning of an id that names a worker.
const MIN_PART: usize = 4;

/// The number of digits of a complete id.
const ID_DIGITS: usize = 32;

/// The number of workers that an error lists.
const MAX_LISTED: usize = 5;

/// List the workers and coordinators of a farm, also processes lost in the last hour
#[derive(Debug, Args)]
pub(crate) struct WorkersCommand {
    #[command(flatten)]
    verb: FarmVerbArgs,
}

/// Drain a worker: let it finish its running jobs and exit
#[derive(Debug, Args)]
pub(crate) struct DrainCommand {
    /// Worker: its name, or the beginning of its id
    worker: String,
    #[command(flatten)]
    verb: FarmVerbArgs,
}

/// Ban a worker and recompute its results in active runs
#[derive(Debug, Args)]
pub(crate) struct QuarantineCommand {
    /// Worker: its name, or the beginning of its id; the complete id if it is gone
    worker: String,
    /// Reason, for people
    #[arg(long)]
    reason: String,
    #[command(flatten)]
    verb: FarmVerbArgs,
}

impl WorkersCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let mut farm = self.verb.farm.farm()?;
            self.verb.print(list(&mut farm).await?, text)
        })
    }
}

impl DrainCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let mut farm = self.verb.farm.farm()?;
            let chosen = choose(list(&mut farm).await?, &self.worker)?;
            let WorkerEntry { worker, name, coordinator, .. } = chosen;
            farm.prefer(&coordinator);
            let request = DrainWorkerRequest { worker: worker.clone() };
            farm.call(async |mut client| client.drain_worker(request.clone()).await).await?;
            let drained = DrainedDocument { worker, name };
            self.verb.print(drained, |drained| {
                format!("{} finishes its running jobs and exits\n", drained.name)
            })
        })
    }
}

impl QuarantineCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let mut farm = self.verb.farm.farm()?;
            let worker = match complete_id(&self.worker) {
                Some(id) => id,
                None => choose(list(&mut farm).await?, &self.worker)?.worker,
            };
            let reason = self.reason.clone();
            let request = QuarantineWorkerRequest { worker: worker.clone(), reason };
            farm.call(async |mut client| client.quarantine_worker(request.clone()).await).await?;
            let quarantined = QuarantinedDocument { worker, reason: self.reason.clone() };
            self.verb.print(quarantined, |out| format!("quarantined {}\n", out.worker))
        })
    }
}

/// Asks a farm for its workers.
pub(super) async fn list(farm: &mut FarmClient) -> Result<WorkersDocument, CommandError> {
    let request = ListWorkersRequest {};
    let listed = farm.call(async |mut client| client.list_workers(request).await).await?;
    Ok(listed.into())
}

fn complete_id(text: &str) -> Option<String> {
    let whole = text.len() == ID_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    whole.then(|| text.to_lowercase())
}

/// Returns the worker of a farm that `selector` names.
fn choose(farm: WorkersDocument, selector: &str) -> Result<WorkerEntry, SelectionError> {
    let WorkersDocument { mut workers, lost_workers, .. } = farm;
    let part = selector.to_lowercase();
    let is_named = |worker: &WorkerEntry| worker.name == selector;
    let is_id = |worker: &WorkerEntry| MIN_PART <= part.len() && worker.worker.starts_with(&part);
    let is_lost = lost_workers.iter().find(|worker| is_named(worker) || is_id(worker));
    let positions = |matches: &dyn Fn(&WorkerEntry) -> bool| -> Vec<usize> {
        (0..workers.len()).filter(|&idx| matches(&workers[idx])).collect()
    };
    let mut found = positions(&is_named);
    if found.is_empty() {
        found = positions(&is_id);
    }
    let lines = |of: &[usize]| -> Vec<String> {
        let line = |&idx: &usize| format!("{} {}", workers[idx].worker, workers[idx].name);
        of.iter().take(MAX_LISTED).map(line).collect()
    };
    let selector = selector.to_owned();
    match found.as_slice() {
        &[only] => Ok(workers.swap_remove(only)),
        [] if let Some(worker) = is_lost => Err(SelectionError::LostWorker {
            worker: format!("{} {}", worker.worker, worker.name),
            lost: table::lost(worker.lost_ms.unwrap_or_default()),
        }),
        [] => {
            let known = lines(&(0..workers.len()).collect::<Vec<_>>());
            Err(SelectionError::UnknownWorker { selector, known })
        }
        several => Err(SelectionError::AmbiguousWorker {
            selector,
            n_matches: several.len(),
            matches: lines(several),
        }),
    }
}

fn text(farm: &WorkersDocument) -> String {
    let out = farm.shut_out.iter();
    let out = out.map(|out| format!("quarantined: {} {}\n", out.worker, out.reason));
    let mut text = table::workers(farm, usize::MAX, stdout_columns());
    let coordinators = table::coordinators(farm);
    if !coordinators.is_empty() {
        text += "\n";
        text += &coordinators;
    }
    text + &out.collect::<String>()
}

#[cfg(test)]
mod tests {
    use hatchery_proto::v1::{ListWorkersResponse, ShutOutWorker, WorkerState, WorkerStatus};

    use super::*;

    fn worker(id: &str, name: &str) -> WorkerStatus {
        WorkerStatus {
            worker: format!("{id:0<32}"),
            name: name.to_owned(),
            slots: 4,
            jobs: 7,
            state: WorkerState::Busy.into(),
            experiments: vec!["pig@2".to_owned()],
            coordinator: "http://127.0.0.1:7700".to_owned(),
            ..WorkerStatus::default()
        }
    }

    #[test]
    fn a_worker_is_named_by_its_name_or_the_beginning_of_its_id() {
        let workers = || {
            [("abcd1", "ada"), ("abcd2", "bob"), ("ef", "bob")].map(|(id, name)| worker(id, name))
        };
        let lost_workers = vec![WorkerStatus { lost_ms: 40_000, ..worker("dead1", "gus") }];
        let chosen = |selector: &str| {
            let (workers, lost_workers) = (workers().to_vec(), lost_workers.clone());
            let listed = ListWorkersResponse { workers, lost_workers, ..Default::default() };
            choose(listed.into(), selector)
        };
        assert_eq!(chosen("ada").unwrap().name, "ada");
        assert_eq!(chosen("ABCD2").unwrap().name, "bob");
        for (selector, part) in [
            ("bob", "2 workers match"),
            ("abcd", "2 workers match"),
            ("abc", "no worker \"abc\""),
            ("eve", "give a name, or the beginning of an id\n  abcd1"),
            ("gus", "gus is gone: it was lost 40s ago"),
            ("dead1", "gus is gone"),
        ] {
            let refused = chosen(selector).unwrap_err().to_string();
            assert!(refused.contains(part), "{refused}");
        }
        assert_eq!(complete_id(&"A".repeat(32)), Some("a".repeat(32)));
        assert_eq!(complete_id("ada"), None);
    }

    #[test]
    fn a_quarantined_worker_is_a_line() {
        let shut_out =
            vec![ShutOutWorker { worker: "ff".to_owned(), reason: "it lies".to_owned() }];
        let workers = vec![worker("abcd1", "ada")];
        let listed = ListWorkersResponse { workers, shut_out, ..ListWorkersResponse::default() };
        assert!(text(&listed.into()).ends_with("\nquarantined: ff it lies\n"));
    }
}
