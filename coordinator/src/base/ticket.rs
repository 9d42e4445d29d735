//! Tickets: proof that a job was leased to a worker.
//!
//! A ticket is a MAC under the farm's secret. So any coordinator can check a ticket that another
//! coordinator issued, and nobody can forge a ticket for a job that was never leased.

use hatchery_proto::TICKET_BYTES;
use hatchery_store::{JobId, JobKey, WorkerId};

/// A ticket has two halves: one covers the job's address, the other its address and content.
const HALF: usize = TICKET_BYTES / 2;

/// Issues and checks tickets.
#[derive(Clone)]
pub(crate) struct TicketIssuer([u8; 32]);

impl TicketIssuer {
    /// Creates an issuer with the farm's secret.
    pub(crate) fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    /// Returns the worker's ticket for the job with these bytes.
    pub(crate) fn issue(&self, key: JobKey, worker: WorkerId, bytes: &[u8]) -> Vec<u8> {
        let content = blake3::hash(bytes);
        let address = self.mac(key, worker, &[]);
        [address, self.mac(key, worker, content.as_bytes())].concat()
    }

    /// Returns whether `ticket` was issued to the worker for a job at this address.
    pub(crate) fn is_for(&self, ticket: &[u8], key: JobKey, worker: WorkerId) -> bool {
        ticket.get(..HALF).is_some_and(|half| equal(half, &self.mac(key, worker, &[])))
    }

    /// Returns whether `ticket` is the worker's ticket for the job with these bytes. The same
    /// address may have had other bytes if the store was rolled back.
    pub(crate) fn check(&self, ticket: &[u8], key: JobKey, worker: WorkerId, bytes: &[u8]) -> bool {
        equal(ticket, &self.issue(key, worker, bytes))
    }

    /// Returns a number that nobody without the farm's secret can predict.
    pub(crate) fn draw(&self, key: JobKey) -> u32 {
        let [a, b, c, d, ..] = self.mac(key, WorkerId::NOBODY, b"draw");
        u32::from_le_bytes([a, b, c, d])
    }

    fn mac(&self, key: JobKey, worker: WorkerId, content: &[u8]) -> [u8; HALF] {
        let JobKey { run, job: JobId { generation, index } } = key;
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(b"hatchery ticket 1");
        hasher.update(&run.to_bytes());
        hasher.update(&generation.to_be_bytes());
        hasher.update(&index.to_be_bytes());
        hasher.update(&worker.to_bytes());
        hasher.update(content);
        let mut mac = [0; HALF];
        hasher.finalize_xof().fill(&mut mac);
        mac
    }
}

/// Compares in constant time.
fn equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

impl std::fmt::Debug for TicketIssuer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tickets(..)")
    }
}

#[cfg(test)]
mod tests {
    use hatchery_store::RunId;
    use ulid::Ulid;

    use super::*;

    const WORKER: WorkerId = WorkerId(5);

    #[test]
    fn a_ticket_is_for_one_job_one_worker_and_one_farm() {
        let job = JobId { generation: 1, index: 2 };
        let key = JobKey { run: RunId(Ulid(7)), job };
        let tickets = TicketIssuer::new([1; 32]);
        let ticket = tickets.issue(key, WORKER, b"job");
        assert!(tickets.check(&ticket, key, WORKER, b"job"));
        assert!(!tickets.check(&ticket, key, WORKER, b"another cut"));
        assert!(tickets.is_for(&ticket, key, WORKER));
        let others = [
            (JobKey { run: RunId(Ulid(8)), ..key }, WORKER),
            (JobKey { job: JobId { generation: 2, ..job }, ..key }, WORKER),
            (JobKey { job: JobId { index: 3, ..job }, ..key }, WORKER),
            (key, WorkerId(6)),
        ];
        for (key, worker) in others {
            assert!(!tickets.is_for(&ticket, key, worker));
            assert!(!tickets.check(&ticket, key, worker, b"job"));
        }
        for part in [&ticket[..31], &ticket[..15], &[]] {
            assert!(!tickets.check(part, key, WORKER, b"job"));
        }
        assert!(!tickets.is_for(&[], key, WORKER));
        assert!(!TicketIssuer::new([2; 32]).is_for(&ticket, key, WORKER));
    }
}
