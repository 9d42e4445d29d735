//! What must hold whatever the model says, from the answers alone.

use std::collections::{BTreeMap, BTreeSet};

use super::call::{Answer, Call};
use super::view::View;
use crate::store::{JobId, JobResult, Position, RunId, Verdict};

/// Everything that was said about jobs so far.
#[derive(Debug, Default)]
pub(super) struct Witness {
    accepted: BTreeMap<(RunId, JobId), JobResult>,
    leased: BTreeMap<(RunId, JobId), u128>,
    tokens: BTreeSet<(RunId, (u64, u128))>,
    positions: BTreeMap<RunId, Position>,
}

impl Witness {
    /// All leases ended.
    pub(super) fn restarted(&mut self) {
        self.leased.clear();
    }

    /// A job is leased to one consumer at a time and accepted once; a lead is given once.
    pub(super) fn heard(&mut self, call: &Call, answer: &Answer) -> Result<(), String> {
        match (call, answer) {
            (_, Answer::Led(led)) if !self.tokens.insert((led.lead.run, led.lead.token)) => {
                Err(format!("{:?} was given before", led.lead))
            }
            (Call::Lease { run, consumer, most }, Answer::Leased(jobs)) => {
                if *most < jobs.len() {
                    return Err(format!("{} jobs were leased instead of {most}", jobs.len()));
                }
                jobs.iter().try_for_each(|(job, _)| {
                    let taken = self.leased.insert((*run, *job), *consumer).is_some()
                        || self.accepted.contains_key(&(*run, *job));
                    if taken { Err(format!("{job:?} is not READY")) } else { Ok(()) }
                })
            }
            (Call::Release { run, consumer, jobs }, Answer::Done) => {
                for job in jobs {
                    if self.leased.get(&(*run, *job)) == Some(consumer) {
                        self.leased.remove(&(*run, *job));
                    }
                }
                Ok(())
            }
            (Call::Complete { run, results }, Answer::Verdicts(verdicts)) => {
                let accepted =
                    results.iter().zip(verdicts).filter(|(_, v)| **v == Verdict::Accepted);
                accepted.into_iter().try_for_each(|((job, result), _)| {
                    self.leased.remove(&(*run, *job));
                    match self.accepted.insert((*run, *job), result.clone()) {
                        None => Ok(()),
                        Some(_) => Err(format!("{job:?} was accepted twice")),
                    }
                })
            }
            _ => Ok(()),
        }
    }

    /// `folded <= cursor`; results are those accepted and not folded; the revision tells changes.
    pub(super) fn saw(&mut self, View(runs): &View) -> Result<(), String> {
        for (id, run) in runs {
            let position = &run.position;
            let results = (position.folded..position.cursor).map_while(|index| {
                self.accepted.get(&(*id, JobId { generation: position.generation, index }))
            });
            if position.cursor < position.folded || !run.results.iter().eq(results) {
                return Err(format!("run {id} is at {position:?} with results {:?}", run.results));
            }
            let before = self.positions.insert(*id, position.clone());
            if before
                .is_some_and(|before| &before != position && position.revision <= before.revision)
            {
                return Err(format!("run {id} moved to {position:?} without a new revision"));
            }
        }
        Ok(())
    }
}
