//! The submission of a sweep: a run for each of its points.

use hatchery_core::Digest;
use hatchery_proto::v1::SubmitResponse;

use super::request::RequestArgs;
use super::reuse;
use crate::cli::farm_args::FarmVerbArgs;
use crate::cli::input_args::InputArgs;
use crate::cli::spec_args::SpecArgs;
use crate::cli::submission::{run_id, submit_with_inputs};
use crate::cli::sweep_results::{RunOfSweep, SweepResults};
use crate::cli::sweep_specs::{CheckedSweep, checked_sweep};
use crate::client::{FailoverPolicy, FarmClient};
use crate::error::CommandError;
use crate::report::farm::{SubmittedPoint, SubmittedSweepDocument};
use crate::run_folder::RunFolder;
use crate::sweep::{SweepAxis, SweepPoint, sweep_name};
use crate::terminal::{escape_controls, print_status};

/// The number of digits of the key's hash that tell sweeps of one spec apart.
const NAME_DIGITS: usize = 6;

/// A sweep to be submitted.
pub(super) struct SweepSubmission<'a> {
    pub(super) spec: &'a SpecArgs,
    pub(super) axes: &'a [SweepAxis],
    pub(super) name: Option<&'a str>,
    /// The idempotency key of the whole submission.
    pub(super) key: String,
    pub(super) request: &'a RequestArgs,
    pub(super) input: &'a InputArgs,
    pub(super) failover: FailoverPolicy,
    /// True if runs that are done already are reused.
    pub(super) reuse: bool,
    pub(super) verb: &'a FarmVerbArgs,
}

impl SweepSubmission<'_> {
    /// Submits all runs, and prints their ids.
    pub(super) async fn submit_and_print(self) -> Result<(), CommandError> {
        let (sweep, submitted) = self.submit().await?;
        let document = SubmittedSweepDocument {
            sweep,
            idempotency_key: self.key,
            runs: submitted.into_iter().map(|(_, submitted)| submitted).collect(),
        };
        self.verb.print(document, |document| {
            let lines = document.runs.iter().map(|it| format!("{} {}\n", it.run, it.point));
            let runs: String = lines.collect();
            format!("{runs}sweep {}\n", document.sweep)
        })
    }

    /// Submits all runs, waits until they end, and prints the joint table. Their files are written
    /// into `out`, if it is given.
    pub(super) async fn submit_and_wait(self, out: Option<RunFolder>) -> Result<(), CommandError> {
        let (sweep, submitted) = self.submit().await?;
        let runs = submitted.into_iter().map(|(point, it)| RunOfSweep { point, run: it.run });
        let results = SweepResults {
            farm: &self.verb.farm,
            output: self.verb.output,
            sweep: &sweep,
            runs: runs.collect(),
            out,
        };
        results.wait().await?;
        results.collect().await
    }

    /// Submits all runs; returns the name of the sweep, and its points with their runs.
    async fn submit(&self) -> Result<(String, Vec<(SweepPoint, SubmittedPoint)>), CommandError> {
        // The same key must give the same names.
        let digits = Digest::of(self.key.as_bytes()).to_string();
        let default = || format!("{}-sweep-{}", self.spec.run_name(), &digits[..NAME_DIGITS]);
        let sweep = sweep_name(&self.name.map_or_else(default, str::to_owned));
        let CheckedSweep { points, .. } = checked_sweep(&sweep, self.spec, self.axes)?;
        let mut farm = self.verb.farm.farm()?;
        let mut submitted = Vec::new();
        for (number, point) in (1_u32..).zip(points) {
            match self.submit_point(&mut farm, &sweep, number, &point).await {
                Ok(run) => submitted.push((point, run)),
                Err(failure) => {
                    print_status(&format!(
                        "{} runs are submitted: repeat the command with --idempotency-key {}",
                        submitted.len(),
                        escape_controls(&self.key)
                    ));
                    return Err(failure);
                }
            }
        }
        Ok((sweep, submitted))
    }

    async fn submit_point(
        &self,
        farm: &mut FarmClient,
        sweep: &str,
        number: u32,
        point: &SweepPoint,
    ) -> Result<SubmittedPoint, CommandError> {
        let spec = self.spec.with(point.assignments()).open()?;
        let mut inputs = self.input.find(&spec)?;
        if self.reuse
            && let Some(run) = reuse::find(farm, self.failover, &spec).await?
        {
            print_status(&format!("reused run {run}"));
            return Ok(SubmittedPoint { run, point: point.name.clone(), created: false });
        }
        let key = Digest::of(format!("{}/{number}", self.key).as_bytes()).to_string();
        let has_token = self.verb.farm.has_token();
        let request = self.request.request(&spec, &point.run_name(sweep), key, has_token);
        let submitted = submit_with_inputs(farm, self.failover, &request, &spec, &mut inputs);
        let SubmitResponse { run, created, .. } = submitted.await??;
        Ok(SubmittedPoint { run: run_id(&run)?, point: point.name.clone(), created })
    }
}
