//! The contract as a program: the answers that a store has to give, in the plainest data
//! structures.

mod consume;
mod job;
mod run;

pub use job::{Job, JobState};
pub use run::Run;

use std::collections::BTreeMap;

use super::call::{Answer, Call, Enroll, Read, Refusal};
use crate::store::membership::RunClaim;
use crate::store::{CoordinatorId, FencingToken, LeaderToken, RunId, StoreError, WorkerId};

/// A store without a disk and without a clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// The runs.
    pub runs: BTreeMap<RunId, Run>,
    /// The runs that keys stand for, by the bytes of the keys.
    pub keys: BTreeMap<[u8; 32], RunId>,
    /// The claims on runs.
    pub claims: BTreeMap<RunId, RunClaim>,
    /// The announced coordinators, by incarnation.
    pub announced: BTreeMap<CoordinatorId, Vec<u8>>,
    /// The quarantined workers, by incarnation.
    pub quarantined: BTreeMap<WorkerId, String>,
    /// The farm's secret.
    pub secret: [u8; 32],
    /// The token that the next `lead` gives: a store may choose any that it never gave before.
    pub next_token: FencingToken,
}

impl Model {
    /// Performs a call.
    pub fn answer(&mut self, call: Call) -> Answer {
        let answer = match call {
            Call::Read(read) => self.read(read),
            Call::Enroll(enroll) => Ok(self.enroll(enroll)),
            call => self.apply(call),
        };
        answer.unwrap_or_else(Answer::Refused)
    }

    /// Ends all leases, as if their time were over.
    pub fn end_leases(&mut self) {
        for job in self.runs.values_mut().flat_map(|run| run.jobs.values_mut()) {
            if let JobState::Leased(_) = job.state {
                job.state = JobState::Ready;
            }
        }
    }

    /// Returns the error for a refusal of a call about `run`.
    ///
    /// # Panics
    /// If the model does not refuse so.
    #[must_use]
    pub fn error(&self, run: RunId, refusal: Refusal) -> StoreError {
        match refusal {
            Refusal::NoRun => StoreError::NoRun { run },
            Refusal::Fenced => StoreError::Fenced { run },
            Refusal::OutOfStep => {
                let position = Box::new(self.runs[&run].position.clone());
                StoreError::OutOfStep { run, position, operation: "this" }
            }
        }
    }

    fn apply(&mut self, call: Call) -> Result<Answer, Refusal> {
        match call {
            Call::Create { run, record, checkpoint, summary } => {
                let is_new = !self.runs.contains_key(&run);
                self.runs.entry(run).or_insert_with(|| Run::new(record, checkpoint, summary));
                return Ok(Answer::Created(is_new));
            }
            Call::Summarize { run, summary } => self.run(run)?.summary = summary,
            Call::RunFor { key, run } => {
                return Ok(Answer::Run(*self.keys.entry(*key.as_bytes()).or_insert(run)));
            }
            Call::Delete { run } => self.delete(run),
            Call::Lead { run } => {
                let token = self.next_token;
                return Ok(Answer::Led(self.run(run)?.lead(LeaderToken { run, token })));
            }
            Call::Enqueue { lead, enqueue } => self.led(&lead)?.enqueue(enqueue)?,
            Call::EnqueueAndLease { lead, enqueue, consumer, most } => {
                let run = self.led(&lead)?;
                run.enqueue(enqueue)?;
                return Ok(Answer::Leased(run.lease(consumer, most)));
            }
            Call::Lease { run, consumer, most } => {
                return Ok(Answer::Leased(self.run(run)?.lease(consumer, most)));
            }
            Call::Release { run, consumer, jobs } => self.run(run)?.release(consumer, &jobs),
            Call::Renew { run, consumer, jobs } => {
                return Ok(Answer::Lost(self.run(run)?.not_held(consumer, jobs)));
            }
            Call::Adopt { run, consumer, jobs } => {
                return Ok(Answer::Leased(self.run(run)?.adopt(consumer, &jobs)));
            }
            Call::Attempt { run, job, id, attempt } => {
                return Ok(Answer::Many(self.run(run)?.attempt(job, id, attempt)));
            }
            Call::Park { run, consumer, job } => self.run(run)?.park(consumer, job),
            Call::Retry { run, jobs } => return Ok(Answer::Count(self.run(run)?.retry(&jobs))),
            Call::Complete { run, results } => {
                let run = self.run(run)?;
                let verdicts = results.into_iter().map(|(id, result)| run.complete(id, result));
                return Ok(Answer::Verdicts(verdicts.collect()));
            }
            Call::Fold { lead, fold } => self.led(&lead)?.fold(fold)?,
            Call::Skip { lead, results } => self.led(&lead)?.skip(results),
            Call::Disown { lead, worker } => {
                return Ok(Answer::Count(self.led(&lead)?.disown(worker)));
            }
            Call::Rewind { lead, rewind } => self.led(&lead)?.rewind(rewind)?,
            Call::Pause { lead } => self.led(&lead)?.pause(),
            Call::Fail { lead, reason } => self.led(&lead)?.fail(reason)?,
            Call::Steer { run, steer } => return Ok(Answer::State(self.run(run)?.steer(steer))),
            Call::AppendEvent { run, event } => self.run(run)?.events.push(event),
            Call::Read(_) | Call::Enroll(_) => unreachable!("`answer` has taken them"),
        }
        Ok(Answer::Done)
    }

    fn delete(&mut self, run: RunId) {
        self.runs.remove(&run);
        self.claims.remove(&run);
        self.keys.retain(|_, of| *of != run);
    }

    fn read(&mut self, read: Read) -> Result<Answer, Refusal> {
        let skip = |from| usize::try_from(from).unwrap_or(usize::MAX);
        Ok(match read {
            Read::Runs => Answer::Runs(self.runs.keys().copied().collect()),
            Read::Overviews { runs } => {
                let overview =
                    |run: &RunId| Some(self.runs.get(run)?.overview(self.claims.get(run)));
                Answer::Overviews(runs.iter().map(overview).collect())
            }
            Read::Record { run } => Answer::Bytes(self.run(run)?.record.clone()),
            Read::Position { run } => Answer::Position(self.run(run)?.position.clone()),
            Read::Standing { lead } => Answer::Position(self.led(&lead)?.position.clone()),
            Read::Checkpoint { run } => Answer::Bytes(self.run(run)?.checkpoint.clone()),
            Read::Jobs { run, jobs } => Answer::Jobs(self.run(run)?.bytes_of(&jobs)),
            Read::Parked { run, from, most } => Answer::Parked(self.run(run)?.parked(from, most)),
            Read::Results { run, from, most } => Answer::Page(self.run(run)?.page(from, most)),
            Read::Generations { run, from } => {
                let generations = &self.run(run)?.generations;
                Answer::Many(generations.iter().skip(skip(u64::from(from))).cloned().collect())
            }
            Read::Events { run, from } => {
                Answer::Many(self.run(run)?.events.iter().skip(skip(from)).cloned().collect())
            }
            Read::Blob { run, hash } => {
                let blobs = self.runs.get(&run).map(|run| &run.blobs);
                Answer::Blob(blobs.and_then(|blobs| blobs.get(hash.as_bytes())).cloned())
            }
        })
    }

    fn enroll(&mut self, enroll: Enroll) -> Answer {
        match enroll {
            Enroll::Claim { run, coordinator, progress } => {
                let claim = RunClaim { coordinator, progress };
                let kept = self.claims.entry(run).or_insert_with(|| claim.clone());
                let is_its_own = kept.coordinator == coordinator;
                if is_its_own {
                    *kept = claim;
                }
                return Answer::Claims(is_its_own);
            }
            Enroll::Unclaim { run, coordinator } => {
                self.claims.retain(|id, claim| *id != run || claim.coordinator != coordinator);
            }
            Enroll::Claimed { run } => return Answer::Claimed(self.claims.get(&run).cloned()),
            Enroll::Announce { coordinator, announcement } => {
                self.announced.insert(coordinator, announcement);
            }
            Enroll::Withdraw { coordinator } => {
                self.announced.remove(&coordinator);
            }
            Enroll::Announced => {
                let announced = self.announced.iter().map(|(id, said)| (*id, said.clone()));
                return Answer::Announced(announced.collect());
            }
            Enroll::Quarantine { worker, reason } => {
                self.quarantined.entry(worker).or_insert(reason);
            }
            Enroll::Quarantined => {
                let out = self.quarantined.iter().map(|(id, reason)| (*id, reason.clone()));
                return Answer::Quarantined(out.collect());
            }
            Enroll::Secret => return Answer::Secret(self.secret),
        }
        Answer::Done
    }

    fn run(&mut self, run: RunId) -> Result<&mut Run, Refusal> {
        self.runs.get_mut(&run).ok_or(Refusal::NoRun)
    }

    fn led(&mut self, lead: &LeaderToken) -> Result<&mut Run, Refusal> {
        let run = self.run(lead.run)?;
        if run.token == Some(lead.token) { Ok(run) } else { Err(Refusal::Fenced) }
    }
}
