//! The time left that was shown in recorded runs, compared with the time that they took.
//!
//! `traces/` has a file for each run. Its first line is the command. Each other line begins with
//! milliseconds since the run was led:
//!
//! ```text
//! 0 planned GENERATION TRIALS
//! 722 done TRIALS CPU_MS                    of this generation so far
//! 29918 folded GENERATION TRIALS CPU_MS
//! 29918 end
//! ```

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use hatchery_catalog::CATALOG;
use hatchery_coordinator::run::time_left::{TimeLeft, TimeRange};
use hatchery_coordinator::{Event, StampedEvent};
use hatchery_core::erased::ConfiguredExperiment;
use hatchery_core::spec::SpecDocument;

use super::event::ProgressUpdate;
use super::fold::RunProgress;

/// The percentages of a run's time at which it is looked at.
const PERCENTAGES: [u64; 4] = [10, 25, 50, 75];

/// The time at which the recorded runs are led, in milliseconds since 1970.
const LED_MS: u64 = 1_700_000_000_000;

/// A recorded run.
struct Trace {
    preset: String,
    procedure: Box<dyn ConfiguredExperiment>,
    events: Vec<StampedEvent>,
    end_ms: u64,
}

/// A look at a recorded run.
struct Look {
    preset: String,
    percent: u64,
    range: Option<TimeRange>,
    /// The time that was left.
    left: Duration,
}

impl Trace {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let (head, lines) = text.split_once('\n').unwrap();
        let mut words = head.split_whitespace().skip_while(|word| *word != "run").skip(1);
        let preset = words.next().unwrap().to_owned();
        let found = CATALOG.preset(&preset).unwrap();
        let mut document = SpecDocument::parse(&preset, found.text.as_bytes()).unwrap();
        for assignment in words.filter(|word| *word != "--set") {
            document = document.set(assignment).unwrap();
        }
        let experiment = CATALOG.find(&document.head().unwrap().experiment).unwrap();
        let procedure = experiment.configure(&document).unwrap();
        let mut trace = Self { preset, procedure, events: Vec::new(), end_ms: 0 };
        trace.read_events(lines);
        trace
    }

    fn read_events(&mut self, lines: &str) {
        let generations = self.procedure.generations();
        let experiment = String::new();
        let led = Event::RunLed { experiment, version: 1, seed: 1, generation: 0, generations };
        self.events.push(StampedEvent { unix_ms: LED_MS, event: led });
        let (mut generation, mut known) = (0, (0, 0));
        for line in lines.lines() {
            let mut words = line.split(' ');
            let unix_ms = LED_MS + words.next().unwrap().parse::<u64>().unwrap();
            let kind = words.next().unwrap();
            let numbers: Vec<u64> = words.map(|word| word.parse().unwrap()).collect();
            let event = match (kind, &numbers[..]) {
                ("planned", &[number, trials]) => {
                    (generation, known) = (u32::try_from(number).unwrap(), (0, 0));
                    Event::GenerationPlanned {
                        generation,
                        subjects: 1,
                        trials,
                        trials_done: 0,
                        alone_trials: 0,
                    }
                }
                ("done", &[trials, cpu_ms]) => {
                    let (trials_before, cpu_before) =
                        std::mem::replace(&mut known, (trials, cpu_ms));
                    let cpu_ns = (cpu_ms - cpu_before) * 1_000_000;
                    let trials = trials - trials_before;
                    Event::JobsDone { generation, jobs: 1, trials, cpu_ns, alone: false }
                }
                ("folded", &[_, trials, cpu_ms]) => Event::GenerationFolded {
                    generation,
                    jobs: 1,
                    trials,
                    cpu_ns: cpu_ms * 1_000_000,
                    digest: String::new(),
                    work: Vec::new(),
                    measures: Vec::new(),
                },
                ("end", []) => {
                    self.end_ms = unix_ms - LED_MS;
                    return;
                }
                _ => panic!("{line:?} is no line of a trace"),
            };
            self.events.push(StampedEvent { unix_ms, event });
        }
    }

    /// Looks at the run at some shares of its time.
    fn looks(&self) -> impl Iterator<Item = Look> {
        let estimator = || TimeLeft::new(self.procedure.generations(), self.procedure.phases());
        PERCENTAGES.into_iter().map(move |percent| {
            let mut progress = RunProgress::new(estimator());
            let look_ms = LED_MS + self.end_ms * percent / 100;
            // A display may draw before the run is led.
            progress.apply(&ProgressUpdate::tick(LED_MS - 500));
            let before = self.events.iter().take_while(|event| event.unix_ms <= look_ms);
            before.for_each(|event| progress.apply(&ProgressUpdate::from(event)));
            progress.apply(&ProgressUpdate::tick(look_ms));
            let (preset, left) =
                (self.preset.clone(), Duration::from_millis(LED_MS + self.end_ms - look_ms));
            Look { preset, percent, range: progress.time_left(), left }
        })
    }
}

#[test]
fn recorded_runs_end_in_the_ranges_that_were_shown() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/progress/traces");
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let traces: Vec<Trace> = paths.iter().map(|path| Trace::read(path)).collect();
    let looks: Vec<Look> = traces.iter().flat_map(Trace::looks).collect();
    let presets: BTreeSet<_> = looks.iter().map(|look| &look.preset).collect();
    assert!(5 <= presets.len(), "{presets:?}");
    let (mut n_shown, mut n_right, mut n_late, mut n_narrow) = (0, 0, 0, 0);
    let mut n_hidden = 0;
    for Look { preset, percent, range, left } in &looks {
        let is_late = 25 <= *percent;
        n_late += u32::from(is_late);
        println!("{preset} at {percent} %: {range:.1?}, and {left:.1?} were left");
        let Some(TimeRange { low, high }) = range else {
            n_hidden += u32::from(is_late);
            continue;
        };
        n_shown += 1;
        n_right += u32::from(low <= left && left <= high);
        n_narrow += u32::from(is_late && *high <= 3 * *low);
    }
    // In one recorded run, another program took half of the cores shortly before a look.
    assert!(n_hidden <= 1, "nothing is shown at {n_hidden} of {n_late} looks");
    println!("{n_right} of {n_shown} ranges hold the truth; {n_narrow} of {n_late} are narrow");
    assert!(9 * n_shown <= 10 * n_right, "{n_right} of {n_shown} ranges hold the truth");
    // What is hidden misleads nobody.
    let n_wide = n_late - n_narrow - n_hidden;
    assert!(3 * n_wide <= n_late, "{n_wide} of {n_late} ranges are wide");
}
