//! The sources of opinions: which workers count as different ones in audits.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use hatchery_store::WorkerId;

use crate::base::caller_limits::CallerAddress;
use crate::base::user::{AuthenticatedUser, UserName};

/// The workers whose answers to a job count as one opinion in audits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpinionsBy {
    /// Each worker has an opinion of its own.
    #[default]
    Worker,
    /// All workers with one token at one address have one opinion, because they may share the fault
    /// that makes them agree. Where no other host can be asked, the coordinator checks them.
    Host,
}

/// The host of a worker, as far as the coordinator can identify it: the address, and the name of
/// the token where tokens are required.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkerHost {
    token: Option<UserName>,
    address: IpAddr,
}

/// The source of an opinion: answers of equal sources count as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OpinionSource {
    Worker(WorkerId),
    Host(Arc<WorkerHost>),
}

impl WorkerHost {
    /// Creates the host of a worker. An IPv4 address written as an IPv6 address is the same host.
    pub(crate) fn new(
        user: Option<AuthenticatedUser>,
        CallerAddress(address): CallerAddress,
    ) -> Self {
        Self { token: user.map(|AuthenticatedUser(name)| name), address: address.to_canonical() }
    }

    /// Returns its address.
    pub(crate) const fn address(&self) -> IpAddr {
        self.address
    }
}

impl OpinionSource {
    /// Returns whether the source is a host.
    pub(crate) fn is_host(&self) -> bool {
        matches!(self, Self::Host(_))
    }
}

/// Writes TOKEN at ADDRESS, or the address alone.
impl fmt::Display for WorkerHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.token {
            Some(token) => write!(f, "{token} at {}", self.address),
            None => self.address.fmt(f),
        }
    }
}

impl OpinionsBy {
    /// Returns the source of a worker's opinions. A worker without an address, as in a farm within
    /// one process, is a source of its own.
    pub(crate) fn source(self, worker: WorkerId, host: Option<WorkerHost>) -> OpinionSource {
        match (self, host) {
            (Self::Host, Some(host)) => OpinionSource::Host(Arc::new(host)),
            (Self::Host, None) | (Self::Worker, _) => OpinionSource::Worker(worker),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_token_at_an_address() {
        let source = |by: OpinionsBy, worker, token: &str, address: &str| {
            let user = (!token.is_empty()).then(|| AuthenticatedUser(token.parse().unwrap()));
            let host = WorkerHost::new(user, CallerAddress(address.parse().unwrap()));
            by.source(WorkerId(worker), Some(host))
        };
        let one = source(OpinionsBy::Host, 1, "lab", "10.0.0.1");
        for (worker, token, address, is_same) in [
            (2, "lab", "10.0.0.1", true),
            (2, "lab", "::ffff:10.0.0.1", true),
            (2, "lab", "10.0.0.2", false),
            (2, "spare", "10.0.0.1", false),
            (2, "", "10.0.0.1", false),
        ] {
            let other = source(OpinionsBy::Host, worker, token, address);
            assert_eq!(one == other, is_same, "{token} at {address}");
        }
        let by_worker = |worker| source(OpinionsBy::Worker, worker, "lab", "10.0.0.1");
        assert_ne!(by_worker(1), by_worker(2));
        assert_eq!(OpinionsBy::Host.source(WorkerId(1), None), by_worker(1));
    }
}
