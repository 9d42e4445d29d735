//! A network that misbehaves: a TCP proxy on the loopback interface that delays, slows down,
//! swallows and cuts.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The size of a piece that is passed on, which a slow line delays at a time.
const PIECE_BYTES: usize = 4096;

/// A proxy in front of a server.
pub(crate) struct Proxy {
    address: SocketAddr,
    line: Arc<Line>,
    cuts: watch::Sender<u64>,
    _stop: tokio::sync::oneshot::Sender<()>,
}

/// How the line is; shared with the connections.
#[derive(Default)]
struct Line {
    /// Bytes from the client are swallowed.
    deaf_up: AtomicBool,
    /// Bytes from the server are swallowed.
    deaf_down: AtomicBool,
    delay_ms: AtomicU64,
    /// 0 for no limit.
    bytes_per_second: AtomicU64,
    /// Where new connections lead, if not to the server of the start.
    elsewhere: Mutex<Option<SocketAddr>>,
}

impl Proxy {
    /// A proxy in front of the server at `to`, such as `127.0.0.1:6379`.
    pub(crate) fn start(to: &str) -> Self {
        let to: SocketAddr = to.parse().unwrap();
        let line = Arc::new(Line::default());
        let (cuts, cut) = watch::channel(0);
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let (say, address) = mpsc::channel();
        let of_line = Arc::clone(&line);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                say.send(listener.local_addr().unwrap()).unwrap();
                let serve = async {
                    while let Ok((client, _)) = listener.accept().await {
                        let to = of_line.elsewhere.lock().unwrap().unwrap_or(to);
                        tokio::spawn(connection(client, to, Arc::clone(&of_line), cut.clone()));
                    }
                };
                tokio::select! {
                    () = serve => {}
                    // The proxy was dropped.
                    _ = stopped => {}
                }
            });
        });
        let address = address.recv().unwrap();
        Self { address, line, cuts, _stop: stop }
    }

    /// Where the proxy is, as `HOST:PORT`.
    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    /// Swallows everything, or one direction, without notice; `false` heals.
    pub(crate) fn swallow(&self, up: bool, down: bool) {
        self.line.deaf_up.store(up, Ordering::Relaxed);
        self.line.deaf_down.store(down, Ordering::Relaxed);
    }

    /// Makes the line long and thin.
    pub(crate) fn slow_down(&self, delay: Duration, bytes_per_second: u64) {
        let delay_ms = u64::try_from(delay.as_millis()).unwrap();
        self.line.delay_ms.store(delay_ms, Ordering::Relaxed);
        self.line.bytes_per_second.store(bytes_per_second, Ordering::Relaxed);
    }

    /// Leads new connections to another server; existing connections stay.
    pub(crate) fn redirect(&self, to: &str) {
        *self.line.elsewhere.lock().unwrap() = Some(to.parse().unwrap());
    }

    /// Resets all connections.
    pub(crate) fn cut(&self) {
        self.cuts.send_modify(|n_cuts| *n_cuts += 1);
    }
}

async fn connection(client: TcpStream, to: SocketAddr, line: Arc<Line>, cut: watch::Receiver<u64>) {
    let Ok(server) = TcpStream::connect(to).await else { return };
    for stream in [&client, &server] {
        stream.set_nodelay(true).unwrap();
        // A connection that is dropped is reset, as by a machine that was switched off.
        stream.set_zero_linger().unwrap();
    }
    let (client_read, client_write) = client.into_split();
    let (server_read, server_write) = server.into_split();
    let mut cut = cut;
    cut.borrow_and_update();
    tokio::select! {
        () = pass(client_read, server_write, Arc::clone(&line), |line| &line.deaf_up) => {}
        () = pass(server_read, client_write, Arc::clone(&line), |line| &line.deaf_down) => {}
        // Cut on purpose, or the proxy is gone.
        _ = cut.changed() => {}
    }
}

/// Passes on bytes until one side ends. Pieces wait their time one after the other, so the delay
/// limits the rate as well: a line with a small window.
async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    line: Arc<Line>,
    deaf: fn(&Line) -> &AtomicBool,
) {
    let mut piece = vec![0; PIECE_BYTES];
    while let Ok(n_bytes @ 1..) = from.read(&mut piece).await {
        let mut wait = Duration::from_millis(line.delay_ms.load(Ordering::Relaxed));
        let rate = line.bytes_per_second.load(Ordering::Relaxed);
        let micros = (n_bytes as u64 * 1_000_000).checked_div(rate);
        wait += Duration::from_micros(micros.unwrap_or(0));
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        if deaf(&line).load(Ordering::Relaxed) {
            continue;
        }
        if to.write_all(&piece[..n_bytes]).await.is_err() {
            return;
        }
    }
}
