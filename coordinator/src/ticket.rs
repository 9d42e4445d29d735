//! Tickets: proof that a job was leased to a worker.
//!
//! A ticket is a MAC under the farm's secret, so any coordinator can check a ticket that another
//! one issued, and nobody can forge one for a job that was never leased.

use hatchery_proto::TICKET_BYTES;

use crate::store::{JobId, RunId, WorkerId};

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
    pub(crate) fn issue(&self, run: RunId, job: JobId, worker: WorkerId, bytes: &[u8]) -> Vec<u8> {
        let content = blake3::hash(bytes);
        let address = self.mac(run, job, worker, &[]);
        [address, self.mac(run, job, worker, content.as_bytes())].concat()
    }

    /// Returns whether `ticket` was issued to the worker for a job at this address.
    pub(crate) fn is_for(&self, ticket: &[u8], run: RunId, job: JobId, worker: WorkerId) -> bool {
        ticket.get(..HALF).is_some_and(|half| equal(half, &self.mac(run, job, worker, &[])))
    }

    /// Returns whether `ticket` is the worker's ticket for the job with these bytes. The same
    /// address may have had other bytes if the store was rolled back.
    pub(crate) fn check(
        &self,
        ticket: &[u8],
        run: RunId,
        job: JobId,
        worker: WorkerId,
        bytes: &[u8],
    ) -> bool {
        equal(ticket, &self.issue(run, job, worker, bytes))
    }

    /// Returns a number that nobody without the farm's secret can predict.
    pub(crate) fn draw(&self, run: RunId, job: JobId) -> u32 {
        let [a, b, c, d, ..] = self.mac(run, job, WorkerId::NOBODY, b"draw");
        u32::from_le_bytes([a, b, c, d])
    }

    fn mac(&self, run: RunId, job: JobId, worker: WorkerId, content: &[u8]) -> [u8; HALF] {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(b"hatchery ticket 1");
        hasher.update(&run.to_bytes());
        hasher.update(&job.generation.to_be_bytes());
        hasher.update(&job.index.to_be_bytes());
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
    use ulid::Ulid;

    use super::*;

    const WORKER: WorkerId = WorkerId(5);

    #[test]
    fn a_ticket_is_for_one_job_one_worker_and_one_farm() {
        let run = RunId(Ulid(7));
        let job = JobId { generation: 1, index: 2 };
        let tickets = TicketIssuer::new([1; 32]);
        let ticket = tickets.issue(run, job, WORKER, b"job");
        assert!(tickets.check(&ticket, run, job, WORKER, b"job"));
        assert!(!tickets.check(&ticket, run, job, WORKER, b"another cut"));
        assert!(tickets.is_for(&ticket, run, job, WORKER));
        let others = [
            (RunId(Ulid(8)), job, WORKER),
            (run, JobId { generation: 2, ..job }, WORKER),
            (run, JobId { index: 3, ..job }, WORKER),
            (run, job, WorkerId(6)),
        ];
        for (run, job, worker) in others {
            assert!(!tickets.is_for(&ticket, run, job, worker));
            assert!(!tickets.check(&ticket, run, job, worker, b"job"));
        }
        for part in [&ticket[..31], &ticket[..15], &[]] {
            assert!(!tickets.check(part, run, job, WORKER, b"job"));
        }
        assert!(!tickets.is_for(&[], run, job, WORKER));
        assert!(!TicketIssuer::new([2; 32]).is_for(&ticket, run, job, WORKER));
    }
}
