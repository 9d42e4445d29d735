//! Limits on the calls that are served at the same time: over all callers, and per caller.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::Extensions;

use super::user::{AuthenticatedUser, UserName};

/// Above this number of callers, idle callers are evicted before another is added.
const REMEMBERED_CALLERS: usize = 64;

/// The address of a caller. A server that can tell the address sets it as a request extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerAddress(pub IpAddr);

impl CallerAddress {
    /// Returns the address that limits apply to. With IPv6 that is a network of 64 bits, because a
    /// single machine can choose among the addresses of such a network.
    #[must_use]
    pub fn network(self) -> IpAddr {
        match self.0.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (!0 << 64)).into(),
            v4 @ IpAddr::V4(_) => v4,
        }
    }
}

/// The sender of a request, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Caller {
    /// The user whose token was shown.
    User(UserName),
    /// The network, where no token is required.
    Network(IpAddr),
    /// A caller in this process.
    Local,
}

impl Caller {
    /// Returns the sender of the request with these extensions.
    #[must_use]
    pub fn of(extensions: &Extensions) -> Self {
        if let Some(AuthenticatedUser(name)) = extensions.get() {
            return Self::User(name.clone());
        }
        let address = extensions.get::<CallerAddress>();
        address.map_or(Self::Local, |address| Self::Network(address.network()))
    }
}

/// A number of permits that callers share.
#[derive(Debug)]
pub struct CallerLimits {
    all: Arc<Semaphore>,
    n_per_caller: usize,
    /// The permits of each caller that holds or waits for permits. The lock is here because several
    /// threads serve calls.
    callers: Mutex<HashMap<Caller, Weak<Semaphore>>>,
}

/// Permits of a caller, which it returns when it drops them.
#[derive(Debug)]
pub struct CallerPermit {
    _own: OwnedSemaphorePermit,
    _shared: OwnedSemaphorePermit,
}

impl CallerLimits {
    /// Creates `n_all` permits; a single caller can have at most `n_per_caller` of the permits.
    #[must_use]
    pub fn new(n_all: usize, n_per_caller: usize) -> Self {
        let all = Arc::new(Semaphore::new(n_all));
        Self { all, n_per_caller, callers: Mutex::default() }
    }

    /// Waits for `n` permits for `caller`. Callers are served in order of arrival, but a caller
    /// that has used up its share does not make the others wait.
    ///
    /// # Panics
    /// Panics if `n` is more than a caller can have.
    pub async fn acquire(&self, caller: &Caller, n: u32) -> CallerPermit {
        assert!(n as usize <= self.n_per_caller, "{n} permits are never free");
        let own = self.own(caller).acquire_many_owned(n).await;
        let shared = Arc::clone(&self.all).acquire_many_owned(n).await;
        let is_open = "the semaphore is never closed";
        CallerPermit { _own: own.expect(is_open), _shared: shared.expect(is_open) }
    }

    /// Returns a permit for `caller`, or `None` if none is free now.
    #[must_use]
    pub fn try_acquire(&self, caller: &Caller) -> Option<CallerPermit> {
        let own = self.own(caller).try_acquire_owned().ok()?;
        let shared = Arc::clone(&self.all).try_acquire_owned().ok()?;
        Some(CallerPermit { _own: own, _shared: shared })
    }

    /// Returns the permits of `caller`.
    fn own(&self, caller: &Caller) -> Arc<Semaphore> {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = callers.get(caller).and_then(Weak::upgrade) {
            return own;
        }
        if REMEMBERED_CALLERS <= callers.len() {
            callers.retain(|_, own| 0 < own.strong_count());
        }
        let own = Arc::new(Semaphore::new(self.n_per_caller));
        callers.insert(caller.clone(), Arc::downgrade(&own));
        own
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn caller(name: &str) -> Caller {
        Caller::User(name.parse().unwrap())
    }

    /// Polls `future` once; nothing but permits can keep it waiting.
    fn is_waiting<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> bool {
        matches!(future.poll(&mut Context::from_waker(Waker::noop())), Poll::Pending)
    }

    #[test]
    fn a_caller_has_its_share_and_no_more() {
        let limits = CallerLimits::new(3, 2);
        let (ada, eve) = (caller("ada"), caller("eve"));
        let first = limits.try_acquire(&ada);
        let _second = limits.try_acquire(&ada).unwrap();
        assert!(limits.try_acquire(&ada).is_none(), "both are taken");
        let _third = limits.try_acquire(&eve).unwrap();
        assert!(limits.try_acquire(&eve).is_none(), "all are taken");
        drop(first);
        assert!(limits.try_acquire(&eve).is_some());
    }

    #[test]
    fn who_waits_for_its_own_share_keeps_nobody_waiting() {
        let limits = CallerLimits::new(3, 2);
        let (ada, eve) = (caller("ada"), caller("eve"));
        let both = limits.try_acquire(&ada).zip(limits.try_acquire(&ada));
        let mut third = pin!(limits.acquire(&ada, 2));
        assert!(is_waiting(third.as_mut()));
        let other = limits.try_acquire(&eve).unwrap();
        drop(both);
        assert!(!is_waiting(third.as_mut()));
        drop(other);
    }

    #[test]
    fn callers_without_permits_are_forgotten() {
        let limits = CallerLimits::new(2, 2);
        let ada = limits.try_acquire(&caller("ada")).unwrap();
        for idx in 0..10_000 {
            drop(limits.try_acquire(&caller(&format!("u{idx}"))).unwrap());
        }
        let callers = limits.callers.lock().unwrap();
        assert!(callers.len() <= REMEMBERED_CALLERS, "{}", callers.len());
        assert_eq!(callers[&caller("ada")].strong_count(), 1);
        drop(ada);
    }

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        let check = |peer: &str, address: &str| {
            assert_eq!(CallerAddress(peer.parse().unwrap()).network().to_string(), address);
        };
        check("192.0.2.7", "192.0.2.7");
        check("::ffff:192.0.2.7", "192.0.2.7");
        check("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::");
    }
}
