//! Decides which experiments a worker may compute, from its self-tests.

use hatchery_proto::v1;
use hatchery_store::SessionId;

use super::dispatcher::Dispatcher;

impl Dispatcher {
    /// Clears the session for the experiments without a self-test.
    pub(super) fn clear(&mut self, id: SessionId) {
        let Some(session) = self.sessions.get(id) else { return };
        let is_tested =
            |name: &str| self.settings.self_tests.iter().any(|test| test.experiment == name);
        let untested = session.experiments.keys().filter(|name| !is_tested(name));
        for name in untested.cloned().collect::<Vec<_>>() {
            tracing::debug!(name, "no self-test known");
            self.sessions.clear(id, &name);
        }
    }

    pub(super) fn self_tested(&mut self, id: SessionId, tested: &v1::SelfTested) {
        for (self_test, result) in self.settings.self_tests.iter().zip(&tested.results) {
            let Some(session) = self.sessions.get_mut(id) else { return };
            let name = self_test.experiment;
            let right = matches!(
                &result.outcome,
                Some(v1::result::Outcome::Output(output)) if *output == self_test.output
            );
            match session.experiments.get(name) {
                Some(&version) if version == self_test.version && right => {
                    self.sessions.clear(id, name);
                    self.workers_changed = true;
                }
                Some(&version) if version == self_test.version => {
                    let said = match &result.outcome {
                        Some(v1::result::Outcome::Failure(failure)) => failure.message.as_str(),
                        Some(v1::result::Outcome::Output(_)) => "another output",
                        None => "nothing",
                    };
                    tracing::warn!(worker = session.name, name, said, "self-test failed");
                    session.notice(format!(
                        "no jobs of {name}: this worker computes another result than the \
                         coordinator in the self-test; check its build and its machine"
                    ));
                }
                found => {
                    let ours = self_test.version;
                    let theirs = found.map_or_else(|| "none".to_owned(), u32::to_string);
                    tracing::warn!(
                        worker = session.name,
                        experiment = name,
                        ours,
                        theirs,
                        "other version"
                    );
                    session.notice(format!(
                        "no jobs of {name}: the coordinator has version {ours}, this worker \
                         {theirs}; install the same release on both"
                    ));
                }
            }
        }
    }
}
