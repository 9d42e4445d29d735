//! `hatchery report`

use std::path::{Path, PathBuf};

use clap::Args;

use super::output::{print_result, write_file};
use super::runtime::in_runtime;
use crate::client::FarmArgs;
use crate::error::CommandError;
use crate::replay::BestReplay;
use crate::report;
use crate::run_folder::{REPORT, plain_name};
use crate::run_source::RunSource;

/// The file name that stands for standard output.
const STANDARD_OUTPUT: &str = "-";

/// Write the report of a run as a page
///
/// The page is one HTML file with what the run found out: figures, numbers, the spec, and the
/// command that gives the same digest. Works for unfinished, failed and cancelled runs as well.
#[derive(Debug, Args)]
pub(crate) struct ReportCommand {
    /// Run: its folder, its name below runs/, the beginning of its id, or `last`; with
    /// --coordinator also the end of its id, or its name on the farm
    run: String,
    /// File to write, or - for standard output [default: report.html in the run's folder, or
    /// NAME-report.html for a run of a farm]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    farm: FarmArgs,
}

impl ReportCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let mut source = RunSource::open(&self.run, &self.farm).await?;
            let replay = BestReplay::read(&mut source).await;
            let page = report::page(&source.run, &source.events().await?, &replay)?;
            if self.out.as_deref() == Some(Path::new(STANDARD_OUTPUT)) {
                return print_result(&page);
            }
            let path = match (&self.out, &source.folder) {
                (Some(path), _) => path.clone(),
                (None, Some(folder)) => folder.path().join(REPORT),
                (None, None) => PathBuf::from(format!(
                    "{}-{REPORT}",
                    plain_name(&source.run.record.name, source.run.id)
                )),
            };
            write_file(&path, page.as_bytes())?;
            print_result(&format!("{}\n", path.display()))
        })
    }
}
