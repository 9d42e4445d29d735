//! Standard error behind a queue: whoever writes never waits for the reader of standard error.
//!
//! A terminal that is halted with Ctrl-S, a pipe that nobody reads, or a log service that is stuck
//! takes no bytes for as long as it likes. One thread waits for it. When the queue is full, texts
//! are dropped, and a line of the log tells how many.

use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};
use std::{io, iter};

/// The most texts that wait. A text is a line, or a frame of a progress display.
const MAX_TEXTS: usize = 4096;

/// The longest wait for texts to be written before the process ends, or before something is written
/// to standard output.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// The number of bytes above which no more texts are added to a write.
const MAX_WRITE_BYTES: usize = 32 << 10;

/// The pause before another attempt to put a mark into a full queue.
const TRY_AGAIN: Duration = Duration::from_millis(10);

/// The queue of this process.
static QUEUE: LazyLock<ErrorOutput> = LazyLock::new(|| ErrorOutput::start(io::stderr()));

/// A text or a mark in the queue.
#[derive(Debug)]
enum QueueItem {
    Text(Vec<u8>),
    /// Its sender wants to know when all texts before it are written.
    Mark(SyncSender<()>),
}

/// A queue before an output.
#[derive(Debug)]
struct ErrorOutput {
    sender: SyncSender<QueueItem>,
    /// The number of lines that found the queue full, and are not reported yet.
    n_dropped: Arc<AtomicU64>,
}

/// Writes a line, or several lines, as soon as standard error takes it.
pub(super) fn write_lines(text: &[u8]) {
    if !QUEUE.put(text) {
        QUEUE.n_dropped.fetch_add(1, Ordering::Relaxed);
    }
}

/// Writes a frame of a progress display, unless the queue is full: the next frame replaces it.
pub(super) fn write_frame(text: &[u8]) {
    QUEUE.put(text);
}

/// Waits until everything is written, for a second at most.
pub(crate) fn drain() {
    QUEUE.drain(DRAIN_TIMEOUT);
}

impl ErrorOutput {
    /// Starts the thread that writes to `output`.
    fn start(output: impl io::Write + Send + 'static) -> Self {
        let (sender, items) = sync_channel(MAX_TEXTS);
        let n_dropped = Arc::<AtomicU64>::default();
        let counted = Arc::clone(&n_dropped);
        let started = thread::Builder::new()
            .name("stderr".to_owned())
            .spawn(move || write_all(&items, output, &counted));
        // A system that refuses the thread drops the receiver: see `put`.
        drop(started);
        Self { sender, n_dropped }
    }

    /// Puts a text into the queue; returns false if the queue is full. Where the system refused the
    /// thread, the text is written at once: it is most likely the error that says so.
    fn put(&self, text: &[u8]) -> bool {
        match self.sender.try_send(QueueItem::Text(text.to_owned())) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => false,
            Err(TrySendError::Disconnected(_)) => io::stderr().write_all(text).is_ok(),
        }
    }

    fn drain(&self, timeout: Duration) {
        let end = Instant::now() + timeout;
        let (sender, written) = sync_channel(1);
        let mut mark = QueueItem::Mark(sender);
        loop {
            match self.sender.try_send(mark) {
                Ok(()) => break,
                Err(TrySendError::Full(back)) if Instant::now() < end => mark = back,
                Err(_) => return,
            }
            thread::sleep(TRY_AGAIN);
        }
        let left = end.saturating_duration_since(Instant::now());
        // Whoever waits gives up after that.
        written.recv_timeout(left).unwrap_or_default();
    }
}

/// Writes what is put into the queue. Texts that wait are written together. An output that fails,
/// such as a closed pipe, takes nothing.
fn write_all(items: &Receiver<QueueItem>, mut output: impl io::Write, n_dropped: &AtomicU64) {
    let mut text = Vec::new();
    while let Ok(first) = items.recv() {
        let mut mark = None;
        for item in iter::once(first).chain(items.try_iter()) {
            match item {
                QueueItem::Text(more) => text.extend(more),
                QueueItem::Mark(sender) => mark = Some(sender),
            }
            if mark.is_some() || MAX_WRITE_BYTES <= text.len() {
                break;
            }
        }
        output.write_all(&text).and_then(|()| output.flush()).unwrap_or_default();
        text.clear();
        if let Some(mark) = mark {
            mark.try_send(()).unwrap_or_default();
        }
        let n_lines = n_dropped.swap(0, Ordering::Relaxed);
        if n_lines != 0 {
            // In the format of the log; the line comes after the texts that wait.
            tracing::warn!(n_lines, "lines are missing here: nobody read standard error");
        }
    }
}
