//! Validates every field of a submission except the spec.

use std::num::NonZeroU32;
use std::time::Duration;

use hatchery_core::Digest;
use hatchery_core::spec::MAX_SPEC_BYTES;
use hatchery_proto::v1::{self, OnDead, SubmitRequest};
use hatchery_proto::{MAX_IDEMPOTENCY_KEY_BYTES, MAX_RUN_NAME_BYTES, MAX_STALL, MIN_STALL};
use tonic::Status;

use crate::base::user::{AuthenticatedUser, UserError, UserName};
use crate::control::refusal;
use crate::run::scheduling::RunScheduling;

/// All trials of a generation, in millionths.
const ALL_PPM: u32 = 1_000_000;

/// A submission whose sizes and numbers are valid; its spec is still to be opened.
#[derive(Debug)]
pub(crate) struct ParsedSubmission {
    pub(crate) spec: String,
    pub(crate) name: String,
    pub(crate) key: Option<Digest>,
    pub(crate) on_dead: OnDead,
    pub(crate) skip_ppm: u32,
    pub(crate) stall_ms: u64,
    pub(crate) scheduling: RunScheduling,
}

impl ParsedSubmission {
    /// Validates `request`; `caller` is the user whose token was shown, if any.
    pub(crate) fn of(
        request: SubmitRequest,
        caller: Option<AuthenticatedUser>,
    ) -> Result<Self, Status> {
        let on_dead = OnDead::try_from(request.on_dead);
        let scheduling = scheduling(&request, caller)?;
        let SubmitRequest { spec, name, idempotency_key, skip_ppm, stall_ms, .. } = request;
        let at_most = |what: &str, n_bytes: usize, most: usize| match n_bytes <= most {
            true => Ok(()),
            false => Err(refusal::invalid(&format!(
                "{what} has {n_bytes} bytes, but may have at most {most}"
            ))),
        };
        at_most("the spec", spec.len(), MAX_SPEC_BYTES)?;
        at_most("the name", name.len(), MAX_RUN_NAME_BYTES)?;
        at_most("the idempotency key", idempotency_key.len(), MAX_IDEMPOTENCY_KEY_BYTES)?;
        if name.chars().any(char::is_control) {
            return Err(refusal::invalid(&format!("the name {name:?} has control characters")));
        }
        let on_dead = match on_dead {
            Ok(OnDead::Unspecified) => OnDead::Fail,
            Ok(known) => known,
            Err(unknown) => return Err(refusal::invalid(&format!("on_dead = {unknown}"))),
        };
        let skip_fits = match on_dead {
            OnDead::Skip => (1..=ALL_PPM).contains(&skip_ppm),
            OnDead::Unspecified | OnDead::Fail | OnDead::Pause => skip_ppm == 0,
        };
        if !skip_fits {
            return Err(refusal::invalid(&format!(
                "skip_ppm is {skip_ppm}, but must be 1 to {ALL_PPM} to skip, and 0 otherwise"
            )));
        }
        if stall_ms != 0 && !(MIN_STALL..=MAX_STALL).contains(&Duration::from_millis(stall_ms)) {
            return Err(refusal::invalid(&format!(
                "stall_ms is {stall_ms}, but must be {} to {}, or 0 for the \
                 default",
                MIN_STALL.as_millis(),
                MAX_STALL.as_millis(),
            )));
        }
        let key = (!idempotency_key.is_empty()).then(|| Digest::of(idempotency_key.as_bytes()));
        Ok(Self { spec, name, key, on_dead, skip_ppm, stall_ms, scheduling })
    }
}

/// Parses the user, priority and share of a request.
fn scheduling(
    request: &SubmitRequest,
    caller: Option<AuthenticatedUser>,
) -> Result<RunScheduling, Status> {
    let priority = v1::Priority::try_from(request.priority).map_err(|unknown| {
        refusal::invalid(&format!(
            "priority is {}, but must be 1 for high, 2 for normal or 3 for low",
            unknown.0
        ))
    })?;
    let most_slots = NonZeroU32::new(request.most_slots);
    Ok(RunScheduling { user: user(request, caller)?, priority: priority.into(), most_slots })
}

/// Returns the owner of the run: the caller, or the request's user where no token is required.
fn user(request: &SubmitRequest, caller: Option<AuthenticatedUser>) -> Result<UserName, Status> {
    let said: Option<UserName> = match request.user.as_str() {
        "" => None,
        name => {
            let said = name.parse();
            Some(said.map_err(|error: UserError| refusal::invalid(&error.to_string()))?)
        }
    };
    match (caller, said) {
        (None, said) => Ok(said.unwrap_or_default()),
        (Some(AuthenticatedUser(caller)), said)
            if said.as_ref().is_none_or(|said| *said == caller) =>
        {
            Ok(caller)
        }
        (Some(AuthenticatedUser(caller)), _) => Err(Status::permission_denied(format!(
            "runs submitted with the token {caller} belong to {caller}: leave the user out"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(request: SubmitRequest, expected: Result<OnDead, &str>) {
        let order = ParsedSubmission::of(request, None).map(|order| order.on_dead);
        match (order, expected) {
            (Ok(order), Ok(expected)) => assert_eq!(order, expected),
            (Err(status), Err(part)) => {
                assert_eq!(status.code(), tonic::Code::InvalidArgument);
                assert!(status.message().contains(part), "{status:?}");
            }
            (order, _) => panic!("{order:?}, but expected {expected:?}"),
        }
    }

    #[test]
    fn a_run_is_of_whoever_shows_the_token() {
        let whose = |user: &str, caller: Option<&str>| {
            let request = SubmitRequest { user: user.to_owned(), ..SubmitRequest::default() };
            let caller = caller.map(|name| AuthenticatedUser(name.parse().unwrap()));
            let order = ParsedSubmission::of(request, caller).map_err(|status| status.code())?;
            Ok(order.scheduling.user.to_string())
        };
        assert_eq!(whose("", None), Ok("anonymous".to_owned()));
        assert_eq!(whose("ada", None), Ok("ada".to_owned()));
        assert_eq!(whose("", Some("bob")), Ok("bob".to_owned()));
        assert_eq!(whose("bob", Some("bob")), Ok("bob".to_owned()));
        assert_eq!(whose("ada", Some("bob")), Err(tonic::Code::PermissionDenied));
    }

    #[test]
    fn requests_are_hostile_until_parsed() {
        let on_dead = |on_dead: i32, skip_ppm| SubmitRequest {
            on_dead,
            skip_ppm,
            ..SubmitRequest::default()
        };
        check(SubmitRequest::default(), Ok(OnDead::Fail));
        check(on_dead(OnDead::Pause.into(), 0), Ok(OnDead::Pause));
        check(on_dead(OnDead::Skip.into(), 1), Ok(OnDead::Skip));
        check(on_dead(OnDead::Skip.into(), 0), Err("skip_ppm is 0"));
        check(on_dead(OnDead::Skip.into(), 1_000_001), Err("skip_ppm is 1000001"));
        check(on_dead(OnDead::Fail.into(), 1), Err("skip_ppm is 1"));
        check(on_dead(99, 0), Err("on_dead = unknown"));
        let request = SubmitRequest::default;
        check(SubmitRequest { spec: "x".repeat(MAX_SPEC_BYTES + 1), ..request() }, Err("spec has"));
        check(SubmitRequest { name: "x".repeat(129), ..request() }, Err("name has 129 bytes"));
        check(SubmitRequest { name: "\u{1b}[2J".to_owned(), ..request() }, Err("control"));
        let idempotency_key = "x".repeat(257);
        check(SubmitRequest { idempotency_key, ..request() }, Err("key has 257 bytes"));
        check(SubmitRequest { stall_ms: 11_999, ..request() }, Err("stall_ms is 11999"));
        check(SubmitRequest { stall_ms: u64::MAX, ..request() }, Err("stall_ms is 1844"));
        check(SubmitRequest { stall_ms: 12_000, ..request() }, Ok(OnDead::Fail));
        check(SubmitRequest { user: "x".repeat(65), ..request() }, Err("name has 65 bytes"));
        check(SubmitRequest { user: "a\u{1b}[2J".to_owned(), ..request() }, Err("'\\u{1b}'"));
        check(SubmitRequest { user: "ada".to_owned(), ..request() }, Ok(OnDead::Fail));
        check(SubmitRequest { priority: 4, ..request() }, Err("priority is 4"));
    }
}
