//! Workers that send other parts than they name, too many, or none.

use hatchery_catalog::CATALOG;
use hatchery_coordinator::run::recompute::recompute;
use hatchery_core::{Draws, Part, PartMemory, PartSet, RunSeed, TrialContext};
use hatchery_proto::v1::worker_plane_client::WorkerPlaneClient;
use hatchery_proto::v1::{
    self, Assignment, ByteChunk, GetPartRequest, Hello, Job, JobOutput, PartRef, PartsOfJob,
    PutPartsRequest, PutResultRequest, Results, SelfTested, Verdict, Want, put_parts_request,
    put_result_request, result, to_coordinator, to_worker,
};
use hatchery_proto::{MAX_JOB_PART_BYTES, MAX_JOB_PARTS};
use prost::Message;
use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::client::{Client, channel, hello};
use crate::harness::{Farm, Work};

/// A run whose second subject writes parts.
const WRITES_PARTS: Work = Work {
    preset: "burn/smoke",
    set: &[
        "trials=1",
        "shared_bytes=0",
        "parts=2",
        "part_bytes=1000",
        "new_parts=2",
        "generations=3",
    ],
};

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(future)
}

/// A worker made by hand that passed its self-tests and got a job whose trial writes a part.
struct PartWriter {
    client: Client,
    calls: WorkerPlaneClient<Channel>,
    session: Vec<u8>,
    assignment: Assignment,
    output: Vec<u8>,
    /// The bytes that the job's trial writes.
    written: PartSet,
}

impl PartWriter {
    /// Joins the farm at `url`, whose only run writes parts.
    async fn join(url: &str) -> Self {
        let channel = channel(url).await;
        let hello = Hello { takes_self_tests: false, ..hello(7) };
        let first = to_coordinator::Message::Hello(hello);
        let mut client = Client::open(channel.clone(), first).await.unwrap();
        client.keep_alive();
        let Some(to_worker::Message::Welcome(welcome)) = client.hear().await.unwrap() else {
            panic!("no Welcome")
        };
        let results = welcome.self_tests.iter().map(|test| {
            let job = Job::decode(test.job.as_slice()).unwrap();
            let output = recompute(CATALOG, &job, &test.shared, PartSet::default()).unwrap();
            v1::Result { outcome: Some(result::Outcome::Output(output)), ..v1::Result::default() }
        });
        let tested = SelfTested { results: results.collect(), ..SelfTested::default() };
        client.say(to_coordinator::Message::SelfTested(tested)).await;
        client.say(to_coordinator::Message::Want(Want { credits: 4 })).await;
        loop {
            let Some(to_worker::Message::Assign(assign)) = client.hear().await.unwrap() else {
                continue;
            };
            for assignment in assign.assignments {
                let job = Job::decode(assignment.job.as_slice()).unwrap();
                if job.segments[0].subject_idx == 1 {
                    let (output, written) = compute(&job);
                    let (calls, session) = (WorkerPlaneClient::new(channel), welcome.session);
                    return Self { client, calls, session, assignment, output, written };
                }
            }
        }
    }

    /// The head of a message with the job's parts.
    fn of_job(&self) -> PartsOfJob {
        let Assignment { r#ref, ticket, .. } = self.assignment.clone();
        PartsOfJob { session: self.session.clone(), r#ref, ticket, n_bytes: 10_000_000 }
    }

    /// Sends parts; how that was answered.
    async fn put(
        &mut self,
        of_job: PartsOfJob,
        messages: Vec<put_parts_request::Message>,
    ) -> Result<(), Status> {
        let messages = [vec![put_parts_request::Message::Job(of_job)], messages].concat();
        let messages =
            messages.into_iter().map(|message| PutPartsRequest { message: Some(message) });
        self.calls.put_parts(tokio_stream::iter(messages)).await.map(drop)
    }

    /// The result of the job.
    fn result(&self) -> v1::Result {
        let Assignment { r#ref, ticket, .. } = self.assignment.clone();
        let outcome = Some(result::Outcome::Output(self.output.clone()));
        v1::Result { r#ref, outcome, cost: None, ticket }
    }

    /// Waits for the verdict on the job's result.
    async fn verdict(&mut self) -> Verdict {
        loop {
            if let Some(to_worker::Message::Verdicts(verdicts)) = self.client.hear().await.unwrap()
            {
                return verdicts.verdicts[0].verdict();
            }
        }
    }
}

/// Computes a job whose trials read nothing; returns its output and the parts that it wrote.
fn compute(job: &Job) -> (Vec<u8>, PartSet) {
    let burn = CATALOG.find("burn").unwrap().simulation();
    let host = PartMemory::default();
    let shared = [0];
    let prepared = burn.prepare(&shared).unwrap();
    let seed = RunSeed::new("burn", job.seed).generation(job.generation);
    let tallies = job.segments.iter().map(|segment| {
        let trials = segment.first_trial..segment.first_trial + segment.n_trials;
        let mut streams =
            trials.map(|trial| seed.trial(Draws::PerSubject, segment.subject_idx, trial));
        let subject = prepared.subject(&segment.subject).unwrap();
        subject.trials(&mut streams, &TrialContext::new(&host))
    });
    let output = JobOutput { tallies: tallies.collect() }.encode_to_vec();
    (output, host.into_written())
}

fn name(part: &Part) -> put_parts_request::Message {
    let message = part.to_message();
    put_parts_request::Message::Part(PartRef { hash: message.hash, n_bytes: message.n_bytes })
}

fn chunk(bytes: &[u8]) -> put_parts_request::Message {
    put_parts_request::Message::Chunk(ByteChunk { data: bytes.to_vec().into() })
}

/// Parts that differ from their name, are too many, too large or cut off, or belong to a job that
/// the worker did not get are refused; a result without its parts is not taken, and goes through
/// once they came.
#[test]
fn parts_that_are_not() {
    let mut farm = Farm::start(1, 0);
    let url = farm.coordinators[0].0.clone();
    let submitted = farm.submit(WRITES_PARTS);
    block_on(async {
        let mut worker = PartWriter::join(&url).await;
        let (part, bytes) = worker.written.iter().next().unwrap();
        let (part, bytes) = (*part, bytes.clone());
        let of_job = worker.of_job();

        let mut foreign = of_job.clone();
        foreign.r#ref.as_mut().unwrap().run = vec![9; 16];
        let mut large = of_job.clone();
        large.n_bytes = MAX_JOB_PART_BYTES as u64 + 1;
        let few = PartsOfJob { n_bytes: 999, ..of_job.clone() };
        let forged = PartsOfJob { ticket: vec![7; 32], ..of_job.clone() };
        let ended = PartsOfJob { session: vec![7; 16], ..of_job.clone() };
        let many = (0..=MAX_JOB_PARTS).flat_map(|idx| {
            let bytes = idx.to_le_bytes();
            [name(&Part::of(&bytes)), chunk(&bytes)]
        });
        for (of_job, messages, code) in [
            (forged, vec![name(&part), chunk(&bytes)], Code::PermissionDenied),
            (foreign, vec![name(&part), chunk(&bytes)], Code::PermissionDenied),
            (ended, vec![name(&part), chunk(&bytes)], Code::Aborted),
            (large, vec![], Code::InvalidArgument),
            (few, vec![name(&part), chunk(&bytes)], Code::InvalidArgument),
            (of_job.clone(), vec![name(&part), chunk(&[7; 1000])], Code::InvalidArgument),
            (of_job.clone(), vec![name(&part), chunk(&bytes[1..])], Code::InvalidArgument),
            (of_job.clone(), vec![name(&part)], Code::InvalidArgument),
            (of_job.clone(), vec![chunk(&bytes)], Code::InvalidArgument),
            (of_job.clone(), many.collect(), Code::InvalidArgument),
        ] {
            let refused = worker.put(of_job, messages).await.unwrap_err();
            assert_eq!(refused.code(), code, "{refused}");
        }

        let results = |result| to_coordinator::Message::Results(Results { results: vec![result] });
        worker.client.say(results(worker.result())).await;
        assert_eq!(worker.verdict().await, Verdict::PartsMissing);
        worker.put(of_job, vec![name(&part), chunk(&bytes)]).await.unwrap();

        let run = worker.assignment.r#ref.clone().unwrap().run;
        let mut get = async |run| {
            let hash = part.hash().as_bytes().to_vec();
            let request = GetPartRequest { hash, run, ..GetPartRequest::default() };
            let mut chunks = worker.calls.get_part(request).await?.into_inner();
            Ok::<_, Status>(chunks.message().await?.unwrap().data)
        };
        assert_eq!(get(run).await.unwrap(), bytes);
        assert_eq!(get(vec![9; 16]).await.unwrap_err().code(), Code::NotFound);

        // A large result that is none, one in small pieces, and one without a session.
        let (session, ended) = (worker.session.clone(), vec![7; 16]);
        for (session, chunks, code, said) in [
            (session.clone(), vec![vec![0xff; 1000]], Code::InvalidArgument, ""),
            (session, vec![vec![0xff]; 2], Code::InvalidArgument, "a chunk of 1 bytes after 1"),
            (ended, vec![vec![0xff]], Code::Aborted, "the session has ended"),
        ] {
            let chunks = chunks.into_iter();
            let chunks = chunks.map(|bytes: Vec<u8>| ByteChunk { data: bytes.into() });
            let chunks = chunks.map(put_result_request::Message::Chunk);
            let messages = std::iter::once(put_result_request::Message::Session(session));
            let messages = messages.chain(chunks);
            let messages = messages.map(|message| PutResultRequest { message: Some(message) });
            let messages = tokio_stream::iter(messages.collect::<Vec<_>>());
            let refused = worker.calls.put_result(messages).await.unwrap_err();
            assert_eq!(refused.code(), code, "{refused}");
            assert!(refused.message().contains(said), "{refused}");
        }
    });
    (0..2).for_each(|_| farm.add_worker());
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], WRITES_PARTS.digest());
}
