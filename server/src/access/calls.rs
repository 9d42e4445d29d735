//! The role that each call requires. Only this table decides it.

use super::{CallAccess, TokenRole};

const WORKER: CallAccess = CallAccess::Role(TokenRole::Worker);
const VIEWER: CallAccess = CallAccess::Role(TokenRole::Viewer);
const OPERATOR: CallAccess = CallAccess::Role(TokenRole::Operator);

/// All calls of the protocol, and pages over HTTP. Calls that change nothing are for viewers.
const CALLS: &[(&str, CallAccess)] = &[
    ("/hatchery.v1.WorkerPlane/Session", WORKER),
    ("/hatchery.v1.WorkerPlane/GetPart", WORKER),
    ("/hatchery.v1.WorkerPlane/PutParts", WORKER),
    ("/hatchery.v1.WorkerPlane/PutResult", WORKER),
    ("/hatchery.v1.Control/Submit", OPERATOR),
    ("/hatchery.v1.Control/PutInput", OPERATOR),
    ("/hatchery.v1.Control/GetRun", VIEWER),
    ("/hatchery.v1.Control/ListRuns", VIEWER),
    ("/hatchery.v1.Control/WatchRun", VIEWER),
    ("/hatchery.v1.Control/SteerRun", OPERATOR),
    ("/hatchery.v1.Control/DeleteRun", OPERATOR),
    ("/hatchery.v1.Control/ExportRun", VIEWER),
    ("/hatchery.v1.Control/GetPart", VIEWER),
    ("/hatchery.v1.Control/ListDead", VIEWER),
    ("/hatchery.v1.Control/RetryDead", OPERATOR),
    ("/hatchery.v1.Control/ExplainRun", VIEWER),
    ("/hatchery.v1.Control/ListWorkers", VIEWER),
    ("/hatchery.v1.Control/DrainWorker", OPERATOR),
    ("/hatchery.v1.Control/QuarantineWorker", OPERATOR),
    // Probes of an orchestrator have no token.
    ("/grpc.health.v1.Health/Check", CallAccess::Public),
    ("/grpc.health.v1.Health/Watch", CallAccess::Public),
    ("/grpc.health.v1.Health/List", CallAccess::Public),
    ("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", VIEWER),
    // Pages of the metrics server.
    ("/metrics", VIEWER),
    ("/desired_workers", VIEWER),
    ("/healthz", CallAccess::Public),
    ("/readyz", CallAccess::Public),
];

/// Returns the access that the call at `path` requires; an unknown call is for operators.
pub(crate) fn required_access(path: &str) -> CallAccess {
    let known = CALLS.iter().find(|(known, _)| *known == path);
    known.map_or(OPERATOR, |&(_, access)| access)
}

/// Returns true if there is a call at `path`.
pub(crate) fn is_known(path: &str) -> bool {
    CALLS.iter().any(|(known, _)| *known == path)
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
        assert!(
            ours.iter().all(|path| required_access(path) != CallAccess::Public),
            "no call of ours is public"
        );
        let unknown = "/hatchery.v1.Control/NotYetInvented";
        assert_eq!(required_access(unknown), OPERATOR);
        assert!(!is_known(unknown) && ours.iter().all(|path| is_known(path)));
    }

    #[test]
    fn a_worker_token_allows_nothing_else() {
        for (path, access) in CALLS {
            let CallAccess::Role(least) = *access else { continue };
            let plane = path.starts_with("/hatchery.v1.WorkerPlane/");
            assert_eq!(TokenRole::Worker.includes(least), plane, "{path}");
            assert_eq!(TokenRole::Operator.includes(least), !plane, "{path}");
        }
    }
}
