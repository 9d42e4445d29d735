//! Messages written by hand, after the encoding guide of protobuf: what no encoder of ours makes.

/// A key and its value.
pub(crate) type Field = Vec<u8>;

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while 128 <= value {
        bytes.push(low_bits(value) | 128);
        value >>= 7;
    }
    bytes.push(low_bits(value));
    bytes
}

fn low_bits(value: u64) -> u8 {
    u8::try_from(value & 127).expect("seven bits")
}

fn field(tag: u8, wire_type: u8, value: &[u8]) -> Field {
    let mut bytes = vec![tag << 3 | wire_type];
    bytes.extend(value);
    bytes
}

/// A number, which is left out if it is 0.
pub(crate) fn number(tag: u8, value: u64) -> Field {
    if value == 0 { Vec::new() } else { written_number(tag, value) }
}

/// A number, even if it is 0.
pub(crate) fn written_number(tag: u8, value: u64) -> Field {
    field(tag, 0, &varint(value))
}

/// Eight bytes, left out if they are 0.
pub(crate) fn fixed(tag: u8, value: u64) -> Field {
    if value == 0 { Vec::new() } else { field(tag, 1, &value.to_le_bytes()) }
}

pub(crate) fn double(tag: u8, value: f64) -> Field {
    fixed(tag, value.to_bits())
}

pub(crate) fn bytes(tag: u8, value: &[u8]) -> Field {
    field(tag, 2, &[&varint(value.len() as u64)[..], value].concat())
}

/// A message within a message.
pub(crate) fn message(tag: u8, fields: &[Field]) -> Field {
    bytes(tag, &fields.concat())
}

/// A whole message behind its length.
pub(crate) fn whole(fields: &[Field]) -> Vec<u8> {
    let fields = fields.concat();
    [varint(fields.len() as u64), fields].concat()
}
