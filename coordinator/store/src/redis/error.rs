//! The failures of a server, and the store errors that they become.

use std::error::Error;
use std::time::Duration;

use redis::{ErrorKind, RedisError, ServerErrorKind};

use super::reply::MalformedReply;
use crate::StoreError;

/// The reason that something was not done.
#[derive(Debug, thiserror::Error)]
pub(super) enum RedisFailure {
    /// The server is silent, or cannot be reached.
    #[error("no answer within {} s", within.as_secs_f32())]
    NoAnswer {
        /// The time that the server had.
        within: Duration,
    },
    /// The server or the connection to it returns an error. No source: the error's text includes
    /// the text of its own source.
    #[error("{}", described(.0))]
    Redis(RedisError),
    /// The server's memory is nearly full.
    #[error(
        "memory is nearly full: {used} of {most} bytes are used; nothing more is enqueued until \
         that falls or maxmemory is raised"
    )]
    NearlyFull {
        /// The number of bytes in use.
        used: u64,
        /// The limit: `maxmemory`.
        most: u64,
    },
    /// The server's answer is malformed.
    #[error(transparent)]
    Malformed(#[from] MalformedReply),
}

/// The faults of certificates: words in the errors of rustls, and what they mean.
const CERTIFICATE_FAULTS: [(&[&str], &str); 7] = [
    (
        &["UnknownIssuer", "BadSignature"],
        "no trusted authority has signed the server's certificate; --redis-ca names the authority \
         to trust",
    ),
    (&["not valid for name"], "the server's certificate is for another name"),
    (
        &["certificate expired", "certificate not valid yet"],
        "the server's certificate is not valid now",
    ),
    (
        &["CaUsedAsEndEntity"],
        "the server's certificate is the certificate of an authority; the authority must sign \
         another one for the server",
    ),
    (
        &["alert: CertificateRequired", "alert: HandshakeFailure"],
        "the server asks for a client certificate; --redis-cert and --redis-key name one",
    ),
    (
        &[
            "alert: UnknownCA",
            "alert: BadCertificate",
            "alert: CertificateExpired",
            "alert: CertificateUnknown",
            "alert: UnsupportedCertificate",
            "alert: DecryptError",
        ],
        "the server does not accept the client certificate",
    ),
    (&["KeyMismatch"], "the key does not belong to the client certificate"),
];

/// Returns the text of an error, after the meaning of the text if a certificate is at fault.
fn described(error: &RedisError) -> String {
    let text = error.to_string();
    let names = |words: &&[&str]| words.iter().any(|word| text.contains(word));
    match CERTIFICATE_FAULTS.iter().find(|(words, _)| names(words)) {
        Some((_, meaning)) => format!("{meaning} ({text})"),
        None => text,
    }
}

impl From<RedisError> for RedisFailure {
    fn from(error: RedisError) -> Self {
        Self::Redis(error)
    }
}

/// Returns the server's code for refusing a call, or the code that it would have sent, if `error`
/// is such a refusal.
pub(crate) fn refusal<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a str> {
    match error.downcast_ref::<RedisFailure>()? {
        RedisFailure::Redis(error) => error.code(),
        RedisFailure::NearlyFull { .. } => Some("OOM"),
        RedisFailure::NoAnswer { .. } | RedisFailure::Malformed(_) => None,
    }
}

/// Returns true if `error` is the server's answer to a login or a database number that it does not
/// accept: asking again changes nothing.
pub(crate) fn is_denial(error: &(dyn Error + 'static)) -> bool {
    let Some(RedisFailure::Redis(error)) = error.downcast_ref() else { return false };
    match error.kind() {
        ErrorKind::AuthenticationFailed => true,
        // The crate's own error, for the answer to SELECT at the beginning of a connection.
        ErrorKind::Server(ServerErrorKind::ResponseError) => {
            error.to_string().contains("refused to switch database")
        }
        _ => matches!(error.code(), Some("NOAUTH" | "WRONGPASS" | "NOPERM")),
    }
}

impl RedisFailure {
    /// Returns the code of the server's error, if it is one.
    pub(super) fn code(&self) -> Option<&str> {
        match self {
            Self::Redis(error) => error.code(),
            Self::NoAnswer { .. } | Self::NearlyFull { .. } | Self::Malformed(_) => None,
        }
    }

    /// Returns the error of a store at `place`.
    pub(super) fn at(self, place: &str) -> StoreError {
        let place = place.to_owned();
        match self {
            Self::Malformed(malformed) => {
                StoreError::Damaged { place, what: malformed.to_string() }
            }
            // A key is of another type, or the queue of a run is gone although the run is there.
            Self::Redis(error) if matches!(error.code(), Some("WRONGTYPE" | "NOGROUP")) => {
                StoreError::Damaged { place, what: error.to_string() }
            }
            // Loading, read-only, out of memory, no disk, no replicas, no permission, no
            // connection: all of these pass, or a person ends them, and nothing is lost meanwhile.
            other => StoreError::Unavailable { place, source: Box::new(other) },
        }
    }
}
