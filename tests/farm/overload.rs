//! Clients that are too many, and one that means well beside them.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use hatchery_core::spec::MAX_SPEC_BYTES;
use hatchery_proto::v1::SubmitRequest;
use hatchery_proto::v1::control_client::ControlClient;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tonic::Code;

use crate::client::channel;
use crate::guarded::{Guarded, succeed};
use crate::harness::{Farm, PATIENCE};

/// What a coordinator may need in all while specs of 1 MB come in.
const MEMORY: u64 = 100 << 20;

/// The most half-open connections that are tried: more than a coordinator has in all.
const N_HALF_OPEN: u64 = 4300;

/// What a client says first, and a frame of settings that changes nothing.
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

/// The longest time that `list` takes in `n` calls, each of which must succeed.
fn longest_list(farm: &Farm, args: &[&str], n: usize) -> Duration {
    let one = |_| {
        let begun = Instant::now();
        succeed(farm, args);
        begun.elapsed()
    };
    (0..n).map(one).max().unwrap()
}

/// Large specs from 320 connections at once are read and opened a few at a time; the others are
/// refused, and whoever else calls does not notice.
#[test]
fn large_specs_at_once() {
    const N: usize = 320;
    const ROUNDS: usize = 3;
    let farm = Farm::start(1, 0);
    let (url, coordinator) = &farm.coordinators[0];
    let specs = large_specs();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let storm: Vec<_> = (0..N)
        .map(|idx| {
            let (url, spec) = (url.clone(), specs[idx % specs.len()].clone());
            runtime.spawn(async move {
                let mut client = ControlClient::new(channel(&url).await);
                let mut answers = Vec::new();
                for _ in 0..ROUNDS {
                    let request = SubmitRequest { spec: spec.clone(), ..SubmitRequest::default() };
                    answers.push(client.submit(request).await.map(|_| ()));
                }
                answers
            })
        })
        .collect();
    let list = ["list", "--coordinator", url];
    let longest = longest_list(&farm, &list, 10);
    let small = Instant::now();
    succeed(&farm, &["submit", "pig/smoke", "--coordinator", url]);
    let small = small.elapsed();
    let mut codes = BTreeMap::<i32, usize>::new();
    for answers in storm {
        for answer in runtime.block_on(answers).unwrap() {
            let code = answer.as_ref().map_or_else(tonic::Status::code, |()| Code::Ok);
            let expected = [Code::Ok, Code::InvalidArgument, Code::ResourceExhausted];
            assert!(expected.contains(&code) || code == Code::OutOfRange, "{answer:?}");
            *codes.entry(code.into()).or_default() += 1;
        }
    }
    let peak = coordinator.peak_memory_bytes();
    println!(
        "{peak} bytes at most; list {longest:?} at most, a small spec {small:?}; answers by code \
         {codes:?}"
    );
    assert!(peak < MEMORY, "it had {peak} bytes");
    assert!(0 < codes[&Code::InvalidArgument.into()] && 0 < codes[&Code::ResourceExhausted.into()]);
}

/// Opens as many connections as the system allows, up to [`N_HALF_OPEN`], each of which says
/// `words`.
fn half_open(address: &str, words: &[u8]) -> Vec<TcpStream> {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let n = N_HALF_OPEN.min(limit.saturating_sub(500));
    let connect = |_| {
        let mut stream = TcpStream::connect(address).unwrap();
        // The coordinator may have hung up already.
        stream.write_all(words).unwrap_or(());
        stream
    };
    (0..n).map(connect).collect()
}

/// Lets this process and those that it starts have as many files as the system allows.
fn allow_files() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
}

/// How long a connection lasts that says what is right, byte by byte.
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

/// Opens half-open connections, each of which says `words`, and calls `list` meanwhile; what was
/// measured.
fn list_beside_half_open(farm: &Farm, url: &str, list: &[&str], words: &[u8]) -> String {
    let address = url.trim_start_matches("http://");
    let begun = Instant::now();
    let mut connections = half_open(address, words);
    let opened = begun.elapsed();
    let longest = longest_list(farm, list, 5);
    let lasted = drip(connections.pop().unwrap(), words);
    format!(
        "{} half-open connections after {opened:?}; list {longest:?} at most; the last of them was \
         closed after {lasted:?}; {} bytes",
        connections.len() + 1,
        farm.coordinators[0].1.peak_memory_bytes(),
    )
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
