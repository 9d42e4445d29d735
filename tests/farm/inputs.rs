//! Parts that enter and leave a farm: from a laptop, from another run, and from clients that send
//! something else.

use std::fs;

use hatchery_catalog::CATALOG;
use hatchery_core::spec::SpecDocument;
use hatchery_core::{Digest, Part, PartSet, reference};
use hatchery_proto::PART_CHUNK_BYTES;
use hatchery_proto::v1::control_client::ControlClient;
use hatchery_proto::v1::{
    ByteChunk, InputHead, PartRef, PutInputRequest, SubmitRequest, put_input_request,
};
use hatchery_worker::CallCredentials;
use prost::bytes::Bytes;
use serde_json::Value as Json;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::client::channel;
use crate::guarded::Guarded;
use crate::harness::Farm;
use crate::process::Process;
use crate::verbs::{json, output};

/// A run whose last part is an exhibit of two chunks; with a seed, it is another run.
const MAKER: [&str; 9] = [
    "burn/smoke",
    "--set",
    "parts=3",
    "--set",
    "part_bytes=300000",
    "--set",
    "new_parts=2",
    "--set",
    "generations=2",
];

/// The spec of a run of several generations that takes in the bytes with this hash.
fn taker(hash: &Digest) -> String {
    format!(
        "experiment = \"burn\"\nseed = 1\n\n[params]\ntrials = 300\nrounds = 10\ngenerations = 7\n\
         input = {{ blake3 = \"{hash}\" }}\n"
    )
}

/// The digest that the plainest way to run gives, with a seed.
fn reference_digest(seed: u64, input: &[u8]) -> String {
    let spec = taker(&Digest::of(input));
    let document = SpecDocument::parse("taker", spec.as_bytes()).unwrap();
    let burn = CATALOG.find("burn").unwrap();
    let configured = burn.configure(&document).unwrap();
    let mut inputs = PartSet::default();
    inputs.add(input.to_vec());
    let run = reference::run_with_inputs(burn, configured.as_ref(), seed, &inputs);
    run.unwrap().digest.to_string()
}

/// Maps in files: every generation is planned and folded from them, by whichever coordinator leads.
#[test]
fn a_farm_reads_the_files_of_a_spec_after_a_failover() {
    let mut farm = Farm::start(2, 1);
    fs::create_dir(farm.path().join("maps")).unwrap();
    let lines = "GSWOBSBGWDWOWOGSBGS-A29C64A9B38834556B-3GO3S33BW\n\n\
                 WSSGOGWWBDOGGOWSBSB-638245A5969AB3C84B-3S33BW3GO\n";
    fs::write(farm.path().join("maps/two.txt"), lines).unwrap();
    fs::write(farm.path().join("maps/named"), "rulebook\n").unwrap();
    let spec = "experiment = \"catan-balance\"\nseed = 1\n[params]\ngames = 2000\n\
                method = { kind = \"anytime\", most_games = 16000 }\n\
                pool = { agent = { kind = \"weighted\" } }\nmaps = { file = \"maps\" }\n";
    fs::write(farm.path().join("maps.toml"), spec).unwrap();
    let local = ["run", "maps.toml", "--out", "local", "--output", "json"];
    let local = farm.hatchery(&local).output().unwrap();
    let local: Json = serde_json::from_slice(&local.stdout).unwrap();
    let names: Vec<_> =
        local["measures"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert!(names.iter().any(|name| *name == "two.txt-3/sigma"), "{names:?}");

    let mut args = vec!["submit", "maps.toml", "--wait", "--output", "json"];
    args.extend(["--idempotency-key", "maps"]);
    args.extend(farm.coordinators.iter().flat_map(|(url, _)| ["--coordinator", url]));
    let submitted = Process::start("submit", &mut farm.hatchery(&args));
    let leader = farm.leader();
    farm.restart_coordinator(leader);
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], local["digest"]);
    // The maps are gone; the run has them.
    fs::remove_dir_all(farm.path().join("maps")).unwrap();
    let run = document["run"].as_str().unwrap().to_owned();
    let verified = output(&farm, &["verify", &run, "--sample", "10%"]);
    assert!(verified.contains("all results are the same here"), "{verified}");
    output(&farm, &["fetch", &run, "--out", "fetched"]);
    let again = farm.hatchery(&["run", "fetched/spec.toml", "--output", "json"]).output().unwrap();
    let again: Json = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(again["digest"], local["digest"]);
    let known = json(&farm, &["submit", "fetched/spec.toml", "--idempotency-key", "maps"]);
    assert_eq!((&known["run"], &known["created"]), (&document["run"], &false.into()));
    let reused = json(&farm, &["submit", "local/spec.toml", "--wait", "--reuse"]);
    assert_eq!(reused["run"], document["run"]);
}

/// How many inputs the coordinator took.
fn n_taken(farm: &Farm) -> usize {
    let lines = farm.coordinators[0].1.lines();
    lines.iter().filter(|line| line.contains("input taken")).count()
}

/// An exhibit of a run on a laptop is an input of a run on a farm; an input that the farm has is
/// not sent again, also if another run on the farm made it.
#[test]
fn from_a_laptop_to_a_farm() {
    let farm = Farm::start(1, 1);
    let local = [&["run"], &MAKER[..], &["--out", "runs/made", "--output", "quiet"]].concat();
    assert!(farm.hatchery(&local).output().unwrap().status.success());
    let bytes = fs::read(farm.path().join("runs/made/exhibits/part.bin")).unwrap();
    fs::write(farm.path().join("taker.toml"), taker(&Digest::of(&bytes))).unwrap();
    let submit = ["submit", "taker.toml", "--wait"];
    let taken = json(&farm, &submit);
    assert_eq!(taken["digest"], reference_digest(1, &bytes));
    assert_eq!(n_taken(&farm), 1);
    let run = taken["run"].as_str().unwrap();
    let verified = output(&farm, &["verify", run, "--sample", "100%"]);
    assert!(verified.contains("all results are the same here"), "{verified}");
    output(&farm, &["replay", run, "6/0/0"]);

    fs::remove_dir_all(farm.path().join("runs")).unwrap();
    let again = json(&farm, &[&submit[..], &["--set", "seed=2"]].concat());
    assert_eq!(again["digest"], reference_digest(2, &bytes));

    // The exhibit of a run on the farm.
    let made = json(&farm, &[&["submit", "--wait", "--set", "seed=5"], &MAKER[..]].concat());
    output(&farm, &["fetch", made["run"].as_str().unwrap(), "--out", "fetched"]);
    let bytes = fs::read(farm.path().join("fetched/exhibits/part.bin")).unwrap();
    assert_eq!(made["exhibits"][0]["blake3"], Digest::of(&bytes).to_string());
    fs::write(farm.path().join("taker.toml"), taker(&Digest::of(&bytes))).unwrap();
    let third = json(&farm, &[&submit[..], &["--idempotency-key", "third"]].concat());
    assert_eq!(third["digest"], reference_digest(1, &bytes));
    assert_eq!(n_taken(&farm), 1, "nothing is sent that the farm has");
    let repeated = json(&farm, &["submit", "taker.toml", "--idempotency-key", "third"]);
    assert_eq!((&repeated["run"], &repeated["created"]), (&third["run"], &false.into()));

    let missing = Digest::of(b"nowhere");
    fs::write(farm.path().join("taker.toml"), taker(&missing)).unwrap();
    let n_keys = || farm.redis.cli(&["HLEN", "ht:{idem}"]).unwrap();
    let before = n_keys();
    let url = farm.coordinators[0].0.clone();
    let refused = farm.hatchery(&["submit", "taker.toml", "--coordinator", &url]).output();
    let refused = refused.unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(13), "{said}");
    let expected = format!(
        "input = {{ blake3 = \"{missing}\" }}: found neither in --input (none given), nor in \
         exhibits of runs in runs/ (0 searched), nor on the farm"
    );
    assert!(said.contains(&expected), "{said}");
    assert_eq!(n_keys(), before, "the key of a refused submission is not kept");
}

type Control = ControlClient<InterceptedService<Channel, CallCredentials>>;

async fn client(url: &str, credentials: CallCredentials) -> Control {
    ControlClient::with_interceptor(channel(url).await, credentials)
}

fn head(key: &str, part: Part) -> put_input_request::Message {
    let hash = part.hash().as_bytes().to_vec();
    let input = Some(PartRef { hash, n_bytes: part.n_bytes() });
    put_input_request::Message::Head(InputHead { idempotency_key: key.to_owned(), input })
}

fn chunk(bytes: &[u8]) -> put_input_request::Message {
    put_input_request::Message::Chunk(ByteChunk { data: Bytes::copy_from_slice(bytes) })
}

/// Sends an input; how that was answered.
async fn put(
    client: &mut Control,
    messages: Vec<put_input_request::Message>,
) -> Result<(), Status> {
    let messages = messages.into_iter();
    let messages = messages.map(|message| PutInputRequest { message: Some(message) });
    client.put_input(tokio_stream::iter(messages)).await.map(drop)
}

/// Bytes that differ from the announcement, are too many or too few, or have no submission are
/// refused; the right bytes are taken, as often as they come, until the run exists.
#[test]
fn inputs_that_are_not() {
    let farm = Farm::start(1, 0);
    let url = farm.coordinators[0].0.clone();
    let (bytes, key) = (vec![7; 300_000], "hostile");
    let (first, last) = bytes.split_at(PART_CHUNK_BYTES);
    let other_last = vec![8; last.len()];
    let part = Part::of(&bytes);
    let large = {
        let hash = part.hash().as_bytes().to_vec();
        let input = Some(PartRef { hash, n_bytes: (64 << 20) + 1 });
        let idempotency_key = key.to_owned();
        put_input_request::Message::Head(InputHead { idempotency_key, input })
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut client = client(&url, CallCredentials::default()).await;
        for (messages, said) in [
            (vec![], "the head of an input must come first"),
            (vec![chunk(first)], "the head of an input must come first"),
            (vec![head("", part)], "the idempotency key has 0 bytes"),
            (vec![large], "n_bytes is 67108865"),
            (vec![head(key, part)], "is incomplete"),
            (vec![head(key, part), chunk(first)], "is incomplete"),
            (vec![head(key, part), chunk(last)], "chunk 0 of part"),
            (vec![head(key, part), chunk(first), chunk(&last[1..])], "chunk 1 of part"),
            (vec![head(key, part), chunk(first), chunk(&other_last)], "have another hash"),
            (vec![head(key, part), chunk(first), chunk(last), chunk(&[7])], "chunk 2 of part"),
            (vec![head(key, part), head(key, part)], "a chunk must come"),
        ] {
            let refused = put(&mut client, messages).await.unwrap_err();
            assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
            assert!(refused.message().contains(said), "{said}: {refused}");
        }
        let other = Part::of(&bytes[1..]);
        let submission = |input: Part| SubmitRequest {
            spec: taker(&input.hash()),
            idempotency_key: key.to_owned(),
            ..SubmitRequest::default()
        };
        let lacks = client.submit(submission(other)).await.unwrap().into_inner();
        assert_eq!((lacks.run.as_str(), lacks.created), ("", false));
        let [missing] = &lacks.missing_inputs[..] else { panic!("{lacks:?}") };
        assert_eq!(missing.key, "input");
        assert_eq!(missing.hash, other.hash().as_bytes());

        for _ in 0..2 {
            let right = vec![head(key, part), chunk(first), chunk(last)];
            put(&mut client, right).await.unwrap();
        }
        let submitted = client.submit(submission(part)).await.unwrap().into_inner();
        assert!(submitted.created);
        let late = put(&mut client, vec![head(key, other)]).await.unwrap_err();
        assert_eq!(late.code(), Code::FailedPrecondition, "{late}");
        let changed = client.submit(submission(other)).await.unwrap_err();
        assert_eq!(changed.code(), Code::AlreadyExists, "{changed}");
    });
}

/// Only users who may submit runs may send inputs.
#[test]
fn inputs_of_strangers() {
    let guarded = Guarded::start();
    let part = Part::of(b"weights");
    let token = |name: &str| {
        let secret = fs::read_to_string(guarded.farm.path().join(format!("{name}.token"))).unwrap();
        CallCredentials::bearer(secret.trim()).unwrap()
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        for (credentials, code) in [
            (CallCredentials::default(), Some(Code::Unauthenticated)),
            (token("stranger"), Some(Code::Unauthenticated)),
            (token("eve"), Some(Code::PermissionDenied)),
            (token("lab"), Some(Code::PermissionDenied)),
            (token("ada"), None),
        ] {
            let mut client = client(&guarded.url, credentials).await;
            let answer = put(&mut client, vec![head("key", part), chunk(b"weights")]).await;
            assert_eq!(answer.err().map(|status| status.code()), code);
        }
    });
}
