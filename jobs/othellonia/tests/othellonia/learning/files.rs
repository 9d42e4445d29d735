//! Files of representations: what is read is what was written, and anything else is refused.

use std::sync::LazyLock;

use hatchery_core::error_chain;
use hatchery_nets::tensors::TensorFile;
use hatchery_othellonia::learning::representation::{Representation, RepresentationFileError};
use proptest::prelude::{ProptestConfig, any, proptest};

use crate::learning::representation::{learn, new};

/// The file of a small representation that has learned a little.
static FILE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut representation = new(2);
    learn(&mut representation, 3);
    representation.encode()
});

#[test]
fn files_are_read_back() {
    let read = Representation::decode(&FILE).unwrap();
    assert_eq!((read.encode(), read.steps()), (FILE.clone(), 3));
}

/// Returns why the file is refused after `change`.
fn refused(change: impl FnOnce(&mut TensorFile)) -> RepresentationFileError {
    let mut file = TensorFile::decode(&FILE).unwrap();
    change(&mut file);
    Representation::decode(&file.encode()).unwrap_err()
}

#[test]
fn files_of_other_builds_are_refused() {
    for key in ["game", "feature_version", "rules_version", "outcome_version"] {
        let error = refused(|file| {
            file.metadata.insert(key.to_owned(), "x".repeat(500));
        });
        let RepresentationFileError::Version { key: named, found, .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!((named, found.len()), (key, 40));
        let error = refused(|file| drop(file.metadata.remove(key)));
        assert!(matches!(error, RepresentationFileError::Version { .. }), "{error:?}");
    }
}

#[test]
fn tensors_of_other_sizes_or_values_are_refused() {
    let tensors = TensorFile::decode(&FILE).unwrap().tensors;
    for name in tensors.keys() {
        let error = refused(|file| drop(file.tensors.remove(name)));
        assert!(matches!(error, RepresentationFileError::File(_)), "{name}: {error:?}");
        let shorter = |file: &mut TensorFile| {
            let tensor = file.tensors.get_mut(name).unwrap();
            let columns: usize = tensor.shape[1..].iter().product();
            tensor.shape[0] -= 1;
            tensor.values.truncate(tensor.shape[0] * columns);
        };
        refused(shorter);
    }
    let set = |name: &str, value: f32| {
        let error = refused(|file| file.tensors.get_mut(name).unwrap().values[1] = value);
        assert!(matches!(error, RepresentationFileError::Range { .. }), "{name}: {error:?}");
    };
    let error = refused(|file| file.insert("vectors", &[31], &[0.5; 31]));
    let expected = "the vectors of a representation are invalid: 31 numbers, but a table has 30 \
                    for each of 1 to 20000 kinds";
    assert_eq!(error_chain(&error), expected);
    set("vectors", 1e30);
    set("vectors.means", -1e30);
    set("vectors.squares", -1.0);
    set("outcome.means", 1e30);
    set("outcome.spreads", 0.0);
    set("outcome.spreads", -1.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Bytes with a fault are refused, or are another representation that can learn.
    #[test]
    fn faulty_bytes_are_refused_or_read(
        at in any::<usize>(),
        byte in any::<u8>(),
        cut in any::<bool>(),
    ) {
        let mut bytes = FILE.clone();
        // Half of the faults are in the header, where lies about sizes are.
        let range = if byte % 2 == 0 { bytes.len() } else { 2_000 };
        let at = at % range;
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] = byte;
        }
        if let Ok(read) = Representation::decode(&bytes) {
            assert_eq!(read.vectors().kinds(), 925);
        }
    }
}
