//! `hatchery workers`, `hatchery drain`, `hatchery quarantine`

use clap::Args;
use comfy_table::{Table, presets::NOTHING};
use hatchery_proto::v1::{DrainWorkerRequest, ListWorkersRequest, QuarantineWorkerRequest};

use super::farm_args::FarmVerb;
use super::runtime::in_runtime;
use crate::client::Farm;
use crate::failure::Failure;
use crate::report::farm::{Drained, Quarantined, Worker, Workers};

/// The shortest beginning of an id that means a worker.
const MIN_PART: usize = 4;

/// How many digits of an id tell workers apart in a list.
const SHOWN_DIGITS: usize = 8;

/// The digits of a whole id.
const ID_DIGITS: usize = 32;

/// How many workers an error names.
const NAMED_WORKERS: usize = 5;

/// List the workers of a farm, and those that are shut out
#[derive(Debug, Args)]
pub(crate) struct ListWorkers {
    #[command(flatten)]
    verb: FarmVerb,
}

/// Let a worker finish what it is at, and end
#[derive(Debug, Args)]
pub(crate) struct Drain {
    /// The worker: its name, or the beginning of its id
    worker: String,
    #[command(flatten)]
    verb: FarmVerb,
}

/// Shut a worker out for good: what it brought for runs that go on is computed again
#[derive(Debug, Args)]
pub(crate) struct Quarantine {
    /// The worker: its name, or the beginning of its id; one that is gone by its whole id
    worker: String,
    /// Why, for whoever finds it shut out
    #[arg(long)]
    reason: String,
    #[command(flatten)]
    verb: FarmVerb,
}

impl ListWorkers {
    pub(super) fn run(&self) -> Result<(), Failure> {
        in_runtime(async {
            let mut farm = self.verb.farm.farm()?;
            self.verb.print(list(&mut farm).await?, text)
        })
    }
}

impl Drain {
    pub(super) fn run(&self) -> Result<(), Failure> {
        in_runtime(async {
            let mut farm = self.verb.farm.farm()?;
            let chosen = choose(list(&mut farm).await?.workers, &self.worker)?;
            let Worker { worker, name, coordinator, .. } = chosen;
            farm.begin_at(&coordinator);
            let request = DrainWorkerRequest { worker: worker.clone() };
            farm.call(async |mut client| client.drain_worker(request.clone()).await).await?;
            let drained = Drained { worker, name };
            self.verb.print(drained, |drained| format!("{} finishes and ends\n", drained.name))
        })
    }
}

impl Quarantine {
    pub(super) fn run(&self) -> Result<(), Failure> {
        in_runtime(async {
            let mut farm = self.verb.farm.farm()?;
            let worker = match whole_id(&self.worker) {
                Some(id) => id,
                None => choose(list(&mut farm).await?.workers, &self.worker)?.worker,
            };
            let reason = self.reason.clone();
            let request = QuarantineWorkerRequest { worker: worker.clone(), reason };
            farm.call(async |mut client| client.quarantine_worker(request.clone()).await).await?;
            let quarantined = Quarantined { worker, reason: self.reason.clone() };
            self.verb.print(quarantined, |out| format!("{} is shut out\n", out.worker))
        })
    }
}

/// The workers of a farm.
pub(super) async fn list(farm: &mut Farm) -> Result<Workers, Failure> {
    let request = ListWorkersRequest {};
    let listed = farm.call(async |mut client| client.list_workers(request).await).await?;
    Ok(listed.into())
}

fn whole_id(text: &str) -> Option<String> {
    let whole = text.len() == ID_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    whole.then(|| text.to_lowercase())
}

/// The one of `workers` that `selector` means.
fn choose(mut workers: Vec<Worker>, selector: &str) -> Result<Worker, Failure> {
    let part = selector.to_lowercase();
    let is_named = |worker: &Worker| worker.name == selector;
    let is_id = |worker: &Worker| MIN_PART <= part.len() && worker.worker.starts_with(&part);
    let places = |is_meant: &dyn Fn(&Worker) -> bool| -> Vec<usize> {
        (0..workers.len()).filter(|&idx| is_meant(&workers[idx])).collect()
    };
    let mut found = places(&is_named);
    if found.is_empty() {
        found = places(&is_id);
    }
    let named = |of: &[usize]| -> String {
        let line = |&idx: &usize| format!("\n  {} {}", workers[idx].worker, workers[idx].name);
        of.iter().take(NAMED_WORKERS).map(line).collect()
    };
    match found.as_slice() {
        &[only] => Ok(workers.swap_remove(only)),
        [] => Err(Failure::Refused(format!(
            "the farm has no worker {selector:?}: give a name, or the beginning of an id{}",
            named(&(0..workers.len()).collect::<Vec<_>>())
        ))),
        several => Err(Failure::Refused(format!(
            "{} workers are meant by {selector:?}: give the beginning of an id{}",
            several.len(),
            named(several)
        ))),
    }
}

fn text(listed: &Workers) -> String {
    let out = listed.shut_out.iter();
    let out = out.map(|out| format!("shut out: {} {}\n", out.worker, out.reason));
    table(&listed.workers) + &out.collect::<String>()
}

/// Workers for people.
pub(super) fn table(workers: &[Worker]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(["WORKER", "NAME", "SLOTS", "JOBS", "STATE", "EXPERIMENTS", "COORDINATOR"]);
    for worker in workers {
        let id: String = worker.worker.chars().take(SHOWN_DIGITS).collect();
        table.add_row([
            id,
            worker.name.clone(),
            worker.slots.to_string(),
            worker.jobs.to_string(),
            worker.state.word().to_owned(),
            worker.experiments.join(","),
            worker.coordinator.clone(),
        ]);
    }
    table.trim_fmt() + "\n"
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
        }
    }

    #[test]
    fn a_worker_is_meant_by_its_name_or_the_beginning_of_its_id() {
        let workers = || {
            [("abcd1", "ada"), ("abcd2", "bob"), ("ef", "bob")].map(|(id, name)| worker(id, name))
        };
        let chosen = |selector: &str| choose(workers().map(Worker::from).to_vec(), selector);
        assert_eq!(chosen("ada").unwrap().name, "ada");
        assert_eq!(chosen("ABCD2").unwrap().name, "bob");
        for (selector, part) in [
            ("bob", "2 workers are meant"),
            ("abcd", "2 workers are meant"),
            ("abc", "no worker \"abc\""),
            ("eve", "give a name, or the beginning of an id\n  abcd1"),
        ] {
            let refused = chosen(selector).unwrap_err().to_string();
            assert!(refused.contains(part), "{refused}");
        }
        assert_eq!(whole_id(&"A".repeat(32)), Some("a".repeat(32)));
        assert_eq!(whole_id("ada"), None);
    }

    #[test]
    fn a_worker_is_a_row_and_one_that_is_out_a_line() {
        let out = ShutOutWorker { worker: "ff".to_owned(), reason: "it lies".to_owned() };
        let (workers, shut_out) = (vec![worker("abcd1", "ada")], vec![out]);
        let text = text(&ListWorkersResponse { workers, shut_out }.into());
        let mut lines = text.lines().skip(1);
        let words: Vec<_> = lines.next().unwrap().split_whitespace().collect();
        let expected = ["abcd1000", "ada", "4", "7", "busy", "pig@2", "http://127.0.0.1:7700"];
        assert_eq!(words, expected);
        assert_eq!(lines.next(), Some("shut out: ff it lies"));
    }
}
