//! Event files of TensorBoard, which show curves of scalars.
//!
//! A file is a sequence of records: the length of the data as a little-endian `u64`, a checksum of
//! these 8 bytes, the data, and a checksum of the data. The data are messages of protocol buffers:
//! `tensorflow/core/lib/io/record_writer.h` and `tensorflow/core/util/event.proto`.

use crc::{CRC_32_ISCSI, Crc};
use prost::Message as _;

/// The name of the file: TensorBoard reads files whose names have `tfevents`.
pub(super) const EVENT_FILE: &str = "events.out.tfevents.hatchery";

/// The checksum of records, also called CRC-32C.
const CHECKSUM: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);

/// The number that is added to a rotated checksum (`crc32c.h` of TensorFlow).
const MASK: u32 = 0xa282_ead8;

/// The version of the format. The first event in a file records this version.
const VERSION: &str = "brain.Event:2";

/// A number at a step.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ScalarEvent {
    /// The name of the curve: parts of a path are groups of charts.
    pub(super) tag: String,
    pub(super) step: u64,
    pub(super) value: f64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct EventMessage {
    #[prost(double, tag = "1")]
    wall_time: f64,
    #[prost(int64, tag = "2")]
    step: i64,
    #[prost(string, optional, tag = "3")]
    file_version: Option<String>,
    #[prost(message, optional, tag = "5")]
    summary: Option<SummaryMessage>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct SummaryMessage {
    #[prost(message, repeated, tag = "1")]
    value: Vec<ValueMessage>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct ValueMessage {
    #[prost(string, tag = "1")]
    tag: String,
    // One of several kinds of values: it is written even if it is 0.
    #[prost(float, optional, tag = "2")]
    simple_value: Option<f32>,
}

/// Returns an event file of these scalars, in the order of steps.
///
/// The time of an event is its step, in seconds: exhibits know no clock. Values are rounded to
/// `f32`; larger ones become the largest.
pub(super) fn event_file(mut scalars: Vec<ScalarEvent>) -> Vec<u8> {
    scalars.sort_by_key(|scalar| scalar.step);
    let version = EventMessage { file_version: Some(VERSION.to_owned()), ..Default::default() };
    let mut file = Vec::new();
    push_record(&mut file, &version);
    for scalar in scalars {
        push_record(&mut file, &event(scalar));
    }
    file
}

fn event(ScalarEvent { tag, step, value }: ScalarEvent) -> EventMessage {
    let largest = f64::from(f32::MAX);
    #[expect(clippy::cast_possible_truncation, reason = "it is in the range of f32")]
    let simple_value = Some(value.clamp(-largest, largest) as f32);
    #[expect(clippy::cast_precision_loss, reason = "for display")]
    let wall_time = step as f64;
    EventMessage {
        wall_time,
        step: i64::try_from(step).unwrap_or(i64::MAX),
        file_version: None,
        summary: Some(SummaryMessage { value: vec![ValueMessage { tag, simple_value }] }),
    }
}

fn push_record(file: &mut Vec<u8>, event: &EventMessage) {
    let data = event.encode_to_vec();
    let length = (data.len() as u64).to_le_bytes();
    file.extend(length);
    file.extend(masked_checksum(&length));
    file.extend(&data);
    file.extend(masked_checksum(&data));
}

/// Returns the checksum of bytes as it is in a file: a checksum of bytes that have their own
/// checksum in them would be a constant.
fn masked_checksum(bytes: &[u8]) -> [u8; 4] {
    CHECKSUM.checksum(bytes).rotate_right(15).wrapping_add(MASK).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of CRC-32C, and the examples of RFC 3720, B.4.
    #[test]
    fn checksums_are_those_of_the_standard() {
        assert_eq!(CHECKSUM.checksum(b"123456789"), 0xe306_9283);
        assert_eq!(CHECKSUM.checksum(&[0; 32]), 0x8a91_36aa);
        assert_eq!(CHECKSUM.checksum(&[0xff; 32]), 0x62a8_ab43);
        let rising: Vec<u8> = (0..32).collect();
        assert_eq!(CHECKSUM.checksum(&rising), 0x46dd_794e);
    }

    /// The bytes that TensorBoard 2.21 of PyPI writes for the same events, with its `RecordWriter`
    /// and `event_pb2`.
    #[test]
    fn files_are_those_of_tensorboard() {
        let expected = "0f000000000000006d532b091a0d627261696e2e4576656e743a32fc9851291e00000000\
            000000d9dc12322a1c0a1a0a13766563746f72732f736565642d312f6c6f737315000000\
            00dbddf4982a00000000000000ae8d91f5090000000000c0724010ac022a1c0a1a0a1376\
            6563746f72732f736565642d312f6c6f7373150000604095437566";
        let event =
            |step, value| ScalarEvent { tag: "vectors/seed-1/loss".to_owned(), step, value };
        let file = event_file(vec![event(300, 3.5), event(0, 0.0)]);
        let found: String = file.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn numbers_beyond_f32_are_the_largest() {
        let scalar = ScalarEvent { tag: "loss".to_owned(), step: u64::MAX, value: f64::MAX };
        let event = event(scalar);
        let summary = event.summary.expect("a scalar has one");
        assert_eq!((event.step, summary.value[0].simple_value), (i64::MAX, Some(f32::MAX)));
    }
}
