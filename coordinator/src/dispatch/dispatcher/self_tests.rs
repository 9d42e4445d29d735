//! Decides which experiments a worker may compute. When a run opens, its workers get the self-test
//! of the run's experiment; a worker that passes the self-test gets jobs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hatchery_proto::v1::{self, to_worker};
use hatchery_store::SessionId;
use tokio::time::Instant;

use super::Dispatcher;
use crate::dispatch::effect::{DispatchEffect, StepContext};
use crate::dispatch::workers::self_test_table::SelfTestState;
use crate::dispatch::workers::session::Clearance;
use crate::self_tests::{ComputedSelfTest, SelfTestJob};

/// The most experiments that this build does not have: in all, and for each worker. The longest
/// name of such an experiment. Each experiment is announced to the other coordinators.
const MAX_UNKNOWN: usize = 256;
const MAX_UNKNOWN_PER_WORKER: usize = 32;
const MAX_UNKNOWN_BYTES: usize = 64;

impl Dispatcher {
    /// Drops experiments that are not in this build from the list of a new worker, except a few
    /// with short names: another coordinator may know these. Returns the number of dropped
    /// experiments.
    pub(super) fn drop_unknown(&self, experiments: &mut BTreeMap<String, u32>) -> usize {
        let is_known = |name: &str| self.self_tests.version(name).is_some();
        let known = self.sessions.experiments().filter(|&name| !is_known(name));
        let mut unknown: BTreeSet<_> = known.map(str::to_owned).collect();
        let (n_announced, mut n_kept) = (experiments.len(), 0);
        experiments.retain(|name, _| {
            let is_kept = n_kept < MAX_UNKNOWN_PER_WORKER
                && name.len() <= MAX_UNKNOWN_BYTES
                && (unknown.contains(name) || unknown.len() < MAX_UNKNOWN);
            if is_known(name) || !is_kept {
                return is_known(name);
            }
            n_kept += 1;
            unknown.insert(name.clone());
            true
        });
        n_announced - experiments.len()
    }

    /// Sets the clearance of a new worker for each experiment that it announces, and sends it the
    /// self-tests of experiments with open runs.
    pub(super) fn announced(
        &mut self,
        now: Instant,
        id: SessionId,
        welcome_tests: &[(&'static str, ComputedSelfTest)],
    ) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        self.self_tests.note_other_versions(session);
        session.welcome(welcome_tests.iter().filter_map(|(_, test)| test.job().cloned()).collect());
        let announced = session.experiments().clone();
        for (name, &version) in &announced {
            let clearance = self.self_tests.clearance(name, version);
            self.sessions.set_clearance(id, name, clearance);
            let in_welcome = welcome_tests.iter().find(|(experiment, _)| experiment == name);
            if let (Clearance::Untested, Some((_, test))) = (clearance, in_welcome) {
                self.clear_by(now, id, name, test);
            }
        }
        let opened: BTreeSet<_> =
            self.runs.values().map(|run| run.open().experiment.clone()).collect();
        for experiment in opened {
            self.ask(now, id, &experiment);
        }
    }

    /// Tests all workers for an experiment that has a run now.
    pub(super) fn test_workers(&mut self, ctx: &mut StepContext, experiment: &str) {
        if !self.self_tests.tests_workers() {
            return;
        }
        if self.self_tests.get(experiment).is_none() {
            let experiment = experiment.to_owned();
            self.self_tests.set(experiment.clone(), SelfTestState::Computing);
            return ctx.push(DispatchEffect::ComputeSelfTest { experiment });
        }
        let Some(version) = self.self_tests.version(experiment) else { return };
        for id in self.sessions.untested(experiment, version) {
            self.ask(ctx.now, id, experiment);
        }
    }

    /// Handles that the self-test of an experiment is computed.
    pub(super) fn self_test_computed(
        &mut self,
        ctx: &mut StepContext,
        experiment: &str,
        test: ComputedSelfTest,
    ) {
        self.self_tests.set(experiment.to_owned(), SelfTestState::Computed(test));
        self.test_workers(ctx, experiment);
    }

    /// Sends an untested worker the self-test of an experiment, once the self-test is computed.
    fn ask(&mut self, now: Instant, id: SessionId, experiment: &str) {
        let Some(SelfTestState::Computed(test)) = self.self_tests.get(experiment) else {
            return;
        };
        let test = test.clone();
        let Some(session) = self.sessions.get_mut(id) else { return };
        if session.clearance(experiment) != Some(Clearance::Untested) {
            return;
        }
        if let Some(test) = test.job() {
            session.send(to_worker::Message::SelfTest(test.test.clone()));
        }
        self.clear_by(now, id, experiment, &test);
    }

    /// Sets the clearance of an untested worker by the self-test of an experiment, which the worker
    /// has been sent. Without a self-test the worker is trusted. If the self-test failed in the
    /// coordinator, the right output is unknown, so the worker gets no jobs.
    fn clear_by(&mut self, now: Instant, id: SessionId, experiment: &str, test: &ComputedSelfTest) {
        let clearance = match test {
            ComputedSelfTest::Absent => Clearance::Cleared,
            ComputedSelfTest::Job(_) => {
                self.self_tests.note_sent(now, id, experiment.to_owned());
                Clearance::Asked
            }
            ComputedSelfTest::Failed => {
                if let Some(session) = self.sessions.get_mut(id) {
                    session.notice(format!(
                        "no jobs of {experiment}: its self-test failed in the coordinator; check \
                         the coordinator's log, build and machine"
                    ));
                }
                self.workers_changed = true;
                Clearance::Refused
            }
        };
        self.sessions.set_clearance(id, experiment, clearance);
    }

    /// Stops counting workers as able to compute an experiment whose self-test they do not answer,
    /// because jobs and second opinions would wait for these workers. A right answer that comes
    /// later still counts.
    pub(super) fn expire_self_tests(&mut self, now: Instant) {
        while let Some((id, experiment)) = self.self_tests.next_overdue(now) {
            let Some(session) = self.sessions.get_mut(id) else { continue };
            if session.clearance(&experiment) != Some(Clearance::Asked) {
                continue;
            }
            tracing::warn!(worker = session.name(), experiment, "self-test not answered");
            session.notice(format!(
                "no jobs of {experiment} yet: this worker has not answered the self-test for a \
                 minute; if it does not soon, start it again"
            ));
            self.sessions.set_clearance(id, &experiment, Clearance::Overdue);
            self.workers_changed = true;
        }
    }

    /// Handles the outcomes of self-tests.
    pub(super) fn self_tested(&mut self, id: SessionId, tested: v1::SelfTested) {
        let v1::SelfTested { results, experiment } = tested;
        let Some(session) = self.sessions.get_mut(id) else { return };
        if experiment.is_empty() {
            let tests = session.take_welcome_tests();
            for (idx, test) in tests.iter().enumerate() {
                self.judge(id, test, results.get(idx).and_then(|it| it.outcome.as_ref()));
            }
        } else if let Some(SelfTestState::Computed(ComputedSelfTest::Job(test))) =
            self.self_tests.get(&experiment)
        {
            let test = Arc::clone(test);
            self.judge(id, &test, results.first().and_then(|result| result.outcome.as_ref()));
        }
    }

    /// Clears a worker for the experiment of a self-test that the worker was asked to compute, or
    /// refuses the worker.
    fn judge(&mut self, id: SessionId, test: &SelfTestJob, outcome: Option<&v1::result::Outcome>) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        let experiment = test.experiment;
        if !matches!(session.clearance(experiment), Some(Clearance::Asked | Clearance::Overdue)) {
            return;
        }
        self.workers_changed = true;
        let said = match outcome {
            Some(v1::result::Outcome::Output(output)) if *output == test.output => {
                return self.sessions.set_clearance(id, experiment, Clearance::Cleared);
            }
            Some(v1::result::Outcome::Failure(failure)) => failure.message.as_str(),
            Some(v1::result::Outcome::Output(_)) => "another output",
            None => "nothing",
        };
        tracing::warn!(worker = session.name(), experiment, said, "self-test failed");
        session.notice(format!(
            "no jobs of {experiment}: this worker computes another result than the coordinator in \
             the self-test; check its build and its machine"
        ));
        self.sessions.set_clearance(id, experiment, Clearance::Refused);
    }
}
