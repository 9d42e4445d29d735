//! The tables of workers and coordinators.

use std::collections::BTreeMap;

use comfy_table::{Table, presets::NOTHING};
use console::{measure_text_width, truncate_str};
use hatchery_core::text::time_span;

use crate::format::{as_f64, short, wrapped};
use crate::report::farm::{CoordinatorEntry, WorkerEntry, WorkersDocument};
use crate::terminal::fits;

/// The number of digits of an id that tell workers apart in a list.
const SHORT_ID_DIGITS: usize = 8;

/// The most experiments that are named, be they missing at a worker or present.
const MAX_NAMED: usize = 3;

/// The fewest columns of a worker's name on a narrow terminal.
const NARROW_NAME: usize = 8;

/// The details that distinguish workers besides their work: version, experiments and coordinator.
type WorkerDetails = [String; 3];

const DETAIL_TITLES: [&str; 3] = ["VERSION", "EXPERIMENTS", "COORDINATOR"];

/// Formats the first `most` workers of a farm as text of at most `columns`, lost workers last.
///
/// A detail that all workers share is below the table, and so is any other detail without room in
/// the table.
pub(in crate::cli) fn workers(farm: &WorkersDocument, most: usize, columns: usize) -> String {
    if farm.workers.is_empty() && farm.lost_workers.is_empty() {
        return "no worker is connected\n".to_owned();
    }
    let all = farm.workers.iter().chain(&farm.lost_workers);
    let shown: Vec<(&WorkerEntry, WorkerDetails)> =
        all.take(most).map(|worker| (worker, details(worker, farm))).collect();
    let shared = [0, 1, 2].map(|idx| {
        let (_, first) = shown.first()?;
        shown.iter().all(|(_, details)| details[idx] == first[idx]).then_some(first[idx].as_str())
    });
    let is_new = !farm.experiments.is_empty();
    let whole = table(&shown, &shared, is_new, usize::MAX);
    let mut text = if fits(&whole, columns) {
        whole
    } else {
        let narrow = |name: usize| table(&shown, &[Some(""); 3], is_new, name);
        let longest = shown.iter().map(|(worker, _)| measure_text_width(&worker.name)).max();
        let names = (NARROW_NAME..=longest.unwrap_or_default()).rev();
        let fitting = names.map(narrow).find(|table| fits(table, columns));
        let mut text = fitting.unwrap_or_else(|| narrow(NARROW_NAME));
        let mut by_details: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (worker, details) in &shown {
            let own = (0..3).filter(|&idx| shared[idx].is_none()).map(|idx| details[idx].as_str());
            by_details.entry(joined(own)).or_default().push(short_id(worker));
        }
        for (own, ids) in by_details.into_iter().filter(|(own, _)| !own.is_empty()) {
            let line = format!("{own}: {}", ids.join(", "));
            text.extend(wrapped(&line).into_iter().map(|line| format!(" {line}\n")));
        }
        text
    };
    let shared = joined(shared.into_iter().flatten());
    if !shared.is_empty() {
        let whose = if 1 < shown.len() { "all of them: " } else { "" };
        text.extend(wrapped(&format!("{whose}{shared}")).into_iter().map(|it| format!(" {it}\n")));
    }
    text
}

/// Formats the coordinators of a farm, where there is more to say than that there is one.
pub(in crate::cli) fn coordinators(farm: &WorkersDocument) -> String {
    if farm.coordinators.len() < 2 && farm.lost_coordinators.is_empty() {
        return String::new();
    }
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(["COORDINATOR", "VERSION", "WORKERS", "RUNS", "STATE"]);
    for entry in farm.coordinators.iter().chain(&farm.lost_coordinators) {
        let CoordinatorEntry { coordinator, version, workers, runs, lost_ms } = entry;
        let count = |n: &u32| if lost_ms.is_none() { n.to_string() } else { String::new() };
        table.add_row([
            coordinator.clone(),
            version.clone(),
            count(workers),
            count(runs),
            lost_ms.map_or_else(|| "answers".to_owned(), lost),
        ]);
    }
    table.trim_fmt() + "\n"
}

/// Formats the time since a loss, such as `lost 40s ago`.
pub(in crate::cli) fn lost(lost_ms: u64) -> String {
    format!("lost {}", ago(lost_ms))
}

/// Formats a time that has passed, in whole seconds: `40s ago`.
pub(in crate::cli) fn ago(passed_ms: u64) -> String {
    format!("{} ago", time_span(as_f64(passed_ms / 1000)))
}

fn joined<'a>(details: impl Iterator<Item = &'a str>) -> String {
    details.filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn short_id(worker: &WorkerEntry) -> String {
    worker.worker.chars().take(SHORT_ID_DIGITS).collect()
}

/// Formats workers with the details that are not shared, and names of at most `name_columns`.
/// `is_new` is true if the coordinator counts busy slots, as earlier releases do not.
fn table(
    shown: &[(&WorkerEntry, WorkerDetails)],
    shared: &[Option<&str>; 3],
    is_new: bool,
    name_columns: usize,
) -> String {
    let own = || (0..3).filter(|&idx| shared[idx].is_none());
    let mut table = Table::new();
    table.load_style(NOTHING);
    let titles = ["WORKER", "NAME", "STATE", "BUSY", "JOBS", "TRIALS/S", "HEARD", "HOST"];
    table.set_header(titles.into_iter().chain(own().map(|idx| DETAIL_TITLES[idx])));
    for (worker, details) in shown {
        let of_present = |text: String| if worker.lost_ms.is_none() { text } else { String::new() };
        let rate =
            if 0.0 < worker.trials_per_s { short(worker.trials_per_s) } else { String::new() };
        let heard = time_span(as_f64(worker.heard_ms / 1000));
        let row = [
            short_id(worker),
            truncate_str(&worker.name.replace('\n', " "), name_columns, "…").into_owned(),
            state(worker),
            if is_new && worker.lost_ms.is_none() {
                format!("{}/{}", worker.busy_slots, worker.slots)
            } else {
                worker.slots.to_string()
            },
            of_present(worker.jobs.to_string()),
            of_present(rate),
            of_present(if is_new { heard } else { String::new() }),
            worker.host.clone(),
        ];
        table.add_row(row.into_iter().chain(own().map(|idx| details[idx].clone())));
    }
    table.trim_fmt() + "\n"
}

/// Returns a worker's state, with the rest of its pause or the time since it was lost.
fn state(worker: &WorkerEntry) -> String {
    match (worker.lost_ms, worker.paused_ms) {
        (Some(lost_ms), _) => lost(lost_ms),
        (None, 0) => worker.state.word().to_owned(),
        (None, paused_ms) => {
            format!("{} {}", worker.state.word(), time_span(as_f64(paused_ms.div_ceil(1000))))
        }
    }
}

fn details(worker: &WorkerEntry, farm: &WorkersDocument) -> WorkerDetails {
    let version = match worker.version.as_str() {
        "" => String::new(),
        version => format!("version {version}"),
    };
    let coordinator = match worker.coordinator.as_str() {
        "" => String::new(),
        coordinator => format!("at {coordinator}"),
    };
    [version, experiments(worker, &farm.experiments), coordinator]
}

/// Returns the experiments that a worker may get, out of the `known` experiments:
/// `all experiments`, or `18 of 19, not burn`.
fn experiments(worker: &WorkerEntry, known: &[String]) -> String {
    let name = |label: &str| label.split('@').next().unwrap_or_default().to_owned();
    let has = |label: &&String| worker.experiments.contains(label);
    let (present, absent): (Vec<_>, Vec<_>) = known.iter().partition(has);
    let names =
        |labels: &[&String]| labels.iter().map(|it| name(it)).collect::<Vec<_>>().join(", ");
    let count = format!("{} of {}", present.len(), known.len());
    match (present.len(), absent.len()) {
        // An earlier coordinator does not tell its experiments.
        (0, 0) => worker.experiments.join(", "),
        (_, 0) => "all experiments".to_owned(),
        (0, _) => "no experiment".to_owned(),
        (1..=MAX_NAMED, _) => format!("{count}, only {}", names(&present)),
        (_, 1..=MAX_NAMED) => format!("{count}, not {}", names(&absent)),
        _ => count,
    }
}

#[cfg(test)]
mod tests {
    use hatchery_proto::v1::{self, CoordinatorStatus, ListWorkersResponse, WorkerState};

    use super::*;

    fn worker(id: &str, name: &str, experiments: &[&str]) -> v1::WorkerStatus {
        v1::WorkerStatus {
            worker: format!("{id:0<32}"),
            name: name.to_owned(),
            slots: 16,
            jobs: 70,
            state: WorkerState::Busy.into(),
            experiments: experiments.iter().map(|&it| it.to_owned()).collect(),
            coordinator: "http://127.0.0.1:7700".to_owned(),
            busy_slots: 12,
            trials_per_second: 1234.0,
            heard_ms: 1999,
            host: "192.168.100.101".to_owned(),
            build: "0.1.0".to_owned(),
            ..v1::WorkerStatus::default()
        }
    }

    fn farm(workers: Vec<v1::WorkerStatus>) -> WorkersDocument {
        let experiments = ["a@1", "b@1", "c@1", "d@1", "e@2"].map(str::to_owned).to_vec();
        ListWorkersResponse { workers, experiments, ..ListWorkersResponse::default() }.into()
    }

    const ALL: &[&str] = &["a@1", "b@1", "c@1", "d@1", "e@2"];

    #[test]
    fn what_workers_share_is_said_once() {
        let text = workers(&farm(vec![worker("abcd1", "ada", ALL)]), usize::MAX, 80);
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        let words: Vec<_> = lines[1].split_whitespace().collect();
        let expected = ["abcd1000", "ada", "busy", "12/16", "70", "1,234", "1s", "192.168.100.101"];
        assert_eq!(words, expected);
        assert_eq!(lines[2], "version 0.1.0 · all experiments · at http://127.0.0.1:7700");
        let two = vec![worker("abcd1", "ada", ALL), worker("ef", "bob", &ALL[1..])];
        let text = workers(&farm(two.clone()), usize::MAX, usize::MAX);
        assert!(text.lines().nth(1).unwrap().ends_with("all experiments"), "{text}");
        assert!(text.lines().nth(2).unwrap().ends_with("4 of 5, not a"), "{text}");
        assert!(
            text.ends_with(" all of them: version 0.1.0 · at http://127.0.0.1:7700\n"),
            "{text}"
        );
        let narrow = workers(&farm(two), usize::MAX, 80);
        assert!(fits(&narrow, 80) && narrow.contains(" 4 of 5, not a: ef000000\n"), "{narrow}");
        let long = vec![worker("abcd1", &"n".repeat(80), ALL)];
        let narrow = workers(&farm(long), usize::MAX, 80);
        assert!(fits(&narrow, 80) && narrow.lines().count() == 3, "{narrow}");
    }

    #[test]
    fn experiments_are_counted_and_named() {
        let all = farm(Vec::new()).experiments;
        let said = |labels: &[&str], known: &[String]| {
            experiments(&WorkerEntry::from(worker("a", "a", labels)), known)
        };
        assert_eq!(said(&["c@1", "e@2"], &all), "2 of 5, only c, e");
        // Another version is another experiment.
        assert_eq!(said(&["a@1", "b@1", "c@1", "d@1", "e@1"], &all), "4 of 5, not e");
        assert_eq!(said(&["z@1"], &all), "no experiment");
        let many: Vec<_> = (0..9).map(|n| format!("x{n}@1")).collect();
        let some: Vec<_> = many[..5].iter().map(String::as_str).collect();
        assert_eq!(said(&some, &many), "5 of 9");
        assert_eq!(said(&["a@1", "b@1"], &[]), "a@1, b@1");
    }

    #[test]
    fn lost_members_stay_listed() {
        let lost = v1::WorkerStatus { lost_ms: 40_500, ..worker("ff", "eve", ALL) };
        let here = |coordinator: &str, lost_ms| CoordinatorStatus {
            coordinator: coordinator.to_owned(),
            build: "0.1.0".to_owned(),
            workers: 1,
            runs: 2,
            lost_ms,
        };
        let farm = WorkersDocument::from(ListWorkersResponse {
            workers: vec![worker("abcd1", "a-name-that-is-much-too-long-for-a-table", ALL)],
            lost_workers: vec![lost],
            coordinators: vec![here("http://a:7700", 0)],
            lost_coordinators: vec![here("http://b:7700", 4_800_000)],
            experiments: ALL.iter().map(|&it| it.to_owned()).collect(),
            ..ListWorkersResponse::default()
        });
        let text = workers(&farm, usize::MAX, 80);
        let words: Vec<_> = text.lines().nth(2).unwrap().split_whitespace().collect();
        assert_eq!(words, ["ff000000", "eve", "lost", "40s", "ago", "16", "192.168.100.101"]);
        assert!(fits(&text, 80), "{text}");
        let rows = coordinators(&farm);
        let rows: Vec<Vec<_>> = rows.lines().map(|row| row.split_whitespace().collect()).collect();
        assert_eq!(rows[1], ["http://a:7700", "0.1.0", "1", "2", "answers"]);
        assert_eq!(rows[2], ["http://b:7700", "0.1.0", "lost", "1h20m", "ago"]);
    }
}
