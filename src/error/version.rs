//! Errors between different versions of hatchery.

use hatchery_proto::PROTOCOL;

/// A run or a coordinator of another version of hatchery.
#[derive(Debug, thiserror::Error)]
pub(crate) enum VersionError {
    #[error(
        "the run is of {experiment} version {version}, which this build does not have: use the \
         build that started it"
    )]
    Experiment { experiment: String, version: u32 },
    #[error(
        "the farm speaks version {protocol} of the protocol, but this build speaks version \
         {PROTOCOL}: use the farm's build"
    )]
    Protocol { protocol: u32 },
    #[error("cannot read the coordinator's export of run {run}: use the coordinator's build")]
    Export { run: String },
    #[error("the coordinator is of another version of hatchery, which does not know this call")]
    Call,
}
