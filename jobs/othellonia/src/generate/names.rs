//! Names of pieces, made of syllables.

/// First syllables: a consonant or two, and a vowel.
const FIRST: [&str; 30] = [
    "ba", "bri", "ca", "do", "dre", "e", "fa", "fli", "ga", "gro", "ha", "i", "ka", "kre", "lo",
    "ma", "mi", "no", "o", "pa", "pri", "qui", "ra", "sa", "ske", "ta", "tho", "u", "va", "zo",
];

/// Middle syllables: a consonant and a vowel.
const MIDDLE: [&str; 28] = [
    "ba", "be", "da", "di", "fo", "ga", "gu", "ke", "la", "le", "li", "lu", "ma", "me", "mo", "na",
    "ne", "ni", "pe", "ra", "re", "ri", "ro", "sa", "ta", "ti", "va", "vo",
];

/// Last syllables: a consonant, a vowel, and a consonant.
const LAST: [&str; 30] = [
    "bar", "bel", "dan", "den", "dil", "fas", "gan", "gor", "kal", "kir", "lan", "len", "lin",
    "lor", "mar", "mel", "mir", "nas", "nel", "nor", "pan", "rak", "ran", "ris", "ron", "sel",
    "tan", "tor", "van", "vex",
];

/// The number of names.
const N_NAMES: u64 = 30 * 28 * 30;

/// The step from one name to the next: it has no divisor in common with the number of names, so
/// that a name comes again only when all others have been.
const STEP: u64 = 9_973;

/// Returns the name of the piece `number` of the pool of `seed`: different ones below 20,000.
pub(super) fn piece_name(seed: u64, number: u64) -> String {
    let at = (seed % N_NAMES + number % N_NAMES * STEP) % N_NAMES;
    let pick = |list: &[&'static str], at: u64| {
        usize::try_from(at).ok().and_then(|at| list.get(at).copied()).unwrap_or_default()
    };
    let (first, rest) = (pick(&FIRST, at % 30), at / 30);
    let (middle, last) = (pick(&MIDDLE, rest % 28), pick(&LAST, rest / 28));
    let mut name = String::with_capacity(10);
    let mut letters = first.chars();
    name.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
    name.push_str(letters.as_str());
    name.push_str(middle);
    name.push_str(last);
    name
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::pool::MAX_KINDS;

    #[test]
    fn names_are_different() {
        let names = |seed| (0..20_000).map(move |number| piece_name(seed, number));
        for seed in [0, 1, u64::MAX] {
            let different: BTreeSet<_> = names(seed).collect();
            assert_eq!(different.len(), MAX_KINDS, "names of seed {seed}");
        }
    }
}
