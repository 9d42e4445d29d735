//! The file of tokens, reloaded whenever it changes.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hatchery_coordinator::UserName;
use hatchery_core::error_chain;
use tokio::sync::watch;

use super::token_list::{
    AuthError, MAX_FILE_BYTES, Principal, TokenEntry, TokenList, add_token, revoke_token,
};
use crate::credential_file::{open_regular, read_at_most, refuse_irregular, without_mark};
use crate::error::{CredentialError, ServerError, TokenListError};
use crate::regular_file::without_waiting;
use crate::reload::follow_content;

/// The permission to change a file, for users other than the owner and the file's group.
const WRITTEN_BY_OTHERS: u32 = 0o002;

/// The current tokens of a file. Clones share the tokens.
#[derive(Clone, Debug)]
pub(crate) struct TokenFile(watch::Receiver<Arc<TokenList>>);

impl TokenFile {
    /// Reads the file at `path`, and reloads it until all clones are dropped.
    pub(crate) fn start(path: PathBuf) -> Result<Self, ServerError> {
        let text = read(&path)?;
        let tokens = parse(&path, &text)?;
        if tokens.iter().next().is_none() {
            let path = path.display();
            tracing::warn!(%path, "no tokens: all calls that need one are refused");
        }
        let (publisher, tokens) = watch::channel(Arc::new(tokens));
        tokio::spawn(reload(path, text, publisher));
        Ok(Self(tokens))
    }

    /// Returns the current tokens.
    pub(crate) fn tokens(&self) -> Arc<TokenList> {
        Arc::clone(&self.0.borrow())
    }

    /// Resolves when `principal` is no longer valid, with the reason.
    pub(crate) fn revocation(
        &self,
        principal: Principal,
    ) -> impl Future<Output = AuthError> + Send + use<> {
        let mut tokens = self.0.clone();
        async move {
            loop {
                let invalidity = tokens.borrow_and_update().invalidity(&principal);
                if let Some(invalidity) = invalidity {
                    return invalidity;
                }
                if tokens.changed().await.is_err() {
                    // The task that reloads the file ends with the process only.
                    std::future::pending::<()>().await;
                }
            }
        }
    }
}

/// Adds a token to the file at `path`, which is created if it does not exist.
///
/// # Errors
///
/// Fails if the file cannot be changed, or already has an unrevoked token with that name.
pub fn add(path: &Path, token: &TokenEntry) -> Result<(), ServerError> {
    change(path, IfMissing::Create, |text| add_token(text, token))
}

/// Returns the tokens of the file at `path`.
///
/// # Errors
///
/// Fails if the file cannot be read or parsed, or if every user of the machine can change it.
pub fn list(path: &Path) -> Result<TokenList, ServerError> {
    parse(path, &read(path)?)
}

/// Revokes the token `name` in the file at `path`.
///
/// # Errors
///
/// Fails if the file cannot be changed, or has no unrevoked token with that name.
pub fn revoke(path: &Path, name: &UserName) -> Result<(), ServerError> {
    change(path, IfMissing::Fail, |text| revoke_token(text, name))
}

/// Publishes the tokens of the file at `path` whenever its text is no longer `current`. A file that
/// cannot be read or parsed, or lists no token any more, changes nothing.
async fn reload(path: PathBuf, current: String, publisher: watch::Sender<Arc<TokenList>>) {
    let (file, files) = (path.clone(), path.display().to_string());
    let on_change = |found: Result<&String, _>| match found.map(|text| {
        let tokens = parse(&path, text)?;
        refuse_emptied(&path, &publisher.borrow(), &tokens)?;
        Ok::<_, ServerError>(tokens)
    }) {
        Ok(Ok(tokens)) => {
            tracing::info!(n_tokens = tokens.iter().count(), "tokens reloaded");
            publisher.send_replace(Arc::new(tokens));
        }
        Ok(Err(error)) => {
            let error = error_chain(&error);
            tracing::error!(error, "cannot use the new tokens; the previous ones stay valid");
        }
        Err(error) => {
            let error = error_chain(&error);
            tracing::error!(error, "cannot read the tokens; the previous ones stay valid");
        }
    };
    tokio::select! {
        () = publisher.closed() => {}
        () = follow_content(&files, move || read(&file), current, on_change) => {}
    }
}

/// Checks that a file that listed tokens still lists one, although revoked: otherwise the file was
/// cut off, or is not written yet.
fn refuse_emptied(path: &Path, before: &TokenList, now: &TokenList) -> Result<(), ServerError> {
    let n_before = before.iter().count();
    if n_before == 0 || now.iter().next().is_some() {
        return Ok(());
    }
    Err(CredentialError::NoTokensAnyMore { path: path.to_owned(), n_before }.into())
}

/// Reads the text of a file of tokens. Its content is no secret, but a user who can write the file
/// can give anybody access.
fn read(path: &Path) -> Result<String, ServerError> {
    let file = open_regular(path)?;
    refuse_written_by_others(path, &file)?;
    read_text(path, &file)
}

fn refuse_written_by_others(path: &Path, file: &File) -> Result<(), ServerError> {
    let failed = |source| ServerError::File { path: path.to_owned(), action: "read", source };
    if file.metadata().map_err(failed)?.permissions().mode() & WRITTEN_BY_OTHERS == 0 {
        return Ok(());
    }
    Err(CredentialError::WritableByOthers { path: path.to_owned() }.into())
}

fn read_text(path: &Path, file: &File) -> Result<String, ServerError> {
    let bytes = read_at_most(path, file, MAX_FILE_BYTES)?;
    without_mark(path, &bytes)?;
    String::from_utf8(bytes).map_err(|_| CredentialError::NotUtf8 { path: path.to_owned() }.into())
}

/// Parses the text of the file at `path`.
fn parse(path: &Path, text: &str) -> Result<TokenList, ServerError> {
    TokenList::parse(text).map_err(|source| list_error(path, source))
}

/// Behavior of a change to a file that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IfMissing {
    /// Create the file.
    Create,
    /// Fail.
    Fail,
}

/// Replaces the text of the file at `path` by the text that `edit` makes from it. A failed change
/// leaves the text as it was.
///
/// The file is changed in place, because a container may have this one file mounted; readers wait
/// until it is complete. Changes at the same time are made one after the other.
fn change(
    path: &Path,
    if_missing: IfMissing,
    edit: impl FnOnce(&str) -> Result<String, TokenListError>,
) -> Result<(), ServerError> {
    let failed = |source| ServerError::File { path: path.to_owned(), action: "change", source };
    let mut options = OpenOptions::new();
    without_waiting(&mut options)
        .read(true)
        .write(true)
        .create(if_missing == IfMissing::Create)
        .truncate(false)
        .mode(0o600);
    let file = options.open(path).map_err(failed)?;
    refuse_irregular(path, &file)?;
    file.lock().map_err(failed)?;
    refuse_written_by_others(path, &file)?;
    let before = read_text(path, &file)?;
    let text = edit(&before).map_err(|source| list_error(path, source))?;
    let replaced = reserve(&file, before.len(), text.len()).and_then(|()| write(&file, &text));
    replaced.map_err(|error| match restore(&file, &before) {
        Ok(()) => failed(error),
        // The file may be half of each: the line that is wrong is named when it is read.
        Err(_) => CredentialError::HalfChanged { path: path.to_owned(), source: error }.into(),
    })
}

/// Extends a file from `n_before` to `n_bytes` bytes with empty lines, which change nothing: a full
/// disk is noticed before a line is overwritten.
fn reserve(file: &File, n_before: usize, n_bytes: usize) -> io::Result<()> {
    let missing = vec![b'\n'; n_bytes.saturating_sub(n_before)];
    file.write_all_at(&missing, n_before as u64)
}

fn write(file: &File, text: &str) -> io::Result<()> {
    file.write_all_at(text.as_bytes(), 0)?;
    file.set_len(text.len() as u64)?;
    file.sync_all()
}

/// Gives a file the text `before`, which needs no space on most file systems.
fn restore(file: &File, before: &str) -> io::Result<()> {
    file.set_len(before.len() as u64)?;
    let mut now = vec![0; before.len()];
    file.read_exact_at(&mut now, 0)?;
    if now == before.as_bytes() { Ok(()) } else { write(file, before) }
}

fn list_error(path: &Path, source: TokenListError) -> ServerError {
    CredentialError::TokenList { path: path.to_owned(), source }.into()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;
    use crate::access::{TokenRole, TokenSecret};
    use crate::reload::RELOAD_INTERVAL;

    fn add_viewer(path: &Path, name: &str) -> Principal {
        let (name, id) = (name.parse().unwrap(), TokenSecret::generate().unwrap().id());
        let token = TokenEntry { name, role: Some(TokenRole::Viewer), id, comment: String::new() };
        add(path, &token).unwrap();
        Principal { name: token.name, role: TokenRole::Viewer, id }
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_is_noticed_and_a_bad_file_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        let (ada, bob) = (add_viewer(&path, "ada"), add_viewer(&path, "bob"));
        let file = TokenFile::start(path.clone()).unwrap();
        let is_valid = |principal: &Principal| file.tokens().invalidity(principal).is_none();
        assert!(is_valid(&ada) && is_valid(&bob));
        let good = fs::read_to_string(&path).unwrap();
        fs::write(&path, "bob viewer 12\n").unwrap();
        tokio::time::sleep(10 * RELOAD_INTERVAL).await;
        assert!(is_valid(&ada) && is_valid(&bob), "a bad file changes nothing");
        fs::write(&path, good).unwrap();
        revoke(&path, &ada.name).unwrap();
        let reason = file.revocation(ada.clone()).await;
        assert_eq!(reason, AuthError::Revoked(ada.name.clone()));
        assert!(!is_valid(&ada) && is_valid(&bob));
        let good = fs::read_to_string(&path).unwrap();
        fs::remove_file(&path).unwrap();
        tokio::time::sleep(10 * RELOAD_INTERVAL).await;
        assert!(is_valid(&bob), "nor does a file that is gone");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        tokio::time::sleep(10 * RELOAD_INTERVAL).await;
        assert!(is_valid(&bob), "nor does a pipe");
        assert!(revoke(&path, &bob.name).is_err() && list(&path).is_err());
        fs::remove_file(&path).unwrap();
        fs::write(&path, good).unwrap();
        revoke(&path, &bob.name).unwrap();
        assert_eq!(file.revocation(bob.clone()).await, AuthError::Revoked(bob.name));
    }

    /// A file that is cut off, or not written yet, must not end all workers for good.
    #[tokio::test(start_paused = true)]
    async fn a_file_without_tokens_revokes_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        let (ada, bob) = (add_viewer(&path, "ada"), add_viewer(&path, "bob"));
        let file = TokenFile::start(path.clone()).unwrap();
        let is_valid = |principal: &Principal| file.tokens().invalidity(principal).is_none();
        for text in ["", "\n", "# nobody\n", "\u{feff}"] {
            fs::write(&path, text).unwrap();
            tokio::time::sleep(10 * RELOAD_INTERVAL).await;
            assert!(is_valid(&ada) && is_valid(&bob), "{text:?}");
        }
        // A list where all are revoked is another thing.
        fs::remove_file(&path).unwrap();
        let eve = add_viewer(&path, "eve");
        revoke(&path, &eve.name).unwrap();
        assert_eq!(file.revocation(ada.clone()).await, AuthError::Unlisted(ada.name));
        assert!(!is_valid(&bob));
    }

    #[tokio::test]
    async fn a_bad_file_is_refused_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        assert!(TokenFile::start(path.clone()).is_err(), "there is none");
        fs::write(&path, "ada").unwrap();
        let failure = TokenFile::start(path.clone()).unwrap_err();
        assert!(matches!(failure, ServerError::Credential(_)), "{failure}");
        for (content, said) in [
            (vec![b'#'; 5 << 20], "tokens has more than 4194304 bytes"),
            (b"\xff\xfea\0d\0a\0".to_vec(), "tokens is UTF-16 text: save it as UTF-8"),
            (b"# \xff".to_vec(), "tokens is not UTF-8 text"),
        ] {
            fs::write(&path, content).unwrap();
            let failure = TokenFile::start(path.clone()).unwrap_err().to_string();
            assert!(failure.ends_with(said), "{failure}");
        }
        fs::write(&path, "# nobody\n").unwrap();
        assert!(TokenFile::start(path.clone()).is_ok());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o646)).unwrap();
        assert!(TokenFile::start(path.clone()).is_err(), "everybody can write it");
        let keep = |text: &str| Ok(text.to_owned());
        assert!(change(&path, IfMissing::Fail, keep).is_err(), "nor would a change be taken");
        let missing = folder.path().join("tokenz");
        assert!(change(&missing, IfMissing::Fail, keep).is_err() && !missing.exists());
    }
}
