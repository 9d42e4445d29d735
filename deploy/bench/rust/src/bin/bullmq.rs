//! BullMQ for Rust: `bullmq CONFIG` speaks with the driver as `../systems/speaker.py` describes;
//! `bullmq worker CONCURRENCY` is a worker process.

use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use bullmq::options::{JobOptions, RedisConnectionOptions};
use bullmq::queue::BulkJob;
use bullmq::types::RemoveOnFinish;
use bullmq::worker::{CancellationToken, ProcessorFn};
use bullmq::{
    Job, Queue, QueueEvent, QueueEvents, QueueEventsOptions, QueueOptions, Worker, WorkerOptions,
};
use hatchery_bench::{now_ns, work};
use rustix::time::ClockId;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::time::{Instant, timeout};

type Outcome<T> = Result<T, Box<dyn Error>>;

const QUEUE: &str = "bench";

/// How many jobs are submitted at a time.
const AT_ONCE: usize = 1000;

#[derive(Deserialize)]
struct Config {
    workers: usize,
    concurrency: usize,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Asked {
    Many { kind: String, n: usize },
    One,
    Begin { kind: String, n: usize },
    Progress,
    Finish { timeout: f64 },
    Put { n: usize },
    Pids,
}

struct System {
    queue: Queue,
    events: QueueEvents,
    workers: Vec<Child>,
    /// What came of the jobs that were submitted last, and how many they are.
    results: Vec<u64>,
    wanted: usize,
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [role, concurrency] if role == "worker" => be_worker(concurrency.parse()?).await,
        [config] => System::start(&serde_json::from_str(config)?).await?.listen().await,
        _ => Err("bullmq CONFIG, or bullmq worker CONCURRENCY".into()),
    }
}

fn redis() -> RedisConnectionOptions {
    let port = std::env::var("BENCH_REDIS_PORT").unwrap_or_default();
    RedisConnectionOptions::new().url(format!("redis://127.0.0.1:{port}"))
}

async fn be_worker(concurrency: usize) -> Outcome<()> {
    let processor: ProcessorFn = Arc::new(|job: Job, _: CancellationToken| {
        Box::pin(async move { Ok(json!(work(job.name()))) })
    });
    let options = WorkerOptions { connection: redis(), concurrency, ..WorkerOptions::default() };
    let _worker = Worker::with_options(QUEUE, processor, options).await?;
    // Whoever has the other end has started it.
    tokio::task::spawn_blocking(|| stdin().lines().for_each(drop)).await?;
    Ok(())
}

impl System {
    async fn start(config: &Config) -> Outcome<Self> {
        let options = QueueOptions { connection: redis(), ..QueueOptions::default() };
        let queue = Queue::with_options(QUEUE, options).await?;
        let options = QueueEventsOptions { connection: redis(), ..QueueEventsOptions::default() };
        let events = QueueEvents::with_options(QUEUE, options).await?;
        let worker = |_| {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["worker", &config.concurrency.to_string()]).stdin(Stdio::piped());
            command.stdout(Stdio::null());
            command.kill_on_drop(true).spawn()
        };
        let workers = (0..config.workers).map(worker).collect::<Result<_, _>>()?;
        let mut system = Self { queue, events, workers, results: Vec::new(), wanted: 0 };
        if 0 < config.workers {
            // They are there once they have worked.
            system.submit("noop", 100).await?;
            system.wait().await?;
        }
        Ok(system)
    }

    async fn listen(mut self) -> Outcome<()> {
        answer(&json!({ "ready": true }))?;
        for line in stdin().lock().lines() {
            let asked = serde_json::from_str(&line?)?;
            let done = self.act(asked).await;
            answer(&done.unwrap_or_else(|error| json!({ "error": error.to_string() })))?;
        }
        Ok(())
    }

    async fn act(&mut self, asked: Asked) -> Outcome<Value> {
        Ok(match asked {
            Asked::Many { kind, n } => {
                let began = Instant::now();
                self.submit(&kind, n).await?;
                self.wait().await?;
                let wall_s = began.elapsed().as_secs_f64();
                let burnt_ns: u64 = if kind == "burn" { self.results.iter().sum() } else { 0 };
                json!({ "wall_s": wall_s, "burnt_s": burnt_ns as f64 / 1e9 })
            }
            Asked::One => {
                let began = now_ns(ClockId::Monotonic);
                self.submit("start", 1).await?;
                self.wait().await?;
                json!({ "latency_s": (self.results[0] - began) as f64 / 1e9 })
            }
            Asked::Begin { kind, n } => {
                self.submit(&kind, n).await?;
                json!({})
            }
            Asked::Progress => {
                self.hear(Duration::from_millis(1)).await?;
                json!({ "done": self.results.len() })
            }
            Asked::Finish { timeout } => {
                self.hear(Duration::from_secs_f64(timeout)).await?;
                let n_done = self.results.len();
                json!({ "all": n_done == self.wanted, "done": n_done })
            }
            Asked::Put { n } => {
                self.submit("noop", n).await?;
                json!({})
            }
            Asked::Pids => {
                let pids: Vec<_> = self.workers.iter().filter_map(Child::id).collect();
                json!({ "pids": pids })
            }
        })
    }

    async fn submit(&mut self, kind: &str, n: usize) -> Outcome<()> {
        (self.results, self.wanted) = (Vec::new(), n);
        let options = JobOptions::new().remove_on_complete(RemoveOnFinish::Bool(true));
        let mut left = n;
        while 0 < left {
            let some = left.min(AT_ONCE);
            let job = |_| BulkJob::with_options(kind, json!({}), options.clone());
            self.queue.add_bulk((0..some).map(job).collect()).await?;
            left -= some;
        }
        Ok(())
    }

    /// Waits until all jobs have results, or for `patience`.
    async fn hear(&mut self, patience: Duration) -> Outcome<()> {
        timeout(patience, self.wait()).await.unwrap_or(Ok(()))
    }

    async fn wait(&mut self) -> Outcome<()> {
        while self.results.len() < self.wanted {
            let entry = self.events.next_event().await.ok_or("no more events come")?;
            match entry.event {
                QueueEvent::Completed { return_value, .. } => {
                    self.results.push(return_value.parse()?);
                }
                QueueEvent::Failed { failed_reason, .. } => return Err(failed_reason.into()),
                _ => {}
            }
        }
        Ok(())
    }
}

fn answer(what: &Value) -> std::io::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{what}")?;
    out.flush()
}
