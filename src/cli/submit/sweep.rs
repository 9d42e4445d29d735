//! The submission of a sweep: a run for each of its points.

use hatchery_core::Digest;
use hatchery_core::text::counted;
use hatchery_proto::v1::SubmitResponse;

use super::request::RequestArgs;
use super::reuse::FinishedRuns;
use crate::cli::farm_args::FarmVerbArgs;
use crate::cli::follow::unless_interrupted;
use crate::cli::input_args::InputArgs;
use crate::cli::spec_args::SpecArgs;
use crate::cli::submission::{run_id, submit_with_inputs};
use crate::cli::sweep_results::{FarmSweep, SweepResults};
use crate::cli::sweep_specs::{CheckedSweep, checked_sweep};
use crate::client::{FailoverPolicy, FarmClient};
use crate::error::{CommandError, UsageError};
use crate::report::farm::{SubmittedPoint, SubmittedSweepDocument};
use crate::run_folder::RunFolder;
use crate::sweep::{MAX_SWEEP_NAME_BYTES, SweepAxis, SweepError, SweepPoint, sweep_name};
use crate::terminal::{escape_controls, print_status};

/// The number of digits of the key's hash that distinguish sweeps of the same spec.
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
        let (FarmSweep { name, .. }, runs) = self.submit().await?;
        let document = SubmittedSweepDocument { sweep: name, idempotency_key: self.key, runs };
        self.verb.print(document, |document| {
            let lines = document.runs.iter().map(|it| format!("{} {}\n", it.run, it.point));
            let runs: String = lines.collect();
            format!("{runs}sweep {}\n", document.sweep)
        })
    }

    /// Submits all runs, waits until they end, and prints the joint table. Their files are written
    /// into `out`, if it is given.
    pub(super) async fn submit_and_wait(self, out: Option<RunFolder>) -> Result<(), CommandError> {
        let (sweep, _) = self.submit().await?;
        let FarmVerbArgs { output, farm } = self.verb;
        let (output, failover) = (*output, FailoverPolicy::RetryOutage);
        let results = SweepResults { farm, failover, output, sweep, out };
        results.wait().await?;
        unless_interrupted(results.collect()).await?.outcome()
    }

    /// Submits all runs.
    async fn submit(&self) -> Result<(FarmSweep, Vec<SubmittedPoint>), CommandError> {
        let name = self.sweep_name()?;
        let CheckedSweep { experiment, points } =
            checked_sweep(&name, (self.spec, self.input), self.axes)?;
        let mut farm = self.verb.farm.farm()?;
        let mut finished = match self.reuse {
            true => Some(FinishedRuns::list(&mut farm, &experiment).await?),
            false => None,
        };
        let (mut runs, mut submitted) = (Vec::new(), Vec::new());
        for (number, point) in (1_u32..).zip(points) {
            let one = self.submit_point(&mut farm, finished.as_mut(), &name, (number, &point));
            match unless_interrupted(one).await {
                Ok(run) => {
                    runs.push((point, run.run.clone()));
                    submitted.push(run);
                }
                Err(failure) => {
                    let n_submitted = counted(submitted.len(), "run");
                    print_status(&format!(
                        "{n_submitted} of the sweep {name} submitted: repeat the command with \
                         --idempotency-key {} for the others",
                        escape_controls(&self.key)
                    ));
                    return Err(failure);
                }
            }
        }
        Ok((FarmSweep { name, experiment, runs }, submitted))
    }

    /// Returns the name of the sweep. The same key gives the same name.
    fn sweep_name(&self) -> Result<String, CommandError> {
        let Some(name) = self.name else {
            let suffix = Digest::of(self.key.as_bytes()).to_string();
            let suffix = format!("-sweep-{}", &suffix[..NAME_DIGITS]);
            let run = self.spec.run_name();
            let end = run.floor_char_boundary(MAX_SWEEP_NAME_BYTES - suffix.len());
            return Ok(sweep_name(&format!("{}{suffix}", &run[..end])));
        };
        match name.len() {
            0..=MAX_SWEEP_NAME_BYTES => Ok(sweep_name(name)),
            n_bytes => Err(UsageError::from(SweepError::LongName { n_bytes }).into()),
        }
    }

    async fn submit_point(
        &self,
        farm: &mut FarmClient,
        finished: Option<&mut FinishedRuns>,
        sweep: &str,
        (number, point): (u32, &SweepPoint),
    ) -> Result<SubmittedPoint, CommandError> {
        let spec = self.spec.with(point.assignments()).open(self.input)?;
        let mut inputs = self.input.find(&spec)?;
        if let Some(finished) = finished
            && let Some(run) = finished.find(farm, self.failover, &spec).await?
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
