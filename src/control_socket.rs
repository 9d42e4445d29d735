//! The control socket of a run's folder: how other processes look at a run in progress, and steer
//! it.
//!
//! The store of a run is locked by the process that runs it. That process answers for the run
//! instead: it serves its coordinator's control service, the same service as a farm's, on a Unix
//! socket in the folder. So `show`, `watch`, `replay` and `verify` read a run in progress through
//! the client of a farm, including data that is not in the folder's files: the trials of the
//! current generation, and the states of past generations. `pause`, `resume` and `cancel` steer it
//! the same way.
//!
//! - A socket that answers belongs to a living process. A killed process leaves a file that refuses
//!   connections; the next process replaces the file, because it holds the lock of the store.
//! - Only the user who runs the run can connect.
//! - A run continues without a socket if the file system supports none. Other processes then see
//!   the files of the folder, and that the store is in use.
//! - The socket is closed after the last files were written: a process that finds it closed can
//!   read the files.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hatchery_coordinator::{ControlService, Coordinator};
use hatchery_worker::{DialError, Dialer};
use hyper_util::rt::TokioIo;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint, Server};
use tower::service_fn;

/// The longest path of a socket: systems take 104 to 108 bytes with the zero at the end.
const MAX_PATH_BYTES: usize = 100;

/// The most connections that wait to be served.
const WAITING_CONNECTIONS: usize = 16;

/// The time that followers have to hear of the run's end, which is sent at once.
const LAST_WORD_TIMEOUT: Duration = Duration::from_secs(1);

/// The longest time to connect to a process on this machine.
const CONNECT_DEADLINE: Duration = Duration::from_secs(2);

/// The address of the run, which is never resolved: the connector has the path.
const ENDPOINT: &str = "http://run";

/// A control socket that is served.
pub(crate) struct ControlSocket {
    path: PathBuf,
    service: ControlService,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
}

impl ControlSocket {
    /// Starts to serve `coordinator` at `path`. An existing socket is replaced, so the caller must
    /// hold the lock of the store.
    ///
    /// # Errors
    /// If the file system has no sockets, or the path cannot be used.
    pub(crate) fn serve(path: &Path, coordinator: &Coordinator) -> io::Result<Self> {
        let listener = listen(path)?;
        let service = ControlService::new(coordinator.clone());
        let (stop, mut stopped) = watch::channel(false);
        let (accepted, incoming) = mpsc::channel(WAITING_CONNECTIONS);
        let mut closing = stop.subscribe();
        tokio::spawn(async move {
            tokio::select! {
                () = accept(listener, accepted) => {}
                _ = closing.wait_for(|&stop| stop) => {}
            }
        });
        let server = Server::builder().add_service(service.server());
        let serving = tokio::spawn(async move {
            let stopped = async { stopped.wait_for(|&stop| stop).await.map(drop).unwrap_or(()) };
            let served =
                server.serve_with_incoming_shutdown(ReceiverStream::new(incoming), stopped).await;
            if let Err(error) = served {
                tracing::warn!(%error, "others cannot look at the run any more");
            }
        });
        Ok(Self { path: path.to_owned(), service, stop, serving })
    }

    /// Stops serving, once all followers have heard of the run's end.
    pub(crate) async fn close(mut self) {
        fs::remove_file(&self.path).unwrap_or(());
        self.stop.send_replace(true);
        if tokio::time::timeout(LAST_WORD_TIMEOUT, &mut self.serving).await.is_err() {
            self.service.close();
            tokio::time::timeout(LAST_WORD_TIMEOUT, self.serving).await.map(drop).unwrap_or(());
        }
    }
}

/// Reaches the process that serves the control socket at a path.
#[derive(Clone, Debug)]
pub(crate) struct SocketDialer {
    path: PathBuf,
}

impl SocketDialer {
    /// Creates the dialer of the socket at `path`.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Returns the name of the endpoint, for people.
    pub(crate) fn endpoint(&self) -> String {
        self.path.display().to_string()
    }
}

#[tonic::async_trait]
impl Dialer for SocketDialer {
    async fn dial(&self, endpoint: &str) -> Result<Channel, DialError> {
        let path = self.path.clone();
        let connector = service_fn(move |_| {
            let path = path.clone();
            async move { connect(&path).await.map(TokioIo::new) }
        });
        let address = Endpoint::from_static(ENDPOINT).connect_timeout(CONNECT_DEADLINE);
        let channel = address.connect_with_connector(connector).await;
        channel.map_err(|source| DialError::Unreachable {
            endpoint: endpoint.to_owned(),
            source: Box::new(source),
        })
    }
}

/// The time after which a socket that took no connection is asked again.
const ACCEPT_AGAIN: Duration = Duration::from_secs(1);

/// Passes connections on until the server is gone.
async fn accept(listener: UnixListener, accepted: mpsc::Sender<io::Result<UnixStream>>) {
    loop {
        let connection = match listener.accept().await {
            Ok((connection, _)) => connection,
            // Such as no file that is free, which passes.
            Err(error) => {
                tracing::warn!(%error, "others cannot look at the run now");
                tokio::time::sleep(ACCEPT_AGAIN).await;
                continue;
            }
        };
        if accepted.send(Ok(connection)).await.is_err() {
            return;
        }
    }
}

fn listen(path: &Path) -> io::Result<UnixListener> {
    fs::remove_file(path).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })?;
    let (short, _folder) = short_path(path)?;
    let listener = UnixListener::bind(short)?;
    fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok(listener)
}

async fn connect(path: &Path) -> io::Result<UnixStream> {
    let (short, _folder) = short_path(path)?;
    UnixStream::connect(short).await
}

/// Returns a path of the socket at `path` that is short enough for the system, and the open folder
/// that it may need as long as it is used.
fn short_path(path: &Path) -> io::Result<(PathBuf, Option<File>)> {
    if path.as_os_str().as_bytes().len() <= MAX_PATH_BYTES {
        return Ok((path.to_owned(), None));
    }
    let too_long = || io::Error::new(io::ErrorKind::InvalidFilename, "the path is too long");
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(too_long());
    };
    // Linux shows open files as paths; elsewhere this folder is not there.
    let folder = File::open(folder)?;
    let open_files = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string());
    match open_files.exists() {
        true => Ok((open_files.join(name), Some(folder))),
        false => Err(too_long()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_long_path_and_a_left_socket_do_no_harm() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("f".repeat(200));
        fs::create_dir(&folder).unwrap();
        for path in [scratch.path().join("control.sock"), folder.join("control.sock")] {
            drop(listen(&path).unwrap());
            assert!(connect(&path).await.is_err(), "a socket that nobody serves");
            let _listener = listen(&path).unwrap();
            connect(&path).await.unwrap();
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
