//! The metrics of a farm for Prometheus, for probes, and for programs that start workers.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Instant;

use hatchery_meters::{METRICS, Metric, MetricRole, MetricType};
use hatchery_test_redis::PATIENCE;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::harness::{Farm, RUN};
use crate::process::{Process, find};

/// A farm with one coordinator and two workers, where the coordinator and the first worker can be
/// observed.
struct Observed {
    farm: Farm,
    /// Where the coordinator and the worker say how they are, as `HOST:PORT`.
    coordinator: String,
    worker: String,
}

/// Has a process serve metrics.
const OBSERVED: [&str; 2] = ["--metrics", "127.0.0.1:0"];

/// A farm with one coordinator, and the address for observing it.
pub(crate) fn coordinator() -> (Farm, String) {
    let mut farm = Farm::start(0, 0);
    let redis = farm.redis.url();
    let args = ["coordinator", "--listen", "127.0.0.1:0", "--redis", &redis];
    let args = [&args[..], &OBSERVED, &["--log-format", "json"]].concat();
    let process = Process::start("coordinator", &mut farm.hatchery(&args));
    let coordinator = address(&process, "serves metrics on http://");
    let url = format!("http://{}", address(&process, "listens on http://"));
    farm.coordinators.push((url, process));
    (farm, coordinator)
}

impl Observed {
    fn start() -> Self {
        let (mut farm, coordinator) = coordinator();
        let url = farm.coordinators[0].0.clone();
        let worker = farm.worker(&[url], &OBSERVED);
        let address = address(&worker, "serves metrics on http://");
        farm.workers.push(worker);
        farm.add_worker();
        Self { farm, coordinator, worker: address }
    }

    /// Where a process of that role says how it is.
    fn of(&self, role: MetricRole) -> &str {
        match role {
            MetricRole::Coordinator => &self.coordinator,
            MetricRole::Worker => &self.worker,
        }
    }
}

/// The text after `words` in a line of the process.
pub(crate) fn address(process: &Process, words: &str) -> String {
    let begun = Instant::now() - PATIENCE;
    let (_, line) = process.wait_for(begun, PATIENCE, |line| line.contains(words));
    let (_, address) = line.split_once(words).unwrap();
    address.trim().to_owned()
}

/// The status and the body of a page; `None` without an answer.
pub(crate) fn get(address: &str, path: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}

/// The value of a series, which begins as in `series`.
pub(crate) fn value(text: &str, series: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with(series))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// Waits until a page is as `wanted`.
pub(crate) fn wait_for(address: &str, path: &str, wanted: impl Fn(u16, &str) -> bool) -> String {
    find(|| match get(address, path) {
        Some((status, body)) if wanted(status, &body) => Ok(body),
        page => Err(page.map_or_else(|| format!("there is no {path}"), |(_, body)| body)),
    })
}

/// Waits until a series of the coordinator has that value.
fn wait_for_value(observed: &Observed, series: &str, expected: f64) -> String {
    wait_for(&observed.coordinator, "/metrics", |_, text| value(text, series) == Some(expected))
}

/// The name of a series that a metric has for sure.
fn series(metric: &Metric) -> String {
    match metric.r#type {
        MetricType::Histogram => format!("{}_count", metric.name),
        MetricType::Counter | MetricType::Gauge | MetricType::Info => metric.name.to_owned(),
    }
}

#[test]
fn a_live_farm_exports_every_metric_of_the_list() {
    let observed = Observed::start();
    let submitted = observed.farm.submit(RUN);
    wait_for(&observed.coordinator, "/desired_workers", |status, body| {
        let document: Json = serde_json::from_str(body).unwrap_or_default();
        status == 200 && document["desired_workers"].as_u64().is_some_and(|n| 0 < n)
    });
    let document = observed.farm.result(submitted);
    assert_eq!(document["digest"], RUN.digest());
    let number = |key: &str| document[key].as_f64().unwrap();
    // The verdicts on the last results may come after the run has ended.
    let units = "hatchery_units_completed_total{kind=\"pig\"}";
    wait_for_value(&observed, units, number("trials"));
    let text = wait_for_value(&observed, "hatchery_runs{state=\"done\"}", 1.0);
    for role in [MetricRole::Coordinator, MetricRole::Worker] {
        let (_, text) = get(observed.of(role), "/metrics").unwrap();
        for metric in METRICS.iter().filter(|metric| metric.roles.contains(&role)) {
            let series = series(metric);
            let line = text.lines().find(|line| line.starts_with(&series));
            let line = line.unwrap_or_else(|| panic!("{role:?} has no {series}:\n{text}"));
            for label in metric.labels {
                assert!(line.contains(&format!("{label}=\"")), "{line} has no {label}");
            }
        }
        assert!(text.ends_with("# EOF\n"));
    }
    for (series, expected) in [
        (units, number("trials")),
        ("hatchery_jobs_completed_total{kind=\"pig\",outcome=\"accepted\"}", number("jobs")),
        ("hatchery_jobs_completed_total{kind=\"pig\",outcome=\"mismatch\"}", 0.0),
        ("hatchery_generation_duration_seconds_count{kind=\"pig\"}", number("generations")),
        ("hatchery_generation_tail_seconds_count", number("generations")),
        ("hatchery_leader_changes_total", 1.0),
        ("hatchery_workers{state=\"connected\"}", 2.0),
        ("hatchery_store_up", 1.0),
        ("hatchery_auth_failures_total{reason=\"ticket\"}", 0.0),
    ] {
        assert_eq!(value(&text, series), Some(expected), "{series}:\n{text}");
    }
    // A slow worker may keep the coordinator waiting for a second opinion, until it computes a job
    // itself: that has no duration.
    let durations = value(&text, "hatchery_job_duration_seconds_count{kind=\"pig\"}").unwrap();
    let audits = ["passed", "failed"].map(|outcome| {
        value(&text, &format!("hatchery_audits_total{{outcome=\"{outcome}\"}}")).unwrap()
    });
    let least = number("jobs") - audits.iter().sum::<f64>();
    assert!((least..=number("jobs")).contains(&durations), "{durations} jobs of {text}");
    for series in [
        "hatchery_audits_total{outcome=\"passed\"}",
        "hatchery_job_queue_wait_seconds_count{kind=\"pig\"}",
    ] {
        assert!(value(&text, series) > Some(0.0), "{series}:\n{text}");
    }
    let none = |_, body: &str| body == "{\"desired_workers\":0}\n";
    wait_for(&observed.coordinator, "/desired_workers", none);
    wait_for_value(&observed, "hatchery_jobs{state=\"leased\"}", 0.0);
}

#[test]
fn probes_say_whether_a_process_can_be_used() {
    let observed = Observed::start();
    wait_for(&observed.coordinator, "/readyz", |status, _| status == 200);
    wait_for(&observed.worker, "/readyz", |status, _| status == 200);
    observed.farm.redis.stop().unwrap();
    wait_for(&observed.coordinator, "/readyz", |status, _| status == 503);
    let text = wait_for_value(&observed, "hatchery_store_up", 0.0);
    assert!(value(&text, "hatchery_store_errors_total{kind=\"io\"}") > Some(0.0), "{text}");
    assert_eq!(get(&observed.coordinator, "/healthz").unwrap().0, 200, "it lives all the same");
    observed.farm.redis.cont().unwrap();
    wait_for(&observed.coordinator, "/readyz", |status, _| status == 200);
    assert_eq!(get(&observed.worker, "/desired_workers").unwrap().0, 404);
}

/// Operators see the memory of Redis grow long before coordinators enqueue nothing more.
#[test]
fn the_memory_of_redis_is_exported() {
    let (farm, address) = coordinator();
    let bytes =
        |text: &str, which: &str| value(text, &format!("hatchery_store_memory_{which}_bytes"));
    let is_used = |text: &str| Some(0.0) < bytes(text, "used");
    wait_for(&address, "/metrics", |_, text| is_used(text) && bytes(text, "limit") == Some(0.0));
    for (limit, expected) in [("1gb", f64::from(1 << 30)), ("0", 0.0)] {
        farm.redis.cli(&["CONFIG", "SET", "maxmemory", limit]).unwrap();
        wait_for(&address, "/metrics", |_, text| bytes(text, "limit") == Some(expected));
    }
}

#[test]
fn logs_are_json_with_the_fields_at_the_top() {
    let observed = Observed::start();
    let submitted = observed.farm.submit(RUN);
    let document = observed.farm.result(submitted);
    let (_, coordinator) = &observed.farm.coordinators[0];
    let lines = coordinator.lines();
    let logs = lines.iter().filter(|line| !line.starts_with("hatchery "));
    let logs: Vec<Json> = logs.map(|line| serde_json::from_str(line).unwrap()).collect();
    let assigned = logs.iter().find(|log| log["message"] == "assigned").unwrap();
    assert_eq!(assigned["run"], document["run"], "{assigned}");
    assert!(assigned["generation"].is_u64() && assigned["job"].is_u64(), "{assigned}");
    assert!(assigned["worker"].is_string() && assigned["level"] == "DEBUG", "{assigned}");
}

/// A real Prometheus that reads a farm; gone when it is dropped.
struct Prometheus {
    address: String,
    _process: Process,
    _folder: TempDir,
}

impl Prometheus {
    fn start(targets: &[&str], rules: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("prometheus.yml");
        let jobs = format!(
            "global: {{scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}}\n\
             rule_files: [rules.yml]\nscrape_configs:\n\
             - {{job_name: hatchery, static_configs: [{{targets: {targets:?}}}]}}\n"
        );
        std::fs::write(folder.path().join("rules.yml"), rules).unwrap();
        std::fs::write(&config, jobs).unwrap();
        let mut command = Command::new("prometheus");
        command.arg(format!("--config.file={}", config.display()));
        command.arg(format!("--storage.tsdb.path={}", folder.path().join("data").display()));
        command.arg("--web.listen-address=127.0.0.1:0");
        let process = Process::start("prometheus (Debian: apt install prometheus)", &mut command);
        let (_, line) = process.wait_for(Instant::now() - PATIENCE, PATIENCE, |line| {
            line.contains("Listening on") && line.contains("address=")
        });
        let address = line.rsplit("address=").next().unwrap().trim().to_owned();
        wait_for(&address, "/-/ready", |status, _| status == 200);
        Self { address, _process: process, _folder: folder }
    }

    /// Waits for the answer of its API to be as `wanted`.
    fn wait_for(&self, path: &str, wanted: impl Fn(&Json) -> bool) {
        wait_for(&self.address, path, |_, body| {
            let answer: Json = serde_json::from_str(body).unwrap_or_default();
            answer["status"] == "success" && wanted(&answer["data"])
        });
    }
}

#[test]
fn prometheus_reads_a_running_farm() {
    let observed = Observed::start();
    let submitted = observed.farm.submit(RUN);
    let prometheus = Prometheus::start(&[&observed.coordinator, &observed.worker], "groups: []\n");
    prometheus.wait_for("/api/v1/targets", |targets| {
        let targets = targets["activeTargets"].as_array().unwrap();
        targets.len() == 2 && targets.iter().all(|target| target["health"] == "up")
    });
    prometheus.wait_for("/api/v1/label/__name__/values", |names| {
        let has = |metric: &Metric| names.as_array().unwrap().contains(&series(metric).into());
        METRICS.iter().all(has)
    });
    prometheus.wait_for("/api/v1/query?query=hatchery_build_info", |answer| {
        answer["result"].as_array().unwrap().len() == 2
    });
    let document = observed.farm.result(submitted);
    let n_trials = document["trials"].as_u64().unwrap().to_string();
    prometheus.wait_for("/api/v1/query?query=sum(hatchery_units_completed_total)", |answer| {
        answer["result"][0]["value"][1] == n_trials.as_str()
    });
}

/// A run without progress and a job that keeps failing raise the alerts of deploy/, as they are but
/// for how long something has to last.
#[cfg(feature = "faults")]
#[test]
fn alerts_fire_on_a_stuck_run_and_on_a_parked_job() {
    let rules = include_str!("../../deploy/prometheus/alerts.yml");
    let at_once = |line: &str| match line.trim_start().starts_with("for: ") {
        true => String::new(),
        false => format!("{line}\n"),
    };
    let rules: String = rules.lines().map(at_once).collect();
    let (mut farm, address) = coordinator();
    let prometheus = Prometheus::start(&[&address], &rules);
    let fires = |name: &str| {
        prometheus.wait_for("/api/v1/alerts", |answer| {
            let mut alerts = answer["alerts"].as_array().unwrap().iter();
            alerts.any(|a| a["labels"]["alertname"] == name && a["state"] == "firing")
        });
    };
    let submit = ["submit", RUN.preset, "--on-dead", "pause"];
    crate::verbs::output(&farm, &submit);
    fires("HatcheryNoProgress");
    fires("HatcheryNoWorkers");
    let url = farm.coordinators[0].0.clone();
    for name in ["one", "two"] {
        let args = ["worker", "--slots", "1", "--name", name, "--coordinator", &url];
        let mut worker = farm.hatchery(&args);
        farm.workers.push(Process::start(name, worker.env("HATCHERY_FAULT_LIE", "fail")));
    }
    fires("HatcheryJobParked");
}
