//! The failures of a server, and the store errors that they become.

use std::error::Error;
use std::time::Duration;

use redis::{ErrorKind, RedisError, ServerErrorKind};

use super::reply::MalformedReply;
use crate::{RunId, StoreError};

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

/// Returns whether an error that a script on a run returned says that the run's data is not as
/// scripts leave it: a key is of another type, the queue is gone, or a command or the script itself
/// fails with the values that it finds. Redis 7.0 can bring half a transaction back after power
/// cuts, so that the entries of a queue are ahead of its run.
///
/// The server refuses a call with another code for reasons that pass, or it names no script.
fn is_damage(error: &RedisError) -> bool {
    let text = error.to_string();
    let is_of_server = [
        "killed by user",
        "Unknown Redis command",
        "OOM",
        "cluster",
        "can't run this command",
        "can't access at least one",
        "ACL failure",
    ];
    match error.code() {
        Some("WRONGTYPE" | "NOGROUP") => true,
        Some("ERR") => {
            text.contains("user_script") && !is_of_server.iter().any(|word| text.contains(word))
        }
        _ => false,
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

    /// Returns the error of a script on `run`, in a store at `place`.
    pub(super) fn about(self, run: RunId, place: &str) -> StoreError {
        let is_damage = match &self {
            Self::Malformed(_) => true,
            Self::Redis(error) => is_damage(error),
            Self::NoAnswer { .. } | Self::NearlyFull { .. } => false,
        };
        match is_damage {
            true => StoreError::RunDamaged { run, what: self.to_string() },
            false => self.at(place),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the store's error for this answer of a server to a script on a run.
    fn answered(text: &str) -> StoreError {
        let answer = redis::parse_redis_value(format!("-{text}\r\n").as_bytes());
        let refused = answer.and_then(redis::Value::extract_error).expect_err("an error");
        RedisFailure::from(refused).about(RunId(ulid::Ulid(7)), "redis://here")
    }

    #[test]
    fn an_answer_about_one_run_is_no_outage_of_the_store() {
        let script = "script: 0f3a, on @user_script:101.";
        for text in [
            "ERR The ID specified in XADD is equal or smaller than the target stream top item",
            "ERR user_script:14: attempt to compare nil with number",
            "WRONGTYPE Operation against a key holding the wrong kind of value",
            "NOGROUP No such key or consumer group",
        ] {
            let error = answered(&format!("{text} {script}"));
            assert!(error.is_of_run() && error.remedy().is_some(), "{text}: {error:?}");
            assert!(error.to_string().contains(text.split_once(' ').unwrap().1), "{error}");
        }
        for text in [
            "OOM command not allowed when used memory > 'maxmemory'",
            "MISCONF Errors writing to the AOF file",
            "READONLY You can't write against a read only replica",
            "LOADING Redis is loading the dataset in memory",
            "BUSY Redis is busy running a script",
            "NOREPLICAS Not enough good replicas to write",
            "MASTERDOWN Link with MASTER is down",
            "NOPERM this user has no permissions",
            "CLUSTERDOWN The cluster is down",
            "TRYAGAIN Multiple keys request during rehashing of slot",
            "ERR max number of clients reached",
            "ERR Error running script: Script killed by user with SCRIPT KILL",
        ] {
            for text in [text.to_owned(), format!("{text} {script}")] {
                let is_bare = text.starts_with("ERR max");
                let error = answered(&text);
                let is_outage = matches!(error, StoreError::Unavailable { .. });
                assert!(is_outage || is_bare, "{text}: {error:?}");
            }
        }
    }
}
