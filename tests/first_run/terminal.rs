//! A pseudo-terminal with a real process on it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use hatchery_test_redis::PATIENCE;

/// A terminal with a process on it.
pub(crate) struct PseudoTerminal {
    keys: File,
    side: OwnedFd,
    output: Receiver<Vec<u8>>,
    /// All that was printed so far.
    printed: String,
    process: Child,
}

impl PseudoTerminal {
    /// Starts `command` in a session of its own, whose terminal this is, with this number of
    /// columns and rows.
    pub(crate) fn start(command: &Command, (columns, rows): (u16, u16)) -> Self {
        let main = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&main).unwrap();
        unlockpt(&main).unwrap();
        let name = ptsname(&main, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        let side = rustix::fs::open(&name, flags, Mode::empty()).unwrap();
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&side, size).unwrap();
        let mut session = Command::new("setsid");
        session.args(["--ctty", "--wait"]).arg(command.get_program()).args(command.get_args());
        session.env("TERM", "xterm");
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => session.env(name, value),
                None => session.env_remove(name),
            };
        }
        session.current_dir(command.get_current_dir().unwrap());
        session.stdin(Stdio::from(side.try_clone().unwrap()));
        session.stdout(Stdio::from(side.try_clone().unwrap()));
        session.stderr(Stdio::from(side.try_clone().unwrap()));
        let process = session.spawn().unwrap();
        let keys = File::from(main);
        let mut screen = keys.try_clone().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = screen.read(&mut bytes) {
                if sender.send(bytes[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { keys, side, output, printed: String::new(), process }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until `part` is printed, forgets the output up to `part`, and returns the output
    /// before it.
    pub(crate) fn wait_for(&mut self, part: &str) -> String {
        while !self.printed.contains(part) {
            let bytes = self.output.recv_timeout(PATIENCE);
            let bytes = bytes.unwrap_or_else(|_| panic!("no {part:?} in {:?}", self.printed));
            self.printed += &String::from_utf8_lossy(&bytes);
        }
        let (before, after) = self.printed.split_once(part).unwrap();
        let (before, after) = (before.to_owned(), after.to_owned());
        self.printed = after;
        before
    }

    /// Halts the output, as Ctrl-S does: whoever writes waits.
    pub(crate) fn halt(&mut self) {
        self.press("\u{13}");
    }

    /// Sends SIGTERM to the process.
    pub(crate) fn terminate(&self) {
        kill_process(Pid::from_child(&self.process), Signal::TERM).unwrap();
    }

    /// Waits for the end of the process, and returns its output since the last wait.
    pub(crate) fn last_words(&mut self) -> String {
        self.process.wait().unwrap();
        // What is written to the terminal now comes after all that the process wrote.
        rustix::io::write(&self.side, b"<the end>").unwrap();
        self.wait_for("<the end>")
    }

    /// Waits for the end of the process, checks that the terminal takes and shows lines again, and
    /// returns the exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        let status = self.process.wait().unwrap();
        let modes = tcgetattr(&self.side).unwrap().local_modes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG));
        status.code()
    }
}
