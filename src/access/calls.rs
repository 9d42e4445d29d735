//! What each call needs: the only place that says so.

use super::{Need, Role};

const WORKER: Need = Need::Token(Role::Worker);
const VIEWER: Need = Need::Token(Role::Viewer);
const OPERATOR: Need = Need::Token(Role::Operator);

/// What each call of the protocol needs. Calls that only look are a viewer's.
const CALLS: &[(&str, Need)] = &[
    ("/hatchery.v1.WorkerPlane/Session", WORKER),
    ("/hatchery.v1.WorkerPlane/GetBlob", WORKER),
    ("/hatchery.v1.Control/Submit", OPERATOR),
    ("/hatchery.v1.Control/GetRun", VIEWER),
    ("/hatchery.v1.Control/ListRuns", VIEWER),
    ("/hatchery.v1.Control/WatchRun", VIEWER),
    ("/hatchery.v1.Control/SteerRun", OPERATOR),
    ("/hatchery.v1.Control/DeleteRun", OPERATOR),
    ("/hatchery.v1.Control/ExportRun", VIEWER),
    ("/hatchery.v1.Control/GetState", VIEWER),
    ("/hatchery.v1.Control/ListDead", VIEWER),
    ("/hatchery.v1.Control/RetryDead", OPERATOR),
    ("/hatchery.v1.Control/ExplainRun", VIEWER),
    ("/hatchery.v1.Control/ListWorkers", VIEWER),
    ("/hatchery.v1.Control/DrainWorker", OPERATOR),
    ("/hatchery.v1.Control/QuarantineWorker", OPERATOR),
    // Probes of an orchestrator have no token.
    ("/grpc.health.v1.Health/Check", Need::Nothing),
    ("/grpc.health.v1.Health/Watch", Need::Nothing),
    ("/grpc.health.v1.Health/List", Need::Nothing),
    ("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", VIEWER),
    // Over HTTP, where metrics are.
    ("/metrics", VIEWER),
    ("/desired_workers", VIEWER),
    ("/healthz", Need::Nothing),
    ("/readyz", Need::Nothing),
];

/// What the call at `path` needs; one that is not known is for those who may do everything.
pub(crate) fn need(path: &str) -> Need {
    let known = CALLS.iter().find(|(known, _)| *known == path);
    known.map_or(OPERATOR, |&(_, need)| need)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hatchery_proto::v1::DESCRIPTORS;
    use prost::Message;
    use prost_types::FileDescriptorSet;

    use super::*;

    #[test]
    fn every_call_of_the_protocol_is_in_the_table() {
        let set = FileDescriptorSet::decode(DESCRIPTORS).unwrap();
        let mut ours = BTreeSet::new();
        for file in &set.file {
            for service in &file.service {
                for method in &service.method {
                    let (package, service) = (file.package(), service.name());
                    ours.insert(format!("/{package}.{service}/{}", method.name()));
                }
            }
        }
        let listed = CALLS.iter().map(|(path, _)| (*path).to_owned());
        let listed: BTreeSet<_> = listed.filter(|path| path.starts_with("/hatchery.")).collect();
        assert_eq!(listed, ours);
        assert!(ours.iter().all(|path| need(path) != Need::Nothing), "nothing of ours is free");
        assert_eq!(need("/hatchery.v1.Control/NotYetInvented"), OPERATOR);
    }

    #[test]
    fn who_computes_can_do_nothing_else() {
        for (path, need) in CALLS {
            let Need::Token(least) = *need else { continue };
            let plane = path.starts_with("/hatchery.v1.WorkerPlane/");
            assert_eq!(Role::Worker.may(least), plane, "{path}");
            assert_eq!(Role::Operator.may(least), !plane, "{path}");
        }
    }
}
