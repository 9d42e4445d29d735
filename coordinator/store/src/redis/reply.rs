//! The answers of scripts and commands, parsed.

use hatchery_core::Digest;
use redis::Value;

use crate::part_directory::PartFile;
use crate::{JobId, JobResult, LeasedJob, RunPosition, RunState, WorkerId, part_codec};

/// An answer of an unexpected form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an answer is not {expected}")]
pub(super) struct MalformedReply {
    /// The expected form.
    pub(super) expected: &'static str,
}

const fn no(expected: &'static str) -> MalformedReply {
    MalformedReply { expected }
}

/// Returns the items of a list.
pub(super) fn list(value: Value) -> Result<Vec<Value>, MalformedReply> {
    match value {
        Value::Array(items) => Ok(items),
        _ => Err(no("a list")),
    }
}

/// Returns the items of a list of `N`.
pub(super) fn items<const N: usize>(value: Value) -> Result<[Value; N], MalformedReply> {
    list(value)?.try_into().map_err(|_| no("a list of the right length"))
}

/// Returns a string of bytes.
pub(super) fn bytes(value: Value) -> Result<Vec<u8>, MalformedReply> {
    match value {
        Value::BulkString(bytes) => Ok(bytes),
        Value::SimpleString(text) => Ok(text.into_bytes()),
        _ => Err(no("a string")),
    }
}

/// Returns a string of bytes, if there is one.
pub(super) fn maybe_bytes(value: Value) -> Result<Option<Vec<u8>>, MalformedReply> {
    match value {
        Value::Nil => Ok(None),
        there => bytes(there).map(Some),
    }
}

/// Returns a text.
pub(super) fn text(value: Value) -> Result<String, MalformedReply> {
    String::from_utf8(bytes(value)?).map_err(|_| no("a text"))
}

/// Returns a number, as such or in digits.
pub(super) fn number(value: Value) -> Result<u64, MalformedReply> {
    match value {
        Value::Int(number) => u64::try_from(number).map_err(|_| no("a number from 0 on")),
        digits => text(digits)?.parse().map_err(|_| no("a number")),
    }
}

/// Returns the file of a part from its hash and its note; `None` if its bytes are chunks.
pub(super) fn part_file(hash: &str, note: &str) -> Result<Option<PartFile>, MalformedReply> {
    if !note.contains(':') {
        return Ok(None);
    }
    let hash =
        blake3::Hash::from_hex(hash).ok().and_then(|hash| Digest::from_bytes(hash.as_bytes()));
    let file = hash.and_then(|hash| PartFile::from_note(hash, note));
    file.map(Some).ok_or(no("the file of a part"))
}

/// Returns a state, with the reason of a failure.
pub(super) fn state(value: Value, reason: Value) -> Result<RunState, MalformedReply> {
    Ok(match bytes(value)?.as_slice() {
        b"active" => RunState::Active,
        b"paused" => RunState::Paused,
        b"done" => RunState::Done,
        b"cancelled" => RunState::Cancelled,
        b"failed" => RunState::Failed { reason: text(reason)? },
        _ => return Err(no("the state of a run")),
    })
}

/// Returns the position of a run.
pub(super) fn position(value: Value) -> Result<RunPosition, MalformedReply> {
    let [run_state, reason, revision, generation, cursor, folded] = items(value)?;
    Ok(RunPosition {
        state: state(run_state, reason)?,
        revision: number(revision)?,
        generation: generation_of(number(generation)?)?,
        cursor: number(cursor)?,
        folded: number(folded)?,
    })
}

/// Parses entries of a stream as jobs: an id, and one field with the job.
pub(super) fn jobs(value: Value) -> Result<Vec<LeasedJob>, MalformedReply> {
    let job = |value| {
        let [id, fields] = items(value)?;
        let [_, job] = items(fields)?;
        Ok(LeasedJob { id: job_id(&text(id)?)?, bytes: bytes(job)? })
    };
    list(value)?.into_iter().map(job).collect()
}

/// Returns the id of a job's entry: the ids of a stream begin with 0-1, the ids of jobs with 1-1.
pub(super) fn entry_id(job: JobId) -> String {
    // An index as high as that is never enqueued.
    format!("{}-{}", u64::from(job.generation) + 1, job.index.saturating_add(1))
}

fn job_id(entry: &str) -> Result<JobId, MalformedReply> {
    const EXPECTED: MalformedReply = no("the id of a job's entry");
    let (generation, index) = entry.split_once('-').ok_or(EXPECTED)?;
    let from_one = |digits: &str| digits.parse::<u64>().ok().and_then(|n| n.checked_sub(1));
    Ok(JobId {
        generation: generation_of(from_one(generation).ok_or(EXPECTED)?)?,
        index: from_one(index).ok_or(EXPECTED)?,
    })
}

/// Returns the number of a generation.
pub(super) fn generation_of(number: u64) -> Result<u32, MalformedReply> {
    u32::try_from(number).map_err(|_| no("a generation"))
}

/// Encodes a result as it is stored: worker, length of the output, output, length of the names of
/// its parts, names, cost.
///
/// # Panics
/// If the output has 4 GiB or more; Redis takes 512 MB at most.
pub(super) fn encode_result(result: &JobResult) -> Vec<u8> {
    let length = |bytes: &[u8]| {
        let length = u32::try_from(bytes.len()).expect("messages are far smaller than 4 GiB");
        length.to_be_bytes()
    };
    let JobResult { worker, output, cost, parts } = result;
    let names = part_codec::encode(parts);
    let fields: [&[u8]; 6] =
        [&worker.to_bytes(), &length(output), output, &length(&names), &names, cost];
    fields.concat()
}

/// Decodes a stored result.
pub(super) fn result(value: Value) -> Result<JobResult, MalformedReply> {
    const EXPECTED: MalformedReply = no("a result");
    let kept = bytes(value)?;
    let (worker, rest) = kept.split_at_checked(16).ok_or(EXPECTED)?;
    let worker = WorkerId::from_bytes(worker).ok_or(EXPECTED)?;
    let (output, rest) = prefixed(rest).ok_or(EXPECTED)?;
    let (names, cost) = prefixed(rest).ok_or(EXPECTED)?;
    let parts = part_codec::decode(names).ok_or(EXPECTED)?;
    Ok(JobResult { worker, output: output.to_owned(), cost: cost.to_owned(), parts })
}

/// Returns a job's attempts, in the order of their ids.
pub(super) fn attempts(value: Value) -> Result<Vec<Vec<u8>>, MalformedReply> {
    let kept = bytes(value)?;
    let (mut rest, mut found) = (kept.as_slice(), Vec::new());
    while let Some((id, after)) = rest.split_first_chunk::<16>() {
        let (attempt, after) = prefixed(after).ok_or(no("a job's attempts"))?;
        found.push((*id, attempt.to_owned()));
        rest = after;
    }
    found.sort_unstable_by_key(|(id, _)| *id);
    Ok(found.into_iter().map(|(_, attempt)| attempt).collect())
}

/// Splits off the bytes that follow their length, and returns them with the rest.
fn prefixed(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u32::from_be_bytes(*length).try_into().ok()?)
}

#[cfg(test)]
mod tests {
    use hatchery_core::Part;

    use super::*;
    use crate::AttemptId;

    fn bulk(bytes: &[u8]) -> Value {
        Value::BulkString(bytes.to_owned())
    }

    #[test]
    fn results_come_back() {
        for (output, cost, parts) in [
            (&b""[..], &b""[..], vec![]),
            (b"output", b"", vec![Part::of(b"a")]),
            (b"", b"cost", vec![]),
            (b"o", b"c", vec![Part::of(b""), Part::of(b"b")]),
        ] {
            let room = 24 + output.len() + 40 * parts.len();
            let (output, cost) = (output.to_owned(), cost.to_owned());
            let whole = JobResult { worker: WorkerId(7 << 99), output, cost, parts };
            let kept = encode_result(&whole);
            assert_eq!(result(bulk(&kept)), Ok(whole));
            for end in 0..room {
                assert!(result(bulk(&kept[..end])).is_err(), "{end} of {room} bytes");
            }
        }
    }

    #[test]
    fn entries_begin_with_one() {
        let job = JobId { generation: 0, index: 0 };
        assert_eq!(entry_id(job), "1-1");
        for job in [job, JobId { generation: u32::MAX, index: 1 << 53 }] {
            assert_eq!(job_id(&entry_id(job)), Ok(job));
        }
        for bad in ["", "1", "0-1", "1-0", "1-1-1", "x-1", "4294967297-1"] {
            assert!(job_id(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn attempts_are_sorted_and_whole() {
        let one = |id, attempt: &[u8]| {
            [
                &AttemptId(id).to_bytes()[..],
                &[0, 0, 0, u8::try_from(attempt.len()).unwrap()],
                attempt,
            ]
            .concat()
        };
        let kept = [one(2, b"second"), one(1, b""), one(3, b"third")].concat();
        let expected = vec![b"".to_vec(), b"second".to_vec(), b"third".to_vec()];
        assert_eq!(attempts(bulk(&kept)), Ok(expected));
        assert_eq!(attempts(bulk(b"")), Ok(vec![]));
        assert!(attempts(bulk(&kept[..kept.len() - 1])).is_err());
    }

    #[test]
    fn what_was_not_asked_for_is_refused() {
        assert!(number(bulk(b"-1")).is_err() && number(Value::Int(-1)).is_err());
        assert!(list(bulk(b"x")).is_err() && items::<2>(Value::Array(vec![])).is_err());
        assert!(state(bulk(b"asleep"), bulk(b"")).is_err());
        assert!(position(Value::Array(vec![Value::Nil; 6])).is_err());
    }
}
