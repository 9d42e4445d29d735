//! Parameters in files.

use prost::bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::*;
use crate::digest::Digest;
use crate::erased::stored_files;
use crate::input::PartInput;

/// A study whose parameters stand in files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Study {
    #[serde(default, skip_serializing_if = "FileList::is_empty")]
    boards: FileList<Board>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<FileValue<String>>,
    #[serde(default, skip_serializing_if = "FileList::is_empty")]
    moves: FileList<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<PartInput>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vectors: Option<Vectors>,
    #[serde(default)]
    size: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Vectors {
    file: PartInput,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Board {
    name: String,
    #[schemars(range(max = 9))]
    width: u32,
}

impl FromFile for Board {
    fn from_file(file: &SpecFile) -> Result<Vec<Self>, FileFault> {
        file.values("boards")
    }
}

/// The files that a test has.
const FILES: [(&str, &[(&str, &str)]); 5] = [
    (
        "boards/*",
        &[("a.toml", "name = \"a\"\nwidth = 1\n"), ("b.json", "[{\"name\":\"b\",\"width\":2}]")],
    ),
    ("a.toml", &[("a.toml", "name = \"a\"\nwidth = 1\n")]),
    ("wide.toml", &[("wide.toml", "name = \"a\"\nwidth = 10\n")]),
    ("moves.txt", &[("moves.txt", "f5d6\n# no\nc4\n")]),
    ("none", &[]),
];

/// Reads the parameters `toml`; returns the text of the spec with references, and the parameters.
fn read(toml: &str) -> Result<(String, Study, PartSet), String> {
    let text = format!("experiment = \"study\"\nseed = 1\n[params]\n{toml}");
    let document = SpecDocument::parse("study.toml", text.as_bytes()).unwrap();
    let mut inputs = PartSet::default();
    let schema = schema_of::<Study>();
    let document = document.with_files(schema, |mention| {
        let (_, files) = FILES.iter().find(|(name, _)| *name == mention.pattern).expect("known");
        let files: Vec<_> =
            files.iter().map(|(name, text)| ((*name).to_owned(), Bytes::from(*text))).collect();
        let (reference, bytes) = FileReference::pack(&files)?;
        inputs.add(bytes);
        Ok(reference)
    });
    let document = document.map_err(|error| error.to_string())?;
    let study = document.params_with(schema, &inputs).map_err(|error| error.to_string())?;
    Ok((document.text().to_owned(), study, inputs))
}

fn board(name: &str, width: u32) -> Board {
    Board { name: name.to_owned(), width }
}

#[test]
fn values_of_files_stand_among_those_of_the_spec() {
    let toml = "boards = [{ name = \"own\", width = 3 }, { file = \"boards/*\" }]\n";
    let (text, study, inputs) = read(toml).unwrap();
    assert_eq!(study.boards[..], [board("own", 3), board("a", 1), board("b", 2)]);
    let hash = inputs.names()[0].hash();
    let reference = format!("files = [\"a.toml\", \"b.json\"], blake3 = \"{hash}\"");
    assert!(text.contains(&reference), "{text}");
    // What is stored has names and the hash, and gives the same again.
    let stored = serde_json::to_string(&study).unwrap();
    let reference = format!(r#"{{"files":["a.toml","b.json"],"blake3":"{hash}"}}"#);
    let expected = format!(r#"{{"boards":[{{"name":"own","width":3}},{reference}],"size":0}}"#);
    assert_eq!(stored, expected);
    let named = stored_files(&stored).unwrap();
    assert_eq!((named.len(), &*named[0].key), (1, "boards.1"));
    assert_eq!(named[0].reference.hash(), hash);
    let again = SpecDocument::parse("again", text.as_bytes()).unwrap();
    assert_eq!(again.files(), named);
    assert_eq!(again.params_with::<Study>(schema_of::<Study>(), &inputs).unwrap(), study);
    let without = again.params::<Study>(schema_of::<Study>()).unwrap_err().to_string();
    assert!(without.contains("the files of the input { blake3"), "{without}");
}

#[test]
fn a_file_stands_where_a_list_or_a_text_or_an_input_does() {
    let (text, study, _) = read("boards = { file = \"a.toml\" }\n").unwrap();
    assert_eq!(study.boards[..], [board("a", 1)]);
    assert!(text.contains("boards = [{ file = \"a.toml\""), "{text}");
    let (_, study, _) = read("[[params.boards]]\nfile = \"a.toml\"\n").unwrap();
    assert_eq!(study.boards[..], [board("a", 1)]);
    let (_, study, _) = read("[params.boards]\nfile = \"boards/*\"\n").unwrap();
    assert_eq!(study.boards.len(), 2);
    let (_, study, _) =
        read("text = { file = \"moves.txt\" }\nmoves = { file = \"moves.txt\" }\n").unwrap();
    assert_eq!(**study.text.as_ref().unwrap(), "f5d6\n# no\nc4\n");
    assert_eq!(study.moves[..], ["f5d6", "c4"]);
    let hash = Digest::of(b"f5d6\n# no\nc4\n");
    let inputs = "weights = { file = \"moves.txt\" }\nvectors = { file = \"moves.txt\" }\n";
    let (text, study, _) = read(inputs).unwrap();
    assert_eq!(study.weights.unwrap().blake3, hash);
    assert_eq!(study.vectors.unwrap().file.blake3, hash);
    assert!(text.contains(&format!("weights = {{ blake3 = \"{hash}\" }}")), "{text}");
}

#[test]
fn what_is_wrong_is_told_at_the_mention_and_names_file_and_line() {
    for (toml, expected) in [
        (
            "boards = [{ file = \"wide.toml\" }]",
            "study.toml:4:11: wide.toml: line 2: width is 10, but must be an integer from 0 to 9",
        ),
        (
            "boards = [{ file = \"moves.txt\" }]",
            "study.toml:4:11: moves.txt: line 1: neither JSON nor TOML",
        ),
        ("size = { file = \"a.toml\" }", "study.toml:4:8: size: takes no file"),
        ("other = { file = \"a.toml\" }", "study.toml:4:9: other: takes no file"),
        (
            "boards = [{ file = \"none\" }]",
            "study.toml:4:11: boards.0: 0 files, but a parameter takes from 1 to 10000",
        ),
        ("text = { file = \"boards/*\" }", "study.toml:4:8: 2 files, but one is needed"),
        (
            "weights = { file = \"boards/*\" }",
            "study.toml:4:11: weights: 2 files, but one is needed",
        ),
        ("boards = [{ file = 3 }]", "study.toml:4:20: boards.0.file is 3, but must be a string"),
        ("moves = [3]", "study.toml:4:10: moves.0 is 3, but must be a string or a table"),
        (
            "boards = [{ nmae = \"a\", width = 3 }]",
            "study.toml:4:13: there is no boards.0.nmae; did you mean name? known are name, width",
        ),
    ] {
        let refused = read(toml).unwrap_err();
        assert!(refused.starts_with(expected), "{toml}: {refused}");
    }
    let unread = SpecDocument::parse(
        "study.toml",
        b"experiment = \"study\"\nseed = 1\n[params]\nboards = { file = \"x\" }\n",
    );
    let refused = unread.unwrap().params::<Study>(schema_of::<Study>()).unwrap_err().to_string();
    assert!(
        refused.contains("the file \"x\" is to be read by whoever starts the run"),
        "{refused}"
    );
}

#[test]
fn an_assignment_mentions_files_of_its_own() {
    let text = "experiment = \"study\"\nseed = 1\n[params]\nboards = { file = \"a.toml\" }\n";
    let document = SpecDocument::parse("study.toml", text.as_bytes()).unwrap();
    let set = document.set("moves={ file = \"moves.txt\" }").unwrap();
    let mentions = set.mentions();
    let said: Vec<_> =
        mentions.iter().map(|mention| (&*mention.pattern, mention.is_assigned)).collect();
    assert_eq!(said, [("a.toml", false), ("moves.txt", true)]);
    // A file that is named anew is read anew, although the hash of another one stands there.
    let hash = Digest::of(b"").to_string();
    let read = format!("{text}text = {{ file = \"old.txt\", blake3 = \"{hash}\" }}\n");
    let document = SpecDocument::parse("study.toml", read.as_bytes()).unwrap();
    assert_eq!(document.mentions().len(), 1);
    let set = document.set("text.file=new.txt").unwrap();
    assert_eq!(set.mentions().last().unwrap().pattern, "new.txt");
}
