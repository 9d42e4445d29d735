//! The letters that name the runs on a page.

/// Returns the letter that names the run with this index on a page.
pub(in crate::report) fn label(idx: usize) -> String {
    let letter = ('A'..='Z').nth(idx);
    letter.map_or_else(|| (idx + 1).to_string(), String::from)
}

/// Returns the letters of several runs, such as `B, C and D`.
pub(in crate::report) fn labels(indices: &[usize]) -> String {
    let mut labels: Vec<_> = indices.iter().map(|&idx| label(idx)).collect();
    match labels.pop() {
        Some(last) if !labels.is_empty() => format!("{} and {last}", labels.join(", ")),
        last => last.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_letters() {
        assert_eq!(labels(&[]), "");
        assert_eq!(labels(&[1]), "B");
        assert_eq!(labels(&[1, 2, 7]), "B, C and H");
        assert_eq!(label(30), "31");
    }
}
