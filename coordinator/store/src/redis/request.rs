//! A call of a script on a run, and the meaning of its answer.

use redis::{Cmd, ToRedisArgs, Value};

use super::connection::{PART_TURN_DEADLINE, in_time};
use super::error::RedisFailure;
use super::script::{LuaScript, ScriptLane};
use super::{RedisStore, keys, reply};
use crate::{RunId, StoreError};

/// A call of a script, while it is put together.
pub(super) struct ScriptRequest<'a> {
    store: &'a RedisStore,
    script: &'static LuaScript,
    run: RunId,
    call: Cmd,
}

impl RedisStore {
    /// Begins a call of a script on a run.
    pub(super) fn on(&self, run: RunId, script: &'static LuaScript) -> ScriptRequest<'_> {
        self.request(run, script, &keys::of_run(run))
    }

    /// Begins a call of a script on a run and on the list of runs.
    pub(super) fn on_listed(&self, run: RunId, script: &'static LuaScript) -> ScriptRequest<'_> {
        let mut keys = keys::of_run(run);
        keys.push(keys::RUNS.to_owned());
        self.request(run, script, &keys)
    }

    fn request(
        &self,
        run: RunId,
        script: &'static LuaScript,
        keys: &[String],
    ) -> ScriptRequest<'_> {
        let mut call = redis::cmd("EVALSHA");
        call.arg(script.code.get_hash()).arg(keys.len()).arg(keys).arg(&self.caller);
        ScriptRequest { store: self, script, run, call }
    }
}

impl ScriptRequest<'_> {
    /// Adds an argument.
    pub(super) fn arg(mut self, arg: impl ToRedisArgs) -> Self {
        self.call.arg(arg);
        self
    }

    /// Sends the call and returns the answer, parsed by `parse`.
    pub(super) async fn ask<T>(
        self,
        parse: impl FnOnce(Value) -> Result<T, reply::MalformedReply>,
    ) -> Result<T, StoreError> {
        let place = &self.store.place;
        let _turn;
        let link = match self.script.lane {
            ScriptLane::Data => &*self.store.data,
            ScriptLane::Control => &*self.store.control,
            ScriptLane::Parts => {
                let turn = async {
                    let turn = self.store.part_turns.acquire().await;
                    Ok(turn.expect("nobody closes the semaphore"))
                };
                let turn = in_time(PART_TURN_DEADLINE, turn).await;
                _turn = turn.map_err(|error| error.at(place))?;
                &*self.store.parts
            }
        };
        let run = self.run;
        let answer =
            link.run(self.script, &self.call).await.map_err(|error| error.about(run, place))?;
        let malformed = |malformed| RedisFailure::Malformed(malformed).about(run, place);
        let mut parts = reply::list(answer).map_err(malformed)?.into_iter();
        let status = parts.next().unwrap_or(Value::Nil);
        let value = parts.next().unwrap_or(Value::Nil);
        match reply::bytes(status).map_err(malformed)?.as_slice() {
            b"ok" => parse(value).map_err(malformed),
            b"no run" => Err(StoreError::NoRun { run }),
            b"fenced" => Err(StoreError::Fenced { run }),
            b"out of step" => {
                let position = Box::new(reply::position(value).map_err(malformed)?);
                Err(StoreError::OutOfStep { run, position, operation: self.script.name })
            }
            _ => Err(malformed(reply::MalformedReply { expected: "a known answer of a script" })),
        }
    }

    /// Sends a call that only confirms that it is done.
    pub(super) async fn done(self) -> Result<(), StoreError> {
        self.ask(|_| Ok(())).await
    }
}
