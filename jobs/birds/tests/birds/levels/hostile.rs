//! Texts and messages from anywhere: a level, or an error in bounded time.

use hatchery_birds::level::{BlockShape, Level, LevelElements};
use hatchery_core::WireValue;
use proptest::prelude::*;

use super::samples::{self, ODD_FILE, level_of, odd_level, wood};

/// Elements are counted while they are read.
#[test]
fn too_many_elements_are_refused() {
    let pig = "<Pig type=\"BasicSmall\" x=\"0\" y=\"0\"/>\n";
    let n_more = 1000 - 9;
    let text = ODD_FILE.replacen("<Pig", &format!("{}<Pig", pig.repeat(n_more)), 1);
    assert!(Level::from_xml(&text).is_ok());
    let text = ODD_FILE.replacen("<Pig", &format!("{}<Pig", pig.repeat(n_more + 1)), 1);
    let error = Level::from_xml(&text).unwrap_err();
    assert_eq!(error.to_string(), "line 1010: 1001 elements, but at most 1000 are allowed");
}

#[test]
fn every_beginning_of_a_level_is_refused() {
    for text in [odd_level().to_xml(), ODD_FILE.to_owned()] {
        let whole = text.trim_end();
        for end in 0..whole.len() {
            assert!(Level::from_xml(&whole[..end]).is_err(), "{}", &whole[..end]);
        }
        assert!(Level::from_xml(whole).is_ok());
    }
    let json = odd_level().to_json();
    let whole = json.trim_end();
    for end in 0..whole.len() {
        assert!(Level::from_json(&whole[..end]).is_err(), "{}", &whole[..end]);
    }
    let bytes = odd_level().encode();
    for end in 0..bytes.len() {
        assert!(Level::decode(&bytes[..end]).is_err(), "{end} bytes");
    }
}

/// Each text is a megabyte: quadratic time would show.
#[test]
fn long_texts_take_no_long_time() {
    let level = &ODD_FILE[..ODD_FILE.find("<Pig").unwrap()];
    for piece in
        ["<", "<a ", "<a>", "<!--", "<!-- -->", "\n", "<Pig a=\"", "x", "\"", "\u{feff}", "é"]
    {
        for start in ["", level] {
            let n = (Level::MAX_TEXT_BYTES - start.len()) / piece.len();
            assert!(Level::from_xml(&format!("{start}{}", piece.repeat(n))).is_err(), "{piece}");
        }
    }
    let attributes: String = (0..90_000).map(|idx| format!(" a{idx}=\"\"")).collect();
    assert!(Level::from_xml(&format!("<Level{attributes}>")).is_err());
    let error = Level::from_xml(&"a".repeat(Level::MAX_TEXT_BYTES + 1)).unwrap_err();
    assert_eq!(error.to_string(), "line 1: 1048577 bytes, but a level has at most 1048576");
    for piece in ["[", "{\"a\":", "{\"blocks\":[", "{\"birds\":[\"\",", "1"] {
        assert!(Level::from_json(&piece.repeat(Level::MAX_TEXT_BYTES / piece.len())).is_err());
    }
}

#[test]
fn the_most_elements_are_a_thousand() {
    let blocks = vec![wood(BlockShape::Circle, 0.0, 0.0); 1000];
    let level = level_of(LevelElements { blocks, ..LevelElements::default() });
    assert_eq!(Level::from_xml(&level.to_xml()), Ok(level.clone()));
    assert_eq!(Level::decode(&level.encode()).unwrap(), level);
}

/// Returns `text` with the bytes of a range replaced, at the nearest ends of characters.
fn mutated(text: &str, at: usize, n_bytes: usize, with: &str) -> String {
    let start = text.floor_char_boundary(at % (text.len() + 1));
    let end = text.floor_char_boundary((start + n_bytes).min(text.len())).max(start);
    format!("{}{with}{}", &text[..start], &text[end..])
}

/// Pieces that could mislead a reader.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "",
        "<",
        ">",
        "/>",
        "\"",
        "'",
        "=",
        "<!--",
        "-->",
        "<?",
        "?>",
        "\n",
        "</GameObjects>",
        "</Level>",
        "</Camera>",
        "<Block ",
        "<Pig/>",
        "1e40",
        "-",
        ".",
        "\0",
        "\u{feff}",
        "é",
        "𝄞",
    ];
    prop_oneof![prop::sample::select(pieces.to_vec()).prop_map(str::to_owned), any::<String>()]
}

proptest! {
    /// What is read after all is a level that comes back.
    #[test]
    fn changed_files_are_read_or_refused(
        changes in prop::collection::vec((any::<usize>(), 0..20_usize, piece()), 1..4),
        odd in any::<bool>(),
    ) {
        let mut text = if odd { ODD_FILE.to_owned() } else { odd_level().to_xml() };
        for (at, n_bytes, with) in changes {
            text = mutated(&text, at, n_bytes, &with);
        }
        match Level::from_xml(&text) {
            Ok(level) => prop_assert_eq!(Level::from_xml(&level.to_xml()), Ok(level)),
            Err(error) => prop_assert!(error.to_string().len() < 1000, "{error}"),
        }
    }

    #[test]
    fn changed_json_is_read_or_refused(
        at in any::<usize>(),
        n_bytes in 0..20_usize,
        with in piece(),
    ) {
        if let Ok(level) = Level::from_json(&mutated(&odd_level().to_json(), at, n_bytes, &with)) {
            prop_assert_eq!(Level::from_json(&level.to_json()).unwrap(), level);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(
        text in any::<String>(),
        angled in "[<>/=\"' a-zA-Z\n!?-]{0,80}",
    ) {
        prop_assert!(Level::from_xml(&text).is_err());
        prop_assert!(Level::from_xml(&angled).is_err());
        prop_assert!(Level::from_json(&text).is_err());
    }

    #[test]
    fn changed_messages_are_read_or_refused(
        level in samples::level(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = level.encode();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(level) = Level::decode(&bytes) {
            prop_assert_eq!(Level::decode(&level.encode()).unwrap(), level);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Ok(level) = Level::decode(&bytes) {
            prop_assert_eq!(Level::decode(&level.encode()).unwrap(), level);
        }
    }
}
