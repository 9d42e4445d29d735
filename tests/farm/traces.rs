//! Traces that a farm sends to a collector, and the cost of a missing collector.

use std::collections::BTreeMap;
use std::net::TcpListener;

use rustix::process::Signal;
use serde_json::Value as Json;

use hatchery_test_redis::PATIENCE;

use crate::collector::{Collector, Span};
use crate::harness::{Farm, Work};
use crate::process::Process;

/// A run of a second or two.
const RUN: Work = Work { preset: "pig/quick", set: &["games=40000"] };

/// The names of spans.
const NAMES: [&str; 3] = ["run", "generation", "job"];

/// A secret that must not be in a log.
const SECRET: &str = "a-token-that-nobody-says";

/// A farm with one coordinator and one worker that export to `endpoint`.
fn farm(endpoint: String, more: &[(&'static str, &str)]) -> Farm {
    let mut farm = Farm::start(0, 0);
    farm.variables = vec![("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)];
    farm.variables.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
    farm.add_coordinator();
    farm.add_worker();
    farm
}

/// Completes a run, then asks all processes to end. Returns the result, and the logs.
fn run(farm: &mut Farm) -> (Json, Vec<Vec<String>>) {
    let submitted = farm.submit(RUN);
    let document = farm.result(submitted);
    assert_eq!(document["digest"], RUN.digest());
    let Farm { workers, coordinators, .. } = farm;
    let processes = workers.iter_mut().chain(coordinators.iter_mut().map(|(_, process)| process));
    let end = |process: &mut Process| {
        process.signal(Signal::TERM);
        let (status, _) = process.wait(PATIENCE);
        assert!(status.success(), "{status}: {:#?}", process.lines());
        process.lines()
    };
    (document, processes.map(end).collect())
}

fn int(span: &Span, key: &str) -> i64 {
    span.attributes.get(key).and_then(Json::as_i64).unwrap_or_else(|| panic!("no {key}: {span:?}"))
}

/// Checks the spans of a run that went well, as its result document has it.
fn check(collector: &Collector, document: &Json) {
    let number = |key: &str| document[key].as_i64().unwrap();
    let runs = collector.spans("run");
    let generations = collector.spans("generation");
    let jobs = collector.spans("job");
    for span in runs.iter().chain(&generations).chain(&jobs) {
        assert_eq!(span.attributes["run"], document["run"], "{span:?}");
    }
    let [led] = &runs[..] else { panic!("one lead: {runs:#?}") };
    assert_eq!(led.attributes["outcome"], "done");
    assert_eq!(led.attributes["experiment"], "pig");
    let numbers: Vec<_> = generations.iter().map(|span| int(span, "generation")).collect();
    assert_eq!(numbers, (0..number("generations")).collect::<Vec<_>>());
    for span in &generations {
        assert_eq!(span.attributes["outcome"], "folded", "{span:?}");
        assert_eq!((&span.trace, &span.parent), (&led.trace, &led.id));
    }
    let sum = |key: &str| generations.iter().map(|span| int(span, key)).sum::<i64>();
    assert_eq!((sum("jobs"), sum("trials")), (number("jobs"), number("trials")));
    // A job can be computed more than once.
    let address = |span: &Span| (int(span, "generation"), int(span, "job"));
    let trials: BTreeMap<_, _> = jobs.iter().map(|s| (address(s), int(s, "trials"))).collect();
    assert_eq!(trials.len(), usize::try_from(number("jobs")).unwrap());
    assert_eq!(trials.values().sum::<i64>(), number("trials"));
    for span in &jobs {
        assert_eq!(span.attributes["outcome"], "done", "{span:?}");
        assert!(0 < int(span, "cpu_ns") && span.parent.is_empty(), "{span:?}");
    }
}

#[test]
fn a_collector_receives_the_run_its_generations_and_its_jobs() {
    let collector = Collector::start();
    let headers = format!("authorization=Bearer%20{SECRET}");
    let mut farm = farm(
        collector.url(),
        &[
            ("OTEL_EXPORTER_OTLP_HEADERS", headers.as_str()),
            ("OTEL_SERVICE_NAME", "the-farm"),
            ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test"),
            ("HATCHERY_LOG", "trace"),
            ("HATCHERY_LOG_FORMAT", "json"),
        ],
    );
    let (document, said) = run(&mut farm);
    check(&collector, &document);
    for span in NAMES.iter().flat_map(|name| collector.spans(name)) {
        assert_eq!(span.resource["service.name"], "the-farm");
        assert_eq!(span.resource["deployment.environment.name"], "test");
        assert!(span.resource["host.name"].is_string() && span.resource["process.pid"].is_i64());
        assert_eq!(span.authorization.unwrap(), format!("Bearer {SECRET}"));
    }
    for line in said.concat() {
        assert!(!line.contains(SECRET), "{line}");
        // No line says in which span it was written.
        let log: Json = serde_json::from_str(&line).unwrap_or_default();
        let spans = log["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
        let ours = |span: &Json| span["name"].as_str().is_some_and(|name| NAMES.contains(&name));
        assert!(!spans.iter().any(ours), "{line}");
    }
}

#[test]
fn a_run_on_this_machine_exports_as_a_farm_does() {
    let collector = Collector::start();
    let farm = Farm::start(0, 0);
    let run = ["run", RUN.preset, "--set", RUN.set[0], "--output", "json"];
    let mut command = farm.hatchery(&run);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url());
    let (status, stdout) = Process::start("run", &mut command).wait(PATIENCE);
    assert!(status.success(), "{status}");
    let document: Json = serde_json::from_slice(&stdout).unwrap();
    check(&collector, &document);
    assert_eq!(collector.spans("run")[0].resource["service.name"], "hatchery-run");

    // Variables that are meant for other programs do no harm.
    command = farm.hatchery(&run);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url());
    let mut other = Process::start("run", command.env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"));
    let (status, _) = other.wait(PATIENCE);
    assert!(status.success(), "{status}");
    let said = other.lines().concat();
    assert!(said.contains("but only grpc is supported"), "{said}");
    assert_eq!(collector.spans("run").len(), 1);
}

/// A collector that refuses connections or lets them hang: the same digest, one warning from each
/// process, and an end that does not wait for it. Spans are exported at the end, so that a slow
/// process warns as often as a fast one.
#[test]
fn a_collector_that_does_not_answer_costs_a_warning() {
    let at_the_end = [("OTEL_BSP_SCHEDULE_DELAY", "36000000")];
    let listener = || TcpListener::bind("127.0.0.1:0").unwrap();
    let url = |listener: &TcpListener| format!("http://{}", listener.local_addr().unwrap());
    let silent = listener();
    let refusing = url(&listener());
    for (endpoint, is_silent) in [(url(&silent), true), (refusing, false)] {
        let (_, said) = run(&mut farm(endpoint.clone(), &at_the_end));
        for lines in said {
            let warnings: Vec<_> =
                lines.iter().filter(|line| line.contains("traces are lost")).collect();
            let [warning] = warnings[..] else { panic!("{endpoint}: {lines:#?}") };
            // Whoever waits for an export to fail knows how many spans are lost.
            assert_eq!(warning.contains("n_spans="), !is_silent, "{warning}");
            let is_late = |line: &String| line.contains("not everything was returned in time");
            assert!(!lines.iter().any(is_late), "{lines:#?}");
        }
    }
}
