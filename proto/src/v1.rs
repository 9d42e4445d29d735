//! Version 1 of the messages and services.

#![expect(
    missing_docs,
    unused_qualifications,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    clippy::large_enum_variant,
    clippy::missing_errors_doc,
    clippy::too_many_lines,
    reason = "generated; documented in the .proto files"
)]

tonic::include_proto!("hatchery.v1");

/// The messages and services described in protobuf, for server reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
