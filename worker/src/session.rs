//! The conversation with a coordinator.
//!
//! One task owns the session: what runs, and which results have no verdict yet. Jobs run in a
//! thread pool of their own, so that no trial can keep the session from being heard.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hatchery_core::Catalog;
use hatchery_core::erased::Bench;
use hatchery_proto::v1::worker_plane_client::WorkerPlaneClient;
use hatchery_proto::v1::{
    self, Assignment, ExperimentVersion, Goodbye, Hello, Job, JobRef, Release, Results,
    ToCoordinator, ToWorker, Want, result, to_coordinator, to_worker,
};
use hatchery_proto::{MAX_BATCH_BYTES, MAX_BATCH_ITEMS, MAX_SESSION_MESSAGE_BYTES, PROTOCOL};
use prost::Message;
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;
use tonic::transport::Channel;

use crate::execute::{Executed, execute, failure};
use crate::shared::Benches;

/// How many jobs run or wait per slot: one at work, one behind it.
const JOBS_PER_SLOT: u32 = 2;

/// How many messages may wait to be sent: more than there can be jobs in a worker's hands would
/// ever fill, as each brings one result.
const OUTBOUND_MESSAGES: usize = 256;

/// What a worker is.
#[derive(Clone, Debug)]
pub struct Config {
    /// A name for people.
    pub name: String,
    /// How many trials run at the same time.
    pub slots: u32,
    /// What it can compute.
    pub catalog: Catalog,
}

/// Why a session ended.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The thread pool could not be made.
    #[error("no thread pool with {slots} threads")]
    Threads {
        /// How many threads were asked for.
        slots: u32,
        /// What the system says.
        source: rayon::ThreadPoolBuildError,
    },
    /// The coordinator refused the session or broke it off.
    #[error("the session with the coordinator broke off: {}", .0.message())]
    Status(#[from] Box<tonic::Status>),
    /// The coordinator ended the stream without a word.
    #[error("the coordinator is gone")]
    Gone,
}

/// Works for the coordinator behind `channel` until it says Drain or `stop` becomes true; then
/// gives back what is not finished, and leaves.
///
/// # Errors
/// If the session breaks.
pub async fn serve(
    channel: Channel,
    config: Config,
    mut stop: watch::Receiver<bool>,
) -> Result<(), SessionError> {
    let slots = config.slots;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(slots as usize)
        .thread_name(|idx| format!("trials-{idx}"))
        .build()
        .map_err(|source| SessionError::Threads { slots, source })?;
    let mut client =
        WorkerPlaneClient::new(channel).max_decoding_message_size(MAX_SESSION_MESSAGE_BYTES);
    let (outbound, messages) = mpsc::channel(OUTBOUND_MESSAGES);
    say(&outbound, to_coordinator::Message::Hello(hello(&config))).await?;
    let inbound = client.session(ReceiverStream::new(messages)).await.map_err(Box::new)?;
    let mut inbound: Streaming<ToWorker> = inbound.into_inner();

    let (finish, mut finished) = mpsc::unbounded_channel();
    let mut worker = Worker {
        client,
        catalog: config.catalog,
        pool,
        benches: Benches::default(),
        finish,
        running: BTreeMap::new(),
        outbound,
        leaving: false,
    };
    worker.say(to_coordinator::Message::Want(Want { credits: JOBS_PER_SLOT * slots })).await?;
    loop {
        if worker.leaving && worker.running.is_empty() {
            worker.say(to_coordinator::Message::Goodbye(Goodbye {})).await?;
            return worker.hang_up(inbound).await;
        }
        tokio::select! {
            message = inbound.message() => match message.map_err(Box::new)? {
                Some(ToWorker { message }) => worker.hear(message).await?,
                None => return Err(SessionError::Gone),
            },
            Some(first) = finished.recv() => {
                let mut done = vec![first];
                while let Ok(next) = finished.try_recv() {
                    done.push(next);
                }
                worker.report(done).await?;
            }
            stopped = stop.changed(), if !worker.leaving => {
                if stopped.is_err() || *stop.borrow() {
                    worker.leave();
                }
            }
        }
    }
}

/// A job's address as a key.
type Key = (Vec<u8>, u32, u64);

struct Worker {
    client: WorkerPlaneClient<Channel>,
    catalog: Catalog,
    pool: rayon::ThreadPool,
    benches: Benches,
    finish: mpsc::UnboundedSender<(JobRef, Executed)>,
    /// What runs or waits, with the flags that stop it.
    running: BTreeMap<Key, Arc<AtomicBool>>,
    outbound: mpsc::Sender<ToCoordinator>,
    leaving: bool,
}

impl Worker {
    async fn hear(&mut self, message: Option<to_worker::Message>) -> Result<(), SessionError> {
        match message {
            Some(to_worker::Message::Assign(assign)) => {
                for Assignment { r#ref, job } in assign.assignments {
                    let Some(job_ref) = r#ref else { continue };
                    self.start(job_ref, &job).await;
                }
            }
            Some(to_worker::Message::Cancel(cancel)) => {
                for job_ref in &cancel.refs {
                    if let Some(cancelled) = self.running.get(&key(job_ref)) {
                        cancelled.store(true, Ordering::Relaxed);
                    }
                }
            }
            Some(to_worker::Message::Drain(_)) => self.leave(),
            // Verdicts end a result's life; in this process's life none has to be sent twice.
            Some(to_worker::Message::Verdicts(_) | to_worker::Message::Welcome(_)) | None => {}
        }
        Ok(())
    }

    /// Puts a job into the thread pool.
    async fn start(&mut self, job_ref: JobRef, job: &[u8]) {
        let cancelled = Arc::new(AtomicBool::new(self.leaving));
        self.running.insert(key(&job_ref), Arc::clone(&cancelled));
        let finish = self.finish.clone();
        let report = move |executed| finish.send((job_ref, executed)).unwrap_or(());
        let (job, bench) = match self.prepare(job).await {
            Ok(prepared) => prepared,
            Err(message) => return report(Executed::Failed(failure(message))),
        };
        let Some(experiment) = self.catalog.find(&job.experiment) else {
            unreachable!("the bench was made by this experiment");
        };
        self.pool.spawn(move || {
            let gather = |n_series| experiment.gather(n_series);
            report(execute(&job, bench.as_ref(), &gather, &cancelled));
        });
    }

    async fn prepare(&mut self, job: &[u8]) -> Result<(Job, Arc<dyn Bench>), String> {
        let job = Job::decode(job).map_err(|error| format!("malformed job: {error}"))?;
        let experiment = (job.experiment.as_str(), job.version);
        let bench = self.benches.get(&mut self.client, self.catalog, experiment, &job.shared).await;
        let bench = bench.map_err(|error| causes(&error))?;
        Ok((job, bench))
    }

    /// Sends results, and asks for as many new jobs; gives back what was not finished.
    async fn report(&mut self, done: Vec<(JobRef, Executed)>) -> Result<(), SessionError> {
        let credits = u32::try_from(done.len()).unwrap_or(u32::MAX);
        let (mut results, mut n_bytes, mut refs) = (Vec::new(), 0, Vec::new());
        for (job_ref, executed) in done {
            self.running.remove(&key(&job_ref));
            let (outcome, cost) = match executed {
                Executed::Output(output, cost) => (result::Outcome::Output(output), Some(cost)),
                Executed::Failed(failure) => (result::Outcome::Failure(failure), None),
                Executed::Cancelled => {
                    refs.push(job_ref);
                    continue;
                }
            };
            let result = v1::Result { r#ref: Some(job_ref), outcome: Some(outcome), cost };
            let len = result.encoded_len();
            if results.len() == MAX_BATCH_ITEMS || MAX_BATCH_BYTES < n_bytes + len {
                let results = std::mem::take(&mut results);
                self.say(to_coordinator::Message::Results(Results { results })).await?;
                n_bytes = 0;
            }
            n_bytes += len;
            results.push(result);
        }
        if !results.is_empty() {
            self.say(to_coordinator::Message::Results(Results { results })).await?;
        }
        for refs in refs.chunks(MAX_BATCH_ITEMS) {
            self.say(to_coordinator::Message::Release(Release { refs: refs.to_vec() })).await?;
        }
        if !self.leaving {
            self.say(to_coordinator::Message::Want(Want { credits })).await?;
        }
        Ok(())
    }

    /// Lets what runs end at its next trial.
    fn leave(&mut self) {
        self.leaving = true;
        for cancelled in self.running.values() {
            cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Closes the worker's side and hears the coordinator out.
    async fn hang_up(self, mut inbound: Streaming<ToWorker>) -> Result<(), SessionError> {
        drop(self);
        while inbound.message().await.map_err(Box::new)?.is_some() {}
        Ok(())
    }

    async fn say(&self, message: to_coordinator::Message) -> Result<(), SessionError> {
        say(&self.outbound, message).await
    }
}

async fn say(
    outbound: &mpsc::Sender<ToCoordinator>,
    message: to_coordinator::Message,
) -> Result<(), SessionError> {
    let message = ToCoordinator { message: Some(message) };
    outbound.send(message).await.map_err(|_| SessionError::Gone)
}

fn hello(config: &Config) -> Hello {
    let known = config.catalog.0.iter().map(|experiment| ExperimentVersion {
        experiment: experiment.name().to_owned(),
        version: experiment.version(),
    });
    Hello {
        protocol: PROTOCOL,
        worker: config.name.clone(),
        incarnation: ulid::Ulid::generate().0.to_be_bytes().to_vec(),
        build: env!("CARGO_PKG_VERSION").to_owned(),
        experiments: known.collect(),
        slots: config.slots,
    }
}

fn key(job_ref: &JobRef) -> Key {
    (job_ref.run.clone(), job_ref.generation, job_ref.index)
}

/// The error and what caused it, in one line.
fn causes(error: &dyn std::error::Error) -> String {
    let chain = std::iter::successors(Some(error), |error| error.source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
