//! Access with tokens, and refusals without.

use std::process::Command;
use std::time::Instant;

use hatchery_proto::v1::control_client::ControlClient;
use hatchery_proto::v1::{ListRunsRequest, WatchRunRequest, WatchUpdate, to_coordinator};
use hatchery_test_redis::PATIENCE;
use hatchery_worker::CallCredentials;
use rustix::process::Signal;
use tonic::{Code, Streaming};

use crate::client::{Client, channel, hello};
use crate::guarded::{Guarded, fail, farm, succeed};
use crate::harness::LONG_RUN;
use crate::metrics::{get, value};
use crate::process::{Process, until};

/// How often the coordinator refused for that reason.
fn n_refused(guarded: &Guarded, reason: &str) -> Option<f64> {
    let (_, text) = get(&guarded.metrics, "/metrics")?;
    value(&text, &format!("hatchery_auth_failures_total{{reason=\"{reason}\"}}"))
}

/// The progress of the last run, as the token of that name may see it; the first status has come.
async fn watch(guarded: &Guarded, token: &str) -> Streaming<WatchUpdate> {
    let secret = std::fs::read_to_string(guarded.farm.path().join(format!("{token}.token")));
    let credential = CallCredentials::bearer(secret.unwrap().trim()).unwrap();
    let mut client = ControlClient::with_interceptor(channel(&guarded.url).await, credential);
    let listed = client
        .list_runs(ListRunsRequest { most: 1, ..ListRunsRequest::default() })
        .await
        .unwrap()
        .into_inner();
    let request = WatchRunRequest { run: listed.runs[0].run.clone(), from: 0 };
    let mut updates = client.watch_run(request).await.unwrap().into_inner();
    updates.message().await.unwrap().unwrap();
    updates
}

#[test]
fn strangers_are_refused_logged_and_counted() {
    let guarded = Guarded::start();
    let farm = &guarded.farm;
    let url = guarded.url.clone();
    let bare = fail(farm, 11, &["list", "--coordinator", &url]);
    assert!(bare.contains("a token is needed: give --token-file"), "{bare}");
    let wrong = fail(farm, 11, &guarded.as_("stranger", &["list"]));
    assert!(wrong.contains("the token is not known here"), "{wrong}");
    let revoked = fail(farm, 11, &guarded.as_("old", &["list"]));
    assert!(revoked.contains("the token old was revoked"), "{revoked}");
    // Who may look may do nothing, and neither computes.
    succeed(farm, &guarded.as_("eve", &["list"]));
    for (token, args) in [
        ("eve", &["submit", "pig/smoke"][..]),
        ("eve", &["worker"]),
        ("ada", &["worker"]),
        ("lab", &["list"]),
        ("lab", &["submit", "pig/smoke"]),
    ] {
        let said = fail(farm, 11, &guarded.as_(token, args));
        assert!(said.contains(&format!("the token {token} is for the role")), "{said}");
    }
    fail(farm, 11, &["worker", "--coordinator", &url]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let status = runtime.block_on(async {
        let hello = to_coordinator::Message::Hello(hello(1));
        Client::open(channel(&url).await, hello).await.err().unwrap()
    });
    assert_eq!(status.code(), Code::Unauthenticated, "{status}");

    for (reason, n) in [("missing", 3.0), ("unknown", 1.0), ("revoked", 1.0), ("role", 5.0)] {
        assert_eq!(n_refused(&guarded, reason), Some(n), "{reason}");
    }
    let log = guarded.log();
    assert!(log.contains("token=eve") && log.contains("peer=127.0.0.1:"), "{log}");
    for secret in guarded.secrets() {
        assert!(!log.contains(&secret), "{log}");
        assert!(![&bare, &wrong, &revoked].iter().any(|said| said.contains(&secret)));
    }
}

#[test]
fn a_run_is_of_whoever_shows_the_token() {
    let guarded = Guarded::start();
    let submit = ["submit", "pig/smoke", "--name", "mine"];
    succeed(&guarded.farm, &guarded.as_("ada", &submit));
    let shown = succeed(&guarded.farm, &guarded.as_("eve", &["show", "mine", "--output", "json"]));
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["user"], "ada", "{shown}");
    let other = [&submit[..], &["--user", "eve"]].concat();
    let said = fail(&guarded.farm, 11, &guarded.as_("ada", &other));
    assert!(said.contains("runs submitted with the token ada belong to ada"), "{said}");
}

#[test]
fn nothing_is_open_beyond_this_machine_by_mistake() {
    let farm = farm();
    let everywhere = ["coordinator", "--store", "farm.redb", "--listen", "0.0.0.0:0"];
    let here = ["coordinator", "--store", "farm.redb", "--listen", "127.0.0.1:0"];
    for (args, more, part) in [
        (everywhere, &[][..], "--open-to-everyone"),
        (everywhere, &["--tokens", "tokens"], "plain TCP is accepted on loopback only"),
        (everywhere, &["--tokens", "tokens", "--open-to-everyone"], "cannot be used with"),
        (here, &["--metrics", "0.0.0.0:0"], "--metrics-open"),
        (here, &["--metrics", "0.0.0.0:0", "--tokens", "tokens"], "--metrics-open"),
        (here, &["--tokens", "no-tokens"], "no-tokens"),
    ] {
        let args = [&args[..], more].concat();
        let output = farm.hatchery(&args).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(part), "{args:?}: {said}");
    }
    // Documentation's addresses: nobody is there, and nothing is sent.
    let far = ["--coordinator", "http://192.0.2.1:7700", "--token-file", "lab.token"];
    for verb in ["worker", "list"] {
        let said = fail(&farm, 2, &[&[verb], &far[..]].concat());
        assert!(said.contains("plain TCP is accepted on loopback only"), "{said}");
    }
    let worker = ["worker", "--coordinator", "http://127.0.0.1:9", "--metrics", "0.0.0.0:0"];
    assert!(fail(&farm, 2, &worker).contains("--metrics-open"));

    let open = [&everywhere[..], &["--open-to-everyone"]].concat();
    let coordinator = Process::start("open", &mut farm.hatchery(&open));
    let begun = Instant::now() - PATIENCE;
    coordinator.wait_for(begun, PATIENCE, |line| line.contains("listens on http://0.0.0.0:"));
}

#[test]
fn a_token_file_that_everybody_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let farm = farm();
    let path = farm.path().join("ada.token");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let args = ["list", "--coordinator", "http://127.0.0.1:9", "--token-file", "ada.token"];
    let said = fail(&farm, 2, &args);
    assert!(said.contains("chmod o= ada.token"), "{said}");
}

/// A client that is connected with a revoked token is cut off, hears the reason if it listens, and
/// no other client notices. The connections of clients that do not listen are closed all the same,
/// before they count as silent.
#[test]
fn a_revoked_token_is_cut_off() {
    let guarded = Guarded::start();
    let set = LONG_RUN.set.iter().flat_map(|assignment| ["--set", assignment]);
    let submit: Vec<_> = ["submit", LONG_RUN.preset, "--wait"].into();
    let submit: Vec<_> = submit.into_iter().chain(set).collect();
    let submitted = guarded.process("submit", &guarded.as_("ada", &submit));
    let worker = |token| {
        guarded.process(token, &guarded.as_(token, &["worker", "--slots", "1", "--name", token]))
    };
    let (mut listens, deaf, spare) = (worker("lab"), worker("lab"), worker("spare"));
    let begun = Instant::now() - PATIENCE;
    for process in [&listens, &deaf, &spare] {
        process.wait_for(begun, PATIENCE, |line| line.contains("connected"));
    }
    guarded.wait_for("verdict=Accepted");
    let mut watching = guarded.process("watch", &guarded.as_("eve", &["watch", "last"]));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut updates = runtime.block_on(watch(&guarded, "eve"));
    let [tokens, fewer] = ["tokens", "fewer-tokens"].map(|name| guarded.farm.path().join(name));
    std::fs::copy(&tokens, &fewer).unwrap();
    for name in ["lab", "eve"] {
        succeed(&guarded.farm, &["token", "revoke", name, "--tokens", "fewer-tokens"]);
    }

    deaf.signal(Signal::STOP);
    std::fs::rename(&fewer, &tokens).unwrap();
    let revoked = Instant::now();
    let (status, _) = listens.wait(PATIENCE);
    assert_eq!(status.code(), Some(11), "{:#?}", listens.lines());
    assert!(listens.tail(3).contains("the token lab was revoked"), "{:#?}", listens.lines());
    let ended = runtime.block_on(async {
        loop {
            match tokio::time::timeout(PATIENCE, updates.message()).await.expect("it ends") {
                Ok(Some(_)) => {}
                ended => return ended,
            }
        }
    });
    let ended = ended.unwrap_err();
    assert_eq!(
        (ended.code(), ended.message()),
        (Code::Unauthenticated, "the token eve was revoked")
    );
    let (status, _) = watching.wait(PATIENCE);
    assert_eq!(status.code(), Some(11), "{:#?}", watching.lines());
    let metric = |series: &str| {
        let (_, text) = get(&guarded.metrics, "/metrics").unwrap();
        value(&text, series)
    };
    until("only the spare worker has a session", || {
        metric("hatchery_workers{state=\"connected\"}") == Some(1.0)
    });
    // One connection of each of both workers, and two of those who watched.
    until("all four are counted", || n_refused(&guarded, "revoked") >= Some(4.0));
    println!("cut off after {:?}", revoked.elapsed());
    let silent = metric("hatchery_worker_sessions_ended_total{reason=\"silent\"}");
    assert_eq!(silent, Some(0.0), "its silence says that it is gone");
    deaf.signal(Signal::CONT);
    let mut deaf = deaf;
    assert_eq!(deaf.wait(PATIENCE).0.code(), Some(11), "{:#?}", deaf.lines());
    guarded.farm.wait_for_progress();
    drop((submitted, spare));
}

#[test]
fn a_bad_file_of_tokens_lets_nobody_in_or_out() {
    let guarded = Guarded::start();
    let path = guarded.farm.path().join("tokens");
    let good = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, "\u{1b}[2J ada operator everything\n").unwrap();
    guarded.wait_for("cannot use the new tokens; the previous ones stay valid");
    succeed(&guarded.farm, &guarded.as_("ada", &["list"]));
    std::fs::write(&path, "").unwrap();
    guarded.wait_for("tokens lists no token any more, and listed 5");
    succeed(&guarded.farm, &guarded.as_("ada", &["list"]));
    std::fs::remove_file(&path).unwrap();
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    guarded.wait_for("tokens is a pipe, but must be a regular file");
    succeed(&guarded.farm, &guarded.as_("ada", &["list"]));
    std::fs::remove_file(&path).unwrap();
    let n_logged = guarded.log().matches("the previous ones stay valid").count();
    assert_eq!(n_logged, 3, "each is reported once");
    std::fs::write(&path, good).unwrap();
    succeed(&guarded.farm, &["token", "revoke", "ada", "--tokens", "tokens"]);
    until("ada is refused", || {
        let args = guarded.as_("ada", &["list"]);
        guarded.farm.hatchery(&args).output().unwrap().status.code() == Some(11)
    });
    let listed = succeed(&guarded.farm, &["token", "list", "--tokens", "tokens"]);
    assert!(listed.contains("ada") && listed.contains("revoked"), "{listed}");
    assert!(!guarded.secrets().iter().any(|secret| listed.contains(secret)));
}

/// A disk takes a part of a new text, and the file stays as it was.
#[test]
fn tokens_are_not_lost_to_a_full_disk() {
    let farm = farm();
    let path = farm.path().join("tokens");
    succeed(&farm, &["token", "revoke", "eve", "--tokens", "tokens"]);
    let full = |args: &[&str]| {
        let before = std::fs::read(&path).unwrap();
        // No file may get larger than 512 bytes, and a write beyond is an error, not a signal.
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""]);
        let command = farm.hatchery(args);
        shell.arg(command.get_program()).args(command.get_args()).current_dir(farm.path());
        let output = shell.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("cannot change tokens"), "{said}");
        assert!(output.stdout.is_empty(), "no token is shown that does not exist");
        assert_eq!(std::fs::read(&path).unwrap(), before, "{args:?}");
    };
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.truncate(text.match_indices('\n').nth(3).unwrap().0 + 1);
    let n_missing = 512 - text.len();
    std::fs::write(&path, format!("#{}\n{text}", "-".repeat(n_missing - 2))).unwrap();
    full(&["token", "add", "bob", "--role", "viewer", "--tokens", "tokens"]);
    full(&["token", "revoke", "lab", "--tokens", "tokens"]);
    std::fs::write(&path, format!("#{}\n{text}", "-".repeat(n_missing - 42))).unwrap();
    full(&["token", "add", "bob", "--role", "viewer", "--tokens", "tokens"]);
    for args in [
        &["token", "revoke", "lab", "--tokens", "tokens"][..],
        &["token", "add", "bob", "--role", "viewer", "--tokens", "tokens"],
        &["token", "list", "--tokens", "tokens"],
    ] {
        succeed(&farm, args);
    }
}

/// Connections that show no token are few, and short.
#[test]
fn whoever_shows_no_token_is_hung_up_on() {
    use std::io::{Read, Write};
    let guarded = Guarded::start();
    let address = guarded.url.trim_start_matches("http://").to_owned();
    let mut streams: Vec<_> = (0..300)
        .map(|_| {
            let mut stream = std::net::TcpStream::connect(&address).unwrap();
            // What a client says first, with no settings; then nothing.
            stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").unwrap();
            stream
        })
        .collect();
    // One who has a token gets in all the same, when the first of them are gone.
    until("ada gets in", || {
        let args = guarded.as_("ada", &["list"]);
        guarded.farm.hatchery(&args).output().unwrap().status.success()
    });
    let first = &mut streams[0];
    first.set_read_timeout(Some(PATIENCE)).unwrap();
    // The coordinator says its settings before; a reset is an end too.
    if let Err(error) = first.read_to_end(&mut Vec::new()) {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "it is still open");
    }
}
