//! A real `redis-server` for a test: its own process, port and folder, gone when it is dropped; and
//! the longest wait of any test for an event.
//!
//! ```
//! let server = hatchery_test_redis::Redis::start()?;
//! assert_eq!(server.cli(&["PING"])?.trim(), "PONG");
//! # Ok::<(), hatchery_test_redis::Error>(())
//! ```

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use tempfile::TempDir;

/// The longest wait of a test for an event that is sure to happen, however busy the machine is. It
/// ends a test that hangs, and says nothing about the time that something takes: bounds of time are
/// in `tests/simulation/bounds.rs`, where time is virtual.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// How long one try to get an answer may take.
const TRY_DEADLINE: Duration = Duration::from_secs(1);

/// The wait between two tries: a small part of the time that a start takes.
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// The exit status of a shell that does not find a program.
const NOT_FOUND: i32 = 127;

/// How many ports are tried: another process may take a free one first.
const MAX_PORTS: usize = 8;

/// The arguments of every server, whatever else is asked for: nothing acknowledged is lost when the
/// server's process ends.
const ARGUMENTS: [&str; 10] = [
    "--bind",
    "127.0.0.1",
    "--appendonly",
    "yes",
    "--appendfsync",
    "everysec",
    "--save",
    "",
    "--logfile",
    "redis.log",
];

/// A running server, or a server that was killed and can be started again.
#[derive(Debug)]
pub struct Redis {
    port: u16,
    folder: TempDir,
    arguments: Vec<String>,
    child: Child,
}

/// Why a server does not run or does not answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A program is not installed.
    #[error("{program} can't be started; is Redis installed? (Debian: apt install redis-server)")]
    NotInstalled {
        /// Which.
        program: &'static str,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// The server ended instead of answering.
    #[error("redis-server ended with {status}: {log}")]
    Ended {
        /// How.
        status: ExitStatus,
        /// The output of the server.
        log: String,
    },
    /// The server does not answer.
    #[error("redis-server on port {port} does not answer after {} s", PATIENCE.as_secs())]
    Silent {
        /// Where.
        port: u16,
    },
    /// The system does not do as asked.
    #[error("a server for a test can't be managed")]
    System(#[from] io::Error),
}

impl Redis {
    /// Starts a server on a free port of the loopback interface, and waits until it answers.
    ///
    /// # Errors
    /// Any [`Error`].
    pub fn start() -> Result<Self, Error> {
        Self::start_with(&[])
    }

    /// As [`start`](Self::start), with more arguments, such as `--maxmemory-policy`.
    ///
    /// # Errors
    /// Any [`Error`].
    pub fn start_with(arguments: &[&str]) -> Result<Self, Error> {
        let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let mut tries = 1;
        loop {
            match Self::start_on(free_port()?, arguments.clone()) {
                Err(Error::Ended { log, .. })
                    if log.contains("Address already in use") && tries < MAX_PORTS =>
                {
                    tries += 1;
                }
                started => return started,
            }
        }
    }

    fn start_on(port: u16, arguments: Vec<String>) -> Result<Self, Error> {
        let folder = TempDir::new()?;
        let child = spawn(port, &folder, &arguments)?;
        let mut server = Self { port, folder, arguments, child };
        server.wait_until_it_answers()?;
        Ok(server)
    }

    /// Where the server is, as a URL.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// The server's port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends the server's process at once (SIGKILL).
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn kill(&mut self) -> Result<(), Error> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Starts the server again, on the same port and with the data in its folder, and waits until
    /// it answers. A server that still runs is killed before.
    ///
    /// # Errors
    /// Any [`Error`].
    pub fn restart(&mut self) -> Result<(), Error> {
        self.kill()?;
        self.child = spawn(self.port, &self.folder, &self.arguments)?;
        self.wait_until_it_answers()
    }

    /// Starts the server again as [`restart`](Self::restart) does, with a delay for each command or
    /// key that it loads, and waits until it answers that it loads. That is often enough for a
    /// server with thousands of keys; [`end_loading`](Self::end_loading) takes the delay back.
    ///
    /// # Errors
    /// Any [`Error`].
    pub fn restart_slowly(&mut self, delay: Duration) -> Result<(), Error> {
        self.kill()?;
        let delay = ["--key-load-delay".to_owned(), delay.as_micros().to_string()];
        // It looks at its connections so often while it loads.
        let often = ["--loading-process-events-interval-bytes", "1024"].map(str::to_owned);
        let arguments = [self.arguments.clone(), delay.into(), often.into()].concat();
        self.child = spawn(self.port, &self.folder, &arguments)?;
        self.wait_until(|answer| answer == b"-LOAD")
    }

    /// Has the server load the rest without a delay, and waits until it answers.
    ///
    /// # Errors
    /// Any [`Error`].
    pub fn end_loading(&mut self) -> Result<(), Error> {
        self.cli(&["CONFIG", "SET", "key-load-delay", "0"])?;
        self.wait_until_it_answers()
    }

    /// Returns the server's report on itself under `field`.
    ///
    /// # Errors
    /// [`Error::NotInstalled`]. An unknown field is empty.
    pub fn info(&self, field: &str) -> Result<String, Error> {
        let all = self.cli(&["INFO", "everything"])?;
        let value = all.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        Ok(value.unwrap_or_default().trim().to_owned())
    }

    /// Returns how many bytes all keys take with their values. The number does not depend on when
    /// the server gives memory back to the system, as its own `used_memory` does.
    ///
    /// # Errors
    /// [`Error::NotInstalled`].
    pub fn bytes_of_keys(&self) -> Result<u64, Error> {
        let mut n_bytes = 0;
        for key in self.cli(&["KEYS", "*"])?.lines() {
            let size = self.cli(&["MEMORY", "USAGE", key, "SAMPLES", "0"])?;
            // A key that is gone by now has no size.
            n_bytes += size.trim().parse().unwrap_or(0);
        }
        Ok(n_bytes)
    }

    /// Waits until the system has the data that the server has acknowledged, so that the data
    /// outlives the process: while the disk is slow, the server holds writes back for up to two
    /// seconds.
    ///
    /// # Errors
    /// [`Error::NotInstalled`].
    pub fn wait_until_written(&self) -> Result<(), Error> {
        // A server without such a file says nothing of it.
        while !matches!(self.info("aof_buffer_length")?.as_str(), "0" | "") {
            thread::sleep(BETWEEN_TRIES);
        }
        Ok(())
    }

    /// How many bytes the server has appended to its file.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn n_written(&self) -> Result<u64, Error> {
        let mut n_bytes = 0;
        for file in self.appended()? {
            n_bytes += std::fs::metadata(file)?.len();
        }
        Ok(n_bytes)
    }

    /// Takes back the last `n_bytes` that a killed server had written, as a power cut does.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn cut(&self, n_bytes: u64) -> Result<(), Error> {
        // There are two while the server rewrites its file; the one with the higher number is last.
        let last =
            self.appended()?.into_iter().max_by_key(|path| (path.as_os_str().len(), path.clone()));
        if let Some(path) = last {
            let file = std::fs::File::options().write(true).open(path)?;
            file.set_len(file.metadata()?.len().saturating_sub(n_bytes))?;
        }
        Ok(())
    }

    /// The file that the server appends to: one, or none.
    fn appended(&self) -> Result<Vec<PathBuf>, Error> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(self.folder.path().join("appendonlydir"))? {
            let path = entry?.path();
            if path.to_string_lossy().ends_with(".incr.aof") {
                files.push(path);
            }
        }
        Ok(files)
    }

    /// Fills the server's disk: a file can grow by no more than `n_bytes` until
    /// [`free_disk`](Self::free_disk).
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn fill_disk(&self, n_bytes: u64) -> Result<(), Error> {
        self.limit_files(Some(self.n_written()? + n_bytes))
    }

    /// Ends what [`fill_disk`](Self::fill_disk) began.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn free_disk(&self) -> Result<(), Error> {
        self.limit_files(None)
    }

    fn limit_files(&self, current: Option<u64>) -> Result<(), Error> {
        let limit = Rlimit { current, maximum: None };
        let process = Pid::from_child(&self.child);
        prlimit(Some(process), Resource::Fsize, limit).map_err(io::Error::from)?;
        Ok(())
    }

    /// Halts the server (SIGSTOP): its connections stay, but it does not answer.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn stop(&self) -> Result<(), Error> {
        self.signal(Signal::STOP)
    }

    /// Lets a halted server go on (SIGCONT).
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn cont(&self) -> Result<(), Error> {
        self.signal(Signal::CONT)
    }

    /// What `redis-cli` prints for a command.
    ///
    /// # Errors
    /// [`Error::NotInstalled`]. A refusal of the server is printed, and is no error.
    pub fn cli(&self, command: &[&str]) -> Result<String, Error> {
        let mut cli = Command::new("redis-cli");
        let output = cli.arg("-p").arg(self.port.to_string()).args(command).output();
        let output =
            output.map_err(|source| Error::NotInstalled { program: "redis-cli", source })?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn signal(&self, signal: Signal) -> Result<(), Error> {
        kill_process(Pid::from_child(&self.child), signal).map_err(io::Error::from)?;
        Ok(())
    }

    /// Waits until the server is ready. A server that asks for a password counts as ready.
    fn wait_until_it_answers(&mut self) -> Result<(), Error> {
        self.wait_until(|answer| matches!(answer, b"+PONG" | b"-NOAU"))
    }

    /// Asks again and again: a server that does not listen yet has no other way to say so.
    fn wait_until(&mut self, is_wanted: impl Fn(&[u8; 5]) -> bool) -> Result<(), Error> {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait()? {
                if status.code() == Some(NOT_FOUND) {
                    let source = io::Error::from(io::ErrorKind::NotFound);
                    return Err(Error::NotInstalled { program: "redis-server", source });
                }
                let log = std::fs::read_to_string(self.folder.path().join("redis.log"));
                return Err(Error::Ended { status, log: log.unwrap_or_default() });
            }
            if answer(self.port).is_ok_and(|answer| is_wanted(&answer)) {
                return Ok(());
            }
            thread::sleep(BETWEEN_TRIES);
        }
        Err(Error::Silent { port: self.port })
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // There is nobody to tell; a process that is gone already is what is wanted.
        self.kill().ok();
    }
}

fn spawn(port: u16, folder: &TempDir, arguments: &[String]) -> Result<Child, Error> {
    // With the signal ignored, a write beyond a limit to the size of files fails as on a full disk.
    let mut server = Command::new("sh");
    server.args(["-c", r#"trap "" XFSZ; exec redis-server "$@""#, "redis-server"]);
    server.arg("--port").arg(port.to_string()).arg("--dir").arg(folder.path());
    server.args(ARGUMENTS).args(arguments);
    server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    server.spawn().map_err(|source| Error::NotInstalled { program: "redis-server", source })
}

/// Returns the beginning of the answer of a server there.
fn answer(port: u16) -> io::Result<[u8; 5]> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, TRY_DEADLINE)?;
    stream.set_read_timeout(Some(TRY_DEADLINE))?;
    stream.write_all(b"PING\r\n")?;
    let mut answer = [0; 5];
    stream.read_exact(&mut answer)?;
    Ok(answer)
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Makes `NAME.key` and a certificate `NAME.crt` for this machine, which is its own authority.
fn certify(folder: &Path, name: &str) {
    let (key, certificate) = (format!("{name}.key"), format!("{name}.crt"));
    let mut openssl = Command::new("openssl");
    openssl.current_dir(folder).args(["req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"]);
    openssl.args(["-pkeyopt", "ec_paramgen_curve:prime256v1"]);
    openssl.args(["-subj", &format!("/CN={name}")]);
    openssl.args(["-addext", "subjectAltName=IP:127.0.0.1"]);
    // An authority may not be what it certifies.
    openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    let output = openssl.args(["-keyout", &key, "-out", &certificate]).output();
    let output = output.expect("openssl is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A server with TLS on the port that is returned, with the certificate `right`. It takes only
/// clients with a certificate that `right` has signed, if it `asks_for_one`. The folder also gets
/// the certificate `wrong`.
///
/// # Panics
/// If openssl or redis-server is not installed, or redis-server has no TLS.
#[must_use]
pub fn server_with_tls(folder: &Path, asks_for_one: bool) -> (Redis, String) {
    for name in ["right", "wrong"] {
        certify(folder, name);
    }
    let path = |name: &str| folder.join(name).display().to_string();
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = free.expect("a port is free").port().to_string();
    let (key, certificate) = (path("right.key"), path("right.crt"));
    let server = Redis::start_with(&[
        "--tls-port",
        &port,
        "--tls-auth-clients",
        if asks_for_one { "yes" } else { "no" },
        "--tls-key-file",
        &key,
        "--tls-cert-file",
        &certificate,
        "--tls-ca-cert-file",
        &certificate,
    ]);
    (server.expect("redis-server has TLS"), format!("rediss://127.0.0.1:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_killed_server_comes_back_with_what_it_had() {
        let mut server = Redis::start().unwrap();
        let url = server.url();
        assert_eq!(server.cli(&["SET", "key", "value"]).unwrap(), "OK\n");
        server.kill().unwrap();
        assert!(answer(server.port()).is_err());
        server.restart().unwrap();
        assert_eq!((server.url(), server.cli(&["GET", "key"]).unwrap()), (url, "value\n".into()));
    }

    #[test]
    fn a_halted_server_is_silent() {
        let mut server = Redis::start().unwrap();
        server.stop().unwrap();
        assert!(answer(server.port()).is_err());
        server.cont().unwrap();
        server.wait_until_it_answers().unwrap();
    }

    #[test]
    fn a_server_that_ends_says_why() {
        let error = Redis::start_with(&["--maxmemory-policy", "nonsense"]).unwrap_err();
        assert!(matches!(error, Error::Ended { .. }), "{error}");
    }
}
