//! The file of tokens, read again whenever it changes.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::MissedTickBehavior;

use super::Tokens;
use super::tokens::{Grant, MAX_FILE_BYTES, TokensError};
use crate::failure::Failure;

/// How often the file is looked at. A change is taken when two looks find the same, so that no half
/// of a file is: within a second or so.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// The permission that lets everybody on the machine change a file.
const WRITTEN_BY_OTHERS: u32 = 0o002;

/// The tokens as the file has them now. Clones see the same.
#[derive(Clone, Debug)]
pub(crate) struct Guard(watch::Receiver<Arc<Tokens>>);

impl Guard {
    /// Reads the file at `path`, and again whenever it changes, as long as anybody asks.
    pub(crate) fn start(path: PathBuf) -> Result<Self, Failure> {
        let text = read(&path)?;
        let tokens = parse(&path, &text)?;
        if tokens.iter().next().is_none() {
            tracing::warn!(path = %path.display(), "there is no token: nobody can come in");
        }
        let (say, tokens) = watch::channel(Arc::new(tokens));
        tokio::spawn(follow(path, text, say));
        Ok(Self(tokens))
    }

    /// The tokens.
    pub(crate) fn tokens(&self) -> Arc<Tokens> {
        Arc::clone(&self.0.borrow())
    }

    /// Resolves when `grant` does not hold any more.
    pub(crate) fn revoked(&self, grant: Grant) -> impl Future<Output = ()> + Send + use<> {
        let mut tokens = self.0.clone();
        async move {
            if tokens.wait_for(|tokens| !tokens.holds(&grant)).await.is_err() {
                // Whoever reads the file is gone, and the process with it.
                std::future::pending::<()>().await;
            }
        }
    }
}

/// Says what the file at `path` has, which had `taken`, whenever that changes. A file that is bad
/// changes nothing.
async fn follow(path: PathBuf, mut taken: String, say: watch::Sender<Arc<Tokens>>) {
    let mut looks = tokio::time::interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = Some(taken.clone());
    loop {
        tokio::select! {
            () = say.closed() => return,
            _ = looks.tick() => {}
        }
        let file = path.clone();
        let found = tokio::task::spawn_blocking(move || read(&file)).await;
        let found = match found {
            Ok(Ok(found)) => Some(found),
            Ok(Err(failure)) => {
                if last.is_some() {
                    tracing::error!(%failure, "tokens can't be read: those from before stay");
                }
                None
            }
            Err(_) => None,
        };
        let settled = found == last;
        last = found;
        let Some(text) = last.as_ref().filter(|text| settled && **text != taken) else { continue };
        taken = text.clone();
        match parse(&path, text) {
            Ok(tokens) => {
                tracing::info!(n_tokens = tokens.iter().count(), "tokens read again");
                say.send_replace(Arc::new(tokens));
            }
            Err(failure) => {
                tracing::error!(%failure, "tokens are malformed: those from before stay");
            }
        }
    }
}

/// What is in a file of tokens. It is no secret, but who writes it lets in whom he likes.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    let failed = |source| Failure::File { path: path.to_owned(), act: "read", source };
    let mut file = File::open(path).map_err(failed)?;
    refuse_written_by_others(path, &file)?;
    text_of(&mut file).map_err(failed)
}

fn refuse_written_by_others(path: &Path, file: &File) -> Result<(), Failure> {
    let failed = |source| Failure::File { path: path.to_owned(), act: "read", source };
    if file.metadata().map_err(failed)?.permissions().mode() & WRITTEN_BY_OTHERS == 0 {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "everybody on this machine can change {0}: chmod o-w {0}",
        path.display()
    )))
}

fn text_of(file: &mut File) -> std::io::Result<String> {
    let mut text = String::new();
    let n_bytes = file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text)?;
    if MAX_FILE_BYTES < n_bytes as u64 {
        return Err(std::io::ErrorKind::FileTooLarge.into());
    }
    Ok(text)
}

/// The tokens of a file that was read.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Tokens, Failure> {
    Tokens::parse(text).map_err(|error| wrong(path, &error))
}

/// Whether a file that is to be changed may be new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MayBeNew {
    /// One that is not there is empty.
    Yes,
    /// It must be there.
    No,
}

/// Changes the file at `path` as `act` says.
///
/// It stays the same file, as a container may have been given it alone, and whoever reads it waits
/// until it is whole. Two changes at a time are made one after the other.
pub(crate) fn change(
    path: &Path,
    new: MayBeNew,
    act: impl FnOnce(&str) -> Result<String, TokensError>,
) -> Result<(), Failure> {
    let failed = |source| Failure::File { path: path.to_owned(), act: "changed", source };
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(new == MayBeNew::Yes).truncate(false).mode(0o600);
    let mut file = options.open(path).map_err(failed)?;
    file.lock().map_err(failed)?;
    refuse_written_by_others(path, &file)?;
    let text = text_of(&mut file).map_err(failed)?;
    let text = act(&text).map_err(|error| wrong(path, &error))?;
    let write = |file: &mut File| {
        file.rewind()?;
        file.write_all(text.as_bytes())?;
        file.set_len(text.len() as u64)?;
        file.sync_all()
    };
    write(&mut file).map_err(failed)
}

fn wrong(path: &Path, error: &TokensError) -> Failure {
    Failure::Usage(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::access::tokens::{Token, with, without};
    use crate::access::{Role, Secret};

    fn add(path: &Path, name: &str) -> Grant {
        let (name, id) = (name.parse().unwrap(), Secret::generate().unwrap().id());
        let token = Token { name, role: Some(Role::Viewer), id, comment: String::new() };
        change(path, MayBeNew::Yes, |text| with(text, &token)).unwrap();
        Grant { name: token.name, role: Role::Viewer, id }
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_is_noticed_and_a_bad_file_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        let (ada, bob) = (add(&path, "ada"), add(&path, "bob"));
        let guard = Guard::start(path.clone()).unwrap();
        let holds = |grant: &Grant| guard.tokens().holds(grant);
        assert!(holds(&ada) && holds(&bob));
        let good = fs::read_to_string(&path).unwrap();
        fs::write(&path, "bob viewer 12\n").unwrap();
        tokio::time::sleep(10 * LOOK_EVERY).await;
        assert!(holds(&ada) && holds(&bob), "a bad file changes nothing");
        fs::write(&path, good).unwrap();
        change(&path, MayBeNew::No, |text| without(text, &ada.name)).unwrap();
        guard.revoked(ada.clone()).await;
        assert!(!holds(&ada) && holds(&bob));
        fs::remove_file(&path).unwrap();
        tokio::time::sleep(10 * LOOK_EVERY).await;
        assert!(holds(&bob), "nor does a file that is gone");
    }

    #[tokio::test]
    async fn a_bad_file_is_refused_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        assert!(Guard::start(path.clone()).is_err(), "there is none");
        fs::write(&path, "ada").unwrap();
        assert_eq!(Guard::start(path.clone()).unwrap_err().exit_code(), 2);
        fs::write(&path, vec![b'#'; 5 << 20]).unwrap();
        assert!(Guard::start(path.clone()).is_err(), "it is too large");
        fs::write(&path, "# nobody\n").unwrap();
        assert!(Guard::start(path.clone()).is_ok());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o646)).unwrap();
        assert!(Guard::start(path.clone()).is_err(), "everybody can write it");
        let keep = |text: &str| Ok(text.to_owned());
        assert!(change(&path, MayBeNew::No, keep).is_err(), "nor would a change be taken");
        let missing = folder.path().join("tokenz");
        assert!(change(&missing, MayBeNew::No, keep).is_err() && !missing.exists());
    }
}
