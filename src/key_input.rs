//! Keys that are pressed on the terminal.

use std::io::Read as _;
use std::sync::{Mutex, PoisonError};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use tokio::sync::mpsc;

/// The settings that the terminal gets back, if they were changed: one for the process, as it has
/// one terminal.
static RESTORED: Mutex<Option<Termios>> = Mutex::new(None);

/// The keys that are pressed on the terminal of standard input, if it is one. Dropping it puts the
/// terminal back as it was.
#[derive(Debug)]
pub(crate) struct KeyInput {
    keys: mpsc::UnboundedReceiver<u8>,
}

impl KeyInput {
    /// Starts to listen: keys come as they are pressed and are not shown. Ctrl-C stays a signal.
    pub(crate) fn listen() -> Self {
        let (sender, keys) = mpsc::unbounded_channel();
        let restored = tcgetattr(std::io::stdin()).ok().filter(|attributes| {
            let mut raw = attributes.clone();
            raw.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
            tcsetattr(std::io::stdin(), OptionalActions::Now, &raw).is_ok()
        });
        let is_raw = restored.is_some();
        *RESTORED.lock().unwrap_or_else(PoisonError::into_inner) = restored;
        if is_raw {
            let listen = move || {
                let keys = std::io::stdin().lock().bytes().map_while(Result::ok);
                keys.take_while(|&key| sender.send(key).is_ok()).for_each(drop);
            };
            // It ends with the process: nothing wakes a thread that waits for a key. A system that
            // refuses the thread has no keys.
            if std::thread::Builder::new().spawn(listen).is_err() {
                restore_terminal();
            }
        }
        Self { keys }
    }

    /// Resolves once `key` is pressed: never without a terminal.
    pub(crate) async fn pressed(&mut self, key: char) {
        while let Some(pressed) = self.keys.recv().await {
            if char::from(pressed) == key {
                return;
            }
        }
        std::future::pending::<()>().await;
    }
}

impl Drop for KeyInput {
    fn drop(&mut self) {
        restore_terminal();
    }
}

/// Puts the terminal back as it was, if a [`KeyInput`] has changed it.
pub(crate) fn restore_terminal() {
    if let Some(attributes) = RESTORED.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // A terminal that has gone needs nothing.
        tcsetattr(std::io::stdin(), OptionalActions::Now, &attributes).unwrap_or(());
    }
}
