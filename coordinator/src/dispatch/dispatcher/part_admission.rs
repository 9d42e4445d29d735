//! Decides whether a worker may send the parts of a job.

use hatchery_store::{JobKey, SessionId};
use tonic::Status;

use super::Dispatcher;
use crate::dispatch::message::PartAdmission;

impl Dispatcher {
    /// Answers whether a worker may send parts.
    pub(super) fn admit_parts(&mut self, admission: PartAdmission) {
        let PartAdmission { session, key, ticket, n_bytes, answer } = admission;
        // The worker may be gone.
        answer.send(self.admission(session, key, &ticket, n_bytes)).unwrap_or(());
    }

    fn admission(
        &mut self,
        id: SessionId,
        key: JobKey,
        ticket: &[u8],
        n_bytes: u64,
    ) -> Result<(), Status> {
        let Some(session) = self.sessions.get_mut(id) else {
            return Err(Status::aborted("the session has ended"));
        };
        if !self.settings.tickets.is_for(ticket, key, session.worker()) {
            tracing::warn!(worker = session.name(), run = %key.run, "parts without a valid ticket");
            return Err(Status::permission_denied("the job was not assigned to this worker"));
        }
        if !self.runs.contains_key(&key.run) {
            // A job that it brought along may be taken over in a moment; any other one is over.
            return Err(match session.held().contains(key) {
                true => Status::unavailable("the run is not open here"),
                false => Status::failed_precondition("the run is not open here any more"),
            });
        }
        session.admit_parts(key, n_bytes)
    }
}
