//! `hatchery worker` as a person or a script starts it.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::io::{BufRead, BufReader};
use std::pin::Pin;
use std::process::{Child, Command, Stdio};

use hatchery_proto::v1::worker_plane_server::{WorkerPlane, WorkerPlaneServer};
use hatchery_proto::v1::{
    ByteChunk, GetPartRequest, PutPartsRequest, PutPartsResponse, PutResultRequest,
    PutResultResponse, ToCoordinator, ToWorker,
};
use rustix::process::{Pid, Signal, kill_process};
use tokio_stream::Stream;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status, Streaming};

/// A coordinator of another version.
struct Other;

type Outbound<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl WorkerPlane for Other {
    type SessionStream = Outbound<ToWorker>;
    type GetPartStream = Outbound<ByteChunk>;

    async fn session(
        &self,
        _: Request<Streaming<ToCoordinator>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        Err(Status::failed_precondition("install the same release on both"))
    }

    async fn get_part(
        &self,
        _: Request<GetPartRequest>,
    ) -> Result<Response<Self::GetPartStream>, Status> {
        Err(Status::not_found("nothing here"))
    }

    async fn put_parts(
        &self,
        _: Request<Streaming<PutPartsRequest>>,
    ) -> Result<Response<PutPartsResponse>, Status> {
        Err(Status::not_found("nothing here"))
    }

    async fn put_result(
        &self,
        _: Request<Streaming<PutResultRequest>>,
    ) -> Result<Response<PutResultResponse>, Status> {
        Err(Status::not_found("nothing here"))
    }
}

fn worker(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_hatchery"))
        .arg("worker")
        .args(args)
        .env_remove("HATCHERY_LOG")
        .env_remove("HATCHERY_COORDINATOR")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The exit code of a worker that ends by itself, and its log.
fn ended(worker: Child) -> (i32, String) {
    let output = worker.wait_with_output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn bad_addresses_are_refused_at_once() {
    for (url, expected) in [
        ("http://farm.example:7700", "plain TCP is accepted on loopback only"),
        ("http://127.0.0.1:99999", "the port is \"99999\", but must be from 1 to 65535"),
        ("127.0.0.1:65536", "the port is \"65536\", but must be from 1 to 65535"),
        ("https://farm.example:", "the port is \"\", but must be from 1 to 65535"),
        ("ftp://127.0.0.1", "is not a coordinator's address, such as http://127.0.0.1:7700"),
    ] {
        let (code, said) = ended(worker(&["--coordinator", url]));
        assert_eq!(code, 2, "{said}");
        assert!(said.contains(expected), "{said}");
    }
    let (code, said) = ended(worker(&[]));
    assert_eq!(code, 2, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_version_ends_with_its_own_exit_code() {
    let incoming = TcpIncoming::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}", incoming.local_addr().unwrap());
    let service = WorkerPlaneServer::new(Other);
    tokio::spawn(Server::builder().add_service(service).serve_with_incoming(incoming));
    let worker = worker(&["--coordinator", &url, "--slots", "1"]);
    let (code, said) = tokio::task::spawn_blocking(|| ended(worker)).await.unwrap();
    assert_eq!(code, 12, "{said}");
    assert!(said.contains("install the same release on both"), "{said}");
}

#[test]
fn a_worker_that_finds_nobody_waits_until_it_is_told_to_stop() {
    // Port 1 of this machine has no listener.
    let mut worker = worker(&["--coordinator", "http://127.0.0.1:1", "--slots", "1"]);
    let mut lines = BufReader::new(worker.stderr.take().unwrap()).lines().map(Result::unwrap);
    for _ in 0..2 {
        lines.find(|line| line.contains("cannot reach")).expect("it tries again and again");
    }
    kill_process(Pid::from_child(&worker), Signal::TERM).unwrap();
    lines.find(|line| line.contains("drained")).expect("it has nothing to give back");
    assert!(worker.wait().unwrap().success());
}
