//! `hatchery workers`, `hatchery drain`, `hatchery quarantine`

use clap::Args;
use comfy_table::{Table, presets::NOTHING};
use hatchery_proto::v1::{DrainWorkerRequest, ListWorkersRequest, QuarantineWorkerRequest};

use super::farm_args::FarmVerbArgs;
use super::runtime::in_runtime;
use crate::client::FarmClient;
use crate::error::{CommandError, SelectionError};
use crate::report::farm::{DrainedDocument, QuarantinedDocument, WorkerEntry, WorkersDocument};

/// The shortest beginning of an id that names a worker.
const MIN_PART: usize = 4;

/// The number of digits of an id that tell workers apart in a list.
const SHORT_ID_DIGITS: usize = 8;

/// The number of digits of a complete id.
const ID_DIGITS: usize = 32;

/// The number of workers that an error lists.
const MAX_LISTED: usize = 5;

/// List the workers of a farm, and the quarantined ones
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
            let chosen = choose(list(&mut farm).await?.workers, &self.worker)?;
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
                None => choose(list(&mut farm).await?.workers, &self.worker)?.worker,
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

/// Returns the one of `workers` that `selector` names.
fn choose(mut workers: Vec<WorkerEntry>, selector: &str) -> Result<WorkerEntry, SelectionError> {
    let part = selector.to_lowercase();
    let is_named = |worker: &WorkerEntry| worker.name == selector;
    let is_id = |worker: &WorkerEntry| MIN_PART <= part.len() && worker.worker.starts_with(&part);
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

fn text(listed: &WorkersDocument) -> String {
    let out = listed.shut_out.iter();
    let out = out.map(|out| format!("quarantined: {} {}\n", out.worker, out.reason));
    table(&listed.workers) + &out.collect::<String>()
}

/// Formats workers for people.
pub(super) fn table(workers: &[WorkerEntry]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(["WORKER", "NAME", "SLOTS", "JOBS", "STATE", "COORDINATOR", "EXPERIMENTS"]);
    for worker in workers {
        let id: String = worker.worker.chars().take(SHORT_ID_DIGITS).collect();
        table.add_row([
            id,
            worker.name.clone(),
            worker.slots.to_string(),
            worker.jobs.to_string(),
            state(worker),
            worker.coordinator.clone(),
            worker.experiments.join(","),
        ]);
    }
    table.trim_fmt() + "\n"
}

/// Returns a worker's state, with the rest of its pause.
fn state(worker: &WorkerEntry) -> String {
    match worker.paused_ms {
        0 => worker.state.word().to_owned(),
        paused_ms => format!("{} {} s", worker.state.word(), paused_ms.div_ceil(1000)),
    }
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
            paused_ms: 0,
        }
    }

    #[test]
    fn a_worker_is_named_by_its_name_or_the_beginning_of_its_id() {
        let workers = || {
            [("abcd1", "ada"), ("abcd2", "bob"), ("ef", "bob")].map(|(id, name)| worker(id, name))
        };
        let chosen = |selector: &str| choose(workers().map(WorkerEntry::from).to_vec(), selector);
        assert_eq!(chosen("ada").unwrap().name, "ada");
        assert_eq!(chosen("ABCD2").unwrap().name, "bob");
        for (selector, part) in [
            ("bob", "2 workers match"),
            ("abcd", "2 workers match"),
            ("abc", "no worker \"abc\""),
            ("eve", "give a name, or the beginning of an id\n  abcd1"),
        ] {
            let refused = chosen(selector).unwrap_err().to_string();
            assert!(refused.contains(part), "{refused}");
        }
        assert_eq!(complete_id(&"A".repeat(32)), Some("a".repeat(32)));
        assert_eq!(complete_id("ada"), None);
    }

    #[test]
    fn a_worker_is_a_row_and_a_quarantined_one_a_line() {
        let out = ShutOutWorker { worker: "ff".to_owned(), reason: "it lies".to_owned() };
        let (workers, shut_out) = (vec![worker("abcd1", "ada")], vec![out]);
        let text = text(&ListWorkersResponse { workers, shut_out }.into());
        let mut lines = text.lines().skip(1);
        let words: Vec<_> = lines.next().unwrap().split_whitespace().collect();
        let expected = ["abcd1000", "ada", "4", "7", "busy", "http://127.0.0.1:7700", "pig@2"];
        assert_eq!(words, expected);
        assert_eq!(lines.next(), Some("quarantined: ff it lies"));
    }
}
