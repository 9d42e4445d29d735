//! Errors of the server and of credentials.

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;

use hatchery_coordinator::UserName;

/// An error that keeps a server from its work, or credentials from being read or made.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ServerError {
    #[error(transparent)]
    Credential(#[from] CredentialError),
    #[error("cannot {action} {path}")]
    File { path: PathBuf, action: &'static str, source: std::io::Error },
    #[error("cannot listen on {address}")]
    Listen { address: SocketAddr, source: std::io::Error },
    #[error("cannot set up the process")]
    SetUp(#[source] Box<dyn Error + Send + Sync>),
}

impl ServerError {
    /// Wraps an error that keeps the process from doing its work at all.
    pub(crate) fn set_up(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::SetUp(error.into())
    }
}

/// A token, a list of tokens, a certificate or a key that cannot be used or made.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum CredentialError {
    #[error("every user of this machine can change {path}: run chmod o-w {path}")]
    WritableByOthers { path: PathBuf },
    #[error("{path} is secret, but every user of this machine has access: run chmod o= {path}")]
    AccessibleToOthers { path: PathBuf },
    #[error("{path} has more than {max_bytes} bytes")]
    FileTooLarge { path: PathBuf, max_bytes: u64 },
    #[error("{path} is {kind}, but must be a regular file")]
    NotRegular { path: PathBuf, kind: &'static str },
    #[error("{files}: no answer of the file system within {timeout_s} s")]
    FileHangs { files: String, timeout_s: u64 },
    #[error("{path} is UTF-16 text: save it as UTF-8")]
    Utf16 { path: PathBuf },
    #[error("{path} is not UTF-8 text")]
    NotUtf8 { path: PathBuf },
    #[error("{path} holds no token")]
    NoToken { path: PathBuf },
    #[error("cannot use the tokens in {path}")]
    TokenList { path: PathBuf, source: TokenListError },
    #[error(
        "{path} lists no token any more, and listed {n_before}: an empty list counts as damaged; \
         to refuse a token, run `hatchery token revoke NAME`, which keeps its line"
    )]
    NoTokensAnyMore { path: PathBuf, n_before: usize },
    #[error("{path} was changed in part, and cannot be restored: check its lines")]
    HalfChanged { path: PathBuf, source: std::io::Error },
    #[error("{path} holds no certificate in PEM format")]
    NoCertificate { path: PathBuf },
    #[error("{path} holds no private key in PEM format")]
    NoPrivateKey { path: PathBuf },
    #[error(
        "the private key in {path} is encrypted: decrypt it first, as with \
         `openssl pkey -in {path} -out NEW_FILE`"
    )]
    EncryptedKey { path: PathBuf },
    #[error("cannot use the certificate {path} with its key")]
    Certificate { path: PathBuf, source: rustls::Error },
    #[error("cannot use the client authorities in {path}")]
    ClientAuthority { path: PathBuf, source: rustls::Error },
    #[error("{path} already exists: give --replace to replace it, or another --name")]
    CertificateExists { path: PathBuf },
    #[error("{key} is not the key of a certificate in {authority}")]
    OtherAuthority { authority: PathBuf, key: PathBuf },
    #[error("the authority in {path} expired on {expired}: make another with `hatchery pki init`")]
    AuthorityExpired { path: PathBuf, expired: String },
    #[error("cannot sign with the authority in {path}")]
    Authority { path: PathBuf, source: rcgen::Error },
    #[error("{host:?} is neither a host name nor an IP address, such as farm.example or 192.0.2.1")]
    CertificateHost { host: String },
    #[error("{path} holds no authority's certificate: it signs nothing that clients trust")]
    NoAuthority { path: PathBuf },
    #[error("the certificate in {path} expired on {expired}")]
    CertificateExpired { path: PathBuf, expired: String },
    #[error("the certificate in {path} is not valid before {begins}")]
    CertificateNotYetValid { path: PathBuf, begins: String },
    #[error("cannot make a certificate for {}", .hosts.join(", "))]
    CertificateHosts { hosts: Vec<String>, source: rcgen::Error },
}

/// A list of tokens that cannot be read, or changed as asked for.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum TokenListError {
    #[error("line {line}: {what}")]
    Line { line: usize, what: &'static str },
    #[error("more than {max} tokens")]
    TooMany { max: usize },
    #[error("no token {0} that is not revoked")]
    Unknown(UserName),
    #[error("token {0} already exists: revoke it first, or choose another name")]
    Taken(UserName),
}
