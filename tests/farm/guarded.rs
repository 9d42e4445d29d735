//! A farm that asks for tokens.

use std::path::PathBuf;
use std::process::Output;
use std::time::Instant;

use hatchery_test_redis::PATIENCE;

use crate::harness::Farm;
use crate::process::Process;

/// The file of tokens, in the farm's folder.
pub(crate) const TOKENS: [&str; 2] = ["--tokens", "tokens"];

/// A Redis, and one coordinator that asks for tokens.
pub(crate) struct Guarded {
    pub(crate) farm: Farm,
    /// Where the coordinator is, and where its metrics are, as `HOST:PORT`.
    pub(crate) url: String,
    pub(crate) metrics: String,
}

/// A farm without coordinators, and with tokens: `ada`, an operator; `eve`, who may look; `lab` and
/// `spare`, workers; `old`, which is revoked; and `stranger` of another farm.
pub(crate) fn farm() -> Farm {
    let farm = Farm::start(0, 0);
    for (name, role) in [
        ("ada", "operator"),
        ("eve", "viewer"),
        ("lab", "worker"),
        ("spare", "worker"),
        ("old", "operator"),
    ] {
        add_token(&farm, name, role, "tokens");
    }
    add_token(&farm, "stranger", "operator", "other-tokens");
    succeed(&farm, &["token", "revoke", "old", "--tokens", "tokens"]);
    farm
}

/// Makes a token and keeps it in `NAME.token`.
fn add_token(farm: &Farm, name: &str, role: &str, tokens: &str) {
    let args = ["token", "add", name, "--role", role, "--tokens", tokens];
    let secret = succeed(farm, &args);
    let path = farm.path().join(format!("{name}.token"));
    std::fs::write(&path, secret).unwrap();
    make_private(&path);
}

fn make_private(path: &PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// The output of a command; it must succeed.
pub(crate) fn succeed(farm: &Farm, args: &[&str]) -> String {
    let output = farm.hatchery(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The error message of a command; it must fail with `code`.
pub(crate) fn fail(farm: &Farm, code: i32, args: &[&str]) -> String {
    let output = farm.hatchery(args).output().unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    said
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The text after `words` in a line of the process.
pub(crate) fn address(process: &Process, words: &str) -> String {
    let begun = Instant::now() - PATIENCE;
    let (_, line) = process.wait_for(begun, PATIENCE, |line| line.contains(words));
    line.split_once(words).unwrap().1.trim().to_owned()
}

impl Guarded {
    /// A farm whose coordinator listens on this machine, without TLS.
    pub(crate) fn start() -> Self {
        Self::with(farm(), &["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"])
    }

    /// A coordinator with these arguments, and metrics, on the farm.
    pub(crate) fn with(mut farm: Farm, more: &[&str]) -> Self {
        let redis = farm.redis.url();
        let args = [&["coordinator", "--redis", &redis], &TOKENS[..], more].concat();
        let process = Process::start("coordinator", &mut farm.hatchery(&args));
        // Wherever it listens, this machine reaches it on the loopback interface.
        let here = |url: String| url.replace("0.0.0.0", "127.0.0.1");
        let metrics = here(address(&process, "serves metrics on "));
        let url = here(address(&process, "listens on "));
        let metrics = metrics.split_once("//").unwrap().1.to_owned();
        farm.coordinators.push((url.clone(), process));
        Self { farm, url, metrics }
    }

    /// The arguments `args`, and the arguments that reach the coordinator with the token of that
    /// name.
    pub(crate) fn as_<'a>(&'a self, token: &'a str, args: &[&'a str]) -> Vec<&'a str> {
        let file: &'a str = match token {
            "ada" => "ada.token",
            "eve" => "eve.token",
            "lab" => "lab.token",
            "spare" => "spare.token",
            "old" => "old.token",
            "stranger" => "stranger.token",
            other => panic!("no token {other}"),
        };
        [args, &["--coordinator", &self.url, "--token-file", file]].concat()
    }

    /// A process with these arguments.
    pub(crate) fn process(&self, name: &str, args: &[&str]) -> Process {
        Process::start(name, &mut self.farm.hatchery(args))
    }

    /// The coordinator's log so far.
    pub(crate) fn log(&self) -> String {
        self.farm.coordinators[0].1.lines().join("\n")
    }

    /// Waits until the coordinator says `words`.
    pub(crate) fn wait_for(&self, words: &str) {
        let begun = Instant::now() - PATIENCE;
        self.farm.coordinators[0].1.wait_for(begun, PATIENCE, |line| line.contains(words));
    }

    /// The tokens themselves.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let names = ["ada", "eve", "lab", "spare", "old", "stranger"];
        let path = |name: &str| self.farm.path().join(format!("{name}.token"));
        let secrets = names.map(|name| std::fs::read_to_string(path(name)).unwrap());
        secrets.iter().map(|secret| secret.trim().to_owned()).collect()
    }
}
