//! Too many clients, and a well-behaved client beside them.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hatchery_core::spec::MAX_SPEC_BYTES;
use hatchery_proto::v1::control_client::ControlClient;
use hatchery_proto::v1::{ListRunsRequest, SubmitRequest};
use hatchery_test_redis::PATIENCE;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::client::channel;
use crate::guarded::{Guarded, succeed};
use crate::harness::{Farm, Work};
use crate::process::find;

/// The clients that send specs of 1 MB at once.
const N_CLIENTS: u64 = 320;

/// The bytes that a coordinator takes of a body that is not admitted: the beginning that every
/// submission may have, the window of its stream, and buffers of its connection.
const UNREAD_BYTES: u64 = (16 + 256 + 16) << 10;

/// The specs of a caller that are admitted at a time, and what each takes: its bytes, decoded, and
/// as a tree, twice while it is read.
const N_ADMITTED: u64 = 2;
const ADMITTED_BYTES: u64 = 20 << 20;

/// The most half-open connections that are tried: more than a coordinator has in all.
const N_HALF_OPEN: u64 = 4300;

/// The most tests that have so many connections at the same time: they belong to the same process.
const N_TESTS: u64 = 4;

/// The first bytes of a client, and a frame of settings that changes nothing.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS: &[u8] = b"\0\0\0\x04\0\0\0\0\0";

/// Specs of 1 MB: some are TOML, some are specs, and one is too long.
fn large_specs() -> Vec<String> {
    const SPEC: &str = "experiment = \"pig\"\nseed = 1\n[params]\ngames = 300\nhold_at = [20]\n";
    let fill = |begin: &str, piece: &str| {
        let n_pieces = (MAX_SPEC_BYTES - begin.len()) / piece.len();
        format!("{begin}{}", piece.repeat(n_pieces))
    };
    let keys: String = (0..70_000).map(|idx| format!("x{idx} = 1\n")).collect();
    vec![
        fill("experiment = \"pig\"\nseed = 1\n[params]\nhold_at = [", "20,"),
        fill("a = ", "["),
        fill("", "a."),
        fill("", "x=1\n"),
        fill("a = ", "{a="),
        fill("", "[a.b]\n"),
        keys,
        fill(&format!("{SPEC}#"), " "),
        "x".repeat(MAX_SPEC_BYTES + 1),
        "x".repeat(2 * MAX_SPEC_BYTES),
    ]
}

/// The longest time that `list` takes in `n` calls; every call must succeed.
fn longest_list(farm: &Farm, args: &[&str], n: usize) -> Duration {
    let one = |_| {
        let begun = Instant::now();
        succeed(farm, args);
        begun.elapsed()
    };
    (0..n).map(one).max().unwrap()
}

/// How often each client sends its spec.
const ROUNDS: usize = 3;

/// A client that has made a call: its connection is not half-open any more, however long the next
/// call takes.
async fn client(url: String) -> ControlClient<Channel> {
    let (mut client, begun) = (ControlClient::new(channel(&url).await), Instant::now());
    loop {
        let request = ListRunsRequest { most: 1, ..ListRunsRequest::default() };
        match client.list_runs(request).await {
            Ok(_) => return client,
            Err(status) if is_starved(&status) => {}
            Err(status) => panic!("{status:?}"),
        }
        assert!(begun.elapsed() < PATIENCE, "no call is answered");
    }
}

/// True if a call fails because the machine is busy: the store did not answer in time, or a client
/// was silent for too long, so that its connection was closed; it connects again.
fn is_starved(status: &Status) -> bool {
    status.code() == Code::Unavailable || is_closed(status)
}

fn is_closed(status: &Status) -> bool {
    status.source().is_some()
}

/// The code that represents a call whose connection was closed: no coordinator answers so.
const CLOSED: Code = Code::Aborted;

/// Sends a spec again and again, at least [`ROUNDS`] times and until a submission was refused; the
/// codes of the answers.
async fn storm(
    mut client: ControlClient<Channel>,
    spec: String,
    is_refused: Arc<AtomicBool>,
) -> Vec<Code> {
    let (begun, mut codes) = (Instant::now(), Vec::new());
    while codes.len() < ROUNDS || !is_refused.load(Ordering::Relaxed) {
        let request = SubmitRequest { spec: spec.clone(), ..SubmitRequest::default() };
        let answer = client.submit(request).await.map(|_| ());
        let code = match &answer {
            Ok(()) => Code::Ok,
            Err(status) if is_closed(status) => CLOSED,
            Err(status) => status.code(),
        };
        match code {
            Code::ResourceExhausted => is_refused.store(true, Ordering::Relaxed),
            // One that is too long, or did not arrive in its time on a busy machine.
            Code::OutOfRange | Code::DeadlineExceeded => {}
            Code::Ok | Code::InvalidArgument => {}
            _ if answer.as_ref().is_err_and(is_starved) => {}
            _ => panic!("{answer:?}"),
        }
        codes.push(code);
        assert!(begun.elapsed() < PATIENCE, "nobody is refused");
    }
    codes
}

/// Large specs from 320 connections at once are read and opened a few at a time. Further specs are
/// refused, and other callers get their answers. The coordinator's memory holds the admitted
/// bodies, and the windows of the other streams.
#[test]
fn large_specs_at_once() {
    let farm = Farm::start(1, 0);
    let (url, coordinator) = &farm.coordinators[0];
    let list = ["list", "--coordinator", url];
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let clients: Vec<_> = (0..N_CLIENTS).map(|_| runtime.spawn(client(url.clone()))).collect();
    let clients = clients.into_iter().map(|client| runtime.block_on(client).unwrap());
    let clients: Vec<_> = clients.collect();
    let before = coordinator.peak_memory_bytes();

    let specs = large_specs();
    let is_refused = Arc::<AtomicBool>::default();
    let storms = clients.into_iter().zip(specs.iter().cycle());
    let storms = storms.map(|(client, spec)| storm(client, spec.clone(), Arc::clone(&is_refused)));
    let storms: Vec<_> = storms.map(|storm| runtime.spawn(storm)).collect();
    let longest = longest_list(&farm, &list, 10);
    let small = Instant::now();
    succeed(&farm, &["submit", "pig/smoke", "--coordinator", url]);
    let small = small.elapsed();
    let mut codes = BTreeMap::<i32, usize>::new();
    for code in storms.into_iter().flat_map(|codes| runtime.block_on(codes).unwrap()) {
        *codes.entry(code.into()).or_default() += 1;
    }
    let more = coordinator.peak_memory_bytes() - before;
    println!(
        "{more} bytes more than {before}; list {longest:?} at most, a small spec {small:?}; \
         answers by code {codes:?}"
    );
    let most = N_CLIENTS * UNREAD_BYTES + N_ADMITTED * ADMITTED_BYTES;
    assert!(more < most, "it had {more} bytes more, of {most}");
    assert!(codes.contains_key(&Code::InvalidArgument.into()), "none was read: {codes:?}");
    let n_closed = codes.get(&CLOSED.into()).copied().unwrap_or(0);
    assert!(n_closed * 10 < codes.values().sum(), "many connections were closed: {codes:?}");
}

/// Opens connections that say the first words of a client, and then nothing.
pub(crate) fn hold_connections(address: &str, n: usize) -> Vec<TcpStream> {
    let words = [PREFACE, SETTINGS].concat();
    (0..n)
        .filter_map(|_| TcpStream::connect(address).ok())
        .inspect(|mut stream| {
            // The coordinator may have hung up already.
            stream.write_all(&words).unwrap_or(());
        })
        .collect()
}

/// Opens as many connections as the system allows each test, up to [`N_HALF_OPEN`], and each
/// connection says `words`.
fn half_open(address: &str, words: &[u8]) -> Vec<TcpStream> {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let n = N_HALF_OPEN.min(limit.saturating_sub(2000) / N_TESTS);
    (0..n).map(|_| open_half(address, words)).collect()
}

/// Opens a connection that says `words`.
fn open_half(address: &str, words: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    // The coordinator may have hung up already.
    stream.write_all(words).unwrap_or(());
    stream
}

/// Lets this process and its children have as many files as the system allows.
pub(crate) fn allow_files() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
}

/// The lifetime of a connection that sends a valid request byte by byte.
fn drip(mut stream: TcpStream, words: &[u8]) -> Duration {
    let begun = Instant::now();
    stream.set_read_timeout(Some(Duration::from_millis(250))).unwrap();
    let mut answer = [0; 1024];
    for byte in PREFACE[words.len()..].iter().chain(SETTINGS.iter().cycle()) {
        if stream.write_all(&[*byte]).is_err() {
            break;
        }
        match stream.read(&mut answer) {
            Ok(0) => break,
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break,
            // The coordinator says its settings, or nothing.
            Ok(_) | Err(_) => assert!(begun.elapsed() < PATIENCE, "the connection lasts"),
        }
    }
    begun.elapsed()
}

/// Keeps half-open connections, which say `words`, until `is_done`: a connection that the
/// coordinator closes is opened again. Returns the number of opened connections, and the last
/// connection.
fn keep_half_open(address: &str, words: &[u8], is_done: &AtomicBool) -> (usize, TcpStream) {
    let mut connections = half_open(address, words);
    let mut n_opened = connections.len();
    // The coordinator may say its settings.
    let is_closed = |stream: &mut TcpStream| {
        stream.set_nonblocking(true).unwrap();
        match stream.read(&mut [0; 1024]) {
            Ok(n) => n == 0,
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        }
    };
    while !is_done.load(Ordering::Relaxed) {
        for stream in &mut connections {
            if is_closed(stream) {
                *stream = open_half(address, words);
                n_opened += 1;
            }
        }
        std::thread::park_timeout(BETWEEN_ROUNDS);
    }
    (n_opened, open_half(address, words))
}

/// How long the client of half-open connections leaves the cores to other processes.
const BETWEEN_ROUNDS: Duration = Duration::from_millis(100);

/// Calls `list` beside half-open connections, which say `words`, and returns the measurements. A
/// call that the machine is too busy for is repeated, and the connections stay until the last is
/// answered.
fn list_beside_half_open(farm: &Farm, url: &str, list: &[&str], words: &[u8]) -> String {
    let address = url.trim_start_matches("http://");
    let is_done = AtomicBool::new(false);
    let (longest, (n_opened, last)) = std::thread::scope(|scope| {
        let kept = scope.spawn(|| keep_half_open(address, words, &is_done));
        let one = |_| {
            let begun = Instant::now();
            find(|| {
                let output = farm.hatchery(list).output().unwrap();
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                output.status.success().then_some(()).ok_or(said)
            });
            begun.elapsed()
        };
        let longest = (0..5).map(one).max().unwrap();
        is_done.store(true, Ordering::Relaxed);
        (longest, kept.join().unwrap())
    });
    let lasted = drip(last, words);
    format!(
        "{n_opened} half-open connections; list {longest:?} at most; the last of them was closed \
         after {lasted:?}; {} bytes",
        farm.coordinators[0].1.peak_memory_bytes(),
    )
}

/// A farm whose coordinator may open 1,024 files, which is the usual limit.
fn farm_with_few_files() -> Farm {
    allow_files();
    let mut farm = Farm::start(0, 0);
    farm.has_few_files = true;
    farm.add_coordinator();
    farm
}

/// Checks that people and a new worker are served, and that a run of them ends as it should.
fn serves(farm: &mut Farm) {
    let url = farm.coordinators[0].0.clone();
    succeed(farm, &["list", "--coordinator", &url]);
    farm.add_worker();
    let work = Work { preset: "pig/smoke", set: &[] };
    let run = farm.submit(work);
    assert_eq!(farm.finish(run)["digest"], work.digest().as_str());
}

/// More clients than a coordinator may have files lock nobody out: connections that are idle make
/// way, and their clients connect again when they need to.
#[test]
fn idle_clients_with_few_files() {
    const N_IDLE: usize = 1100;
    let mut farm = farm_with_few_files();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let list = async |client: &mut ControlClient<Channel>| {
        client.list_runs(ListRunsRequest::default()).await
    };
    let mut clients = Vec::new();
    for _ in 0..N_IDLE {
        let url = farm.coordinators[0].0.clone();
        clients.push(runtime.block_on(async {
            let mut client = ControlClient::new(channel(&url).await);
            list(&mut client).await.unwrap();
            client
        }));
    }
    serves(&mut farm);
    for client in [0, N_IDLE - 1] {
        // The first call over a connection that was closed may be the call that notices it.
        find(|| runtime.block_on(list(&mut clients[client])));
    }
}

#[test]
fn half_open_connections_with_few_files() {
    let mut farm = farm_with_few_files();
    let address = farm.coordinators[0].0.trim_start_matches("http://").to_owned();
    let connections = half_open(&address, &PREFACE[..3]);
    serves(&mut farm);
    drop(connections);
}

/// Without tokens, three bytes are no call.
#[test]
fn half_open_connections() {
    allow_files();
    let farm = Farm::start(1, 0);
    let url = &farm.coordinators[0].0;
    let list = ["list", "--coordinator", url];
    println!("{}", list_beside_half_open(&farm, url, &list, &PREFACE[..3]));
}

#[test]
fn half_open_connections_where_tokens_are_needed() {
    allow_files();
    let guarded = Guarded::start();
    let list = guarded.as_("eve", &["list"]);
    println!("{}", list_beside_half_open(&guarded.farm, &guarded.url, &list, PREFACE));
}
