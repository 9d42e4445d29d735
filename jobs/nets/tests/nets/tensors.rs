//! The reader of safetensors: files of others, files that lie, and bytes at random.

use std::collections::BTreeMap;

use hatchery_nets::tensors::MAX_HEADER_BYTES;
use hatchery_nets::{Network, Tensor, TensorError, TensorFile};
use proptest::collection::{btree_map, vec};
use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};

use crate::reference::{shape, stream};

/// Written by the Python package safetensors 0.8.0 (benches/torch_fixtures.py).
const SMALL: &[u8] = include_bytes!("../fixtures/small.safetensors");

#[test]
fn files_of_the_python_package_are_read_and_written_to_the_byte() {
    let file = TensorFile::decode(SMALL).unwrap();
    assert_eq!(file.metadata["kind"], "\"small\" file, é");
    let expected = [
        ("a.c", vec![3, 1], vec![0.1, 3e-40, 7.0]),
        ("b", vec![2], vec![1.5, -2.0]),
        ("scalar", vec![], vec![0.25]),
    ];
    let expected =
        expected.map(|(name, shape, values)| (name.to_owned(), Tensor { shape, values }));
    assert_eq!(file.tensors, BTreeMap::from(expected));
    assert_eq!(file.encode(), SMALL);
}

/// Returns a file with this header and data.
fn bytes_of(header: &str, data: &[u8]) -> Vec<u8> {
    let len = u64::try_from(header.len()).expect("it fits");
    [&len.to_le_bytes(), header.as_bytes(), data].concat()
}

/// Checks that a file is refused with `message`.
#[track_caller]
fn check_refused(bytes: &[u8], message: &str) {
    let error = TensorFile::decode(bytes).expect_err("the file is bad");
    assert_eq!(error.to_string(), message);
}

/// Checks that a file is refused as no file of safetensors, for `reason`.
#[track_caller]
fn check_malformed(bytes: &[u8], reason: &str) {
    check_refused(bytes, &format!("not a file of safetensors: {reason}"));
}

#[test]
fn files_that_end_early_are_refused() {
    check_malformed(&[1, 0, 0], "header too small");
    check_malformed(&[3, 0, 0, 0, 0, 0, 0, 0, b'{'], "invalid header length");
    for len in 0..SMALL.len() {
        assert!(TensorFile::decode(&SMALL[..len]).is_err(), "{len} bytes");
    }
}

#[test]
fn headers_that_lie_about_sizes_are_refused_before_anything_is_allocated() {
    let message = "header of tensors has 18446744073709551615 bytes, but must have at most 1048576";
    check_refused(&[0xff; 64], message);
    let mut long = bytes_of(&" ".repeat(MAX_HEADER_BYTES + 1), &[]);
    check_refused(&long, "header of tensors has 1048577 bytes, but must have at most 1048576");
    long.truncate(8);
    assert!(matches!(TensorFile::decode(&long), Err(TensorError::LongHeader { len: 1_048_577 })));
    let entry = |shape: &str, offsets: &str| {
        let entry = format!(r#"{{"dtype":"F32","shape":{shape},"data_offsets":{offsets}}}"#);
        bytes_of(&format!(r#"{{"a":{entry}}}"#), &[0; 16])
    };
    let many = format!("{0},{0}", u64::MAX);
    for shape in ["[5]", "[3]", "[4,0]", "[]"] {
        let reason = "invalid shape, data type, or offset for tensor";
        check_malformed(&entry(shape, "[0,16]"), reason);
    }
    for shape in [format!("[{many}]"), format!("[{many},0]")] {
        let reason = "overflow computing buffer size from shape and/or element type";
        check_malformed(&entry(&shape, "[0,16]"), reason);
    }
    let reason = "invalid shape, data type, or offset for tensor";
    check_malformed(&entry("[4]", "[0,18446744073709551615]"), reason);
    check_malformed(&entry("[3]", "[0,12]"), "incomplete metadata, file not fully covered");
    check_malformed(&entry("[3]", "[4,16]"), "invalid offset for tensor `a`");
    assert!(TensorFile::decode(&entry("[2,2]", "[0,16]")).is_ok(), "the size is right");
    assert!(TensorFile::decode(&entry("[1,4]", "[0,16]")).is_ok(), "the size is right");
}

#[test]
fn bytes_that_two_tensors_share_or_none_has_are_refused() {
    let two = |first: &str, second: &str| {
        let entry = |offsets| format!(r#"{{"dtype":"F32","shape":[1],"data_offsets":{offsets}}}"#);
        let header = format!(r#"{{"a":{},"b":{}}}"#, entry(first), entry(second));
        TensorFile::decode(&bytes_of(&header, &[0; 12])).map_err(|error| error.to_string())
    };
    for (first, second) in [("[0,4]", "[0,4]"), ("[0,4]", "[2,6]"), ("[0,4]", "[8,12]")] {
        let error = two(first, second).unwrap_err();
        assert!(error.contains("invalid offset for tensor"), "{error}");
    }
    let message = "not a file of safetensors: incomplete metadata, file not fully covered";
    assert_eq!(two("[0,4]", "[4,8]"), Err(message.to_owned()));
    assert_eq!(two("[4,8]", "[0,4]"), Err(message.to_owned()), "any order will do");
}

#[test]
fn headers_that_are_not_those_of_tensors_are_refused() {
    let entry = r#"{"dtype":"F32","shape":[0],"data_offsets":[0,0]}"#;
    for header in [
        String::new(),
        "[]".to_owned(),
        "{} {}".to_owned(),
        "[".repeat(100_000),
        format!("{{\"a\":{}", "[".repeat(100_000)),
        r#"{"__metadata__":{"a":1}}"#.to_owned(),
        format!(r#"{{"__metadata__":{entry}}}"#),
        r#"{"a":{"dtype":"F32","shape":[0]}}"#.to_owned(),
        r#"{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,0]}}"#.to_owned(),
        r#"{"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}}"#.to_owned(),
        r#"{"a":{"dtype":"F32","shape":[1e99],"data_offsets":[0,0]}}"#.to_owned(),
    ] {
        let error = TensorFile::decode(&bytes_of(&header, &[])).unwrap_err();
        assert!(matches!(error, TensorError::Malformed { .. }), "{error} of {header:.80}");
        assert!(error.to_string().len() < 300, "{error}");
    }
    assert_eq!(TensorFile::decode(&bytes_of("{}  ", &[])), Ok(TensorFile::default()));
}

#[test]
fn values_that_are_no_finite_floats_are_refused() {
    let header =
        |dtype| format!(r#"{{"a":{{"dtype":"{dtype}","shape":[2],"data_offsets":[0,8]}}}}"#);
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let data = [1.0_f32.to_le_bytes(), value.to_le_bytes()].concat();
        check_refused(&bytes_of(&header("F32"), &data), "value 1 of tensor a is not finite");
    }
    check_refused(&bytes_of(&header("I32"), &[0; 8]), "tensor a has type I32, but must have F32");
    let long = bytes_of(&header(&"x".repeat(500_000)), &[0; 8]);
    let error = TensorFile::decode(&long).unwrap_err().to_string();
    assert!(
        error.starts_with("not a file of safetensors: invalid JSON in header: unknown variant")
    );
    assert!(error.len() < 300, "{error}");
}

/// Tensors and metadata at random.
fn files() -> impl Strategy<Value = TensorFile> {
    let values = any::<f32>().prop_map(|it| if it.is_finite() { it } else { -0.0 });
    let tensor = vec(0_usize..4, 0..4).prop_flat_map(move |shape| {
        let values = vec(values.clone(), shape.iter().product::<usize>());
        (Just(shape), values).prop_map(|(shape, values)| Tensor { shape, values })
    });
    let metadata = btree_map(any::<String>(), any::<String>(), 0..3);
    (metadata, btree_map("[a-z.é\\\\\"]{0,8}", tensor, 0..5))
        .prop_map(|(metadata, tensors)| TensorFile { metadata, tensors })
}

/// The tensors of a small network.
fn network_files() -> impl Strategy<Value = TensorFile> {
    let mut file = TensorFile::default();
    Network::random(&shape(&[2], 1), &mut stream("tensors")).to_tensors("", &mut file);
    Just(file)
}

proptest! {
    #[test]
    fn files_return_from_their_bytes(file in files()) {
        let bytes = file.encode();
        prop_assert_eq!(bytes[0] % 8, 0, "values are aligned");
        let read = TensorFile::decode(&bytes).unwrap();
        prop_assert_eq!(&read, &file);
        prop_assert_eq!(read.encode(), bytes, "signs of zeros included");
    }

    #[test]
    fn changed_bytes_never_panic(
        file in prop_oneof![files(), network_files()],
        changes in vec((any::<proptest::sample::Index>(), any::<u8>()), 0..4),
        cut in proptest::option::of(any::<proptest::sample::Index>()),
        more in vec(any::<u8>(), 0..5),
    ) {
        let mut bytes = file.encode();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        bytes.extend(more);
        if let Ok(read) = TensorFile::decode(&bytes) {
            let canonical = read.encode();
            prop_assert_eq!(TensorFile::decode(&canonical).unwrap().encode(), &canonical[..]);
            if let Ok(network) = Network::from_tensors("", &read, 1) {
                let mut written = TensorFile { metadata: read.metadata, ..TensorFile::default() };
                network.to_tensors("", &mut written);
                prop_assert_eq!(written.encode(), canonical);
            }
        }
    }
}
