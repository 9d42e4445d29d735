//! Figures in a run's folder that its findings no longer have.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

use hatchery_figures::FigurePicture;

use crate::run_folder::RunFolder;

/// The beginning of a file that is read: its first lines say whether it is a figure of ours.
const HEAD_BYTES: u64 = 4096;

/// Removes the figures from `folder` whose file names are not among `current`. Files that hatchery
/// did not write stay: another ending, other content, links.
pub(super) fn remove(folder: &RunFolder, current: &BTreeSet<String>) {
    let figures = folder.path().join("figures");
    // Through a link, the files of another folder would be removed.
    if !fs::symlink_metadata(&figures).is_ok_and(|it| it.is_dir()) {
        return;
    }
    for entry in fs::read_dir(&figures).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let is_file = entry.file_type().is_ok_and(|it| it.is_file());
        let is_stale = is_file && name.ends_with(".svg") && !current.contains(&name);
        if is_stale && is_figure(&entry.path()) {
            folder.remove(&format!("figures/{name}"));
        }
    }
}

fn is_figure(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    read.is_ok() && FigurePicture::is_standalone(&head)
}

#[cfg(test)]
mod tests {
    use hatchery_figures::{Quantity, Sparkline};

    use super::*;

    #[test]
    fn figures_that_are_not_current_are_removed_and_nothing_else() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = RunFolder::at(scratch.path());
        let line = Sparkline { title: "t".to_owned(), values: vec![Quantity::Exact(1.0); 2] };
        let ours = line.to_svg();
        let foreign = "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n";
        for (name, content) in [
            ("figures/kept.svg", ours.as_str()),
            ("figures/stale.svg", &ours),
            ("figures/mine.svg", foreign),
            ("figures/empty.svg", ""),
            ("figures/notes.txt", &ours),
            ("figures/below/stale.svg", &ours),
            ("exhibits/stale.svg", &ours),
        ] {
            folder.write(name, content.as_bytes()).unwrap();
        }
        remove(&folder, &BTreeSet::from(["kept.svg".to_owned()]));
        let mut left: Vec<_> = fs::read_dir(scratch.path().join("figures")).unwrap().collect();
        left.sort_by_key(|entry| entry.as_ref().unwrap().file_name());
        let left: Vec<_> = left.into_iter().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["below", "empty.svg", "kept.svg", "mine.svg", "notes.txt"]);
        assert!(scratch.path().join("figures/below/stale.svg").exists());
        assert!(scratch.path().join("exhibits/stale.svg").exists());
    }

    #[test]
    #[cfg(unix)]
    fn nothing_is_removed_through_a_link() {
        let scratch = tempfile::tempdir().unwrap();
        let [mine, run] = ["mine", "run"].map(|name| scratch.path().join(name));
        let line = Sparkline { title: "t".to_owned(), values: vec![Quantity::Exact(1.0); 2] };
        [&mine, &run].into_iter().for_each(|folder| fs::create_dir(folder).unwrap());
        RunFolder::at(&mine).write("drawn.svg", line.to_svg().as_bytes()).unwrap();
        std::os::unix::fs::symlink(&mine, run.join("figures")).unwrap();
        remove(&RunFolder::at(&run), &BTreeSet::new());
        assert!(mine.join("drawn.svg").exists());
        // A folder without figures is no error.
        remove(&RunFolder::at(&mine), &BTreeSet::new());
    }
}
