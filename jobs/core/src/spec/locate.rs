//! The places of entries in a text, and how deep they are nested.

use std::ops::Range;

use toml_edit::Item;

/// The depth to which tables and lists can be nested: far above any real spec, far below the limit
/// of a thread's stack. The parser's own limit is not enough: it counts brackets and dots
/// separately, so some 10 kB of both nest 6,000 deep.
pub(super) const MAX_DEPTH: usize = 64;

/// A part of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryPart {
    /// The key.
    Key,
    /// The value.
    Value,
}

/// Returns the entry of `item` called `part`, or with that index in a list.
pub(super) fn child<'a>(item: &'a Item, part: &str) -> Option<&'a Item> {
    match part.parse::<usize>() {
        Ok(idx) if !item.is_table_like() => item.get(idx),
        _ => item.get(part),
    }
}

/// Returns the entry at `path` from `root`.
pub(super) fn follow<'a>(root: &'a Item, path: &[String]) -> Option<&'a Item> {
    path.iter().try_fold(root, |item, part| child(item, part))
}

/// Returns the entry at `path` from `root`, to be changed.
pub(super) fn follow_mut<'a>(root: &'a mut Item, path: &[String]) -> Option<&'a mut Item> {
    path.iter().try_fold(root, |item, part| match part.parse::<usize>() {
        Ok(idx) if !item.is_table_like() => item.get_mut(idx),
        _ => item.get_mut(part.as_str()),
    })
}

/// Returns the place of the entry at `path`, or of the nearest entry above it that has a place.
pub(super) fn span(root: &Item, path: &[String], part: EntryPart) -> Option<Range<usize>> {
    let (last, parents) = path.split_last()?;
    let own = follow(root, parents).and_then(|parent| match part {
        EntryPart::Key => parent.as_table_like()?.key(last)?.span(),
        EntryPart::Value => child(parent, last)?.span(),
    });
    own.or_else(|| span(root, parents, EntryPart::Value))
}

/// Checks that `root` is not nested too deep.
pub(super) fn check_depth(root: &Item) -> Result<(), String> {
    let mut level = vec![root];
    // Level by level: recursion could overflow the stack.
    for _ in 0..MAX_DEPTH {
        level = level.into_iter().flat_map(children).collect();
    }
    match level.is_empty() {
        true => Ok(()),
        false => Err(too_deep()),
    }
}

/// Returns the message for a text that is nested too deep.
pub(super) fn too_deep() -> String {
    format!("nested more than {MAX_DEPTH} tables or lists deep")
}

fn children(item: &Item) -> Vec<&Item> {
    match item.as_table_like() {
        Some(table) => table.iter().map(|(_, item)| item).collect(),
        None => (0..).map_while(|idx: usize| item.get(idx)).collect(),
    }
}
